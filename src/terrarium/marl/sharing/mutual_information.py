"""Sharing by mutual information: experience counts by how much returns tell of each other."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from terrarium.config import check_ranges
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.sharing_rule import Offer, SharingRule

N_BINS = 8
"""Returns of an agent are told apart by their eighth of all its returns"""


@dataclass(frozen=True)
class MutualInformationConfig(ShareConfig):
    """Sharing by what returns tell of each other."""

    rule: str = "mutual_information"
    window: int = 1500
    """number of past returns of an agent"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges("share", self, window=(2, 100_000))


class MutualInformation(SharingRule):
    """Sends what surprised an agent most; it counts by the share of a receiver's uncertainty about
    its return that the sender's return takes away."""

    Config: ClassVar[type[Any]] = MutualInformationConfig

    def __init__(self, cfg: MutualInformationConfig, n_agents: int, n_features: int) -> None:
        self._window = cfg.window
        self.returns = torch.zeros((0, n_agents))  # [W, A] of the last sequences, newest last

    def weigh(self, offer: Offer, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        new = returns_of(offer).cpu().float()
        known = self.returns if self.returns.shape[1] == new.shape[1] else new[:0]
        self.returns = torch.cat((known, new))[-self._window :]
        shares = shared_information(self.returns).to(offer.errors)  # [A, A]
        return offer.errors.abs(), shares * offer.pairs

    def state_dict(self) -> dict[str, Any]:
        return {"returns": self.returns}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.returns = state["returns"]


def returns_of(offer: Offer) -> Tensor:
    """[K, A] what each agent earned while it lived, in each of the sequences that were drawn."""
    earned = (offer.rewards.detach() * offer.there).flatten(0, 1)  # [R L, A]
    n_rows = int(offer.owner.max()) + 1
    total = earned.new_zeros((n_rows, earned.shape[-1]))
    return total.index_add_(0, offer.owner.flatten(), earned)


def shared_information(returns: Tensor) -> Tensor:
    """[A, A] of returns [W, A]: I(G_i; G_j) / H(G_j), from 0 to 1.

    Of independent returns few samples show some information: its mean, (bins - 1)^2 / 2 W (Miller
    1955), is subtracted. A return that never changes holds no information.
    """
    n_samples = len(returns)
    n_bins = max(2, min(N_BINS, int(n_samples**0.5)))
    # The rank of each return; equal ones fall into one bin, that of the first of them.
    ordered = returns.sort(0).values.T.contiguous()  # [A, W]
    first = torch.searchsorted(ordered, returns.T.contiguous()).T  # [W, A]
    bins = torch.nn.functional.one_hot(first * n_bins // n_samples, n_bins).double()  # [W, A, N]
    joint = torch.einsum("wim,wjn->ijmn", bins, bins) / n_samples  # [A, A, N, N]
    single = bins.mean(0)  # [A, N]
    entropy = torch.special.entr(single).sum(-1)  # [A]
    information = entropy[:, None] + entropy - torch.special.entr(joint).sum((-1, -2))
    used = (single > 0.0).sum(-1).double()  # [A]
    bias = (used[:, None] - 1) * (used - 1) / (2.0 * n_samples)
    shares = (information - bias) / entropy.clamp(min=1e-12)  # [A, A] of the receiver's entropy
    bounded: Tensor = shares.clamp(0.0, 1.0)
    return bounded
