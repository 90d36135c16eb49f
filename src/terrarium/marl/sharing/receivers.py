"""Who receives what an agent sends."""

from typing import Any

import torch
from torch import Tensor

from terrarium.marl.batch import Obs
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.latent_roles import LatentRoles


class Receivers:
    """Whom each agent sends to: everybody, who is in sight, who is alike, or who has its role, by
    clusters or by latent roles."""

    def __init__(self, cfg: ShareConfig) -> None:
        self.cfg = cfg
        self.roles = RoleClusters(cfg.n_roles) if cfg.receivers == "roles" else None
        self.latent = LatentRoles(cfg) if cfg.receivers == "latent_roles" else None

    def of(self, obs: Obs, features: Tensor, there: Tensor) -> Tensor:
        """[R, L, A, A] sender, then receiver; obs [R, L, ...], features [R, L, A, H].

        Who is dead learns nothing, and nobody sends to itself.
        """
        n_agents = there.shape[-1]
        others = ~torch.eye(n_agents, dtype=torch.bool, device=there.device)
        possible = there.unsqueeze(-1) & there.unsqueeze(-2) & others
        if self.cfg.receivers == "sight":
            return possible & obs.mask[..., :n_agents]
        seen = obs.vector if obs.vector.shape[-1] else obs.table[..., :n_agents, :]
        if self.latent is not None:
            return possible & self.latent.alike(seen, features, there)
        if self.cfg.receivers == "similar":
            return possible & (cosines(seen) >= self.cfg.min_similarity)
        if self.roles is not None:
            role = self.roles.learn(features.detach(), there)  # [R, L, A]
            return possible & (role.unsqueeze(-1) == role.unsqueeze(-2))
        return possible

    def state_dict(self) -> dict[str, Any]:
        learned = self.roles or self.latent
        return learned.state_dict() if learned is not None else {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        learned = self.roles or self.latent
        if learned is not None:
            learned.load_state_dict(state)


class RoleClusters:
    """Clusters of the agents' features: k-means that goes on from batch to batch."""

    rate = 0.1
    """how far a center moves to the mean of those nearest to it"""

    def __init__(self, n_roles: int) -> None:
        self.n_roles = n_roles
        self.centers = torch.zeros(0)  # [K, H] once something was seen

    def learn(self, features: Tensor, there: Tensor) -> Tensor:
        """The role [...] of each agent with features [..., H]; the dead learn nothing."""
        known, self.centers = features[there], self.centers.to(features)  # [N, H], [K, H]
        if not len(self.centers):
            self.centers = _spread(known, self.n_roles)
        role = torch.cdist(known, self.centers).argmin(-1)  # [N]
        member = torch.nn.functional.one_hot(role, len(self.centers)).to(known.dtype)  # [N, K]
        n = member.sum(0).unsqueeze(-1)  # [K, 1]
        means = member.T @ known / n.clamp(min=1.0)
        self.centers = torch.where(n > 0, self.centers.lerp(means, self.rate), self.centers)
        return torch.cdist(features, self.centers).argmin(-1)

    def state_dict(self) -> dict[str, Any]:
        return {"centers": self.centers}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.centers = state["centers"]


def cosines(x: Tensor) -> Tensor:
    """[..., A, A] how alike vectors [..., A, D] are in their direction."""
    unit = torch.nn.functional.normalize(x, dim=-1)
    return unit @ unit.transpose(-1, -2)


def _spread(known: Tensor, n: int) -> Tensor:
    """Points far from each other to begin with: each next one is farthest from those before."""
    chosen = [known.mean(0)]
    for _ in range(n - 1):
        distance = torch.cdist(known, torch.stack(chosen)).min(-1).values
        chosen.append(known[distance.argmax()])
    return torch.stack(chosen)
