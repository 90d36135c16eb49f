"""The numbers of a comparison, against what one would compute by hand."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from terrarium.report.groups import group_runs
from terrarium.report.summary import Summary, curve_of, interpolate, summarize
from terrarium.report.table import cells, csv_text, minutes_text, steps_text
from tests.report.folders import learning, load

rates = st.floats(0.0, 1.0, allow_subnormal=False)
points = st.lists(
    st.tuples(st.integers(0, 2**53), rates), min_size=1, max_size=8, unique_by=lambda p: p[0]
)


def naive_value(x: float, xs: list[float], ys: list[float]) -> float:
    """A win rate between two evaluations, or the last one."""
    for (x0, y0), (x1, y1) in itertools.pairwise(zip(xs, ys, strict=True)):
        if x0 <= x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return ys[-1]


def summary_of(folder: Path, curves: list[list[float]], **kwargs: float) -> Summary:
    runs = [load(folder / str(s), c, run__seed=s, **kwargs) for s, c in enumerate(curves)]
    (group,) = group_runs(runs)
    return summarize(group)


@given(points, st.lists(st.integers(0, 2**53), max_size=8))
def test_interpolation_is_exact_at_evaluations_and_never_leaves_their_range(
    pairs: list[tuple[int, float]], between: list[int]
) -> None:
    x, y = np.array(sorted(pairs)).T
    assert (interpolate(x, x, y) == y).all()
    grid = np.array([*between, x[0], x[-1] + 1.0], np.float64)
    values = interpolate(grid, x, y)
    assert ((values >= y.min()) & (values <= y.max())).all()
    assert values[-1] == y[-1]
    for place, value in zip(grid, values, strict=True):
        if place >= x[0]:
            # Two roads to one number, each with a few roundings of numbers up to 1.
            assert value == pytest.approx(naive_value(place, list(x), list(y)), abs=1e-12)


@given(st.lists(points, min_size=2, max_size=7))
def test_the_mean_lies_in_its_band_and_the_band_between_the_runs(
    tmp_path_factory: pytest.TempPathFactory, curves: list[list[tuple[int, float]]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    runs = []
    for seed, pairs in enumerate(curves):
        steps, win_rates = zip(*sorted(pairs), strict=True)
        runs.append(
            load(folder / str(seed), win_rates, steps=steps, steps_per_s=1e9, run__seed=seed)
        )
    curve = curve_of(runs, "steps")
    assert curve.band is not None
    low, high = curve.band
    assert (low <= high).all()
    if len(runs) < 5:  # the percentiles of a bootstrap need not hold a mean of few, odd runs
        assert ((low <= curve.mean + 1e-15) & (curve.mean <= high + 1e-15)).all()
    begin, end = max(run.steps[0] for run in runs), min(run.steps[-1] for run in runs)
    assert ((curve.x >= begin) & (curve.x <= end)).all()
    if begin <= end:
        assert {begin, end} <= set(curve.x)


def test_few_seeds_have_a_band_from_the_lowest_to_the_highest(tmp_path: Path) -> None:
    runs = [
        load(tmp_path / "a", (0.0, 0.4, 1.0), steps=(0, 100, 200), run__max_steps=200),
        load(tmp_path / "b", (0.2, 0.8), steps=(0, 200), run__max_steps=200),
    ]
    curve = curve_of(runs, "steps")
    assert curve.band is not None
    assert curve.x.tolist() == [0.0, 100.0, 200.0]
    np.testing.assert_allclose(curve.mean, [0.1, 0.45, 0.9])
    np.testing.assert_allclose(curve.band, [[0.0, 0.4, 0.8], [0.2, 0.5, 1.0]])


def test_five_seeds_have_the_bootstrap_interval_of_their_mean(tmp_path: Path) -> None:
    finals = [0.1, 0.3, 0.5, 0.6, 0.9]
    runs = [load(tmp_path / str(s), (0.0, final)) for s, final in enumerate(finals)]
    curve = curve_of(runs, "steps")
    assert curve.band is not None
    # All 5^5 resamples, instead of some of them.
    means = [math.fsum(drawn) / 5 for drawn in itertools.product(finals, repeat=5)]
    exact = np.quantile(means, (0.025, 0.975))
    # The quantile of 2000 draws of a spread of 0.12 is off by about 0.01.
    np.testing.assert_allclose([curve.band[0][-1], curve.band[1][-1]], exact, atol=0.025)
    again = curve_of(runs, "steps")
    assert again.band is not None
    assert (again.band[0] == curve.band[0]).all()


def test_a_single_run_is_its_evaluations_without_a_band(tmp_path: Path) -> None:
    run = load(tmp_path / "a", (0.0, 0.5, 0.4), steps=(0, 60, 120), steps_per_s=1.0)
    curve = curve_of([run], "minutes")
    assert curve.band is None
    assert (curve.x.tolist(), curve.mean.tolist()) == ([0.0, 1.0, 2.0], [0.0, 0.5, 0.4])


def test_a_run_is_held_after_its_target_but_not_after_its_death(tmp_path: Path) -> None:
    stop = {"run__max_steps": 400, "run__target_win_rate": 0.9}
    long = load(tmp_path / "a", (0.0, 0.2, 0.4), steps=(0, 200, 400), **stop)
    done = load(tmp_path / "b", (0.0, 1.0), steps=(0, 200), **stop)
    dead = load(tmp_path / "c", (0.0, 0.8), steps=(0, 200), **stop)
    held = curve_of([long, done], "steps")
    assert held.x.tolist() == [0.0, 200.0, 400.0]
    np.testing.assert_allclose(held.mean, [0.0, 0.6, 0.7])
    assert curve_of([long, dead], "steps").x.tolist() == [0.0, 200.0]
    assert curve_of([done, done], "steps").x.tolist() == [0.0, 200.0]


@pytest.mark.parametrize("n_late", [1, 5])
def test_runs_without_a_common_stretch_have_no_curve(tmp_path: Path, n_late: int) -> None:
    runs = [load(tmp_path / "early", (0.1, 0.2), steps=(0, 100))]
    runs += [load(tmp_path / str(i), (0.1, 0.2), steps=(200, 300)) for i in range(n_late)]
    assert len(curve_of(runs, "steps").x) == 0


def test_ten_thousand_evaluations_are_thinned(tmp_path: Path) -> None:
    steps = range(0, 100_010, 10)
    rates = [step / 100_000 for step in range(0, 100_010, 10)]
    runs = [load(tmp_path / str(s), [min(1.0, r) for r in rates], steps=steps) for s in (0, 1)]
    curve = curve_of(runs, "steps")
    assert len(curve.x) == 1000
    np.testing.assert_allclose(curve.mean, np.minimum(curve.x / 100_000, 1.0), atol=1e-12)


def test_the_row_of_a_group(tmp_path: Path) -> None:
    curves = [[0.0, 0.5, 0.9, 0.8], [0.1, 0.6, 0.7, 1.0], [0.0, 0.2, 0.4, 0.6]]
    row = summary_of(tmp_path, curves, run__max_steps=3000, steps_per_s=10.0)
    assert (row.n_runs, row.seeds) == (3, (0, 1, 2))
    assert row.final_mean == pytest.approx(0.8)
    assert (row.final_worst, row.final_best, row.best_evaluation) == (0.6, 1.0, 1.0)
    half, most, nearly_all = row.reached
    assert (half.n_runs, half.steps, half.minutes) == (3, 1000.0, pytest.approx(1000 / 600))
    # 2000, 3000 and never: the median is 3000.
    assert (most.n_runs, most.steps) == (2, 3000.0)
    assert (nearly_all.n_runs, nearly_all.steps, nearly_all.minutes) == (1, None, None)
    assert row.steps_per_s == pytest.approx(10.0)
    assert cells(row) == [
        *("smac/3m", "mappo", "3", "80.0%", "60.0% - 100.0%", "100.0%"),
        *("1k, 1.7 min", "3k, 5.0 min (2/3)", "-", "10"),
    ]


def test_just_half_of_the_runs_are_enough(tmp_path: Path) -> None:
    curves = [[0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0] * 4, [0.0] * 4]
    row = summary_of(tmp_path, curves, run__max_steps=3000)
    assert [reached.steps for reached in row.reached] == [2000.0] * 3


def test_a_run_without_a_clock_has_no_speed(tmp_path: Path) -> None:
    row = summary_of(tmp_path, [[0.0, 1.0]], steps_per_s=math.inf)
    assert row.steps_per_s is None
    assert cells(row)[-1] == "-"


def test_csv_holds_every_number(tmp_path: Path) -> None:
    rows = [summary_of(tmp_path, [learning(0.9, 12, seed) for seed in range(3)])]
    heading, line = csv_text(rows).splitlines()
    record = dict(zip(heading.split(","), line.split(","), strict=True))
    assert record["seeds"] == "0 1 2"
    assert float(record["final_mean"]) == rows[0].final_mean
    assert float(record["steps_to_50"]) == rows[0].reached[0].steps
    assert record["steps_to_95"] == ""


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (0, "0"),
        (950, "950"),
        (999.9, "1k"),
        (12_500, "12.5k"),
        (999_999, "1M"),
        (1_250_000, "1.25M"),
        (2e9, "2B"),
        (2**63 - 1, "9.22e+18"),
    ],
)
def test_steps_are_short(steps: float, text: str) -> None:
    assert steps_text(steps) == text


def test_minutes_are_short() -> None:
    assert [minutes_text(m) for m in (0.04, 9.94, 9.96, 1234.5)] == [
        *("0.0 min", "9.9 min", "10 min", "1,234 min")
    ]
