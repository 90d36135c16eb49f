"""Whole runs: the folder they leave, stop rules, resuming to the bit, curricula, transfer."""

import copy
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from terrarium.config import layer_from_words
from terrarium.envs.evaluate import evaluate
from terrarium.errors import TerrariumError
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.algo import Algo
from terrarium.marl.algos.maddpg import Maddpg
from terrarium.marl.algos.q_learning import QLearner
from terrarium.marl.checkpoint import CheckpointError, load_checkpoint
from terrarium.marl.net_config import NetError
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.run_folder import create_run, load_algo, open_run, settings_of
from terrarium.marl.settings import Settings, resolve
from terrarium.marl.trainer import Progress, Trainer
from terrarium.replay.record_file import load_record
from tests.marl.small import small_words

SMALL = (
    "net.core=lstm",  # whatever a preset says: some scenarios have one, and others do not
    "env.n_envs=8",
    "net.hidden_dim=16",
    "encoder.token_dim=8",
    "encoder.n_heads=2",
    "eval.episodes=64",
    "eval.interval=128",
    "run.max_steps=512",
    "run.threads=1",
)


def settings(folder: Path, *words: str, algo: str = "mappo", name: str = "smac/3m") -> Settings:
    words = (*SMALL, *small_words(algo), f"run.folder={folder}", *words)
    return resolve(algo, name, layer_from_words(words))


def train(
    chosen: Settings, tell: Callable[[Progress], None] = lambda progress: None
) -> tuple[Trainer, str]:
    trainer = Trainer(chosen, create_run(chosen))
    try:
        return trainer, trainer.train(tell)
    finally:
        trainer.close()


def resume(folder: Path) -> tuple[Trainer, str]:
    opened, chosen, content = open_run(folder)
    trainer = Trainer(chosen, opened, checkpoint=content)
    try:
        return trainer, trainer.train()
    finally:
        trainer.close()


def lines(folder: Path) -> list[dict[str, Any]]:
    """The metrics without what only the clock decides."""
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    timed = ("seconds", "train/steps_per_s", "train/collect_s", "train/learn_s")
    return [{name: x for name, x in line.items() if name not in timed} for line in found]


@pytest.mark.slow
def test_a_run_leaves_everything_in_its_folder(tmp_path: Path) -> None:
    trainer, reason = train(settings(tmp_path / "run"))
    assert reason == "steps"
    assert trainer.progress.steps == 512
    folder = tmp_path / "run"
    assert settings_of(folder) == trainer.settings
    tests = [line for line in lines(folder) if "test/win_rate" in line]
    assert [line["step"] for line in tests] == [128, 256, 384, 512]
    assert [line["step"] for line in lines(folder) if "learn/policy_loss" in line] == list(
        range(64, 513, 64)
    )
    records = sorted((folder / "replays").iterdir())
    assert len(records) == 4
    assert load_record(records[0]).about.scenario == "smac/3m"
    for name in ("last.pt", "best.pt"):
        assert load_checkpoint(folder / "checkpoints" / name)["progress"]["steps"] <= 512
    assert list((folder / "events").iterdir())


@dataclass(frozen=True)
class Finished:
    """A run that nothing interrupted, and its folder as a crash would have left it."""

    trainer: Trainer
    folder: Path
    crashed: Path


def finish(chosen: Settings, crash: int) -> Finished:
    """Train, and copy the folder after `crash` steps, when it knows more than its checkpoint."""
    folder = Path(chosen.run.folder)
    crashed = folder.with_name("crashed")

    def copy(progress: Progress) -> None:
        if progress.steps == crash:
            shutil.copytree(folder, crashed)
            with (crashed / "metrics.jsonl").open("a") as file:
                file.write('{"step": 256, "half a li')

    trainer, reason = train(chosen, copy)
    assert reason == "steps"
    return Finished(trainer, folder, crashed)


def assert_same_runs(one: Path, two: Path) -> None:
    for name in ("last.pt", "best.pt"):
        contents = [load_checkpoint(folder / "checkpoints" / name) for folder in (one, two)]
        # Which rows were written when, and so the names of their files, is another story.
        assert_same(*contents, skip=("settings", "seconds", "metrics_bytes", "files"))
    assert lines(one) == lines(two)


