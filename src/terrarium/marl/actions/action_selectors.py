"""Exploration of value-based algorithms: epsilon-greedy, Boltzmann, noisy networks, UCB."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import one_hot

from terrarium.errors import TerrariumError, nearest
from terrarium.marl.batch import LOWEST, draw, mask_unavailable
from terrarium.schedules import Schedule, check_schedule

KINDS = ("epsilon", "boltzmann", "noisy", "ucb")


@dataclass(frozen=True)
class ExploreConfig:
    """Settings of exploration."""

    kind: str = "epsilon"
    """exploration: epsilon (greedy), boltzmann, noisy (networks) or ucb"""
    epsilon: Schedule = Schedule("1 -> 0.05 at 10%")
    """epsilon: probability of a random action"""
    temperature: Schedule = Schedule("1 -> 0.05 at 50%")
    """boltzmann: temperature of the softmax over Q-values; 0: greedy"""
    ucb_coef: Schedule = Schedule("1 -> 0 at 50%")
    """ucb: coefficient of the exploration bonus; 0: greedy"""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TerrariumError(
                f'explore.kind is "{self.kind}".{nearest(self.kind, KINDS)} '
                f"Allowed: {', '.join(KINDS)}"
            )
        check_schedule("explore.epsilon", self.epsilon, 0.0, 1.0)
        check_schedule("explore.temperature", self.temperature, 0.0)
        check_schedule("explore.ucb_coef", self.ucb_coef, 0.0)


class Explorer:
    """Chooses for many teams at once, and remembers how often each agent has chosen what."""

    def __init__(self, cfg: ExploreConfig, n_agents: int, n_actions: int) -> None:
        self.cfg = cfg
        self.counts = torch.zeros(n_agents, n_actions, dtype=torch.int64)  # [A, N] used by ucb

    def choose(self, q: Tensor, avail: Tensor, share: float, generator: torch.Generator) -> Tensor:
        """Actions [B, A] by their worth [B, A, N], when this share of the run is done."""
        cfg = self.cfg
        q = mask_unavailable(q, avail)
        if cfg.kind == "epsilon":
            return draw(epsilon_greedy_probs(q, avail, cfg.epsilon.at(share)), generator)
        if cfg.kind == "boltzmann":
            return draw(boltzmann_probs(q, avail, cfg.temperature.at(share)), generator)
        if cfg.kind == "noisy":  # the noise is in the weights that `q` was made with
            return q.argmax(-1)
        return self._least_known(q, avail, cfg.ucb_coef.at(share))

    def _least_known(self, q: Tensor, avail: Tensor, ucb_coef: float) -> Tensor:
        """UCB1 (Auer et al. 2002) by each agent's own counts, which know no situation."""
        if self.counts.shape != q.shape[1:]:  # another scenario: nothing has been tried in it
            self.counts = self.counts.new_zeros(q.shape[1:])
        counts = self.counts.to(q.device)
        if ucb_coef > 0.0:
            total = counts.sum(-1, keepdim=True).clamp(min=1)  # [A, 1]
            doubt = (total.double().log() / counts).sqrt()  # [A, N]
            doubt = doubt.masked_fill(counts == 0, torch.inf)  # what was never tried comes first
            q = (q + ucb_coef * doubt.to(q.dtype)).masked_fill(~avail, LOWEST)
        actions = q.argmax(-1)  # [B, A]
        self.counts = counts + one_hot(actions, counts.shape[-1]).sum(0)
        return actions

    def state_dict(self) -> dict[str, Tensor]:
        return {"counts": self.counts}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.counts = state["counts"]


def epsilon_greedy_probs(q: Tensor, avail: Tensor, epsilon: float) -> Tensor:
    """[..., N]: mostly the best action, with the chance `epsilon` any that is available."""
    best = one_hot(q.argmax(-1), q.shape[-1])  # [..., N]
    return (1.0 - epsilon) * best + epsilon * avail / avail.sum(-1, keepdim=True)


def boltzmann_probs(q: Tensor, avail: Tensor, temperature: float) -> Tensor:
    """[..., N]: the better, the likelier; as `temperature` falls to 0, only the best remain."""
    behind = q - q.amax(-1, keepdim=True)  # [..., N] 0 for the best: no temperature hides it
    coldest = torch.finfo(q.dtype).tiny  # a division by 0 would not be a chance
    return (behind / max(temperature, coldest)).softmax(-1) * avail
