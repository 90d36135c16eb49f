"""How many melee units get at one target."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.fidelity.comparison import FidelitySetting, Measured, Row, mean_of
from terrarium.bench.fidelity.scripts import AttackClosest, distances, open_battles
from terrarium.data.battles.scenario import Group, Order, Scenario
from terrarium.data.facts.rulesets import load_ruleset

STEPS = (4, 7, 10)
AROUND_STEPS = 20
SLACK = 0.05
"""Beyond its range a unit goes on with a shot that it has begun"""
SMALL_GAP = 0.6885
"""Centers of Marines are never closer in the real game; Zerglings are as large"""


def crowds(setting: FidelitySetting) -> list[Row]:
    """Zerglings in reach of Zealots that attack the closest, and around one Marine."""
    corridor = setting.scenario("smac/corridor")
    alone = [replace(group, units={"zealot": 1}) for group in corridor.groups if group.passive]
    rest = [group for group in corridor.groups if not group.passive]
    battles = {
        "a lone Zealot": replace(corridor, groups=(*alone, *rest)),
        "six Zealots": corridor,
    }
    rows = []
    for who, scenario in battles.items():
        reached = in_reach(setting, scenario, "zealot", max(STEPS))
        rows += [
            Row(
                f"corridor, {who}: Zerglings in reach after step {step}", mean_of(reached[step - 1])
            )
            for step in STEPS
        ]
    marine = one_marine(setting)
    most = in_reach(setting, marine, "marine", AROUND_STEPS).max(axis=0)
    fits = Measured(places_around(reach_of(marine, "marine")))
    what = "open ground: Zerglings around one Marine, at most"
    return [*rows, Row(what, mean_of(most), fits, note="geometry")]


def one_marine(setting: FidelitySetting) -> Scenario:
    """A Marine, and as many Zerglings as on corridor that run at it from one side."""
    band = setting.scenario("smac/3m")
    at, far = band.groups[0].at, band.groups[1].at
    middle = ((at[0] + far[0]) / 2.0, at[1])
    groups = (
        Group("ally", at, {"marine": 1}, passive=True),
        Group("enemy", middle, {"zergling": 24}, order=Order("attack_move", at)),
    )
    return replace(band, groups=groups)


def in_reach(
    setting: FidelitySetting, scenario: Scenario, target: str, n_steps: int
) -> NDArray[np.int64]:
    """[steps, N] Zerglings that could strike an agent, while none of the agents can die."""
    env = open_battles(setting, scenario)
    player, reach = AttackClosest(), reach_of(scenario, target) + SLACK
    reached = np.zeros((n_steps, env.n_envs), np.int64)
    try:
        env.reset()
        agents = env.member_slots[:, : env.n_agents]
        games = np.arange(env.n_envs)[:, None]
        full = env.sim.units["hp"][games, agents]
        for step in range(n_steps):
            env.step(player.act(env))
            env.sim.units["hp"][games, agents] = full
            reached[step] = (distances(env) <= reach).any(axis=1).sum(axis=1)
    finally:
        env.close()
    return reached


def reach_of(scenario: Scenario, target: str) -> float:
    """How far a Zergling strikes, from center to center."""
    units = load_ruleset(scenario.rules).units
    zergling = units["zergling"]
    return zergling.weapons[0].range + zergling.radius + units[target].radius


def places_around(reach: float) -> int:
    """How many centers that keep `SMALL_GAP` apart have room on a circle."""
    return int(np.pi / np.arcsin(SMALL_GAP / (2.0 * reach)))
