"""Win rates of scripted players whose results in the real game are known."""

import numpy as np

from terrarium.bench.fidelity.comparison import (
    PERCENT,
    FidelitySetting,
    Measured,
    Row,
    mean_of,
    share,
    share_of,
)
from terrarium.bench.fidelity.scripts import (
    AttackClosest,
    FartherShoots,
    StandAndShoot,
    play_battles,
)
from terrarium.envs.evaluate import evaluate
from terrarium.envs.options import options_for
from terrarium.envs.players.players import HeuristicPlayer

PUBLISHED = {
    "2s3z": 90,
    "1c3s5z": 81,
    "3s5z": 42,
    "10m_vs_11m": 12,
    "bane_vs_bane": 43,
    "2s_vs_1sc": 0,
    "2c_vs_64zg": 0,
    "5m_vs_6m": 0,
    "3s_vs_5z": 0,
    "3s5z_vs_3s6z": 0,
    "6h_vs_8z": 0,
    "27m_vs_30m": 0,
    "MMM2": 0,
    "corridor": 0,
}
"""Wins of SMAC's own script in percent, as quoted of the SMAC paper (game version 4.6.2): without
intervals, and not checked against the paper"""

BEST_RETURN = 20.0
VOLLEY = (42.9, 48.1)
"""Life that two Marines who both shoot take off the Zealot in the real game: one or the other"""
SAME_LIFE = 0.5
"""Recorded life is a rounded share of the maximum"""


def smac_script(setting: FidelitySetting) -> list[Row]:
    """SMAC's own script (`heuristic_ai`) on the published maps."""
    rows = []
    for name, percent in PUBLISHED.items():
        scenario = setting.scenario(f"smac/{name}")
        result = evaluate(
            HeuristicPlayer(),
            scenario,
            episodes=setting.episodes,
            seed=setting.seed,
            threads=setting.threads,
            options=options_for(scenario, {"contract": "exact"}),
        )
        ours, real = share(result.wins, result.episodes), Measured(percent / 100.0)
        rows.append(Row(f"{name}: wins", ours, real, PERCENT, "quoted"))
    return rows


def farther_shoots(setting: FidelitySetting) -> list[Row]:
    """2m_vs_1z: two Marines stand, and only the farther one shoots."""
    played = play_battles(setting, "smac/2m_vs_1z", FartherShoots())
    real = share(10, 10)
    return [
        Row("2m_vs_1z, the farther one shoots: wins", share_of(played.won), real, PERCENT),
        Row("unhurt wins", share_of(played.won & played.unhurt), real, PERCENT),
    ]


def both_shoot(setting: FidelitySetting) -> list[Row]:
    """2m_vs_1z: two Marines stand and shoot until they are dead."""
    played = play_battles(setting, "smac/2m_vs_1z", StandAndShoot())
    near = np.abs(played.life_taken[:, None] - np.array(VOLLEY)) <= SAME_LIFE
    return [
        Row("2m_vs_1z, both shoot: wins", share_of(played.won), share(0, 10), PERCENT),
        Row(
            f"battles that take {VOLLEY[0]} or {VOLLEY[1]} life off",
            share_of(near.any(axis=1)),
            share(10, 10),
            PERCENT,
        ),
        Row(
            "life taken off the Zealot",
            mean_of(played.life_taken),
            Measured(sum(VOLLEY) / 2.0, *VOLLEY),
            note="one or the other",
        ),
    ]


def attack_closest(setting: FidelitySetting) -> list[Row]:
    """corridor: a script that attacks the closest enemy."""
    played = play_battles(setting, "smac/corridor", AttackClosest())
    return [
        Row("corridor, attack the closest: wins", share_of(played.won), share(1, 10), PERCENT),
        Row("share of the best return", mean_of(played.returns / BEST_RETURN), Measured(0.47)),
    ]
