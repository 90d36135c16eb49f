"""Latent roles of agents and their losses, after ROMA (Wang et al. 2020)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from terrarium.marl.nets.building_blocks import linear

MIN_STD = 0.05
"""Roles are never quite certain; the largest standard deviation is 1"""


@dataclass(frozen=True)
class Roles:
    """Normal distributions of roles [..., A, K]: by what agents see now, and by their history."""

    mean: Tensor
    std: Tensor
    history_mean: Tensor
    history_std: Tensor
    history: Tensor  # [..., A, H] what the second ones were made from

    def steps(self, end: int) -> "Roles":
        """Those of the first steps [B, T, ...]."""
        return Roles(*(part[:, :end] for part in vars(self).values()))


class RoleModel(nn.Module):
    """Who has which role, and how differently two agents behave."""

    def __init__(self, n_now: int, n_history: int, role_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.now = _two_layers(n_now, hidden_dim, 2 * role_dim)
        self.history = _two_layers(n_history, hidden_dim, 2 * role_dim)
        self.one = linear(n_history, hidden_dim)
        self.other = linear(n_history, hidden_dim, bias=False)
        self.differ = linear(hidden_dim, 1, gain=1.0)

    def forward(self, now: Tensor, history: Tensor) -> Roles:
        """now [..., A, O], history [..., A, H]; only the latter is a constant to the losses."""
        history = history.detach()
        return Roles(*_normal(self.now(now)), *_normal(self.history(history)), history)

    def dissimilarity(self, history: Tensor) -> Tensor:
        """[..., A, A] from 0 to 1: how differently two agents behave, by their histories."""
        one, other = self.one(history).unsqueeze(-2), self.other(history).unsqueeze(-3)
        differ: Tensor = self.differ((one + other).relu()).squeeze(-1).sigmoid()
        return differ

    def losses(self, roles: Roles, there: Tensor) -> tuple[Tensor, Tensor]:
        """Identifiability and specialization [], of agents [..., A] that are there.

        The first is KL(p(role | now) || q(role | history)): a role can be told from behavior. The
        second asks that of two agents either one's role tells of the other's history, or their
        behavior is dissimilar, while dissimilarity is rare: few roles, each with agents of its own.
        """
        q_var = roles.history_std.square()
        gap = (roles.mean - roles.history_mean).square()
        kl = (roles.history_std / roles.std).log()
        kl = (kl + (roles.std.square() + gap) / (2.0 * q_var) - 0.5).sum(-1)  # [..., A]
        identity = (kl * there).sum() / there.sum().clamp(min=1)
        others = ~torch.eye(there.shape[-1], dtype=torch.bool, device=there.device)
        pairs = there.unsqueeze(-1) & there.unsqueeze(-2) & others  # [..., A, A]
        n_pairs = pairs.sum().clamp(min=1)
        apart = self.dissimilarity(roles.history) * pairs
        told = information(roles, there).clamp(min=0.0)
        enough = ((told + apart).clamp(max=1.0) * pairs).sum() / n_pairs
        rare = (apart.square().sum() / n_pairs + 1e-12).sqrt()  # the norm of the matrices
        return identity, rare - enough


class RoleConditioning(nn.Module):
    """Features [..., A, H] after a linear layer whose weights are linear in the role [..., A, K].

    The sum over k of role_k W_k x: what each W_k yields is made first, never the matrices.
    """

    def __init__(self, role_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.made = linear(hidden_dim, role_dim * hidden_dim, gain=1.0)

    def forward(self, features: Tensor, role: Tensor) -> Tensor:
        made = self.made(features).unflatten(-1, (role.shape[-1], -1))  # [..., A, K, H]
        conditioned: Tensor = features + (made * role.unsqueeze(-1)).sum(-2)
        return conditioned


def information(roles: Roles, there: Tensor) -> Tensor:
    """[..., A, A] how much more likely the role of the first agent is by the history of the second
    than by those of all that are there: log q(role_i | h_j) - log mean_k q(role_i | h_k).

    If all have the same role, it is 0. Densities are geometric means over the role's dimensions.
    """
    gap = roles.mean.unsqueeze(-2) - roles.history_mean.unsqueeze(-3)  # [..., A, A, K]
    std = roles.history_std.unsqueeze(-3)
    log_q = -(0.5 * (gap / std).square() + std.log()).mean(-1)  # [..., A, A]
    known = log_q.masked_fill(~there.unsqueeze(-2), torch.finfo(log_q.dtype).min)
    n = there.sum(-1, keepdim=True).clamp(min=1).unsqueeze(-1)  # [..., 1, 1]
    told: Tensor = log_q - (known.logsumexp(-1, keepdim=True) - n.log())
    return told


def overlap(roles: Roles) -> Tensor:
    """[..., A, A] from 0 to 1: how much the roles of two agents are alike: Bhattacharyya's
    coefficient, as the geometric mean over dimensions."""
    var = roles.std.square()
    mean_var = 0.5 * (var.unsqueeze(-2) + var.unsqueeze(-3))  # [..., A, A, K]
    gap = (roles.mean.unsqueeze(-2) - roles.mean.unsqueeze(-3)).square()
    product = roles.std.unsqueeze(-2) * roles.std.unsqueeze(-3)
    distance: Tensor = (gap / (8.0 * mean_var) + 0.5 * (mean_var / product).log()).mean(-1)
    return (-distance).exp()


def _two_layers(n_in: int, hidden_dim: int, n_out: int) -> nn.Sequential:
    return nn.Sequential(linear(n_in, hidden_dim), nn.ReLU(), linear(hidden_dim, n_out, gain=1.0))


def _normal(out: Tensor) -> tuple[Tensor, Tensor]:
    """Mean, and standard deviation, from [..., 2 K]."""
    mean, spread = out.chunk(2, -1)
    return mean, MIN_STD + (1.0 - MIN_STD) * spread.sigmoid()
