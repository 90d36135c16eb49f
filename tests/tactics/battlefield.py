"""Hand-made views: a few units at given places, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from terrarium.tactics.ground import TerrainGrid
from terrarium.tactics.view import NOBODY, Army, Bools, Floats, Hazards, Kinds, Mission, View

STEP_TICKS = 8.0
HEADINGS = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
NORTH, SOUTH, EAST, WEST = range(4)
RADIUS = 0.5


@dataclass(frozen=True)
class Piece:
    """One unit. Its reach is between centers."""

    x: float
    y: float
    hp: float = 50.0
    hp_max: float = 50.0
    shield: float = 0.0
    shield_max: float = 0.0
    reach: float = 5.0
    damage: float = 10.0
    speed: float = 0.14
    velocity: tuple[float, float] = (0.0, 0.0)
    cooldown: float = 0.0
    period: float = 16.0
    unhurt: float = 1000.0
    heals: float = 0.0
    energy: float = 0.0
    splash: float = 0.0
    bursts: bool = False
    alive: bool = True
    walks: bool = True
    kind: str = "marine"
    seen: bool = True
    remembered: bool = False
    hurt: float = 0.0
    stim: float = 0.0
    load: int = 0
    inside: int = NOBODY
    busy: bool = False
    cloaked: bool = False
    incoming: float = 0.0
    can: tuple[str, ...] = ()
    casts: str = ""
    cast_target: int = NOBODY


@dataclass(frozen=True)
class Type:
    """What tests need to know of a type of unit."""

    value: float = 50.0
    words: str = "light biological"
    sight: float = 9.0
    detects: float = 0.0
    cargo_size: int = 1
    cargo_room: int = 0


TYPES = {
    "marine": Type(),
    "marauder": Type(125.0, "armored biological", cargo_size=2),
    "ghost": Type(275.0, "biological psionic", cargo_size=2),
    "reaper": Type(100.0),
    "scv": Type(50.0, "light biological mechanical worker"),
    "hellion": Type(100.0, "light mechanical"),
    "hellion_tank": Type(100.0, "light mechanical biological"),
    "siege_tank": Type(275.0, "armored mechanical", cargo_size=4),
    "siege_tank_sieged": Type(275.0, "armored mechanical", cargo_size=0),
    "widow_mine": Type(100.0, "light mechanical"),
    "widow_mine_burrowed": Type(100.0, "light mechanical"),
    "cyclone": Type(250.0, "armored mechanical"),
    "thor": Type(500.0, "armored mechanical massive"),
    "thor_ap": Type(500.0, "armored mechanical massive"),
    "medivac": Type(200.0, "armored mechanical air", cargo_size=0, cargo_room=8),
    "banshee": Type(250.0, "light mechanical air", cargo_size=0),
    "viking_fighter": Type(225.0, "armored mechanical air shoots_up", cargo_size=0),
    "viking_assault": Type(225.0, "armored mechanical"),
    "liberator": Type(275.0, "armored mechanical air shoots_up", cargo_size=0),
    "liberator_ag": Type(275.0, "armored mechanical air", cargo_size=0),
    "raven": Type(250.0, "light mechanical air", cargo_size=0, detects=11.0),
    "battlecruiser": Type(700.0, "armored mechanical massive air shoots_up", cargo_size=0),
    "bunker": Type(100.0, "armored mechanical structure", cargo_size=0, cargo_room=4),
    "missile_turret": Type(100.0, "armored mechanical structure shoots_up", detects=11.0),
    "baneling": Type(75.0, "biological"),
    "zergling": Type(25.0),
    "ultralisk": Type(475.0, "armored biological massive"),
    "mutalisk": Type(200.0, "light biological air"),
    "zealot": Type(100.0, "light biological"),
    "high_templar": Type(200.0, "light biological psionic"),
    "colossus": Type(500.0, "armored mechanical massive"),
    "probe": Type(50.0, "light mechanical worker"),
}


def kinds() -> Kinds:
    """The table of all types."""

    def are(word: str) -> Bools:
        return np.array([word in kind.words.split() for kind in TYPES.values()])

    def each(name: str, dtype: type) -> Floats:
        return np.array([getattr(kind, name) for kind in TYPES.values()], dtype)

    return Kinds(
        names=tuple(TYPES),
        value=each("value", np.float64),
        sight=each("sight", np.float64),
        detects=each("detects", np.float64),
        is_worker=are("worker"),
        is_structure=are("structure"),
        is_massive=are("massive"),
        is_light=are("light"),
        is_armored=are("armored"),
        is_biological=are("biological"),
        is_mechanical=are("mechanical"),
        is_psionic=are("psionic"),
        is_air=are("air"),
        shoots_up=are("shoots_up"),
        shoots_down=~are("shoots_up"),
        cargo_size=np.array([kind.cargo_size for kind in TYPES.values()]),
        cargo_room=np.array([kind.cargo_room for kind in TYPES.values()]),
        can_be_repaired=are("mechanical"),
    )


def melee(x: float, y: float, **changes: object) -> Piece:
    return replace(Piece(x, y, reach=1.2), **changes)  # type: ignore[arg-type]


def open_field(size: int = 32, wall: int = 2) -> TerrainGrid:
    """A square field with a wall around it, and the air above."""
    inside = np.zeros((size, size), np.bool_)
    inside[wall:-wall, wall:-wall] = True
    return TerrainGrid(np.stack([inside, np.ones_like(inside)]), None)


def _army(pieces: Sequence[Piece]) -> Army:
    table = kinds()
    kind = np.array([[table.names.index(piece.kind) for piece in pieces]])

    def each(name: str, dtype: type = np.float64) -> Floats:
        return np.array([[getattr(piece, name) for piece in pieces]], dtype)

    n = len(pieces)
    return Army(
        kind=kind,
        pos=np.array([[(piece.x, piece.y) for piece in pieces]], np.float64),
        velocity=np.array([[piece.velocity for piece in pieces]], np.float64),
        alive=each("alive", np.bool_) & each("seen", np.bool_),
        hp=each("hp"),
        hp_max=each("hp_max"),
        shield=each("shield"),
        shield_max=each("shield_max"),
        energy=each("energy"),
        radius=np.full((1, n), RADIUS),
        speed=each("speed"),
        layer=np.array([[0 if piece.walks else 1 for piece in pieces]]),
        is_walker=each("walks", np.bool_),
        is_air=table.is_air[kind],
        cloaked=each("cloaked", np.bool_),
        period_ticks=each("period"),
        splash=each("splash"),
        bursts=each("bursts", np.bool_),
        heals_per_tick=each("heals"),
        can_be_healed=np.ones((1, n), np.bool_),
        incoming=each("incoming"),
    )


RANGES = {
    "yamato": 10.0, "emp": 10.0, "steady_targeting": 10.0, "interference_matrix": 9.0,
    "anti_armor_missile": 10.0, "auto_turret": 2.0, "lock_on": 7.0, "kd8_charge": 5.0,
    "liberator_defender_mode": 5.0, "tactical_jump": 500.0,
}  # fmt: skip
HOME, GOAL = (4.0, 16.0), (28.0, 16.0)


def battle(
    own: Sequence[Piece],
    enemy: Sequence[Piece],
    aim: Sequence[int] | None = None,
    ground: TerrainGrid | None = None,
    mission: Mission | None = None,
    hazards: Sequence[tuple[float, float, float, float]] = (),
    headings: Floats = HEADINGS,
) -> View:
    """One battle, `N` = 1. Every weapon fits every enemy. Hazards: x, y, radius, ticks."""
    shape = (1, len(own), len(enemy))

    def by_own(name: str) -> Floats:
        column = np.array([[[getattr(piece, name)] for piece in own]], np.float64)
        return np.broadcast_to(column, shape).copy()

    def by_enemy(name: str) -> Floats:
        row = np.array([[[getattr(piece, name) for piece in enemy]]], np.float64)
        return np.broadcast_to(row, shape).copy()

    def each(name: str, dtype: type = np.float64) -> Floats:
        return np.array([[getattr(piece, name) for piece in own]], dtype)

    abilities = {ability for piece in own for ability in (*piece.can, piece.casts) if ability}
    place = np.array([[h[:2] for h in hazards]], np.float64).reshape(1, len(hazards), 2)
    return View(
        own=_army(own),
        enemy=_army(enemy),
        kinds=kinds(),
        remembered=np.array([[piece.remembered for piece in enemy]], np.bool_),
        cooldown_ticks=each("cooldown"),
        unhurt_ticks=each("unhurt"),
        hurt_rate=each("hurt"),
        aim=np.array([aim if aim is not None else [NOBODY] * len(own)]),
        reach=by_own("reach"),
        damage=by_own("damage"),
        enemy_reach=by_enemy("reach"),
        enemy_damage=by_enemy("damage"),
        heal_reach=np.full((1, len(own), len(own)), 4.0 + 2.0 * RADIUS),
        can=_by_ability(abilities, [piece.can for piece in own]),
        casts=_by_ability(abilities, [(piece.casts,) for piece in own]),
        ranges={ability: RANGES.get(ability, 0.0) for ability in abilities},
        windups=dict.fromkeys(abilities, 10.0),
        cast_target=each("cast_target", np.int64),
        busy=each("busy", np.bool_),
        stim_ticks=each("stim"),
        inside=each("inside", np.int64),
        load=each("load", np.int64),
        hazards=Hazards(
            pos=place,
            radius=np.array([[h[2] for h in hazards]], np.float64).reshape(1, -1),
            ticks=np.array([[h[3] for h in hazards]], np.float64).reshape(1, -1),
            damage=np.full((1, len(hazards)), 100.0),
        ),
        mission=mission or task(),
        step_ticks=STEP_TICKS,
        headings=headings,
        ground=ground or open_field(),
    )


def task(**changes: object) -> Mission:
    """What the army is there for: an attack, unless told otherwise."""
    plain = Mission(goal=np.array([GOAL]), home=np.array([HOME]))
    return replace(plain, **changes)  # type: ignore[arg-type]


def _by_ability(names: set[str], given: Sequence[Sequence[str]]) -> Mapping[str, Bools]:
    return {name: np.array([[name in words for words in given]]) for name in sorted(names)}
