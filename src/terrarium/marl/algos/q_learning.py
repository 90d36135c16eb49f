"""Q-learning of a team from a replay buffer: IQL, VDN, QMIX and QPLEX.

All of them learn per-agent Q-values with double Q-learning and TD(lambda) or n-step targets. IQL
fits each agent's Q-value by itself. The others mix them into a team value Q_tot, by a sum (VDN), a
monotonic network (QMIX) or a duplex dueling one (QPLEX), and fit that. DIFFER and experience
sharing are hooks: losses on per-agent TD errors beside the loss of the team.
"""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor, nn

from terrarium.config import check_settings
from terrarium.envs.tasks.spec import Spec
from terrarium.errors import TerrariumError, nearest
from terrarium.marl.actions.action_selectors import (
    EpsilonGreedyConfig,
    ExploreConfig,
    find_explorer,
)
from terrarium.marl.advantages_and_returns import lambda_returns, n_step_returns
from terrarium.marl.algos.algo import Algo, Metrics
from terrarium.marl.algos.base import (
    OPTIMIZERS,
    ReplayTraining,
    gradient_step,
    load_both,
    make_optimizer,
    set_lr,
    update_target,
)
from terrarium.marl.algos.mixers import (
    MixerConfig,
    QmixMixerConfig,
    QplexMixerConfig,
    VdnMixer,
    find_mixer,
)
from terrarium.marl.batch import Obs, masked_mean, pick
from terrarium.marl.buffers.hindsight import Goals, relabel
from terrarium.marl.buffers.replay_batch import ReplayBatch, ReplayConfig
from terrarium.marl.differ import (
    Differ,
    DifferConfig,
    IndividualExperience,
    mixing_gradients,
    split,
)
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.actor import Actor, SeparateActors, make_actor
from terrarium.marl.nets.building_blocks import load_into
from terrarium.marl.nets.encoders import views_of
from terrarium.marl.nets.rows import put_rows, take_rows
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime
from terrarium.marl.sharing.config import ShareConfig, check_share
from terrarium.marl.sharing.exchange import Exchange
from terrarium.marl.sharing.loss import Sharing
from terrarium.schedules import Schedule, check_schedule


@dataclass(frozen=True)
class QLearningConfig:
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
    explore: ExploreConfig = field(default_factory=EpsilonGreedyConfig)

    def __post_init__(self) -> None:
        check_schedule("algo.lr", self.lr, 1e-12, 1.0)
        known = f"{', '.join(OPTIMIZERS)}.{nearest(self.optimizer, OPTIMIZERS)}"
        check_settings(
            "algo",
            self,
            ("optimizer", self.optimizer in OPTIMIZERS, known),
            ("gamma", 0.0 <= self.gamma <= 1.0, "0 to 1"),
            ("td_lambda", 0.0 <= self.td_lambda <= 1.0, "0 to 1"),
            ("n_step_return", 1 <= self.n_step_return <= 1000, "1 to 1000"),
            ("target_update_interval", 1 <= self.target_update_interval <= 10**9, "1 to 10^9"),
            ("tau", 0.0 < self.tau <= 1.0, "above 0, up to 1"),
            ("max_grad_norm", self.max_grad_norm > 0.0, "above 0"),
            ("n_steps", 1 <= self.n_steps <= 10_000, "1 to 10000"),
            ("steps_per_update", 0.01 <= self.steps_per_update <= 1e9, "0.01 to 10^9"),
        )
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

    def mix(self, filled: Tensor, *inputs: Tensor) -> Tensor:
        """Q_tot [R, L] of filled steps [R, L], from the mixer's inputs [R, L, ...]; 0 in
        padding."""
        index = filled.flatten().nonzero().squeeze(1)
        q_tot = self.mixer(*(take_rows(x.flatten(0, 1), index) for x in inputs))
        return put_rows(q_tot, index, filled.numel()).view(filled.shape)


@dataclass(frozen=True)
class QValues:
    """Per-agent Q-values of a batch, by the online and the target network."""

    q: Tensor  # [R, L + 1, A, N] of all actions; the lowest number for unavailable ones
    taken: Tensor  # [R, L, A] of the actions taken
    best: Tensor  # [R, L, A] of the greedy actions
    features: Tensor  # [R, L + 1, A, H] of the online network
    next_actions: Tensor  # [R, L, A] greedy actions after each step
    next_taken: Tensor  # [R, L, A] their values by the target network
    next_best: Tensor  # [R, L, A] the target network's highest values
    next_features: Tensor  # [R, L, A, H]
    role_loss: Tensor  # [] of agents with latent roles


