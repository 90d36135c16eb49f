"""Products over entities beside the formulas that they stand for."""

import pytest
import torch
from torch import Tensor

from terrarium.marl.batch import LOWEST, mask_unavailable
from terrarium.marl.nets.entity_products import attend, pair_tokens, scores_of
from terrarium.marl.nets.rows import put_rows, take_rows
from terrarium.marl.nets.unit_columns import read_columns


def assert_same(ours: Tensor, theirs: Tensor, inputs: list[Tensor]) -> None:
    """The same outputs, and the same gradients of some sum of them."""
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-5)
    weigh = torch.randn_like(theirs)
    grads = [torch.autograd.grad((x * weigh).sum(), inputs) for x in (ours, theirs)]
    for one, other in zip(*grads, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


def drawn(*shape: int) -> Tensor:
    return torch.randn(*shape, requires_grad=True)


@pytest.mark.parametrize("n_queries", [1, 4, 40])
@pytest.mark.parametrize("n_members", [1, 2, 6, 9, 16, 33])
def test_attention_is_its_formula(n_queries: int, n_members: int) -> None:
    torch.manual_seed(0)
    queries, tokens = drawn(12, n_queries, 16), drawn(12, n_members, 16)
    mask = torch.rand(12, n_members) < 0.6
    mask[:6, 0] = True
    with torch.no_grad():
        queries[0] *= 1000.0  # one member gets it all
    scores = (queries @ tokens.mT * 0.25).masked_fill(~mask.unsqueeze(1), LOWEST)
    there = mask.any(1)[:, None, None]  # without members both are the mean of all
    ours = attend(queries, tokens, mask, 0.25)
    assert_same(ours * there, (scores.softmax(-1) @ tokens) * there, [queries, tokens])
    assert ours.isfinite().all()


@pytest.mark.parametrize(("n_verbs", "n_members"), [(1, 3), (1, 40), (4, 5), (4, 64)])
def test_scores_are_products(n_verbs: int, n_members: int) -> None:
    torch.manual_seed(0)
    queries, tokens = drawn(7, n_verbs, 16), drawn(7, n_members, 16)
    assert_same(scores_of(queries, tokens), queries @ tokens.mT, [queries, tokens])


def test_tokens_of_pairs_are_their_formula() -> None:
    torch.manual_seed(0)
    pairs, weight, units = drawn(5, 3, 6, 4), drawn(8, 4), drawn(5, 6, 8)
    theirs = (pairs @ weight.T + units.unsqueeze(1)).relu()
    assert_same(pair_tokens(pairs, weight, units), theirs, [pairs, weight, units])


def test_rows_are_taken_and_put_back() -> None:
    torch.manual_seed(0)
    x, index = drawn(9, 4), torch.tensor([7, 0, 3])
    assert_same(take_rows(x, index), x[index], [x])
    rows = drawn(3, 4)
    assert_same(put_rows(rows, index, 9), torch.zeros(9, 4).index_put((index,), rows), [rows])


def test_a_layer_reads_some_columns_and_the_last_ones() -> None:
    torch.manual_seed(0)
    x, layer = drawn(5, 2, 10), torch.nn.Linear(5, 3)
    theirs = layer(x[..., [1, 4, 6, 8, 9]])
    ours = read_columns(x, [1, 4, 6], layer)
    assert_same(ours, theirs, [x, layer.weight, layer.bias])


def test_unavailable_logits_are_the_lowest_number_and_learn_nothing() -> None:
    torch.manual_seed(0)
    logits, avail = 100.0 * torch.randn(6, 5), torch.rand(6, 5) < 0.5
    logits.requires_grad_()
    masked = mask_unavailable(logits, avail)
    assert masked.equal(logits.masked_fill(~avail, LOWEST))
    assert mask_unavailable(masked, avail).equal(masked)
    (grad,) = torch.autograd.grad(masked.sum(), logits)
    assert grad.equal(avail.float())
