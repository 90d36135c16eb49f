"""Whole runs on PettingZoo and Gymnasium: every algorithm where it fits, resuming, and bad ones."""

from pathlib import Path

import pytest
import torch

from terrarium.config import layer_from_words
from terrarium.errors import TerrariumError
from terrarium.marl.algos import ALGOS
from terrarium.marl.run_folder import create_run, load_algo, settings_of
from terrarium.marl.settings import Settings, algo_of, resolve
from terrarium.marl.trainer import Trainer, check_start
from terrarium.replay.episodes.episode_record import load_episode_record
from tests.marl.duels import name_of
from tests.marl.small import small_words
from tests.marl.test_maddpg import AIMS
from tests.marl.test_trainer import (
    assert_resumes_bit_for_bit,
    finish,
    lines,
    resume,
    train,
)

SPREAD, TAG = "mpe/simple_spread", "mpe/simple_tag"
CARTPOLE, PENDULUM = "gym:CartPole-v1", "gym:Pendulum-v1"
SHORT = "task.max_cycles=3"  # of 25: evaluations take most of the time
SMALL = (
    *("net.hidden_dim=16", "env.n_envs=8", "eval.episodes=64"),
    *("eval.interval=128", "run.max_steps=512", "run.threads=1"),
)


def settings(folder: Path, *words: str, algo: str = "maddpg", task: str = SPREAD) -> Settings:
    words = (*SMALL, *small_words(algo_of(algo, task)), f"run.folder={folder}", *words)
    return resolve(algo, task, layer_from_words(words))


def checked(chosen: Settings) -> Settings:
    check_start(chosen, "cpu")
    return chosen


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGOS)
def test_every_algorithm_runs_where_agents_want_the_same(algo: str, tmp_path: Path) -> None:
    chosen = checked(settings(tmp_path / "run", SHORT, "run.max_steps=256", algo=algo))
    trainer, reason = train(chosen)
    assert (reason, trainer.progress.steps) == ("steps", 256)
    tests = [line["test/return"] for line in lines(tmp_path / "run") if "test/return" in line]
    assert len(tests) == 2
    assert tests[0] != tests[1]  # the policy changes
    record = load_episode_record(sorted((tmp_path / "run" / "replays").iterdir())[-1])
    assert record.agents == ("agent_0", "agent_1", "agent_2")
    assert load_algo(tmp_path / "run")[1] == settings_of(tmp_path / "run") == trainer.settings


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGOS)
def test_every_algorithm_learns_for_a_team_of_one(algo: str, tmp_path: Path) -> None:
    words = ("task.max_episode_steps=9", "run.max_steps=256", "eval.interval=256")
    chosen = checked(settings(tmp_path / "run", *words, algo=algo, task=CARTPOLE))
    assert chosen.net.core == "none"
    trainer, reason = train(chosen)
    assert (reason, trainer.progress.steps) == ("steps", 256)
    assert 7.0 < trainer.progress.test_return <= 9.0


def test_ppo_is_another_name_of_ippo(tmp_path: Path) -> None:
    assert settings(tmp_path, algo="ppo", task=CARTPOLE).algo_name == "ippo"
    assert settings(tmp_path, algo="ppo", task=PENDULUM).algo.gamma == 0.9  # its own preset


RESUMED: list[tuple[str, str, tuple[str, ...]]] = [
    ("maddpg", SPREAD, (SHORT,)),
    ("maddpg", SPREAD, (SHORT, "task.continuous_actions=true", "algo.action_noise=ou")),
    ("matd3", AIMS, ("task.length=3", "task.leaves=truncated", "replay.per_alpha=0.6")),
    ("ddpg", AIMS, ("task.length=3", "task.leaves=terminated", "net.core=gru")),
    ("mappo", TAG, (SHORT, "net.core=lstm")),
    ("iql", name_of("duel"), ("env.workers=2",)),
    ("qmix", SPREAD, (SHORT, "env.reward=team")),
    ("mappo", SPREAD, (SHORT, "task.continuous_actions=true", "net.core=gru")),
    ("ippo", AIMS, ("task.length=3", "net.share_params=false", "net.agent_id=false")),
    ("ppo", CARTPOLE, ("task.max_episode_steps=9",)),
    ("ppo", PENDULUM, ("task.max_episode_steps=9", "env.workers=2")),
    ("ddpg", PENDULUM, ("task.max_episode_steps=9",)),
]


