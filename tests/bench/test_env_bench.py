"""The environment's benchmark: its arithmetic, its talk with a peer, and what goes wrong there.

The peer is a small program that speaks the protocol; neither jax nor SMAX is needed.
"""

import json
import os
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium import cli
from terrarium.bench.env import EnvBenchConfig, bench_env
from terrarium.bench.peers import Peer, Slice, smax_command
from terrarium.errors import TerrariumError

HELLO = {
    "versions": {"jaxmarl": "0.2.0", "jax": "0.10.2"},
    "device": "cpu",
    "scenarios": ["3m", "2s3z", "smacv2_5_units"],
    "ticks_per_step": 8,
    "steps_per_call": 16,
}
# Plays 1000 steps a second with 64 battles and 2000 with 256, in no time; episodes last 20 steps.
HONEST = """
batch = 0
for line in sys.stdin:
    question = json.loads(line)
    if "setup" in question:
        scenario, batch = question["setup"]
        say({"batch": batch})
    else:
        steps = batch * 16
        seconds = steps / {64: 1000, 256: 2000}[batch]
        say({"steps": steps, "seconds": seconds, "episodes": steps // 20})
"""
MakePeer = Callable[..., str]


@pytest.fixture
def make_peer(tmp_path: Path) -> MakePeer:
    """Write a program that stands in for the peer's Python; it says hello, then runs `body`."""

    def make(body: str = HONEST, hello: object = HELLO) -> str:
        file = tmp_path / "peer-python"
        begin = f"""
            #!{sys.executable}
            import json, sys, time
            def say(content):
                print(json.dumps(content), flush=True)
            say(json.loads({json.dumps(hello)!r}))
        """
        file.write_text(textwrap.dedent(begin).lstrip() + textwrap.dedent(body))
        file.chmod(0o755)
        return str(file)

    return make


class CountdownEnv:
    """A vector environment without battles: each ends after 10 steps, begun at different times."""

    opened: list[tuple[str, int, int, tuple[str, ...]]]
    n_open = 0

    def __init__(self, n_envs: int) -> None:
        self._left = np.arange(n_envs) % 10 + 1
        CountdownEnv.n_open += 1

    def reset(self) -> None:
        pass

    def play_randomly(self, n_steps: int) -> int:
        n_ended = 0
        for _ in range(n_steps):
            self._left -= 1
            n_ended += int((self._left == 0).sum())
            self._left[self._left == 0] = 10
        return n_ended

    def close(self) -> None:
        CountdownEnv.n_open -= 1


