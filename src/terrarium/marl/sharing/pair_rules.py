"""Sharing rules that weigh experience for each pair of a sender and a receiver."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from terrarium.marl.sharing.config import ShareConfig


@dataclass(frozen=True)
class Offer:
    """The individual experience of a batch, from which something may be sent."""

    features: Tensor  # [R, L, A, H] of the agents, when it happened
    errors: Tensor  # [R, L, A] TD errors
    rewards: Tensor  # [R, L, A]
    there: Tensor  # [R, L, A] the agent was alive
    owner: Tensor  # [R, L] which of the drawn sequences a step belongs to

    @property
    def pairs(self) -> Tensor:
        """[R, L, A, A] sender, then receiver: both are alive, and they are two."""
        others = ~torch.eye(self.there.shape[-1], dtype=torch.bool, device=self.there.device)
        return self.there.unsqueeze(-1) & self.there.unsqueeze(-2) & others

    @property
    def inputs(self) -> Tensor:
        """[R, L, A, H + 2] what networks of rules read: features, and error and reward, of any
        size, on a logarithmic scale."""
        told = torch.stack((self.errors, self.rewards), -1)
        return torch.cat((self.features, told.sign() * told.abs().log1p()), -1).detach().float()


N_TOLD = 2
"""Columns of an offer's inputs beside the features"""


class PairRule(Protocol):
    """Weighs what is offered; some rules learn how much experience helps."""

    learns: ClassVar[bool]
    """whether it wants to know how much experience has helped"""

    def __init__(self, cfg: ShareConfig, n_agents: int, n_features: int) -> None: ...

    def weigh(self, offer: Offer) -> tuple[Tensor, Tensor]:
        """Scores [R, L, A], of which the highest are sent, as much as the bandwidth lets through;
        and how much each experience counts for each receiver, [R, L, A, A]; 0: it is not sent."""

    def learn(self, offer: Offer, help_: Tensor) -> None:
        """Take in how much experience has helped receivers, [R, L, A, A], see `help_of`."""

    def state_dict(self) -> dict[str, Any]: ...

    def load_state_dict(self, state: dict[str, Any]) -> None: ...


def help_of(before: Tensor, after: Tensor) -> Tensor:
    """[R, L, A, A] by how much squared errors [J, R, L, A] of receivers about everybody's
    experience fell in a gradient step.

    To first order that is the product of the receiver's gradients of this experience and of its
    whole loss; so it is also by how much learning from this experience lowers the whole loss.
    """
    fallen = (before.square() - after.square()).movedim(0, -1)  # [R, L, A, J]
    return fallen.expand(*fallen.shape[:-1], fallen.shape[-2])


def in_deviations(help_: Tensor, pairs: Tensor) -> Tensor:
    """Help of the pairs that there are, in root mean squares of it; 0 elsewhere."""
    known = help_.masked_fill(~pairs, 0.0).float()
    size = (known.square().sum() / pairs.sum().clamp(min=1)).sqrt()
    return known / size.clamp(min=1e-12)
