"""COMA: what each agent's own action was worth, and to nobody else."""

import dataclasses

import numpy as np
import pytest
import torch

import terrarium
from terrarium.envs.tasks.spec import spec_of
from terrarium.errors import TerrariumError
from terrarium.marl.algos.actor_critic import Coefs, coefs_at
from terrarium.marl.algos.coma import (
    Coma,
    ComaBatch,
    ComaConfig,
    coma_loss,
    counterfactual_advantages,
    epsilon_log_probs,
)
from terrarium.marl.net_config import NetConfig, NetError
from terrarium.marl.nets.attention import AttentionConfig
from terrarium.marl.nets.encoders import views_of
from terrarium.marl.rollout import Collector, Rollout
from terrarium.marl.runtime import make_runtime
from terrarium.schedules import Schedule
from terrarium.testing.games import Memory

NET = NetConfig(hidden_dim=16, encoder_config=AttentionConfig(8, 2))
FLAT = dataclasses.replace(NET, encoder="mlp", core="gru")
NETS = pytest.mark.parametrize("net", [NET, FLAT], ids=lambda net: net.encoder)


SCHEDULES = ("lr", "critic_lr", "epsilon", "entropy_coef")


def config(settings: dict[str, object]) -> ComaConfig:
    """Settings by name; numbers stand for schedules that stay the same."""
    given = {
        name: Schedule(value) if name in SCHEDULES else value  # type: ignore[arg-type]
        for name, value in settings.items()
    }
    return ComaConfig(**given)  # type: ignore[arg-type]


def made(net: NetConfig = NET, name: str = "smac/3m", **settings: object) -> tuple[Coma, Collector]:
    env = terrarium.make_vec(name, 8, seed=5, views=views_of(net))
    env.reset()
    cfg = config({"n_steps": 16, "n_minibatches": 2, **settings})
    learner = Coma(spec_of(env.info), net, cfg, make_runtime(np.random.SeedSequence(1)))
    return learner, Collector(env, cfg.n_steps, learner.carry_size)


def rollout_of(learner: Coma, collector: Collector, n: int = 4) -> Rollout:
    """The last of some rollouts: episodes have ended and begun in it, and agents have died."""
    for _ in range(n - 1):
        collector.collect(learner.act)
    return collector.collect(learner.act)[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("net", "optimizer"), [(NET, "adam"), (FLAT, "rmsprop")], ids=["adam", "rmsprop"]
)
def test_the_losses_fall_on_a_fixed_rollout(net: NetConfig, optimizer: str) -> None:
    rates = {"lr": 3e-3, "critic_lr": 3e-3, "optimizer": optimizer}
    learner, collector = made(net, n_critic_epochs=1, target_update_interval=10_000, **rates)
    rollout = rollout_of(learner, collector)
    policy, value = [], []
    for _ in range(30):
        learner.observe(rollout)
        metrics = learner.update(0.0)
        policy.append(metrics["learn/policy_loss"])
        value.append(metrics["learn/value_loss"])
    assert value[-1] < 0.7 * value[0]
    assert np.mean(policy[-5:]) < np.mean(policy[:5]) - 0.1


@NETS
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
@torch.no_grad()
def test_the_advantages_expected_value_is_nothing(net: NetConfig, epsilon: float) -> None:
    learner, collector = made(net, epsilon=epsilon)
    batch = learner._prepare(rollout_of(learner, collector))
    log_all, _ = learner._judge(batch)
    q, chances = learner._q(batch), log_all.exp()  # [B, T, A, N]
    expected = torch.zeros_like(q[..., 0])
    for action in range(q.shape[-1]):
        chosen = torch.full_like(batch.actions, action)
        expected += chances[..., action] * counterfactual_advantages(q, chances, chosen)
    assert float(q.std()) > 0.01
    torch.testing.assert_close(expected, torch.zeros_like(expected), rtol=0, atol=1e-5)


@NETS
def test_the_critic_does_not_know_an_agents_own_action_but_all_others(net: NetConfig) -> None:
    learner, collector = made(net)
    batch = learner._prepare(rollout_of(learner, collector))
    n_actions = batch.obs.avail.shape[-1]
    before = learner._q(batch)
    for agent in range(3):
        actions = batch.actions.clone()
        actions[..., agent] = (actions[..., agent] + 1) % n_actions
        after = learner._q(dataclasses.replace(batch, actions=actions))
        assert torch.equal(after[..., agent, :], before[..., agent, :])
        for other in {0, 1, 2} - {agent}:
            changed = (after[..., other, :] - before[..., other, :]).abs().amax(-1)  # [B, T]
            assert (changed > 1e-4).all()


