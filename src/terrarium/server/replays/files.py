"""A game as bytes that clients store: an exact record, with what the API says of its players."""

import json
from dataclasses import dataclass
from typing import Any

from s2clientprotocol import sc2api_pb2 as api

from terrarium.errors import TerrariumError
from terrarium.games.ending import GameResult
from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_file import game_bytes, game_from_bytes
from terrarium.replay.games.game_frames import GAME_RESULTS
from terrarium.replay.games.game_record import ExactGameRecord
from terrarium.replay.storage.archive import archived, kept_beside
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.replays.replayed_battles import shown_battle
from terrarium.server.replays.saved_battles import (
    SavedBattles,
    battles_from_bytes,
    battles_to_bytes,
    last_battle,
    saved_battles,
)
from terrarium.server.seats import RACE_NUMBERS, GameSeat, read_seat
from terrarium.server.session import Refused
from terrarium.server.versions import BASE_BUILD, DATA_VERSION, GAME_VERSION

RESULTS = (GameResult.VICTORY, GameResult.DEFEAT, GameResult.TIE, GameResult.UNDECIDED)
"""in the order of the words of records"""
_WORDS = dict(zip(RESULTS, GAME_RESULTS, strict=True))
_RESULTS = dict(zip(GAME_RESULTS, RESULTS, strict=True))


@dataclass(frozen=True)
class SavedGame:
    """A record, and the plan of the game that it is of."""

    record: ExactGameRecord
    plan: GamePlan

    @property
    def results(self) -> tuple[GameResult, ...]:
        """Of the players who played."""
        return tuple(_RESULTS[word] for word in self.record.about.results)[: len(self.players)]

    @property
    def players(self) -> tuple[GameSeat, ...]:
        """The seats of those who played."""
        return tuple(seat for seat in self.plan.seats if seat.plays)

    @property
    def n_loops(self) -> int:
        ticks = self.record.checks["tick"]
        return int(ticks[-1] - ticks[0])


VERSION = {
    "GameVersion": GAME_VERSION,
    "BaseBuild": f"Base{BASE_BUILD}",
    "DataBuild": str(BASE_BUILD),
    "DataVersion": DATA_VERSION,
}
"""what clients look for in a file"""


def saved_bytes(game: LiveGame) -> bytes:
    """A game, up to now, as a file."""
    if not game.is_whole_game:
        if game.is_replay:
            raise Refused("Battles of a replay are not recorded again")
        shown = shown_battle(last_battle(game))
        return archived(shown, VERSION, battles_to_bytes(saved_battles(game)))
    if game.recorder is None:
        raise Refused("This game is not recorded: it is longer than any record, or a replay")
    n_players = game.sim.n_players
    words = [_WORDS[result] for result in game.results]
    names = [_name(seat, k) for k, seat in enumerate(game.seats, 1) if seat.plays]
    record = game.recorder.record(
        title=game.map.title,
        results=(words + [GAME_RESULTS[-1]] * n_players)[:n_players],
        players=(names + ["nobody"] * n_players)[:n_players],
        extra=json.dumps(
            {
                "map": game.map.title,
                "path": game.map.file_name,
                "disable_fog": game.disable_fog,
                "seats": [seat.table() for seat in game.seats],
            }
        ),
    )
    return archived(game_bytes(record), VERSION)


def _name(seat: GameSeat, player: int) -> str:
    if seat.name:
        return seat.name
    if seat.type == api.Computer:
        return f"Computer {player} ({api.Difficulty.Name(seat.difficulty)})"
    return f"Player {player}"


def read_saved(content: bytes) -> SavedGame | SavedBattles:
    """Read what `saved_bytes` wrote, or the exact record of any game."""
    battles = kept_beside(content)
    if battles:
        return battles_from_bytes(battles)
    record = game_from_bytes(content)
    if not isinstance(record, ExactGameRecord):
        raise ReplayError("a light record shows a game, but cannot be played again")
    extra = _extra(record)
    ground = record.setup.melee.map
    served = ServedMap(
        str(extra.get("map", ground.title))[:200], str(extra.get("path", ""))[:1000], ground
    )
    plan = GamePlan(
        map=served,
        seats=_seats(record, extra.get("seats")),
        seed=record.about.seed,
        disable_fog=extra.get("disable_fog") is True,
    )
    return SavedGame(record, plan)


def _extra(record: ExactGameRecord) -> dict[str, Any]:
    try:
        extra = json.loads(record.extra or "{}")
    except (ValueError, RecursionError) as error:
        raise ReplayError("what it says of its players cannot be read") from error
    if not isinstance(extra, dict):
        raise ReplayError("what it says of its players cannot be read")
    return extra


def _seats(record: ExactGameRecord, tables: Any) -> tuple[GameSeat, ...]:
    """As stored; of a record that no server made, participants by the names it gives them."""
    races = record.about.races
    if tables is None:
        named = zip(races, record.about.players, strict=False)
        return tuple(
            GameSeat(api.Participant, RACE_NUMBERS[race], name=name) for race, name in named
        )
    try:
        seats = tuple(read_seat(table) for table in tables)
    except (TerrariumError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReplayError("what it says of its players cannot be read") from error
    drawn = [seat.with_race_drawn(record.about.seed, k) for k, seat in enumerate(seats, 1)]
    if [seat.race for seat in drawn if seat.plays] != list(races):
        raise ReplayError("the races of its players are not those of its game")
    return seats
