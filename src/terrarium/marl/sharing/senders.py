"""Sharing rules: which experience an agent sends (Gerstgrasser et al. 2023)."""

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import torch
from torch import Tensor

from terrarium.config import check_ranges, check_settings
from terrarium.import_paths import Contract, find_class
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.embedding import Embedding
from terrarium.marl.sharing.mutual_information import MutualInformation
from terrarium.marl.sharing.scorer import LearnedScorer
from terrarium.marl.sharing.sharing_rule import Offer, SharingRule


class Sender:
    """Marks what each agent sends, within the bandwidth."""

    def __init__(self, cfg: ShareConfig, n_agents: int, n_features: int) -> None:
        self.cfg = cfg
        self.rule = find_sharing_rule(cfg.rule)(cfg, n_agents, n_features)

    def mark(self, offer: Offer, generator: torch.Generator) -> Tensor:
        """[R, L, A, A or 1] how much what the first agent sends counts for the second one, or for
        all; 0: it is not sent."""
        score, weights = self.rule.weigh(offer, generator)
        wanted = offer.there & (weights > 0.0).any(-1)
        sent = within_bandwidth(wanted, score, offer.there, self.cfg.bandwidth)
        return weights * sent.unsqueeze(-1)

    def state_dict(self) -> dict[str, Any]:
        return self.rule.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.rule.load_state_dict(state)


