"""Cores that remember: GRU and LSTM over whole stretches of an episode."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@dataclass(frozen=True)
class Stretches:
    """Rows of time [B, T], cut where an episode begins, so that a fused kernel sees whole pieces.

    Unrolled step by step in Python, an LSTM takes most of the time of learning.
    """

    piece: Tensor  # [B, T] the piece a step belongs to
    place: Tensor  # [B, T] which step of it
    row: Tensor  # [P] the row a piece lies in
    fresh: Tensor  # [P] begins with an episode; others go on from a carry
    length: Tensor  # [P]
    last: Tensor  # [B] the last piece of each row


def cut(resets: Tensor) -> Stretches:
    """`resets` [B, T] marks the first step of each episode."""
    n_rows, n_steps = resets.shape
    starts = resets.clone()
    starts[:, 0] = True
    piece = starts.flatten().cumsum(0).view(n_rows, n_steps) - 1  # [B, T]
    steps = torch.arange(n_steps).expand(n_rows, n_steps)
    begun = torch.where(starts, steps, 0).cummax(1).values
    row, first = starts.nonzero(as_tuple=True)  # [P], [P]
    return Stretches(
        piece=piece,
        place=steps - begun,
        row=row,
        fresh=resets[row, first],
        length=piece.flatten().bincount(),
        last=piece[:, -1],
    )


class RecurrentCore(nn.Module):
    """A GRU or LSTM, one for all agents. A carry is what it remembers: [B, A, carry_size]."""

    def __init__(self, kind: str, width: int) -> None:
        super().__init__()
        self.kind, self.width = kind, width
        self.cell = {"gru": nn.GRU, "lstm": nn.LSTM}[kind](width, width, batch_first=True)
        for name, weight in self.cell.named_parameters():
            if "weight" in name:
                nn.init.orthogonal_(weight)
            else:
                nn.init.zeros_(weight)

    @property
    def carry_size(self) -> int:
        return self.width * (2 if self.kind == "lstm" else 1)

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry."""
        n_rows, n_steps, n_agents, width = x.shape
        if n_steps == 1:
            begin = carry * ~resets[:, :1, None]  # [B, A, C]
            out, end = self._run(x.view(n_rows * n_agents, 1, width), begin.flatten(0, 1))
            return out.view(x.shape), end.view(carry.shape)
        cuts = cut(resets)
        n_pieces, longest = len(cuts.row), int(cuts.length.max())
        padded = x.new_zeros(n_pieces, longest, n_agents, width)
        padded = padded.index_put((cuts.piece, cuts.place), x)  # [P, L, A, H]
        begin = carry[cuts.row] * ~cuts.fresh[:, None, None]  # [P, A, C]
        sequences = padded.transpose(1, 2).reshape(n_pieces * n_agents, longest, width)
        lengths = cuts.length.repeat_interleave(n_agents)
        out, end = self._run(sequences, begin.flatten(0, 1), lengths)
        out = out.view(n_pieces, n_agents, longest, width).transpose(1, 2)  # [P, L, A, H]
        ends = end.view(n_pieces, n_agents, -1)[cuts.last]  # [B, A, C]
        return out[cuts.piece, cuts.place], ends

    def _run(
        self, x: Tensor, carry: Tensor, lengths: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """x [R, L, H], carry [R, C] -> features [R, L, H], carry after the last step."""
        n_parts = carry.shape[-1] // self.width
        parts = tuple(part.contiguous() for part in carry.unsqueeze(0).chunk(n_parts, -1))
        begin = parts if self.kind == "lstm" else parts[0]
        if lengths is None:
            out, end = self.cell(x, begin)
        else:
            packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
            packed, end = self.cell(packed, begin)
            out, _ = pad_packed_sequence(packed, batch_first=True, total_length=x.shape[1])
        state = torch.cat(end, -1) if self.kind == "lstm" else end
        return out, state.squeeze(0)


class NoCore(nn.Module):
    """Remembers nothing."""

    carry_size = 0

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        return x, carry
