"""Equal armies under the same orders: player 1 wins half of the battles, on either side."""

from dataclasses import replace

import numpy as np

from terrarium.bench.fidelity.comparison import PERCENT, FidelitySetting, Measured, Row, share
from terrarium.data.battles.scenario import Group, Order, Scenario
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER, ENEMY_OWNER

ARMIES = {
    "3 Marines": {"marine": 3},
    "2s3z": {"stalker": 2, "zealot": 3},
    "8 Zerglings": {"zergling": 8},
    "MMM": {"marine": 7, "marauder": 2, "medivac": 1},
}
STEPS_AT_ONCE = 10


def mirrors(setting: FidelitySetting) -> list[Row]:
    """Half of the battles from the left, half from the right; undecided ones do not count."""
    rows = []
    for name, army in ARMIES.items():
        n = max(1, setting.episodes // 2)
        results = [
            fight(setting, mirror_scenario(setting, army, swapped), n, setting.seed + swapped * n)
            for swapped in (False, True)
        ]
        won, lost = (sum(counts) for counts in zip(*results, strict=True))
        if won + lost:
            ours = share(won, won + lost)
            rows.append(Row(f"{name}: wins of player 1", ours, Measured(0.5), PERCENT, "fairness"))
    return rows


def mirror_scenario(setting: FidelitySetting, army: dict[str, int], swapped: bool) -> Scenario:
    """Both armies attack-move to where the other one starts."""
    band = setting.scenario("smac/3m")
    ally, enemy = (group.at for group in band.groups)
    if swapped:
        ally, enemy = enemy, ally
    groups = (
        Group("ally", ally, army, order=Order("attack_move", enemy)),
        Group("enemy", enemy, army, order=Order("attack_move", ally)),
    )
    return replace(band, groups=groups, limit_steps=200, smac=None)


def fight(setting: FidelitySetting, scenario: Scenario, n: int, seed: int) -> tuple[int, int]:
    """How many battles player 1 won, and how many player 2."""
    sim = Simulator(scenario, n, setting.threads)
    try:
        sim.reset(seed)
        alive = np.ones((n, 2), np.bool_)
        while (
            alive.all(axis=1).any()
            and sim.ticks[0] < scenario.limit_steps * scenario.ticks_per_step
        ):
            sim.step(STEPS_AT_ONCE * scenario.ticks_per_step)
            alive = sim.players["n_alive"][:, [ALLY_OWNER, ENEMY_OWNER]] > 0
        won, lost = alive[:, 0] & ~alive[:, 1], alive[:, 1] & ~alive[:, 0]
        return int(won.sum()), int(lost.sum())
    finally:
        sim.close()