@dataclass(frozen=True)
class Loss:
    """Loss, TD error of each sequence (for priorities), metrics."""

    total: Tensor  # []
    errors: Tensor  # [K]
    metrics: dict[str, Tensor]


class AgentLoss(Protocol):
    """A hook: a loss on per-agent TD errors, beside that of the team."""

    trains_alone: bool
    """only this loss trains the agents; of the team's loss only the mixer learns"""

    def __call__(
        self, batch: ReplayBatch, q: QValues, each: IndividualExperience, own: Tensor
    ) -> tuple[Tensor, dict[str, Tensor], IndividualExperience]:
        """A loss beside `own` [], that of the team and of hooks before; metrics; and the experience
        as hooks after this one take it."""


def q_values(batch: ReplayBatch, online: JointQ, target: JointQ, double_q: bool) -> QValues:
    """Per-agent Q-values of the actions taken, and of greedy actions after each step."""
    encoding = online.agents.encode(batch.obs, batch.carry, batch.resets)
    q = online.agents.logits(encoding, batch.obs)  # [R, L + 1, A, N]
    with torch.no_grad():  # a target is a constant, never a gradient path
        next_encoding = target.agents.encode(batch.obs, batch.carry, batch.resets)
        next_q = target.agents.logits(next_encoding, batch.obs)[:, 1:]  # [R, L, A, N]
        # Double Q-learning: the online network chooses, the target network evaluates.
        next_actions = (q[:, 1:] if double_q else next_q).argmax(-1)  # [R, L, A]
    goes_on = batch.filled & ~batch.terminated
    return QValues(
        q=q,
        taken=known(pick(q[:, :-1], batch.actions), batch.filled),
        best=known(q[:, :-1].max(-1).values, batch.filled),
        features=encoding.features,
        next_actions=next_actions,
        next_taken=known(pick(next_q, next_actions), goes_on),
        next_best=known(next_q.max(-1).values, goes_on),
        next_features=next_encoding.features[:, 1:],
        role_loss=online.agents.role_loss(encoding.roles, batch.acting),
    )


def qmix_loss(
    batch: ReplayBatch, q: QValues, online: JointQ, target: JointQ, cfg: QLearningConfig
) -> Loss:
    """TD error of the mixed value (Rashid et al. 2018, section 4); VDN and QPLEX mix otherwise."""
    state = batch.obs.state[:, :-1]
    q_tot = online.mix(batch.filled, q.taken, q.best, batch.actions, state)  # [R, L]
    return td_loss(batch, q_tot, team_targets(batch, q, target, cfg))


@torch.no_grad()
def team_targets(batch: ReplayBatch, q: QValues, target: JointQ, cfg: QLearningConfig) -> Tensor:
    """Targets of Q_tot [R, L] from the rewards and the target network's Q_tot of next states."""
    state = batch.obs.state[:, 1:]
    next_q_tot = target.mix(batch.filled, q.next_taken, q.next_best, q.next_actions, state)
    # A time limit is not the end of the game: only `terminated` stops the bootstrap.
    return td_targets(batch.rewards.T, next_q_tot, batch.terminated.T, batch.last.T, cfg)


def td_targets(
    rewards: Tensor, next_values: Tensor, terminated: Tensor, over: Tensor, cfg: QLearningConfig
) -> Tensor:
    """TD(lambda) or n-step targets [R, L, ...]; but for the values all have steps first."""
    steps_first = (rewards, next_values.transpose(0, 1), terminated, over, cfg.gamma)
    if cfg.td_lambda > 0.0:
        return lambda_returns(*steps_first, cfg.td_lambda).transpose(0, 1)
    return n_step_returns(*steps_first, cfg.n_step_return).transpose(0, 1)


