"""Creep: facts of game_rules.md, 9."""

import numpy as np
import pytest

from terrarium.engine.simulator import Simulator
from tests.engine.economy.bases import Base


def slot_of(sim: Simulator, unit: str, owner: int = 1) -> int:
    units = sim.units[0]
    is_one = units["alive"] & (units["owner"] == owner) & (units["kind"] == sim.rows[unit])
    return int(np.flatnonzero(is_one)[0])


def creep_distances(sim: Simulator, x: float, y: float) -> np.ndarray:
    """How far the cells with creep are from a point."""
    width = int(sim.ground.size[0])
    cells = np.flatnonzero(sim.games.creep[0] > 0)
    return np.hypot(cells % width + 0.5 - x, cells // width + 0.5 - y)


@pytest.fixture
def base() -> Base:
    base = Base("flat_64", "Zerg")
    for unit in base.mine(2):
        base.sim.remove(0, unit)
    base.sim.step(64 * 15)  # theirs recedes
    return base


def test_creep_of_a_hatchery_grows_to_its_radius() -> None:
    """From 4.7 to 12, a ring of cells each 6.72 loops: 8 rings."""
    base = Base("flat_64", "Zerg")
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    near = creep_distances(sim, x, y)
    assert near[near < 20].max() <= 4.7
    assert (near < 20).sum() == 69
    sim.step(7)
    near = creep_distances(sim, x, y)
    assert 4.7 < near[near < 20].max() <= 5.7
    sim.step(54 - 7)
    near = creep_distances(sim, x, y)
    assert 11.5 < near[near < 20].max() <= 12.0
    before = sim.games.creep[0].copy()
    sim.step(100)
    assert (sim.games.creep[0] == before).all()


def test_creep_recedes_when_its_source_is_gone(base: Base) -> None:
    """64 loops for a step, 13 steps."""
    sim, hall = base.sim, base.mine()[0]
    n_cells = int((sim.games.creep[0] > 0).sum())
    sim.remove(0, hall)
    sim.step(63)
    assert (sim.games.creep[0] > 0).sum() == n_cells
    sim.step(2)
    assert 0 < (sim.games.creep[0] > 0).sum() < n_cells
    sim.step(12 * 64)
    assert (sim.games.creep[0] > 0).sum() == 0
    assert sim.games.epochs["n_patches"][0, 0] == 0


def test_creep_of_two_sources_stays_when_one_is_gone(base: Base) -> None:
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    alone = sim.games.creep[0] > 0
    tumor = sim.place(0, "creep_tumor_burrowed", 1, x + 6.5, y + 5.5)
    sim.step(110)
    assert (sim.games.creep[0] > 0).sum() > alone.sum()
    sim.remove(0, tumor)
    sim.step(64 * 12)
    assert ((sim.games.creep[0] > 0) == alone).all()


@pytest.mark.parametrize(("unit", "faster"), [("queen", 2.6665), ("zergling", 1.3), ("drone", 1)])
def test_creep_makes_zerg_faster(base: Base, unit: str, faster: float) -> None:
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    on = sim.create(0, unit, 1, x + 5.0, y)
    off = sim.create(0, unit, 1, x + 25.0, y)
    sim.step(1)
    speed = sim.units["max_speed"][0]
    assert speed[on] == pytest.approx(faster * speed[off])
    away = np.hypot(sim.units["x"][0, on] - x, sim.units["y"][0, on] - y)
    assert away < 12


def test_zerg_structures_off_creep_burn(base: Base) -> None:
    """A point of life each 5.33 loops, against what regeneration gives back."""
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    on = sim.place(0, "evolution_chamber", 1, x + 7.0, y)
    off = sim.place(0, "evolution_chamber", 1, x + 25.0, y)
    sim.step(533)
    assert sim.units["hp"][0, on] == 750.0
    regained = 0.2734 / 16 * 533
    assert sim.units["hp"][0, off] == pytest.approx(750.0 - 100.0 + regained, abs=0.5)


def test_creep_lies_where_one_can_walk() -> None:
    base = Base("flat_64", "Zerg")
    sim = base.sim
    sim.step(60)
    assert sim.ground.walkable[0][np.flatnonzero(sim.games.creep[0] > 0)].all()
    assert (sim.games.creep[0] > 0).sum() < 2 * 441  # and not beyond the edge of the map
