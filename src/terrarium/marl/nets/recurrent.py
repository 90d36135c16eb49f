"""Cores that remember: GRU and LSTM over whole stretches of time, through ends of episodes.

The loops over time are written out forwards and backwards. PyTorch's own kernels know no episodes:
they would need the stretches cut at every end, and padded or packed, which takes three to four
times as long on a CPU (docs/performance.md).
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from terrarium.marl.nets.layers import linear

Grads = tuple[Tensor | None, ...]


class LstmScan(torch.autograd.Function):
    """Hochreiter and Schmidhuber (1997), with forget gates; gates are input, forget, new, output.

    drive [T, R, 4 H] is what the inputs say, weight [4 H, H] what the memory adds, carry [R, 2 H]
    output and cell; keep [T, R, 1] is 0 where an episode begins, and 1 elsewhere.
    """

    @staticmethod
    def forward(
        ctx: Any, drive: Tensor, weight: Tensor, carry: Tensor, keep: Tensor
    ) -> tuple[Tensor, Tensor]:
        n_steps, n_rows, width = len(drive), len(carry), weight.shape[1]
        gates = torch.empty_like(drive)
        h, c = carry.chunk(2, -1)
        kept, cells, bounded, out = drive.new_empty(4, n_steps, n_rows, width)
        kept_cells = torch.empty_like(kept)
        for t in range(n_steps):
            torch.mul(h, keep[t], out=kept[t])
            torch.mul(c, keep[t], out=kept_cells[t])
            torch.addmm(drive[t], kept[t], weight.T, out=gates[t])
            gates[t, :, : 2 * width].sigmoid_()
            gates[t, :, 2 * width : 3 * width].tanh_()
            gates[t, :, 3 * width :].sigmoid_()
            let_in, forget, new, let_out = gates[t].chunk(4, -1)
            torch.mul(forget, kept_cells[t], out=cells[t]).addcmul_(let_in, new)
            torch.tanh(cells[t], out=bounded[t])
            torch.mul(let_out, bounded[t], out=out[t])
            h, c = out[t], cells[t]
        ctx.save_for_backward(gates, kept, kept_cells, bounded, weight, keep)
        return out, torch.cat((h, c), -1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_out: Tensor, d_carry: Tensor) -> Grads:
        gates, kept, kept_cells, bounded, weight, keep = ctx.saved_tensors
        d_gates = torch.empty_like(gates)
        d_h, d_c = d_carry.chunk(2, -1)
        for t in reversed(range(len(gates))):
            let_in, forget, new, let_out = gates[t].chunk(4, -1)
            d_let_in, d_forget, d_new, d_let_out = d_gates[t].chunk(4, -1)
            d_h = d_h + d_out[t]
            d_c = torch.addcmul(d_c, d_h * let_out, 1.0 - bounded[t].square())
            torch.mul(d_h * bounded[t], let_out * (1.0 - let_out), out=d_let_out)
            torch.mul(d_c * new, let_in * (1.0 - let_in), out=d_let_in)
            torch.mul(d_c * kept_cells[t], forget * (1.0 - forget), out=d_forget)
            torch.mul(d_c * let_in, 1.0 - new.square(), out=d_new)
            d_h = (d_gates[t] @ weight) * keep[t]
            d_c = d_c * forget * keep[t]
        d_weight = d_gates.flatten(0, 1).T @ kept.flatten(0, 1)
        return d_gates, d_weight, torch.cat((d_h, d_c), -1), None


class GruScan(torch.autograd.Function):
    """Cho et al. (2014) as in cuDNN; gates are reset, update, new. Shapes as for the LSTM."""

    @staticmethod
    def forward(
        ctx: Any, drive: Tensor, weight: Tensor, carry: Tensor, keep: Tensor
    ) -> tuple[Tensor, Tensor]:
        n_steps, n_rows, width = len(drive), len(carry), weight.shape[1]
        gates, recalled = torch.empty_like(drive), torch.empty_like(drive)
        kept, out = drive.new_empty(2, n_steps, n_rows, width)
        h = carry
        for t in range(n_steps):
            torch.mul(h, keep[t], out=kept[t])
            torch.mm(kept[t], weight.T, out=recalled[t])
            reset, update, new = gates[t].chunk(3, -1)
            both = slice(0, 2 * width)
            torch.add(drive[t, :, both], recalled[t, :, both], out=gates[t, :, both]).sigmoid_()
            torch.addcmul(drive[t, :, 2 * width :], reset, recalled[t, :, 2 * width :], out=new)
            torch.lerp(new.tanh_(), kept[t], update, out=out[t])
            h = out[t]
        ctx.save_for_backward(gates, recalled, kept, weight, keep)
        return out, h.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_out: Tensor, d_carry: Tensor) -> Grads:
        gates, recalled, kept, weight, keep = ctx.saved_tensors
        width = weight.shape[1]
        d_drive, d_recalled = torch.empty_like(gates), torch.empty_like(gates)
        d_h = d_carry
        for t in reversed(range(len(gates))):
            reset, update, new = gates[t].chunk(3, -1)
            d_reset, d_update, d_new = d_drive[t].chunk(3, -1)
            d_h = d_h + d_out[t]
            torch.mul(d_h * (1.0 - update), 1.0 - new.square(), out=d_new)
            torch.mul(d_h * (kept[t] - new), update * (1.0 - update), out=d_update)
            last = recalled[t, :, 2 * width :]
            torch.mul(d_new * last, reset * (1.0 - reset), out=d_reset)
            d_recalled[t] = d_drive[t]
            d_recalled[t, :, 2 * width :] *= reset
            d_h = torch.addmm(d_h * update, d_recalled[t], weight) * keep[t]
        d_weight = d_recalled.flatten(0, 1).T @ kept.flatten(0, 1)
        return d_drive, d_weight, d_h, None


class RecurrentCore(nn.Module):
    """A GRU or LSTM, one for all agents. A carry is what it remembers: [B, A, carry_size]."""

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        self.kind, self.width = kind, width
        n_gates = {"gru": 3, "lstm": 4}[kind]
        self.drive = linear(width, n_gates * width, gain=1.0)
        self.recall = linear(width, n_gates * width, gain=1.0, bias=False)
        if kind == "lstm":  # remember, until it is learned what to forget
            nn.init.ones_(self.drive.bias[width : 2 * width])

    @property
    def carry_size(self) -> int:
        return self.width * (2 if self.kind == "lstm" else 1)

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry."""
        n_rows, n_steps, n_agents, width = x.shape
        drive = self.drive(x.transpose(0, 1).reshape(n_steps, n_rows * n_agents, width))
        keep = (~resets).T.to(x.dtype).repeat_interleave(n_agents, 1).unsqueeze(-1)  # [T, B A, 1]
        scan = LstmScan if self.kind == "lstm" else GruScan
        out, end = scan.apply(drive, self.recall.weight, carry.flatten(0, 1), keep)  # type: ignore[no-untyped-call]  # torch does not say
        features = out.view(n_steps, n_rows, n_agents, width).transpose(0, 1)
        return features, end.view(n_rows, n_agents, -1)


class NoCore(nn.Module):
    """Remembers nothing."""

    carry_size = 0

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        return x, carry
