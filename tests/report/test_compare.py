"""`terrarium compare` as a person meets it."""

import functools
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from PIL import Image

from tests.program import Run, call_program
from tests.report.folders import learning, write_run

FILES = [
    *("curves.csv", "curves.png", "curves.svg", "improvement.csv", "report.html"),
    *("statistics.csv", "statistics.png", "statistics.svg", "table.csv"),
]


def write_runs(folder: Path) -> None:
    """Two groups of two runs."""
    for core in ("gru", "lstm"):
        for seed in range(2):
            rates = learning(0.98 if core == "gru" else 0.7, 14.0, seed, n_points=11)
            write_run(folder / f"{core}{seed}", rates, net__core=core, run__seed=seed)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Call the program beside a folder with runs."""
    write_runs(tmp_path / "runs")
    return functools.partial(call_program, "compare", home=tmp_path)


class Report(NamedTuple):
    folder: Path
    out: str


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """What was printed and written where the folder was not empty, of runs one of which broke."""
    home = tmp_path_factory.mktemp("report")
    write_runs(home / "runs")
    with (home / "runs" / "gru1" / "metrics.jsonl").open("a") as file:
        file.write('{"step"')
    (home / "comparison").mkdir()
    for name in ("report.html", "mine.txt"):
        (home / "comparison" / name).write_text("old")
    code, out, err = call_program("compare", "runs", home=home)
    assert (code, err) == (0, "")
    return Report(home / "comparison", out)


@pytest.mark.slow
def test_it_prints_tables_and_writes_its_files(report: Report) -> None:
    lines = report.out.splitlines()
    assert lines[0].split()[:4] == ["scenario", "group", "runs", "final"]
    assert [line.split()[:4] for line in lines[2:4]] == [
        ["smac/3m", "mappo,", "net.core=gru", "2"],
        ["smac/3m", "mappo,", "net.core=lstm", "2"],
    ]
    folder = report.folder
    assert sorted(file.name for file in folder.iterdir()) == sorted([*FILES, "mine.txt"])
    assert "final win rates, with 95 % intervals" in map(str.strip, lines)
    assert lines[-len(FILES) :] == [
        f"comparison/{name} ({(folder / name).stat().st_size / 1e3:.1f} kB)" for name in FILES
    ]
    with Image.open(folder / "curves.png") as image:
        image.verify()


def test_files_are_overwritten_and_others_are_kept(report: Report) -> None:
    assert (report.folder / "mine.txt").read_text() == "old"
    assert (report.folder / "report.html").read_text().startswith("<!doctype html>")


def test_notes_are_printed(report: Report) -> None:
    assert "note: smac/3m, mappo, net.core=gru: the metrics of the run with" in report.out


@pytest.mark.slow
def test_json_is_the_table_and_by_puts_together_what_agrees(run: Run) -> None:
    code, out, err = run("runs", "--json", "--by", "run.seed", "--out", "new/folder")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    labels = ["mappo, run.seed=0", "mappo, run.seed=1"]
    assert [row["group"] for row in answer["rows"]] == labels
    assert all("differ in net.core" in note for note in answer["notes"])
    row = answer["rows"][0]
    assert (row["scenario"], row["n_runs"], row["settings"]) == ("smac/3m", 2, {"run.seed": "0"})
    assert [reached["level"] for reached in row["reached"]] == [0.5, 0.8, 0.95]
    assert [row["label"] for row in answer["statistics"]["finals"]] == labels
    assert len(answer["statistics"]["improvements"]) == 2
    assert list(answer["files"]) == [f"new/folder/{name}" for name in FILES]


def broken(tmp_path: Path) -> None:
    (tmp_path / "runs" / "gru0" / "metrics.jsonl").write_text("{}\n{}\n")


def not_evaluated(tmp_path: Path) -> None:
    (tmp_path / "runs" / "gru0" / "metrics.jsonl").write_text("")


def taken(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")


def blocked(tmp_path: Path) -> None:
    (tmp_path / "blocked" / "curves.png").mkdir(parents=True)


@pytest.mark.parametrize(
    ("prepare", "line", "expected"),
    [
        (taken, "rusn", 'rusn: there is no such folder. Did you mean "runs"?'),
        (taken, "taken", "taken: this is a file; give the folder of a run"),
        (taken, "runs/gru0/run.toml", "runs/gru0/run.toml: this is a file; give the folder of"),
        (taken, "runs --out taken", "taken: this is a file; name a folder"),
        (taken, "runs/gru0 --out taken/in", "taken/in: cannot be made: Not a directory; choose"),
        (taken, "runs --by net.cor", 'unknown setting "net.cor". Did you mean "net.core"?'),
        (blocked, "blocked", "blocked: there is no run in this folder"),
        pytest.param(
            blocked,
            "runs/gru0 --out blocked",
            "blocked/curves.png: cannot be written: Is a directory",
            marks=pytest.mark.slow,  # it draws first
        ),
        (broken, "runs", "runs/gru0/metrics.jsonl, line 1: step is missing"),
        (
            not_evaluated,
            "runs runs/gru0",
            "runs/gru0/metrics.jsonl: the file is empty: this run has not",
        ),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(
    run: Run, tmp_path: Path, prepare: Callable[[Path], None], line: str, expected: str
) -> None:
    prepare(tmp_path)
    code, out, err = run(*line.split())
    assert err.startswith(f"terrarium: {expected}")
    assert err.count("\n") == 1
    assert (code, out) == (2, "")


def test_without_matplotlib_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.argv = ['', 'compare', 'runs']\n"
        "from terrarium.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "terrarium: curves need matplotlib, which is not installed: "
        "pip install 'terrarium-sc2[marl]'\n"
    )


def test_reading_runs_loads_neither_torch_nor_the_compiler() -> None:
    code = (
        "import sys, terrarium.report.comparison; "
        "print({'torch', 'numba', 'rich'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