@NETS
def test_the_critic_tells_agents_apart_and_knows_their_last_actions(net: NetConfig) -> None:
    learner, collector = made(net)
    batch = learner._prepare(rollout_of(learner, collector))
    assert (batch.last[batch.resets] == -1).all()
    assert torch.equal(
        batch.last[:, 1:][~batch.resets[:, 1:]], batch.actions[:, :-1][~batch.resets[:, 1:]]
    )
    q = learner._q(batch)
    forgotten = learner._q(dataclasses.replace(batch, last=torch.full_like(batch.last, -1)))
    assert not torch.allclose(q, forgotten)
    with torch.no_grad():
        learner.critic.whose.copy_(learner.critic.whose.flip(0))
    assert not torch.allclose(q, learner._q(batch))


def naive_policy_loss(
    batch: ComaBatch, logits: torch.Tensor, q: torch.Tensor, epsilon: float
) -> torch.Tensor:
    """Agent by agent, over the actions that it has."""
    total, count = torch.zeros(()), 0
    for b, t, a in np.ndindex(*batch.actions.shape):
        avail = batch.obs.avail[b, t, a]
        if avail[0]:  # dead: it can only do nothing
            continue
        can = avail.nonzero().flatten().tolist()
        powers = [logits[b, t, a, u].exp() for u in can]
        chances = {
            u: (1 - epsilon) * power / sum(powers) + epsilon / len(can)
            for u, power in zip(can, powers, strict=True)
        }
        usual = sum(float(chance.detach()) * float(q[b, t, a, u]) for u, chance in chances.items())
        action = int(batch.actions[b, t, a])
        total = total - (float(q[b, t, a, action]) - usual) * chances[action].log()
        count += 1
    return total / count


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_the_policys_gradient_equals_a_slow_twins(epsilon: float) -> None:
    learner, collector = made(n_steps=6)
    batch = learner._prepare(rollout_of(learner, collector, 8))
    assert (~batch.obs.acting).any()
    logits, _ = learner.actor(batch.obs, learner._split(batch.carry)[0], batch.resets)
    # Chances that differ, unlike those of a new policy.
    logits = (logits * 100.0).clamp(min=-1e30).detach().requires_grad_()
    q = torch.randn(logits.shape, generator=torch.Generator().manual_seed(0))
    log_all = epsilon_log_probs(logits, batch.obs.avail, epsilon)
    advantages = counterfactual_advantages(q, log_all.exp().detach(), batch.actions)
    weights = Coefs(1.0, entropy_coef=0.0, teacher_coef=0.0)
    loss, _ = coma_loss(batch, log_all, advantages, weights)
    naive = naive_policy_loss(batch, logits, q, epsilon)
    torch.testing.assert_close(loss, naive)
    (found,) = torch.autograd.grad(loss, logits)
    (expected,) = torch.autograd.grad(naive, logits)
    assert float(expected.abs().max()) > 1e-4
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-7)


def test_the_dead_do_not_change_the_policys_loss() -> None:
    learner, collector = made()
    batch = learner._prepare(rollout_of(learner, collector))
    dead = ~batch.obs.acting
    assert dead.any()
    log_all, advantages = learner._judge(batch)
    weights = Coefs(1.0, entropy_coef=0.01, teacher_coef=1.0)
    before, _ = coma_loss(batch, log_all, advantages, weights)
    advised = dataclasses.replace(batch, advice=torch.where(dead, 1, batch.advice))
    after, _ = coma_loss(advised, log_all, torch.where(dead, 100.0, advantages), weights)
    torch.testing.assert_close(before, after)  # they are only summed in another order


@pytest.mark.parametrize("epsilon", [0.0, 0.4])
@NETS
def test_learning_computes_the_chances_that_acted(net: NetConfig, epsilon: float) -> None:
    learner, collector = made(net, epsilon=epsilon)
    rollout = rollout_of(learner, collector)
    batch = learner._prepare(rollout)
    log_all, _ = learner._judge(batch)
    taken = log_all.gather(-1, batch.actions.unsqueeze(-1)).squeeze(-1)
    torch.testing.assert_close(taken, rollout.log_probs.transpose(0, 1), rtol=0, atol=1e-5)
    chances = log_all.exp()
    assert (chances[~batch.obs.avail] == 0).all()
    torch.testing.assert_close(chances.sum(-1), torch.ones_like(chances[..., 0]))
    least = epsilon / batch.obs.avail.sum(-1, keepdim=True)  # [B, T, A, 1]
    assert (chances >= least * 0.999)[batch.obs.avail].all()


