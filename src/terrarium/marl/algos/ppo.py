"""PPO for many agents; MAPPO and IPPO differ in the critic's input only (Yu et al. 2022)."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.errors import TerrariumError
from terrarium.marl.algos.algo import Metrics
from terrarium.marl.batch import Obs, draw, masked_mean, pick
from terrarium.marl.nets.actor import make_actor
from terrarium.marl.nets.config import NetConfig, Spec, views_of
from terrarium.marl.nets.critic import Critic
from terrarium.marl.nets.layers import load_into
from terrarium.marl.optimizers import Adam
from terrarium.marl.returns import ValueNorm, generalized_advantages
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime
from terrarium.schedules import Schedule, check_schedule

TEACHERS = ("kiting",)
"""Scripted players who say what they would do"""


@dataclass(frozen=True)
class PpoConfig:
    """Settings of PPO."""

    lr: Schedule = Schedule("0.001 -> 0.0001")
    """learning rate of Adam, for actor and critic"""
    n_steps: int = 32
    """rollout length: steps of every environment between two updates"""
    n_epochs: int = 4
    """passes over each rollout"""
    n_minibatches: int = 8
    """minibatches per epoch, each a part of the environments"""
    gamma: float = 0.99
    """discount factor"""
    gae_lambda: float = 0.95
    """lambda of generalized advantage estimation (GAE)"""
    clip_range: float = 0.2
    """clipping range of the probability ratio"""
    value_clip_range: float = 0.2
    """clipping range of the value prediction, in normalized returns; 0: not clipped"""
    value_coef: float = 1.0
    """coefficient of the value loss"""
    huber_delta: float = 10.0
    """delta of the Huber loss of values; 0: squared error"""
    entropy_coef: Schedule = Schedule("0.01 -> 0.005")
    """entropy bonus coefficient"""
    sticky_action_prob: float = 0.0
    """sticky actions: probability of repeating the last action while exploring; decays linearly
    to 0"""
    teacher: str = ""
    """scripted policy to imitate at the start of the run: kiting; empty: none"""
    teacher_coef: float = 1.0
    """coefficient of the imitation loss; decays linearly to 0 at teacher_end"""
    teacher_end: float = 0.3
    """fraction of the run after which the teacher is dropped"""
    max_grad_norm: float = 0.5
    """gradient norm limit, of actor and critic separately"""
    target_kl: float = 0.05
    """stops an update early when the approximate KL divergence exceeds this; 0: never"""

    def __post_init__(self) -> None:
        check_schedule("algo.lr", self.lr, 0.0, 1.0)
        check_schedule("algo.entropy_coef", self.entropy_coef, 0.0)
        for name, fine, allowed in (
            ("lr", any(self.lr.values), "0 to 1, and not always 0"),
            ("n_steps", 1 <= self.n_steps <= 10_000, "1 to 10000"),
            ("n_epochs", 1 <= self.n_epochs <= 1000, "1 to 1000"),
            ("n_minibatches", 1 <= self.n_minibatches <= 1000, "1 to 1000"),
            ("gamma", 0.0 <= self.gamma <= 1.0, "0 to 1"),
            ("gae_lambda", 0.0 <= self.gae_lambda <= 1.0, "0 to 1"),
            ("clip_range", self.clip_range > 0.0, "above 0"),
            ("value_clip_range", self.value_clip_range >= 0.0, "0 or more"),
            ("huber_delta", self.huber_delta >= 0.0, "0 or more"),
            ("sticky_action_prob", 0.0 <= self.sticky_action_prob < 1.0, "0 up to, but not, 1"),
            ("teacher", self.teacher in ("", *TEACHERS), f"nobody or {', '.join(TEACHERS)}"),
            ("teacher_coef", self.teacher_coef >= 0.0, "0 or more"),
            ("teacher_end", 0.0 <= self.teacher_end <= 1.0, "0 to 1"),
            ("max_grad_norm", self.max_grad_norm > 0.0, "above 0"),
            ("target_kl", self.target_kl >= 0.0, "0 or more"),
        ):
            if not fine:
                raise TerrariumError(f"algo.{name} is {getattr(self, name)}; allowed: {allowed}")


@dataclass(frozen=True)
class PpoBatch:
    """Stretches of T steps of B battles, ready to learn from."""

    obs: Obs  # [B, T, ...]
    carry: Tensor  # [B, A, C]
    resets: Tensor  # [B, T]
    actions: Tensor  # [B, T, A]
    stuck: Tensor  # [B, T, A] chance that the last action was simply repeated
    repeats: Tensor  # [B, T, A] the action is the last one
    advice: Tensor  # [B, T, A] what the teacher would do; -1: nothing
    log_probs: Tensor  # [B, T, A] when the actions were chosen
    there: Tensor  # [B, T, A or 1] who belongs to the episode
    advantages: Tensor  # [B, T, A] normalized over the living
    values: Tensor  # [B, T, A] what the critic said before the update, of normalized returns
    returns: Tensor  # [B, T, A]


@dataclass(frozen=True)
class PpoCoefs:
    """Scheduled coefficients."""

    lr: float
    entropy_coef: float
    teacher_coef: float


def coefs_at(cfg: PpoConfig, progress: float) -> PpoCoefs:
    """Coefficients at this fraction of the run."""
    lesson = max(0.0, 1.0 - progress / cfg.teacher_end) if cfg.teacher_end else 0.0
    return PpoCoefs(
        lr=cfg.lr.at(progress),
        entropy_coef=cfg.entropy_coef.at(progress),
        teacher_coef=cfg.teacher_coef * lesson,
    )


def ppo_loss(
    batch: PpoBatch, logits: Tensor, values: Tensor, weights: PpoCoefs, cfg: PpoConfig
) -> tuple[Tensor, dict[str, Tensor]]:
    """Clipped policy and value loss, and a bonus for entropy; logits are [B, T, A, N], and values
    and the batch's returns [B, T, A] normalized."""
    # The dead choose nothing, so they learn nothing; nor do those who have left.
    acting = batch.obs.acting & batch.there  # [B, T, A]
    log_all = logits.log_softmax(-1)  # [B, T, A, N]
    taken = sticky_log_probs(pick(log_all, batch.actions), batch.repeats, batch.stuck)  # [B, T, A]
    moved = taken - batch.log_probs  # [B, T, A]
    ratio = moved.exp()
    bounded = ratio.clamp(1.0 - cfg.clip_range, 1.0 + cfg.clip_range)
    gain = torch.minimum(ratio * batch.advantages, bounded * batch.advantages)
    policy = -masked_mean(gain, acting)
    spread = -(log_all.exp() * log_all.masked_fill(~batch.obs.avail, 0.0)).sum(-1)  # [B, T, A]
    entropy = masked_mean(spread, acting)
    errors = _value_errors(values, batch, cfg)
    # The dead stay in the value's loss: what becomes of the team is what they died for.
    value = masked_mean(errors, batch.there.expand_as(errors))
    advised = acting & (batch.advice >= 0)
    missed = masked_mean(-pick(log_all, batch.advice.clamp(min=0)), advised)
    loss = (
        policy
        + cfg.value_coef * value
        - weights.entropy_coef * entropy
        + weights.teacher_coef * missed
    )
    with torch.no_grad():
        kl = masked_mean(ratio - 1.0 - moved, acting)
        clipped = masked_mean(((ratio - 1.0).abs() > cfg.clip_range).float(), acting)
    metrics = {
        "policy_loss": policy,
        "value_loss": value,
        "entropy": entropy,
        "approx_kl": kl,
        "clip_fraction": clipped,
    }
    if weights.teacher_coef > 0.0:
        metrics["teacher_loss"] = missed
    return loss, {name: metric.detach() for name, metric in metrics.items()}


