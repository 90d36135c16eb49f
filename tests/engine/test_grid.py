"""The neighbor grid finds whom a search among all units finds."""

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.kernels.grid import CROWD
from terrarium.engine.simulator import Simulator
from tests.engine.arena import open_ground

N_FIGHTERS = 40
N_TICKS = 24
KINDS = ("zergling", "marine", "siege_tank", "roach", "medivac", "ultralisk", "baneling")
# Pushes are added up in another order; a tick can make such a difference some times larger.
ROUNDING = 1e-6


def crowded_battle(seed: int, n_bystanders: int) -> Simulator:
    """Units of all sizes in one place that fight their way through each other, far from others."""
    rng = np.random.default_rng(seed)
    arena = open_ground("lotv-4.10", slots=N_FIGHTERS + n_bystanders, seed=seed)
    for i in range(N_FIGHTERS):
        # Around the corner of four buckets and of four camps, of which each has its share.
        at = tuple(16.0 + rng.uniform(-5.0, 5.0, 2))
        unit = arena.add(KINDS[i % len(KINDS)], at=at, owner=1 + i % 2)
        arena.sim.order(0, unit.slot, codes.ATTACK_MOVE, (16.0, 16.0))
    for i in range(n_bystanders):
        arena.add("marine", at=(50.0, 40.0 + i), passive=True)
    return arena.sim


@pytest.mark.parametrize("seed", range(8))
def test_bystanders_far_away_change_nothing(seed: int) -> None:
    few = crowded_battle(seed, 0)
    many = crowded_battle(seed, CROWD - N_FIGHTERS)
    for _ in range(N_TICKS):
        few.step(1)
        many.step(1)
        one, other = few.units[0, :N_FIGHTERS], many.units[0, :N_FIGHTERS]
        np.testing.assert_array_equal(one["target"], other["target"])
        np.testing.assert_array_equal(one["alive"], other["alive"])
        np.testing.assert_allclose(one["x"], other["x"], rtol=0.0, atol=ROUNDING)
        np.testing.assert_allclose(one["y"], other["y"], rtol=0.0, atol=ROUNDING)