@pytest.mark.slow
@pytest.mark.parametrize(("algo", "task", "words"), RESUMED, ids=str)
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(
    algo: str, task: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    words = ("eval.interval=256", "run.max_steps=448", "eval.replays=false", *words)
    chosen = settings(tmp_path / "run", *words, algo=algo, task=task)
    assert_resumes_bit_for_bit(finish(chosen, crash=320))


def test_an_environment_that_breaks_stops_the_run_with_its_checkpoint(tmp_path: Path) -> None:
    words = ("task.breaks=true", "task.length=3", "eval.interval=100000")
    chosen = settings(tmp_path / "run", *words, task=AIMS)
    with pytest.raises(TerrariumError) as error:
        train(chosen)
    said = str(error.value)
    assert "flag_0: its observation holds nan in column 0 of 3" in said
    assert "The run has stopped; what was learned is in" in said
    assert "\n" not in said
    algo, _ = load_algo(tmp_path / "run")
    assert algo.spec.n_agents == 4
    with pytest.raises(TerrariumError, match="its observation holds nan"):  # it goes on, and again
        resume(tmp_path / "run")


def test_a_lost_worker_stops_the_run_with_its_checkpoint(tmp_path: Path) -> None:
    task = "pettingzoo:tests.envs.pettingzoo.zoo:faulty"
    words = ("task.fault=dies", "env.workers=2", "eval.interval=100000")
    with pytest.raises(TerrariumError, match="The run has stopped; what was learned is in"):
        train(settings(tmp_path / "run", *words, task=task))
    assert load_algo(tmp_path / "run")[1].env.workers == 2


def test_agents_that_earn_for_themselves_are_not_paid_for_others(tmp_path: Path) -> None:
    trainer = Trainer(
        chosen := settings(tmp_path / "run", algo="ippo", task=TAG), create_run(chosen)
    )
    rollout, _ = trainer._collector.collect(trainer.algo.act)
    trainer.close()
    assert rollout.own.rewards.shape == (*rollout.rewards.shape, 4)
    torch.testing.assert_close(rollout.own.rewards.mean(-1), rollout.rewards)
    assert not torch.equal(rollout.own.rewards[..., 0], rollout.own.rewards[..., 3])


REFUSED = [
    ("qmix", TAG, (), "qmix learns for a team with one reward, and mpe/simple_tag has agents that"),
    ("vdn", AIMS, (), "vdn chooses one of several actions, and several_0 of pettingzoo:"),
    (
        "coma",
        SPREAD,
        ("task.continuous_actions=true",),
        "agent_0 of mpe/simple_spread has 5 x",
    ),
    ("vdn", PENDULUM, (), "agent of gym:Pendulum-v1 has 1 x real; mappo, ippo, maddpg, matd3 and"),
    ("ppo", PENDULUM, ("algo.sticky_action_prob=0.1",), "algo.sticky_action_prob repeats choices"),
    ("ppo", PENDULUM, ("algo.log_std_init=3",), "algo.log_std_init is 3.0; allowed: -5 to 2"),
    ("ppo", "gym:Pendulm-v1", (), 'Did you mean "gym:Pendulum-v1"?'),
    ("ppo=ippo", CARTPOLE, (), 'unknown team "ppo" of gym:CartPole-v1. Allowed: agent'),
    ("mappo", SPREAD, ("net.encoder=attention",), "net.encoder=attention reads units"),
    ("maddpg", SPREAD, ("run.target_win_rate=0.9",), "nothing is won in mpe/simple_spread"),
    ("maddpg", SPREAD, ("task.Nn=3",), 'mpe/simple_spread has no option "Nn". Did you mean "N"?'),
    ("mappo", SPREAD, ("algo.teacher=kiting",), "algo.teacher knows battles only"),
    ("maddpg", "smac/3m", ("env.workers=2",), "env.workers are for PettingZoo and"),
    ("maddpg", "smac/3m", ("env.reward=team",), "env.reward is for PettingZoo environments"),
    ("qmix", TAG, ("env.reward=team",), "qmix learns for a team with one reward"),
    ("maddpg", SPREAD, ("env.reward=all",), 'env.reward is "all"'),
    ("maddpg", "mpe/simple_spred", (), 'Did you mean "mpe/simple_spread"?'),
    ("maddpg", "pettingzoo:no.such.module:env", (), "importing no.such.module raised"),
    ("maddpg", "pettingzoo:tests.marl.aims:parallel_en", (), "has no function parallel_en"),
]


@pytest.mark.parametrize(("algo", "task", "words", "said"), REFUSED, ids=str)
def test_what_does_not_fit_is_refused_before_a_folder_is_made(
    algo: str, task: str, words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    with pytest.raises(TerrariumError) as error:
        checked(settings(tmp_path / "run", *words, algo=algo, task=task))
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "run").exists()


def test_who_pays_agents_together_says_that_they_are_a_team(tmp_path: Path) -> None:
    task, words = "pettingzoo:tests.envs.pettingzoo.zoo:turns", ("replay.chunk_length=4",)
    with pytest.raises(TerrariumError, match=r"opponents: a, b\..* env\.reward=team if they"):
        checked(settings(tmp_path / "run", *words, algo="vdn", task=task))
    checked(settings(tmp_path / "run", *words, "env.reward=team", algo="vdn", task=task))


def test_whole_episodes_of_unknown_length_cannot_be_kept(tmp_path: Path) -> None:
    task = "pettingzoo:tests.envs.pettingzoo.zoo:turns"
    with pytest.raises(
        TerrariumError, match=r"replay\.chunk_length is 0, .* set replay\.chunk_length=16"
    ):
        checked(settings(tmp_path / "run", algo="iql", task=task))
