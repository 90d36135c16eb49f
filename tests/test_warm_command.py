"""`terrarium warm`: everything is compiled, and said to be."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import terrarium
from terrarium.cli.warm import PACKAGES, Warm
from terrarium.engine import jit
from terrarium.errors import TerrariumError
from tests.engine.compiling.tiny import environment, write_package

WARM = """
import sys
from terrarium.cli import main, warm
warm.PACKAGES = ("tiny",)
main()
"""


def run_warm(folder: Path, *words: str) -> str:
    paths = [str(folder), *(path for path in sys.path if path)]
    answer = subprocess.run(
        [sys.executable, "-c", WARM, "warm", *words],
        env=environment(paths, TERRARIUM_CACHE=str(folder / "cache")),
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    return answer.stdout


@pytest.mark.slow
def test_it_compiles_once_and_says_how_long_how_large_and_where(tmp_path: Path) -> None:
    write_package(tmp_path)
    first = run_warm(tmp_path)
    assert "Compiled 3 of 3 units in " in first
    assert f"{tmp_path / 'cache'} (" in first
    assert "All 3 units are compiled already." in run_warm(tmp_path)
    about = json.loads(run_warm(tmp_path, "--json"))
    assert (about["units"], about["compiled"], about["mode"]) == (3, 0, "compiled")
    size = sum(file.stat().st_size for file in (tmp_path / "cache").glob("*.o"))
    assert about["bytes"] == size > 0


@pytest.mark.slow
def test_it_finds_every_entry_of_the_package() -> None:
    root = Path(terrarium.__file__).parent
    written = {
        f"terrarium.{'.'.join(file.relative_to(root).with_suffix('').parts)}.{node.name}"
        for file in root.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.FunctionDef)
        for mark in node.decorator_list
        if isinstance(mark, ast.Name) and mark.id == "entry"
    }
    assert len(written) > 10
    assert all(name.startswith(PACKAGES) for name in written)
    if jit.COMPILED:
        from terrarium.engine.compiling.units import entries_in

        assert {entry.name for entry in entries_in(PACKAGES)} == written


def test_plain_mode_has_nothing_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "COMPILED", False)
    with pytest.raises(TerrariumError, match="NUMBA_DISABLE_JIT is set"):
        Warm().run()
