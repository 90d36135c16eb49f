"""Mirror battles: two equal armies under the same script, in any slot order, on either side."""

from collections.abc import Mapping

import numpy as np

from terrarium.data.scenario import Group, Order, Scenario
from terrarium.data.terrains import load_terrain
from terrarium.engine.simulator import Simulator

ARMIES: dict[str, Mapping[str, int]] = {
    "3 Marines": {"marine": 3},
    "2s3z": {"stalker": 2, "zealot": 3},
    "8 Zerglings": {"zergling": 8},
    "MMM": {"marine": 7, "marauder": 2, "medivac": 1},
}
LEFT, RIGHT = (9.0, 16.0), (23.0, 16.0)


def mirror_battle(
    army: str, n_envs: int, slots_swapped: bool = False, map_mirrored: bool = False
) -> Simulator:
    """Both sides attack-move to where the other one starts."""
    mine, theirs = (RIGHT, LEFT) if map_mirrored else (LEFT, RIGHT)
    groups = [
        Group("ally", mine, ARMIES[army], False, Order("attack_move", theirs, None, None)),
        Group("enemy", theirs, ARMIES[army], False, Order("attack_move", mine, None, None)),
    ]
    if slots_swapped:
        groups.reverse()
    scenario = Scenario(
        name=f"mirror of {army}",
        title="",
        version=1,
        terrain=load_terrain("band"),
        rules="liberty",
        limit_steps=200,
        ticks_per_step=8,
        groups=tuple(groups),
        generator=None,
        trigger=None,
        smac=None,
    )
    return Simulator(scenario, n_envs, threads=2)


def fight(sim: Simulator, seed: int, n_steps: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Play every battle; which ones side 0 won, and which side 1 won."""
    sim.reset(seed)
    for _ in range(n_steps // 10):
        sim.step(80)
        if (sim.players["n_alive"] == 0).any(axis=1).all():
            break
    alive = sim.players["n_alive"] > 0
    return alive[:, 0] & ~alive[:, 1], alive[:, 1] & ~alive[:, 0]
