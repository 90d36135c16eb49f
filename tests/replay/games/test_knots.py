"""Knots stay within what `LINES` promises, and steady things need few of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from terrarium.replay.games.game_frames import LINES, STEPS, Knots, layer_at
from terrarium.replay.games.knots import LayerRuns, LineKnots, StepKnots

N_SLOTS = 5
COLUMNS = [field for line in LINES.values() for field in line.names]


def sampled(values: NDArray[np.float64], ticks: NDArray[np.int64]) -> dict[str, Knots]:
    """[samples, slots, columns] of units that are there all the time."""
    knots = LineKnots(values.shape[1])
    lives, all_ = np.arange(values.shape[1]), np.ones(values.shape[1], np.bool_)
    for n, tick in enumerate(ticks.tolist()):
        knots.push(n, tick, values[n], lives, all_ if n == 0 else ~all_, all_ if n else ~all_)
    knots.finish(lives, lives)
    return knots.knots(values.shape[1])


def drawn(knots: Knots, unit: int, ticks: NDArray[np.int64]) -> NDArray[np.float64]:
    """[samples, fields] the lines of a unit, as a viewer joins them."""
    part = slice(knots.first[unit], knots.first[unit + 1])
    times = ticks[knots.sample[part]]
    fields = range(knots.values.shape[1])
    return np.stack([np.interp(ticks, times, knots.values[part, k]) for k in fields], axis=1)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32), jump=st.floats(0.0, 3.0), gap=st.integers(1, 22))
def test_lines_pass_every_sample_within_the_tolerance(seed: int, jump: float, gap: int) -> None:
    draws = np.random.default_rng(seed)
    ticks = np.cumsum(draws.integers(1, gap + 1, 200))
    values = 100.0 + np.cumsum(jump * draws.standard_normal((200, N_SLOTS, len(COLUMNS))), axis=0)
    values[:, :, 5:] = draws.random((200, N_SLOTS, len(COLUMNS) - 5))
    # One unit goes straight on, another stands and goes by turns.
    values[:, 0, :2] = 20.0 + 0.1 * (ticks - ticks[0])[:, None]
    values[:, 1, 0] = 50.0 + np.maximum(0.0, np.sin(ticks / 40.0))
    found = sampled(values, ticks)
    column = 0
    for name, line in LINES.items():
        width = len(line.names)
        for unit in range(N_SLOTS):
            true = np.clip(values[:, unit, column : column + width], 0.0, 65_535 / line.steps)
            off = np.abs(drawn(found[name], unit, ticks) / line.steps - true)
            assert off.max() <= line.error + 1e-9
        column += width


def test_a_straight_way_has_two_knots() -> None:
    ticks = np.arange(0, 4000, 4)
    values = np.zeros((1000, 1, len(COLUMNS)))
    values[:, 0, 0] = 10.0 + ticks * 0.0273
    values[:, 0, 1] = 90.0 - ticks * 0.0191
    found = sampled(values, ticks)
    assert all(len(knots.sample) == 2 for knots in found.values())
    assert found["place"].sample.tolist() == [0, 999]


def test_a_jump_takes_one_sample() -> None:
    ticks = np.arange(0, 400, 4)
    values = np.zeros((100, 1, len(COLUMNS)))
    values[50:, 0, 0] = 30.0
    place = sampled(values, ticks)["place"]
    assert place.sample.tolist() == [0, 49, 50, 99]
    assert place.values[:, 0].tolist() == [
        0,
        0,
        30 * LINES["place"].steps,
        30 * LINES["place"].steps,
    ]


def test_a_slot_that_is_used_again_has_two_units() -> None:
    knots = LineKnots(1)
    on, off = np.ones(1, np.bool_), np.zeros(1, np.bool_)
    row = np.zeros((1, len(COLUMNS)))
    first, second = np.zeros(1, np.int64), np.ones(1, np.int64)
    knots.push(0, 0, row + 1.0, first, on, off)
    knots.push(1, 4, row + 1.0, first, off, on)
    knots.finish(np.zeros(1, np.int64), first)
    knots.push(2, 8, row + 9.0, second, on, off)
    knots.push(3, 12, row + 9.0, second, off, on)
    knots.finish(np.zeros(1, np.int64), second)
    hp = knots.knots(2)["hp"]
    assert hp.first.tolist() == [0, 2, 4]
    assert hp.sample.tolist() == [0, 1, 2, 3]
    assert hp.values[:, 0].tolist() == [4, 4, 36, 36]


def test_steps_are_kept_where_they_change() -> None:
    knots = StepKnots(2)
    lives, on, off = np.arange(2), np.ones(2, np.bool_), np.zeros(2, np.bool_)
    values = [[3, 3], [3, 4], [3, 4], [5, 4]]
    for n, row in enumerate(values):
        column = np.array(row)[:, None]
        knots.push(n, "kind", column, lives, off if n else on, on if n else off)
    kind = knots.knots(2)["kind"]
    assert kind.first.tolist() == [0, 2, 4]
    assert kind.sample.tolist() == [0, 3, 0, 1]
    assert kind.values[:, 0].tolist() == [3, 5, 3, 4]
    assert set(knots.knots(2)) == set(STEPS)


@settings(max_examples=60)
@given(st.lists(st.lists(st.booleans(), min_size=12, max_size=12), min_size=1, max_size=8))
def test_a_layer_comes_back_at_every_time(pictures: list[list[bool]]) -> None:
    runs = LayerRuns(12)
    for n, cells in enumerate(pictures):
        runs.push(3 * n, np.array(cells))
    layer = runs.layer()
    for n, cells in enumerate(pictures):
        for sample in (3 * n, 3 * n + 2):
            assert layer_at(layer, sample, 12).tolist() == cells
