"""When the sides of 3m meet, and where the enemies are then."""

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.fidelity.comparison import (
    PERCENT,
    FidelitySetting,
    Measured,
    Row,
    mean_of,
    share_of,
)
from terrarium.bench.fidelity.open_loop import mean_distances, replay
from terrarium.bench.fidelity.recordings import N_UNITS, RecordedEpisodes

NEVER = -1
HURT = 0.5


def first_hurt(episodes: RecordedEpisodes) -> NDArray[np.int64]:
    """[n] the number of the first step in which a unit is hurt, counted from 1; or never"""
    life = np.concatenate([episodes.ally_life, episodes.enemy_life], axis=2)
    lost = (life[:, :1] - life > HURT).any(axis=2)  # [n, T]
    lost &= np.arange(episodes.n_states) < episodes.length[:, None]
    return np.where(lost.any(axis=1), lost.argmax(axis=1), NEVER)


def first_contact(setting: FidelitySetting) -> list[Row]:
    """Replays from the first step on: agents stand or walk as recorded."""
    was = setting.recorded
    ours = replay(setting, was)
    real_step, our_step = first_hurt(was), first_hurt(ours)
    met = np.flatnonzero((real_step != NEVER) & (our_step != NEVER))
    if not len(met):
        return [Row("first step that hurts a unit", None, note="no unit is hurt")]
    same = share_of(our_step[met] == real_step[met])
    # Before either battle hurts a unit, all enemies are alive.
    eve = np.minimum(real_step, our_step)[met] - 1
    all_of_them = np.ones((len(met), N_UNITS), np.bool_)
    apart = mean_distances(was.enemy_xy[met, eve], ours.enemy_xy[met, eve], all_of_them)
    return [
        Row("first step that hurts a unit", mean_of(our_step[met]), mean_of(real_step[met])),
        Row("the same step as recorded", same, Measured(1.0), PERCENT),
        Row("enemy positions before that step: error", mean_of(apart), Measured(0.0)),
    ]
