"""The house stays in order: folders, names and kernels keep the rules of docs/architecture.md."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "terrarium"
KERNELS = {"kernel", "inline", "entry"}
MOST_MODULES = 17
LISTS = {"abilities", "algos", "nets", "cli", "tactics"}
"""Folders that are a list of parts of one kind may be longer."""


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in modules()}


def decorators(node: ast.FunctionDef) -> set[str]:
    return {decorator.id for decorator in node.decorator_list if isinstance(decorator, ast.Name)}


def test_no_kernel_has_more_than_six_arguments() -> None:
    kernels = [
        (f"{path.name}:{node.name}", len(node.args.args))
        for path, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and decorators(node) & KERNELS
    ]
    assert len(kernels) > 300
    assert [name for name, n_arguments in kernels if n_arguments > 6] == []


def test_no_two_public_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees().items():
        if "stand_ins" in path.parts:  # these have SMAC's own names, to be imported in its place
            continue
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


def test_a_folder_has_one_subject() -> None:
    counts: dict[str, int] = defaultdict(int)
    for path in modules():
        if path.name != "__init__.py":
            counts[str(path.parent.relative_to(SOURCE))] += 1
    crowded = {
        folder: n
        for folder, n in counts.items()
        if n > MOST_MODULES and Path(folder).name not in LISTS
    }
    assert crowded == {}


def _table() -> list[list[str]]:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = page.split("## To add something")[1].strip().splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.mark.parametrize("row", _table(), ids=lambda row: row[0])
def test_what_the_table_of_additions_names_is_there(row: list[str]) -> None:
    what, written, mentioned, tested = row
    paths = [
        path for cell in (written, mentioned, tested) for path in re.findall(r"`([^`]+)`", cell)
    ]
    assert len(paths) >= 2, what
    for path in paths:
        assert (ROOT / path).exists(), path
