"""Whom the last enemy of 3m shoots at, as far as life and places tell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.fidelity.comparison import PERCENT, FidelitySetting, Measured, Row, share
from terrarium.bench.fidelity.open_loop import FIRST_TARGET, OTHER_SEED, replay
from terrarium.bench.fidelity.recordings import RecordedEpisodes
from terrarium.envs.kernels.tables import NORTH

REACH = 5.75
"""Range of a Marine and both radii: who attacks from farther away still walks"""
REPLAYS = 8
"""Of each recorded situation, as few of ours come to a pair of shots that counts"""


@dataclass(frozen=True)
class Cases:
    """Pairs of shots in one situation, and those whose later shot hit another agent."""

    n: int
    switched: int

    @property
    def rate(self) -> Measured | None:
        return share(self.switched, self.n) if self.n else None

    def __add__(self, other: "Cases") -> "Cases":
        return Cases(self.n + other.n, self.switched + other.switched)


@dataclass(frozen=True)
class Switches:
    """What the last enemy did between two shots."""

    kept: Cases
    """its target attacked it in every step"""
    moved: Cases
    """its target moved in some step, and another agent attacked it in some step"""
    fled: Cases
    """those of them in which its target moved in every step"""


def count_switches(episodes: RecordedEpisodes) -> Switches:
    """Compare each shot of a last enemy with its shot before.

    The target of a shot is the agent that loses life. Both it and another agent must be alive
    when the later shot falls.
    """
    kept, moved, fled = [], [], []
    for i in range(len(episodes)):
        for before, after, old, new in _pairs_of_shots(episodes, i):
            alive = episodes.ally_life[i, after] > 0.0
            if not alive[old] or alive.sum() < 2:
                continue
            steps = slice(before + 1, after + 1)
            actions = episodes.actions[i, steps]  # [T, 3]
            shooter = int((episodes.enemy_life[i, after] > 0.0).argmax())
            away = episodes.ally_xy[i, steps] - episodes.enemy_xy[i, steps, shooter][:, None]
            near = np.hypot(away[..., 0], away[..., 1]) <= REACH
            attacks = (actions >= FIRST_TARGET) & near
            others = alive & (np.arange(len(alive)) != old)
            moves = (actions[:, old] >= NORTH) & (actions[:, old] < FIRST_TARGET)
            if attacks[:, old].all():
                kept.append(new != old)
            elif moves.any() and attacks[:, others].any():
                moved.append(new != old)
                if moves.all():
                    fled.append(new != old)
    return Switches(*(Cases(len(cases), sum(cases)) for cases in (kept, moved, fled)))


def _pairs_of_shots(episodes: RecordedEpisodes, i: int) -> Iterator[tuple[int, int, int, int]]:
    """Steps and victims of two hits in a row by the only enemy left."""
    last: tuple[int, int] | None = None
    length = int(episodes.length[i])
    lost = -np.diff(episodes.ally_life[i, :length], axis=0) > 0.5  # [T, 3]
    alone = (episodes.enemy_life[i, : length - 1] > 0.0).sum(axis=1) == 1
    for step in range(length - 1):
        n_hurt = int(lost[step].sum())
        if not alone[step] or n_hurt > 1:
            last = None
        elif n_hurt == 1:
            victim = int(lost[step].argmax())
            if last is not None and step > last[0]:
                yield last[0], step, last[1], victim
            last = (step, victim)


def target_switches(setting: FidelitySetting) -> list[Row]:
    """Rates in the recordings beside those of our battles, played on from where the recorded ones
    have one enemy and several agents left."""
    tails = setting.recorded.tails(one_left(setting.recorded))
    if not len(tails):
        return [Row("one enemy left", None, note="no such situation")]
    seeds = [setting.seed + k * OTHER_SEED for k in range(REPLAYS)]
    real = count_switches(tails)
    ours = [count_switches(replay(setting, tails, seed=seed)) for seed in seeds]
    return [
        _row("its target attacks it", real.kept, [one.kept for one in ours]),
        _row("its target moves, another attacks it", real.moved, [one.moved for one in ours]),
        _row("the same, it moves in every step", real.fled, [one.fled for one in ours]),
    ]


def one_left(episodes: RecordedEpisodes) -> NDArray[np.int64]:
    """[n] the first state with one enemy and more than one agent; -1: there is none"""
    enemies = (episodes.enemy_life > 0.0).sum(axis=2)
    agents = (episodes.ally_life > 0.0).sum(axis=2)
    going_on = np.arange(episodes.n_states) < episodes.length[:, None] - 1
    found = (enemies == 1) & (agents > 1) & going_on
    return np.where(found.any(axis=1), found.argmax(axis=1), -1)


def _row(situation: str, real: Cases, replays: Sequence[Cases]) -> Row:
    ours = sum(replays, Cases(0, 0))
    counts = f"{real.switched} of {real.n}; {ours.switched} of {ours.n}"
    label = f"one enemy left, {situation}: switches ({counts})"
    return Row(label, ours.rate, real.rate, PERCENT)
