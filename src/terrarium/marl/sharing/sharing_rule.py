"""What a sharing rule is: it weighs experience for each pair of a sender and a receiver."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from terrarium.errors import TerrariumError
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


class SharingRule(Protocol):
    """Selects the experience that agents send; a class of your own inherits from it.

    It has `select`, or `weigh` where experience counts differently for each receiver.
    """

    Config: ClassVar[type[Any]] = ShareConfig
    learns: ClassVar[bool] = False
    """whether it wants to know how much experience has helped"""

    def __init__(self, cfg: Any, n_agents: int, n_features: int) -> None: ...

    def select(
        self, errors: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Per-agent TD errors [R, L, A] -> scores [R, L, A], and which experience is wanted.

        If more is wanted than the bandwidth lets through, the highest scores are sent.
        """
        raise TerrariumError(
            f"{type(self).__name__} has neither select nor weigh; the contract is in {__name__}"
        )

    def weigh(self, offer: Offer, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Scores [R, L, A], of which the highest are sent, as much as the bandwidth lets through;
        and how much each experience counts for each receiver, [R, L, A, A], or [R, L, A, 1] for all
        of them alike; 0: it is not sent."""
        score, wanted = self.select(offer.errors.detach(), offer.there, generator)
        return score, wanted.unsqueeze(-1).to(offer.errors.dtype)

    def learn(self, offer: Offer, help_: Tensor) -> None:
        """Take in how much experience has helped receivers, [R, L, A, A], see `help_of`."""
        return None  # most rules learn nothing

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        assert not state, "there is nothing to load"


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
