"""What algorithms share: target networks, gradient steps, and learning from a replay buffer."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.algos.algo import Metrics
from terrarium.marl.buffers.replay_batch import ReplayBatch, ReplayConfig
from terrarium.marl.buffers.replay_store import ReplayStore
from terrarium.marl.nets.building_blocks import load_into
from terrarium.marl.optimizers import Adam, RMSprop
from terrarium.marl.rollout import Rollout
from terrarium.schedules import Schedule

OPTIMIZERS = ("adam", "rmsprop")


def make_optimizer(
    name: str, weights: Iterable[nn.Parameter], lr: Schedule, **adam: Any
) -> torch.optim.Optimizer:
    """RMSprop as in PyMARL, or Adam."""
    if name == "rmsprop":
        return RMSprop(weights, lr.at(0.0), alpha=0.99, eps=1e-5)
    return Adam(weights, lr.at(0.0), **adam)


def set_lr(optimizer: torch.optim.Optimizer, lr: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = lr


def gradient_step(
    loss: Tensor, optimizer: torch.optim.Optimizer, max_grad_norm: float, *networks: nn.Module
) -> Tensor:
    """One step; the gradient of each network is clipped by itself. The norm of the first one."""
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
    norms = [nn.utils.clip_grad_norm_(net.parameters(), max_grad_norm) for net in networks]
    optimizer.step()
    return norms[0]


def update_target(
    target: nn.Module, online: nn.Module, n_updates: int, target_update_interval: int, tau: float
) -> None:
    """Update a target network, if `n_updates` gradient steps say that its turn has come."""
    if n_updates % target_update_interval == 0:
        soft_update(target, online, tau)


@torch.no_grad()
def soft_update(target: nn.Module, online: nn.Module, tau: float) -> None:
    """Target network update: Polyak averaging, a copy with tau = 1."""
    for there, here in zip(target.parameters(), online.parameters(), strict=True):
        if tau == 1.0:
            there.copy_(here)
        else:
            there.lerp_(here, tau)


def load_both(online: nn.Module, target: nn.Module, weights: dict[str, Tensor]) -> None:
    """Begin with these weights, in the target network as well."""
    load_into(online, weights)
    load_into(target, weights)


class Means:
    """Means of metrics over gradient steps; not every step has all of them."""

    def __init__(self) -> None:
        self.sums: dict[str, Tensor] = {}
        self.counts: dict[str, int] = {}

    def add(self, metrics: dict[str, Tensor]) -> None:
        for name, metric in metrics.items():
            self.sums[name] = self.sums.get(name, torch.zeros(())) + metric
            self.counts[name] = self.counts.get(name, 0) + 1

    def result(self) -> Metrics:
        return {f"learn/{name}": float(x) / self.counts[name] for name, x in self.sums.items()}


class OffPolicyConfig(Protocol):
    """The settings that learning from a replay buffer needs."""

    @property
    def steps_per_update(self) -> float: ...

    @property
    def replay(self) -> ReplayConfig: ...


class ReplayTraining:
    """A replay buffer, and gradient steps that fall due with the steps that are collected."""

    def __init__(
        self, cfg: OffPolicyConfig, spec: Spec, carry_size: int, generator: torch.Generator
    ) -> None:
        self._cfg, self._generator = cfg, generator
        self.store = ReplayStore(cfg.replay, spec, carry_size)
        self.due = 0.0
        """gradient steps"""
        self.n_updates = 0
        """gradient steps since the run began"""

    def observe(self, rollout: Rollout) -> None:
        self.store.add(rollout)
        self.due += rollout.rewards.numel() / self._cfg.steps_per_update

    def update(
        self, progress: float, step: Callable[[ReplayBatch], dict[str, Tensor]], lr: Schedule
    ) -> Metrics:
        """As many gradient steps as are due."""
        replay, means = self.store.replay, Means()
        assert replay is not None, "nothing was observed"
        rows = {"learn/buffer_rows": float(len(replay))}
        if len(replay) < self._cfg.replay.batch_size:
            self.due = 0.0  # there is not enough to learn from yet, and nothing to make up for
            return {"learn/n_updates": 0.0, **rows}
        n_steps = int(self.due)
        self.due -= n_steps
        for _ in range(n_steps):
            means.add(step(replay.draw(progress, self._generator)))
        learned = {"learn/lr": lr.at(progress), "learn/n_updates": float(n_steps)}
        return {**means.result(), **learned, **rows}

    def grade(self, batch: ReplayBatch, errors: Tensor) -> None:
        """Priorities by the TD errors [K] of what was drawn; batches may come from elsewhere."""
        if self.store.replay is not None:
            self.store.replay.grade(batch.ids, errors)

    def save(self, folder: Path) -> dict[str, Any]:
        return self.store.save(folder)

    def load(self, folder: Path, saved: dict[str, Any]) -> None:
        self.store.load(folder, saved)

    def state_dict(self) -> dict[str, Any]:
        """All but the buffer."""
        state = self._generator.get_state()
        return {"generator": state, "due": self.due, "n_updates": self.n_updates}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._generator.set_state(state["generator"])
        self.due, self.n_updates = float(state["due"]), int(state["n_updates"])
