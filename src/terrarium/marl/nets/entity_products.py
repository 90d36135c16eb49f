"""Products over entities, with gradients written out.

They compute what the formulas beside them say. What PyTorch makes of the formulas takes three to
four times as long on a CPU: for matrices as small as those of an agent and whom it sees it has
plain loops, its softmax of a handful of numbers costs more than the products, and the gradient of
a narrow weight is multiplied the slow way round (docs/performance.md).
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from terrarium.marl.batch import barred

PLAIN_LOOPS = 400
"""Below so many multiplications a matrix PyTorch multiplies batches in plain loops"""
NARROW = 16
"""Below so many columns softmax is faster step by step"""


def attend(queries: Tensor, tokens: Tensor, mask: Tensor, scale: float) -> Tensor:
    """softmax(scale queries tokens^T) tokens, over the tokens in the mask.

    queries [R, Q, K], tokens [R, M, K], mask [R, M], the same for all queries -> [R, Q, K].
    """
    seen: Tensor = _Attend.apply(queries, tokens, mask, scale)  # type: ignore[no-untyped-call]  # torch does not say
    return seen


def scores_of(queries: Tensor, tokens: Tensor) -> Tensor:
    """queries [R, V, K] tokens^T [R, K, M] -> [R, V, M]."""
    scores: Tensor = _Scores.apply(queries, tokens)  # type: ignore[no-untyped-call]  # torch does not say
    return scores


def pair_tokens(pairs: Tensor, weight: Tensor, units: Tensor) -> Tensor:
    """relu(pairs weight^T + units), where all observers share the units.

    pairs [B, A, M, R], weight [K, R], units [B, M, K] -> [B, A, M, K].
    """
    tokens: Tensor = _PairTokens.apply(pairs, weight, units)  # type: ignore[no-untyped-call]  # torch does not say
    return tokens


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, tokens: Tensor, mask: Tensor, scale: float) -> Tensor:
        queries = queries * scale
        scores = _products(queries, tokens.mT).add_(barred(mask, tokens.dtype).unsqueeze(1))
        weights = _softmax(scores)  # [R, Q, M]
        ctx.save_for_backward(queries, tokens, weights)
        ctx.scale = scale
        return _products(weights, tokens)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_seen: Tensor) -> tuple[Tensor, Tensor, None, None]:
        queries, tokens, weights = ctx.saved_tensors
        d_scores = _products(d_seen, tokens.mT).mul_(weights)
        d_scores = torch.addcmul(d_scores, weights, d_scores.sum(-1, keepdim=True), value=-1.0)
        # Tokens are compared and summed up: both ways back in one product.
        found, asked = torch.cat((d_scores, weights), 1), torch.cat((queries, d_seen), 1)
        d_queries = _products(d_scores, tokens) * ctx.scale
        return d_queries, _products(found.mT, asked), None, None


class _Scores(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, tokens: Tensor) -> Tensor:
        ctx.save_for_backward(queries, tokens)
        return _products(queries, tokens.mT)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_scores: Tensor) -> tuple[Tensor, Tensor]:
        queries, tokens = ctx.saved_tensors
        one = queries.shape[1] == 1
        d_tokens = d_scores.mT * queries if one else _products(d_scores.mT, queries)
        return _products(d_scores, tokens), d_tokens


class _PairTokens(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, pairs: Tensor, weight: Tensor, units: Tensor) -> Tensor:
        tokens = (pairs @ weight.T).add_(units.unsqueeze(-3)).relu_()
        ctx.save_for_backward(pairs, weight, tokens)
        return tokens

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        pairs, weight, tokens = ctx.saved_tensors
        grad = torch.ops.aten.threshold_backward(grad, tokens, 0.0)
        flat = grad.flatten(0, -2)
        d_weight = (pairs.flatten(0, -2).T @ flat).T  # five times as fast as flat.T @ pairs
        return grad @ weight if ctx.needs_input_grad[0] else None, d_weight, grad.sum(-3)


def _products(a: Tensor, b: Tensor) -> Tensor:
    """a [R, n, k] @ b [R, k, m] -> [R, n, m]; a few rows of zeros keep it out of plain loops."""
    n, wanted = a.shape[1], -(-PLAIN_LOOPS // (b.shape[1] * b.shape[2]))
    if n >= wanted or wanted > 2 * n + 2:
        return torch.bmm(a, b)
    return torch.bmm(torch.nn.functional.pad(a, (0, 0, 0, wanted - n)), b)[:, :n]


def _softmax(scores: Tensor) -> Tensor:
    """Over the last axis; may overwrite the scores."""
    if scores.shape[-1] >= NARROW:
        return scores.softmax(-1)
    scores = scores.sub_(scores.amax(-1, keepdim=True)).exp_()
    return scores.div_(scores.sum(-1, keepdim=True))
