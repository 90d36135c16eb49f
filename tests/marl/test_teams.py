"""Teams that learn by algorithms of their own: who acts, who learns from what, and what is kept."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from terrarium.config import layer_from_words
from terrarium.envs.tasks.task import EnvSetup
from terrarium.errors import TerrariumError
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.maddpg import Maddpg
from terrarium.marl.algos.teams import Teams
from terrarium.marl.checkpoint import load_checkpoint
from terrarium.marl.rollout import Collector
from terrarium.marl.run_folder import create_run, load_algo, open_run, settings_of
from terrarium.marl.runtime import make_runtime
from terrarium.marl.settings import Settings, resolve
from terrarium.marl.trainer import Trainer, check_start
from tests.marl.duels import name_of
from tests.marl.small import DDPG_LIKE, small_words

SMALL = (
    *("env.n_envs=8", "net.hidden_dim=16", "run.threads=1", "run.max_steps=320"),
    *("eval.interval=128", "eval.episodes=64", "eval.replays=false"),
)
VIEWS = ("obs", "state")
TAG = "mpe/simple_tag"


def words_of(team: str, algo: str) -> list[str]:
    """Small settings of a team's algorithm, in the sections that are the team's."""
    words = [word for word in small_words(algo) if not word.startswith("replay.chunk_length")]
    words += (
        [] if not any(word.startswith("replay.") for word in words) else ["replay.chunk_length=4"]
    )
    return [
        word.replace("algo.", f"{team}.", 1)
        if word.startswith("algo.")
        else word.replace("replay.", f"{team}_replay.", 1)
        for word in words
    ]


def settings(word: str, name: str, *words: str) -> Settings:
    own = [w for pair in word.split(",") for w in words_of(*pair.split("="))]
    return resolve(word, name, layer_from_words((*SMALL, *own, *words)))


def made(word: str, factory: str = "duel", *words: str) -> tuple[Teams, Collector]:
    """Teams, and episodes that they have not played yet."""
    chosen = settings(word, name_of(factory), *words)
    check_start(chosen, "cpu")
    game = chosen.task_of(chosen.scenario)
    runtime = make_runtime(np.random.SeedSequence(1))
    learner = Teams(game.spec(VIEWS), chosen.net, chosen.algo, runtime)
    env = game.open(8, np.arange(8, dtype=np.uint64), VIEWS, EnvSetup())
    collector = Collector(
        env, learner.n_steps, learner.carry_size, keeps_carries=learner.keeps_carries
    )
    return learner, collector


def learn(learner: Teams, collector: Collector, n_times: int) -> dict[str, float]:
    metrics: dict[str, float] = {}
    for _ in range(n_times):
        rollout, _ = collector.collect(learner.act)
        learner.observe(rollout)
        metrics = learner.update(0.1)
    return metrics


def test_each_team_acts_by_its_own_algorithm() -> None:
    learner, collector = made("a=mappo,b=maddpg", "apart")
    assert {team: type(one.algo) for team, one in learner.members.items()} == {
        "a": ALGOS["mappo"],
        "b": ALGOS["maddpg"],
    }
    rollout, _ = collector.collect(learner.act)
    obs, begins = rollout.obs[0], torch.ones(8, dtype=torch.bool)
    carry = torch.zeros((8, 4, learner.carry_size))
    together = learner.act(obs, carry, begins, greedy=True)
    for team, places in (("a", [0, 2]), ("b", [1, 3])):
        algo = learner.members[team].algo
        own_carry = carry[:, places, : algo.carry_size]
        own = algo.act(obs.of_agents(places), own_carry, begins, greedy=True)
        assert torch.equal(together.actions[:, places], own.actions)
        assert torch.equal(together.carry[:, places, : algo.carry_size], own.carry)


def test_teams_of_the_same_kind_do_not_begin_as_copies() -> None:
    learner, _ = made("a=ddpg,b=ddpg", "apart")
    a, b = (list(one.algo.online.actor.parameters()) for one in learner.members.values())  # type: ignore[attr-defined]  # they are Maddpg
    assert [w.shape for w in a] == [w.shape for w in b]
    assert not all(torch.equal(one, two) for one, two in zip(a, b, strict=True))


@pytest.mark.parametrize("factory", ["duel", "apart"])
def test_a_rollout_is_split_into_what_belongs_to_each_team(factory: str) -> None:
    learner, collector = made("a=vdn,b=mappo", factory)
    rollout, _ = collector.collect(learner.act)
    for team, places in (learner.spec.teams[0], learner.spec.teams[1]):
        part = learner.members[team].part_of(rollout)
        where = list(places)
        assert torch.equal(part.actions, rollout.actions[:, :, where])
        assert torch.equal(part.own.rewards, rollout.own.rewards[:, :, where])
        assert torch.equal(part.rewards, rollout.own.rewards[:, :, where].mean(-1))
        assert torch.equal(part.obs.vector, rollout.obs.vector[:, :, where])
        assert torch.equal(part.obs.state, rollout.obs.state)
        assert part.carries.shape[2:] == (len(where), learner.members[team].algo.carry_size)
        assert torch.equal(part.resets, rollout.resets)
    a, b = (learner.members[team].part_of(rollout).rewards for team in ("a", "b"))
    assert a.abs().sum() > 0.0
    assert torch.allclose(a, -b)  # what one wins, the other loses


def test_indices_of_one_team_and_vectors_of_another_are_kept_apart() -> None:
    learner, collector = made("a=vdn,b=ddpg", "mixed_duel")
    rollout, _ = collector.collect(learner.act)
    assert rollout.actions.shape[2:] == (3, 1 + 3)
    part = learner.members["a"].part_of(rollout)
    assert part.actions.dtype == torch.int64
    assert torch.equal(part.actions, rollout.actions[:, :, :2].argmax(-1))
    assert (part.actions > 0).all()  # column 0 is for those who do nothing
    one_hot = rollout.actions[:, :, :2]
    assert torch.equal(one_hot.sum(-1), torch.ones(one_hot.shape[:-1]))
    pushes = rollout.actions[:, :, 2, 1:3]
    assert pushes.abs().max() <= 1.0
    assert pushes.unique().numel() > 10
    # What was done is also what was paid for: a number less the two pushes together.
    said = part.actions.float() - 1.0
    paid = said - pushes.sum(-1, keepdim=True)
    assert torch.allclose(part.own.rewards, paid, atol=1e-5)
    metrics = learn(learner, collector, 3)
    assert metrics["learn/n_updates/a"] > 0.0
    assert metrics["learn/n_updates/b"] > 0.0


def test_a_central_critic_sees_what_the_other_team_does_and_a_local_one_does_not() -> None:
    learner, collector = made("a=maddpg,b=ddpg", "apart")
    learn(learner, collector, 2)
    obs = collector.collect(learner.act)[0].obs[:1]
    for team, mine, theirs in (("a", 0, 1), ("b", 1, 0)):
        algo = learner.members[team].algo
        assert isinstance(algo, Maddpg)
        done = torch.zeros((1, 8, 1, 4, 4))
        done[..., 1] = 1.0
        memory = obs.vector[:, :, [mine, mine + 2], :0]
        values = algo.online.critic(obs, done, memory)
        for changed, matters in ((mine, True), (theirs, team == "a")):
            other = done.clone()
            other[..., changed, :] = torch.tensor([0.0, 0.0, 0.0, 1.0])
            differs = not torch.equal(algo.online.critic(obs, other, memory), values)
            assert differs == matters


@pytest.mark.parametrize("other", ["ippo", "vdn", "matd3"])
def test_a_critic_asks_the_current_policy_of_the_other_team_for_its_next_actions(
    other: str,
) -> None:
    learner, collector = made(f"a=maddpg,b={other}", "apart")
    learn(learner, collector, 3)
    algo, them = learner.members["a"].algo, learner.members["b"].algo
    assert isinstance(algo, Maddpg)
    assert algo.replay is not None
    rows = algo.replay.draw(0.0, torch.Generator().manual_seed(0))
    places, n_rows = [1, 3], len(rows.obs.avail)

    def expected() -> torch.Tensor:
        obs = rows.obs[:, 1:].merge().of_agents(places)
        begins = torch.ones(len(obs.avail), dtype=torch.bool)
        carry = torch.zeros((len(begins), 2, them.carry_size))
        actions = them.act(obs, carry, begins, greedy=True).actions
        return torch.nn.functional.one_hot(actions, 4).float().view(n_rows, -1, 2, 4)

    before = algo._next_actions(rows)[0]
    assert torch.equal(before[:, :, places], expected())
    net = them.actor if other == "ippo" else them.online  # type: ignore[attr-defined]  # each kind has its own
    drawn = torch.Generator().manual_seed(1)
    for weight in net.parameters():  # another policy from now on
        weight.data = torch.randn(weight.shape, generator=drawn)
    after = algo._next_actions(rows)[0]
    assert torch.equal(after[:, :, places], expected())
    assert not torch.equal(after[:, :, places], before[:, :, places])
    assert torch.equal(after[:, :, [0, 2]], before[:, :, [0, 2]])


@pytest.mark.parametrize("algo", [name for name in ALGOS if name not in DDPG_LIKE])
def test_every_algorithm_can_be_that_of_a_team_against_a_central_critic(algo: str) -> None:
    learner, collector = made(f"a={algo},b=maddpg", "duel")
    before = {
        team: [w.clone() for w in _weights(one.algo)] for team, one in learner.members.items()
    }
    metrics = learn(learner, collector, 3)
    assert all(np.isfinite(value) for value in metrics.values())
    for team, one in learner.members.items():
        moved = [
            not torch.equal(old, new)
            for old, new in zip(before[team], _weights(one.algo), strict=True)
        ]
        assert any(moved), team


def _weights(algo: Any) -> list[torch.Tensor]:
    return [*(algo.online if hasattr(algo, "online") else algo.actor).parameters()]


@pytest.mark.slow
def test_a_team_of_qmix_learns_within_a_competition_that_qmix_alone_is_refused(
    tmp_path: Path,
) -> None:
    with pytest.raises(TerrariumError, match="one algorithm for each team"):
        check_start(resolve("qmix", TAG, layer_from_words(SMALL)), "cpu")
    folder = f"run.folder={tmp_path / 'run'}"
    chosen = settings("adversary=qmix,agent=vdn", TAG, "run.max_steps=256", folder)
    trainer = Trainer(chosen, create_run(chosen))
    assert trainer.train() == "steps"
    trainer.close()
    assert list(trainer.algo.members) == ["adversary", "agent"]  # type: ignore[attr-defined]  # it is Teams
    algo, _ = load_algo(tmp_path / "run")
    assert isinstance(algo, Teams)


def test_what_is_saved_and_loaded_goes_on_as_if_nothing_had_happened() -> None:
    one, collector = made("a=maddpg,b=mappo", "duel")
    two, _ = made("a=maddpg,b=mappo", "duel")
    learn(one, collector, 2)
    two.load_state_dict(one.state_dict())
    rollout, _ = collector.collect(one.act)
    two.load_state_dict(one.state_dict())  # acting has drawn random numbers
    carry, begins = collector.carry, collector.begins
    drawn = [each.act(rollout.obs[-1], carry, begins).actions for each in (one, two)]
    assert torch.equal(*drawn)
    for old, new in zip(one.members.values(), two.members.values(), strict=True):
        for before, after in zip(_weights(old.algo), _weights(new.algo), strict=True):
            assert torch.equal(before, after)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("word", "factory"), [("a=maddpg,b=vdn", "duel"), ("a=mappo,b=ddpg", "mixed_duel")]
)
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(
    word: str, factory: str, tmp_path: Path
) -> None:
    ends: dict[str, dict[str, Any]] = {}
    for name in ("whole", "parts"):
        folder = tmp_path / name
        chosen = settings(word, name_of(factory), f"run.folder={folder}")
        trainer = Trainer(chosen, create_run(chosen))
        asked = iter([False, False, name == "parts", *[False] * 100])
        reason = trainer.train(is_stopped=asked.__next__)
        trainer.close()
        assert reason == ("stopped" if name == "parts" else "steps")
        if name == "parts":
            opened, again, content = open_run(folder)
            trainer = Trainer(again, opened, checkpoint=content)
            assert trainer.train() == "steps"
            trainer.close()
        ends[name] = load_checkpoint(folder / "checkpoints" / "last.pt")
    assert_same(ends["whole"]["algo"], ends["parts"]["algo"])
    assert_same(ends["whole"]["collector"], ends["parts"]["collector"])
    assert ends["whole"]["progress"]["steps"] == ends["parts"]["progress"]["steps"] == 320


def assert_same(one: Any, two: Any) -> None:
    assert type(one) is type(two)
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            assert_same(one[key], two[key])
    elif isinstance(one, list):
        for a, b in zip(one, two, strict=True):
            assert_same(a, b)
    elif isinstance(one, torch.Tensor):
        # Room for what agents send each other holds no numbers before something was sent.
        torch.testing.assert_close(one, two, rtol=0.0, atol=0.0, equal_nan=True)
    else:
        assert one == two


def test_settings_of_teams_have_sections_of_their_own_and_load_again(tmp_path: Path) -> None:
    words = ("adversary.lr=0.01", "agent_replay.buffer_size=77", f"run.folder={tmp_path / 'run'}")
    chosen = settings("adversary=maddpg,agent=ddpg", TAG, *words)
    create_run(chosen)
    tables = tomllib.loads((tmp_path / "run" / "run.toml").read_text())
    assert tables["about"]["algo"] == "adversary=maddpg,agent=ddpg"
    assert float(tables["adversary"]["lr"]) == 0.01
    assert tables["agent_replay"]["buffer_size"] == 77
    assert tables["adversary"]["critic"] == "central"
    assert tables["agent"]["critic"] == "local"
    assert "algo" not in tables
    assert settings_of(tmp_path / "run") == chosen


def test_names_of_teams_may_contain_each_other_and_spaces(tmp_path: Path) -> None:
    word = "red=maddpg,red_fox=ippo,old owl=vdn"
    chosen = resolve(
        word, name_of("odd_names"), layer_from_words([f"run.folder={tmp_path / 'run'}"])
    )
    assert chosen.section("red_fox").clip_range > 0.0
    assert chosen.section("old owl_replay").buffer_size == 2000
    create_run(chosen)
    assert settings_of(tmp_path / "run") == chosen


@pytest.mark.parametrize("name", ["adversary=maddpg,good=ddpg", " good = ddpg,adversary= maddpg"])
def test_those_who_are_no_adversaries_are_the_good(name: str) -> None:
    assert resolve(name, TAG).algo_name == "adversary=maddpg,agent=ddpg"


@pytest.mark.parametrize(
    ("word", "name", "words", "message"),
    [
        ("adversary=maddpg,agnt=ddpg", TAG, (), 'unknown team "agnt".*Did you mean "agent"'),
        ("adversary=maddpg", TAG, (), "team agent of mpe/simple_tag has no algorithm"),
        ("adversary=maddpg,adversary=ddpg", TAG, (), "names a team twice"),
        ("adversary=maddpg,good=ddpg,agent=ippo", TAG, (), "team agent of .* is named twice"),
        ("adversary=maddpg,good", TAG, (), "does not name an algorithm for each team"),
        ("adversary=madpg,good=ddpg", TAG, (), 'Did you mean "maddpg"'),
        ("ally=maddpg,enemy=ddpg", "smac/3m", (), "only PettingZoo environments have teams"),
        ("adversary=maddpg,good=ddpg", TAG, ("algo.lr=1",), 'unknown section "algo".*adversary'),
        ("adversary=maddpg,good=mappo", TAG, ("net.core=gru",), "net.core is gru: critics of team"),
        (
            "adversary=ippo,good=mappo",
            TAG,
            ("adversary.teacher=kiting",),
            "adversary.teacher knows battles only",
        ),
        ("net=ippo,b=ippo", name_of("section_names"), (), r"section \[net\], which means some"),
    ],
    ids=str,
)
def test_mistakes_get_one_line(word: str, name: str, words: tuple[str, ...], message: str) -> None:
    with pytest.raises(TerrariumError, match=message) as caught:
        resolve(word, name, layer_from_words(words))
    assert "\n" not in str(caught.value)


def test_a_team_that_cannot_do_what_its_algorithm_does_is_refused() -> None:
    chosen = resolve("a=vdn,b=vdn", name_of("mixed_duel"), layer_from_words(SMALL))
    with pytest.raises(TerrariumError, match="vdn chooses one of several actions, and b_0"):
        check_start(chosen, "cpu")
