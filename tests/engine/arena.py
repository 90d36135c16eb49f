"""A stage for tests of the rules: units placed to the point on ground of our own.

A test reads like the rule it checks:

    arena = open_ground("liberty")
    marine, zealot = arena.add("marine", at=(10, 10)), arena.add("zealot", at=(14, 10), owner=2)
    marine.attack(zealot)
    arena.run(40)
    assert arena.blows_on(zealot)[0].damage == 6
"""

from collections.abc import Callable, Collection
from functools import cache
from math import hypot
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario, Terrain
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.rules import Rules

Point = tuple[float, float]

SECOND = 16
"""ticks in a second of the game's data"""


Teams = tuple[tuple[int, ...], ...]
TWO_PLAYERS = ((1,), (2,))


class Blow(NamedTuple):
    """What a unit lost in one tick."""

    tick: int
    damage: float


class Arena:
    """Some games on one ground, and a record of every shot and every loss of life."""

    def __init__(
        self,
        scenario: Scenario | str,
        slots: int | None = None,
        n_games: int = 1,
        layers: Collection[str] = (),
        teams: Teams = TWO_PLAYERS,
    ):
        self.sim = Simulator(scenario, n_envs=n_games, slots=slots, layers=layers, teams=teams)
        self._rules = self.sim.rules
        self.clear()

    def clear(self, seed: int = 0) -> "Arena":
        """Begin anew: with the scenario's units, or with none on a ground of our own."""
        self.sim.use_rules(self._rules)
        self.sim.reset(seed=seed)
        self.ticks = 0
        self._fired: list[NDArray[np.bool_]] = []
        self._lost: list[NDArray[np.float64]] = []
        return self

    def add(
        self,
        name: str,
        at: Point,
        owner: int = 1,
        *,
        face: Point = (1.0, 0.0),
        passive: bool = False,
        game: int = 0,
        **fields: float,
    ) -> "Piece":
        """Put a unit exactly there, looking east unless told otherwise."""
        slot = self.sim.create(game, name, int(owner), float(at[0]), float(at[1]), passive)
        piece = Piece(self, game, slot)
        x, y = face[0] / hypot(*face), face[1] / hypot(*face)
        piece.set(x=at[0], y=at[1], home_x=at[0], home_y=at[1], way_x=at[0], way_y=at[1])
        return piece.set(face_x=x, face_y=y, aim_x=x, aim_y=y, **fields)

    def place(self, name: str, at: Point, owner: int = 1, game: int = 0) -> "Piece":
        """Put a structure on the grid."""
        return Piece(self, game, self.sim.place(game, name, owner, float(at[0]), float(at[1])))

    def piece(self, slot: int, game: int = 0) -> "Piece":
        """A unit that the scenario created."""
        return Piece(self, game, slot)

    def pieces(self, owner: int | None = None, game: int = 0) -> list["Piece"]:
        """The living units of an owner."""
        units = self.sim.units[game]
        chosen = units["alive"] & (True if owner is None else units["owner"] == owner)
        return [Piece(self, game, int(u)) for u in np.flatnonzero(chosen)]

    def run(self, ticks: int = 1, until: Callable[[], bool] | None = None) -> bool:
        """Let time pass; True as soon as something has happened."""
        units = self.sim.units
        for _ in range(ticks):
            winding, cooldown = units["winding"].copy(), units["cooldown"].copy()
            life = units["hp"] + units["shield"]
            self.sim.step(1)
            self.ticks += 1
            # A shot ends a wind-up with the cooldown running; a broken-off one costs nothing.
            running = ~units["winding"] & (units["cooldown"] > 0.0)
            self._fired.append(running & (winding | (units["cooldown"] > cooldown)))
            self._lost.append(life - units["hp"] - units["shield"])
            if until is not None and until():
                return True
        return False

    def shots(self) -> NDArray[np.bool_]:
        """Who fired when: [ticks, games, slots]."""
        return np.array(self._fired)

    def shots_of(self, piece: "Piece") -> list[int]:
        """The ticks at the end of which a unit had just fired."""
        return [t + 1 for t, fired in enumerate(self._fired) if fired[piece.game, piece.slot]]

    def losses(self) -> NDArray[np.float64]:
        """Life and shields lost: [ticks, games, slots]; what comes back is negative."""
        return np.array(self._lost)

    def blows_on(self, piece: "Piece") -> list[Blow]:
        """When a unit was hurt, and how badly; a killing blow counts what was left."""
        lost = [loss[piece.game, piece.slot] for loss in self._lost]
        return [Blow(t + 1, float(loss)) for t, loss in enumerate(lost) if loss > 1e-9]

    def research(self, *upgrades: str, owner: int = 1) -> "Arena":
        """Give a player upgrades."""
        for upgrade in upgrades:
            for game in range(self.sim.n_envs):
                self.sim.research(game, owner, upgrade)
        return self

    def purse(self, minerals: float = 1000.0, vespene: float = 1000.0, owner: int = 1) -> "Arena":
        """Give a player something to spend."""
        self.sim.players["minerals"][:, owner] = minerals
        self.sim.players["vespene"][:, owner] = vespene
        return self

    def fog(self) -> "Arena":
        """From now on players see only what their units see."""
        self.sim.games.clock["fog"] = True
        return self

    def areas(self, game: int = 0) -> list[str]:
        """What lies on the ground."""
        names, world = list(self.sim.known.areas), self.sim.games
        effects = world.effects[game][: int(world.clock["n_effects"][game, 0])]
        return [names[e["area"]] for e in effects if e["stage"] == codes.LYING]

    def missiles(self, game: int = 0) -> int:
        """How many missiles of abilities are in the air."""
        world = self.sim.games
        effects = world.effects[game][: int(world.clock["n_effects"][game, 0])]
        return int((effects["stage"] == codes.SPELL_FLYING).sum())

    def own_rules(self) -> Rules:
        """Rule tables to be written to, until the arena is cleared."""
        self.sim.use_rules(_copied(self.sim.rules))
        return self.sim.rules

    def without_regeneration(self) -> "Arena":
        """Life stays where the blows left it. (Shields wait 160 ticks, which no test needs.)"""
        self.own_rules().types["hp_regen"] = 0.0
        return self


