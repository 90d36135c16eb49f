"""Receivers by latent roles: who has the role of the sender (ROMA, Wang et al. 2020)."""

from typing import Any

import torch
from torch import Tensor

from terrarium.marl.nets.roles import RoleModel, overlap
from terrarium.marl.optimizers import Adam
from terrarium.marl.sharing.config import ShareConfig

IDENTITY_COEF, DIFFERENCE_COEF = 1.0, 1.0
"""Weights of the two losses: nothing else is learned here"""
HIDDEN_DIM = 32
"""Hidden units of the networks of roles"""
SEED = 0
"""Of the first weights, which are drawn when it is known how much agents see"""


class LatentRoles:
    """Roles of agents from what they see, identifiable by what they remember; learned by their own
    losses, batch by batch."""

    def __init__(self, cfg: ShareConfig) -> None:
        self.cfg = cfg
        self.model: RoleModel | None = None
        self.optimizer: torch.optim.Optimizer | None = None

    def _make(self, n_seen: int, n_features: int) -> tuple[RoleModel, torch.optim.Optimizer]:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(SEED)
            model = RoleModel(n_seen, n_features, self.cfg.role_dim, HIDDEN_DIM)
        return model, Adam(model.parameters(), self.cfg.role_lr)

    def alike(self, seen: Tensor, features: Tensor, there: Tensor) -> Tensor:
        """[..., A, A] whose roles overlap by `min_similarity` or more, of agents who see
        [..., A, O] and remember [..., A, H]. One gradient step of the roles comes first."""
        seen, features = seen.detach().float(), features.detach().float()
        if self.model is None or self.optimizer is None:
            self.model, self.optimizer = self._make(seen.shape[-1], features.shape[-1])
            self.model.to(seen.device)
        identity, difference = self.model.losses(self.model(seen, features), there)
        loss = IDENTITY_COEF * identity + DIFFERENCE_COEF * difference
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
        self.optimizer.step()
        with torch.no_grad():
            alike: Tensor = overlap(self.model(seen, features)) >= self.cfg.min_similarity
            return alike

    def state_dict(self) -> dict[str, Any]:
        if self.model is None or self.optimizer is None:
            return {}
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if not state:  # nothing was learned yet
            return
        sizes = (state["model"][f"{part}.0.weight"].shape[1] for part in ("now", "history"))
        self.model, self.optimizer = self._make(*sizes)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
