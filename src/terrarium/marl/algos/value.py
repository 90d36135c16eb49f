"""What value-based algorithms share: Q-networks, replay buffer, target networks, TD targets."""

import copy
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.errors import TerrariumError, nearest
from terrarium.marl.algos.algo import Metrics
from terrarium.marl.batch import Obs, pick
from terrarium.marl.buffers.hindsight import Goals, relabel
from terrarium.marl.buffers.replay_buffer import (
    ReplayBatch,
    ReplayBuffer,
    ReplayConfig,
    replay_bytes,
)
from terrarium.marl.buffers.replay_store import ReplayStore
from terrarium.marl.exploration import ExploreConfig, Explorer
from terrarium.marl.nets.actor import Actor, SeparateActors, make_actor, make_core
from terrarium.marl.nets.config import NetConfig, Spec, views_of
from terrarium.marl.nets.layers import load_into
from terrarium.marl.optimizers import Adam, RMSprop
from terrarium.marl.returns import lambda_returns, n_step_returns
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange
from terrarium.schedules import Schedule, check_schedule

OPTIMIZERS = ("adam", "rmsprop")


@dataclass(frozen=True)
class ValueConfig:
    """Settings that all value-based algorithms share."""

    lr: Schedule = Schedule("0.001")
    """learning rate"""
    optimizer: str = "adam"
    """adam or rmsprop"""
    gamma: float = 0.99
    """discount factor"""
    td_lambda: float = 0.6
    """lambda of TD(lambda) targets; 0: one-step or n-step targets"""
    n_step_return: int = 1
    """steps of an n-step return; more than 1 needs td_lambda=0"""
    double_q: bool = True
    """double Q-learning: the online network chooses the next action, the target network values
    it"""
    target_update_interval: int = 200
    """gradient steps between updates of the target network"""
    tau: float = 1.0
    """soft update of the target network: 1 copies the weights, 0.01 averages slowly"""
    max_grad_norm: float = 10.0
    """gradient norm limit"""
    n_steps: int = 8
    """steps of every environment between two updates"""
    steps_per_update: float = 128.0
    """environment steps, of all environments together, per gradient step"""
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    explore: ExploreConfig = field(default_factory=ExploreConfig)

    def __post_init__(self) -> None:
        check_schedule("algo.lr", self.lr, 1e-12, 1.0)
        for name, fine, allowed in (
            ("optimizer", self.optimizer in OPTIMIZERS, ", ".join(OPTIMIZERS)),
            ("gamma", 0.0 <= self.gamma <= 1.0, "0 to 1"),
            ("td_lambda", 0.0 <= self.td_lambda <= 1.0, "0 to 1"),
            ("n_step_return", 1 <= self.n_step_return <= 1000, "1 to 1000"),
            ("target_update_interval", 1 <= self.target_update_interval <= 10**9, "1 to 10^9"),
            ("tau", 0.0 < self.tau <= 1.0, "above 0, up to 1"),
            ("max_grad_norm", self.max_grad_norm > 0.0, "above 0"),
            ("n_steps", 1 <= self.n_steps <= 10_000, "1 to 10000"),
            ("steps_per_update", 0.01 <= self.steps_per_update <= 1e9, "0.01 to 10^9"),
        ):
            if not fine:
                value = getattr(self, name)
                hint = nearest(value, OPTIMIZERS) if name == "optimizer" else ""
                raise TerrariumError(f"algo.{name} is {value}.{hint} Allowed: {allowed}")
        if self.n_step_return > 1 and self.td_lambda > 0.0:
            raise TerrariumError(
                f"algo.n_step_return is {self.n_step_return} and algo.td_lambda "
                f"{self.td_lambda}: a return is either n-step or TD(lambda), not both; "
                "set algo.td_lambda=0"
            )
        if 0 < self.replay.chunk_length < self.n_step_return:
            raise TerrariumError(
                f"algo.n_step_return is {self.n_step_return} and replay.chunk_length "
                f"{self.replay.chunk_length}: a sequence must hold an n-step return; "
                f"set replay.chunk_length={self.n_step_return} or more"
            )


class JointQ(nn.Module):
    """Agent networks and mixer."""

    agents: Actor | SeparateActors

    def __init__(self, agents: Actor | SeparateActors, mixer: nn.Module) -> None:
        super().__init__()
        self.agents, self.mixer = agents, mixer


