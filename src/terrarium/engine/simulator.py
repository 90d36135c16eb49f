"""The engine as Python sees it: a batch of games that are reset, commanded, stepped and saved."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.facts.forms import agent_type
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.games.melee import Melee
from terrarium.engine import codes
from terrarium.engine.battle import COMMAND, INBOX, MAX_PLAYERS
from terrarium.engine.digests import digest_of
from terrarium.engine.handles import handle, handles
from terrarium.engine.jit import COMPILED
from terrarium.engine.kernels.construction.placement import ask_placement
from terrarium.engine.kernels.ending import surrender
from terrarium.engine.kernels.movement.borders import find_portals
from terrarium.engine.kernels.movement.repairs import survey
from terrarium.engine.kernels.setup.begin import Starts, create, grant, reset
from terrarium.engine.kernels.setup.placing import IN_THE_WAY, NO_SPACE, place, remove
from terrarium.engine.kernels.tick import step
from terrarium.engine.land import LAYERS, Land, Paths, allocate_land, allocate_paths, shared_land
from terrarium.engine.records import Records, records
from terrarium.engine.scratch import allocate_scratch
from terrarium.engine.state import Game, Games, allocate
from terrarium.engine.tables.names import names_of
from terrarium.engine.tables.plan import compile_plan, n_units, unit_names
from terrarium.engine.tables.products import compile_products, find_needs
from terrarium.engine.tables.rules import RULES_VERSION, Rules
from terrarium.engine.tables.terrain import compile_ground, is_one_sector
from terrarium.engine.tables.types_from_facts import compile_rules
from terrarium.errors import TerrariumError, nearest

BEYOND = 10_000.0
"""further out than any map reaches"""
MAX_SEED = 2**63 - 1
MAX_SLOTS = 2048
MELEE_SLOTS = 1024
"""of a whole game: two armies of 200 supply, their structures, and the resources of a large map"""

_MORE_SLOTS = "use a simulator with more slots than {n_slots}"
_FAULTS = {
    codes.TOO_MANY_EFFECTS: "more missiles and delayed hits are under way than there is room for; "
    + _MORE_SLOTS,
    codes.TOO_MANY_HITS: f"more hits fell in one tick than there is room for; {_MORE_SLOTS}",
    codes.NO_GROUND: "there is no flat, free ground for a structure that the battle begins with",
}


class EngineError(TerrariumError):
    """The engine was asked for something it cannot do."""


class PlacementError(EngineError):
    """A structure cannot stand there; `result` is the game's own answer, an ActionResult."""

    def __init__(self, what: str, result: int, why: str) -> None:
        super().__init__(f"{what}: {codes.RESULT_NAMES[result]}: {why}")
        self.result = result


_REFUSALS = {
    NO_SPACE: (codes.CANT_FIND_PLACEMENT_LOCATION, "there is no flat, free ground"),
    IN_THE_WAY: (codes.CANT_BUILD_LOCATION_INVALID, "an enemy stands there"),
}


@dataclass(frozen=True)
class Save:
    """A copy of every game, and what it was played by."""

    scenario: str
    ruleset: str
    rules_version: int
    games: Games


