"""COMA (Foerster et al. 2018): actor-critic with a counterfactual baseline."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from terrarium.config import check_settings
from terrarium.envs.tasks.spec import Spec
from terrarium.errors import nearest
from terrarium.marl.advantages_and_returns import lambda_returns
from terrarium.marl.algos.actor_critic import ActorCriticConfig, Coefs, coefs_at, minibatches
from terrarium.marl.algos.algo import Algo, Metrics
from terrarium.marl.algos.base import (
    OPTIMIZERS,
    Means,
    gradient_step,
    make_optimizer,
    set_lr,
    update_target,
)
from terrarium.marl.batch import Obs, draw, masked_mean, parts, pick
from terrarium.marl.net_config import NetConfig, refuse_roles
from terrarium.marl.nets.actor import make_actor
from terrarium.marl.nets.building_blocks import load_into
from terrarium.marl.nets.counterfactual import NO_ACTION, CounterfactualCritic
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime
from terrarium.schedules import Schedule, check_schedule


@dataclass(frozen=True)
class ComaConfig(ActorCriticConfig):
    """Settings of COMA."""

    critic_lr: Schedule = Schedule("0.001 -> 0.0001")
    """learning rate of the critic"""
    optimizer: str = "adam"
    """optimizer of actor and critic: adam or rmsprop"""
    n_critic_epochs: int = 4
    """passes of the critic over each rollout; the actor makes one"""
    td_lambda: float = 0.8
    """lambda of the critic's TD(lambda) targets"""
    recurrent_critic: bool = False
    """give the critic a core like the actor's, for partially observed states"""
    target_update_interval: int = 20
    """gradient steps between updates of the target critic"""
    tau: float = 1.0
    """soft update of the target critic: 1 copies the weights, 0.01 averages slowly"""
    epsilon: Schedule = Schedule("0.05 -> 0.01")
    """probability of a uniformly random available action, as part of the policy"""
    entropy_coef: Schedule = Schedule("0.003 -> 0.0015")
    """entropy bonus coefficient"""
    scale_advantages: bool = True
    """divide advantages by their root mean square"""
    max_grad_norm: float = 10.0
    """gradient norm limit, of actor and critic separately"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_schedule("algo.critic_lr", self.critic_lr, 0.0, 1.0)
        check_schedule("algo.epsilon", self.epsilon, 0.0, 1.0)
        known = f"{', '.join(OPTIMIZERS)}.{nearest(self.optimizer, OPTIMIZERS)}"
        check_settings(
            "algo",
            self,
            ("optimizer", self.optimizer in OPTIMIZERS, known),
            ("n_critic_epochs", 1 <= self.n_critic_epochs <= 1000, "1 to 1000"),
            ("td_lambda", 0.0 <= self.td_lambda <= 1.0, "0 to 1"),
            ("target_update_interval", 1 <= self.target_update_interval <= 10**9, "1 to 10^9"),
            ("tau", 0.0 < self.tau <= 1.0, "above 0, up to 1"),
        )


@dataclass(frozen=True)
class ComaBatch:
    """Stretches of T steps of B battles, ready to learn from."""

    obs: Obs  # [B, T, ...]
    carry: Tensor  # [B, A, C]
    resets: Tensor  # [B, T]
    actions: Tensor  # [B, T, A]
    last: Tensor  # [B, T, A] the actions before; -1 where an episode begins
    advice: Tensor  # [B, T, A] what the teacher would do; -1: nothing
    returns: Tensor  # [B, T, A]


def epsilon_log_probs(logits: Tensor, avail: Tensor, epsilon: float) -> Tensor:
    """Chances [..., N] of actions, as logarithms, when the share `epsilon` is chosen evenly.

    The epsilon is a part of the policy: what is learned from are the chances that acted.
    """
    even = avail.to(logits.dtype) / avail.sum(-1, keepdim=True).clamp(min=1)  # [..., N]
    kept = logits.new_tensor(1.0 - epsilon).log()
    return torch.logaddexp(kept + logits.log_softmax(-1), (epsilon * even).log())


def counterfactual_advantages(q: Tensor, chances: Tensor, actions: Tensor) -> Tensor:
    """[..., A] how much better an action was than what the agent does on average.

    The others' actions are the same in both, so only the agent's own part in it is left.
    """
    return pick(q, actions) - (chances * q).sum(-1)


def coma_loss(
    batch: ComaBatch, log_all: Tensor, advantages: Tensor, weights: Coefs
) -> tuple[Tensor, dict[str, Tensor]]:
    """Policy gradient and a bonus for entropy; log_all [B, T, A, N], advantages are constants."""
    acting = batch.obs.acting  # [B, T, A] the dead choose nothing, so they learn nothing
    policy = -masked_mean(advantages * pick(log_all, batch.actions), acting)
    # Logarithms of what cannot be chosen are huge: times a chance of 0, but let none through.
    finite = log_all.masked_fill(~batch.obs.avail, 0.0)
    entropy = masked_mean(-(log_all.exp() * finite).sum(-1), acting)
    loss = policy - weights.entropy_coef * entropy
    metrics = {"policy_loss": policy, "entropy": entropy}
    if weights.teacher_coef > 0.0:
        advised = acting & (batch.advice >= 0)
        metrics["teacher_loss"] = masked_mean(-pick(log_all, batch.advice.clamp(min=0)), advised)
        loss = loss + weights.teacher_coef * metrics["teacher_loss"]
    return loss, {name: metric.detach() for name, metric in metrics.items()}


class Coma(Algo):
    """A policy for each agent, and a critic of joint actions with a counterfactual baseline.

    The critic has a place for every agent's actions: it can only be loaded for the scenario that
    it was trained on.
    """

    Config: ClassVar[type[Any]] = ComaConfig
    stochastic: ClassVar[bool] = True
    needs_team: ClassVar[bool] = True

    def __init__(self, spec: Spec, net: NetConfig, cfg: ComaConfig, runtime: Runtime) -> None:
        self.cfg, self.net, self.spec = cfg, net, spec
        self.device, self.generator = runtime.device, runtime.generator
        with runtime.seeded():
            self.actor = make_actor(spec, net).to(runtime.device)
            critic = CounterfactualCritic(spec, net, cfg.recurrent_critic, cfg.critic)
            self.critic = critic.to(runtime.device)
        self.target = deepcopy(self.critic).requires_grad_(False)
        name, eps = cfg.optimizer, 1e-5
        self.actor_optimizer = make_optimizer(name, self.actor.parameters(), cfg.lr, eps=eps)
        self.critic_optimizer = make_optimizer(
            name, self.critic.parameters(), cfg.critic_lr, eps=eps
        )
        self.n_steps = cfg.n_steps
        # Recurrent states of actor and critic, and the last action.
        self.carry_size = self.actor.carry_size + self.critic.carry_size + 1
        self._rollout: Rollout | None = None
        self._epsilon = cfg.epsilon.at(0.0)
        self._critic_steps = 0

    @classmethod
    def check(cls, net: NetConfig, cfg: ComaConfig, n_envs: int) -> None:
        refuse_roles(net, cls.__name__.lower())
        cfg.check_envs(n_envs)

    def teacher(self, progress: float) -> str:
        return self.cfg.teacher_at(progress)

    @torch.no_grad()
    def act(self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False) -> PolicyOutput:
        """Choose for a batch of teams: the likeliest actions, or by their probabilities."""
        actor_carry, critic_carry, _ = self._split(carry)
        now, begins = obs[:, None], resets[:, None]  # [B, 1]
        logits, actor_carry = self.actor(now, actor_carry, begins)
        log_all = epsilon_log_probs(logits[:, 0], obs.avail, self._epsilon)  # [B, A, N]
        if greedy:  # nobody learns from it, so the critic need not watch
            actions = logits[:, 0].argmax(-1)  # [B, A]
        else:
            actions = draw(log_all.exp(), self.generator)  # [B, A]
            if self.critic.carry_size:
                _, critic_carry = self.critic.remember(now, critic_carry, begins)
        after = torch.cat((actor_carry, critic_carry, actions.unsqueeze(-1)), -1)  # [B, A, C]
        return PolicyOutput(actions, pick(log_all, actions), after)

    def observe(self, rollout: Rollout) -> None:
        """Take what was collected; it is learned from once."""
        self._rollout = rollout

    def update(self, progress: float) -> Metrics:
        """Learn from the rollout; `progress` is the share of the run that is done.

        First the critic, then the policy by what the critic has learned. The paper's code takes a
        critic step for each time index of eight episodes, from the last to the first, towards
        targets that were computed before; here the targets are the same, and steps are taken on
        n_minibatches of battles over the whole stretch: fewer, each from more decisions.
        """
        assert self._rollout is not None, "nothing was observed"
        batch, self._rollout = self._prepare(self._rollout), None
        cfg, weights, means = self.cfg, coefs_at(self.cfg, progress), Means()
        set_lr(self.actor_optimizer, weights.lr)
        set_lr(self.critic_optimizer, cfg.critic_lr.at(progress))
        n_updates, n_parts = 0, cfg.n_minibatches
        for part in minibatches(batch, cfg.n_critic_epochs, n_parts, self.generator):
            means.add(self._update_critic(part))
            n_updates += 1
        for part in minibatches(batch, 1, n_parts, self.generator):
            means.add(self._update_actor(part, weights))
            n_updates += 1
        self._epsilon = cfg.epsilon.at(progress)
        return {**means.result(), "learn/lr": weights.lr, "learn/n_updates": float(n_updates)}

    def _update_critic(self, part: ComaBatch) -> dict[str, Tensor]:
        """One gradient step towards the returns of the actions that were taken."""
        q = pick(self._q(part), part.actions)  # [B, T, A]
        # The dead stay in it: the returns of those who die later are made of their values.
        value = (q - part.returns).square().mean()
        gradient_step(value, self.critic_optimizer, self.cfg.max_grad_norm, self.critic)
        self._critic_steps += 1
        interval, tau = self.cfg.target_update_interval, self.cfg.tau
        update_target(self.target, self.critic, self._critic_steps, interval, tau)
        return {"value_loss": value.detach()}

    def _update_actor(self, part: ComaBatch, weights: Coefs) -> dict[str, Tensor]:
        """One gradient step along the counterfactual advantages."""
        log_all, advantages = self._judge(part)
        if self.cfg.scale_advantages:
            # Not around their mean: it would pay every action for what the critic is wrong about.
            square = masked_mean(advantages.square(), part.obs.acting)
            advantages = advantages / square.sqrt().clamp(min=1e-3)
        loss, metrics = coma_loss(part, log_all, advantages, weights)
        norm = gradient_step(loss, self.actor_optimizer, self.cfg.max_grad_norm, self.actor)
        return {**metrics, "grad_norm": norm}

    def _judge(self, part: ComaBatch) -> tuple[Tensor, Tensor]:
        """Chances [B, T, A, N] of all actions as logarithms, and advantages [B, T, A] of theirs."""
        logits, _ = self.actor(part.obs, self._split(part.carry)[0], part.resets)
        log_all = epsilon_log_probs(logits, part.obs.avail, self._epsilon)  # [B, T, A, N]
        with torch.no_grad():  # the critic judges, it is not improved by the policy's loss
            return log_all, counterfactual_advantages(self._q(part), log_all.exp(), part.actions)

    def _q(self, part: ComaBatch) -> Tensor:
        """[B, T, A, N] what the critic thinks of all actions."""
        carry = self._split(part.carry)[1]
        q: Tensor = self.critic(part.obs, carry, part.resets, part.actions, part.last)
        return q

    @torch.no_grad()
    def _prepare(self, rollout: Rollout) -> ComaBatch:
        """Returns by the target critic, and everything with battles first."""
        last = _before(self._split(rollout.carry)[2], rollout.actions, rollout.resets)
        returns = lambda_returns(
            rollout.rewards,
            self._following(rollout),
            rollout.terminated,
            rollout.over,
            self.cfg.gamma,
            self.cfg.td_lambda,
        )  # [T, B, A]
        return ComaBatch(
            obs=rollout.obs[:-1].swap(),
            carry=rollout.carry,
            resets=rollout.resets[:-1].T,
            actions=rollout.actions.transpose(0, 1),
            last=last[:-1].transpose(0, 1),
            advice=rollout.advice.transpose(0, 1),
            returns=returns.transpose(0, 1),
        )

    def _following(self, rollout: Rollout) -> Tensor:
        """[T, B, A] what the target critic thinks of what was done after each step."""
        n_steps, n_rows = rollout.rewards.shape
        at_end = torch.full((n_rows,), n_steps, device=rollout.rewards.device)
        stretch = (rollout.obs, rollout.resets, rollout.carry, rollout.actions)
        following = self._values_along(*stretch, at_end)[1:]  # [T, B, A]
        cut = rollout.truncated[rollout.end_steps, rollout.end_rows]  # [E]
        if cut.any():
            steps, rows = rollout.end_steps[cut], rollout.end_rows[cut]
            ends = rollout.ends[cut]
            each = torch.arange(len(rows), device=rows.device)
            # The same battles once more, as if they went on where the time limit cut them off.
            obs, resets = rollout.obs[:, rows], rollout.resets[:, rows]  # [T + 1, E]
            for room, part in zip(parts(obs), parts(ends), strict=True):
                room[steps + 1, each] = part
            resets[steps + 1, each] = False
            stretch = (obs, resets, rollout.carry[rows], rollout.actions[:, rows])
            following[steps, rows] = self._values_along(*stretch, steps + 1)[steps + 1, each]
        return following

    def _values_along(
        self, obs: Obs, resets: Tensor, carry: Tensor, actions: Tensor, steps: Tensor
    ) -> Tensor:
        """[T + 1, R, A] values of the actions [T, R, A] of a stretch [T + 1, R].

        In one step [R] of each row it was not decided what to do: the policy draws it.
        """
        each, whole = torch.arange(len(steps), device=steps.device), obs.swap()
        actor_carry, critic_carry, last = self._split(carry)
        logits, _ = self.actor(whole, actor_carry, resets.T)  # [R, T + 1, A, N]
        log_all = epsilon_log_probs(logits[each, steps], obs.avail[steps, each], self._epsilon)
        done = torch.cat((actions, actions[-1:]))  # [T + 1, R, A]
        done[steps, each] = draw(log_all.exp(), self.generator)
        done, before = done.transpose(0, 1), _before(last, actions, resets).transpose(0, 1)
        q = self.target(whole, critic_carry, resets.T, done, before)  # [R, T + 1, A, N]
        return pick(q, done).transpose(0, 1)

    def _split(self, carry: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """A carry [B, A, C]: what policy and critic remember, and the last actions [B, A]."""
        sizes = [self.actor.carry_size, self.critic.carry_size, 1]
        actor, critic, last = torch.split(carry, sizes, -1)
        return actor, critic, last.squeeze(-1).long()

    def state_dict(self) -> dict[str, Any]:
        parts = {name: getattr(self, name).state_dict() for name in _STATEFUL}
        numbers = {"epsilon": self._epsilon, "critic_steps": self._critic_steps}
        return {**parts, **numbers, "generator": self.generator.get_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.load_weights(state)
        self.actor_optimizer.load_state_dict(state["actor_optimizer"])
        self.critic_optimizer.load_state_dict(state["critic_optimizer"])
        self._epsilon = float(state["epsilon"])
        self._critic_steps = int(state["critic_steps"])
        self.generator.set_state(state["generator"])

    def load_weights(self, state: dict[str, Any]) -> None:
        for name in _STATEFUL[:3]:
            load_into(getattr(self, name), state[name])


_STATEFUL = ("actor", "critic", "target", "actor_optimizer", "critic_optimizer")


def _before(first: Tensor, actions: Tensor, resets: Tensor) -> Tensor:
    """[T + 1, R, A] the last actions at each step: first [R, A], then actions [T, R, A]."""
    last = torch.cat((first[None], actions))
    return last.masked_fill(resets.unsqueeze(-1), NO_ACTION)
