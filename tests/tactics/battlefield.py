"""Hand-made views: a few units at given places, and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from terrarium.tactics.ground import Ground
from terrarium.tactics.view import NOBODY, Army, Floats, View

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


def melee(x: float, y: float, **changes: object) -> Piece:
    return replace(Piece(x, y, reach=1.2), **changes)  # type: ignore[arg-type]


def open_field(size: int = 32, wall: int = 2) -> Ground:
    """A square field with a wall around it, and the air above."""
    inside = np.zeros((size, size), np.bool_)
    inside[wall:-wall, wall:-wall] = True
    return Ground(np.stack([inside, np.ones_like(inside)]), None)


def _army(pieces: Sequence[Piece]) -> Army:
    def each(name: str, dtype: type = np.float64) -> Floats:
        return np.array([[getattr(piece, name) for piece in pieces]], dtype)

    n = len(pieces)
    return Army(
        pos=np.array([[(piece.x, piece.y) for piece in pieces]], np.float64),
        velocity=np.array([[piece.velocity for piece in pieces]], np.float64),
        alive=each("alive", np.bool_),
        hp=each("hp"),
        hp_max=each("hp_max"),
        shield=each("shield"),
        shield_max=each("shield_max"),
        energy=each("energy"),
        radius=np.full((1, n), RADIUS),
        speed=each("speed"),
        layer=np.array([[0 if piece.walks else 1 for piece in pieces]]),
        is_walker=each("walks", np.bool_),
        period_ticks=each("period"),
        splash=each("splash"),
        bursts=each("bursts", np.bool_),
        heals_per_tick=each("heals"),
        can_be_healed=np.ones((1, n), np.bool_),
    )


def battle(
    own: Sequence[Piece],
    enemy: Sequence[Piece],
    aim: Sequence[int] | None = None,
    ground: Ground | None = None,
) -> View:
    """One battle, `N` = 1. Every weapon fits every enemy."""
    shape = (1, len(own), len(enemy))

    def by_own(name: str) -> Floats:
        column = np.array([[[getattr(piece, name)] for piece in own]], np.float64)
        return np.broadcast_to(column, shape).copy()

    def by_enemy(name: str) -> Floats:
        row = np.array([[[getattr(piece, name) for piece in enemy]]], np.float64)
        return np.broadcast_to(row, shape).copy()

    return View(
        own=_army(own),
        enemy=_army(enemy),
        cooldown_ticks=np.array([[piece.cooldown for piece in own]]),
        unhurt_ticks=np.array([[piece.unhurt for piece in own]]),
        aim=np.array([aim if aim is not None else [NOBODY] * len(own)]),
        reach=by_own("reach"),
        damage=by_own("damage"),
        enemy_reach=by_enemy("reach"),
        enemy_damage=by_enemy("damage"),
        heal_reach=np.full((1, len(own), len(own)), 4.0 + 2.0 * RADIUS),
        step_ticks=STEP_TICKS,
        headings=HEADINGS,
        ground=ground or open_field(),
    )
