"""What is PPO's own: ratios, the dead, sticky actions, a teacher, weights that fall."""

import dataclasses

import pytest
import torch

from terrarium.envs.players.players import PLAYERS
from terrarium.errors import TerrariumError
from terrarium.marl.algos.actor_critic import Coefs, coefs_at
from terrarium.marl.algos.ppo import Ppo, PpoConfig, ppo_loss
from terrarium.marl.net_config import NetConfig
from terrarium.marl.rollout import Collector, Rollout
from terrarium.schedules import Schedule
from tests.marl.small import NET, PPO_LIKE
from tests.marl.small import made as made_small

NO_BONUS = Coefs(lr=0.0, entropy_coef=0.0, teacher_coef=0.0)


def made(
    algo: str, *words: str, name: str = "smac/3m", n_envs: int = 8, net: NetConfig = NET
) -> tuple[Ppo, Collector]:
    return made_small(algo, "algo.n_steps=16", *words, name=name, n_envs=n_envs, net=net)


def rollout_of(learner: Ppo, collector: Collector, n: int = 3) -> Rollout:
    """The last of some rollouts: episodes have ended and begun in it."""
    for _ in range(n - 1):
        collector.collect(learner.act)
    return collector.collect(learner.act)[0]


@pytest.mark.parametrize("algo", PPO_LIKE)
@pytest.mark.parametrize("core", ["none", "lstm"])
@pytest.mark.parametrize("sticky_action_prob", [0.0, 0.6])
def test_before_the_first_step_ratios_are_one(
    algo: str, core: str, sticky_action_prob: float
) -> None:
    """What learning computes of the collected actions is what acting computed."""
    net = dataclasses.replace(NET, core=core)
    learner, collector = made(algo, f"algo.sticky_action_prob={sticky_action_prob}", net=net)
    batch = learner._prepare(rollout_of(learner, collector))
    logits, _ = learner.actor(batch.obs, batch.carry[..., :-1], batch.resets)
    _, metrics = ppo_loss(
        batch,
        learner.head(logits, batch.obs.avail),
        learner.critic(batch.obs),
        NO_BONUS,
        learner.cfg,
    )
    assert float(metrics["approx_kl"]) == pytest.approx(0.0, abs=1e-6)
    assert float(metrics["clip_fraction"]) == 0.0


@pytest.mark.parametrize("algo", PPO_LIKE)
def test_the_dead_do_not_change_the_policys_loss(algo: str) -> None:
    learner, collector = made(algo)
    batch = learner._prepare(rollout_of(learner, collector, 4))
    dead = ~batch.obs.acting
    assert dead.any()
    logits, _ = learner.actor(batch.obs, batch.carry[..., :-1], batch.resets)
    values = learner.critic(batch.obs)
    weights = Coefs(lr=0.0, entropy_coef=0.01, teacher_coef=1.0)
    _, before = ppo_loss(batch, learner.head(logits, batch.obs.avail), values, weights, learner.cfg)
    changed = dataclasses.replace(
        batch,
        advantages=torch.where(dead, 100.0, batch.advantages),
        log_probs=torch.where(dead, -3.0, batch.log_probs),
        advice=torch.where(dead, 1, batch.advice),
    )
    _, after = ppo_loss(
        changed, learner.head(logits, batch.obs.avail), values, weights, learner.cfg
    )
    for name in ("policy_loss", "entropy", "approx_kl", "clip_fraction", "teacher_loss"):
        torch.testing.assert_close(before[name], after[name])


@pytest.mark.parametrize("algo", PPO_LIKE)
def test_values_are_clipped_around_what_the_critic_said(algo: str) -> None:
    """Whatever has become of the normalizer since."""
    learner, collector = made(algo)
    for _ in range(3):
        rollout, _ = collector.collect(learner.act)
        with torch.no_grad():
            said = learner.critic(rollout.obs[:-1]).transpose(0, 1)
        torch.testing.assert_close(learner._prepare(rollout).values, said)
        learner.observe(rollout)
        learner.update(0.0)


def test_the_normalizer_sees_every_minibatch() -> None:
    learner, collector = made(
        "mappo", "algo.n_epochs=3", "algo.n_minibatches=4", "algo.target_kl=0"
    )
    learner.observe(rollout_of(learner, collector))
    learner.update(0.0)
    assert float(learner.norm.weight) == pytest.approx(1.0 - 0.99999**12)


