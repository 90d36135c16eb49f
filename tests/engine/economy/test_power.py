"""Power: facts of game_rules.md, 9."""

import numpy as np
import pytest

from terrarium.engine import codes
from tests.engine.economy.bases import Base


@pytest.fixture
def base() -> Base:
    return Base("flat_64", "Protoss")


def powered(base: Base, slot: int) -> bool:
    return not base.sim.units["status"][0, slot] & codes.UNPOWERED


def test_a_pylon_gives_power_within_its_radius(base: Base) -> None:
    """6.5, to the middle of the structure."""
    sim = base.sim
    sim.place(0, "pylon", 1, 40.0, 40.0)
    inside = sim.place(0, "gateway", 1, 46.5, 40.5)
    outside = sim.place(0, "gateway", 1, 40.5, 47.5)
    theirs = sim.place(0, "forge", 2, 36.5, 40.5)
    sim.step(1)
    assert powered(base, inside) == (np.hypot(6.5, 0.5) <= 6.5)
    near = sim.place(0, "gateway", 1, 45.5, 37.5)
    sim.step(1)
    assert powered(base, near)
    assert not powered(base, outside)
    assert not powered(base, theirs)


def test_what_has_no_power_does_not_work(base: Base) -> None:
    """Neither produces nor shoots nor detects (game_rules.md, 9), until it has power again."""
    sim = base.sim
    pylon = sim.place(0, "pylon", 1, 40.0, 40.0)
    cannon = sim.place(0, "photon_cannon", 1, 43.0, 40.0)
    sim.step(1)
    assert powered(base, cannon)
    prey = sim.create(0, "zealot", 2, 43.0, 37.0)
    sim.order(0, prey, codes.HOLD)
    sim.step(60)
    assert sim.units["shield"][0, prey] < 50
    sim.remove(0, pylon)
    sim.step(1)
    status = sim.units["status"][0, cannon]
    assert status & codes.UNPOWERED
    assert status & codes.DISARMED
    assert status & codes.BLINDED
    life = sim.units["hp"][0, prey]
    sim.step(60)
    assert sim.units["hp"][0, prey] >= life
    sim.place(0, "pylon", 1, 40.0, 40.0)
    sim.step(1)
    assert powered(base, cannon)
