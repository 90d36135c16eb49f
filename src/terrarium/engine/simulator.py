"""The engine as Python sees it: a batch of games that are reset, commanded, stepped and saved."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from terrarium.engine.handles import handle, handles
from terrarium.engine.jit import COMPILED
from terrarium.engine.kernels.setup.begin import Starts, create, grant, reset
from terrarium.engine.kernels.tick import step
from terrarium.engine.records import Records, records
from terrarium.engine.state import COMMAND, Game, Games, allocate, allocate_scratch
from terrarium.engine.tables.names import names_of
from terrarium.engine.tables.plan import compile_plan, n_units, unit_names
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.engine.tables.terrain import compile_ground
from terrarium.engine.tables.types_from_facts import compile_rules
from terrarium.errors import TerrariumError, nearest

MAX_SEED = 2**63 - 1
MAX_SLOTS = 2048

_FAULTS = {
    codes.TOO_MANY_EFFECTS: "more missiles and delayed hits are under way than there is room for",
    codes.TOO_MANY_HITS: "more hits fell in one tick than there is room for",
    codes.TOO_MANY_UNITS: "there is no slot left for a new unit",
}


class EngineError(TerrariumError):
    """The engine was asked for something it cannot do."""


@dataclass(frozen=True)
class Save:
    """A copy of every game, and what it was played by."""

    scenario: str
    ruleset: str
    rules_version: int
    games: Games


class Simulator:
    """`n_envs` games of one scenario, advanced together.

    Arrays have environments first; `units`, `players` and `clock` are live views of the state.
    `commands` is written by the caller and emptied by each step.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path,
        n_envs: int = 1,
        threads: int = 1,
        slots: int | None = None,
    ) -> None:
        if not isinstance(scenario, Scenario):
            scenario = load_scenario(scenario)
        needed = n_units(scenario)
        slots = needed if slots is None else slots
        if n_envs < 1 or threads < 1:
            raise EngineError(f"n_envs is {n_envs} and threads {threads}; both must be 1 or more")
        if not max(1, needed) <= slots <= MAX_SLOTS:
            raise EngineError(
                f"{scenario.name}: {slots} slots for {needed} units; "
                f"allowed are {max(1, needed)} to {MAX_SLOTS}"
            )
        facts = load_ruleset(scenario.rules)
        self.scenario = scenario
        self.n_envs, self.n_slots = n_envs, slots
        self.rules, self.rows = compile_rules(facts)
        self.names = tuple(self.rows)
        self.known = names_of(facts)
        for unit in unit_names(scenario):
            self._check_unit(unit)
        self.ground = compile_ground(scenario.terrain)
        self.plan = compile_plan(scenario, self.rows)
        n_cells = scenario.terrain.width * scenario.terrain.height
        self.games = allocate(n_envs, slots, n_cells)
        self.commands: Records = records((n_envs, slots), COMMAND)
        self._threads = min(threads, n_envs)
        self._pool = ThreadPoolExecutor(max(1, self._threads - 1))
        scratches = [
            handle(allocate_scratch(slots, n_cells, int(self.ground.size[3])))
            for _ in range(self._threads)
        ]
        self.handles: Sequence[Game] = handles(
            Game,
            n_envs,
            **self.games._asdict(),
            commands=self.commands,
            rules=handle(self.rules),
            ground=handle(self.ground),
            plan=handle(self.plan),
            # Each game belongs to one thread, and uses what that one has to work in.
            scratch=[scratches[p] for p in range(self._threads) for _ in self._part(p)],
        )
        self.reset(seed=0)

    @property
    def units(self) -> Records:
        return self.games.units

    @property
    def players(self) -> Records:
        return self.games.players

    @property
    def ticks(self) -> NDArray[np.int64]:
        """How many ticks each game has run."""
        ticks: NDArray[np.int64] = self.games.clock["tick"][:, 0]
        return ticks

    def reset(self, seed: int | ArrayLike = 0, where: ArrayLike | None = None) -> None:
        """Begin games anew: all of them, or those that are true in `where`.

        A single seed `s` gives game `e` the seed `s + e`, so that a batch of any size plays the
        same games.
        """
        seeds = self._seeds(seed)
        chosen = np.ones(self.n_envs, np.bool_)
        if where is not None:
            chosen = np.array(where, np.bool_)
            if chosen.shape != (self.n_envs,):
                raise EngineError(f"where has shape {chosen.shape} instead of ({self.n_envs},)")
        with quiet_wraparound():
            reset(self.handles, handle(Starts(seeds, chosen)))
        self.commands["kind"][chosen] = codes.NO_ORDER
        self.check_faults()

    def create(
        self, e: int, unit: str, side: int, x: float, y: float, passive: bool = False
    ) -> int:
        """Add a unit to one game, at the free place nearest to a point; its slot."""
        self._check_unit(unit)
        if side not in (0, 1) or not 0 <= e < self.n_envs:
            raise EngineError(
                f"side {side} of game {e}: sides are 0 and 1, games 0 to {self.n_envs - 1}"
            )
        if not (np.isfinite(x) and np.isfinite(y)):
            raise EngineError(f"({x}, {y}) is not a place")
        with quiet_wraparound():
            slot = create(
                self.handles[e], self.rows[unit], int(side), float(x), float(y), bool(passive)
            )
        self.check_faults()
        return int(slot)

    def order(
        self,
        e: int,
        slot: int,
        kind: int,
        at: tuple[float, float] = (0.0, 0.0),
        target: int = codes.NO_UNIT,
        queued: bool = False,
        ability: int = codes.NO_ABILITY,
    ) -> None:
        """Put one command where the next step finds it."""
        self.commands[e, slot] = (kind, target, at[0], at[1], queued, ability, 0)

    def use(
        self,
        e: int,
        slot: int,
        ability: str,
        at: tuple[float, float] = (0.0, 0.0),
        target: int = codes.NO_UNIT,
        queued: bool = False,
    ) -> None:
        """Put the command to use an ability where the next step finds it."""
        row = self._row("ability", ability, self.known.abilities)
        self.order(e, slot, codes.CAST, at, target, queued, row)

    def answer(self, e: int, slot: int) -> str:
        """What became of the last command of a unit: the game's own word for it."""
        return codes.RESULT_NAMES[int(self.commands["result"][e, slot])]

    def research(self, e: int, side: int, upgrade: str) -> None:
        """Give a side of one game an upgrade, with the levels below it."""
        row = self._row("upgrade", upgrade, self.known.upgrades)
        if side not in (0, 1) or not 0 <= e < self.n_envs:
            raise EngineError(
                f"side {side} of game {e}: sides are 0 and 1, games 0 to {self.n_envs - 1}"
            )
        grant(self.handles[e], int(side), row)

    def step(self, n_ticks: int | None = None) -> None:
        """Give the waiting commands, then advance every game (default: one decision step)."""
        n_ticks = self.scenario.ticks_per_step if n_ticks is None else n_ticks
        if n_ticks < 0:
            raise EngineError(f"n_ticks is {n_ticks}; it must be 0 or more")
        self.spread(lambda first, last: step(self.handles, n_ticks, first, last))
        self.commands["kind"] = codes.NO_ORDER
        self.check_faults()

    def spread(self, work: Callable[[int, int], None]) -> None:
        """Share the games out: each thread calls `work(first, last)` for its part."""

        def do(part: int) -> None:
            mine = self._part(part)
            with quiet_wraparound():
                work(mine.start, mine.stop)

        # This thread takes a part itself: one less to wake up.
        others = [self._pool.submit(do, part) for part in range(1, self._threads)]
        do(0)
        for other in others:
            other.result()

    def _part(self, part: int) -> range:
        """The games of one thread."""
        return range(self.n_envs * part // self._threads, self.n_envs * (part + 1) // self._threads)

    def save(self) -> Save:
        """Copy every game."""
        games = Games(*(array.copy() for array in self.games))
        return Save(self.scenario.name, self.scenario.rules, RULES_VERSION, games)

    def load(self, save: Save) -> None:
        """Continue from a save, to the bit as if nothing had happened since."""
        mine = (self.scenario.name, self.scenario.rules, RULES_VERSION)
        if (save.scenario, save.ruleset, save.rules_version) != mine:
            raise EngineError(
                f"this save is of {save.scenario} under {save.ruleset}, rules version "
                f"{save.rules_version}; this simulator plays {mine[0]} under {mine[1]}, {mine[2]}"
            )
        if save.games.units.shape != self.games.units.shape:
            raise EngineError(
                f"this save has games and slots {save.games.units.shape}, "
                f"this simulator {self.games.units.shape}"
            )
        for mine_array, saved in zip(self.games, save.games, strict=True):
            mine_array[...] = saved

    def branch(self, source: int, to: ArrayLike) -> None:
        """Copy one game over others, for search; they share the seed, so they also share luck."""
        targets = np.atleast_1d(np.asarray(to))
        for array in self.games:
            array[targets] = array[source]

    def digest(self, e: int | None = None) -> str:
        """A fingerprint of the truth about one game, or about all of them."""
        chosen = slice(None) if e is None else slice(e, e + 1)
        units, orders, players, effects, clock, skills, buffs = (
            array[chosen] for array in self.games[:7]
        )
        n_slots, n_effects = clock["n_slots"], clock["n_effects"]  # [N, 1]
        n_orders = units["n_orders"][..., None]  # [N, U, 1]
        # What lies beyond these counts is left over from before and not part of the truth.
        truth = (
            units[np.arange(units.shape[1]) < n_slots],
            orders[np.arange(orders.shape[2]) < n_orders],
            players,
            effects[np.arange(effects.shape[1]) < n_effects],
            clock,
            skills[np.arange(units.shape[1]) < n_slots],
            buffs[np.arange(units.shape[1]) < n_slots],
        )
        summary = hashlib.sha256()
        for array in truth:
            for name in array.dtype.names:  # field by field, without the padding between them
                summary.update(np.ascontiguousarray(array[name]).tobytes())
        return summary.hexdigest()

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()

    def _row(self, what: str, name: str, rows: Mapping[str, int]) -> int:
        if name not in rows:
            raise EngineError(
                f'unknown {what} "{name}" in rule set {self.scenario.rules}.'
                f"{nearest(name, rows)} See: terrarium list {what.replace('ty', 'tie')}s"
            )
        return rows[name]

    def _check_unit(self, unit: str) -> None:
        if unit not in self.rows:
            raise EngineError(
                f'unknown unit "{unit}" in rule set {self.scenario.rules}.'
                f"{nearest(unit, self.rows)} See: terrarium list units"
            )

    def _seeds(self, seed: int | ArrayLike) -> NDArray[np.uint64]:
        seeds = np.asarray(seed)
        if seeds.dtype.kind not in "iu" or seeds.size == 0:
            raise EngineError(f"seed {seed!r} is not a whole number from 0 to {MAX_SEED}")
        if seeds.min() < 0 or int(seeds.max()) > MAX_SEED:
            raise EngineError(f"seed {seeds.min()} is outside 0 to {MAX_SEED}")
        if seeds.ndim == 0:
            return np.uint64(int(seeds)) + np.arange(self.n_envs, dtype=np.uint64)
        if seeds.shape != (self.n_envs,):
            raise EngineError(f"{seeds.size} seeds for {self.n_envs} games")
        return seeds.astype(np.uint64)

    def check_faults(self) -> None:
        """Raise what stopped a game, if anything did."""
        faults = self.games.clock["fault"]
        if faults.any():
            e = int(np.flatnonzero(faults)[0])
            raise EngineError(
                f"{self.scenario.name}, game {e}, tick {int(self.ticks[e])}: "
                f"{_FAULTS[int(faults[e, 0])]}; use a simulator with more than {self.n_slots} slots"
            )


@contextmanager
def quiet_wraparound() -> Iterator[None]:
    """In plain mode NumPy warns when the random numbers wrap around; they are meant to."""
    if COMPILED:
        yield
        return
    with np.errstate(over="ignore"):
        yield
