"""Who is pulled or thrown flies over whatever is there, and ends where it can stand."""

from math import hypot

import numpy as np
import pytest

from terrarium.data.battles.terrains import load_terrain
from terrarium.engine import codes
from tests.engine.arena import Arena, Piece, flat, on_terrain, outline
from tests.naive import distance_to_polygon

RULES = "lotv-4.10"
WALKERS = ("marine", "siege_tank", "colossus", "reaper", "ultralisk")
"""one for each ground of walkers, and one that cannot be pulled: it stays"""


def stands(piece: Piece) -> bool:
    """Is the center on open ground, and is the body off the walls and off the structures?"""
    sim, x, y = piece.arena.sim, float(piece.x), float(piece.y)
    width, inner = sim.scenario.terrain.width, float(piece.row["inner"])
    if not sim.land.walkable[piece.game, piece.row["layer"], int(y) * width + int(x)]:
        return False
    # Walls keep at most half a cell from a body's center (docs/fidelity.md).
    off = min(inner, 0.5) - 1e-6
    around = ((off, 0.0), (-off, 0.0), (0.0, off), (0.0, -off))
    cells = [int(y + dy) * width + int(x + dx) for dx, dy in around]
    if not sim.ground.walkable[piece.row["layer"], cells].all():
        return False
    placed = np.flatnonzero(sim.games.sites["placed"][piece.game])
    structures = [piece.arena.piece(int(slot), piece.game) for slot in placed]
    return all(distance_to_polygon(x, y, outline(one)) > inner - 1e-3 for one in structures)


def pull(arena: Arena, victim: str, start: tuple[float, float], to: tuple[float, float]) -> Piece:
    """Let a Viper that hovers somewhere abduct a unit, and wait until it has arrived."""
    arena.clear()
    viper = arena.add("viper", at=to, passive=True, energy=200.0)
    prey = arena.add(victim, at=start, owner=2, passive=True)
    assert viper.use("abduct", on=prey) == "Success"
    flew = arena.run(40, until=lambda: bool(prey.status & codes.DRAGGED))
    assert flew == (victim != "ultralisk")
    assert not flew or arena.run(40, until=lambda: not prey.status & codes.DRAGGED)
    return prey


@pytest.fixture(scope="module")
def ravine() -> Arena:
    return on_terrain(load_terrain("ravine"), RULES, layers=("footprints",))


def over_the_ravine(arena: Arena) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Places where somebody stands, and places without ground that a Viper reaches them from."""
    terrain = arena.sim.scenario.terrain
    low_x, low_y, high_x, high_y = terrain.playable
    ys, xs = np.nonzero(~terrain.walkable)
    inside = (xs > low_x + 1) & (xs < high_x - 2) & (ys > low_y + 1) & (ys < high_y - 2)
    holes = np.stack([xs[inside], ys[inside]], 1)[::23] + 0.5
    ys, xs = np.nonzero(terrain.walkable)
    ground = np.stack([xs, ys], 1) + 0.5
    chosen = []
    for hole in holes:
        distance = np.hypot(*(ground - hole).T)
        (near,) = np.nonzero((distance > 5.0) & (distance < 9.0))
        if len(near):
            x, y = ground[near[0]]
            chosen.append(((float(x), float(y)), (float(hole[0]), float(hole[1]))))
    return chosen


@pytest.mark.parametrize("victim", WALKERS)
def test_who_is_pulled_over_a_ravine_ends_on_its_edge(ravine: Arena, victim: str) -> None:
    cases = over_the_ravine(ravine)
    assert len(cases) >= 5
    for start, hole in cases:
        prey = pull(ravine, victim, start, hole)
        assert stands(prey), (start, hole, prey.at)


@pytest.mark.parametrize("victim", WALKERS)
@pytest.mark.parametrize("dy", [-1.2, -0.4, 0.0, 0.7, 1.4])
def test_who_is_pulled_onto_structures_ends_beside_them(victim: str, dy: float) -> None:
    arena = on_terrain(flat(48, 48), RULES, layers=("footprints",))
    viper = arena.add("viper", at=(24.0, 24.0 + dy), passive=True, energy=200.0)
    for at in ((24.5, 24.5), (27.5, 24.5), (24.5, 27.5)):
        arena.place("barracks", at=at)
    prey = arena.add(victim, at=(32.0, 24.5 + dy), owner=2, passive=True)
    assert viper.use("abduct", on=prey) == "Success"
    arena.run(60)
    assert not prey.status & codes.DRAGGED
    assert stands(prey), prey.at


def test_who_is_thrown_against_a_structure_ends_beside_it() -> None:
    arena = on_terrain(flat(48, 48), RULES, layers=("footprints",))
    arena.place("barracks", at=(26.5, 24.5))
    reaper = arena.add("reaper", at=(18.0, 24.5), passive=True)
    prey = arena.add("zergling", at=(23.9, 24.5), owner=2, passive=True)
    assert reaper.use("kd8_charge", at=(22.5, 24.5)) == "Success"
    assert arena.run(120, until=lambda: bool(prey.status & codes.DRAGGED))
    assert arena.run(40, until=lambda: not prey.status & codes.DRAGGED)
    assert hypot(prey.x - 23.9, prey.y - 24.5) > 0.2
    assert stands(prey), prey.at
