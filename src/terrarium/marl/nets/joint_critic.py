"""Critics of MADDPG: what all agents see and do, or only oneself, is worth to each agent."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.mlp import agent_states


class StackedLinear(nn.Module):
    """As many linear layers as agents, in one product."""

    def __init__(self, n: int, n_in: int, n_out: int) -> None:
        super().__init__()
        layers = [nn.Linear(n_in, n_out) for _ in range(n)]
        self.weight = nn.Parameter(torch.stack([layer.weight.detach().T for layer in layers]))
        self.bias = nn.Parameter(torch.stack([layer.bias.detach() for layer in layers]))

    def forward(self, x: Tensor) -> Tensor:
        """[n or 1, P, I] -> [n, P, O]."""
        x = x.expand(len(self.weight), -1, -1)
        return torch.baddbmm(self.bias.unsqueeze(1), x, self.weight)


class JointCritic(nn.Module):
    """Q_i(x, a_1 ... a_n) of every agent i, or of local ones Q_i(o_i, a_i); two of each with twins.

    All read the state, everybody's actions, and what their own agent sees and remembers; what a
    local one must not know is blotted out. `judged` are the agents whose critics these are.
    """

    def __init__(
        self, spec: Spec, cfg: NetConfig, judged: Sequence[int], local: bool, twin_critics: bool
    ) -> None:
        super().__init__()
        self.judged, self.share_params, hidden_dim = list(judged), cfg.share_params, cfg.hidden_dim
        n, self.n_memory = len(self.judged), 0 if cfg.core == "none" else hidden_dim
        n_seen, n_done = spec.state_size + spec.obs_width, spec.n_agents * spec.n_actions
        # One for all has to know whom it judges.
        n_in = n_seen + n_done + self.n_memory + (n if self.share_params else 0)
        n_nets = 1 if self.share_params else n
        self.nets = nn.ModuleList(
            nn.Sequential(
                StackedLinear(n_nets, n_in, hidden_dim),
                nn.ReLU(),
                StackedLinear(n_nets, hidden_dim, hidden_dim),
                nn.ReLU(),
                StackedLinear(n_nets, hidden_dim, 1),
            )
            for _ in range(2 if twin_critics else 1)
        )
        known = torch.full((n, n_seen + n_done + self.n_memory), not local)
        known[:, n_seen + n_done :] = True
        for i, agent in enumerate(self.judged):
            known[i, spec.state_size : n_seen] = True
            own = n_seen + agent * spec.n_actions
            known[i, own : own + spec.n_actions] = True
        self.register_buffer("known", known, persistent=False)
        self.known: Tensor

    def forward(self, obs: Obs, actions: Tensor, memory: Tensor) -> Tensor:
        """obs [...], actions [..., J or 1, A, N] as each critic sees them, memory [..., J, H] what
        agents that remember make of what they have seen -> values [K, ..., J]"""
        seen = agent_states(obs)[..., self.judged, :]  # [..., J, S + D]
        done = actions.flatten(-2).expand(*seen.shape[:-1], -1)  # [..., J, A N]
        x = torch.cat((seen, done, memory[..., : self.n_memory]), -1) * self.known  # [..., J, I]
        n_agents, shape = x.shape[-2], x.shape[:-1]
        if self.share_params:
            ids = torch.eye(n_agents, device=x.device).expand(*shape, -1)
            x = torch.cat((x, ids), -1).flatten(0, -2).unsqueeze(0)  # [1, P J, I]
            values = [net(x)[0, :, 0].view(shape) for net in self.nets]
        else:
            x = x.view(-1, n_agents, x.shape[-1]).transpose(0, 1)  # [J, P, I]
            values = [net(x)[..., 0].T.reshape(shape) for net in self.nets]
        return torch.stack(values)  # [K, ..., J]

    def clip_grads(self, max_norm: float) -> None:
        """Limit the gradient of each agent's critic, or of the one for all."""
        grads = [weight.grad.flatten(1) for weight in self.parameters() if weight.grad is not None]
        norms = torch.stack([grad.square().sum(1) for grad in grads]).sum(0).sqrt()  # [n or 1]
        factors = (max_norm / (norms + 1e-6)).clamp(max=1.0)
        for grad in grads:
            grad.mul_(factors.unsqueeze(1))


def with_own(actions: Tensor, own: Tensor, judged: Sequence[int]) -> Tensor:
    """[..., J, A, N] for each critic what was done [..., A, N], but by its own agent what it would
    do now [..., J, N]. So the gradient of a critic reaches the action of its own agent alone."""
    n_agents = actions.shape[-2]
    places = torch.tensor(judged, device=actions.device).unsqueeze(-1)  # [J, 1]
    itself = torch.arange(n_agents, device=actions.device) == places  # [J, A]
    return torch.where(itself.unsqueeze(-1), own.unsqueeze(-2), actions.unsqueeze(-3))