def sticky_log_probs(log_probs: Tensor, repeats: Tensor, stuck: Tensor) -> Tensor:
    """Chances of actions, as logarithms, when the last one is repeated with the chance `stuck`.

    What only works if it is done for several steps, such as running away, is hardly ever found by
    chances that are independent of each other. These are exact: PPO's ratios hold for them.
    """
    return torch.logaddexp(torch.log1p(-stuck) + log_probs, torch.log(stuck * repeats))


def _value_errors(values: Tensor, batch: PpoBatch, cfg: PpoConfig) -> Tensor:
    """[B, T, A] the worse one of values as they are and of values that stay near the old ones."""
    errors, limit = _huber(values, batch.returns, cfg.huber_delta), cfg.value_clip_range
    if limit == 0.0:
        return errors
    near = batch.values + (values - batch.values).clamp(-limit, limit)
    return torch.maximum(errors, _huber(near, batch.returns, cfg.huber_delta))


def _huber(values: Tensor, returns: Tensor, delta: float) -> Tensor:
    if delta == 0.0:
        return 0.5 * (values - returns).square()
    return nn.functional.huber_loss(values, returns, reduction="none", delta=delta)


class Ppo:
    """A policy and a critic that learn from rollouts of all agents."""

    Config: ClassVar[type[Any]] = PpoConfig
    lacks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("replay", "explore", "mixer", "differ", "share"),
        "it learns from what its policy has just played, and from nothing older",
    )
    fits_many: ClassVar[bool] = True
    any_action: ClassVar[bool] = False
    stochastic: ClassVar[bool] = True
    needs_team: ClassVar[bool] = False
    central: bool
    """whether the critic knows everything"""
    keeps_carries = False

    def __init__(self, spec: Spec, net: NetConfig, cfg: PpoConfig, runtime: Runtime) -> None:
        self.cfg, self.net, self.spec = cfg, net, spec
        with runtime.seeded():
            self.actor = make_actor(spec, net).to(runtime.device)
            self.critic = Critic(spec, net, self.central).to(runtime.device)
        self.norm = ValueNorm()
        self.optimizer = Adam(self._weights(), cfg.lr.at(0.0), eps=1e-5)
        self._runtime = runtime
        self._rollout: Rollout | None = None
        self._sticky_action_prob = cfg.sticky_action_prob

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        return views_of(net)

    @classmethod
    def check(cls, net: NetConfig, cfg: PpoConfig, n_envs: int) -> None:
        if n_envs < cfg.n_minibatches:
            raise TerrariumError(
                f"algo.n_minibatches is {cfg.n_minibatches} and env.n_envs {n_envs}: "
                "each minibatch needs a battle"
            )

    @classmethod
    def memory(cls, spec: Spec, net: NetConfig, cfg: PpoConfig, obs: Obs, n_envs: int) -> int:
        return cfg.n_steps * n_envs * obs.n_bytes

    @classmethod
    def smaller(cls, cfg: PpoConfig, share: float) -> str:
        return f"algo.n_steps={max(1, int(0.8 * share * cfg.n_steps))} and fewer environments fit"

    @property
    def n_steps(self) -> int:
        return self.cfg.n_steps

    def teacher(self, progress: float) -> str:
        return self.cfg.teacher if progress < self.cfg.teacher_end else ""

    @property
    def carry_size(self) -> int:
        """What the network remembers, and the last action."""
        return self.actor.carry_size + 1

    @property
    def device(self) -> torch.device:
        return self._runtime.device

    @torch.no_grad()
    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        """Choose for a batch of teams: the likeliest actions, or by their probabilities."""
        memory, last = carry[..., :-1], carry[..., -1].long()  # [B, A, C], [B, A]
        logits, memory = self.actor(obs[:, None], memory, resets[:, None])
        log_all = logits[:, 0].log_softmax(-1)  # [B, A, N]
        if greedy:
            actions = log_all.argmax(-1)
            log_probs = pick(log_all, actions)
        else:
            stuck = self._stuck(obs, last, resets)  # [B, A]
            drawn = draw(log_all.exp(), self._runtime.generator)
            repeat = draw(torch.stack((1.0 - stuck, stuck), -1), self._runtime.generator) == 1
            actions = torch.where(repeat, last, drawn)
            log_probs = sticky_log_probs(pick(log_all, actions), actions == last, stuck)
        return PolicyOutput(actions, log_probs, torch.cat((memory, actions.unsqueeze(-1)), -1))

    def _stuck(self, obs: Obs, last: Tensor, resets: Tensor) -> Tensor:
        """[..., A] how likely the last action is repeated: never if it cannot be chosen again."""
        possible = pick(obs.avail, last) & ~resets.unsqueeze(-1)
        return self._sticky_action_prob * possible

    def observe(self, rollout: Rollout) -> None:
        """Take what was collected; it is learned from once."""
        self._rollout = rollout

    def update(self, progress: float) -> Metrics:
        """Learn from the rollout; `progress` is the share of the run that is done."""
        assert self._rollout is not None, "nothing was observed"
        batch, self._rollout = self._prepare(self._rollout), None
        cfg, weights = self.cfg, coefs_at(self.cfg, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = weights.lr
        sums: dict[str, Tensor] = {}
        n_updates = 0
        for part in self._parts(batch):
            # By the returns of each minibatch before they are normalized, as the authors do it.
            self.norm.update(part.returns[part.there.expand_as(part.returns)])
            part = replace(part, returns=self.norm.normalize(part.returns))
            encoding = self.actor.encode(part.obs, part.carry[..., :-1], part.resets)
            logits = self.actor.logits(encoding, part.obs)
            loss, metrics = ppo_loss(part, logits, self.critic(part.obs), weights, cfg)
            loss = loss + self.actor.role_loss(encoding.roles, part.obs.acting & part.there)
            # Asked before each gradient step: one that goes too far can undo hours of learning.
            if n_updates and cfg.target_kl and float(metrics["approx_kl"]) > cfg.target_kl:
                break
            self.optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
            # One by one: the critic's gradient is ten times as long and would hide a policy's leap.
            metrics["grad_norm"] = nn.utils.clip_grad_norm_(
                self.actor.parameters(), cfg.max_grad_norm
            )
            nn.utils.clip_grad_norm_(self.critic.parameters(), cfg.max_grad_norm)
            self.optimizer.step()
            n_updates += 1
            for name, metric in metrics.items():
                sums[name] = sums.get(name, torch.zeros(())) + metric
        means = {f"learn/{name}": float(total) / n_updates for name, total in sums.items()}
        self._sticky_action_prob = cfg.sticky_action_prob * (1.0 - progress)
        return {**means, "learn/lr": weights.lr, "learn/n_updates": float(n_updates)}

    @torch.no_grad()
    def _prepare(self, rollout: Rollout) -> PpoBatch:
        """Advantages and returns, and everything with battles first."""
        said = self.critic(rollout.obs)  # [T + 1, B, A]
        values = self.norm.denormalize(said)
        following = values[1:].clone()
        if len(rollout.end_steps):
            ends = self.norm.denormalize(self.critic(rollout.ends))  # [E, A]
            following[rollout.end_steps, rollout.end_rows] = ends
        advantages = generalized_advantages(
            rollout.own.rewards,
            values[:-1],
            following,
            rollout.own.terminated,
            rollout.own.over(rollout.over),
            self.cfg.gamma,
            self.cfg.gae_lambda,
        )  # [T, B, A]
        returns = advantages + values[:-1]
        there = rollout.own.there
        acting = rollout.obs.acting[:-1] & there
        living = advantages[acting]
        if len(living) > 1:
            advantages = (advantages - living.mean()) / (living.std() + 1e-5)
        before = torch.cat((rollout.carry[None, ..., -1].long(), rollout.actions[:-1]))  # [T, B, A]
        stuck = self._stuck(rollout.obs[:-1], before, rollout.resets[:-1])
        return PpoBatch(
            obs=rollout.obs[:-1].swap(),
            carry=rollout.carry,
            resets=rollout.resets[:-1].T,
            actions=rollout.actions.transpose(0, 1),
            stuck=stuck.transpose(0, 1),
            repeats=(rollout.actions == before).transpose(0, 1),
            advice=rollout.advice.transpose(0, 1),
            log_probs=rollout.log_probs.transpose(0, 1),
            there=there.transpose(0, 1),
            advantages=advantages.transpose(0, 1),
            values=said[:-1].transpose(0, 1),
            returns=returns.transpose(0, 1),
        )

    def _parts(self, batch: PpoBatch) -> Iterator[PpoBatch]:
        """Random parts of the battles, epoch by epoch: whole rows, so that memories stay whole."""
        for _ in range(self.cfg.n_epochs):
            order = torch.randperm(len(batch.actions), generator=self._runtime.generator)
            for rows in order.chunk(self.cfg.n_minibatches):
                yield PpoBatch(*(getattr(batch, field.name)[rows] for field in fields(batch)))

    def save_experience(self, folder: Path) -> dict[str, Any]:
        """It keeps nothing."""
        return {}

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None:
        """There is nothing to load."""

    def state_dict(self) -> dict[str, Any]:
        """All that it has learned, and all that the next update depends on."""
        return {
            "actor": self.actor.state_dict(),
            "critic": self.critic.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "norm": self.norm.state_dict(),
            "sticky_action_prob": self._sticky_action_prob,
            "generator": self._runtime.generator.get_state(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.load_weights(state)
        self.optimizer.load_state_dict(state["optimizer"])
        self._sticky_action_prob = float(state["sticky_action_prob"])
        self._runtime.generator.set_state(state["generator"])

    def load_weights(self, state: dict[str, Any]) -> None:
        """What was learned, to begin something new with."""
        load_into(self.actor, state["actor"])
        load_into(self.critic, state["critic"])
        self.norm.load_state_dict(state["norm"])

    def _weights(self) -> list[nn.Parameter]:
        return [*self.actor.parameters(), *self.critic.parameters()]
