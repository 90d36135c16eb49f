"""Cores that remember: GRU and LSTM over whole stretches of time, through ends of episodes.

The loops over time are written out forwards and backwards. PyTorch's own kernels know no episodes:
they would need the stretches cut at every end, and padded or packed, which takes three to four
times as long on a CPU (docs/performance.md).
"""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from terrarium.marl.net_config import NetConfig, PartConfig
from terrarium.marl.nets.building_blocks import linear

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
        n_steps, n_rows, hidden_dim = len(drive), len(carry), weight.shape[1]
        gates = torch.empty_like(drive)
        kept, kept_cells, cells, bounded, out = drive.new_empty(5, n_steps, n_rows, hidden_dim)
        gate, soft, new, last = _steps(gates, (0, 4), (0, 2), (2, 3), (3, 4), hidden_dim=hidden_dim)
        let_in, forget = _steps(gates, (0, 1), (1, 2), hidden_dim=hidden_dim)
        told, kept_h, kept_c = drive.unbind(0), kept.unbind(0), kept_cells.unbind(0)
        cell, bound, outs = cells.unbind(0), bounded.unbind(0), out.unbind(0)
        goes_on = keep.unbind(0)
        h, c = carry.chunk(2, -1)
        for t in range(n_steps):
            torch.mul(h, goes_on[t], out=kept_h[t])
            torch.mul(c, goes_on[t], out=kept_c[t])
            torch.addmm(told[t], kept_h[t], weight.T, out=gate[t])
            soft[t].sigmoid_()
            new[t].tanh_()
            last[t].sigmoid_()
            torch.mul(forget[t], kept_c[t], out=cell[t]).addcmul_(let_in[t], new[t])
            torch.tanh(cell[t], out=bound[t])
            torch.mul(last[t], bound[t], out=outs[t])
            h, c = outs[t], cell[t]
        ctx.save_for_backward(gates, kept, kept_cells, bounded, weight, keep)
        return out, torch.cat((h, c), -1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_out: Tensor, d_carry: Tensor) -> Grads:
        gates, kept, kept_cells, bounded, weight, keep = ctx.saved_tensors
        n_steps, n_rows, hidden_dim = kept.shape
        let_in, forget, new, let_out = gates.chunk(4, -1)
        # Slopes of the gates do not wait for what comes back: all steps at once.
        d_gates = torch.empty_like(gates)
        slopes = gates.new_empty(n_steps, n_rows, 3, hidden_dim)  # of the cell by its three gates
        torch.mul(new, let_in * (1.0 - let_in), out=slopes[:, :, 0])
        torch.mul(kept_cells, forget * (1.0 - forget), out=slopes[:, :, 1])
        torch.mul(let_in, 1.0 - new.square(), out=slopes[:, :, 2])
        of_cell = (let_out * (1.0 - bounded.square())).unbind(0)
        of_last = (bounded * let_out * (1.0 - let_out)).unbind(0)
        passed, goes_on, came = (forget * keep).unbind(0), keep.unbind(0), d_out.unbind(0)
        d_gate, d_three, d_last = _steps(d_gates, (0, 4), (0, 3), (3, 4), hidden_dim=hidden_dim)
        slope = slopes.unbind(0)
        d_h, d_c = d_carry.chunk(2, -1)
        for t in reversed(range(n_steps)):
            d_h = d_h + came[t]
            d_c = torch.addcmul(d_c, d_h, of_cell[t])
            torch.mul(d_h, of_last[t], out=d_last[t])
            torch.mul(d_c.unsqueeze(1), slope[t], out=d_three[t].view(n_rows, 3, hidden_dim))
            d_h = (d_gate[t] @ weight).mul_(goes_on[t])
            d_c = d_c * passed[t]
        d_weight = d_gates.flatten(0, 1).T @ kept.flatten(0, 1)
        return d_gates, d_weight, torch.cat((d_h, d_c), -1), None


