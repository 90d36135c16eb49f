"""Computer opponents in games of the engine."""

from functools import lru_cache

import numpy as np

from terrarium.data.games.melee import Melee
from terrarium.data.maps.game_map import GameMap
from terrarium.data.opponents.levels import RACES
from terrarium.data.opponents.opponent import RANDOM_RACE, Opponent
from terrarium.data.opponents.plans import BUILDS, RANDOM_BUILD, plans
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.games.order_commands import Sent, refusals, to_commands
from terrarium.games.player_view import PlayerView
from terrarium.tactics.macro.catalog import compile_catalog
from terrarium.tactics.macro.macro_player import MacroPlayer
from terrarium.tactics.macro.map_knowledge import MapKnowledge


@lru_cache(maxsize=8)
def _knowledge(where: "_ById") -> MapKnowledge:
    return MapKnowledge(where.map)


class _ById:
    """A map as a key: maps hold arrays, which have no hash."""

    def __init__(self, game_map: GameMap) -> None:
        self.map = game_map

    def __hash__(self) -> int:
        return id(self.map)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.map is self.map


def knowledge_of(game_map: GameMap) -> MapKnowledge:
    """What players know of a map; made once."""
    return _knowledge(_ById(game_map))


def draw_race(race: str, seed: int, owner: int) -> str:
    """The race that a player gets who asked for any."""
    if race != RANDOM_RACE:
        return race
    return RACES[int(np.random.default_rng((seed, owner, 0)).integers(len(RACES)))]


def draw_build(build: str, seed: int, owner: int) -> str:
    """The build of an opponent that may play any."""
    if build != RANDOM_BUILD:
        return build
    return BUILDS[int(np.random.default_rng((seed, owner, 1)).integers(len(BUILDS)))]


class ComputerPlayer:
    """Plays one side of one game, by the commands that any player can give."""

    def __init__(self, sim: Simulator, e: int, owner: int, opponent: Opponent, seed: int) -> None:
        setup = sim.setup
        assert isinstance(setup, Melee), f"{setup.name} is no whole game"
        self._sim, self._e, self.owner, self.level = sim, e, owner, opponent.level
        race = setup.races[owner - 1]
        build = draw_build(opponent.build, seed, owner)
        self.name = f"{opponent.level.name}-{race}-{build}"
        self.catalog = compile_catalog(setup.facts)
        ground = knowledge_of(setup.map)
        self.brain = MacroPlayer(
            plans(race)[build], opponent.level, self.catalog, ground, setup.map.starts[owner - 1]
        )
        self.due = 0
        """the tick from which on it decides again"""
        self._gathered = [0.0, 0.0]

    def act(self) -> Sent | None:
        """Its commands for the next step; None while it waits for its next decision."""
        loop = int(self._sim.ticks[self._e])
        if loop < self.due:
            return None
        self.due = loop + int(self.level.decision_ticks)
        self._add_income()
        view = PlayerView(self._sim, self._e, self.owner, self.catalog, self.level.sees_all)
        return to_commands(self._sim, self._e, self.owner, self.brain.decide(view))

    def hear(self, sent: Sent, answers: Records) -> None:
        """What became of its commands."""
        self.brain.hear(refusals(sent, answers))

    def _add_income(self) -> None:
        """A level that cheats gets more than it has gathered."""
        share = self.level.income - 1.0
        if share <= 0.0:
            return
        account = self._sim.games.accounts[self._e, self.owner]
        purse = self._sim.players[self._e, self.owner]
        for k, what in enumerate(("minerals", "vespene")):
            gathered = float(account[f"gathered_{what}"])
            purse[what] += np.floor(share * (gathered - self._gathered[k]))
            self._gathered[k] = gathered
