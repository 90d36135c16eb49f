"""MADDPG: who knows what, what is learned from, and every kind of action."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from terrarium.config import layer_from_words
from terrarium.envs.tasks.spec import Spec
from terrarium.envs.tasks.task import EnvSetup, EvalRound
from terrarium.errors import TerrariumError
from terrarium.marl.actions.action_layout import ActionLayout
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.maddpg import Maddpg, MaddpgConfig
from terrarium.marl.batch import Obs, parts
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.buffers.replay_files import ReplayFiles
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.joint_critic import JointCritic
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from terrarium.marl.settings import resolve
from terrarium.marl.trainer import TEST_SEED

AIMS = "pettingzoo:tests.marl.aims:parallel_env"
SMALL = ("net.hidden_dim=16", "env.n_envs=4", "algo.n_steps=6", "algo.steps_per_update=8")
KEPT = ("replay.batch_size=16", "replay.buffer_size=300")
CPU = torch.device("cpu")


def made(*words: str, algo: str = "maddpg", name: str = AIMS) -> tuple[Maddpg, Collector, Any]:
    """A learner, and an environment that it has not played in yet."""
    settings = resolve(algo, name, layer_from_words((*SMALL, *KEPT, *words)))
    game, kind = settings.task_of(name), ALGOS[algo]
    seeds = np.arange(settings.env.n_envs, dtype=np.uint64)
    env = game.open(len(seeds), seeds, kind.views(settings.net), EnvSetup())
    runtime = make_runtime(np.random.SeedSequence(3))
    learner: Any = kind(game.spec(()), settings.net, settings.algo, runtime)
    collector = Collector(
        env, learner.n_steps, learner.carry_size, keeps_carries=learner.keeps_carries
    )
    return learner, collector, env


def played(*words: str, n: int = 12, **how: str) -> tuple[Maddpg, ReplayBatch]:
    """A learner and rows of what it has played."""
    learner, collector, env = made(*words, **how)
    for _ in range(n):
        learner.observe(collector.collect(learner.act)[0])
    env.close()
    assert learner.training.store.replay is not None
    return learner, learner.training.store.replay.draw(0.0, torch.Generator().manual_seed(0))


def weights_of(module: torch.nn.Module) -> list[Tensor]:
    return [weight.detach().clone() for weight in module.parameters()]


def q_of(learner: Maddpg, rows: ReplayBatch, actions: Tensor, obs: Obs | None = None) -> Tensor:
    obs = rows.obs[:, :-1] if obs is None else obs
    nothing = obs.vector[..., :0]
    return learner.online.critic(obs, actions.unsqueeze(-3), nothing)[0].detach()  # [R, L, A]


@pytest.mark.parametrize("share", ["true", "false"])
@pytest.mark.parametrize("critic", ["central", "local"])
def test_a_central_critic_depends_on_everybodys_actions_and_a_local_one_on_its_own(
    critic: str, share: str
) -> None:
    learner, rows = played(f"algo.critic={critic}", f"net.share_params={share}", "task.length=3")
    done = learner.layout.vectors(rows.actions)
    before = q_of(learner, rows, done)
    for j in range(4):
        other = done.clone()
        other[..., j, 1:] = 0.5 - other[..., j, 1:]
        changes = (q_of(learner, rows, other) != before).any(0).any(0)  # [A]
        assert changes.tolist() == [critic == "central" or i == j for i in range(4)]
        obs = rows.obs[:, :-1]
        vector, state = obs.vector.clone(), obs.state.clone()
        vector[..., j, :] += 1.0
        state[..., 3 * j : 3 * j + 3] += 1.0
        changes = (
            q_of(learner, rows, done, dataclasses.replace(obs, vector=vector, state=state))
            != before
        )
        seen = changes.any(0).any(0).tolist()
        assert seen == [critic == "central" or i == j for i in range(4)]


@pytest.mark.parametrize("share", ["true", "false"])
def test_an_actor_depends_on_its_own_observation_alone(share: str) -> None:
    learner, rows = played(f"net.share_params={share}")
    obs = rows.obs[:, 0]
    begins, carry = torch.ones(len(obs.avail), dtype=torch.bool), rows.carry
    out = learner.online.actor(obs[:, None], carry, begins[:, None])[0]
    for j in range(4):
        vector = obs.vector.clone()
        vector[:, j] += torch.linspace(0.0, 3.0, vector.shape[-1])
        changed = dataclasses.replace(obs, vector=vector, state=obs.state + 1.0)
        after = learner.online.actor(changed[:, None], carry, begins[:, None])[0]
        assert (after != out).any(0).any(0).any(-1).tolist() == [i == j for i in range(4)]


def test_the_policy_gradient_of_an_agent_reaches_its_own_actor_alone() -> None:
    learner, rows = played()
    actors: Any = learner.online.actor
    encoding = actors.encode(rows.obs[:, :-1], rows.carry, rows.resets[:, :-1])
    out = actors.logits(encoding, rows.obs[:, :-1])
    for i in range(4):
        (loss,) = (out[..., i, :].masked_fill(~rows.obs.avail[:, :-1, i], 0.0).sum(),)
        grads = torch.autograd.grad(
            loss, list(actors.parameters()), retain_graph=True, allow_unused=True
        )
        per_actor = iter(grads)
        for j, actor in enumerate(actors.each):
            own = [next(per_actor) for _ in actor.parameters()]
            reached = any(grad is not None and bool(grad.any()) for grad in own)
            assert reached is (i == j)


@pytest.mark.parametrize("rate", [1.0, 0.25, 0.01])
def test_soft_updates_are_exact_and_targets_get_no_gradient(rate: float) -> None:
    learner, rows = played(f"algo.tau={rate}")
    for _ in range(4):
        before = weights_of(learner.target)
        learner.step(rows)
        pairs = zip(before, learner.target.parameters(), learner.online.parameters(), strict=True)
        for old, new, online in pairs:
            wanted = online if rate == 1.0 else old.lerp(online, rate)
            assert torch.equal(new, wanted)
            assert not new.requires_grad
            assert new.grad is None


@pytest.mark.slow
@pytest.mark.parametrize("first", ["critic", "actor"])
@pytest.mark.parametrize("algo", ["maddpg", "matd3", "ddpg"])
def test_both_orders_of_an_update_are_safe(algo: str, first: str) -> None:
    learner, rows = played(f"algo.update_first={first}", algo=algo)
    with torch.autograd.set_detect_anomaly(True):
        for _ in range(4):
            critic, actor = weights_of(learner.online.critic), weights_of(learner.online.actor)
            metrics = learner.step(rows)
            assert all(bool(value.isfinite()) for value in metrics.values())
            moved = [
                any(not torch.equal(a, b) for a, b in zip(old, module.parameters(), strict=True))
                for old, module in (
                    (critic, learner.online.critic),
                    (actor, learner.online.actor),
                )
            ]
            delayed = algo == "matd3" and learner.training.n_updates % 2 == 1
            assert moved == [True, not delayed]


def test_the_actors_loss_moves_no_critic_and_the_critics_no_actor() -> None:
    learner, rows = played()
    critic, actor = weights_of(learner.online.critic), weights_of(learner.online.actor)
    learner.update_actor(rows)
    assert all(map(torch.equal, critic, learner.online.critic.parameters()))
    actor = weights_of(learner.online.actor)
    learner.update_critic(rows)
    assert all(map(torch.equal, actor, learner.online.actor.parameters()))


def test_of_twins_the_smaller_value_counts() -> None:
    learner, rows = played(algo="matd3")
    with torch.no_grad():
        both = learner.target.critic(
            rows.obs[:, 1:],
            learner.layout.vectors(rows.actions).unsqueeze(-3),
            rows.obs.vector[:, 1:, :, :0],
        )
    assert both.shape[0] == 2
    assert not torch.equal(both[0], both[1])
    from terrarium.marl.algos.maddpg import critic_targets

    goals = critic_targets(rows.own, both, 0.9)
    wanted = rows.own.rewards + 0.9 * torch.minimum(*both) * ~rows.own.terminated
    torch.testing.assert_close(goals, wanted)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["terminated", "truncated"])
def test_a_done_agents_transitions_stop(how: str) -> None:
    words = ("task.length=4", f"task.leaves={how}", "replay.chunk_length=4", "replay.batch_size=8")
    learner, rows = played(*words)
    there = rows.own.there[..., 0]  # [R, L] of the agent that leaves
    full = rows.filled.all(1)
    assert there[full].tolist() == [[True, False, False, False]] * int(full.sum())
    assert bool(rows.own.terminated[..., 0].any()) is (how == "terminated")
    before = learner.update_critic(rows)["td_error"]
    # What it would have earned later, and done, is nobody's business any more ...
    later = rows.own.rewards.clone()
    later[..., 0][~there] += 100.0
    own = dataclasses.replace(rows.own, rewards=later)
    twin, _ = played(*words)
    assert twin.update_critic(dataclasses.replace(rows, own=own))["td_error"] == before
    # ... and what it was worth after its last step counts only if a time limit sent it away.
    obs = dataclasses.replace(rows.obs, vector=rows.obs.vector.clone())
    obs.vector[:, 1, 0] += 1.0
    third, _ = played(*words, "algo.critic=local")
    fourth, _ = played(*words, "algo.critic=local")
    changed = third.update_critic(dataclasses.replace(rows, obs=obs))["td_error"]
    unchanged = fourth.update_critic(rows)["td_error"]
    assert bool(changed != unchanged) is (how == "truncated")


def test_who_is_not_there_changes_nothing_in_the_losses() -> None:
    words = (
        "task.length=4",
        "task.leaves=terminated",
        "replay.chunk_length=4",
        "replay.batch_size=8",
    )
    learner, rows = played(*words)
    loss, _ = learner.policy_loss(rows)
    gone = ~rows.own.there[..., 0]
    obs = dataclasses.replace(rows.obs, vector=rows.obs.vector.clone())
    obs.vector[:, :-1, 0][gone] += 5.0
    state = torch.get_rng_state()
    twin, _ = played(*words)
    other, _ = twin.policy_loss(dataclasses.replace(rows, obs=obs))
    assert torch.equal(loss, other)
    torch.set_rng_state(state)


@pytest.mark.parametrize("chunk", [1, 4])
def test_what_ragged_agents_did_is_kept_and_read_again(chunk: int, tmp_path: Path) -> None:
    words = ("task.length=4", "task.leaves=terminated", f"replay.chunk_length={chunk}")
    learner, rows = played(*words)
    replay = learner.training.store.replay
    assert replay is not None
    assert rows.actions.shape[2:] == (4, 6)  # one column for nothing, and the widest agent's five
    saved, state = ReplayFiles(tmp_path).save(replay), replay.state_dict()
    again = played(*words, n=1)[0].training.store.replay
    assert again is not None
    again.load_state_dict(state)
    ReplayFiles(tmp_path).load(again, saved)
    ids = torch.arange(len(replay))
    ids = replay._n_steps.nonzero().squeeze(1)[: len(ids)]
    one, two = (kept.rows(ids, torch.ones(len(ids))) for kept in (replay, again))
    for name in ("actions", "rewards", "terminated", "filled"):
        assert torch.equal(getattr(one, name), getattr(two, name))
    for name in ("rewards", "terminated", "there"):
        left, right = getattr(one.own, name), getattr(two.own, name)
        assert torch.equal(left[one.filled], right[two.filled])
    for left, right in zip(parts(one.obs), parts(two.obs), strict=True):
        assert torch.equal(left[:, :-1][one.filled], right[:, :-1][two.filled])


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["maddpg", "matd3", "ddpg"])
def test_every_kind_of_action_is_learned(algo: str) -> None:
    # Half of the actions by chance, so that the critics know of all, and a decay that lets no
    # policy become sure of one before: without both, some seeds stick at what is nearly best.
    words = ("algo.lr=0.01", "algo.critic_lr=0.01", "algo.tau=0.1", "algo.gamma=0.5")
    explores = ("algo.epsilon=0.5", "algo.action_noise_std=0.5", "algo.actor_reg=0.05")
    sizes = ("net.hidden_dim=32", "env.n_envs=8", "algo.n_steps=4")
    kept = ("replay.batch_size=64", "replay.buffer_size=2000")
    learner, collector, env = made(*words, *explores, *sizes, *kept, algo=algo)
    # The third agent would have 0.6 at random, and 0.75 at best without looking at its goal.
    enough = torch.tensor([0.95, 0.95, 0.85, 0.95])
    n, n_passed = 100, 0
    for k in range(1, n + 1):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(k / n)
        if k % 5 == 0:
            rollout, _ = collector.collect(lambda *seen: learner.act(*seen, greedy=True))
            earned = rollout.own.rewards.mean((0, 1))  # [A]
            n_passed = n_passed + 1 if bool((earned > enough).all()) else 0
        if n_passed == 2:  # once may be by chance
            break
    env.close()
    assert n_passed == 2, earned


def test_choices_and_flags_have_the_frequencies_of_the_policy() -> None:
    spec = Spec(1, 8, 8, 1, 1, parts=((("choice", 3), ("flag", 1), ("choice", 3)),))
    layout, n = ActionLayout(spec, CPU), 20_000
    out = torch.tensor([0.0, 0.5, -0.5, 1.0, 0.7, 0.0, 2.0, 0.0])
    avail = torch.tensor([False, True, True, True, True, True, False, True])
    u = torch.rand((n, 1, 8), generator=torch.Generator().manual_seed(0))
    for temperature in (0.3, 1.0):
        drawn = layout.sample(out.expand(n, 1, 8), avail.expand(n, 1, 8), u, temperature)
        drawn = drawn[:, 0].mean(0)
        first, second = out[1:4].softmax(-1), out[[5, 7]].softmax(-1)
        wanted = torch.tensor([0.0, *first, out[4].sigmoid(), second[0], 0.0, second[1]])
        error = (wanted * (1.0 - wanted) / n).sqrt()  # of a frequency, one standard deviation
        assert ((drawn - wanted).abs() <= 4.0 * error).all()


def test_only_who_has_nothing_to_do_does_nothing() -> None:
    spec = Spec(2, 4, 4, 1, 1, parts=((("choice", 3),), (("real", 2), ("flag", 1))))
    layout = ActionLayout(spec, CPU)
    out = torch.ones((1, 2, 4), requires_grad=True)
    avail = torch.tensor([[[False, True, False, True], [True, False, False, False]]])
    drawn = layout.sample(out, avail, torch.full((1, 2, 4), 0.5), 0.5)
    assert drawn.detach().isfinite().all()
    assert drawn[0, 1].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert drawn[0, 0, 0] == 0.0
    (grad,) = torch.autograd.grad(drawn.square().sum(), out)
    assert grad.isfinite().all()
    assert not grad[0, 1].any()
    noisy = layout.add_noise(drawn, torch.full((1, 2, 4), 9.0), avail)
    assert torch.equal(noisy, drawn)


@pytest.mark.parametrize("noise", ["gaussian", "ou"])
def test_noise_on_numbers_is_as_large_as_was_said_and_ou_lasts(noise: str) -> None:
    learner, collector, env = made(
        f"algo.action_noise={noise}",
        "algo.action_noise_std=0.1",
        "task.length=30",
        "algo.n_steps=60",
    )
    with torch.no_grad():
        for weight in learner.online.actor.parameters():
            weight.zero_()  # tanh(0) = 0: what is left is noise
    rollout, _ = collector.collect(learner.act)
    env.close()
    numbers = rollout.actions[:, :, 2, 1:3]  # [T, B, 2]
    follows = (numbers[1:] * numbers[:-1])[~rollout.resets[1:-1]].mean() / numbers.square().mean()
    if noise == "gaussian":
        assert float(numbers.std()) == pytest.approx(0.1, rel=0.15)
        assert abs(float(follows)) < 0.15
    else:
        # It begins at 0 with each episode, and remembers 0.85 of itself.
        first = numbers[rollout.resets[:-1]]
        assert float(first.std()) == pytest.approx(0.1, rel=0.35)
        assert float(follows) > 0.5
    assert learner.carry_size == (0 if noise == "gaussian" else 6)


def test_epsilon_1_is_chance_alone() -> None:
    learner, collector, env = made("algo.epsilon=1", "task.length=30", "algo.n_steps=60")
    with torch.no_grad():
        for weight in learner.online.actor.parameters():
            weight += 3.0  # a policy that has made up its mind
    rollout, _ = collector.collect(learner.act)
    env.close()
    numbers, flags = rollout.actions[:, :, 2, 1:3], rollout.actions[:, :, 3, 1:3]
    assert float(numbers.std()) == pytest.approx((1.0 / 3.0) ** 0.5, rel=0.1)
    assert float(flags.mean()) == pytest.approx(0.5, abs=0.1)


def test_greedy_actions_are_always_the_same_and_take_no_random_numbers() -> None:
    learner, collector, env = made()
    rollout, _ = collector.collect(learner.act)
    env.close()
    before = learner.generator.get_state()
    obs, resets = rollout.obs[0], rollout.resets[0]
    one, two = (learner.act(obs, rollout.carry, resets, greedy=True) for _ in range(2))
    assert torch.equal(one.actions, two.actions)
    assert torch.equal(before, learner.generator.get_state())


def test_networks_that_remember_need_stretches() -> None:
    with pytest.raises(
        TerrariumError, match=r"net\.core is gru and replay\.chunk_length 1: .*chunk_length=16"
    ):
        resolve("maddpg", AIMS, layer_from_words(("net.core=gru",)))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("algo.critic=centrall", 'algo.critic is "centrall". Did you mean "central"?'),
        ("algo.action_noise=brown", 'algo.action_noise is "brown"'),
        ("algo.temperature=0", "algo.temperature"),
        ("algo.tau=0", "algo.tau is 0.0; allowed: above 0, up to 1"),
        ("explore.epsilon=0.1", "maddpg has no explore.*, which belongs to algorithms that act by"),
    ],
)
def test_settings_that_make_no_sense_are_one_line(word: str, said: str) -> None:
    with pytest.raises(TerrariumError) as error:
        resolve("maddpg", AIMS, layer_from_words((word,)))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_policy_plays_in_batches_of_any_size() -> None:
    learner, _, env = made("task.length=3")
    env.close()
    settings = resolve("maddpg", AIMS, layer_from_words(("task.length=3",)))
    game = settings.task_of(AIMS)
    scores = [game.evaluate(PolicyPlayer(learner), EvalRound(8, TEST_SEED)).score for _ in range(2)]
    assert scores[0] == scores[1]


def test_defaults_fit_battles_and_every_network() -> None:
    cfg = MaddpgConfig()
    Maddpg.check(NetConfig(), cfg, 64)
    assert cfg.replay.chunk_length > 1  # the default network remembers


@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
def test_gradients_are_limited_agent_by_agent(share: bool) -> None:
    """One agent's steep critic leaves the steps of the others as long as they were."""
    torch.manual_seed(0)
    spec = Spec(3, 4, 4, 5, 6)
    critic = JointCritic(
        spec,
        NetConfig(encoder="mlp", core="none", hidden_dim=8, share_params=share),
        [0, 1, 2],
        False,
        True,
    )
    slopes = [torch.randn_like(weight) for weight in critic.parameters()]
    for weight, slope in zip(critic.parameters(), slopes, strict=True):
        weight.grad = slope.clone()
        if not share:
            weight.grad[1] *= 1e3
            weight.grad[2] *= 1e-4
    critic.clip_grads(2.0)
    for k in range(1 if share else 3):
        norm = sum(float(w.grad[k].square().sum()) for w in critic.parameters()) ** 0.5  # type: ignore[index]
        before = sum(float(slope[k].square().sum()) for slope in slopes) ** 0.5
        assert norm == pytest.approx(2.0 if k < 2 else 1e-4 * before, rel=1e-4)
