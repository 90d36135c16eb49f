"""PPO for many agents; MAPPO and IPPO differ in the critic's input only (Yu et al. 2022)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_settings
from terrarium.envs.tasks.spec import Spec
from terrarium.errors import TerrariumError
from terrarium.marl.advantages_and_returns import ValueNorm, generalized_advantages
from terrarium.marl.algos.actor_critic import ActorCriticConfig, Coefs, coefs_at, minibatches
from terrarium.marl.algos.algo import Algo, Metrics
from terrarium.marl.algos.base import Means, gradient_step, set_lr
from terrarium.marl.batch import Obs, draw, masked_mean, pick
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.actor import Actor, Encoding, make_actor
from terrarium.marl.nets.building_blocks import load_into
from terrarium.marl.nets.critic import Critic, CriticConfig
from terrarium.marl.nets.crops import Crop, crops_of
from terrarium.marl.nets.distributions import ActionDistribution, ActionHead, ActionsOfSome
from terrarium.marl.nets.encoders import reads_units
from terrarium.marl.optimizers import Adam
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime


@dataclass(frozen=True)
class PpoConfig(ActorCriticConfig):
    """Settings of PPO."""

    n_epochs: int = 4
    """passes over each rollout"""
    n_minibatches: int = 8
    """minibatches per epoch, each a part of the environments"""
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
    log_std_init: float = 0.0
    """initial log standard deviation of continuous actions, before they are squashed by tanh"""
    sticky_action_prob: float = 0.0
    """sticky actions: probability of repeating the last action while exploring; decays linearly
    to 0"""
    target_kl: float = 0.05
    """stops an update early when the approximate KL divergence exceeds this; 0: never"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings(
            "algo",
            self,
            ("lr", any(self.lr.values), "0 to 1, and not always 0"),
            ("n_epochs", 1 <= self.n_epochs <= 1000, "1 to 1000"),
            ("gae_lambda", 0.0 <= self.gae_lambda <= 1.0, "0 to 1"),
            ("clip_range", self.clip_range > 0.0, "above 0"),
            ("value_clip_range", self.value_clip_range >= 0.0, "0 or more"),
            ("huber_delta", self.huber_delta >= 0.0, "0 or more"),
            ("log_std_init", -5.0 <= self.log_std_init <= 2.0, "-5 to 2"),
            ("sticky_action_prob", 0.0 <= self.sticky_action_prob < 1.0, "0 up to, but not, 1"),
            ("target_kl", self.target_kl >= 0.0, "0 or more"),
        )


@dataclass(frozen=True)
class PpoBatch:
    """Stretches of T steps of B battles, ready to learn from."""

    obs: Obs  # [B, T, ...]
    carry: Tensor  # [B, A, C]
    resets: Tensor  # [B, T]
    actions: Tensor  # [B, T, A] indices, or [B, T, A, N] vectors
    stuck: Tensor  # [B, T, A] chance that the last action was simply repeated
    repeats: Tensor  # [B, T, A] the action is the last one
    advice: Tensor  # [B, T, A] what the teacher would do; -1: nothing
    log_probs: Tensor  # [B, T, A] when the actions were chosen
    there: Tensor  # [B, T, A or 1] who belongs to the episode
    advantages: Tensor  # [B, T, A] normalized over the living
    values: Tensor  # [B, T, A] what the critic said before the update, of normalized returns
    returns: Tensor  # [B, T, A]