class GruScan(torch.autograd.Function):
    """Cho et al. (2014) as in cuDNN; gates are reset, update, new. Shapes as for the LSTM."""

    @staticmethod
    def forward(
        ctx: Any, drive: Tensor, weight: Tensor, carry: Tensor, keep: Tensor
    ) -> tuple[Tensor, Tensor]:
        n_steps, n_rows, hidden_dim = len(drive), len(carry), weight.shape[1]
        gates, recalled = torch.empty_like(drive), torch.empty_like(drive)
        kept, out = drive.new_empty(2, n_steps, n_rows, hidden_dim)
        both, reset, update, new = _steps(
            gates, (0, 2), (0, 1), (1, 2), (2, 3), hidden_dim=hidden_dim
        )
        told, told_new = _steps(drive, (0, 2), (2, 3), hidden_dim=hidden_dim)
        known, known_both, known_new = _steps(
            recalled, (0, 3), (0, 2), (2, 3), hidden_dim=hidden_dim
        )
        kept_h, outs, goes_on = kept.unbind(0), out.unbind(0), keep.unbind(0)
        h = carry
        for t in range(n_steps):
            torch.mul(h, goes_on[t], out=kept_h[t])
            torch.mm(kept_h[t], weight.T, out=known[t])
            torch.add(told[t], known_both[t], out=both[t]).sigmoid_()
            torch.addcmul(told_new[t], reset[t], known_new[t], out=new[t])
            torch.lerp(new[t].tanh_(), kept_h[t], update[t], out=outs[t])
            h = outs[t]
        ctx.save_for_backward(gates, recalled, kept, weight, keep)
        return out, h.clone()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_out: Tensor, d_carry: Tensor) -> Grads:
        gates, recalled, kept, weight, keep = ctx.saved_tensors
        n_steps, _, hidden_dim = kept.shape
        reset, update, new = gates.chunk(3, -1)
        # Slopes of the gates do not wait for what comes back: all steps at once.
        d_drive, d_recalled = torch.empty_like(gates), torch.empty_like(gates)
        of_new = ((1.0 - update) * (1.0 - new.square())).unbind(0)
        of_update = ((kept - new) * update * (1.0 - update)).unbind(0)
        of_reset = (recalled[..., 2 * hidden_dim :] * reset * (1.0 - reset)).unbind(0)
        resets, updates, goes_on = reset.unbind(0), update.unbind(0), keep.unbind(0)
        d_reset, d_update, d_new = _steps(d_drive, (0, 1), (1, 2), (2, 3), hidden_dim=hidden_dim)
        d_both, d_known, d_known_both, d_known_new = (
            *_steps(d_drive, (0, 2), hidden_dim=hidden_dim),
            *_steps(d_recalled, (0, 3), (0, 2), (2, 3), hidden_dim=hidden_dim),
        )
        came, d_h = d_out.unbind(0), d_carry
        for t in reversed(range(n_steps)):
            d_h = d_h + came[t]
            torch.mul(d_h, of_new[t], out=d_new[t])
            torch.mul(d_h, of_update[t], out=d_update[t])
            torch.mul(d_new[t], of_reset[t], out=d_reset[t])
            d_known_both[t].copy_(d_both[t])
            torch.mul(d_new[t], resets[t], out=d_known_new[t])
            d_h = torch.addmm(d_h * updates[t], d_known[t], weight).mul_(goes_on[t])
        d_weight = d_recalled.flatten(0, 1).T @ kept.flatten(0, 1)
        return d_drive, d_weight, d_h, None


def _steps(
    stretch: Tensor, *gates: tuple[int, int], hidden_dim: int
) -> tuple[tuple[Tensor, ...], ...]:
    """For each range of gates, its columns of [T, R, gates * H] step by step: T times [R, n * H].

    All views are made at once; made in the loop they take as long as the arithmetic.
    """
    return tuple(
        stretch[..., first * hidden_dim : end * hidden_dim].unbind(0) for first, end in gates
    )


class RecurrentCore(nn.Module):
    """A GRU or LSTM, one for all agents. A carry is what it remembers: [B, A, carry_size]."""

    Config: ClassVar[type[PartConfig]] = PartConfig
    kind: ClassVar[str]

    def __init__(self, net: NetConfig, cfg: PartConfig) -> None:
        super().__init__()
        kind, hidden_dim = self.kind, net.hidden_dim
        self.hidden_dim = hidden_dim
        n_gates = {"gru": 3, "lstm": 4}[kind]
        self.drive = linear(hidden_dim, n_gates * hidden_dim, gain=1.0)
        self.recall = linear(hidden_dim, n_gates * hidden_dim, gain=1.0, bias=False)
        if kind == "lstm":  # remember, until it is learned what to forget
            nn.init.ones_(self.drive.bias[hidden_dim : 2 * hidden_dim])

    @property
    def carry_size(self) -> int:
        return self.hidden_dim * (2 if self.kind == "lstm" else 1)

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry."""
        n_rows, n_steps, n_agents, hidden_dim = x.shape
        drive = self.drive(x.transpose(0, 1).reshape(n_steps, n_rows * n_agents, hidden_dim))
        keep = (~resets).T.to(x.dtype).repeat_interleave(n_agents, 1).unsqueeze(-1)  # [T, B A, 1]
        scan = LstmScan if self.kind == "lstm" else GruScan
        out, end = scan.apply(drive, self.recall.weight, carry.flatten(0, 1), keep)  # type: ignore[no-untyped-call]  # torch does not say
        features = out.view(n_steps, n_rows, n_agents, hidden_dim).transpose(0, 1)
        return features, end.view(n_rows, n_agents, -1)

    def remember(self, carry: Tensor, features: Tensor) -> Tensor:
        """The carry [B, A, C] of agents who have heard messages: their features [B, A, H] take the
        place of the output, bounded as that is."""
        return torch.cat((features.tanh(), carry[..., self.hidden_dim :]), -1)


class GruCore(RecurrentCore):
    """Gated recurrent units."""

    kind = "gru"


class LstmCore(RecurrentCore):
    """Long short-term memory."""

    kind = "lstm"


class NoCore(nn.Module):
    """Remembers nothing."""

    Config: ClassVar[type[PartConfig]] = PartConfig
    carry_size = 0

    def __init__(self, net: NetConfig, cfg: PartConfig) -> None:
        super().__init__()

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        return x, carry

    def remember(self, carry: Tensor, features: Tensor) -> Tensor:
        """Nothing, of messages either."""
        return carry