@pytest.fixture
def countdown_env(monkeypatch: pytest.MonkeyPatch) -> type[CountdownEnv]:
    """Put a quick environment in the place of ours."""

    def make_vec(
        scenario: str, *, n_envs: int, threads: int, seed: int, views: tuple[str, ...]
    ) -> CountdownEnv:
        CountdownEnv.opened.append((scenario, n_envs, threads, views))
        return CountdownEnv(n_envs)

    CountdownEnv.opened, CountdownEnv.n_open = [], 0
    monkeypatch.setattr(terrarium, "make_vec", make_vec, raising=False)
    monkeypatch.setattr("terrarium.bench.env._SEARCH_SECONDS", 0.001)
    return CountdownEnv


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"batch": ()}, "batch needs at least one number"),
        ({"batch": (0,)}, "batch is 0; allowed are 1 to"),
        ({"peer_batch": (64, -1)}, "peer-batch is -1; allowed are 1 to"),
        ({"threads": 0}, "threads is 0; allowed are 1 to"),
        ({"seconds": 0.0}, "seconds is 0; allowed is more than 0"),
        ({"seconds": float("nan")}, "seconds is nan; allowed is more than 0"),
        ({"slices": 2}, "slices is 2; allowed are 3 to"),
        ({"scenarios": ()}, "scenarios needs at least one name"),
        ({"scenarios": ("3mm",)}, 'unknown scenario "3mm". Did you mean "3m"?'),
        ({"views": ()}, "views needs at least one of: obs, state, tokens, pairs, table"),
        ({"views": ("obss",)}, 'unknown view "obss". Did you mean "obs"?'),
        ({"views": ("tokens",), "vs": "smax"}, "views is tokens; allowed with --vs smax"),
        ({"views": ("obs",), "vs": "smax"}, "views is obs; allowed with --vs smax"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        EnvBenchConfig(**settings)
    assert str(caught.value).startswith(expected)


def test_all_cores_share_the_work_unless_told_otherwise() -> None:
    assert EnvBenchConfig().threads == os.cpu_count()


@pytest.mark.parametrize("place", ["option", "environment", "default"])
def test_a_missing_peer_is_named_with_the_command_that_builds_it(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERRARIUM_SMAX_PYTHON", raising=False)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    missing = tmp_path / "nowhere" / "python"
    if place == "environment":
        monkeypatch.setenv("TERRARIUM_SMAX_PYTHON", str(missing))
    elif place == "default":
        missing = tmp_path / ".venv-smax" / "bin" / "python"
    with pytest.raises(TerrariumError) as caught:
        smax_command(str(missing) if place == "option" else "")
    assert str(missing) in str(caught.value)
    assert "`make bench` builds" in str(caught.value)


def test_a_folder_is_no_python(tmp_path: Path) -> None:
    with pytest.raises(TerrariumError, match="no Python with SMAX"):
        smax_command(str(tmp_path))


def test_the_option_goes_before_the_environment_variable(
    make_peer: MakePeer, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = make_peer()
    monkeypatch.setenv("TERRARIUM_SMAX_PYTHON", "/nowhere/python")
    program, script = smax_command(python)
    assert program == python
    assert Path(script).name == "smax_peer.py"
    assert Path(script).exists()


def test_a_peer_introduces_itself_and_plays_what_it_was_set_up_for(make_peer: MakePeer) -> None:
    with Peer([make_peer()]) as peer:
        assert peer.info.versions["jaxmarl"] == "0.2.0"
        assert peer.info.ticks_per_step == 8
        peer.set_up("3m", 64)
        assert peer.play(0.0) == Slice(steps=1024, seconds=1.024, episodes=51)
        peer.set_up("3m", 256)
        assert peer.play(0.0).steps == 4096


FAILURES = {
    "crash": ("sys.exit('no memory left')", 'ended with exit code 1: "no memory left"'),
    "silent end": ("sys.exit(3)", "ended with exit code 3"),
    "garbage": ("sys.stdin.readline(); print('Hello!', flush=True)", "said 'Hello!', which is no"),
    "a bare number": ("sys.stdin.readline(); say(7)", "said '7', which is no answer"),
    "missing keys": ("sys.stdin.readline(); say({'steps': 3})", "which is no answer"),
    "no time": ("say({'steps': 3, 'seconds': 0, 'episodes': 0})", "which is no answer"),
    "infinity": ("say({'steps': float('inf'), 'seconds': 1, 'episodes': 0})", "is no answer"),
    "its own error": ("say({'error': 'ValueError: odd'})", "the peer failed: ValueError: odd"),
    "silence": ("time.sleep(60)", "has not answered for 0.5 s"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_peer_that_fails_is_an_error_and_not_a_hang(make_peer: MakePeer, failure: str) -> None:
    body, expected = FAILURES[failure]
    # Long enough for a Python to start, except where waiting is the point.
    patience_s = 0.5 if failure == "silence" else 30.0
    with Peer([make_peer(body)]) as peer:
        peer.timeout_s = patience_s
        with pytest.raises(TerrariumError) as caught:
            peer.play(1.0)
    assert expected in str(caught.value)


def test_a_peer_that_does_not_introduce_itself_is_refused(make_peer: MakePeer) -> None:
    with pytest.raises(TerrariumError, match="which is no answer"):
        Peer([make_peer(hello={"versions": {}})])


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "python"
    file.write_bytes(b"\0")
    file.chmod(0o755)
    with pytest.raises(TerrariumError, match="does not start"):
        Peer([str(file)])


def test_alone_each_scenario_is_a_row_without_a_ratio(countdown_env: type[CountdownEnv]) -> None:
    told: list[str] = []
    config = EnvBenchConfig(
        scenarios=("3m", "2s3z"), batch=(20,), threads=64, views=("tokens",), seconds=0.03
    )
    result = bench_env(config, told.append)
    assert [row.scenario for row in result.rows] == ["smac/3m", "smac/2s3z"]
    assert result.peer is None
    for row in result.rows:
        assert (row.peer, row.ratio) == (None, None)
        ours = row.ours
        assert ours.batch == 20
        assert ours.steps % 20 == 0
        assert len(ours.slices_steps_per_s) == 5
        assert ours.steps_per_s == sorted(ours.slices_steps_per_s)[2] > 0
        assert ours.seconds >= 0.03
        # Battles begin at ten different times, so every step ends a tenth of them.
        assert ours.episode_steps == 10.0
    # More threads than battles would have nothing to do.
    assert {threads for _, _, threads, _ in countdown_env.opened} == {20}
    assert {views for *_, views in countdown_env.opened} == {("tokens",)}
    assert countdown_env.n_open == 0
    assert any("smac/2s3z" in text for text in told)


def test_against_a_peer_the_ratio_is_that_of_the_medians(
    countdown_env: type[CountdownEnv], make_peer: MakePeer
) -> None:
    config = EnvBenchConfig(
        scenarios=("3m",),
        batch=(16, 32),
        seconds=0.03,
        slices=3,
        vs="smax",
        peer_batch=(256, 64),
        peer_python=make_peer(),
    )
    result = bench_env(config)
    (row,) = result.rows
    assert row.peer is not None
    assert row.peer.tried_steps_per_s == {64: pytest.approx(1000.0), 256: pytest.approx(2000.0)}
    assert row.peer.batch == 256  # its fastest
    assert row.peer.steps_per_s == pytest.approx(2000.0)
    assert row.peer.spread == pytest.approx(0.0)
    assert row.peer.steps == 3 * 16 * 256
    assert row.peer.episode_steps == pytest.approx(20.0, rel=0.01)  # the fake rounds down
    assert row.ours.batch == max((16, 32), key=lambda batch: row.ours.tried_steps_per_s[batch])
    assert row.ratio == pytest.approx(row.ours.steps_per_s / 2000.0)
    assert result.peer is not None
    assert result.peer.device == "cpu"


def test_the_sides_take_turns(countdown_env: type[CountdownEnv], make_peer: MakePeer) -> None:
    told: list[str] = []
    config = EnvBenchConfig(
        ("3m",), (8,), seconds=0.003, slices=3, vs="smax", peer_batch=(64,), peer_python=make_peer()
    )
    bench_env(config, told.append)
    turns = [text.split(", ")[1] for text in told if "slice" in text]
    assert turns == ["terrarium", "SMAX"] * 3


def test_a_batch_whose_single_call_would_take_long_is_not_tried(
    countdown_env: type[CountdownEnv], make_peer: MakePeer
) -> None:
    # 16 steps of 1024 battles at 1000 steps a second would take 16 s.
    config = EnvBenchConfig(
        ("3m",), (8,), seconds=0.003, vs="smax", peer_batch=(64, 1024), peer_python=make_peer()
    )
    peer = bench_env(config).rows[0].peer
    assert peer is not None
    assert list(peer.tried_steps_per_s) == [64]


def test_a_peer_that_never_ends_an_episode_does_not_stop_the_run(
    countdown_env: type[CountdownEnv], make_peer: MakePeer
) -> None:
    endless = HONEST.replace("steps // 20", "0")
    config = EnvBenchConfig(
        ("3m",), (8,), seconds=0.003, vs="smax", peer_batch=(64,), peer_python=make_peer(endless)
    )
    peer = bench_env(config).rows[0].peer
    assert peer is not None
    assert peer.episode_steps is None


@pytest.mark.parametrize("name", ["MMM2", "smacv2/terran_5_vs_5"])
def test_a_scenario_that_the_peer_does_not_have_is_refused_first(
    countdown_env: type[CountdownEnv], make_peer: MakePeer, name: str
) -> None:
    config = EnvBenchConfig(("3m", name), vs="smax", peer_python=make_peer())
    with pytest.raises(TerrariumError, match=r"SMAX has no scenario .* smac/2s3z, smac/3m$"):
        bench_env(config)
    assert countdown_env.opened == []


def run_cli(monkeypatch: pytest.MonkeyPatch, *args: str) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "argv", ["terrarium", "bench", "env", *args])
    cli.main()


def test_the_table_shows_both_sides_and_the_ratio(
    countdown_env: type[CountdownEnv],
    make_peer: MakePeer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    small = ("--scenarios", "3m", "--batch", "20", "--seconds", "0.01", "--peer-batch", "64")
    versus = (*small, "--vs", "smax", "--peer-python", make_peer())
    run_cli(monkeypatch, *versus)
    lines = capsys.readouterr().out.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("smac/3m"))
    ours, smax = lines[at].split(), lines[at + 1].split()
    assert ours[:3] == ["smac/3m", "terrarium", "20"]
    assert smax == ["SMAX", "64", "1,000", "0%", "20.1", "1.0"]
    assert float(ours[-1].replace(",", "")) == pytest.approx(
        float(ours[3].replace(",", "")) / 1000.0,
        abs=0.06,  # of a ratio with one decimal
    )
    assert any("jaxmarl 0.2.0" in line and "8 ticks a step" in line for line in lines)

    run_cli(monkeypatch, *versus, "--json")
    result = json.loads(capsys.readouterr().out)
    row = result["rows"][0]
    assert row["ratio"] == pytest.approx(row["ours"]["steps_per_s"] / row["peer"]["steps_per_s"])
    assert result["peer"]["versions"] == HELLO["versions"]
    assert result["machine"]["terrarium"] == terrarium.__version__

    run_cli(monkeypatch, *small)
    out = capsys.readouterr().out
    assert "ratio" not in out
    assert "SMAX" not in out


def test_a_missing_peer_ends_in_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stop:
        run_cli(monkeypatch, "--vs", "smax", "--peer-python", "/nowhere/python")
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("terrarium: there is no Python with SMAX at /nowhere/python.")
    assert said.count("\n") == 1
