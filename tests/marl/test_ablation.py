"""Ablations that are really trained: interrupted, resumed, failing, run again, reported."""

import json
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from terrarium.errors import TerrariumError
from terrarium.marl.ablation.cells import last_line, read_done, state_of
from terrarium.marl.ablation.plan_file import read_plan
from terrarium.marl.ablation.pool import Outcome, PoolConfig, Snapshot, run_plan
from tests.marl.test_trainer import lines, settings, train
from tests.program import Answer, call_program

PLAN = """
title = "Small"
scenarios = ["smac/3m"]
seeds = [0]

[settings]
"env.n_envs" = 8
"net.hidden_dim" = 16
"encoder.token_dim" = 8
"encoder.n_heads" = 2
"algo.n_steps" = 8
"algo.n_epochs" = 2
"algo.n_minibatches" = 2
"eval.episodes" = 64
"eval.interval" = 128
"eval.replays" = false
"run.max_steps" = 640
"run.threads" = 1

[[variant]]
name = "with GRU"
algo = "mappo"
settings = { "net.core" = "gru" }

[[variant]]
name = "no memory"
algo = "mappo"
settings = { "net.core" = "none", "run.max_steps" = 128 }

[[variant]]
name = "blocked"
algo = "ippo"
settings = { "run.max_steps" = 128 }
"""
# Each process needs seconds to load what it trains with.
pytestmark = pytest.mark.slow

GRU, NONE, BLOCKED = "with_GRU/3m/seed0", "no_memory/3m/seed0", "blocked/3m/seed0"
STEPS = {GRU: 640, NONE: 128, BLOCKED: 128}  # the first one is long enough to be interrupted


@dataclass
class Story:
    """An experiment of three cells: one was interrupted, one is new, one cannot be kept."""

    plan: Path
    folder: Path
    interrupted: Answer
    begun: list[dict[str, Any]]
    """what the interrupted cell had learned, line by line"""
    first: Outcome
    seen: list[Snapshot]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    home = tmp_path_factory.mktemp("ablation")
    (home / "small.toml").write_text(PLAN)
    plan, folder = read_plan(home / "small.toml"), home / "out"
    interrupted = interrupt(home / "small.toml", folder)
    begun = lines(folder / GRU) if state_of(folder / GRU) == "begun" else []
    (folder / BLOCKED).mkdir(parents=True)
    (folder / BLOCKED / "checkpoints").write_text("a file where a folder should be")
    seen: list[Snapshot] = []
    first = run_plan(plan, folder, PoolConfig(jobs=2), tell=seen.append)
    return Story(home / "small.toml", folder, interrupted, begun, first, seen)


def interrupt(plan: Path, folder: Path) -> Answer:
    """Run a plan from the command line, and press Ctrl-C while its first cell learns."""
    file, before, over = folder / GRU / "checkpoints" / "last.pt", ctrl_c(), threading.Event()

    def press() -> None:
        while not file.exists() and not over.is_set():
            time.sleep(0.01)
        if ctrl_c() is not before:  # the program listens; else the tests would be interrupted
            signal.raise_signal(signal.SIGINT)

    finger = threading.Thread(target=press)
    finger.start()
    try:
        return call_program("ablate", str(plan), "--out", str(folder))
    finally:
        over.set()
        finger.join()


def ctrl_c() -> Any:
    """Who is told of it."""
    return signal.getsignal(signal.SIGINT)


def test_one_cell_that_fails_does_not_end_the_others(story: Story) -> None:
    assert sorted(cell.folder for cell in story.first.done) == [NONE, GRU]
    (failure,) = story.first.failed
    assert failure.cell.folder == BLOCKED
    assert "Traceback" in (story.folder / BLOCKED / "error.txt").read_text()
    assert "the run cannot be kept there: File exists" in last_line(failure.error)
    for name in (NONE, GRU):
        done = read_done(story.folder / name)
        assert (done.reason, done.steps) == ("steps", STEPS[name])


def test_ctrl_c_lets_the_cells_save_and_says_how_to_go_on(story: Story) -> None:
    words = f"{story.plan} --out {story.folder}"
    assert story.interrupted.code == 130, story.interrupted.err
    assert f"go on:  terrarium ablate {words}" in story.interrupted.out
    assert "Traceback" not in story.interrupted.err
    assert "stopping: the running cells save" in story.interrupted.err
    assert story.begun


def test_an_interrupted_cell_goes_on_as_if_nothing_had_happened(
    story: Story, tmp_path: Path
) -> None:
    whole = settings(tmp_path / "run", "run.max_steps=640", "eval.replays=false", "net.core=gru")
    train(whole)
    assert lines(story.folder / GRU) == lines(tmp_path / "run")
    assert lines(story.folder / GRU)[: len(story.begun)] == story.begun


def test_progress_is_told(story: Story) -> None:
    assert [one.n_cells for one in story.seen] == [3] * len(story.seen)
    assert all(len(one.running) <= 2 for one in story.seen)
    assert story.seen[-1].share == 1.0
    shares = [one.share for one in story.seen]
    assert shares[0] < shares[-1]
    assert max(glance.steps for one in story.seen for _, glance, _ in one.running) > 0


def test_failed_cells_are_named_and_run_again_only_when_asked(
    story: Story,
) -> None:
    words = (str(story.plan), "--out", str(story.folder))
    answer = call_program("ablate", *words)
    assert answer.code == 1
    assert "1 of 3 cells failed" in answer.out
    assert "blocked on 3m, seed 0" in answer.out
    assert "the run cannot be kept there: File exists" in answer.out
    assert f"run them again:  terrarium ablate {' '.join(words)} --retry" in answer.out
    assert "begins" not in answer.err

    (story.folder / BLOCKED / "checkpoints").unlink()
    answer = call_program("ablate", *words, "--retry", "--json")
    assert answer.code == 0
    assert "blocked on 3m, seed 0: done" in answer.err
    assert not (story.folder / BLOCKED / "error.txt").exists()
    found = json.loads(answer.out)
    ended = [(cell["state"], cell["steps"]) for cell in found["cells"]]
    assert ended == [("done", n) for n in STEPS.values()]
    assert [row["group"] for row in found["rows"]] == ["with GRU", "no memory", "blocked"]
    assert len(found["statistics"]["improvements"]) == 6
    page = (story.folder / "report" / "report.html").read_text(encoding="utf-8")
    assert "<h1>Small</h1>" in page
    assert all(label in page for label in ("with GRU", "no memory", "blocked"))


def test_a_start_that_is_not_there_is_refused_before_anything_begins(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        PLAN.replace('"run.threads"', '"run.start_from" = "nowhere"\n"run.threads"')
    )
    with pytest.raises(TerrariumError, match="nowhere: there is no such checkpoint"):
        run_plan(read_plan(tmp_path / "plan.toml"), tmp_path / "out")
    assert not (tmp_path / "out" / GRU).exists()
