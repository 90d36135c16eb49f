"""What learners look at: views of many battles as tensors, and the masked arithmetic they share."""

from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from terrarium.envs.kernels.tables import Views

LOWEST = torch.finfo(torch.float32).min


@dataclass(frozen=True)
class Look:
    """What teams see, in one step or in many: leading axes are free.

    `table` and `state` are everything about everybody; agents may know of the table what `mask`
    lets them see. Views that the environment does not show have no columns.
    """

    table: Tensor  # [..., M, F]
    pairs: Tensor  # [..., A, M, R]
    mask: Tensor  # [..., A, M] bool, whom an agent sees, itself included
    alive: Tensor  # [..., M] bool
    avail: Tensor  # [..., A, N] bool
    obs: Tensor  # [..., A, D]
    state: Tensor  # [..., S]

    @property
    def n_agents(self) -> int:
        return self.avail.shape[-2]

    @property
    def acting(self) -> Tensor:
        """[..., A] who may do something: the dead can only choose to do nothing."""
        return ~self.avail[..., 0]

    @property
    def n_bytes(self) -> int:
        return sum(part.numel() * part.element_size() for part in parts(self))

    def __getitem__(self, key: Any) -> "Look":
        return Look(*(part[key] for part in parts(self)))

    def to(self, device: torch.device) -> "Look":
        return Look(*(part.to(device) for part in parts(self)))

    def swap(self) -> "Look":
        """The first two axes the other way round: [T, B] and [B, T]."""
        return Look(*(part.transpose(0, 1) for part in parts(self)))

    def merge(self, n: int = 2) -> "Look":
        """The first `n` axes as one."""
        return Look(*(part.flatten(0, n - 1) for part in parts(self)))


def room_for(look: Look, *n: int) -> Look:
    """Room for many looks like this one: [*n, ...]."""
    return Look(*(x.new_zeros((*n, *x.shape)) for x in parts(look)))


def put_parts(room: Look, where: tuple[Tensor, ...], look: Look) -> None:
    """Write what was seen where there is room for it."""
    for there, part in zip(parts(room), parts(look), strict=True):
        there[where] = part.to(there)


def parts(look: Look) -> list[Tensor]:
    """Its tensors, in their order."""
    return [getattr(look, field.name) for field in fields(look)]


def look_at(views: Views) -> Look:
    """The views of an environment without a copy: the next step overwrites them."""
    return Look(
        table=torch.from_numpy(views.table),
        pairs=torch.from_numpy(views.pairs),
        mask=torch.from_numpy(views.token_mask),
        alive=torch.from_numpy(views.table_mask),
        avail=torch.from_numpy(views.avail),
        obs=torch.from_numpy(views.obs),
        state=torch.from_numpy(views.state),
    )


def mask_unavailable(logits: Tensor, avail: Tensor) -> Tensor:
    """Logits of actions that may not be chosen become the lowest number there is."""
    return logits.masked_fill(~avail, LOWEST)


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """The mean of the entries that count; 0 if none does."""
    weight = mask.to(values.dtype)
    return (values * weight).sum() / weight.sum().clamp(min=1.0)


def pick(values: Tensor, actions: Tensor) -> Tensor:
    """The entries [...] of `values` [..., N] that `actions` [...] name."""
    return values.gather(-1, actions.unsqueeze(-1)).squeeze(-1)


def draw(chances: Tensor, generator: torch.Generator) -> Tensor:
    """One action [...] by its chance [..., N]; what has no chance is never drawn.

    The random numbers come from the CPU whatever the device, so that a seed means the same there.
    """
    heap = chances.cumsum(-1)  # [..., N]
    at = torch.rand(chances.shape[:-1], generator=generator).to(chances.device)
    return (heap <= (at * heap[..., -1]).unsqueeze(-1)).sum(-1)
