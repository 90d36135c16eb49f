"""Some rows of a tensor, and back, with gradients that copy.

Rows are named at most once, so nothing has to be added up on the way back: PyTorch's own gradients
of indexing add row by row, since they cannot know.
"""

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


def take_rows(x: Tensor, index: Tensor) -> Tensor:
    """x [N, ...] -> the rows [n, ...] that the index [n] names, none of them twice."""
    taken: Tensor = _Take.apply(x, index)  # type: ignore[no-untyped-call]  # torch does not say
    return taken


def put_rows(rows: Tensor, index: Tensor, n: int) -> Tensor:
    """rows [k, ...] -> [n, ...] with the rows where the index [k] says, and zeros elsewhere."""
    put: Tensor = _Put.apply(rows, index, n)  # type: ignore[no-untyped-call]  # torch does not say
    return put


class _Take(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.n = len(x)
        return x.index_select(0, index)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (index,) = ctx.saved_tensors
        return grad.new_zeros((ctx.n, *grad.shape[1:])).index_copy_(0, index, grad), None


class _Put(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, index: Tensor, n: int) -> Tensor:
        ctx.save_for_backward(index)
        return rows.new_zeros((n, *rows.shape[1:])).index_copy_(0, index, rows)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (index,) = ctx.saved_tensors
        return grad.index_select(0, index), None, None