@pytest.mark.parametrize("limit", [0.0, 0.2])
@pytest.mark.parametrize("delta", [0.0, 0.5])
def test_the_loss_of_values_is_its_formula(limit: float, delta: float) -> None:
    learner, collector = made("mappo")
    cfg = dataclasses.replace(learner.cfg, value_clip_range=limit, huber_delta=delta)
    batch = learner._prepare(rollout_of(learner, collector))
    generator = torch.Generator().manual_seed(0)
    values = batch.values + torch.randn(batch.values.shape, generator=generator)
    logits, _ = learner.actor(batch.obs, batch.carry[..., :-1], batch.resets)
    _, metrics = ppo_loss(batch, learner.head(logits, batch.obs.avail), values, NO_BONUS, cfg)

    def penalty(error: float) -> float:
        error = abs(error)
        return error**2 / 2 if delta == 0.0 or error <= delta else delta * (error - delta / 2)

    total, rest = 0.0, (batch.values.flatten().tolist(), batch.returns.flatten().tolist())
    for value, old, target in zip(values.flatten().tolist(), *rest, strict=True):
        near = old + min(max(value - old, -limit), limit) if limit else value
        total += max(penalty(value - target), penalty(near - target))
    assert float(metrics["value_loss"]) == pytest.approx(total / values.numel(), rel=1e-4)


def test_persistence_repeats_actions_as_often_as_it_says() -> None:
    learner, collector = made("mappo", "algo.sticky_action_prob=0.7", n_envs=32)
    rollout = rollout_of(learner, collector)
    again = rollout.actions[1:] == rollout.actions[:-1]
    before = rollout.obs.avail[1:-1].gather(-1, rollout.actions[:-1].unsqueeze(-1)).squeeze(-1)
    free = before & ~rollout.resets[1:-1].unsqueeze(-1) & rollout.obs.acting[1:-1]
    # A new policy chooses evenly, so some of the others are the same by chance.
    by_chance = 1.0 / rollout.obs.avail[1:-1][free].sum(-1)
    expected = float((0.7 + 0.3 * by_chance).mean())
    assert float(again[free].float().mean()) == pytest.approx(expected, abs=0.04)  # 3 sigma


@pytest.mark.slow
def test_a_teacher_is_imitated_and_then_let_go() -> None:
    words = ("algo.teacher=kiting", "algo.lr=3e-3", "algo.n_epochs=1", "algo.target_kl=0")
    learner, collector = made("mappo", *words, "algo.n_minibatches=8", name="smac/2s_vs_1sc")
    player = PLAYERS["kiting"]()
    collector.teacher = lambda: player.act(collector.env)  # type: ignore[arg-type]  # a VecEnv
    rollout = rollout_of(learner, collector)
    assert rollout.obs.avail[:-1].gather(-1, rollout.advice.unsqueeze(-1)).all()
    missed = []
    for _ in range(30):
        learner.observe(rollout)
        missed.append(learner.update(0.0)["learn/teacher_loss"])
    assert missed[-1] < 0.6 * missed[0]
    learner.observe(rollout)
    assert "learn/teacher_loss" not in learner.update(learner.cfg.teacher_end)
    assert coefs_at(PpoConfig(teacher_end=0.0), 0.0).teacher_coef == 0.0


@pytest.mark.parametrize(
    "setting", [{"lr": Schedule(0)}, {"n_epochs": 0}, {"gamma": 1.5}, {"clip_range": 0.0}]
)
def test_settings_that_cannot_be(setting: dict[str, float]) -> None:
    with pytest.raises(TerrariumError, match=f"algo.{next(iter(setting))} is"):
        PpoConfig(**setting)  # type: ignore[arg-type]


@pytest.mark.parametrize("progress", [0.0, 0.1, 1 / 3, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("entropy", [0.01, 0.02])
def test_weights_fall_as_they_did_with_a_share_that_is_left(
    progress: float, entropy: float
) -> None:
    """The rate falls to a tenth and the bonus to a half, in a straight line."""
    weights = coefs_at(PpoConfig(entropy_coef=Schedule(f"{entropy} -> {entropy / 2}")), progress)
    assert weights.lr == pytest.approx(0.001 * (1.0 + progress * (0.1 - 1.0)), rel=1e-14)
    assert weights.entropy_coef == pytest.approx(
        entropy * (1.0 + progress * (0.5 - 1.0)), rel=1e-14
    )
