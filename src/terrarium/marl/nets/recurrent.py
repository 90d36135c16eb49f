"""Cores that remember: GRU and LSTM over whole stretches of time, through ends of episodes.

PyTorch's kernels know no episodes. Its LSTM gets steps in between that make it forget; its GRU is
slower than the loop over time that is written out here, forwards and backwards
(docs/performance.md).
"""

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from terrarium.marl.net_config import NetConfig, PartConfig
from terrarium.marl.nets.building_blocks import linear
from terrarium.marl.nets.rows import put_rows, take_rows

Grads = tuple[Tensor | None, ...]


class GruScan(torch.autograd.Function):
    """Cho et al. (2014) as in cuDNN; gates are reset, update, new.

    drive [T, R, 3 H] is what the inputs say, weight [3 H, H] what the memory adds, carry [R, H];
    keep [T, R, 1] is 0 where an episode begins, and 1 elsewhere.
    """

    @staticmethod
    def forward(
        ctx: Any, drive: Tensor, weight: Tensor, carry: Tensor, keep: Tensor
    ) -> tuple[Tensor, Tensor]:
        n_steps, n_rows, hidden_dim = len(drive), len(carry), weight.shape[1]
        gates, recalled = torch.empty_like(drive), torch.empty_like(drive)
        out = drive.new_empty(n_steps, n_rows, hidden_dim)
        both, reset, update, new = _steps(
            gates, (0, 2), (0, 1), (1, 2), (2, 3), hidden_dim=hidden_dim
        )
        told, told_new = _steps(drive, (0, 2), (2, 3), hidden_dim=hidden_dim)
        known, known_both, known_new = _steps(
            recalled, (0, 3), (0, 2), (2, 3), hidden_dim=hidden_dim
        )
        outs, goes_on = out.unbind(0), keep.unbind(0)
        begins = (keep == 0.0).flatten(1).any(1).tolist()  # in many steps no episode does
        h = carry
        for t in range(n_steps):
            h = h * goes_on[t] if begins[t] else h
            torch.mm(h, weight.T, out=known[t])
            torch.add(told[t], known_both[t], out=both[t]).sigmoid_()
            torch.addcmul(told_new[t], reset[t], known_new[t], out=new[t])
            h = torch.lerp(new[t].tanh_(), h, update[t], out=outs[t])
        kept = torch.cat((carry[None], out[:-1])).mul_(keep)  # before each step
        ctx.begins = begins
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
        (d_new,) = _steps(d_drive, (2, 3), hidden_dim=hidden_dim)
        d_known, d_reset, d_update, d_known_new = _steps(
            d_recalled, (0, 3), (0, 1), (1, 2), (2, 3), hidden_dim=hidden_dim
        )
        came = d_out.unbind(0)
        d_h = d_carry + came[-1]
        for t in reversed(range(n_steps)):
            torch.mul(d_h, of_new[t], out=d_new[t])
            torch.mul(d_h, of_update[t], out=d_update[t])
            torch.mul(d_new[t], of_reset[t], out=d_reset[t])
            torch.mul(d_new[t], resets[t], out=d_known_new[t])
            d_h = torch.addmm(d_h * updates[t], d_known[t], weight)
            d_h = d_h.mul_(goes_on[t]) if ctx.begins[t] else d_h
            d_h = d_h.add_(came[t - 1]) if t else d_h
        d_drive[..., : 2 * hidden_dim] = d_recalled[..., : 2 * hidden_dim]
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
    n_gates: ClassVar[int]
    n_states: ClassVar[int] = 1
    """numbers that each hidden unit remembers"""

    def __init__(self, net: NetConfig, cfg: PartConfig) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim = net.hidden_dim
        self.drive = linear(hidden_dim, self.n_gates * hidden_dim, gain=1.0)
        self.recall = linear(hidden_dim, self.n_gates * hidden_dim, gain=1.0, bias=False)

    @property
    def carry_size(self) -> int:
        return self.hidden_dim * self.n_states

    def remember(self, carry: Tensor, features: Tensor) -> Tensor:
        """The carry [B, A, C] of agents who have heard messages: their features [B, A, H] take the
        place of the output, bounded as that is."""
        return torch.cat((features.tanh(), carry[..., self.hidden_dim :]), -1)