def td_loss(batch: ReplayBatch, values: Tensor, targets: Tensor) -> Loss:
    """Mean squared TD error of a team's values [R, L], over the steps that were played."""
    td_errors = values - targets  # [R, L]
    td_error = masked_mean(td_errors.detach().abs(), batch.filled)
    metrics = {"td_error": td_error, "q_taken": masked_mean(values.detach(), batch.filled)}
    return Loss(mean_square(td_errors, batch), error_of_rows(td_errors, batch), metrics)


def hooked_qmix_loss(
    batch: ReplayBatch,
    q: QValues,
    online: JointQ,
    target: JointQ,
    cfg: QLearningConfig,
    hooks: Sequence[AgentLoss],
) -> Loss:
    """The same, and the losses of hooks on the TD error of each agent: dQ_tot/dQ_i times the
    team's."""
    targets = team_targets(batch, q, target, cfg)  # [R, L]
    taken = q.taken.detach() if any(hook.trains_alone for hook in hooks) else q.taken
    q_tot, gradients = mixing_gradients(batch, taken, q.best, online.mixer)  # [R, L], [R, L, A]
    agent_errors = gradients * (q_tot - targets).detach().unsqueeze(-1)  # [R, L, A]
    each = split(batch, q.taken, q.next_taken, agent_errors, cfg.gamma)
    return with_hooks(td_loss(batch, q_tot, targets), hooks, batch, q, each)


def agent_targets(batch: ReplayBatch, next_values: Tensor, cfg: QLearningConfig) -> Tensor:
    """Targets of each agent's Q-values [R, L, A], from what it earned itself."""
    own = batch.own.swap()
    return td_targets(own.rewards, next_values, own.terminated, own.over(batch.last.T), cfg)


def iql_loss(
    batch: ReplayBatch, q: QValues, cfg: QLearningConfig, hooks: Sequence[AgentLoss] = ()
) -> Loss:
    """Each agent's own TD error (Tan 1993; Tampuu et al. 2017)."""
    targets = agent_targets(batch, q.next_taken, cfg)  # [R, L, A]
    td_errors = (q.taken - targets) * batch.own.there
    # The team's reward goes on after an agent's death, so only the team's end is an end. What a
    # return of more than one step knows beyond the next value is part of the reward that a
    # receiver gets: with one network for all, it learns of it just what the sender did.
    each = IndividualExperience(
        errors=td_errors.detach(),
        rewards=targets - cfg.gamma * q.next_taken,
        ends=batch.own.terminated.expand_as(td_errors),
        there=batch.obs.acting[:, :-1] & batch.own.there & batch.filled.unsqueeze(-1),
        importance=torch.ones_like(td_errors),
    )
    metrics = {
        "td_error": masked_mean(td_errors.detach().abs().mean(-1), batch.filled),
        "q_taken": masked_mean(q.taken.detach().mean(-1), batch.filled),
    }
    # Losses of hooks are sums over agents, so this one has to be, too.
    loss = mean_square(td_errors, batch) * td_errors.shape[-1]
    return with_hooks(Loss(loss, error_of_rows(td_errors, batch), metrics), hooks, batch, q, each)


def with_hooks(
    loss: Loss,
    hooks: Sequence[AgentLoss],
    batch: ReplayBatch,
    q: QValues,
    each: IndividualExperience,
) -> Loss:
    """A loss and those of the hooks, added up."""
    total, metrics = loss.total, dict(loss.metrics)
    for hook in hooks:
        more, about, each = hook(batch, q, each, total)
        total, metrics = total + more, metrics | about
    return Loss(total, loss.errors, metrics)


def known(values: Tensor, where: Tensor) -> Tensor:
    """Values [R, L, A], but 0 outside of `where` [R, L]: in padding, or after the end.

    Unavailable actions have the lowest of numbers as their value, which no sum survives.
    """
    return values.masked_fill(~where.unsqueeze(-1), 0.0)


def mean_square(errors: Tensor, batch: ReplayBatch) -> Tensor:
    """Of the steps that were played, weighted by row; errors are [R, L] or more."""
    squares = errors.square()
    squares = squares if squares.ndim == 2 else squares.flatten(2).mean(-1)
    return (squares * batch.step_weights).sum() / batch.filled.sum().clamp(min=1)