@NETS
def test_what_the_critic_remembers_is_the_same_while_acting_and_learning(net: NetConfig) -> None:
    """A stretch that is continued from its carry equals the whole one."""
    learner, collector = made(net, recurrent_critic=True)
    batch = learner._prepare(rollout_of(learner, collector))
    carry = learner._split(batch.carry)[1]
    assert carry.abs().max() > 0.0
    whole, _ = learner.critic.remember(batch.obs, carry, batch.resets)
    _, middle = learner.critic.remember(batch.obs[:, :7], carry, batch.resets[:, :7])
    rest, end = learner.critic.remember(batch.obs[:, 7:], middle, batch.resets[:, 7:])
    torch.testing.assert_close(rest, whole[:, 7:], rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(end, learner._split(collector.carry)[1], rtol=1e-4, atol=1e-5)


def test_values_after_a_time_limit_are_those_of_what_was_seen_last() -> None:
    """Whatever the next episode of the battle shows, the returns of the one before are the same."""
    learner, collector = made(name="smac/2m_vs_1z", td_lambda=1.0)
    for _ in range(60):
        rollout, _ = collector.collect(learner.act)
        cut = rollout.truncated[rollout.end_steps, rollout.end_rows] & (rollout.end_steps < 14)
        if cut.any():
            break
    which = int(cut.nonzero()[0])
    step, row = int(rollout.end_steps[which]), int(rollout.end_rows[which])
    state = learner.generator.get_state()
    before = learner._prepare(rollout).returns
    rollout.obs.table[step + 1 :, row] = 0.0
    rollout.rewards[step + 1 :, row] = 100.0
    learner.generator.set_state(state)
    after = learner._prepare(rollout).returns
    torch.testing.assert_close(after[row, : step + 1], before[row, : step + 1])
    assert (after[row, step + 1 :] > 50.0).all()
    rollout.ends.table[which] = 0.0
    learner.generator.set_state(state)
    assert not torch.allclose(learner._prepare(rollout).returns[row, step], before[row, step])


def test_an_end_is_worth_its_reward_alone() -> None:
    learner, collector = made()
    rollout = rollout_of(learner, collector)
    ended = rollout.terminated
    assert ended.any()
    returns = learner._prepare(rollout).returns.transpose(0, 1)  # [T, B, A]
    expected = rollout.rewards[ended].unsqueeze(-1).expand(-1, 3)
    torch.testing.assert_close(returns[ended], expected)


@pytest.mark.parametrize("rate", [1.0, 0.1])
def test_the_target_critic_follows(rate: float) -> None:
    learner, collector = made(
        n_critic_epochs=1, n_minibatches=2, target_update_interval=6, tau=rate
    )
    weight = learner.critic.values.weight
    target = learner.target.values.weight
    gaps = []
    for _ in range(6):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(0.0)
        gaps.append(float((weight.detach() - target).norm()))
    if rate < 1.0:
        assert all(gap > 0.0 for gap in gaps)
    else:
        assert [gap == 0.0 for gap in gaps] == [False, False, True, False, False, True]


def test_schedules_end_where_they_say() -> None:
    learner, collector = made(
        epsilon="0.5 -> 0.1", entropy_coef="0.02 -> 0.01", critic_lr="0.01 -> 0.001"
    )
    cfg = learner.cfg
    assert coefs_at(cfg, 0.0) == Coefs(0.001, 0.02, 0.0)
    assert coefs_at(cfg, 1.0).entropy_coef == pytest.approx(0.01)
    learner.observe(collector.collect(learner.act)[0])
    learner.update(1.0)
    lr = learner.critic_optimizer.param_groups[0]["lr"]
    assert (lr, learner.state_dict()["epsilon"]) == pytest.approx((0.001, 0.1))
    taught = ComaConfig(teacher="kiting", teacher_end=0.4)
    assert [coefs_at(taught, x).teacher_coef for x in (0.0, 0.2, 0.4)] == pytest.approx([1, 0.5, 0])


def test_a_critic_is_refused_on_another_scenario() -> None:
    learner, _ = made()
    other, collector = made(name="smac/8m")
    with pytest.raises(NetError, match="have other shapes"):
        other.load_weights(learner.state_dict())
    learner.observe(collector.collect(learner.act)[0])  # its policy may play anywhere
    with pytest.raises(NetError, match="was made for 3 agents with 9 actions and this one has 8"):
        learner.update(0.0)


@pytest.mark.parametrize(
    "setting",
    [
        {"lr": -0.1},
        {"epsilon": 1.5},
        {"td_lambda": 1.5},
        {"optimizer": "adm"},
        {"target_update_interval": 0},
    ],
    ids=str,
)
def test_settings_that_cannot_be(setting: dict[str, object]) -> None:
    with pytest.raises(TerrariumError, match=f"algo.{next(iter(setting))} is"):
        config(setting)


@pytest.mark.slow
def test_a_critic_that_forgets_what_the_state_does_not_tell_teaches_nothing() -> None:
    """Without the place that was shown, no action is better than another in its eyes."""
    game = Memory(64)
    net = NetConfig(encoder="mlp", core="gru", hidden_dim=32)
    cfg = config({"n_steps": 8, "lr": 6e-3, "critic_lr": 5e-3, "n_minibatches": 2})
    learner = Coma(game.spec, net, cfg, make_runtime(np.random.SeedSequence(2)))
    collector = Collector(game, cfg.n_steps, learner.carry_size)
    for k in range(40):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(k / 40)
    assert np.mean(collector.collect(learner.act)[1].returns) <= 0.5
