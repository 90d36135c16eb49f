"""`terrarium train`, and what can be done with the run that it leaves, as a person meets them."""

import functools
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.program import Run, call_program

PROGRAM = [sys.executable, "-c", "from terrarium.cli import main; main()"]
SMALL = (
    *(
        "env.n_envs=8",
        "net.hidden_dim=16",
        "encoder.token_dim=8",
        "encoder.n_heads=2",
        "run.threads=1",
    ),
    *("algo.n_steps=8", "algo.n_minibatches=2", "eval.interval=128", "eval.episodes=64"),
)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Call the program in this process, in a folder of its own."""
    return functools.partial(call_program, home=tmp_path)


@pytest.mark.slow
def test_a_run_is_trained_tested_watched_and_resumed(run: Run, tmp_path: Path) -> None:
    answer = run("train", "mppo", "3m", *SMALL, "run.max_steps=256")
    assert answer.code == 0
    assert "all steps are done: test win rate" in answer.out
    folder = "runs/mappo/3m/seed0"
    assert f"terrarium eval {folder}" in answer.out
    tested = run("eval", folder, "--episodes", "20", "--threads", "1", "--json")
    found = json.loads(tested.out)
    assert (found["episodes"], found["scenario"]) == (20, "smac/3m")
    assert found["interval"][0] <= found["win_rate"] <= found["interval"][1]
    other = json.loads(run("eval", folder, "smac/8m", "--episodes", "20", "--json").out)
    assert other["scenario"] == "smac/8m"
    assert run("eval", f"{folder}/checkpoints/last.pt", "--episodes", "5").code == 0
    assert run("watch", folder, "--out", "latest.html").code == 0
    assert "after 256 steps" in (tmp_path / "latest.html").read_text()
    assert run("watch", folder, "--seed", "3", "--out", "other.html").code == 0
    assert run("watch", "smac/8m", "--policy", folder, "--out", "eight.html").code == 0
    more = run("train", "--resume", folder, "run.max_steps=512", "--json")
    assert json.loads(more.out)["steps"] == 512
    again = run("train", "mappo", "3m", *SMALL, "run.max_steps=64")
    assert "runs/mappo/3m/seed0-2" in again.out
    assert run("compare", "runs").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["mapo", "smac/3m"], 'unknown algorithm "mapo". Did you mean "mappo"?'),
        (["mappo", "smac/33m"], "unknown scenario"),
        (["mappo"], "train needs an algorithm and a scenario"),
        ([], "train needs an algorithm and a scenario"),
        (["mappo", "smac/3m", "algo.lrr=1"], 'unknown setting "algo.lrr". Did you mean "lr"?'),
        (["mappo", "smac/3m", "algo.lr=fast"], 'algo.lr: "fast" is no schedule'),
        (["mappo", "smac/3m", "algo.lr"], "is not a setting; write section.key=value"),
        (["mappo", "smac/3m", "--preset", "mappo/none"], 'unknown preset "mappo/none"'),
        (["mappo", "smac/3m", "--device", "gpu7"], 'device "gpu7" cannot be used here'),
        (["mappo", "smac/3m", "run.start_from=nowhere"], "nowhere: there is no such checkpoint"),
        (["mappo", "smac/3m", "run.folder=/dev/null/x"], "the run cannot be kept there"),
        (["iql", "smac/3m", "differ.select=all"], "iql has no differ.*, which belongs to"),
        (["qmix", "smac/3m", "replay.buffer_size=100000000"], "GB are free. replay.buffer_size="),
        (["qmix", "smac/3m", "explore.kind=epsilno"], 'Did you mean "epsilon"?'),
        (["--resume", "nowhere"], "nowhere: there is no run here: no run.toml"),
        (["--resum", "x"], 'unknown option "--resum"'),
    ],
    ids=str,
)
def test_mistakes_get_one_line(run: Run, words: list[str], message: str, tmp_path: Path) -> None:
    answer = run("train", *words)
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / "runs").exists()


def test_a_large_buffer_is_announced_and_a_small_one_is_not(run: Run) -> None:
    few = (
        "env.n_envs=8",
        "net.hidden_dim=16",
        "encoder.n_heads=2",
        "run.threads=1",
        "run.max_steps=64",
    )
    words = ("vdn", "3m", *few, "eval.episodes=64", "eval.replays=false")
    large = run("train", *words, "replay.buffer_size=2000")
    assert large.code == 0
    assert re.search(r"it will keep up to [\d.]+ [MG]B of what it plays, to learn from", large.err)
    assert "it will keep" not in run("train", *words, "replay.buffer_size=100").err
    on_policy = run("train", "mappo", "3m", *SMALL, "run.max_steps=64", "eval.replays=false")
    assert "it will keep" not in on_policy.err


def test_settings_of_parts_are_listed(run: Run) -> None:
    rows = {row["name"]: row for row in json.loads(run("list", "settings", "qmix", "--json").out)}
    assert rows["replay.buffer_size"]["default"] == "2000"
    assert rows["explore.kind"]["default"] == '"epsilon"'
    for name in ("mixer.embed_dim", "differ.select", "share.rule", "algo.lr", "net.share_params"):
        assert rows[name]["meaning"]
    assert "algo.replay" not in rows
    shown = json.loads(run("list", "settings", "qmix", "smac/3m", "--json").out)
    assert {row["name"] for row in shown} == set(rows)
    assert "replay" not in run("list", "settings", "mappo").out.replace("eval.replays", "")


def test_a_resumed_run_keeps_its_settings(run: Run) -> None:
    run("train", "mappo", "3m", *SMALL, "run.max_steps=64", "run.folder=a")
    taken = run("train", "mappo", "3m", *SMALL, "run.folder=a")
    assert taken.code == 2
    assert "there is a run already. Go on with it: terrarium train --resume a" in taken.err
    other = run("train", "--resume", "a", "run.seed=3")
    assert "run.seed cannot change in a resumed run" in other.err
    assert 'unknown section "algo"' in run("train", "--resume", "a", "algo.lr=1e-3").err
    assert "leave out --preset" in run("train", "--resume", "a", "--preset", "x").err


def test_other_files_are_no_policies(run: Run, tmp_path: Path) -> None:
    (tmp_path / "foreign.pt").write_bytes(b"PK nothing of ours")
    (tmp_path / "empty").mkdir()
    for words, message in (
        (("eval", "foreign.pt", "smac/3m"), "foreign.pt: "),
        (("eval", "empty"), "empty: there is no run here"),
        (("eval", "runs/none", "smac/3m"), 'unknown player "runs/none"'),
        (("watch", "empty"), "empty: nothing has been recorded here"),
    ):
        answer = run(*words)
        assert answer.code == 2
        assert message in answer.err
        assert answer.err.count("\n") == 1


@pytest.mark.slow
def test_ctrl_c_leaves_a_run_that_goes_on(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    args = ["train", "mappo", "smac/3m", *SMALL, f"run.folder={folder}", "run.max_steps=1000000"]
    process = subprocess.Popen([*PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while not (folder / "checkpoints" / "best.pt").exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"terrarium train --resume {folder}".encode() in out
    assert b"Traceback" not in err
    more = run("train", "--resume", str(folder), "run.max_steps=1", "--json")
    assert json.loads(more.out)["steps"] > 0