class Piece:
    """One unit: its fields can be read as attributes, orders are methods and count at once."""

    def __init__(self, arena: Arena, game: int, slot: int):
        self.arena, self.game, self.slot = arena, game, slot

    def __getattr__(self, field: str) -> Any:
        return self.arena.sim.units[field][self.game, self.slot]

    def set(self, **fields: float) -> "Piece":
        """Write fields of the unit's record."""
        for field, value in fields.items():
            self.arena.sim.units[field][self.game, self.slot] = value
        return self

    def put(self, x: float, y: float) -> "Piece":
        """Move it there at once."""
        return self.set(x=x, y=y, home_x=x, home_y=y)

    @property
    def row(self) -> Any:
        """What the rules say of its type."""
        return self.arena.sim.rules.types[self.kind]

    @property
    def at(self) -> Point:
        return float(self.x), float(self.y)

    @property
    def life(self) -> float:
        return float(self.hp + self.shield)

    @property
    def facing(self) -> Point:
        return float(self.face_x), float(self.face_y)

    def order(
        self,
        kind: int,
        at: Point = (0.0, 0.0),
        on: "Piece | None" = None,
        queued: bool = False,
    ) -> "Piece":
        target = codes.NO_UNIT if on is None else on.slot
        self.arena.sim.order(self.game, self.slot, kind, at, target, queued)
        self.arena.sim.step(0)
        return self

    def use(
        self,
        ability: str,
        at: Point = (0.0, 0.0),
        on: "Piece | None" = None,
        queued: bool = False,
    ) -> str:
        """Order an ability; the game's answer."""
        target = codes.NO_UNIT if on is None else on.slot
        self.arena.sim.use(self.game, self.slot, ability, at, target, queued)
        self.arena.sim.step(0)
        return self.arena.sim.answer(self.game, self.slot)

    @property
    def skill(self) -> Any:
        """Its casts, cooldowns, cargo."""
        return self.arena.sim.games.skills[self.game, self.slot]

    @property
    def buffs(self) -> dict[str, float]:
        """What it carries, and for how many ticks more."""
        names = list(self.arena.sim.known.buffs)
        carried = self.arena.sim.games.buffs[self.game, self.slot]
        return {names[b["row"]]: float(b["ticks"]) for b in carried if b["row"] >= 0}

    @property
    def type(self) -> str:
        return self.arena.sim.names[self.kind]

    @property
    def status(self) -> int:
        return int(self.arena.sim.units["status"][self.game, self.slot])

    def sees(self, other: "Piece") -> bool:
        """Does its owner see the other unit?"""
        return bool(int(other.seen) >> int(self.owner) & 1)

    def move(self, x: float, y: float, queued: bool = False) -> "Piece":
        return self.order(codes.MOVE, (x, y), queued=queued)

    def attack(self, enemy: "Piece", queued: bool = False) -> "Piece":
        return self.order(codes.ATTACK, on=enemy, queued=queued)

    def attack_move(self, x: float, y: float, queued: bool = False) -> "Piece":
        return self.order(codes.ATTACK_MOVE, (x, y), queued=queued)

    def patrol(self, x: float, y: float, queued: bool = False) -> "Piece":
        return self.order(codes.PATROL, (x, y), queued=queued)

    def follow(self, other: "Piece") -> "Piece":
        return self.order(codes.FOLLOW, on=other)

    def heal(self, patient: "Piece") -> "Piece":
        return self.order(codes.HEAL, on=patient)

    def stop(self) -> "Piece":
        return self.order(codes.STOP)

    def hold(self) -> "Piece":
        return self.order(codes.HOLD)

    def distance(self, x: float, y: float) -> float:
        return hypot(x - self.x, y - self.y)

    def gap(self, other: "Piece") -> float:
        """From edge to edge, as ranges are measured."""
        return self.distance(*other.at) - float(self.row["radius"] + other.row["radius"])

    def aims_at(self, other: "Piece") -> bool:
        return bool(self.target == other.slot)

    @property
    def has_target(self) -> bool:
        return bool(self.target >= 0)


