"""What encoders of units have in common: columns of the table and of pairs, the same for all."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.envs.schema import (
    FEATURES,
    PAIR_FEATURES,
    SKILL_FEATURES,
    SKILL_PAIR_FEATURES,
)
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, NetError, n_ids_of
from terrarium.marl.nets.building_blocks import linear

_NAMES = list(FEATURES)
_OWN = _NAMES[_NAMES.index("north_free") : _NAMES.index("max_health")]
_KNOWN = ("ally", "enemy", "health", "shield", "energy", "cooldown")
_SKILLS = list(SKILL_FEATURES)
_FIRST_OWN_SKILL = _SKILLS.index("skill_1")

# Columns of the table: what an agent may know of whom it sees, and of itself alone.
_OF_ANYBODY = [
    i for i, name in enumerate(_NAMES) if name in _KNOWN or i >= _NAMES.index("max_health")
]
_OF_ITSELF = [_NAMES.index(name) for name in _OWN if name != "aimed_at"]
# More of them where agents have abilities. Whom they can be aimed at is for each pair to know.
_SKILLS_OF_ANYBODY = [len(_NAMES) + i for i in range(_FIRST_OWN_SKILL)]
_SKILLS_OF_ITSELF = [
    len(_NAMES) + i
    for i, name in enumerate(_SKILLS)
    if i >= _FIRST_OWN_SKILL and name not in SKILL_PAIR_FEATURES
]


@dataclass(frozen=True)
class Columns:
    """Which columns of the table agents read, and how many numbers of each pair."""

    of_anybody: list[int]
    of_itself: list[int]
    n_pairs: int

    def check(self, obs: Obs) -> None:
        """A scenario with abilities shows more of them than one without."""
        if obs.pairs.shape[-1] != self.n_pairs:
            raise NetError(
                f"this policy reads {self.n_pairs} numbers of each pair of units and the "
                f"scenario shows {obs.pairs.shape[-1]}: one of the two is without abilities"
            )


def read_columns(x: Tensor, columns: list[int], layer: nn.Linear) -> Tensor:
    """A layer that reads these columns of x [..., F], and all inputs behind its last ones.

    The other columns get weights of zero: choosing among the columns of a table takes longer.
    """
    n_more = layer.in_features - len(columns)
    n = x.shape[-1]
    at = torch.tensor([*columns, *range(n - n_more, n)], device=x.device)
    weight = layer.weight.new_zeros((layer.out_features, n)).index_copy(1, at, layer.weight)
    return nn.functional.linear(x, weight, layer.bias)


def columns_for(has_abilities: bool) -> Columns:
    """`has_abilities`: agents have abilities."""
    of_anybody = _OF_ANYBODY + _SKILLS_OF_ANYBODY * has_abilities
    return Columns(
        of_anybody,
        of_anybody + _OF_ITSELF + _SKILLS_OF_ITSELF * has_abilities,
        len(PAIR_FEATURES) + len(SKILL_PAIR_FEATURES) * has_abilities,
    )


N_COUNTS = 2
"""Columns of `log_counts`"""


def one_hot_ids(n_ids: int, obs: Obs) -> Tensor | None:
    """One-hots [A, A] of the agents' indices for networks that know them, None for others."""
    if n_ids == 0:
        return None
    if obs.n_agents != n_ids:
        raise NetError(
            f"this policy knows {n_ids} agents by their index and the scenario has "
            f"{obs.n_agents}; only net.agent_id=false fits every scenario"
        )
    return torch.eye(n_ids, device=obs.table.device)


def with_ids(own: Tensor, ids: Tensor | None) -> Tensor:
    """own [..., A, F] with the agents' ids [A, I] beside it, if they have any."""
    if ids is None:
        return own
    return torch.cat((own, ids.expand(*own.shape[:-1], -1)), -1)  # [..., A, F + I]


def log_counts(there: Tensor, n_agents: int) -> Tensor:
    """[..., 2] log(1 + n) of the allies and of the enemies in a mask [..., M].

    Attention pools by means, which are the same for one unit as for five alike.
    """
    n = torch.stack((there[..., :n_agents].sum(-1), there[..., n_agents:].sum(-1)), -1)
    return n.float().log1p()


def others_seen(obs: Obs) -> Tensor:
    """[..., A, M] whom each agent sees, without itself."""
    return obs.mask & ~themselves(obs)


def themselves(obs: Obs) -> Tensor:
    """[A, M] the agents' own places among the members."""
    return torch.eye(*obs.mask.shape[-2:], dtype=torch.bool, device=obs.mask.device)


class UnitEncoder(nn.Module):
    """An encoder that reads tables of units, to which those that are absent make no difference:
    layers for what is known of a unit, of a pair, and of the agent itself."""

    reads_units: ClassVar[bool] = True
    skips_absent: ClassVar[bool] = True
    n_sides: ClassVar[int] = 1

    def __init__(
        self, spec: Spec, net: NetConfig, token_dim: int, n_counts: int = N_COUNTS
    ) -> None:
        super().__init__()
        self.columns, self.token_dim = columns_for(spec.n_aimed > 0), token_dim
        self.unit = linear(len(self.columns.of_anybody), token_dim)
        self.pair = linear(self.columns.n_pairs, token_dim, bias=False)
        n_own = len(self.columns.of_itself) + n_counts + n_ids_of(spec, net)
        self.itself = linear(n_own, net.hidden_dim)