class Simulator:
    """`n_envs` games of one scenario, or whole games on one map, advanced together.

    Arrays have environments first; `units`, `players` and `clock` are live views of the state.
    Commands wait in a list for the next step, which carries them out in order and answers each.
    Players of one team are allies; units of owner 0 are neutral.
    """

    def __init__(
        self,
        scenario: Scenario | Melee | str | Path,
        n_envs: int = 1,
        threads: int = 1,
        slots: int | None = None,
        max_commands: int | None = None,
        teams: Sequence[Collection[int]] = ((1,), (2,)),
        layers: Collection[str] = (),
    ) -> None:
        """`layers`: what games keep for each cell, of `land.LAYERS`; structures can be placed on
        the grid with "footprints", which scenarios with structures have by themselves."""
        if not isinstance(scenario, Scenario | Melee):
            scenario = load_scenario(scenario)
        needed = n_units(scenario)
        if slots is None:
            slots = MELEE_SLOTS if isinstance(scenario, Melee) else needed
        if n_envs < 1 or threads < 1:
            raise EngineError(f"n_envs is {n_envs} and threads {threads}; both must be 1 or more")
        if not max(1, needed) <= slots <= MAX_SLOTS:
            raise EngineError(
                f"{scenario.name}: {slots} slots for {needed} units; "
                f"allowed are {max(1, needed)} to {MAX_SLOTS}"
            )
        if not LAYERS.issuperset(layers):
            raise EngineError(f"layers {sorted(layers)}; allowed are {sorted(LAYERS)}")
        whole = isinstance(scenario, Melee)
        facts = scenario.facts if isinstance(scenario, Melee) else load_ruleset(scenario.rules)
        self.setup = scenario
        self.n_players = _count_players(teams)
        self.teams = tuple(tuple(sorted(team)) for team in teams)
        self.n_envs, self.n_slots = n_envs, slots
        self.rules, self.rows = compile_rules(facts)
        self.names = tuple(unit.known_as for unit in facts.units.values())
        self._agent_rows = {name: self.rows[agent_type(facts, name)] for name in self.rows}
        self.known = names_of(facts)
        self._products = compile_products(facts, self.known, find_needs(facts))[1]
        for unit in unit_names(scenario):
            self._check_unit(unit)
        self.ground = compile_ground(scenario.terrain, with_sight=whole)
        self.plan = compile_plan(scenario, self.rows, teams)
        n_cells = scenario.terrain.width * scenario.terrain.height
        self.layers = frozenset(layers) | self._needed_layers()
        self.games = allocate(
            n_envs, slots, n_cells, self.n_players, layers=self.layers, economy=whole
        )
        self._ground_changes = "footprints" in self.layers
        max_commands = max(64, 2 * slots) if max_commands is None else max_commands
        self.commands: Records = records((n_envs, max_commands), COMMAND)
        self.inbox: Records = records((n_envs, 1), INBOX)
        self._threads = min(threads, n_envs)
        self._pool = ThreadPoolExecutor(max(1, self._threads - 1))
        self._scratches = [
            handle(allocate_scratch(slots, self.ground)) for _ in range(self._threads)
        ]
        own_land = self._ground_changes
        self.land = allocate_land(self.ground, n_envs) if own_land else shared_land(self.ground)
        self._paths = allocate_paths(self.ground, n_envs, slots)
        self.handles: Sequence[Game] = self._make_handles()
        if self._ground_changes:
            self.survey()
        elif not is_one_sector(self.ground):
            find_portals(self.handles[0])
        self.reset(seed=0)

    def _needed_layers(self) -> frozenset[str]:
        """Structures that a battle begins with stand on the grid; of the ground of a whole game it
        is known what players see."""
        kinds = [self.rows[unit] for unit in unit_names(self.setup)]
        has_structures = bool((self.rules.types["footprint"][kinds] >= 0).any())
        needed = {"footprints"} if has_structures else set()
        if isinstance(self.setup, Melee):
            needed |= {"creep", "power", "visibility"}
        return frozenset(needed)

    def _make_handles(self) -> Sequence[Game]:
        own_land, n_envs = self._ground_changes, self.n_envs
        land = handles(Land, n_envs, **self.land._asdict()) if own_land else handle(self.land)
        return handles(
            Game,
            n_envs,
            **self.games._asdict(),
            commands=self.commands,
            inbox=self.inbox,
            rules=handle(self.rules),
            ground=handle(self.ground),
            land=land,
            paths=handles(Paths, n_envs, **self._paths._asdict()),
            plan=handle(self.plan),
            # Each game belongs to one thread, and uses what that one has to work in.
            scratch=[self._scratches[p] for p in range(self._threads) for _ in self._part(p)],
        )

    def use_rules(self, rules: Rules) -> None:
        """Play by other tables than those of the rule set, for experiments."""
        self.rules = rules
        self.handles = self._make_handles()

    @property
    def scenario(self) -> Scenario:
        """The battle that is fought; whole games have none."""
        assert isinstance(self.setup, Scenario), f"{self.setup.name} is a whole game"
        return self.setup

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

    def product_row(self, producer: str, product: str) -> int:
        """The row of `Rules.products` by which a type makes a unit or an upgrade; where it cannot,
        one that the rules refuse."""
        return self._products.get((producer, product), len(self._products))

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
        self.inbox["n_commands"][chosen] = self.inbox["n_answers"][chosen] = 0
        with quiet_wraparound():
            reset(self.handles, handle(Starts(seeds, chosen)))
        self.check_faults()

    def create(
        self, e: int, unit: str, owner: int, x: float, y: float, passive: bool = False
    ) -> int:
        """Add a unit to one game, at the free place nearest to a point; its slot."""
        self._check_unit(unit)
        self._check_owner(e, owner, lowest=codes.NEUTRAL_OWNER)
        self._check_place(x, y)
        kind = (self._agent_rows if passive else self.rows)[unit]
        with quiet_wraparound():
            slot = create(self.handles[e], kind, int(owner), float(x), float(y), bool(passive))
        self._check_slot(e, slot)
        return int(slot)

    def place(self, e: int, unit: str, owner: int, x: float, y: float) -> int:
        """Put a structure on the grid of one game, at the place for its footprint nearest to a
        point; its slot. Units that stand there are pushed out, but enemies keep it from being
        placed: `PlacementError`."""
        self._check_unit(unit)
        self._check_owner(e, owner, lowest=codes.NEUTRAL_OWNER)
        self._check_place(x, y)
        if not self._ground_changes:
            raise EngineError('structures are placed in a simulator with layers=("footprints",)')
        if self.rules.types[self.rows[unit]]["footprint"] < 0:
            raise EngineError(f"{unit} has no footprint; use create")
        with quiet_wraparound():
            slot = int(place(self.handles[e], self.rows[unit], int(owner), float(x), float(y)))
        if slot in _REFUSALS:
            result, why = _REFUSALS[slot]
            raise PlacementError(f"a {unit} at ({x:g}, {y:g})", result, why)
        self._check_slot(e, slot)
        self.check_faults()
        return slot

    def remove(self, e: int, slot: int) -> None:
        """Take a living unit out of one game; it leaves nothing behind."""
        if not (0 <= e < self.n_envs and 0 <= slot < self.n_slots and self.units["alive"][e, slot]):
            raise EngineError(f"slot {slot} of game {e} holds no living unit")
        remove(self.handles[e], int(slot))

    def survey(self, games: Iterable[int] | None = None) -> None:
        """Derive the ground from the footprints of these games (default: all); needed when their
        arrays were written from outside."""
        if self._ground_changes:
            for e in range(self.n_envs) if games is None else games:
                survey(self.handles[int(e)])

    def order(
        self,
        e: int,
        slot: int,
        kind: int,
        at: tuple[float, float] = (0.0, 0.0),
        target: int = codes.NO_UNIT,
        queued: bool = False,
        ability: int = codes.NO_ABILITY,
        owner: int | None = None,
    ) -> None:
        """Add a command to those that the next step carries out, by default of the unit's owner."""
        if owner is None:
            known = 0 <= e < self.n_envs and 0 <= slot < self.n_slots
            owner = int(self.units["owner"][e, slot]) if known else 0
        command = np.zeros(1, COMMAND)
        command[0] = (owner, slot, 0, kind, target, at[0], at[1], queued, ability, 0)
        self.give(e, command)

    def give(self, e: int, commands: Records) -> None:
        """Add a list of commands, records of `COMMAND`, to those that the next step carries out.

        Whatever they say, each is answered: see `answers`.
        """
        if not isinstance(commands, np.ndarray):
            raise EngineError(
                f"commands are a {type(commands).__name__} instead of an array of records of "
                "COMMAND"
            )
        if commands.ndim != 1 or commands.dtype != COMMAND:
            raise EngineError(
                f"commands are {commands.dtype} of shape {commands.shape} instead of a list of "
                "records of COMMAND"
            )
        if not 0 <= e < self.n_envs:
            raise EngineError(f"game {e}: games are 0 to {self.n_envs - 1}")
        first = int(self.inbox["n_commands"][e, 0])
        last, room = first + len(commands), self.commands.shape[1]
        if last > room:
            raise EngineError(
                f"{last} commands for one step of game {e}, and there is room for {room}; "
                f"make the simulator with max_commands={last}"
            )
        self.commands[e, first:last] = commands
        self.inbox["n_commands"][e, 0] = last

    def answers(self, e: int) -> Records:
        """The commands that the last step carried out, in order, with their `result`."""
        return self.commands[e, : int(self.inbox["n_answers"][e, 0])]

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

    def produce(
        self,
        e: int,
        slot: int,
        product: str,
        at: tuple[float, float] = (0.0, 0.0),
        target: int = codes.NO_UNIT,
    ) -> None:
        """Put the command to make something where the next step finds it: to train a unit, to
        research an upgrade, to become something else, to warp a unit in or spread a tumor `at` a
        point, to merge with a `target`."""
        producer = self.names[int(self.units["kind"][e, slot])]
        row = self._products.get((producer, product), len(self._products))  # refused by the rules
        if product not in self.rows and product not in self.known.upgrades:
            known = [*self.rows, *self.known.upgrades]
            raise EngineError(f'unknown unit or upgrade "{product}".{nearest(product, known)}')
        self.order(e, slot, codes.PRODUCE, at, target, ability=row)

    def build(
        self,
        e: int,
        slot: int,
        structure: str,
        at: tuple[float, float] = (0.0, 0.0),
        target: int = codes.NO_UNIT,
        queued: bool = False,
    ) -> None:
        """Put the command to build a structure at a point, or on a geyser, where the next step
        finds it."""
        self._check_unit(structure)
        builder = self.names[int(self.units["kind"][e, slot])]
        row = self._products.get((builder, structure), len(self._products))  # refused by the rules
        self.order(e, slot, codes.BUILD, at, target, queued, row)

    def can_place(self, e: int, owner: int, structure: str, at: tuple[float, float]) -> str:
        """Can a player place a structure at a point, as far as the player knows? The game's own
        word for it; "Success" if so."""
        self._check_unit(structure)
        self._check_owner(e, owner, lowest=1)
        self._check_place(*at)
        if not self._ground_changes:
            raise EngineError('structures are placed in a simulator with layers=("footprints",)')
        x, y = (min(max(float(c), -BEYOND), BEYOND) for c in at)
        with quiet_wraparound():
            answer = ask_placement(self.handles[e], int(owner), self.rows[structure], x, y)
        return codes.RESULT_NAMES[int(answer)]

    def rally(
        self, e: int, slot: int, at: tuple[float, float] = (0.0, 0.0), target: int = codes.NO_UNIT
    ) -> None:
        """Put the command to send new units to a point or a unit where the next step finds it."""
        self.order(e, slot, codes.RALLY, at, target)

    def answer(self, e: int, slot: int) -> str:
        """What became of the last command for a unit: the game's own word for it."""
        answers = self.answers(e)
        results = answers["result"][answers["unit"] == slot]
        return codes.RESULT_NAMES[int(results[-1]) if len(results) else 0]

    def events(self, e: int, since: int = 0) -> tuple[Records, int]:
        """What happened after the first `since` events of one game, and how many of them are lost.

        The ring holds the last ones only. Read often: `since` next time is `since` plus the number
        of events that were returned and lost.
        """
        ring, n_events = self.games.events[e], int(self.games.clock["n_events"][e, 0])
        first = max(since, n_events - len(ring))
        return ring[np.arange(first, n_events) % len(ring)], first - since

    def research(self, e: int, owner: int, upgrade: str) -> None:
        """Give a player of one game an upgrade, with the levels below it."""
        row = self._row("upgrade", upgrade, self.known.upgrades)
        self._check_owner(e, owner, lowest=1)
        grant(self.handles[e], int(owner), row)

    def surrender(self, e: int, owner: int) -> None:
        """Let a player leave a whole game: it has lost."""
        self._check_owner(e, owner, lowest=1)
        if not isinstance(self.setup, Melee):
            raise EngineError(f"{self.setup.name} is a battle; players surrender in whole games")
        surrender(self.handles[e], int(owner))

    def step(self, n_ticks: int | None = None) -> None:
        """Give the waiting commands, then advance every game (default: one decision step)."""
        n_ticks = self.setup.ticks_per_step if n_ticks is None else n_ticks
        if n_ticks < 0:
            raise EngineError(f"n_ticks is {n_ticks}; it must be 0 or more")
        self.spread(lambda first, last: step(self.handles, n_ticks, first, last))
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
        games = Games(**{name: array.copy() for name, array in self.games._asdict().items()})
        return Save(self.setup.name, self.setup.rules, RULES_VERSION, games)

    def load(self, save: Save) -> None:
        """Continue from a save, to the bit as if nothing had happened since."""
        mine = (self.setup.name, self.setup.rules, RULES_VERSION)
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
        if [array.shape for array in save.games] != [array.shape for array in self.games]:
            raise EngineError("this save has other layers of the ground than this simulator")
        for mine_array, saved in zip(self.games, save.games, strict=True):
            mine_array[...] = saved
        self.survey()

    def branch(self, source: int, to: ArrayLike) -> None:
        """Copy one game over others, for search; they share the seed, so they also share luck."""
        targets = np.atleast_1d(np.asarray(to))
        for array in self.games:
            array[targets] = array[source]
        self.survey(targets)

    def digest(self, e: int | None = None) -> str:
        """A fingerprint of the truth about one game, or about all of them."""
        chosen = slice(None) if e is None else slice(e, e + 1)
        return digest_of(self.games, chosen, isinstance(self.setup, Melee))

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown()

    def _check_owner(self, e: int, owner: int, lowest: int) -> None:
        if not (0 <= e < self.n_envs and lowest <= owner <= self.n_players):
            raise EngineError(
                f"owner {owner} of game {e}: owners are {lowest} to {self.n_players}, "
                f"games 0 to {self.n_envs - 1}"
            )

    def _check_slot(self, e: int, slot: int) -> None:
        if slot < 0:
            raise EngineError(
                f"{self.setup.name}, game {e}: there is no slot left for a new unit; "
                f"use a simulator with more than {self.n_slots} slots"
            )

    def _row(self, what: str, name: str, rows: Mapping[str, int]) -> int:
        if name not in rows:
            raise EngineError(
                f'unknown {what} "{name}" in rule set {self.setup.rules}.'
                f"{nearest(name, rows)} See: terrarium list {what.replace('ty', 'tie')}s"
            )
        return rows[name]

    def _check_unit(self, unit: str) -> None:
        if unit not in self.rows:
            raise EngineError(
                f'unknown unit "{unit}" in rule set {self.setup.rules}.'
                f"{nearest(unit, self.rows)} See: terrarium list units"
            )

    def _check_place(self, x: float, y: float) -> None:
        if not (np.isfinite(x) and np.isfinite(y)):
            raise EngineError(f"({x}, {y}) is not a place")

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
            what = _FAULTS[int(faults[e, 0])].format(n_slots=self.n_slots)
            where = f"{self.setup.name}, game {e}, tick {int(self.ticks[e])}"
            raise EngineError(f"{where}: {what}")


def _count_players(teams: Sequence[Collection[int]]) -> int:
    players = sorted(owner for team in teams for owner in team)
    if players != list(range(1, len(players) + 1)) or not 2 <= len(players) <= MAX_PLAYERS:
        raise EngineError(
            f"teams {list(map(list, teams))} must hold each of the players 1 to n once; "
            f"n is 2 to {MAX_PLAYERS}"
        )
    return len(players)


@contextmanager
def quiet_wraparound() -> Iterator[None]:
    """In plain mode NumPy warns when the random numbers wrap around; they are meant to."""
    if COMPILED:
        yield
        return
    with np.errstate(over="ignore"):
        yield
