"""A QMIX learner as the PyMARL family writes it: the peer of our own gradient steps.

Deliberately plain: a GRU cell that is called once for each time step, inputs that are put together
there, the whole episode through the live and the target network. Nothing of it is used for
learning; `seconds_per_update` says what such a learner costs on this machine.
"""

import time
from copy import deepcopy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

UNAVAILABLE = -9999999.0
"""The value of what cannot be chosen, as that family writes it"""


@dataclass(frozen=True)
class QmixSizes:
    """What the networks have to fit, and their widths; the defaults are PyMARL's."""

    n_agents: int
    n_actions: int
    obs_width: int
    state_size: int
    hidden: int = 64
    embed: int = 32
    hypernet: int = 64


@dataclass(frozen=True)
class PlainBatch:
    """B whole episodes, padded to T steps; what was seen has one more."""

    obs: Tensor  # [B, T + 1, A, D]
    state: Tensor  # [B, T + 1, S]
    avail: Tensor  # [B, T + 1, A, N] bool
    actions: Tensor  # [B, T, A]
    rewards: Tensor  # [B, T]
    terminated: Tensor  # [B, T] bool
    filled: Tensor  # [B, T] bool, the step was played


class PlainAgent(nn.Module):
    """Linear, ReLU, GRU cell, Linear; one for all agents, one step at a time."""

    def __init__(self, sizes: QmixSizes) -> None:
        super().__init__()
        n_in = sizes.obs_width + sizes.n_actions + sizes.n_agents
        self.encode = nn.Linear(n_in, sizes.hidden)
        self.remember = nn.GRUCell(sizes.hidden, sizes.hidden)
        self.values = nn.Linear(sizes.hidden, sizes.n_actions)

    def forward(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """x [B A, D + N + A], memory [B A, H] -> Q [B A, N], memory."""
        memory = self.remember(self.encode(x).relu(), memory)
        return self.values(memory), memory


class PlainMixer(nn.Module):
    """QMIX (Rashid et al. 2018): monotone in each agent's value, with weights made of the state."""

    def __init__(self, sizes: QmixSizes) -> None:
        super().__init__()
        self.shape = (sizes.n_agents, sizes.embed)
        n_in = sizes.state_size
        self.weights = _two_layers(n_in, sizes.hypernet, sizes.n_agents * sizes.embed)
        self.bias = nn.Linear(n_in, sizes.embed)
        self.last_weights = _two_layers(n_in, sizes.hypernet, sizes.embed)
        self.last_bias = _two_layers(n_in, sizes.embed, 1)

    def forward(self, q: Tensor, state: Tensor) -> Tensor:
        """q [B, T, A], state [B, T, S] -> [B, T]."""
        weights = self.weights(state).abs().unflatten(-1, self.shape)  # [B, T, A, E]
        hidden = q.unsqueeze(-2) @ weights + self.bias(state).unsqueeze(-2)  # [B, T, 1, E]
        last_weights = self.last_weights(state).abs().unsqueeze(-1)  # [B, T, E, 1]
        total = nn.functional.elu(hidden) @ last_weights  # [B, T, 1, 1]
        joint: Tensor = total.flatten(-3) + self.last_bias(state).squeeze(-1)
        return joint


class PlainQmix:
    """Live and target networks, and an optimizer; `update` is one gradient step."""

    def __init__(self, sizes: QmixSizes, lr: float = 5e-4, discount: float = 0.99) -> None:
        self.sizes, self.discount = sizes, discount
        self.agent, self.mixer = PlainAgent(sizes), PlainMixer(sizes)
        self.target_agent, self.target_mixer = deepcopy(self.agent), deepcopy(self.mixer)
        self._weights = [*self.agent.parameters(), *self.mixer.parameters()]
        self.optimizer = torch.optim.RMSprop(self._weights, lr, alpha=0.99, eps=1e-5)

    def update(self, batch: PlainBatch) -> float:
        """One gradient step; the loss before it."""
        loss = self.loss(batch)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
        nn.utils.clip_grad_norm_(self._weights, 10.0)
        self.optimizer.step()
        return loss.item()

    def copy_to_target(self) -> None:
        """That family does so every 200 episodes."""
        self.target_agent.load_state_dict(self.agent.state_dict())
        self.target_mixer.load_state_dict(self.mixer.state_dict())

    def loss(self, batch: PlainBatch) -> Tensor:
        """Double-Q TD error of the mixed value, squared, over the steps that were played."""
        q = self.values(self.agent, batch)  # [B, T + 1, A, N]
        taken = q[:, :-1].gather(-1, batch.actions.unsqueeze(-1)).squeeze(-1)  # [B, T, A]
        joint = self.mixer(taken, batch.state[:, :-1])  # [B, T]
        error = joint - self.goal(batch, q.detach())
        mask = batch.filled.float()
        mask[:, 1:] *= 1.0 - batch.terminated[:, :-1].float()
        loss: Tensor = (error * mask).square().sum() / mask.sum()
        return loss

    def goal(self, batch: PlainBatch, q: Tensor) -> Tensor:
        """[B, T] the reward, and the target networks' value of the live networks' best actions."""
        best = q.masked_fill(~batch.avail, UNAVAILABLE)[:, 1:].argmax(-1, keepdim=True)
        # With a graph that is thrown away, as that family does: its target networks need none.
        values = self.values(self.target_agent, batch)[:, 1:]  # [B, T, A, N]
        following = values.gather(-1, best).squeeze(-1)  # [B, T, A]
        joint = self.target_mixer(following, batch.state[:, 1:])  # [B, T]
        goes_on = 1.0 - batch.terminated.float()
        goal: Tensor = batch.rewards + self.discount * goes_on * joint
        return goal.detach()

    def values(self, agent: PlainAgent, batch: PlainBatch) -> Tensor:
        """[B, T + 1, A, N] step by step."""
        n_rows, n_steps, n_agents, _ = batch.obs.shape
        last = nn.functional.one_hot(batch.actions, self.sizes.n_actions).float()  # [B, T, A, N]
        names = torch.eye(n_agents).expand(n_rows, -1, -1)  # [B, A, A]
        memory = torch.zeros(n_rows * n_agents, self.sizes.hidden)
        found = []
        for t in range(n_steps):
            before = last[:, t - 1] if t else torch.zeros_like(last[:, 0])  # [B, A, N]
            x = torch.cat((batch.obs[:, t], before, names), -1).flatten(0, 1)  # [B A, ...]
            q, memory = agent(x, memory)
            found.append(q.view(n_rows, n_agents, -1))
        return torch.stack(found, 1)


def random_batch(sizes: QmixSizes, n_rows: int, n_steps: int, seed: int = 0) -> PlainBatch:
    """Episodes of full length in which nothing means anything: what counts is their shape."""
    dice = torch.Generator().manual_seed(seed)
    a, n = sizes.n_agents, sizes.n_actions
    avail = torch.rand(n_rows, n_steps + 1, a, n, generator=dice) < 0.7
    avail[..., 0] = True
    terminated = torch.zeros(n_rows, n_steps, dtype=torch.bool)
    terminated[:, -1] = True
    return PlainBatch(
        obs=torch.rand(n_rows, n_steps + 1, a, sizes.obs_width, generator=dice),
        state=torch.rand(n_rows, n_steps + 1, sizes.state_size, generator=dice),
        avail=avail,
        actions=torch.randint(n, (n_rows, n_steps, a), generator=dice),
        rewards=torch.rand(n_rows, n_steps, generator=dice),
        terminated=terminated,
        filled=torch.ones(n_rows, n_steps, dtype=torch.bool),
    )


def seconds_per_update(sizes: QmixSizes, batch: PlainBatch, n_updates: int) -> list[float]:
    """How long each of some gradient steps takes, after one that is not counted."""
    learner = PlainQmix(sizes)
    learner.update(batch)
    times = []
    for _ in range(n_updates):
        start = time.perf_counter()
        learner.update(batch)
        times.append(time.perf_counter() - start)
    return times


def _two_layers(n_in: int, hidden: int, n_out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(n_in, hidden), nn.ReLU(), nn.Linear(hidden, n_out))
