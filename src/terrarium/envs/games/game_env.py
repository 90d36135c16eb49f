"""Whole games as environments: raw state and orders for the players that a program controls,
computer opponents for the others."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from terrarium.data.games.melee import Melee
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map
from terrarium.data.opponents.levels import RACES
from terrarium.data.opponents.opponent import RANDOM_RACE, Opponent, find_opponent
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.errors import TerrariumError
from terrarium.games.ending import GameResult, results
from terrarium.games.opponents import ComputerPlayer, draw_race
from terrarium.games.order_commands import Sent, refusals, to_commands
from terrarium.games.player_view import PlayerView
from terrarium.tactics.macro.catalog import compile_catalog
from terrarium.tactics.macro.game_view import GameOrder, Refusal

STEP_TICKS = 8
LIMIT_TICKS = 40_320
"""30 minutes of the game's clock"""
MAX_TICKS = 1_000_000


@dataclass(frozen=True)
class Seat:
    """Who plays one side: a program, by its race, or a computer opponent."""

    race: str
    opponent: Opponent | None = None


def find_seat(word: str) -> Seat:
    """A race alone (`terran`) is controlled by the program; `hard-zerg` plays by itself."""
    plain = word.lower()
    for race in (*RACES, RANDOM_RACE):
        if plain == race.lower():
            return Seat(race)
    if "-" not in word:
        raise TerrariumError(
            f'unknown player "{word}". Allowed: a race that you control '
            f"({', '.join(race.lower() for race in (*RACES, RANDOM_RACE))}) or LEVEL-RACE, such "
            "as hard-zerg"
        )
    opponent = find_opponent(word)
    return Seat(opponent.race, opponent)


class GameEnv:
    """One whole game.

    `reset` begins it, `step` gives the orders of the controlled players and lets it run; `view`
    is what a player sees, `results` how it ended. Players are numbered from 1.
    """

    def __init__(
        self,
        map: str | Path | GameMap = "simple_64",
        players: Sequence[str] = ("terran", "hard-random"),
        rules: str = "lotv-4.10",
        fog: bool = True,
        step_ticks: int = STEP_TICKS,
        limit_ticks: int = LIMIT_TICKS,
    ) -> None:
        if not 1 <= step_ticks <= MAX_TICKS or not 1 <= limit_ticks <= MAX_TICKS:
            raise TerrariumError(
                f"step_ticks is {step_ticks} and limit_ticks {limit_ticks}; "
                f"allowed are 1 to {MAX_TICKS}"
            )
        if len(players) < 2:
            raise TerrariumError(f"{len(players)} players; a game needs two or more")
        self.map = map if isinstance(map, GameMap) else find_map(map)
        self.seats = tuple(find_seat(word) for word in players)
        self._rules, self._fog = rules, fog
        self.step_ticks, self.limit_ticks = step_ticks, limit_ticks
        self._sims: dict[tuple[str, ...], Simulator] = {}
        self.controlled = tuple(k for k, seat in enumerate(self.seats, 1) if seat.opponent is None)
        """numbers of the players that the program controls"""
        self.refusals: dict[int, list[Refusal]] = {}
        """of the last step, by player"""
        self.script_seconds = 0.0
        """how long computer opponents have thought"""
        self.reset(0)

    def reset(self, seed: int = 0) -> None:
        """Begin a game; equal seeds and orders make equal games."""
        races = tuple(draw_race(s.race, seed, k) for k, s in enumerate(self.seats, 1))
        if races not in self._sims:
            setup = Melee(self.map, races, rules=self._rules, fog=self._fog)
            teams = tuple((owner,) for owner in range(1, len(races) + 1))
            self._sims[races] = Simulator(setup, teams=teams)
        self.races, self.seed = races, seed
        self.sim = self._sims[races]
        self.sim.reset(seed)
        assert isinstance(self.sim.setup, Melee)
        self.catalog = compile_catalog(self.sim.setup.facts)
        self.computers = tuple(
            ComputerPlayer(self.sim, 0, k, seat.opponent, seed)
            for k, seat in enumerate(self.seats, 1)
            if seat.opponent is not None
        )
        self.refusals = {}

    @property
    def loop(self) -> int:
        return int(self.sim.ticks[0])

    @property
    def results(self) -> tuple[GameResult, ...]:
        """Of each player; all are undecided while the game goes on."""
        return results(self.sim, 0)

    @property
    def over(self) -> bool:
        decided = self.sim.games.standings["result"][0, 1:] != codes.UNDECIDED
        return bool(decided.any()) or self.truncated

    @property
    def truncated(self) -> bool:
        """The time limit was reached without a result."""
        return self.loop >= self.limit_ticks

    def view(self, player: int) -> PlayerView:
        """What a player sees now."""
        self._check_player(player)
        return PlayerView(self.sim, 0, player, self.catalog)

    def step(self, orders: Mapping[int, Sequence[GameOrder]] | None = None) -> bool:
        """Give orders, by player, and let the game run; whether it is over."""
        if self.over:
            raise TerrariumError("the game is over; call reset() for another one")
        sent: list[tuple[int, ComputerPlayer | None, Sent]] = []
        for player, some in (orders or {}).items():
            self._check_player(player)
            if player not in self.controlled:
                raise TerrariumError(f"player {player} is a computer opponent and plays by itself")
            sent.append((player, None, to_commands(self.sim, 0, player, some)))
        start = time.perf_counter()
        for computer in self.computers:
            own = computer.act()
            if own is not None:
                sent.append((computer.owner, computer, own))
        self.script_seconds += time.perf_counter() - start
        for _, _, part in sent:
            self.sim.give(0, part.commands)
        self.sim.step(min(self.step_ticks, self.limit_ticks - self.loop))
        self._tell(sent)
        return self.over

    def _tell(self, sent: list[tuple[int, ComputerPlayer | None, Sent]]) -> None:
        """Answers to those who gave the commands, in their order."""
        answers, first = self.sim.answers(0), 0
        self.refusals = {}
        for player, computer, part in sent:
            last = first + len(part.commands)
            if computer is not None:
                computer.hear(part, answers[first:last])
            else:
                self.refusals[player] = refusals(part, answers[first:last])
            first = last

    def _check_player(self, player: int) -> None:
        if not 1 <= player <= len(self.seats):
            raise TerrariumError(f"player {player}; this game has players 1 to {len(self.seats)}")

    def score(self, player: int) -> dict[str, float]:
        """What a player has: resources, income, supply, workers, army."""
        view = self.view(player)
        own, catalog = view.own, self.catalog
        account = self.sim.games.accounts[0, player]
        army = catalog.is_army[own.kind] & own.done
        return {
            "minerals": view.minerals,
            "vespene": view.vespene,
            "gathered_minerals": float(account["gathered_minerals"]),
            "gathered_vespene": float(account["gathered_vespene"]),
            "supply_used": view.supply_used,
            "supply_cap": view.supply_cap,
            "workers": float(catalog.is_worker[own.kind].sum()),
            "army_value": float(catalog.cost[own.kind][army].sum()),
            "townhalls": float(np.count_nonzero(catalog.is_townhall[own.kind] & own.done)),
        }

    def close(self) -> None:
        """Let the threads of its simulators go."""
        for sim in self._sims.values():
            sim.close()
