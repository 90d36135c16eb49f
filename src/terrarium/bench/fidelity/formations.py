"""Where the units of a group stand when a battle begins."""

from itertools import product

import numpy as np

from terrarium.bench.fidelity.comparison import FidelitySetting, Measured, Row
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import OWNERS

Places = dict[str, tuple[tuple[float, float], ...]]

PICTURED = 0.1
"""How far places read from pictures may be off"""
EXACT = 0.001

_GAP = 0.6885
"""Between Marines"""
_BLOCK = tuple((_GAP * x, _GAP * y) for x, y in product((-1, 0, 1), repeat=2))
_EAST, _SOUTH = (2.0 * _GAP, 0.0), (0.0, -2.0 * _GAP)
_3S5Z: Places = {
    "stalker": ((0.0, 0.0), (0.0, -1.19), (1.19, 0.0)),
    "zealot": ((0.49, 0.95), (-0.49, 0.95), (-1.0, -0.45), (-1.5, 0.5), (0.0, 1.95)),
}
_3M: Places = {"marine": ((0.0, 0.0), (0.0, -_GAP), (_GAP, 0.0))}
_2S3Z: Places = {
    "stalker": ((0.0, 0.0), (0.0, -1.19)),
    "zealot": ((1.0, -0.45), (0.78, 0.8), (-0.78, 0.8)),
}
FORMATIONS: dict[str, tuple[float, Places, Places]] = {
    "3m": (EXACT, _3M, _3M),
    "2s3z": (PICTURED, _2S3Z, _2S3Z),
    "1c3s5z": (PICTURED, _3S5Z, _3S5Z),
    "3s5z": (PICTURED, _3S5Z, _3S5Z),
    "10m_vs_11m": (
        PICTURED,
        {"marine": (*_BLOCK, _EAST)},
        {"marine": (*_BLOCK, _EAST, _SOUTH)},
    ),
}
"""Precision, and offsets of allies and enemies from their group's point in the real game; both
sides have the same orientation. Places of the Colossus are not known."""


def formations(setting: FidelitySetting) -> list[Row]:
    """The largest distance between a real place and ours, of either side."""
    return [
        Row(
            f"{name}: largest deviation of a place",
            Measured(max(deviations(setting, name).values())),
            Measured(0.0, 0.0, FORMATIONS[name][0]),
        )
        for name in FORMATIONS
    ]


def deviations(setting: FidelitySetting, name: str) -> dict[str, float]:
    """The largest deviation of each side."""
    scenario = setting.scenario(f"smac/{name}")
    sim = Simulator(scenario)
    try:
        sim.reset(setting.seed)
        events, _ = sim.events(0)
        born = events[events["kind"] == codes.BORN]  # rules may let a battle run before it is seen
    finally:
        sim.close()
    _, *sides = FORMATIONS[name]
    worst = {}
    for (side, owner), places in zip(OWNERS.items(), sides, strict=True):
        (group,) = (group for group in scenario.groups if group.side == side)
        far = []
        for kind, real in places.items():
            mine = born[(born["owner"] == owner) & (born["type"] == sim.rows[kind])]
            ours = np.stack([mine["x"], mine["y"]], axis=1) - np.array(group.at)
            far.append(farthest(np.array(real), ours))
        worst[side] = max(far)
    return worst


def farthest(real: np.ndarray, ours: np.ndarray) -> float:
    """The largest distance from a place of one set to the nearest of the other (Hausdorff)."""
    apart = np.hypot(*np.moveaxis(real[:, None] - ours[None], -1, 0))
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))
