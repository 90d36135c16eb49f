"""Seats of a game: who plays, of which race, at which level."""

from dataclasses import dataclass, replace
from typing import Any

from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.opponents.levels import levels
from terrarium.data.opponents.opponent import RANDOM_RACE, Opponent
from terrarium.data.opponents.plans import BUILDS, RANDOM_BUILD
from terrarium.games.opponents import draw_race

RACE_WORDS: dict[int, str] = {
    common_pb2.Terran: "Terran",
    common_pb2.Zerg: "Zerg",
    common_pb2.Protoss: "Protoss",
    common_pb2.Random: RANDOM_RACE,
}
RACE_NUMBERS = {word: number for number, word in RACE_WORDS.items()}


@dataclass(frozen=True)
class GameSeat:
    """One player of a game; its id is its place among the seats, from 1 on.

    Numbers are those of the API: PlayerType, Race, Difficulty, AIBuild.
    """

    type: int
    race_requested: int = common_pb2.Random
    race_actual: int = common_pb2.NoRace
    """NoRace until the game begins, and of observers"""
    difficulty: int = api.VeryEasy
    ai_build: int = api.RandomBuild
    name: str = ""

    def table(self) -> dict[str, Any]:
        """What there is to store of it."""
        return {
            "type": self.type,
            "race": self.race_requested,
            "difficulty": self.difficulty,
            "ai_build": self.ai_build,
            "name": self.name,
        }

    @property
    def plays(self) -> bool:
        return self.type != api.Observer

    @property
    def race(self) -> str:
        """The word of the race that is played."""
        return RACE_WORDS[self.race_actual]

    @property
    def opponent(self) -> Opponent:
        """The computer opponent who plays this seat."""
        level = levels()[api.Difficulty.Name(self.difficulty)]
        build = api.AIBuild.Name(self.ai_build)
        return Opponent(level, self.race, build if build in BUILDS else RANDOM_BUILD)

    def with_race_drawn(self, seed: int, player: int) -> "GameSeat":
        """With the race that it plays; who asked for any race gets one by the seed."""
        if not self.plays:
            return self
        word = RACE_WORDS.get(self.race_requested, RANDOM_RACE)
        return replace(self, race_actual=RACE_NUMBERS[draw_race(word, seed, player)])


MOST_NAME = 32
"""letters of a player's name"""


def read_seat(table: dict[str, Any]) -> GameSeat:
    """Read what `GameSeat.table` wrote."""
    seat = GameSeat(
        int(table["type"]),
        int(table["race"]),
        difficulty=int(table["difficulty"]),
        ai_build=int(table["ai_build"]),
        name=str(table["name"])[:MOST_NAME],
    )
    known = seat.type in api.PlayerType.values() and seat.difficulty in api.Difficulty.values()
    if not known or seat.ai_build not in api.AIBuild.values():
        raise ValueError("this is no seat of a game")
    return seat