class GruCore(RecurrentCore):
    """Gated recurrent units."""

    n_gates = 3

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry."""
        n_rows, n_steps, n_agents, hidden_dim = x.shape
        drive = self.drive(x.transpose(0, 1).reshape(n_steps, n_rows * n_agents, hidden_dim))
        keep = (~resets).T.to(x.dtype).repeat_interleave(n_agents, 1).unsqueeze(-1)  # [T, B A, 1]
        out, end = GruScan.apply(drive, self.recall.weight, carry.flatten(0, 1), keep)  # type: ignore[no-untyped-call]  # torch does not say
        features = out.view(n_steps, n_rows, n_agents, hidden_dim).transpose(0, 1)
        return features, end.view(n_rows, n_agents, -1)


SHUT = 1e4
"""A gate's input beyond which its output is 0 or 1 to the last bit"""


class LstmCore(RecurrentCore):
    """Long short-term memory; gates are input, forget, new, output.

    PyTorch's LSTM knows no episodes. Before the first step of each a step is put in that closes all
    gates, so that nothing of the state is left; behind the last step of shorter rows are steps that
    only keep the cell. Two inputs more, with weights that are not learned, work the gates.
    """

    n_gates, n_states = 4, 2

    def __init__(self, net: NetConfig, cfg: PartConfig) -> None:
        super().__init__(net, cfg)
        hidden_dim = self.hidden_dim
        # Remember, until it is learned what to forget.
        nn.init.ones_(self.drive.bias[hidden_dim : 2 * hidden_dim])
        works = torch.full((self.n_gates, hidden_dim, 2), -SHUT)
        works[1, :, 1] = SHUT
        self.register_buffer("works", works.flatten(0, 1), persistent=False)
        self.register_buffer("no_bias", torch.zeros(len(self.drive.bias)), persistent=False)
        self.works: Tensor  # [4 H, 2] close all gates; close all but the one that forgets
        self.no_bias: Tensor

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry."""
        n_rows, n_steps, n_agents, hidden_dim = x.shape
        carry = carry * ~resets[:, 0, None, None]
        begins = nn.functional.pad(resets[:, 1:], (1, 0))  # [B, T] a step is put in before
        n_begun = begins.cumsum(1)  # [B, T]
        n_more, weight = int(n_begun[:, -1].max()), self.drive.weight
        place = torch.arange(n_steps, device=x.device) + n_begun  # [B, T] of L = T + n_more
        index = (place * n_rows + torch.arange(n_rows, device=x.device).unsqueeze(1)).flatten()
        steps = put_rows(x.flatten(0, 1), index, (n_steps + n_more) * n_rows)  # [L B, A, H]
        if n_more:
            work = x.new_zeros((n_steps + n_more, n_rows, 2))
            rows, at = begins.nonzero(as_tuple=True)
            work[place[rows, at] - 1, rows, 0] = 1.0
            length = n_steps + n_begun[:, -1]  # [B]
            work[..., 1] = torch.arange(len(work), device=x.device).unsqueeze(1) >= length
            works = work.view(-1, 1, 2).expand(-1, n_agents, -1)
            steps, weight = torch.cat((steps, works), -1), torch.cat((weight, self.works), 1)
        weights = (weight, self.recall.weight, self.drive.bias, self.no_bias)
        state = [
            part.contiguous() for part in carry.flatten(0, 1)[None].chunk(2, -1)
        ]  # [1, B A, H]
        out, _, cell = torch.lstm(
            steps.view(n_steps + n_more, n_rows * n_agents, -1),
            state,
            weights,
            has_biases=True,
            num_layers=1,
            dropout=0.0,
            train=torch.is_grad_enabled(),
            bidirectional=False,
            batch_first=False,
        )
        features = take_rows(out.view(-1, n_agents, hidden_dim), index)  # [B T, A, H]
        features = features.view(x.shape)
        return features, torch.cat((features[:, -1], cell.view(n_rows, n_agents, -1)), -1)


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