def error_of_rows(errors: Tensor, batch: ReplayBatch) -> Tensor:
    """[K] the mean absolute error of each row that was drawn; errors are [R, L] or [R, L, A]."""
    sizes = errors.detach().abs()
    return batch.mean_of_each(sizes if sizes.ndim == 2 else sizes.mean(-1))


class QLearner(Algo):
    """Acts by per-agent Q-values, and learns them from a replay buffer. Subclasses have a loss."""

    Config: ClassVar[type[Any]] = QLearningConfig
    needs_team: ClassVar[bool] = True
    stochastic: ClassVar[bool] = True

    def __init__(self, spec: Spec, net: NetConfig, cfg: Any, runtime: Runtime) -> None:
        self.cfg, self.net, self.spec = cfg, net, spec
        self.device, self.generator = runtime.device, runtime.generator
        with runtime.seeded():
            explorer = find_explorer(cfg.explore.kind)
            agents = make_actor(spec, net, noisy=explorer.is_noisy)
            self.online = JointQ(agents, self.make_mixer()).to(runtime.device)
            self.exchange = self.make_exchange()
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.optimizer = make_optimizer(cfg.optimizer, self.online.parameters(), cfg.lr, fused=True)
        self.explorer = explorer(cfg.explore, spec.n_agents, spec.n_actions)
        self.hindsight: Goals | None = None
        """columns of goals in observations, if the environment has any: for hindsight"""
        self.n_steps, self.carry_size = cfg.n_steps, agents.carry_size
        self.keeps_carries = cfg.replay.chunk_length > 0 and self.carry_size > 0
        self.training = ReplayTraining(cfg, spec, self.carry_size, runtime.generator)
        self.progress = 0.0
        """fraction of the run that is done"""

    def make_mixer(self) -> nn.Module:
        """From the agents' Q-values to the team's."""
        mixer: nn.Module = find_mixer(self.cfg.mixer.kind)(self.spec, self.cfg.mixer)
        return mixer

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents, self.net.n_features)

    def hooks(self) -> list[AgentLoss]:
        """DIFFER, if it is on, and experience sharing."""
        differ = self.cfg.differ
        selects = [Differ(differ, self.progress, self.generator)] if differ.select != "none" else []
        return [*selects, *sharing_hooks(self)]

    def loss(self, batch: ReplayBatch, q: QValues) -> Loss:
        """What a gradient step minimizes."""
        networks, hooks = (self.online, self.target), self.hooks()
        if hooks:
            return hooked_qmix_loss(batch, q, *networks, self.cfg, hooks)
        return qmix_loss(batch, q, *networks, self.cfg)

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*views_of(net), "state")))  # mixers read the state

    @classmethod
    def check(cls, net: NetConfig, cfg: Any, n_envs: int) -> None:
        check_hindsight(cfg.replay)
        check_share(net, cfg.share, cfg.replay)

    @torch.no_grad()
    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        """Greedy actions, or what exploration makes of the Q-values."""
        agents = self.online.agents
        agents.draw_noise(None if greedy else self.generator, n_rows=len(resets))
        q, carry = agents(obs[:, None], carry, resets[:, None])  # [B, 1, A, N]
        q = q[:, 0]
        if greedy:
            actions = q.argmax(-1)
        else:
            actions = self.explorer.choose(q, obs.avail, self.progress, self.generator)
        return PolicyOutput(actions, torch.zeros_like(actions, dtype=q.dtype), carry)

    @contextmanager
    def without_traces(self) -> Iterator[None]:
        counted = copy.deepcopy(self.explorer.state_dict())
        yield
        self.explorer.load_state_dict(counted)

    def observe(self, rollout: Rollout) -> None:
        self.training.observe(rollout)

    def update(self, progress: float) -> Metrics:
        """As many gradient steps as are due for the steps that were collected."""
        self.progress = progress
        set_lr(self.optimizer, self.cfg.lr.at(progress))
        return self.training.update(progress, self.step, self.cfg.lr)

    def step(self, batch: ReplayBatch) -> dict[str, Tensor]:
        """One gradient step on a batch."""
        if self.hindsight is not None:
            ratio = self.cfg.replay.hindsight_ratio
            batch = relabel(batch, self.hindsight, ratio, "future", self.generator)
        if not self.cfg.replay.chunk_length:
            batch = batch.packed()
        batch = batch.to(self.device)
        q = self.read(batch)
        loss = self.loss(batch, q)
        total, limit = loss.total + q.role_loss, self.cfg.max_grad_norm
        norm = gradient_step(total, self.optimizer, limit, self.online)
        self.exchange.learn(self.online.agents)
        self.training.n_updates += 1
        n_updates, interval = self.training.n_updates, self.cfg.target_update_interval
        update_target(self.target, self.online, n_updates, interval, self.cfg.tau)
        self.training.grade(batch, loss.errors)
        return {**loss.metrics, "grad_norm": norm}

    def read(self, batch: ReplayBatch) -> QValues:
        """Q-values of a batch by both networks, with new noise in noisy layers."""
        self.online.agents.draw_noise(self.generator)
        self.target.agents.draw_noise(self.generator)
        return q_values(batch, self.online, self.target, self.cfg.double_q)

    def save_experience(self, folder: Path) -> dict[str, Any]:
        return self.training.save(folder)

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None:
        self.training.load(folder, saved)
        if not saved and self.exchange.buffers is not None:
            self.exchange.buffers.clear()  # what it refers to was not kept

    def state_dict(self) -> dict[str, Any]:
        parts = {name: getattr(self, name).state_dict() for name in _STATEFUL}
        return {**parts, "progress": self.progress}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.load_weights(state)
        load_into(self.target, state["target"])
        for name in _STATEFUL[2:]:
            getattr(self, name).load_state_dict(state[name])
        self.progress = float(state["progress"])

    def load_weights(self, state: dict[str, Any]) -> None:
        load_both(self.online, self.target, state["online"])


