"""MADDPG (Lowe et al. 2017): decentralized actors, centralized critics."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_settings
from terrarium.envs.tasks.spec import Spec
from terrarium.errors import TerrariumError, nearest
from terrarium.marl.actions.action_layout import ActionLayout
from terrarium.marl.algos.algo import Algo, Metrics
from terrarium.marl.algos.base import (
    ReplayTraining,
    load_both,
    set_lr,
    update_target,
)
from terrarium.marl.batch import Obs, Own, masked_mean
from terrarium.marl.buffers.replay_batch import ReplayBatch, ReplayConfig
from terrarium.marl.net_config import NetConfig, refuse_roles
from terrarium.marl.nets.actor import Actor, SeparateActors, make_actor
from terrarium.marl.nets.building_blocks import load_into
from terrarium.marl.nets.encoders import views_of
from terrarium.marl.nets.joint_critic import JointCritic, with_own
from terrarium.marl.optimizers import Adam
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime
from terrarium.schedules import Schedule, check_schedule

WORDS = {
    "critic": ("central", "local"),
    "action_noise": ("gaussian", "ou"),
    "other_actions": ("replay", "policy"),
    "target_action": ("greedy", "sample"),
    "update_first": ("critic", "actor"),
}
"""What settings of words may be"""


@dataclass(frozen=True)
class SequenceReplayConfig(ReplayConfig):
    """What is kept, and how it is drawn: stretches of episodes."""

    buffer_size: int = 10_000
    """sequences in the replay buffer"""
    chunk_length: int = 16
    """steps of a stored sequence; 0: whole episodes, 1: transitions"""


@dataclass(frozen=True)
class MaddpgConfig:
    """Settings of MADDPG, and of what is made of it."""

    lr: Schedule = Schedule("0.001")
    """learning rate of the actors (Adam)"""
    critic_lr: Schedule = Schedule("0.001")
    """learning rate of the critics"""
    gamma: float = 0.95
    """discount factor"""
    critic: str = "central"
    """central: reads all observations and actions; local: its own agent only, which is
    independent DDPG"""
    twin_critics: bool = False
    """two critics, the smaller value is the target (TD3)"""
    policy_delay: int = 1
    """critic updates per actor update (TD3: 2)"""
    tau: float = 0.01
    """soft update of the target networks after each update"""
    target_action: str = "greedy"
    """action of the target actors: greedy or sample; the same for continuous actions"""
    target_policy_noise: float = 0.0
    """target policy smoothing: noise on continuous target actions, clipped at 2.5 times this
    (TD3: 0.2)"""
    other_actions: str = "replay"
    """other agents' actions in the actor loss: replay (stored) or policy (current policies)"""
    temperature: Schedule = Schedule("1")
    """temperature of the Gumbel-softmax"""
    action_noise: str = "gaussian"
    """exploration noise on continuous actions: gaussian or ou (Ornstein-Uhlenbeck)"""
    action_noise_std: Schedule = Schedule("0.3 -> 0.05")
    """standard deviation of the exploration noise; actions lie in -1..1"""
    ou_theta: float = 0.15
    """mean reversion rate of Ornstein-Uhlenbeck noise"""
    epsilon: Schedule = Schedule("0")
    """probability of a uniformly random action; discrete actions are sampled from the policy
    anyway"""
    actor_reg: float = 0.001
    """coefficient of the squared actor outputs in the actor loss"""
    update_first: str = "critic"
    """which network is updated first: critic or actor"""
    max_grad_norm: float = 0.5
    """gradient norm limit, of each agent's actor and critic separately"""
    n_steps: int = 4
    """steps of every environment between two updates"""
    steps_per_update: float = 16.0
    """environment steps, of all environments together, per gradient step"""
    replay: SequenceReplayConfig = field(default_factory=SequenceReplayConfig)

    def __post_init__(self) -> None:
        check_schedule("algo.lr", self.lr, 1e-12, 1.0)
        check_schedule("algo.critic_lr", self.critic_lr, 1e-12, 1.0)
        check_schedule("algo.temperature", self.temperature, 1e-3)
        check_schedule("algo.action_noise_std", self.action_noise_std, 0.0)
        check_schedule("algo.epsilon", self.epsilon, 0.0, 1.0)
        for name, allowed in WORDS.items():
            value = getattr(self, name)
            if value not in allowed:
                raise TerrariumError(
                    f'algo.{name} is "{value}".{nearest(value, allowed)} '
                    f"Allowed: {', '.join(allowed)}"
                )
        check_settings(
            "algo",
            self,
            ("gamma", 0.0 <= self.gamma <= 1.0, "0 to 1"),
            ("policy_delay", 1 <= self.policy_delay <= 1000, "1 to 1000"),
            ("tau", 0.0 < self.tau <= 1.0, "above 0, up to 1"),
            ("target_policy_noise", 0.0 <= self.target_policy_noise <= 10.0, "0 to 10"),
            ("ou_theta", 0.0 <= self.ou_theta <= 1.0, "0 to 1"),
            ("actor_reg", 0.0 <= self.actor_reg <= 1e6, "0 or more"),
            ("max_grad_norm", self.max_grad_norm > 0.0, "above 0"),
            ("n_steps", 1 <= self.n_steps <= 10_000, "1 to 10000"),
            ("steps_per_update", 0.01 <= self.steps_per_update <= 1e9, "0.01 to 10^9"),
        )


