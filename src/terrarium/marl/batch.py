"""Observations as tensors, and masked arithmetic."""

from dataclasses import dataclass, fields
from typing import Any

import torch
from torch import Tensor

from terrarium.envs.views import Views

LOWEST = torch.finfo(torch.float32).min


@dataclass(frozen=True)
class Obs:
    """Observations of all agents, and the global state; leading axes are free.

    `table` has a row for each unit, `mask` says which units an agent sees. Parts that the
    environment does not provide have no columns.
    """

    table: Tensor  # [..., M, F]
    pairs: Tensor  # [..., A, M, R]
    mask: Tensor  # [..., A, M] bool, which units an agent sees, itself included
    alive: Tensor  # [..., M] bool
    avail: Tensor  # [..., A, N] bool
    vector: Tensor  # [..., A, D]
    state: Tensor  # [..., S]

    @property
    def n_agents(self) -> int:
        return self.avail.shape[-2]

    @property
    def acting(self) -> Tensor:
        """[..., A] agents that are alive: the dead have the no-op only."""
        return ~self.avail[..., 0]

    @property
    def n_bytes(self) -> int:
        return sum(part.numel() * part.element_size() for part in parts(self))

    def __getitem__(self, key: Any) -> "Obs":
        return Obs(*(part[key] for part in parts(self)))

    def rows(self, index: Tensor) -> "Obs":
        """Some rows of the first axis; indexing takes half as long again for the same."""
        return Obs(*(part.index_select(0, index) for part in parts(self)))

    def to(self, device: torch.device) -> "Obs":
        return Obs(*(part.to(device) for part in parts(self)))

    def of_agents(self, some: Any) -> "Obs":
        """What some agents see, a slice or a list, as a team of their own; of vectors only: among
        units, agents are members as well."""
        pairs, mask = self.pairs[..., some, :, :], self.mask[..., some, :]
        avail, vector = self.avail[..., some, :], self.vector[..., some, :]
        return Obs(self.table, pairs, mask, self.alive, avail, vector, self.state)

    def swap(self) -> "Obs":
        """The first two axes the other way round: [T, B] and [B, T]."""
        return Obs(*(part.transpose(0, 1) for part in parts(self)))

    def merge(self, n: int = 2) -> "Obs":
        """The first `n` axes as one."""
        return Obs(*(part.flatten(0, n - 1) for part in parts(self)))


@dataclass(frozen=True)
class Own:
    """Reward and termination of each agent [..., A] in a step, or of the team [..., 1]."""

    rewards: Tensor
    terminated: Tensor  # bool: it was its last step, and nothing follows
    there: (
        Tensor  # bool: it was there when the step began; to the dead of a team the team's goes on
    )

    def __getitem__(self, key: Any) -> "Own":
        return Own(self.rewards[key], self.terminated[key], self.there[key])

    def to(self, device: torch.device) -> "Own":
        return Own(self.rewards.to(device), self.terminated.to(device), self.there.to(device))

    def of_agents(self, some: Any) -> "Own":
        """What became of some agents; if all are alike, the same."""
        if self.rewards.shape[-1] == 1:
            return self
        return self[..., some]

    def swap(self) -> "Own":
        """The first two axes the other way round: [T, B] and [B, T]."""
        return Own(*(x.transpose(0, 1) for x in (self.rewards, self.terminated, self.there)))

    def over(self, last: Tensor) -> Tensor:
        """[T, B, A or 1] the last step of each, given the last ones [T, B] of what hangs together.

        Who is not there in the next step has left, even if a time limit sent it away.
        """
        stays = torch.cat((self.there[1:], torch.ones_like(self.there[:1])))
        return last.unsqueeze(-1) | self.terminated | ~stays


def own_zeros(n_own: int, *n: int) -> Own:
    """Room for what became of each agent: [*n, A or 1]."""
    nothing = torch.zeros((*n, n_own), dtype=torch.bool)
    return Own(torch.zeros((*n, n_own)), nothing, nothing.clone())


def obs_zeros(obs: Obs, *n: int) -> Obs:
    """Zeros for many observations like this one: [*n, ...]."""
    return Obs(*(x.new_zeros((*n, *x.shape)) for x in parts(obs)))


def write_obs(room: Obs, where: tuple[Tensor, ...], obs: Obs) -> None:
    """Write what was seen where there is room for it."""
    for there, part in zip(parts(room), parts(obs), strict=True):
        there[where] = part.to(there)


def parts(obs: Obs) -> list[Tensor]:
    """Its tensors, in their order."""
    return [getattr(obs, field.name) for field in fields(obs)]


def obs_from_views(views: Views) -> Obs:
    """The views of an environment without a copy: the next step overwrites them."""
    return Obs(
        table=torch.from_numpy(views.table),
        pairs=torch.from_numpy(views.pairs),
        mask=torch.from_numpy(views.token_mask),
        alive=torch.from_numpy(views.table_mask),
        avail=torch.from_numpy(views.avail),
        vector=torch.from_numpy(views.obs),
        state=torch.from_numpy(views.state),
    )


def mask_unavailable(logits: Tensor, avail: Tensor) -> Tensor:
    """Logits of actions that may not be chosen become the lowest number there is."""
    return torch.addcmul(barred(avail, logits.dtype), logits, avail.to(logits.dtype))


def barred(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """0 where a mask is true and the lowest number elsewhere: what is added to logits.

    PyTorch's masked_fill and where take ten times as long on a CPU.
    """
    return mask.to(dtype).sub_(1.0).mul_(torch.finfo(dtype).max)


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
    at = (at * heap[..., -1]).unsqueeze(-1)
    return torch.searchsorted(heap, at, right=True).squeeze(-1)
