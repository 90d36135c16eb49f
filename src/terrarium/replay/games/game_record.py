"""A record of a whole game: how it is taken while the game is played."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from terrarium import __version__
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.games.melee import Melee
from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.cheats import CHEAT
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_frames import (
    GAME_RESULTS,
    MAX_GAME_PLAYERS,
    GameAbout,
    GameFrames,
)
from terrarium.replay.games.game_sampler import GameSampler
from terrarium.replay.record import checksum, one_line

Kind = Literal["exact", "light"]

CHECK_TICKS = 224
"""between two checksums of an exact record: ten seconds"""
MAX_TICKS = 200_000
"""of a game; two and a half hours"""
_KEPT = [name for name in COMMAND.names or () if name not in ("tag", "result")]
ORDERED = np.dtype([("tick", "i8"), *((name, COMMAND[name]) for name in _KEPT)])
"""A command that was obeyed, and the tick before which it was given."""
CHECK = np.dtype([("tick", "i8"), ("checksum", "u8")])


GIVEN_UP = np.dtype([("tick", "i8"), ("owner", "i8")])
"""A player who surrendered, before the commands of that tick."""
CHEATED = np.dtype([("tick", "i8"), *((name, CHEAT[name]) for name in CHEAT.names or ())])
"""A cheat, and the tick before which it came."""
MAX_EXTRA = 2**16
_RESULTS = dict(
    zip((codes.VICTORY, codes.DEFEAT, codes.TIE, codes.UNDECIDED), GAME_RESULTS, strict=True)
)


@dataclass(frozen=True)
class GameSetup:
    """What a simulator of the same game is made of."""

    melee: Melee
    n_slots: int
    teams: tuple[tuple[int, ...], ...]
    layers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ExactGameRecord:
    """Everything that decides a game; the engine plays it again, to the bit."""

    about: GameAbout
    setup: GameSetup
    commands: Records  # [C] ORDERED
    surrenders: Records  # [G] GIVEN_UP
    checks: Records  # [K] CHECK: the first one at the beginning, the last one at the end
    cheats: Records = field(default_factory=lambda: np.zeros(0, CHEATED))  # [H] CHEATED
    extra: str = ""
    """what the one who recorded the game wants to find again, as a text"""


@dataclass(frozen=True, eq=False)
class LightGameRecord:
    """What a game looked like; it is shown without the engine."""

    frames: GameFrames

    @property
    def about(self) -> GameAbout:
        return self.frames.about


GameRecord = ExactGameRecord | LightGameRecord


class GameRecorder:
    """Records one game of a simulator, from right after its reset."""

    def __init__(self, sim: Simulator, e: int = 0, kind: Kind = "exact") -> None:
        if kind not in ("exact", "light"):
            raise ReplayError(f'unknown kind of record "{kind}". Allowed: exact, light')
        if not 0 <= e < sim.n_envs:
            raise ReplayError(f"game {e} does not exist; games are 0 to {sim.n_envs - 1}")
        if not isinstance(sim.setup, Melee):
            raise ReplayError(f"{sim.setup.name} is a battle; record it with Recorder")
        if sim.n_players > MAX_GAME_PLAYERS:
            raise ReplayError(f"{sim.n_players} players; records hold up to {MAX_GAME_PLAYERS}")
        if sim.ticks[e] != sim.rules.assumptions["opening_ticks"][0]:
            raise ReplayError(
                f"game {e} has run {sim.ticks[e]} ticks; begin a record right after a reset"
            )
        if kind == "exact" and sim.setup.rules not in ruleset_names():
            raise ReplayError(
                f"{sim.setup.rules}: a rule set of your own is not stored in an exact record; "
                'use kind="light"'
            )
        self._sim, self._e, self._setup = sim, e, sim.setup
        self._seed, self._tick = self._now()
        self._commands: list[Records] = []
        self._checks: list[tuple[int, int]] = []
        self._surrenders: list[tuple[int, int]] = []
        self._cheats: list[Records] = []
        self._sampler = GameSampler(sim, e) if kind == "light" else None
        self._look()

    def note(self) -> None:
        """Note a step that has been played, with the commands that it carried out."""
        seed, tick = self._now()
        if seed != self._seed or tick < self._tick:
            raise ReplayError(f"game {self._e} was reset; begin a new record")
        if tick > MAX_TICKS:
            raise ReplayError(f"a record holds at most {MAX_TICKS:,} ticks; end it earlier")
        self._note_surrenders()
        self._commands.append(_obeyed(self._sim.answers(self._e), self._tick))
        self._tick = tick
        self._look()

    def note_cheats(self, cheats: Records) -> None:
        """Note cheats, records of CHEAT, that were carried out since the last step."""
        self._cheats.append(cheated(cheats, self._tick))

    def record(
        self,
        title: str = "",
        results: Sequence[str] = (),
        players: Sequence[str] = (),
        extra: str = "",
    ) -> GameRecord:
        """What has been noted so far; more may be noted afterwards.

        `results`: of each player, one of `GAME_RESULTS`, by default what the rules say;
        `players`: what they are called; `extra`: any text, kept in an exact record.
        """
        if len(extra) > MAX_EXTRA:
            raise ReplayError(f"a text of {len(extra)} letters; a record keeps {MAX_EXTRA}")
        about = self._about(title, tuple(results), tuple(players))
        if self._sampler is not None:
            self._sampler.take()
            return LightGameRecord(self._sampler.frames(about))
        self._note_surrenders()
        self._checks = [check for check in self._checks if check[0] < self._tick]
        self._check()
        commands = np.concatenate([np.zeros(0, ORDERED), *self._commands])
        surrenders = np.array(self._surrenders, GIVEN_UP)
        checks = np.array(self._checks, CHECK)
        cheats = np.concatenate([np.zeros(0, CHEATED), *self._cheats])
        for table in (commands, surrenders, checks, cheats):
            table.setflags(write=False)
        setup = self._game_setup()
        return ExactGameRecord(about, setup, commands, surrenders, checks, cheats, extra)

    def _now(self) -> tuple[int, int]:
        clock = self._sim.games.clock[self._e, 0]
        return int(clock["seed"]), int(clock["tick"])

    def _look(self) -> None:
        if self._sampler is not None:
            if self._tick >= self._sampler.next_tick:
                self._sampler.take()
        elif not self._checks or self._tick - self._checks[-1][0] >= CHECK_TICKS:
            self._check()

    def _note_surrenders(self) -> None:
        """Who is out although something keeps that player in the game, since the last step."""
        standings = self._sim.games.standings[self._e]
        gone = np.flatnonzero(standings["out"] & (standings["n_structures"] > 0)).tolist()
        known = {owner for _, owner in self._surrenders}
        self._surrenders += [(self._tick, owner) for owner in gone if owner not in known]

    def _check(self) -> None:
        self._checks.append((self._tick, checksum(self._sim, self._e)))

    def _about(self, title: str, results: tuple[str, ...], players: tuple[str, ...]) -> GameAbout:
        n = self._sim.n_players
        standings = self._sim.games.standings["result"][self._e, 1:]
        results = results or tuple(_RESULTS[result] for result in standings.tolist())
        players = players or tuple(f"Player {k + 1}" for k in range(n))
        for result in results:
            if result not in GAME_RESULTS:
                raise ReplayError(f'unknown result "{result}". Allowed: {", ".join(GAME_RESULTS)}')
        if len(results) != n or len(players) != n:
            raise ReplayError(
                f"{len(results)} results and {len(players)} names for {n} players; give one each"
            )
        return GameAbout(
            title=one_line(title) or one_line(self._setup.name),
            seed=self._seed,
            players=tuple(one_line(name) or f"Player {k + 1}" for k, name in enumerate(players)),
            races=self._setup.races,
            results=results,
            fog=bool(self._sim.games.clock["fog"][self._e, 0]),
            ruleset=self._setup.rules,
            ruleset_version=load_ruleset(self._setup.rules).version,
            rules_version=RULES_VERSION,
            package_version=__version__,
        )

    def _game_setup(self) -> GameSetup:
        sim = self._sim
        return GameSetup(self._setup, sim.n_slots, sim.teams, tuple(sorted(sim.layers)))


def _obeyed(commands: Records, tick: int) -> Records:
    """The commands that were obeyed; the others changed nothing."""
    return ordered(commands[commands["result"] == codes.SUCCESS], tick)


def ordered(commands: Records, tick: int) -> Records:
    """Commands as records keep them."""
    kept = np.zeros(len(commands), ORDERED)
    kept["tick"] = tick
    for name in _KEPT:
        kept[name] = commands[name]
    return kept


def cheated(cheats: Records, tick: int) -> Records:
    """Cheats as records keep them."""
    kept = np.zeros(len(cheats), CHEATED)
    kept["tick"] = tick
    for name in CHEAT.names or ():
        kept[name] = cheats[name]
    return kept
