"""What an agent sends: the experience by which it was surprised (Gerstgrasser et al. 2023)."""

import math
from statistics import NormalDist
from typing import Any

import torch
from torch import Tensor

from terrarium.marl.sharing.config import ShareConfig


class Sender:
    """Marks what each agent sends. It remembers the last errors of each agent."""

    def __init__(self, cfg: ShareConfig, n_agents: int) -> None:
        self.cfg = cfg
        self._window = torch.full((n_agents, cfg.window), torch.nan)  # newest last

    def mark(self, errors: Tensor, there: Tensor, generator: torch.Generator) -> Tensor:
        """[R, L, A] what is sent, of experience [R, L, A] that is there."""
        sizes = errors.detach().abs()
        self._remember(sizes, there)
        cfg = self.cfg
        if cfg.rule == "stochastic":
            score, wanted = self._lots(sizes, there, generator)
        elif cfg.rule == "normal_tails":
            score, wanted = normal_tails(errors.detach(), there, cfg.bandwidth)
        else:
            score, wanted = sizes, sizes > self._threshold().to(sizes.device)
        return within_bandwidth(wanted & there, score, there, cfg.bandwidth)

    def _threshold(self) -> Tensor:
        """[A] the error above which an experience is unusual for its agent."""
        share = 1.0 - self.cfg.bandwidth
        if share == 0.0:  # everything is sent, the smallest error as well
            return self._window.new_full((len(self._window),), -math.inf)
        if self.cfg.rule == "quantile":
            return torch.nanquantile(self._window, share, -1)
        # The deviation, not the variance, whatever the authors' program does.
        mean = self._window.nanmean(-1)
        spread = (self._window - mean.unsqueeze(-1)).square().nanmean(-1).sqrt()
        return mean + normal_quantile(share) * spread

    def _lots(
        self, sizes: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        """Drawn by the size of the error; a part of the bandwidth is for anything.

        If more is drawn than the bandwidth lets through, luck decides, not the size once more:
        among what was drawn, a lot's share of its chance is as likely to be small as large.
        """
        chances = stochastic_chances(sizes, there, self.cfg.bandwidth, self.cfg.uniform_fraction)
        lots = torch.rand(sizes.shape, generator=generator).to(sizes.device)
        return -lots / chances, lots < chances

    def _remember(self, sizes: Tensor, there: Tensor) -> None:
        """The newest errors of each agent push out its oldest."""
        if self.cfg.rule not in ("quantile", "gaussian"):
            return
        n_agents = sizes.shape[-1]
        if len(self._window) != n_agents:  # another scenario, other agents
            self._window = torch.full((n_agents, self.cfg.window), torch.nan)
        for a in range(n_agents):
            new = sizes[..., a][there[..., a]].cpu()
            self._window[a] = torch.cat((self._window[a], new))[-self.cfg.window :]

    def state_dict(self) -> dict[str, Any]:
        return {"window": self._window}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._window = state["window"].clone()


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
