"""Mirror battles: two equal armies under the same script, in any slot order, on either side."""

from collections.abc import Mapping

import numpy as np

from terrarium.data.battles.scenario import Group, Order, Scenario
from terrarium.data.battles.terrains import load_terrain
from terrarium.engine.simulator import Simulator

ARMIES: dict[str, Mapping[str, int]] = {
    "3 Marines": {"marine": 3},
    "2s3z": {"stalker": 2, "zealot": 3},
    "8 Zerglings": {"zergling": 8},
    "MMM": {"marine": 7, "marauder": 2, "medivac": 1},
}
MORE_ARMIES: dict[str, Mapping[str, int]] = {
    "Banelings": {"zergling": 10, "baneling": 4},
    "Colossus": {"colossus": 2, "zealot": 4},
    "splash": {"archon": 3, "immortal": 2, "adept": 4, "sentry": 2},
    "lines and cones": {"hellion": 4, "hellion_tank": 3, "thor": 2, "siege_tank": 2},
    "big and small": {"ultralisk": 2, "zergling": 12, "roach": 4},
    "air": {"mutalisk": 6, "corruptor": 2, "hydralisk": 4},
    "fleet": {"battlecruiser": 2, "viking_fighter": 4, "banshee": 2, "medivac": 1, "marine": 6},
}
LEFT, RIGHT = (9.0, 16.0), (23.0, 16.0)


def mirror_battle(
    army: str,
    n_envs: int,
    slots_swapped: bool = False,
    map_mirrored: bool = False,
    vertical: bool = False,
    rules: str = "",
) -> Simulator:
    """Both sides attack-move to where the other one starts."""
    mine, theirs = (RIGHT, LEFT) if map_mirrored else (LEFT, RIGHT)
    if vertical:
        mine, theirs = mine[::-1], theirs[::-1]
    units = (ARMIES | MORE_ARMIES)[army]
    groups = [
        Group("ally", mine, units, False, Order("attack_move", theirs, None, None)),
        Group("enemy", theirs, units, False, Order("attack_move", mine, None, None)),
    ]
    if slots_swapped:
        groups.reverse()
    scenario = Scenario(
        name=f"mirror of {army}",
        title="",
        version=1,
        terrain=load_terrain("open" if vertical else "band"),
        rules=rules or ("liberty" if army in ARMIES else "lotv-4.10"),
        limit_steps=200,
        ticks_per_step=8,
        groups=tuple(groups),
        generator=None,
        smac=None,
    )
    return Simulator(scenario, n_envs, threads=2)


def fight(sim: Simulator, seed: int, n_steps: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Play every battle; which ones player 1 won, and which player 2 won."""
    sim.reset(seed)
    for _ in range(n_steps // 10):
        sim.step(80)
        if (sim.players["n_alive"][:, 1:] == 0).any(axis=1).all():
            break
    alive = sim.players["n_alive"][:, 1:] > 0
    return alive[:, 0] & ~alive[:, 1], alive[:, 1] & ~alive[:, 0]