class ActorCritic(nn.Module):
    """Actor and critic networks."""

    actor: Actor | SeparateActors
    critic: JointCritic

    def __init__(self, actor: Actor | SeparateActors, critic: JointCritic) -> None:
        super().__init__()
        self.actor, self.critic = actor, critic


def critic_targets(own: Own, q_next: Tensor, gamma: float) -> Tensor:
    """[R, L, A] r_i + gamma * Q_i'(x', a'), the smaller one of twin_critics [K, R, L, A].

    An agent whose last step it was expects nothing more; who was cut off by a time limit does.
    """
    later = q_next.min(0).values.masked_fill(own.terminated, 0.0)
    return own.rewards + gamma * later


def critic_loss(q: Tensor, targets: Tensor, there: Tensor, weights: Tensor) -> Tensor:
    """Squared errors of all critics [K, R, L, A] where agents [R, L, A] were there."""
    squares = (q - targets).square().sum(0)  # [R, L, A]
    return (squares * there * weights).sum() / there.sum().clamp(min=1)


def actor_loss(q: Tensor, out: Tensor, obs: Obs, acting: Tensor, decay: float) -> Tensor:
    """What the first critic [R, L, A] thinks of actions that the actors would choose, negative.

    `out` [R, L, A, N] are the outputs of the actors; those that cannot be chosen do not count.
    """
    sizes = out.masked_fill(~obs.avail, 0.0).square().sum(-1)  # [R, L, A]
    sizes = sizes / obs.avail.sum(-1).clamp(min=1)
    return masked_mean(decay * sizes - q, acting)


@dataclass(frozen=True)
class OtherTeams:
    """Agents of other teams, where each team learns by an algorithm of its own."""

    spec: Spec
    """of all agents"""
    mine: tuple[int, ...]
    """places of the team's own agents"""
    plan: Callable[[Obs, bool], Tensor]
    """what everybody would do [..., A, N] who sees this [..., A, ...], by target policies or not"""