def ppo_loss(
    batch: PpoBatch,
    policy: ActionDistribution,
    values: Tensor,
    weights: Coefs,
    cfg: PpoConfig,
) -> tuple[Tensor, dict[str, Tensor]]:
    """Clipped policy and value loss, and a bonus for entropy; the policy is of [B, T, A], and
    values and the batch's returns [B, T, A] are normalized."""
    # The dead choose nothing, so they learn nothing; nor do those who have left.
    acting = batch.obs.acting & batch.there  # [B, T, A]
    log_probs = policy.log_prob(batch.actions)  # [B, T, A]
    taken = sticky_log_probs(log_probs, batch.repeats, batch.stuck)  # [B, T, A]
    moved = taken - batch.log_probs  # [B, T, A]
    ratio = moved.exp()
    bounded = ratio.clamp(1.0 - cfg.clip_range, 1.0 + cfg.clip_range)
    gain = torch.minimum(ratio * batch.advantages, bounded * batch.advantages)
    policy_loss = -masked_mean(gain, acting)
    entropy = masked_mean(policy.entropy(), acting)
    errors = _value_errors(values, batch, cfg)
    # The dead stay in the value's loss: what becomes of the team is what they died for.
    value = masked_mean(errors, batch.there.expand_as(errors))
    loss = policy_loss + cfg.value_coef * value - weights.entropy_coef * entropy
    with torch.no_grad():
        kl = masked_mean(ratio - 1.0 - moved, acting)
        clipped = masked_mean(((ratio - 1.0).abs() > cfg.clip_range).float(), acting)
    metrics = {
        "policy_loss": policy_loss,
        "value_loss": value,
        "entropy": entropy,
        "approx_kl": kl,
        "clip_fraction": clipped,
    }
    if weights.teacher_coef > 0.0:
        missed = -policy.log_prob(batch.advice.clamp(min=0))  # [B, T, A]
        metrics["teacher_loss"] = masked_mean(missed, acting & (batch.advice >= 0))
        loss = loss + weights.teacher_coef * metrics["teacher_loss"]
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