def assert_resumes_bit_for_bit(finished: Finished) -> None:
    """What was learned after the checkpoint and before the crash is forgotten."""
    content = open_run(finished.crashed)[2]
    assert content is not None
    checkpoint = content["progress"]["steps"]
    again, reason = resume(finished.crashed)
    assert reason == "steps"
    assert again.progress.steps == finished.trainer.progress.steps
    assert_same_runs(finished.folder, finished.crashed)
    learned = [line["step"] for line in lines(finished.folder) if line.get("learn/n_updates")]
    assert min(learned) <= checkpoint < max(learned)


# An evaluation and a checkpoint after 512 steps, a crash after 576, another evaluation at the end.
CRASH = 576
RESUMED = ("eval.interval=512", "run.max_steps=640", "eval.replays=false")


@pytest.fixture(scope="module", params=ALGOS)
def finished(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """A run of each algorithm, made once for all tests that look at one."""
    home = tmp_path_factory.mktemp(request.param)
    return finish(settings(home / "run", *RESUMED, algo=request.param), CRASH)


@pytest.mark.slow
def test_a_resumed_run_equals_an_uninterrupted_one_bit_for_bit(finished: Finished) -> None:
    assert_resumes_bit_for_bit(finished)


PARTS = [
    ("mappo", ("algo.sticky_action_prob=0.5", "algo.teacher=kiting")),
    ("coma", ("algo.recurrent_critic=true", "algo.target_update_interval=6")),
    ("qmix", ("explore.kind=ucb", "replay.chunk_length=4", "net.core=gru")),
    ("qplex", ("explore.kind=noisy", "differ.select=PER_weight", "replay.chunk_length=1")),
    ("vdn", ("share.rule=quantile", "share.receivers=roles", "share.trigger=entropy")),
    ("vdn", ("share.rule=embedding", "share.receivers=latent_roles", "share.min_similarity=0")),
    ("iql", ("share.rule=mutual_information", "share.storage=buffer", "net.role_dim=2")),
    ("qmix", ("share.rule=scorer", "replay.chunk_length=4", "replay.burn_in=2", "net.core=gru")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("algo", "words"), PARTS, ids=str)
def test_parts_of_an_algorithm_are_resumed_bit_for_bit(
    algo: str, words: tuple[str, ...], tmp_path: Path
) -> None:
    chosen = settings(tmp_path / "run", *RESUMED, *words, algo=algo)
    assert_resumes_bit_for_bit(finish(chosen, CRASH))


@pytest.mark.slow
def test_a_run_that_was_stopped_between_evaluations_goes_on_bit_for_bit(tmp_path: Path) -> None:
    words = (*RESUMED, "replay.per_alpha=0.6", "replay.buffer_size=10")
    whole, _ = train(settings(tmp_path / "whole", *words, algo="vdn"))
    chosen = settings(tmp_path / "parts", *words, algo="vdn")
    trainer = Trainer(chosen, create_run(chosen))
    asked = iter([*[False] * 5, True])
    assert trainer.train(is_stopped=lambda: next(asked)) == "stopped"
    trainer.close()
    assert trainer.progress.steps == 320
    parts, reason = resume(tmp_path / "parts")
    assert reason == "steps"
    assert whole.progress.steps == parts.progress.steps
    assert_same_runs(tmp_path / "whole", tmp_path / "parts")


def assert_same(one: Any, two: Any, skip: tuple[str, ...]) -> None:
    assert type(one) is type(two)
    if isinstance(one, dict):
        assert one.keys() == two.keys()
        for key in one:
            if key not in skip:
                assert_same(one[key], two[key], skip)
    elif isinstance(one, list):
        for a, b in zip(one, two, strict=True):
            assert_same(a, b, skip)
    elif isinstance(one, torch.Tensor):
        torch.testing.assert_close(one, two, rtol=0.0, atol=0.0, equal_nan=True)
    else:
        assert one == two


@pytest.mark.slow
def test_what_is_kept_is_in_the_folder_and_what_is_not_needed_is_not(tmp_path: Path) -> None:
    words = ("replay.buffer_size=10", "eval.replays=false")
    train(settings(tmp_path / "run", *words, algo="vdn"))
    folder = tmp_path / "run"
    named = load_checkpoint(folder / "checkpoints" / "last.pt")["experience"]["files"]["files"]
    there = {path.name for path in (folder / "experience").iterdir()}
    assert set(named) <= there
    assert len(there) <= 4  # those of the last two checkpoints
    train(settings(tmp_path / "ppo", "run.max_steps=64", "eval.replays=false"))
    assert not (tmp_path / "ppo" / "experience").exists()  # it keeps nothing


def test_a_run_that_keeps_nothing_on_the_disk_goes_on_with_an_empty_buffer(tmp_path: Path) -> None:
    words = (
        "replay.save_to_disk=false",
        "run.max_steps=1024",
        "eval.interval=512",
        "eval.replays=false",
    )
    chosen = settings(tmp_path / "run", *words, algo="vdn")
    trainer = Trainer(chosen, create_run(chosen))
    asked = iter([*[False] * 11, True])
    assert trainer.train(is_stopped=lambda: next(asked)) == "stopped"
    trainer.close()
    before = len(trainer.algo.training.store.replay)
    assert before >= 4
    assert not (tmp_path / "run" / "experience").exists()
    again, reason = resume(tmp_path / "run")
    assert reason == "steps"
    kept = [
        line["learn/buffer_rows"] for line in lines(tmp_path / "run") if "learn/buffer_rows" in line
    ]
    assert kept[11] < before  # it has begun anew
    learned = [line["step"] for line in lines(tmp_path / "run") if line.get("learn/n_updates")]
    assert max(learned) > 12 * 64  # and it has learned since
    assert again.progress.steps == 1024


@pytest.mark.parametrize("algo", ["mappo", "qmix"])
def test_the_same_seed_gives_the_same_run_and_another_seed_another(
    algo: str, tmp_path: Path
) -> None:
    words = ("run.max_steps=512", "eval.interval=512", "eval.replays=false")
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(settings(tmp_path / name, f"run.seed={seed}", *words, algo=algo))
    assert lines(tmp_path / "a") == lines(tmp_path / "b")
    assert lines(tmp_path / "a") != lines(tmp_path / "c")


@pytest.mark.parametrize(
    ("algo", "explore"), [("mappo", ()), ("qmix", ()), ("qmix", ("explore.kind=ucb",))]
)
def test_policies_are_tested_greedily_and_by_draws(
    algo: str, explore: tuple[str, ...], tmp_path: Path
) -> None:
    words = ("run.max_steps=64", "eval.interval=64", "eval.replays=false", *explore)
    trainer, _ = train(settings(tmp_path / "run", *words, algo=algo))
    tests = [line for line in lines(tmp_path / "run") if "test/win_rate" in line]
    assert len(tests) == 1
    assert "test/sampled_win_rate" in tests[0]
    # Draws of a test leave the run's own random numbers as they were.
    before = trainer._runtime.generator.get_state()
    weights = copy.deepcopy(trainer.algo.state_dict())
    with trainer.folder.open_log(64, trainer.settings.log) as log:
        trainer._test(log)
    again = [line for line in lines(tmp_path / "run") if "test/win_rate" in line]
    assert again[-1] == again[0]
    assert torch.equal(trainer._runtime.generator.get_state(), before)
    assert_same(trainer.algo.state_dict(), weights, skip=())


def test_a_run_stops_at_its_target_or_when_the_time_is_up(tmp_path: Path) -> None:
    trainer, reason = train(settings(tmp_path / "a", "run.max_minutes=0.0001"))
    assert reason == "minutes"
    assert 0 < trainer.progress.steps < 512
    assert "test/win_rate" in lines(tmp_path / "a")[-1]  # what was reached in the end is known
    chosen = settings(tmp_path / "b", "run.target_win_rate=0.5")
    trainer = Trainer(chosen, create_run(chosen))
    trainer.progress.test_win_rate = 0.6
    assert trainer.train() == "target"
    trainer.close()


def policy_of(algo: Algo) -> list[torch.Tensor]:
    """The weights that it plays with."""
    if isinstance(algo, QLearner):
        return list(algo.online.agents.parameters())
    if isinstance(algo, Maddpg):
        return list(algo.online.actor.parameters())
    return list(algo.actor.parameters())  # type: ignore[attr-defined]  # whoever learns a policy only


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["mappo", "vdn"])
def test_a_curriculum_carries_the_policy_over(algo: str, tmp_path: Path) -> None:
    stages = 'curriculum.stages=[{scenario="smac/3m", target=0.01}]'
    words = (stages, "run.max_steps=384", "eval.interval=1024", "eval.replays=false")
    chosen = settings(tmp_path / "run", *words, algo=algo, name="smac/8m")
    trainer = Trainer(chosen, create_run(chosen))
    asked = iter([*[False] * 3, True])
    assert trainer.train(is_stopped=lambda: next(asked)) == "stopped"
    trainer.progress.test_win_rate = 1.0  # as if the first stage had been won
    before = [weight.clone() for weight in policy_of(trainer.algo)]
    trainer._advance_stage()
    assert trainer.scenario == "smac/8m"
    for old, new in zip(before, policy_of(trainer.algo), strict=True):
        assert torch.equal(old, new)
    assert trainer.train() == "steps"
    trainer.close()
    assert {line["scenario"] for line in lines(tmp_path / "run")} == {"smac/8m"}
    again, _ = resume(tmp_path / "run")
    assert again.scenario == "smac/8m"


@pytest.mark.slow
def test_a_run_may_start_from_the_weights_of_another(finished: Finished, tmp_path: Path) -> None:
    algo = finished.trainer.settings.algo_name
    name = "smac/8m" if ALGOS[algo].fits_many else "smac/3m"
    words = (f"run.start_from={finished.folder / 'checkpoints' / 'last.pt'}", "run.seed=5")
    chosen = settings(tmp_path / "two", *words, algo=algo, name=name)
    second = Trainer(chosen, create_run(chosen))
    second.close()
    for one, two in zip(policy_of(finished.trainer.algo), policy_of(second.algo), strict=True):
        assert torch.equal(one, two)
    other = settings(tmp_path / "three", *words, "net.hidden_dim=32", algo=algo)
    with pytest.raises(NetError, match="have other shapes"):
        Trainer(other, create_run(other))


@pytest.mark.slow
def test_a_policy_is_loaded_for_playing(finished: Finished) -> None:
    checkpoints = finished.folder / "checkpoints"
    last, chosen = load_algo(checkpoints / "last.pt")
    assert chosen == finished.trainer.settings
    loaded, best = load_algo(finished.folder)[0], load_algo(checkpoints / "best.pt")[0]
    for one, two in ((finished.trainer.algo, last), (loaded, best)):
        assert all(map(torch.equal, policy_of(one), policy_of(two)))
    # With attention it plays everywhere, whatever joined its values while it learned.
    assert evaluate(PolicyPlayer(loaded), "smac/8m", 4, seed=0).episodes == 4


def test_damaged_and_foreign_checkpoints_are_refused(tmp_path: Path) -> None:
    train(settings(tmp_path / "run", "run.max_steps=64"))
    file = tmp_path / "run" / "checkpoints" / "last.pt"
    content = file.read_bytes()
    rng = random.Random(0)
    for broken in (b"", b"hello", content[: len(content) // 2], content[:-1]):
        file.write_bytes(broken)
        with pytest.raises(CheckpointError, match=r"last\.pt: "):
            open_run(tmp_path / "run")
    for _ in range(20):
        at = rng.randrange(len(content))
        file.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        with pytest.raises(CheckpointError, match=r"last\.pt: "):
            open_run(tmp_path / "run")
    torch.save({"weights": torch.zeros(3)}, file)
    with pytest.raises(CheckpointError, match="is not a checkpoint of Terrarium"):
        open_run(tmp_path / "run")
    torch.save({"kind": print}, file)
    with pytest.raises(CheckpointError, match="damaged, or holds more than numbers"):
        open_run(tmp_path / "run")
    best = tmp_path / "run" / "checkpoints" / "best.pt"
    best.replace(file)
    with pytest.raises(CheckpointError, match="cannot be resumed: it has no experience"):
        open_run(tmp_path / "run")
    file.unlink()
    assert open_run(tmp_path / "run")[2] is None


def test_a_full_disk_is_told_and_the_checkpoint_before_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(settings(tmp_path / "run", "run.max_steps=64"))
    file = tmp_path / "run" / "checkpoints" / "last.pt"
    before = file.read_bytes()
    from terrarium.marl import checkpoint

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint.os, "fsync", full)
    with pytest.raises(CheckpointError, match="the disk is full"):
        checkpoint.save_checkpoint(file, {})
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file] or not list(file.parent.glob(".*"))


@pytest.mark.slow
@pytest.mark.learning
def test_mappo_with_lstm_and_attention_learns_3m(tmp_path: Path) -> None:
    """As a newcomer would train it; playing at random or standing still wins nothing."""
    words = (
        "run.target_win_rate=0.9",
        "run.threads=1",
        "eval.interval=10000",
    )
    chosen = resolve("mappo", "smac/3m", layer_from_words([*words, f"run.folder={tmp_path / 'a'}"]))
    _, reason = train(chosen)
    assert reason == "target"
    algo, _ = load_algo(tmp_path / "a")
    assert evaluate(PolicyPlayer(algo), "smac/3m", 200, seed=20_000).win_rate >= 0.85


KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from tests.marl.test_trainer import settings, resume, train
from terrarium.marl.run_folder import open_run

folder = Path(sys.argv[1])
train(settings(folder / "warm", "run.max_steps=64"))  # children need not load kernels again
file, rng, steps = folder / "checkpoints" / "last.pt", random.Random(1), 0
written = lambda: file.stat().st_mtime_ns if file.exists() else 0
for k in range(10):
    before = written()
    child = os.fork()
    if child == 0:
        if k:
            resume(folder)
        else:
            words = ("run.max_steps=1000000", "eval.interval=64", "eval.replays=false")
            train(settings(folder, *words))
    while written() == before:
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "it ended by itself"
        time.sleep(0.001)
    time.sleep(rng.uniform(0.0, 0.2))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    now = open_run(folder)[2]["progress"]["steps"]
    assert now > steps, (now, steps)
    steps = now
print(steps)
"""


@pytest.mark.parametrize("what", ["metrics.jsonl", "replays"])
def test_whatever_cannot_be_written_is_one_line(what: str, tmp_path: Path) -> None:
    chosen = settings(tmp_path / "run")
    trainer = Trainer(chosen, create_run(chosen))
    runtime = tmp_path / "run" / what
    if what == "replays":
        runtime.rmdir()
        runtime.touch()  # a file, where a folder should be
    else:
        runtime.mkdir()
    with pytest.raises(TerrariumError) as caught:
        trainer.train()
    trainer.close()
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="a process has to be killed and started again")
def test_a_run_that_is_killed_at_any_moment_resumes_every_time(tmp_path: Path) -> None:
    """Ten times; a checkpoint is written after every update, so many writes are hit."""
    # In a process of its own, which has no threads when it forks.
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "run")],
        capture_output=True,
        text=True,
        timeout=300.0,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 10 * 64


def test_seconds_of_collecting_and_learning_are_logged_apart(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    train(settings(folder, "run.max_steps=64"))
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    timed = [line for line in found if "train/steps_per_s" in line]
    assert timed
    for line in timed:
        assert line["train/collect_s"] > 0.0
        assert line["train/learn_s"] > 0.0
        n_steps = (line["train/collect_s"] + line["train/learn_s"]) * line["train/steps_per_s"]
        assert n_steps == pytest.approx(round(n_steps), rel=1e-6)


def test_checkpoints_are_kept_every_so_many_steps(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    trainer, _ = train(settings(folder, "run.max_steps=256", "run.keep_checkpoints=100"))
    kept = sorted((folder / "checkpoints").glob("step_*.pt"))
    steps = [load_checkpoint(file)["progress"]["steps"] for file in kept]
    n_steps = trainer.algo.n_steps * 8
    assert steps == [n for n in range(n_steps, 257, n_steps) if n // 100 > (n - n_steps) // 100]
    assert [file.stem for file in kept] == [f"step_{n:012d}" for n in steps]
    assert load_algo(kept[0])[0].carry_size == trainer.algo.carry_size
