"""The sum tree: what an array of priorities would do, only faster."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from terrarium.marl.buffers.sum_tree import SumTree

PRIORITY = st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1e6, allow_subnormal=False)


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[list[tuple[int, float]]]]:
    """A capacity, and updates of some rows each; a row may come twice in one."""
    capacity = draw(st.integers(1, 40))
    update = st.lists(st.tuples(st.integers(0, capacity - 1), PRIORITY), max_size=12)
    return capacity, draw(st.lists(update, min_size=1, max_size=6))


def updated(tree: SumTree, update: list[tuple[int, float]]) -> None:
    rows = torch.tensor([row for row, _ in update], dtype=torch.int64)
    tree.update(rows, torch.tensor([priority for _, priority in update], dtype=torch.float64))


@given(histories(), st.lists(st.floats(0.0, 1.0, exclude_max=True), min_size=1, max_size=20))
def test_the_tree_is_an_array_of_priorities(
    history: tuple[int, list[list[tuple[int, float]]]], shares: list[float]
) -> None:
    capacity, updates = history
    tree, plain = SumTree(capacity), [0.0] * capacity
    for update in updates:
        updated(tree, update)
        for row, priority in update:
            plain[row] = priority
    assert tree[torch.arange(capacity)].tolist() == plain
    assert tree.total == pytest.approx(sum(plain), rel=1e-12)
    assert tree.max == max(plain)
    fresh = SumTree(capacity)
    fresh.load_state_dict(tree.state_dict())
    assert torch.equal(fresh._tree, tree._tree)  # no trace of how it came about
    if tree.total == 0.0:
        return
    assert tree.min_positive == min(priority for priority in plain if priority > 0.0)
    at = torch.tensor(shares, dtype=torch.float64) * tree.total
    slack = 1e-12 * tree.total  # sums of other orders are rounded in other ways
    for place, row in zip(at.tolist(), tree.find(at).tolist(), strict=True):
        assert plain[row] > 0.0
        begin = sum(plain[:row])
        assert begin - slack <= place <= begin + plain[row] + slack


def test_of_a_row_that_comes_twice_the_last_priority_counts() -> None:
    tree = SumTree(1000)
    rows = torch.arange(10).repeat(500)
    tree.update(rows, torch.arange(5000.0))
    assert tree[torch.arange(10)].tolist() == list(range(4990, 5000))
    assert tree.total == sum(range(4990, 5000))


@pytest.mark.slow
def test_samples_come_by_priority() -> None:
    tree = SumTree(11)
    priorities = torch.tensor([0.0, 3.0, 0.5, 0.0, 0.0, 2.0, 1.0, 0.25, 4.0, 1.0, 0.0])
    tree.update(torch.arange(11), priorities)
    generator = torch.Generator().manual_seed(0)
    rows = torch.cat([tree.sample(1, generator) for _ in range(5000)])
    counts = rows.bincount(minlength=11).double()
    expected = 5000 * priorities.double() / priorities.sum()
    assert (counts[priorities == 0.0] == 0.0).all()
    drawn = priorities > 0.0
    misfit = float(((counts - expected).square()[drawn] / expected[drawn]).sum())
    assert misfit < 22.46  # exceeded once in a thousand with 6 degrees of freedom


def test_a_sample_draws_once_from_each_part_of_the_total() -> None:
    tree = SumTree(64)
    tree.update(torch.arange(64), torch.full((64,), 0.1))
    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        rows = tree.sample(16, generator)
        assert (rows // 4).tolist() == list(range(16))


def test_no_rounding_leads_to_a_row_without_priority() -> None:
    generator = torch.Generator().manual_seed(0)
    tree = SumTree(777)
    priorities = torch.rand(777, generator=generator, dtype=torch.float64) ** 20
    priorities[torch.rand(777, generator=generator) < 0.5] = 0.0
    priorities[-100:] = 0.0
    tree.update(torch.arange(777), priorities)
    rows = torch.cat([tree.sample(1000, generator), tree.find(torch.tensor([tree.total] * 3))])
    assert (tree[rows] > 0.0).all()


def test_a_kept_tree_draws_the_same_rows() -> None:
    generator = torch.Generator().manual_seed(0)
    tree, other = SumTree(100), SumTree(100)
    tree.update(torch.arange(50), torch.rand(50, generator=generator))
    other.load_state_dict(tree.state_dict())
    numbers = generator.get_state()
    expected = tree.sample(32, generator)
    generator.set_state(numbers)
    assert torch.equal(other.sample(32, generator), expected)
    kept = tree.state_dict()
    tree.update(torch.tensor([0]), torch.tensor([9.0]))
    assert kept["priorities"][0] != 9.0


def test_mistakes_are_not_kept() -> None:
    tree = SumTree(5)
    with pytest.raises(AssertionError, match="no row has a priority"):
        tree.sample(1, torch.Generator())
    for row, priority in ((5, 1.0), (-1, 1.0), (0, -1.0), (0, float("nan")), (0, float("inf"))):
        with pytest.raises(AssertionError):
            updated(tree, [(row, priority)])
    with pytest.raises(AssertionError, match="each row needs a priority"):
        tree.load_state_dict(SumTree(6).state_dict())
    assert tree.total == 0.0