class NoSharing(SharingRule):
    """Nothing is sent."""

    def __init__(self, cfg: ShareConfig, n_agents: int, n_features: int) -> None:
        """Nothing to set up."""

    def select(
        self, errors: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        return errors, torch.zeros_like(there)


@dataclass(frozen=True)
class WindowConfig(ShareConfig):
    """Sharing by a threshold on the last TD errors of an agent."""

    rule: str = "quantile"
    window: int = 1500
    """number of past TD errors of an agent"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges("share", self, window=(2, 100_000))


@dataclass(frozen=True)
class GaussianConfig(WindowConfig):
    """The same, by their mean and standard deviation."""

    rule: str = "gaussian"


class Window:
    """The last absolute TD errors of each agent."""

    def __init__(self, n_agents: int, length: int) -> None:
        self.errors = torch.full((n_agents, length), torch.nan)  # newest last

    def add(self, sizes: Tensor, there: Tensor) -> None:
        """The newest errors of each agent push out its oldest."""
        length, n_agents = self.errors.shape[1], sizes.shape[-1]
        if len(self.errors) != n_agents:  # another scenario, other agents
            self.errors = torch.full((n_agents, length), torch.nan)
        for a in range(n_agents):
            new = sizes[..., a][there[..., a]].cpu()
            self.errors[a] = torch.cat((self.errors[a], new))[-length:]


class QuantileRule(SharingRule):
    """Errors above a quantile of the window (SUPER's default)."""

    Config: ClassVar[type[Any]] = WindowConfig

    def __init__(self, cfg: WindowConfig, n_agents: int, n_features: int) -> None:
        self.cfg, self.window = cfg, Window(n_agents, cfg.window)

    def select(
        self, errors: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        sizes, kept = errors.abs(), 1.0 - self.cfg.bandwidth
        self.window.add(sizes, there)
        if kept == 0.0:  # everything is sent, the smallest error as well
            return sizes, torch.ones_like(there)
        return sizes, sizes > self.threshold(kept).to(sizes.device)

    def threshold(self, kept: float) -> Tensor:
        """[A] the error above which an experience is unusual for its agent."""
        return torch.nanquantile(self.window.errors, kept, -1)

    def state_dict(self) -> dict[str, Any]:
        return {"window": self.window.errors}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.window.errors = state["window"].clone()


class GaussianRule(QuantileRule):
    """Errors in the upper tail of a normal distribution fitted to the window."""

    Config: ClassVar[type[Any]] = GaussianConfig

    def threshold(self, kept: float) -> Tensor:
        # The deviation, not the variance, whatever the authors' program does.
        mean = self.window.errors.nanmean(-1)
        spread = (self.window.errors - mean.unsqueeze(-1)).square().nanmean(-1).sqrt()
        return mean + normal_quantile(kept) * spread


@dataclass(frozen=True)
class NormalTailsConfig(ShareConfig):
    """Sharing of what is unusual in the agent's own batch."""

    rule: str = "normal_tails"


class NormalTailsRule(SharingRule):
    """Errors outside of the middle of a normal distribution fitted to the agent's own batch."""

    Config: ClassVar[type[Any]] = NormalTailsConfig

    def __init__(self, cfg: NormalTailsConfig, n_agents: int, n_features: int) -> None:
        self.cfg = cfg

    def select(
        self, errors: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        return normal_tails(errors, there, self.cfg.bandwidth)


@dataclass(frozen=True)
class StochasticConfig(ShareConfig):
    """Sharing by chance, in proportion to the TD error."""

    rule: str = "stochastic"
    uniform_fraction: float = 0.1
    """part of the bandwidth that is sent uniformly at random"""

    def __post_init__(self) -> None:
        super().__post_init__()
        fine = 0.0 <= self.uniform_fraction <= 1.0
        check_settings("share", self, ("uniform_fraction", fine, "0 to 1"))


class StochasticRule(SharingRule):
    """Drawn by the size of the error; a part of the bandwidth is for any experience.

    If more is drawn than the bandwidth lets through, luck decides, not the size once more: among
    what was drawn, a lot's share of its chance is as likely to be small as large.
    """

    Config: ClassVar[type[Any]] = StochasticConfig

    def __init__(self, cfg: StochasticConfig, n_agents: int, n_features: int) -> None:
        self.cfg = cfg

    def select(
        self, errors: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        cfg, sizes = self.cfg, errors.abs()
        chances = stochastic_chances(sizes, there, cfg.bandwidth, cfg.uniform_fraction)
        lots = torch.rand(sizes.shape, generator=generator).to(sizes.device)
        return -lots / chances, lots < chances


SHARING_RULES: dict[str, type[SharingRule]] = {
    "none": NoSharing,
    "quantile": QuantileRule,
    "gaussian": GaussianRule,
    "normal_tails": NormalTailsRule,
    "stochastic": StochasticRule,
    "scorer": LearnedScorer,
    "mutual_information": MutualInformation,
    "embedding": Embedding,
}

SHARING_CONTRACT = Contract(
    "a sharing rule", ("select or weigh",), ("cfg", "n_agents", "n_features"), SharingRule
)


def find_sharing_rule(name: str) -> type[SharingRule]:
    return find_class("share.rule", name, SHARING_RULES, SHARING_CONTRACT)


def stochastic_chances(
    sizes: Tensor, there: Tensor, bandwidth: float, uniform_fraction: float
) -> Tensor:
    """Chances [R, L, A] to be sent: b (1 - o) N |d| / sum |d| + b o, at most 1, agent by agent."""
    own = (sizes * there).flatten(0, 1)  # [R L, A]
    n = there.flatten(0, 1).sum(0)  # [A]
    relative = sizes * n / own.sum(0).clamp(min=1e-12)
    chances = bandwidth * ((1.0 - uniform_fraction) * relative + uniform_fraction)
    return chances.clamp(max=1.0) * there


def normal_tails(errors: Tensor, there: Tensor, bandwidth: float) -> tuple[Tensor, Tensor]:
    """How far [R, L, A] errors are from the mean of their agent's batch, in deviations, and which
    are outside of the central 1 - b of a normal distribution: on either side."""
    weight = there.to(errors.dtype)
    n = weight.sum((0, 1)).clamp(min=1.0)  # [A]
    mean = (errors * weight).sum((0, 1)) / n
    spread = (((errors - mean).square() * weight).sum((0, 1)) / n).sqrt()
    distance = (errors - mean).abs() / spread.clamp(min=1e-12)
    return distance, distance >= normal_quantile(1.0 - bandwidth / 2.0)


def within_bandwidth(wanted: Tensor, score: Tensor, there: Tensor, bandwidth: float) -> Tensor:
    """The best of what is wanted [R, L, A], as much of each agent as the bandwidth lets through."""
    n_agents = wanted.shape[-1]
    most = (bandwidth * there.flatten(0, 1).sum(0)).floor()  # [A]
    ranked = score.masked_fill(~wanted, -math.inf).flatten(0, 1)  # [R L, A]
    rank = ranked.argsort(dim=0, descending=True, stable=True).argsort(dim=0)  # [R L, A]
    return wanted & (rank < most).view(*wanted.shape[:-1], n_agents)


def normal_quantile(share: float) -> float:
    """Below which this share of a standard normal distribution lies."""
    if share >= 1.0:
        return math.inf
    return NormalDist().inv_cdf(share) if share > 0.0 else -math.inf