_STATEFUL = ("online", "target", "optimizer", "explorer", "exchange", "training")


def sharing_hooks(learner: QLearner) -> list[AgentLoss]:
    """The loss of received experience, if agents share any."""
    if not learner.exchange.is_on:
        return []
    agents = (learner.online.agents, learner.target.agents)
    gamma, double_q = learner.cfg.gamma, learner.cfg.double_q
    generator, replay = learner.generator, learner.training.store.replay
    return [Sharing(learner.exchange, agents, gamma, double_q, generator, replay)]


def check_hindsight(replay: ReplayConfig) -> None:
    if replay.hindsight_ratio:
        raise TerrariumError(
            f"replay.hindsight_ratio is {replay.hindsight_ratio}: battles have no goals to "
            "relabel; leave it at 0. An environment of your own may have them: docs/value.md"
        )


@dataclass(frozen=True)
class IqlConfig(QLearningConfig):
    """Settings of IQL."""

    share: ShareConfig = field(default_factory=ShareConfig)


class Iql(QLearner):
    """Independent Q-learning: each agent has its own TD error."""

    Config = IqlConfig
    fits_many: ClassVar[bool] = True
    needs_team: ClassVar[bool] = False

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        return views_of(net)

    def make_mixer(self) -> nn.Module:
        return nn.Module()  # each agent learns by itself

    def hooks(self) -> list[AgentLoss]:
        return sharing_hooks(self)

    def loss(self, batch: ReplayBatch, q: QValues) -> Loss:
        return iql_loss(batch, q, self.cfg, self.hooks())


@dataclass(frozen=True)
class VdnConfig(QLearningConfig):
    """Settings of VDN."""

    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Vdn(QLearner):
    """VDN (Sunehag et al. 2018): Q_tot is the sum of the agents' Q-values."""

    Config = VdnConfig
    fits_many: ClassVar[bool] = True

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        return views_of(net)

    def make_mixer(self) -> nn.Module:
        return VdnMixer(self.spec, MixerConfig())


@dataclass(frozen=True)
class QmixConfig(QLearningConfig):
    """Settings of QMIX."""

    mixer: MixerConfig = field(default_factory=QmixMixerConfig)
    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Qmix(QLearner):
    """QMIX (Rashid et al. 2018): monotonic mixing of the agents' Q-values."""

    Config = QmixConfig


@dataclass(frozen=True)
class QplexConfig(QLearningConfig):
    """Settings of QPLEX."""

    mixer: MixerConfig = field(default_factory=QplexMixerConfig)
    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Qplex(QLearner):
    """QPLEX (Wang et al. 2021): duplex dueling mixing, complete for the IGM condition."""

    Config = QplexConfig
