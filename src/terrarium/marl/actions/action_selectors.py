"""Action selection from Q-values: epsilon-greedy, Boltzmann, noisy networks, UCB.

`EXPLORERS` names the classes; each has its own settings, the section `explore`.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from terrarium.import_paths import Contract, find_class
from terrarium.marl.batch import LOWEST, draw, mask_unavailable
from terrarium.schedules import Schedule, check_schedule


@dataclass(frozen=True)
class ExploreConfig:
    """Settings of exploration; subclasses add those of one kind."""

    kind: str = "epsilon"
    """exploration: epsilon (greedy), boltzmann, noisy (networks) or ucb"""


class Explorer(Protocol):
    """Chooses actions by Q-values while it is learned; a class of your own inherits from it."""

    Config: ClassVar[type[Any]] = ExploreConfig
    is_noisy: ClassVar[bool] = False
    """whether the last layers of the agents' networks have noise on their weights"""

    cfg: Any

    def __init__(self, cfg: Any, n_agents: int, n_actions: int) -> None:
        self.cfg = cfg

    def choose(
        self, q: Tensor, avail: Tensor, progress: float, generator: torch.Generator
    ) -> Tensor:
        """Q-values [B, A, N] -> actions [B, A]; `progress` is the fraction of the run done."""

    def state_dict(self) -> dict[str, Any]:
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        assert not state, "there is nothing to load"


@dataclass(frozen=True)
class EpsilonGreedyConfig(ExploreConfig):
    """Settings of epsilon-greedy exploration."""

    epsilon: Schedule = Schedule("1 -> 0.05 at 10%")
    """probability of a random action"""

    def __post_init__(self) -> None:
        check_schedule("explore.epsilon", self.epsilon, 0.0, 1.0)


class EpsilonGreedy(Explorer):
    """Greedy actions, or random ones with a probability that falls."""

    Config = EpsilonGreedyConfig

    def choose(
        self, q: Tensor, avail: Tensor, progress: float, generator: torch.Generator
    ) -> Tensor:
        q = mask_unavailable(q, avail)
        return draw(epsilon_greedy_probs(q, avail, self.cfg.epsilon.at(progress)), generator)


@dataclass(frozen=True)
class BoltzmannConfig(ExploreConfig):
    """Settings of Boltzmann exploration."""

    kind: str = "boltzmann"
    """exploration: epsilon (greedy), boltzmann, noisy (networks) or ucb"""
    temperature: Schedule = Schedule("1 -> 0.05 at 50%")
    """temperature of the softmax over Q-values; 0: greedy"""

    def __post_init__(self) -> None:
        check_schedule("explore.temperature", self.temperature, 0.0)


class Boltzmann(Explorer):
    """Actions drawn from a softmax over Q-values."""

    Config = BoltzmannConfig

    def choose(
        self, q: Tensor, avail: Tensor, progress: float, generator: torch.Generator
    ) -> Tensor:
        q, temperature = mask_unavailable(q, avail), self.cfg.temperature.at(progress)
        return draw(boltzmann_probs(q, avail, temperature), generator)


class NoisyNetworks(Explorer):
    """Greedy actions by networks with noise on their weights (Fortunato et al. 2018)."""

    is_noisy = True

    def choose(
        self, q: Tensor, avail: Tensor, progress: float, generator: torch.Generator
    ) -> Tensor:
        return mask_unavailable(q, avail).argmax(-1)


@dataclass(frozen=True)
class UcbConfig(ExploreConfig):
    """Settings of UCB exploration."""

    kind: str = "ucb"
    """exploration: epsilon (greedy), boltzmann, noisy (networks) or ucb"""
    ucb_coef: Schedule = Schedule("1 -> 0 at 50%")
    """coefficient of the exploration bonus; 0: greedy"""

    def __post_init__(self) -> None:
        check_schedule("explore.ucb_coef", self.ucb_coef, 0.0)


class Ucb(Explorer):
    """UCB1 (Auer et al. 2002) by each agent's own counts of actions, whatever the state."""

    Config = UcbConfig

    def __init__(self, cfg: UcbConfig, n_agents: int, n_actions: int) -> None:
        self.cfg = cfg
        self.counts = torch.zeros(n_agents, n_actions, dtype=torch.int64)  # [A, N]

    def choose(
        self, q: Tensor, avail: Tensor, progress: float, generator: torch.Generator
    ) -> Tensor:
        q, ucb_coef = mask_unavailable(q, avail), self.cfg.ucb_coef.at(progress)
        if self.counts.shape != q.shape[1:]:  # another scenario: nothing has been tried in it
            self.counts = self.counts.new_zeros(q.shape[1:])
        counts = self.counts.to(q.device)
        if ucb_coef > 0.0:
            total = counts.sum(-1, keepdim=True).clamp(min=1)  # [A, 1]
            bonus = (total.double().log() / counts).sqrt()  # [A, N]
            bonus = bonus.masked_fill(counts == 0, torch.inf)  # what was never tried comes first
            q = (q + ucb_coef * bonus.to(q.dtype)).masked_fill(~avail, LOWEST)
        actions = q.argmax(-1)  # [B, A]
        self.counts = counts + one_hot(actions, counts.shape[-1]).sum(0)
        return actions

    def state_dict(self) -> dict[str, Tensor]:
        return {"counts": self.counts}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.counts = state["counts"]


EXPLORERS: dict[str, type[Explorer]] = {
    "epsilon": EpsilonGreedy,
    "boltzmann": Boltzmann,
    "noisy": NoisyNetworks,
    "ucb": Ucb,
}

EXPLORER_CONTRACT = Contract("an explorer", ("choose",), ("cfg", "n_agents", "n_actions"), Explorer)


def find_explorer(name: str) -> type[Explorer]:
    return find_class("explore.kind", name, EXPLORERS, EXPLORER_CONTRACT)


def epsilon_greedy_probs(q: Tensor, avail: Tensor, epsilon: float) -> Tensor:
    """[..., N]: mostly the best action, with the chance `epsilon` any that is available."""
    best = one_hot(q.argmax(-1), q.shape[-1])  # [..., N]
    return (1.0 - epsilon) * best + epsilon * avail / avail.sum(-1, keepdim=True)


def boltzmann_probs(q: Tensor, avail: Tensor, temperature: float) -> Tensor:
    """[..., N]: the better, the likelier; as `temperature` falls to 0, only the best remain."""
    behind = q - q.amax(-1, keepdim=True)  # [..., N] 0 for the best: no temperature hides it
    coldest = torch.finfo(q.dtype).tiny  # a division by 0 would not be a chance
    return (behind / max(temperature, coldest)).softmax(-1) * avail