class Ppo(Algo):
    """A policy and a critic that learn from rollouts of all agents."""

    Config: ClassVar[type[Any]] = PpoConfig
    fits_many: ClassVar[bool] = True
    any_action: ClassVar[bool] = True
    stochastic: ClassVar[bool] = True
    central: bool
    """whether the critic reads the global state"""

    def __init__(self, spec: Spec, net: NetConfig, cfg: PpoConfig, runtime: Runtime) -> None:
        self.cfg, self.net, self.spec = cfg, net, spec
        self.device, self.generator = runtime.device, runtime.generator
        with runtime.seeded():
            self.actor = make_actor(spec, net).to(runtime.device)
            self.head = ActionHead(spec, net, cfg.log_std_init, runtime.device)
            self.critic = Critic(spec, net, self.central, cfg.critic).to(runtime.device)
        self.policy = nn.ModuleList((self.actor, self.head))
        self._reads_units = reads_units(net)
        self.norm = ValueNorm()
        weights = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = Adam(weights, cfg.lr.at(0.0), eps=1e-5, fused=True)
        self.n_steps, self.carry_size = cfg.n_steps, self.actor.carry_size + 1  # the last action
        self._rollout: Rollout | None = None
        self._sticky_action_prob = cfg.sticky_action_prob

    @classmethod
    def check(cls, net: NetConfig, cfg: PpoConfig, n_envs: int) -> None:
        cfg.check_envs(n_envs)

    def teacher(self, progress: float) -> str:
        return self.cfg.teacher_at(progress)

    @torch.no_grad()
    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        """Choose for a batch of teams: the likeliest actions, or by their probabilities."""
        memory, last = carry[..., :-1], carry[..., -1].long()  # [B, A, C], [B, A]
        encoding, policy = self._policy_of(obs[:, None], memory, resets[:, None])
        memory = encoding.carry
        if greedy or not self.spec.discrete:
            actions = policy.mode() if greedy else policy.sample(self.generator)
            log_probs = policy.log_prob(actions)
        else:
            actions = policy.sample(self.generator)
            log_probs = policy.log_prob(actions)
            if self._sticky_action_prob:
                stuck, before = self._stuck(obs, last, resets)[:, None], last[:, None]  # [B, 1, A]
                repeat = draw(torch.stack((1.0 - stuck, stuck), -1), self.generator) == 1
                actions = torch.where(repeat, before, actions)
                log_probs = sticky_log_probs(policy.log_prob(actions), actions == before, stuck)
        actions, log_probs = actions[:, 0], log_probs[:, 0]
        last = actions if self.spec.discrete else last  # vectors are never repeated
        return PolicyOutput(actions, log_probs, torch.cat((memory, last.unsqueeze(-1)), -1))

    def _policy_of(
        self, obs: Obs, carry: Tensor, resets: Tensor, crops: list[Crop] | None = None
    ) -> tuple[Encoding, ActionDistribution]:
        """What the actor makes of obs [B, T], and the policy of [B, T, A]."""
        encoding = self.actor.encode(obs, carry, resets, only_acting=True, crops=crops)
        if isinstance(self.actor, Actor) and encoding.crops:
            logits, index = self.actor.logits_of_present(encoding, obs)
            shape = obs.avail.shape
            some = self.head(logits, obs.avail.flatten(0, 2)[index])
            return encoding, ActionsOfSome(some, index, shape[:-1])
        return encoding, self.head(self.actor.logits(encoding, obs), obs.avail)

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
        cfg, weights, means, n_updates = self.cfg, coefs_at(self.cfg, progress), Means(), 0
        set_lr(self.optimizer, weights.lr)
        for part in minibatches(batch, cfg.n_epochs, cfg.n_minibatches, self.generator):
            # By the returns of each minibatch before they are normalized, as the authors do it.
            self.norm.update(part.returns[part.there.expand_as(part.returns)])
            part = replace(part, returns=self.norm.normalize(part.returns))
            crops = crops_of(part.obs.merge()) if self._reads_units else []  # of actor and critic
            encoding, policy = self._policy_of(part.obs, part.carry[..., :-1], part.resets, crops)
            loss, metrics = ppo_loss(part, policy, self.critic(part.obs, crops), weights, cfg)
            loss = loss + self.actor.role_loss(encoding.roles, part.obs.acting & part.there)
            # Asked before each gradient step: one that goes too far can undo hours of learning.
            if n_updates and cfg.target_kl and float(metrics["approx_kl"]) > cfg.target_kl:
                break
            # One by one: the critic's gradient is ten times as long and would hide a policy's leap.
            norm = gradient_step(loss, self.optimizer, cfg.max_grad_norm, self.policy, self.critic)
            means.add({**metrics, "grad_norm": norm})
            n_updates += 1
        self._sticky_action_prob = cfg.sticky_action_prob * (1.0 - progress)
        return {**means.result(), "learn/lr": weights.lr, "learn/n_updates": float(n_updates)}

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
        repeats = torch.zeros_like(acting)  # [T, B, A]
        stuck = torch.zeros_like(values[:-1])
        if self.spec.discrete:
            before = torch.cat((rollout.carry[None, ..., -1].long(), rollout.actions[:-1]))
            repeats = rollout.actions == before
            stuck = self._stuck(rollout.obs[:-1], before, rollout.resets[:-1])
        return PpoBatch(
            obs=rollout.obs[:-1].swap(),
            carry=rollout.carry,
            resets=rollout.resets[:-1].T,
            actions=rollout.actions.transpose(0, 1),
            stuck=stuck.transpose(0, 1),
            repeats=repeats.transpose(0, 1),
            advice=rollout.advice.transpose(0, 1),
            log_probs=rollout.log_probs.transpose(0, 1),
            there=there.transpose(0, 1),
            advantages=advantages.transpose(0, 1),
            values=said[:-1].transpose(0, 1),
            returns=returns.transpose(0, 1),
        )

    def state_dict(self) -> dict[str, Any]:
        parts = {name: getattr(self, name).state_dict() for name in _STATEFUL}
        sticky, generator = self._sticky_action_prob, self.generator.get_state()
        return {**parts, "sticky_action_prob": sticky, "generator": generator}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.load_weights(state)
        self.optimizer.load_state_dict(state["optimizer"])
        self._sticky_action_prob = float(state["sticky_action_prob"])
        self.generator.set_state(state["generator"])

    def load_weights(self, state: dict[str, Any]) -> None:
        load_into(self.actor, state["actor"])
        load_into(self.head, state["head"])
        load_into(self.critic, state["critic"])
        self.norm.load_state_dict(state["norm"])


_STATEFUL = ("actor", "head", "critic", "optimizer", "norm")


class Mappo(Ppo):
    """MAPPO (Yu et al. 2022): PPO with a centralized critic, of each agent's row of the state."""

    central = True


class Ippo(Ppo):
    """IPPO (de Witt et al. 2020): independent PPO, the critic reads the agent's observation."""

    central = False

    @classmethod
    def check(cls, net: NetConfig, cfg: PpoConfig, n_envs: int) -> None:
        super().check(net, cfg, n_envs)
        if cfg.critic != CriticConfig():
            raise TerrariumError(
                "critic.* sets up a centralized critic, and ippo has none: its critic has an "
                "encoder like the actor's; set encoder.*"
            )