def outline(piece: Piece) -> list[tuple[float, float]]:
    """The corners of a structure on the grid."""
    shape = piece.arena.sim.rules.footprints[piece.row["footprint"]]
    corners = zip(shape["corner_x"], shape["corner_y"], strict=True)
    return [(piece.x + x, piece.y + y) for x, y in list(corners)[: shape["n_corners"]]]


def _copied(bundle: Any) -> Any:
    return type(bundle)(*(v.copy() if isinstance(v, np.ndarray) else _copied(v) for v in bundle))


def flat(
    width: int,
    height: int,
    level: NDArray[np.uint8] | None = None,
    walkable: NDArray[np.bool_] | None = None,
) -> Terrain:
    """Ground without walls and cliffs, unless grids [y, x] say otherwise."""
    shape = height, width
    return Terrain(
        name="flat",
        title="a test's own ground",
        width=width,
        height=height,
        playable=(0.0, 0.0, float(width), float(height)),
        walkable=np.ones(shape, np.bool_) if walkable is None else walkable,
        level=np.ones(shape, np.uint8) if level is None else level,
        ramp=np.zeros(shape, np.uint8),
        z=np.zeros(shape),
        creep=np.zeros(shape, np.bool_),
    )


def on_terrain(
    terrain: Terrain,
    rules: str,
    slots: int = 24,
    n_games: int = 1,
    layers: Collection[str] = (),
    teams: Teams = TWO_PLAYERS,
) -> Arena:
    """An arena of its own on a given ground, empty."""
    scenario = Scenario(
        name="arena",
        title="a test's own battle",
        version=1,
        terrain=terrain,
        rules=rules,
        limit_steps=1,
        ticks_per_step=1,
        groups=(),
        generator=None,
        smac=None,
    )
    return Arena(scenario, slots=slots, n_games=n_games, layers=layers, teams=teams)


@cache
def _shared(rules: str, size: int, slots: int, n_games: int, teams: Teams) -> Arena:
    return on_terrain(flat(size, size), rules, slots, n_games, teams=teams)


def open_ground(
    rules: str = "lotv-4.10",
    size: int = 64,
    slots: int = 24,
    n_games: int = 1,
    seed: int = 0,
    teams: Teams = TWO_PLAYERS,
) -> Arena:
    """A clean arena on open, flat ground; arenas of one kind share their memory."""
    return _shared(rules, size, slots, n_games, teams).clear(seed)


@cache
def _shared_scenario(name: str, n_games: int) -> Arena:
    return Arena(name, n_games=n_games)


def scenario(name: str, n_games: int = 1, seed: int = 0) -> Arena:
    """A battle of the package, at its beginning."""
    return _shared_scenario(name, n_games).clear(seed)
