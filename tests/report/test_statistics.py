"""The statistics of many runs, against rliable's own values and against naive versions."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from terrarium.report.aggregate import iqm_curve, left_out, statistics_of
from terrarium.report.final_table import (
    cells,
    curves_csv,
    improvement_csv,
    json_statistics,
    statistics_csv,
)
from terrarium.report.groups import group_runs
from terrarium.report.statistics import (
    STATISTICS,
    Floats,
    estimates,
    iqm,
    performance_profile,
    probability_of_improvement,
    resample,
)
from tests.report.folders import load

# Runs [R, scenarios M], as rliable has them.
A = [
    *([0.707, 0.816, 0.431], [0.815, 0.709, 0.575], [0.9, 0.582, 0.703]),
    *([0.96, 0.439, 0.811], [0.993, 0.284, 0.897]),
]
B = [
    *([0.936, 0.269, 0.715], [0.989, 0.134, 0.84], [0.998, 0.034, 0.933]),
    *([0.963, 0.007, 0.988], [0.887, 0.083, 0.999]),
]
C = [[0.822], [0.914], [0.974], [0.999], [0.989], [0.943], [0.864]]
D = [
    *([0.8, 0.7, 0.5, 0.9, 0.2, 1.0], [0.9, 0.6, 0.6, 0.8, 0.3, 1.0]),
    [0.9, 0.5, 0.7, 0.7, 0.5, 0.9],
]
E = [
    *([0.9, 0.3, 0.7, 0.6, 0.4, 0.9], [1.0, 0.2, 0.8, 0.5, 0.5, 0.8]),
    *([1.0, 0.1, 0.9, 0.3, 0.7, 0.6], [1.0, 0.0, 1.0, 0.2, 0.8, 0.5]),
]

# rliable 1.2.0 (arch 7.2, NumPy 2.4, SciPy 1.17): aggregate_iqm, _median, _mean, _optimality_gap,
# and get_interval_estimates of the same with 50000 repetitions.
RLIABLE = {
    "A": (
        (0.735, 0.6834, 0.7081333333333332, 0.2918666666666666),
        ((0.62589, 0.81778), (0.5646, 0.8194), (0.6286, 0.78593), (0.21407, 0.3714)),
    ),
    "B": (
        (0.7405555555555554, 0.8949999999999999, 0.6516666666666665, 0.3483333333333333),
        ((0.67622, 0.79433), (0.7946, 0.9628), (0.6084, 0.6938), (0.3062, 0.3916)),
    ),
    "C": (
        (0.9368000000000001, 0.9292857142857143, 0.9292857142857143, 0.07071428571428573),
        ((0.873, 0.982), (0.88171, 0.97229), (0.88171, 0.97229), (0.02771, 0.11829)),
    ),
    "D": (
        (0.7200000000000001, 0.7000000000000001, 0.6944444444444445, 0.3055555555555556),
        ((0.67, 0.77), (0.65, 0.76667), (0.65556, 0.73333), (0.26667, 0.34444)),
    ),
    "E": (
        (0.65, 0.6500000000000001, 0.6125, 0.38750000000000007),
        ((0.56667, 0.725), (0.55, 0.75), (0.5625, 0.66667), (0.33333, 0.4375)),
    ),
}
RUNS = {"A": A, "B": B, "C": C, "D": D, "E": E}


def parts(runs: list[list[float]]) -> list[Floats]:
    return list(np.array(runs).T.copy())


@pytest.mark.parametrize("name", RLIABLE)
def test_values_and_intervals_are_those_of_rliable(name: str) -> None:
    values, intervals = RLIABLE[name]
    found = estimates(parts(RUNS[name]))
    assert list(found) == ["iqm", "median", "mean", "gap"]
    for estimate, value, ends in zip(found.values(), values, intervals, strict=True):
        assert estimate.value == pytest.approx(value, abs=1e-12)
        # A percentile of 10000 draws with a spread below 0.07 is off by some thousandths; where
        # scores are round, it may fall on the next step: medians of E come in steps of 1/80.
        assert (estimate.low, estimate.high) == pytest.approx(ends, abs=1 / 80 + 1e-9)


@pytest.mark.parametrize(
    ("first", "second", "value", "ends"),
    [  # rliable 1.2.0: metrics.probability_of_improvement, 4000 repetitions
        (A, B, 0.4666666666666666, (0.3466666666666667, 0.6133333333333333)),
        (D, E, 0.5347222222222222, (0.4861111111111111, 0.6041666666666666)),
        (E, D, 0.46527777777777773, (0.3958333333333333, 0.513888888888889)),
    ],
)
def test_the_probability_of_improvement_is_that_of_rliable(
    first: list[list[float]], second: list[list[float]], value: float, ends: tuple[float, float]
) -> None:
    found = probability_of_improvement(parts(first), parts(second))
    assert found.value == pytest.approx(value, abs=1e-12)
    # Probabilities of so few runs are multiples of a hundredth or so.
    assert (found.low, found.high) == pytest.approx(ends, abs=0.02)


@pytest.mark.parametrize(
    ("runs", "shares"),
    [  # rliable 1.2.0: library.create_performance_profile
        (A, [1.0, 1.0, 0.8, 0.4666666666666667, 0.0]),
        (B, [1.0, 0.7333333333333333, 0.6666666666666666, 0.6, 0.0]),
        (E, [0.9583333333333334, 0.8333333333333334, 0.5833333333333334, 0.4166666666666667, 0.0]),
    ],
)
def test_the_performance_profile_is_that_of_rliable(
    runs: list[list[float]], shares: list[float]
) -> None:
    profile = performance_profile(parts(runs), np.linspace(0.0, 1.0, 5))
    assert profile.shares.tolist() == pytest.approx(shares, abs=1e-12)
    assert profile.band is not None
    assert (profile.band[0] <= profile.shares).all()
    assert (profile.shares <= profile.band[1]).all()


def test_the_interval_is_that_of_all_resamples() -> None:
    scores = [np.array([0.1, 0.5, 0.9]), np.array([0.2, 0.8])]
    spread = []
    for left in itertools.product(scores[0], repeat=3):
        for right in itertools.product(scores[1], repeat=2):
            middle = sorted([*left, *right])[1:4]  # of five runs the outer quarters are one each
            spread.append(sum(middle) / 3)
    found = estimates(scores)["iqm"]
    assert found.value == pytest.approx((0.2 + 0.5 + 0.8) / 3)
    # The distribution has steps: a quantile of 10000 draws may fall on the next one.
    assert (found.low, found.high) == pytest.approx(np.quantile(spread, (0.025, 0.975)), abs=0.035)


def test_runs_are_drawn_within_their_scenario() -> None:
    low, high = np.array([0.0, 0.1]), np.array([0.9, 1.0, 0.95])
    drawn = resample([low, high], 500)
    assert [part.shape for part in drawn] == [(500, 2), (500, 3)]
    assert set(drawn[0].flat) == set(low)
    assert set(drawn[1].flat) == set(high)


def test_scenarios_may_have_different_numbers_of_runs_and_weigh_the_same() -> None:
    found = estimates([np.array([1.0]), np.array([0.0, 0.2, 0.4, 0.6])])
    assert found["mean"].value == pytest.approx((1.0 + 0.3) / 2)
    assert found["iqm"].value == pytest.approx((0.2 + 0.4 + 0.6) / 3)


def test_single_runs_have_no_interval() -> None:
    found = estimates([np.array([0.4]), np.array([0.8])])
    assert [(one.low, one.high) for one in found.values()] == [(None, None)] * len(STATISTICS)
    better = probability_of_improvement([np.array([0.4])], [np.array([0.4])])
    assert (better.value, better.low) == (0.5, None)
    assert performance_profile([np.array([0.4])], np.array([0.3, 0.4])).shares.tolist() == [1, 0]


@pytest.fixture
def many(tmp_path: Path) -> Path:
    return tmp_path


def test_labels_are_aggregated_over_the_scenarios_that_all_have(many: Path) -> None:
    runs = []
    for scenario, finals in (("smac/3m", (0.5, 0.75)), ("smac/8m", (0.125, 0.375))):
        for algo, more in (("mappo", 0.25), ("ippo", 0.0)):
            for seed, final in enumerate(finals):
                folder = many / f"{scenario.replace('/', '_')}_{algo}_{seed}"
                about = {"about__scenario": scenario, "about__algo": algo, "run__seed": seed}
                runs.append(load(folder, (0.0, final + more), **about))
    runs.append(load(many / "lone", about__algo="qmix"))
    groups = group_runs(runs)
    found = statistics_of(groups)
    assert [one.label for one in found.aggregates] == ["ippo", "mappo"]
    assert left_out(groups) == ["qmix"]
    assert [(row.scenario, row.label) for row in found.finals][:3] == [
        *(("", "ippo"), ("", "mappo"), ("smac/3m", "ippo")),
    ]
    mappo = found.aggregates[1].final
    assert mappo.n_runs == 4
    assert mappo.estimates["mean"].value == 0.6875
    assert mappo.estimates["iqm"].value == 0.6875
    assert cells(mappo, found)[:4] == ["both scenarios", "mappo", "4", "68.8% [56.2, 81.2]"]
    (better,) = [one for one in found.improvements if one.label == "mappo"]
    # On each scenario three of four pairs are won and one is a tie.
    assert (better.over, better.probability.value) == ("ippo", 0.875)
    assert "all,mappo,4,iqm,0.6875,0.5625,0.8125" in statistics_csv([found])
    assert "mappo,ippo,0.875," in improvement_csv([found])
    assert "all,mappo,iqm,steps,0.0,0.0,0.0,0.0" in curves_csv(groups, [found])
    assert json_statistics([found])["finals"][1]["estimates"]["mean"]["value"] == 0.6875


def test_the_iqm_curve_leaves_out_the_outer_quarters(many: Path) -> None:
    finals = (0.0, 0.5, 0.6, 1.0)
    runs = [load(many / str(s), (0.0, final), run__seed=s) for s, final in enumerate(finals)]
    curve = iqm_curve(group_runs(runs), "steps")
    assert curve.x.tolist() == [0.0, 100_000.0]
    np.testing.assert_allclose(curve.mean, [0.0, 0.55])
    assert curve.band is not None
    found = estimates([np.array(finals)])["iqm"]
    # The same draws or others: a percentile of 2000 resamples of a spread of 0.2.
    assert (curve.band[0][-1], curve.band[1][-1]) == pytest.approx(
        (found.low, found.high), abs=0.03
    )
    assert iqm([np.array(finals)]) == pytest.approx(0.55)
