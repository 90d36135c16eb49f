"""What is said about many runs at once, after Agarwal et al. 2021 ("Deep RL at the edge of the
statistical precipice"): interquartile mean, stratified bootstrap, probability of improvement.

Scores are a list of arrays, one for each scenario, with one number for each of its runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Scores = Sequence[Floats]
Statistic = Literal["iqm", "median", "mean", "gap"]
Reduction = Callable[[Sequence[Floats]], Floats]

N_RESAMPLES = 10_000
CONFIDENCE = 0.95
_TRIMMED = 0.25  # of the runs at each end
_OPTIMUM = 1.0  # a win rate cannot be better


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval; no interval if every scenario has a single run."""

    value: float
    low: float | None
    high: float | None


def iqm(parts: Sequence[Floats]) -> Floats:
    """The mean of the middle half of all runs of all scenarios, parts [..., R] -> [...]."""
    values = np.sort(np.concatenate(parts, axis=-1), axis=-1)  # [..., K]
    n = values.shape[-1]
    n_cut = int(_TRIMMED * n)
    middle: Floats = values[..., n_cut : n - n_cut].mean(axis=-1)
    return middle


def mean(parts: Sequence[Floats]) -> Floats:
    """The mean over scenarios of the mean over runs."""
    answer: Floats = _scenario_means(parts).mean(axis=-1)
    return answer


def median(parts: Sequence[Floats]) -> Floats:
    """The median over scenarios of the mean over runs."""
    answer: Floats = np.median(_scenario_means(parts), axis=-1)
    return answer


def optimality_gap(parts: Sequence[Floats]) -> Floats:
    """By how much the runs miss a win rate of 1, mean over scenarios."""
    return _OPTIMUM - mean([np.minimum(part, _OPTIMUM) for part in parts])


STATISTICS: Mapping[Statistic, Reduction] = {
    "iqm": iqm,
    "median": median,
    "mean": mean,
    "gap": optimality_gap,
}


def estimates(scores: Scores, has_optimum: bool = True) -> dict[Statistic, Estimate]:
    """Every statistic with its interval; all of them see the same resamples.

    Scores without an optimum, such as returns, have no gap to it.
    """
    drawn = resample(scores, N_RESAMPLES) if has_spread(scores) else None
    found: dict[Statistic, Estimate] = {}
    for name, reduce in STATISTICS.items():
        if name == "gap" and not has_optimum:
            continue
        spread = None if drawn is None else reduce(drawn)  # [N]
        found[name] = _estimate(float(reduce(scores)), spread)
    return found


def resample(scores: Scores, n_resamples: int) -> list[Floats]:
    """Draw runs anew with replacement, within each scenario for itself: arrays [N, R]."""
    # A generator of its own with a fixed seed: the same runs give the same numbers.
    rng = np.random.default_rng(0)
    return [part[rng.integers(len(part), size=(n_resamples, len(part)))] for part in scores]


def has_spread(scores: Scores) -> bool:
    """Whether there is anything to resample."""
    return any(len(part) > 1 for part in scores)


def probability_of_improvement(first: Scores, second: Scores) -> Estimate:
    """How likely a run of the first beats one of the second, mean over their common scenarios.

    Equal runs count half. The runs of both sides are resampled independently.
    """
    rng = np.random.default_rng(0)
    value = 0.0
    spread = np.zeros(N_RESAMPLES)
    for ours, theirs in zip(first, second, strict=True):
        ahead = ours[:, None] - theirs[None, :]  # [R, Q]
        wins = (ahead > 0.0) + 0.5 * (ahead == 0.0)  # [R, Q]
        value += float(wins.mean()) / len(first)
        # How often each run was drawn says the same as the list of drawn runs, and is shorter.
        shares = [_draw_shares(rng, len(side)) for side in (ours, theirs)]  # [N, R], [N, Q]
        spread += np.einsum("nr,rq,nq->n", shares[0], wins, shares[1], optimize=True) / len(first)
    return _estimate(value, spread if has_spread([*first, *second]) else None)


@dataclass(frozen=True)
class Profile:
    """The share of all runs whose score is above a number, for many numbers."""

    levels: Floats  # [P]
    shares: Floats  # [P]
    band: tuple[Floats, Floats] | None
    """95 % interval at each level"""


def performance_profile(scores: Scores, levels: Floats) -> Profile:
    """Which share of runs over all scenarios ends above each level."""
    runs = np.concatenate(scores)  # [K]
    above = (runs[:, None] > levels[None, :]).astype(np.float64)  # [K, P]
    if not has_spread(scores):
        return Profile(levels, above.mean(axis=0), None)
    rng = np.random.default_rng(0)
    weights = [_draw_shares(rng, len(part)) * len(part) for part in scores]
    spread = np.concatenate(weights, axis=1) @ above / len(runs)  # [N, P]
    return Profile(levels, above.mean(axis=0), interval(spread))


def interval(spread: Floats) -> tuple[Floats, Floats]:
    """The percentiles that hold 95 % of the resamples [N, ...]."""
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(spread, (tail, 1.0 - tail), axis=0)
    return low, high


def _estimate(value: float, spread: Floats | None) -> Estimate:
    if spread is None:
        return Estimate(value, None, None)
    low, high = interval(spread)
    return Estimate(value, float(low), float(high))


def _scenario_means(parts: Sequence[Floats]) -> Floats:
    return np.stack([part.mean(axis=-1) for part in parts], axis=-1)  # [..., M]


def _draw_shares(rng: np.random.Generator, n_runs: int) -> Floats:
    """For each resample, which share of its draws fell on each run [N, R]."""
    drawn = rng.multinomial(n_runs, np.full(n_runs, 1.0 / n_runs), size=N_RESAMPLES)
    return drawn / n_runs