@dataclass(frozen=True)
class QValues:
    """Q-values of the online and the target network for a batch."""

    q: Tensor  # [R, L + 1, A, N] of all actions; the lowest number for what cannot be chosen
    taken: Tensor  # [R, L, A] of what was done
    best: Tensor  # [R, L, A] of the best that could be done
    features: Tensor  # [R, L + 1, A, H] of the online network
    next_actions: Tensor  # [R, L, A] what would be done next
    next_taken: Tensor  # [R, L, A] what the target network thinks that is worth
    next_best: Tensor  # [R, L, A] the best in the eyes of the target network
    next_features: Tensor  # [R, L, A, H]
    role_loss: Tensor  # [] of agents with latent roles


@dataclass(frozen=True)
class Loss:
    """Loss, TD error of each sequence (for priorities), metrics."""

    total: Tensor  # []
    errors: Tensor  # [R]
    metrics: dict[str, Tensor]


class ValueLearner:
    """Q-learning from a replay buffer; subclasses add a mixer and a loss."""

    Config: ClassVar[type[Any]] = ValueConfig
    lacks: ClassVar[dict[str, str]] = {}
    fits_many: ClassVar[bool] = False
    any_action: ClassVar[bool] = False
    stochastic: ClassVar[bool] = False
    needs_team: ClassVar[bool] = True
    has_mixer: ClassVar[bool] = True
    """whether the state decides how agents are joined"""

    def __init__(self, spec: Spec, net: NetConfig, cfg: Any, runtime: Runtime) -> None:
        self.cfg, self.net, self.spec = cfg, net, spec
        self._runtime = runtime
        with runtime.seeded():
            agents = make_actor(spec, net, noisy=cfg.explore.kind == "noisy")
            self.online = JointQ(agents, self.make_mixer()).to(runtime.device)
            self.exchange = self.make_exchange()
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.optimizer = _make_optimizer(cfg, list(self.online.parameters()))
        self.explorer = Explorer(cfg.explore, spec.n_agents, spec.n_actions)
        self.hindsight: Goals | None = None
        """what observations hold of targets, if the environment has any: for hindsight"""
        self.experience = ReplayStore(cfg.replay, spec, self.carry_size)
        self.progress = 0.0
        """share of the run that is done"""
        self._due, self._n_updates = 0.0, 0

    def make_mixer(self) -> nn.Module:
        """What joins the agents' values."""
        return nn.Module()

    def make_exchange(self) -> Exchange:
        """What agents send each other: nothing, unless an algorithm lets them."""
        return Exchange(ShareConfig(), self.spec.n_agents, self.net.hidden_dim)

    def loss(self, rows: ReplayBatch, q_values: QValues) -> Loss:
        """What to make smaller."""
        raise AssertionError("an algorithm has a loss")

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        state = ("state",) if cls.has_mixer else ()
        return tuple(dict.fromkeys((*views_of(net), *state)))

    @classmethod
    def check(cls, net: NetConfig, cfg: Any, n_envs: int) -> None:
        if cfg.replay.hindsight_ratio:
            raise TerrariumError(
                f"replay.hindsight_ratio is {cfg.replay.hindsight_ratio}: battles have no goals to "
                "relabel; leave it at 0. An environment of your own may have them: docs/value.md"
            )
        if "share" not in cls.lacks and cfg.share.rule != "none":
            _check_share(net, cfg.share, cfg.replay)

    @classmethod
    def memory(cls, spec: Spec, net: NetConfig, cfg: Any, obs: Obs, n_envs: int) -> int:
        return replay_bytes(cfg.replay, spec, obs, make_core(net).carry_size, n_envs)

    @classmethod
    def smaller(cls, cfg: Any, share: float) -> str:
        fits = int(0.8 * share * cfg.replay.buffer_size)
        if fits <= cfg.replay.batch_size:
            return "replay.chunk_length=16 keeps stretches of episodes"
        return f"replay.buffer_size={fits} fits"

    @property
    def n_steps(self) -> int:
        steps: int = self.cfg.n_steps
        return steps

    @property
    def keeps_carries(self) -> bool:
        return self.cfg.replay.chunk_length > 0 and self.carry_size > 0

    @property
    def carry_size(self) -> int:
        return self.online.agents.carry_size

    @property
    def device(self) -> torch.device:
        return self._runtime.device

    @property
    def generator(self) -> torch.Generator:
        return self._runtime.generator

    def teacher(self, progress: float) -> str:
        return ""

    @torch.no_grad()
    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        """The best actions, or what the strategy of exploration makes of them."""
        generator, agents = self.generator, self.online.agents
        agents.draw_noise(None if greedy else generator, n_rows=len(resets))
        q, carry = agents(obs[:, None], carry, resets[:, None])  # [B, 1, A, N]
        q = q[:, 0]
        if greedy:
            actions = q.argmax(-1)
        else:
            actions = self.explorer.choose(q, obs.avail, self.progress, generator)
        return PolicyOutput(actions, torch.zeros_like(actions, dtype=q.dtype), carry)

    @property
    def replay(self) -> ReplayBuffer | None:
        return self.experience.replay

    def observe(self, rollout: Rollout) -> None:
        self.experience.add(rollout)
        self._due += rollout.rewards.numel() / self.cfg.steps_per_update

    def update(self, progress: float) -> Metrics:
        """As many gradient steps as are due for the steps that were collected."""
        assert self.replay is not None, "nothing was observed"
        self.progress = progress
        if len(self.replay) < self.cfg.replay.batch_size:
            self._due = 0.0  # there is not enough to learn from yet, and nothing to make up for
            return {"learn/n_updates": 0.0, "learn/buffer_rows": float(len(self.replay))}
        n, sums = int(self._due), dict[str, Tensor]()
        self._due -= n
        for group in self.optimizer.param_groups:
            group["lr"] = self.cfg.lr.at(progress)
        for _ in range(n):
            for name, metric in self._learn(self.replay, progress).items():
                sums[name] = sums.get(name, torch.zeros(())) + metric
        means = {f"learn/{name}": float(total) / n for name, total in sums.items()}
        return {
            **means,
            "learn/lr": self.cfg.lr.at(progress),
            "learn/n_updates": float(n),
            "learn/buffer_rows": float(len(self.replay)),
        }

    def _learn(self, replay: ReplayBuffer, progress: float) -> dict[str, Tensor]:
        """Draw, and one gradient step."""
        rows = replay.draw(progress, self.generator)
        loss, metrics = self.step(rows)
        replay.grade(rows.ids, loss.errors)
        return metrics

    def step(self, rows: ReplayBatch) -> tuple[Loss, dict[str, Tensor]]:
        """One gradient step on some rows."""
        if self.hindsight is not None:
            share = self.cfg.replay.hindsight_ratio
            rows = relabel(rows, self.hindsight, share, "future", self.generator)
        if not self.cfg.replay.chunk_length:
            rows = rows.packed()
        rows = rows.to(self.device)
        q_values = self.read(rows)
        loss = self.loss(rows, q_values)
        self.optimizer.zero_grad()
        (loss.total + q_values.role_loss).backward()  # type: ignore[no-untyped-call]  # torch does not say
        grad = nn.utils.clip_grad_norm_(self.online.parameters(), self.cfg.max_grad_norm)
        self.optimizer.step()
        self.exchange.learn(self.online.agents)
        self._n_updates += 1
        if self._n_updates % self.cfg.target_update_interval == 0:
            soft_update(self.target, self.online, self.cfg.tau)
        return loss, {**loss.metrics, "grad_norm": grad}

    def read(self, rows: ReplayBatch) -> QValues:
        """Q-values of a batch by both networks."""
        obs, resets, generator = rows.obs, rows.resets, self.generator
        self.online.agents.draw_noise(generator)
        encoding = self.online.agents.encode(obs, rows.carry, resets)
        q = self.online.agents.logits(encoding, obs)  # [R, L + 1, A, N]
        with torch.no_grad():
            self.target.agents.draw_noise(generator)
            later = self.target.agents.encode(obs, rows.carry, resets)
            q_later = self.target.agents.logits(later, obs)[:, 1:]  # [R, L, A, N]
            next_actions = (q.detach()[:, 1:] if self.cfg.double_q else q_later).argmax(-1)
        goes_on = rows.filled & ~rows.terminated
        return QValues(
            q=q,
            taken=known(pick(q[:, :-1], rows.actions), rows.filled),
            best=known(q[:, :-1].max(-1).values, rows.filled),
            features=encoding.features,
            next_actions=next_actions,
            next_taken=known(pick(q_later, next_actions), goes_on),
            next_best=known(q_later.max(-1).values, goes_on),
            next_features=later.features[:, 1:],
            role_loss=self.online.agents.role_loss(
                encoding.roles, obs.acting[:, :-1] & rows.filled.unsqueeze(-1)
            ),
        )

    def targets(self, rows: ReplayBatch, next_values: Tensor) -> Tensor:
        """What the team's values [R, L, ...] should have been, from its rewards and the values
        after each step."""
        return self._returns(rows.rewards.T, next_values, rows.terminated.T, rows.last.T)

    def agent_targets(self, rows: ReplayBatch, next_values: Tensor) -> Tensor:
        """What the values [R, L, A] of each agent should have been, from what it earned itself."""
        own = rows.own.swap()
        return self._returns(own.rewards, next_values, own.terminated, own.over(rows.last.T))

    def _returns(
        self, rewards: Tensor, next_values: Tensor, terminated: Tensor, over: Tensor
    ) -> Tensor:
        """[R, L, ...] of what has steps first, but for the values [R, L, ...]."""
        args = (rewards, next_values.transpose(0, 1), terminated, over)
        if self.cfg.td_lambda > 0.0:
            targets = lambda_returns(*args, self.cfg.gamma, self.cfg.td_lambda)
        else:
            targets = n_step_returns(*args, self.cfg.gamma, self.cfg.n_step_return)
        return targets.transpose(0, 1)

    def save_experience(self, folder: Path) -> dict[str, Any]:
        return self.experience.save(folder)

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None:
        self.experience.load(folder, saved)
        if not saved and self.exchange.buffers is not None:
            self.exchange.buffers.clear()  # what it refers to was not kept

    def state_dict(self) -> dict[str, Any]:
        """All that it has learned, and all that the next update depends on but what is kept."""
        return {
            "online": self.online.state_dict(),
            "target": self.target.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "explorer": self.explorer.state_dict(),
            "exchange": self.exchange.state_dict(),
            "generator": self.generator.get_state(),
            "progress": self.progress,
            "due": self._due,
            "n_updates": self._n_updates,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.load_weights(state)
        load_into(self.target, state["target"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.explorer.load_state_dict(state["explorer"])
        self.exchange.load_state_dict(state["exchange"])
        self.generator.set_state(state["generator"])
        self.progress, self._due = float(state["progress"]), float(state["due"])
        self._n_updates = int(state["n_updates"])

    def load_weights(self, state: dict[str, Any]) -> None:
        load_into(self.online, state["online"])
        load_into(self.target, state["online"])


@torch.no_grad()
def soft_update(target: nn.Module, online: nn.Module, rate: float) -> None:
    """Target network update: Polyak averaging, a copy with tau = 1."""
    for there, here in zip(target.parameters(), online.parameters(), strict=True):
        if rate == 1.0:
            there.copy_(here)
        else:
            there.lerp_(here, rate)


def known(values: Tensor, where: Tensor) -> Tensor:
    """Values [R, L, A], but 0 outside of `where` [R, L]: in padding, or after the end.

    What cannot be chosen there has the lowest of numbers as its value, which no sum survives.
    """
    return values.masked_fill(~where.unsqueeze(-1), 0.0)


def mean_square(errors: Tensor, rows: ReplayBatch) -> Tensor:
    """Of the steps that were played, each as much as its row counts; errors are [R, L] or more."""
    squares = errors.square()
    squares = squares if squares.ndim == 2 else squares.flatten(2).mean(-1)
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)


def error_of_rows(errors: Tensor, rows: ReplayBatch) -> Tensor:
    """[K] the mean size of the errors [R, L] or [R, L, A] of each row that was drawn."""
    sizes = errors.detach().abs()
    return rows.mean_of_each(sizes if sizes.ndim == 2 else sizes.mean(-1))


def _check_share(net: NetConfig, share: ShareConfig, replay: ReplayConfig) -> None:
    """Refuse sharing in which nothing could ever be sent."""
    if share.receivers == "sight" and "pairs" not in views_of(net):
        raise TerrariumError(
            f"share.receivers is sight and net.encoder {net.encoder}: vectors do not say who sees "
            "whom; set net.encoder=attention, or share.receivers=similar, which compares vectors"
        )
    # Of an agent; 0: whole episodes, however long.
    n_steps = replay.batch_size * replay.chunk_length
    if n_steps and share.bandwidth * n_steps < 1.0:
        raise TerrariumError(
            f"share.bandwidth is {share.bandwidth:g} and a batch holds {n_steps} steps of an agent "
            "(replay.batch_size x replay.chunk_length), so it could never send one; set "
            f"share.bandwidth={math.ceil(1000.0 / n_steps) / 1000.0:g} or more, or share.rule=none"
        )


def _make_optimizer(cfg: Any, weights: list[nn.Parameter]) -> torch.optim.Optimizer:
    if cfg.optimizer == "rmsprop":  # as in PyMARL
        return RMSprop(weights, cfg.lr.at(0.0), alpha=0.99, eps=1e-5)
    return Adam(weights, cfg.lr.at(0.0), fused=True)
