"""Encoders with attention: one for agents, over whom they see; one for critics, over everybody."""

import torch
from torch import Tensor, nn

from terrarium.envs.kernels.schema import (
    FEATURES,
    PAIR_FEATURES,
    SKILL_FEATURES,
    SKILL_PAIR_FEATURES,
)
from terrarium.marl.batch import Look
from terrarium.marl.nets.config import NetError
from terrarium.marl.nets.layers import AttentionPool, linear

_NAMES = list(FEATURES)
_OWN = _NAMES[_NAMES.index("north_free") : _NAMES.index("max_health")]
_KNOWN = ("ally", "enemy", "health", "shield", "energy", "cooldown")
_SKILLS = list(SKILL_FEATURES)
_FIRST_OWN_SKILL = _SKILLS.index("skill_1")

# Columns of the table: what an agent may know of whom it sees, and of itself alone.
OF_ANYBODY = [
    i for i, name in enumerate(_NAMES) if name in _KNOWN or i >= _NAMES.index("max_health")
]
OF_ITSELF = [_NAMES.index(name) for name in _OWN if name != "aimed_at"]
# More of them where agents have abilities. Whom they can be aimed at is for each pair to know.
SKILLS_OF_ANYBODY = [len(_NAMES) + i for i in range(_FIRST_OWN_SKILL)]
SKILLS_OF_ITSELF = [
    len(_NAMES) + i
    for i, name in enumerate(_SKILLS)
    if i >= _FIRST_OWN_SKILL and name not in SKILL_PAIR_FEATURES
]


class AgentEncoder(nn.Module):
    """Each agent's own token attends to the tokens of those it sees.

    A token is the sum of what anybody knows of a unit and of how the observer stands to it; the
    first part is computed once for all observers. There is one for each observer and unit, so
    tokens are narrower than what stands for an agent: they are most of the work in large battles.
    """

    def __init__(self, width: int, token: int, n_heads: int, skilled: bool) -> None:
        super().__init__()
        self.of_anybody = OF_ANYBODY + SKILLS_OF_ANYBODY * skilled
        self.of_itself = self.of_anybody + OF_ITSELF + SKILLS_OF_ITSELF * skilled
        n_pairs = len(PAIR_FEATURES) + len(SKILL_PAIR_FEATURES) * skilled
        self.unit = linear(len(self.of_anybody), token)
        self.pair = linear(n_pairs, token, bias=False)
        self.itself = linear(len(self.of_itself), width)
        self.pool = AttentionPool(width, token, n_heads)
        self.join = linear(2 * width, width)

    def forward(self, look: Look) -> tuple[Tensor, Tensor]:
        """Features [B, A, H] of the agents, and tokens [B, A, M, K] of whom they see."""
        n_agents = look.n_agents
        if look.pairs.shape[-1] != self.pair.in_features:
            raise NetError(
                f"this policy reads {self.pair.in_features} numbers of each pair of units and the "
                f"scenario shows {look.pairs.shape[-1]}: one of the two is without abilities"
            )
        units = self.unit(look.table[..., self.of_anybody])  # [B, M, K]
        tokens = (self.pair(look.pairs) + units.unsqueeze(-3)).relu_()  # [B, A, M, K]
        own = self.itself(look.table[..., :n_agents, self.of_itself]).relu()  # [B, A, H]
        seen = self.pool(own, tokens, look.mask)  # [B, A, H]
        features = self.join(torch.cat((own, seen), -1)).relu()  # [B, A, H]
        return features * look.acting.unsqueeze(-1), tokens  # the dead see nothing


class TableEncoder(nn.Module):
    """Each agent's row of the global table attends to all rows.

    Its input holds every agent's own features, and its width does not grow with their number. An
    agent that is dead asks with a row of zeros, and learns how the battle stands.
    """

    def __init__(self, width: int, token: int, n_heads: int, skilled: bool) -> None:
        super().__init__()
        self.unit = linear(len(FEATURES) + len(SKILL_FEATURES) * skilled, width)
        self.narrow = linear(width, token)
        self.pool = AttentionPool(width, token, n_heads)
        self.join = linear(2 * width, width)

    def forward(self, look: Look) -> Tensor:
        """Features [B, A, H] of the whole battle, as it concerns each agent."""
        units = self.unit(look.table).relu() * look.alive.unsqueeze(-1)  # [B, M, H]
        tokens = self.narrow(units).relu()  # [B, M, K]
        own = units[..., : look.n_agents, :]  # [B, A, H]
        mask = look.alive.unsqueeze(-2).expand(*own.shape[:-1], -1)  # [B, A, M]
        seen = self.pool(own, tokens.unsqueeze(-3), mask)  # [B, A, H]
        features: Tensor = self.join(torch.cat((own, seen), -1)).relu()
        return features
