"""Run folders: which are found, what is read, and what is refused in one line."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from terrarium.errors import TerrariumError
from terrarium.report.comparison import compare
from terrarium.report.runs import find_runs, load_run
from tests.report.folders import load, write_lines, write_run

EVALUATION = {"step": 10, "seconds": 1.0, "scenario": "smac/3m", "test/win_rate": 0.5}


def refusal(action: Callable[[], object]) -> str:
    with pytest.raises(TerrariumError) as caught:
        action()
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_run_is_read_with_its_evaluations(tmp_path: Path) -> None:
    run = load(tmp_path / "a", (0.0, 0.25, 1.0), steps=(0, 600, 1200), steps_per_s=10.0)
    assert (run.algo, run.scenario, run.seed) == ("mappo", "smac/3m", 0)
    assert run.steps == (0, 600, 1200)
    assert run.minutes == (0.0, 1.0, 2.0)
    assert run.scores == (0.0, 0.25, 1.0)
    assert run.steps_per_s == 10.0
    assert run.settings["algo.lr"] == "0.0005"
    assert run.settings["algo.use_gae"] == "true"
    assert run.settings["env.views"] == "[obs, state]"


def test_runs_are_found_at_any_depth_each_once_and_sorted(tmp_path: Path) -> None:
    for name in ("b/two", "a/deep/down/one", "c"):
        write_run(tmp_path / name)
    # What is inside of a run is not looked at: a copy of its settings is no second run.
    (tmp_path / "c" / "checkpoints").mkdir()
    (tmp_path / "c" / "checkpoints" / "run.toml").write_text("")
    os.symlink(tmp_path, tmp_path / "b" / "loop")
    expected = tuple(tmp_path / name for name in ("a/deep/down/one", "b/two", "c"))
    assert find_runs([tmp_path]) == expected
    assert find_runs([tmp_path / "c", tmp_path, tmp_path / "b"]) == expected


def test_places_without_runs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "runs" / "empty").mkdir(parents=True)
    (tmp_path / "file").write_text("")
    assert "runs: there is no run in this folder" in refusal(lambda: find_runs([tmp_path / "runs"]))
    assert "file: this is a file" in refusal(lambda: find_runs([tmp_path / "file"]))
    message = refusal(lambda: find_runs([tmp_path / "rnus"]))
    assert message.endswith('rnus: there is no such folder. Did you mean "runs"?')


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[about", "run.toml: not valid TOML: "),
        ("\x00", "run.toml: not valid TOML: "),
        (f"x = {'9' * 5000}", "run.toml: not valid TOML: "),
        (f"x = {'[' * 50_000}", "run.toml: not valid TOML: "),
        (f"x = 0x{'f' * 5000}", "a whole number of 20000 bits; allowed are 64"),
        ("", "run.toml: the table [about] is missing"),
        ("about = 3", "run.toml: the table [about] is missing"),
        ("[about]\nalgo = 'mappo'\nscenario = '3m'", "run.toml: the table [run] is missing"),
        ("[about]\nalgo = 'mappo'\n[run]", "run.toml: about.scenario is missing"),
        ("[about]\nalgo = 3\nscenario = '3m'\n[run]", "about.algo is 3; a text is needed"),
        ("[about]\nalgo = 'a'\nscenario = '3m'\n[run]", "run.toml: run.seed is missing"),
        ("[about]\nalgo = 'a'\nscenario = '3m'\n[run]\nseed = true", "run.seed is true; a whole"),
        ("[about]\nalgo = 'a'\nscenario = '3m'\n[run]\nseed = 0.5", "run.seed is 0.5; a whole"),
    ],
)
def test_broken_settings_are_refused(tmp_path: Path, text: str, expected: str) -> None:
    write_run(tmp_path / "a")
    (tmp_path / "a" / "run.toml").write_text(text)
    assert expected in refusal(lambda: load_run(tmp_path / "a"))


def test_settings_that_are_no_text_or_not_there_are_refused(tmp_path: Path) -> None:
    file = write_run(tmp_path / "a") / "run.toml"
    file.write_bytes(b"\xff\xfe")
    assert "run.toml: not valid TOML" in refusal(lambda: load_run(tmp_path / "a"))
    file.unlink()
    assert find_runs([tmp_path]) == (tmp_path / "a",)
    assert "run.toml: there is no such file" in refusal(lambda: load_run(tmp_path / "a"))
    file.mkdir()
    assert "run.toml: cannot be read: Is a directory" in refusal(lambda: load_run(tmp_path / "a"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"step": 1, "seco', "line 2: not valid JSON"),
        ("[" * 100_000, "line 2: not valid JSON"),
        ("12", "line 2: 12 is no JSON object"),
        ('{"step": -1, "seconds": 2, "scenario": "s"}', "line 2: step is -1; allowed are 0 to"),
        ('{"step": 1.5, "seconds": 2, "scenario": "s"}', "line 2: step is 1.5; a whole number"),
        ('{"step": "11", "seconds": 2, "scenario": "s"}', 'line 2: step is "11"; allowed'),
        ('{"step": true, "seconds": 2, "scenario": "s"}', "line 2: step is true; allowed"),
        (f'{{"step": 1{"0" * 400}, "seconds": 2}}', "line 2: step is 1000000"),
        ('{"seconds": 2, "scenario": "s"}', "line 2: step is missing"),
        ('{"step": 11, "scenario": "s"}', "line 2: seconds is missing"),
        ('{"step": 11, "seconds": NaN, "scenario": "s"}', "line 2: seconds is NaN"),
        ('{"step": 11, "seconds": 1e999, "scenario": "s"}', "line 2: seconds is Infinity"),
        ('{"step": 11, "seconds": 0.5, "scenario": "s"}', "line 2: seconds fall from 1 to 0.5"),
        ('{"step": 11, "seconds": 2, "scenario": 3}', "line 2: scenario is 3; a text is needed"),
        ('{"step": 11, "seconds": 2}', "line 2: scenario is null; a text is needed"),
    ],
)
def test_a_broken_line_is_refused_with_its_number(tmp_path: Path, line: str, expected: str) -> None:
    folder = write_run(tmp_path / "a")
    first, last = json.dumps(EVALUATION), json.dumps(EVALUATION | {"step": 20, "seconds": 3.0})
    (folder / "metrics.jsonl").write_text(f"{first}\n{line}\n{last}\n")
    message = refusal(lambda: load_run(folder))
    assert f"metrics.jsonl, {expected}" in message
    assert len(message) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-0.1", "1.01", "null", "true", '"0.5"'])
def test_a_win_rate_that_is_none_is_refused(tmp_path: Path, value: str) -> None:
    folder = write_run(tmp_path / "a")
    line = json.dumps(EVALUATION).replace("0.5", value)
    (folder / "metrics.jsonl").write_text(f"{line}\n")
    message = refusal(lambda: load_run(folder))
    assert message.endswith(f"line 1: test/win_rate is {value}; allowed are 0 to 1")


def test_what_is_not_used_may_be_anything(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a")
    write_lines(folder, [EVALUATION | {"learn/policy_loss": float("nan"), "new/name": None}])
    assert load_run(folder).scores == (0.5,)


@pytest.mark.parametrize("tail", ['{"step": 14', '{"step": 14\n', "\x00\x00", "\n\n", '{"a": "é'])
def test_half_a_line_at_the_end_is_ignored(tmp_path: Path, tail: str) -> None:
    folder = write_run(tmp_path / "a")
    whole = load_run(folder)
    with (folder / "metrics.jsonl").open("ab") as file:
        file.write(tail.encode()[:-1] if tail.endswith("é") else tail.encode())
    torn = load_run(folder)
    assert torn.progress.is_torn == bool(tail.strip())
    assert (torn.steps, torn.scores) == (whole.steps, whole.scores)


def test_a_run_without_evaluations_says_so(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a")
    metrics = folder / "metrics.jsonl"
    write_lines(folder, [{"step": 1, "seconds": 1.0, "scenario": "smac/3m", "train/return": 1.0}])
    assert "has not been evaluated on smac/3m yet; wait" in refusal(lambda: load_run(folder))
    metrics.write_text("{")
    assert "has not been evaluated on smac/3m yet; wait" in refusal(lambda: load_run(folder))
    metrics.write_text("\n")
    assert "the file is empty: this run has not been eval" in refusal(lambda: load_run(folder))
    metrics.unlink()
    assert "there is no such file: this run has not been" in refusal(lambda: load_run(folder))


def test_runs_below_a_folder_that_are_too_young_are_left_out_with_a_note(tmp_path: Path) -> None:
    write_run(tmp_path / "old")
    young = write_run(tmp_path / "young")
    (young / "metrics.jsonl").unlink()
    comparison = compare([tmp_path])
    assert [run.path for group in comparison.groups for run in group.runs] == [tmp_path / "old"]
    assert comparison.notes[-1] == f"Not evaluated yet, so left out: {young}."
    assert "has not been evaluated yet" in refusal(lambda: compare([tmp_path, young]))
    assert "has not been evaluated yet" in refusal(lambda: compare([young.parent / "young"]))


def test_of_a_curriculum_only_the_last_scenario_counts_but_time_passes(tmp_path: Path) -> None:
    stages = [{"scenario": "smac/3m", "target": 0.9}]
    folder = write_run(tmp_path / "a", about__scenario="smac/8m", curriculum__stages=stages)
    first = [EVALUATION | {"step": step, "seconds": step / 10} for step in (0, 600, 1200)]
    write_lines(folder, first)
    message = refusal(lambda: load_run(folder))
    assert "has not been evaluated on smac/8m yet, only on smac/3m; wait" in message
    second = EVALUATION | {"scenario": "smac/8m", "step": 2400, "seconds": 240.0}
    write_lines(folder, [*first, second])
    run = load_run(folder)
    assert (run.scenario, run.steps, run.minutes) == ("smac/8m", (2400,), (4.0,))


def test_a_resumed_run_counts_what_it_did_after_its_checkpoint(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "a")
    steps = (0, 100, 200, 300, 200, 300, 400)  # killed after 300, resumed from a checkpoint at 150
    rates = (0.0, 0.1, 0.2, 0.3, 0.25, 0.35, 0.4)
    write_lines(
        folder,
        [
            EVALUATION | {"step": step, "seconds": step / 10, "test/win_rate": rate}
            for step, rate in zip(steps, rates, strict=True)
        ],
    )
    run = load_run(folder)
    assert run.progress.is_resumed
    assert run.steps == (0, 100, 200, 300, 400)
    assert run.scores == (0.0, 0.1, 0.25, 0.35, 0.4)


@pytest.mark.parametrize(
    ("rates", "target", "reached"),
    [((0.1, 0.96), 0.95, True), ((0.1, 0.9), 0.95, False), ((0.1, 0.9), 0.0, False)],
)
def test_a_run_may_end_at_its_target(
    tmp_path: Path, rates: tuple[float, ...], target: float, reached: bool
) -> None:
    run = load(tmp_path / "a", rates, steps=(0, 500), run__target_win_rate=target)
    assert run.ended_early
    assert run.reached_target == reached


@pytest.mark.parametrize(("last", "early"), [(100_000, False), (99_328, False), (90_000, True)])
def test_a_run_has_ended_when_no_rollout_fits_any_more(
    tmp_path: Path, last: int, early: bool
) -> None:
    run = load(tmp_path / "a", (0.1, 0.9), steps=(0, last), run__max_steps=100_000)
    assert run.ended_early == early


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    run = load(tmp_path / "a", about__algo="ma\x1b[2Jppo\n", net__core="\x07bell")
    assert run.algo == r"ma\x1b[2Jppo\n"
    assert all(text.isprintable() for text in run.settings.values())