class Maddpg(Algo):
    """Actors and critics of all agents, learned from a replay buffer."""

    Config: ClassVar[type[Any]] = MaddpgConfig
    any_action: ClassVar[bool] = True
    stochastic: ClassVar[bool] = True

    def __init__(
        self,
        spec: Spec,
        net: NetConfig,
        cfg: MaddpgConfig,
        runtime: Runtime,
        others: OtherTeams | None = None,
    ) -> None:
        """With `others` it acts for its own agents, `spec`, and is shown what all of them do."""
        self.cfg, self.net, self.spec = cfg, net, spec
        self.device, self.generator, self._others = runtime.device, runtime.generator, others
        everybody = spec if others is None else others.spec
        self.mine = list(range(spec.n_agents) if others is None else others.mine)
        self.layout = ActionLayout(spec, runtime.device)
        self.all_layout = ActionLayout(everybody, runtime.device)
        with runtime.seeded():
            actor = make_actor(spec, net)
            critic = JointCritic(everybody, net, self.mine, cfg.critic == "local", cfg.twin_critics)
            self.online = ActorCritic(actor, critic).to(runtime.device)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.actor_optimizer = Adam(self.online.actor.parameters(), cfg.lr.at(0.0), fused=True)
        self.critic_optimizer = Adam(
            self.online.critic.parameters(), cfg.critic_lr.at(0.0), fused=True
        )
        self._memory_size = self.online.actor.carry_size
        self._lasting = cfg.action_noise == "ou" and self.layout.has_reals
        self.n_steps = cfg.n_steps
        # Recurrent states of the actors, and noise that lasts.
        self.carry_size = self._memory_size + (spec.n_actions if self._lasting else 0)
        self.keeps_carries = cfg.replay.chunk_length > 0 and self._memory_size > 0
        self.training = ReplayTraining(cfg, everybody, self._memory_size, runtime.generator)
        self.progress = 0.0
        """fraction of the run that is done"""

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*views_of(net), "obs", "state")))

    @classmethod
    def check(cls, net: NetConfig, cfg: MaddpgConfig, n_envs: int) -> None:
        refuse_roles(net, cls.__name__.lower())
        if net.core != "none" and cfg.replay.chunk_length == 1:
            raise TerrariumError(
                f"net.core is {net.core} and replay.chunk_length 1: recurrent networks learn from "
                "sequences of steps; set replay.chunk_length=16, or net.core=none"
            )
        if cfg.replay.hindsight_ratio:
            raise TerrariumError(
                f"replay.hindsight_ratio is {cfg.replay.hindsight_ratio}; here it must be 0"
            )

    @torch.no_grad()
    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        """The likeliest actions, or draws with noise on real numbers."""
        memory, noise = carry[..., : self._memory_size], carry[..., self._memory_size :]
        out, memory = self.online.actor(obs[:, None], memory, resets[:, None])
        out = out[:, 0]  # [B, A, N]
        if greedy:
            vectors = self.layout.greedy(out, obs.avail)
        else:
            noise = self._noise(noise * ~resets[:, None, None], out)
            vectors = self._explore(out, obs.avail, noise)
        none = torch.zeros(vectors.shape[:-1], device=self.device)
        kept = noise if self._lasting else noise[..., :0]
        return PolicyOutput(self.layout.actions(vectors), none, torch.cat((memory, kept), -1))

    def _explore(self, out: Tensor, avail: Tensor, noise: Tensor) -> Tensor:
        """Draws [B, A, N] of the policy, and now and then of nothing but chance."""
        vectors = self.layout.sample(out, avail, self._uniform(out), 1.0)
        vectors = self.layout.add_noise(vectors, noise, avail)
        chance = self.cfg.epsilon.at(self.progress)
        if chance == 0.0:
            return vectors
        # Logits of 0 make all alike; of real numbers, noise between -1 and 1 around 0 does.
        even = self.layout.sample(torch.zeros_like(out), avail, self._uniform(out), 1.0)
        even = self.layout.add_noise(even, 2.0 * self._uniform(out) - 1.0, avail)
        chosen = self._uniform(out[..., :1]) < chance  # [B, A, 1]
        return torch.where(chosen, even, vectors)

    def _noise(self, last: Tensor, out: Tensor) -> Tensor:
        """[B, A, N] for real numbers; `last` is that of the step before, if it lasts."""
        if not self.layout.has_reals:
            return torch.zeros_like(out)
        fresh = torch.randn(out.shape, generator=self.generator).to(self.device)
        fresh = fresh * self.cfg.action_noise_std.at(self.progress)
        return last * (1.0 - self.cfg.ou_theta) + fresh if self._lasting else fresh

    def _uniform(self, like: Tensor) -> Tensor:
        return torch.rand(like.shape, generator=self.generator).to(self.device)

    def observe(self, rollout: Rollout) -> None:
        # Of memories the team's own are needed; noise is no memory.
        carries = rollout.carries[..., : self._memory_size]
        self.training.observe(replace(rollout, carries=carries))

    def update(self, progress: float) -> Metrics:
        """As many gradient steps as are due for the steps that were collected."""
        self.progress, cfg = progress, self.cfg
        set_lr(self.actor_optimizer, cfg.lr.at(progress))
        set_lr(self.critic_optimizer, cfg.critic_lr.at(progress))
        return self.training.update(progress, self.step, cfg.lr)

    def step(self, rows: ReplayBatch) -> dict[str, Tensor]:
        """One gradient step of the critics, and of the actors if it is their turn."""
        rows = (rows if self.cfg.replay.chunk_length else rows.packed()).to(self.device)
        self.training.n_updates += 1
        n_updates, delay = self.training.n_updates, self.cfg.policy_delay
        improves = n_updates % delay == 0
        metrics = self.update_actor(rows) if improves and self.cfg.update_first == "actor" else {}
        metrics |= self.update_critic(rows)
        if improves and self.cfg.update_first == "critic":
            metrics |= self.update_actor(rows)
        update_target(self.target, self.online, n_updates, delay, self.cfg.tau)
        return metrics

    def update_critic(self, rows: ReplayBatch) -> dict[str, Tensor]:
        """One gradient step towards what rewards and target networks say."""
        obs, done = rows.obs, self.all_layout.vectors(rows.actions)  # [R, L, A, N]
        own = rows.own.of_agents(self.mine)
        with torch.no_grad():
            actions, memory = self._next_actions(rows)
            q_next = self.target.critic(obs[:, 1:], actions.unsqueeze(-3), memory)
            targets = critic_targets(own, q_next, self.cfg.gamma)  # [R, L, J]
            memory = self._remembered(rows)
        q = self.online.critic(obs[:, :-1], done.unsqueeze(-3), memory)  # [K, R, L, J]
        there = (own.there & rows.filled.unsqueeze(-1)).expand_as(targets)
        loss = critic_loss(q, targets, there, rows.weights[rows.owner].unsqueeze(-1))
        self.critic_optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
        self.online.critic.clip_grads(self.cfg.max_grad_norm)
        self.critic_optimizer.step()
        errors = ((q[0].detach() - targets).abs() * there).sum(-1)  # [R, L]
        errors = errors / there.sum(-1).clamp(min=1)
        self.training.grade(rows, rows.mean_of_each(errors))
        return {
            "value_loss": loss.detach(),
            "td_error": masked_mean(errors, rows.filled),
            "q_taken": masked_mean(q[0].detach(), there),
        }

    def update_actor(self, rows: ReplayBatch) -> dict[str, Tensor]:
        """One gradient step of the actors, along the critics' values."""
        loss, metrics = self.policy_loss(rows)
        self.actor_optimizer.zero_grad()
        # Only for the actors: the critics judge, they are not improved by the policy's loss.
        actor = self.online.actor
        weights = list(actor.parameters())
        grads = torch.autograd.grad(loss, weights, allow_unused=True)
        for weight, grad in zip(weights, grads, strict=True):
            weight.grad = grad
        each = actor.each if isinstance(actor, SeparateActors) else [actor]
        norms = [nn.utils.clip_grad_norm_(one.parameters(), self.cfg.max_grad_norm) for one in each]
        metrics["grad_norm"] = torch.stack(norms).mean()
        self.actor_optimizer.step()
        return metrics

    def policy_loss(self, rows: ReplayBatch) -> tuple[Tensor, dict[str, Tensor]]:
        """What to make smaller for better actors."""
        everything = rows.obs[:, :-1]
        obs, there = self._own_obs(everything), rows.own.of_agents(self.mine).there
        encoding = self.online.actor.encode(obs, rows.carry, rows.resets[:, :-1])
        out = self.online.actor.logits(encoding, obs)  # [R, L, J, N]
        temperature = self.cfg.temperature.at(self.progress)
        own = self.layout.sample(out, obs.avail, self._uniform(out), temperature)
        if self.cfg.other_actions == "replay":
            others = self.all_layout.vectors(rows.actions)  # [R, L, A, N]
        else:
            others = self._with_others(everything, own.detach(), target=False)
        joint = with_own(others, own, self.mine)  # [R, L, J, A, N]
        # The way through what is remembered is the critic's, not the actor's to bend.
        q = self.online.critic(everything, joint, encoding.features.detach())[0]  # [R, L, J]
        acting = obs.acting & there & rows.filled.unsqueeze(-1)  # [R, L, J]
        loss = actor_loss(q, out, obs, acting, self.cfg.actor_reg)
        return loss, {"policy_loss": -masked_mean(q.detach(), acting)}

    def _remembered(self, rows: ReplayBatch) -> Tensor:
        """[R, L, J, H] what the actors make of what they have seen, if they remember anything."""
        obs = self._own_obs(rows.obs[:, :-1])
        if not self._memory_size:
            return obs.vector[..., :0]
        encoding = self.online.actor.encode(obs, rows.carry, rows.resets[:, :-1])
        return encoding.features

    def _next_actions(self, rows: ReplayBatch) -> tuple[Tensor, Tensor]:
        """[R, L, A, N] what target actors do after each step, and other teams would; and what
        they make [R, L, J, H] of what they have seen."""
        first = 0 if self._memory_size else 1  # who remembers has to see the first step, too
        obs = self._own_obs(rows.obs[:, first:])
        encoding = self.target.actor.encode(obs, rows.carry, rows.resets[:, first:])
        out = self.target.actor.logits(encoding, obs)[:, 1 - first :]
        avail = obs.avail[:, 1 - first :]
        if self.cfg.target_action == "greedy":
            actions = self.layout.greedy(out, avail)
        else:
            actions = self.layout.sample(out, avail, self._uniform(out), 1.0)
        size = self.cfg.target_policy_noise
        if size and self.layout.has_reals:
            noise = size * torch.randn(out.shape, generator=self.generator).to(self.device)
            actions = self.layout.add_noise(actions, noise.clamp(-2.5 * size, 2.5 * size), avail)
        memory = encoding.features[:, 1 - first :]
        return self._with_others(rows.obs[:, 1:], actions, target=True), memory

    @torch.no_grad()
    def planned(self, obs: Obs, target: bool) -> Tensor:
        """[B, J, N] draws of the target policy, or of the one of now, for those who see this
        [B, J, ...] and remember nothing."""
        n_rows = len(obs.avail)
        begins = torch.ones((n_rows, 1), dtype=torch.bool, device=self.device)
        carry = torch.zeros((n_rows, self.spec.n_agents, self._memory_size), device=self.device)
        out, _ = (self.target if target else self.online).actor(obs[:, None], carry, begins)
        return self.layout.sample(out[:, 0], obs.avail, self._uniform(out[:, 0]), 1.0)

    def _own_obs(self, obs: Obs) -> Obs:
        """What the team's own agents see, of what all see."""
        return obs if self._others is None else obs.of_agents(self.mine)

    def _with_others(self, obs: Obs, actions: Tensor, target: bool) -> Tensor:
        """[..., A, N] the team's own actions [..., J, N] among what other teams would do, by their
        target policies or by those of now."""
        if self._others is None:
            return actions
        everybody = self._others.plan(obs, target)
        everybody[..., self.mine, :] = actions
        return everybody

    def save_experience(self, folder: Path) -> dict[str, Any]:
        return self.training.save(folder)

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None:
        self.training.load(folder, saved)

    def state_dict(self) -> dict[str, Any]:
        networks = {"online": self.online.state_dict(), "target": self.target.state_dict()}
        learning = {name: getattr(self, name).state_dict() for name in _LEARNING}
        return {**networks, **learning, "progress": self.progress}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.load_weights(state)
        load_into(self.target, state["target"])
        for name in _LEARNING:
            getattr(self, name).load_state_dict(state[name])
        self.progress = float(state["progress"])

    def load_weights(self, state: dict[str, Any]) -> None:
        load_both(self.online, self.target, state["online"])


_LEARNING = ("actor_optimizer", "critic_optimizer", "training")
