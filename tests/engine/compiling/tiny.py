"""A package of tiny kernels, written into a folder and run by a process of its own."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

RULES = '''"""Tiny rules."""
from typing import Annotated, Any, NamedTuple

import numpy as np

from terrarium.engine.jit import entry, inline, kernel
from tiny import facts
from tiny.facts import double as twice

STEPS = (1, 2, 4)
TABLE = np.array([10, 20, 30])
WEIGHT = np.int64(7)


class Stock(NamedTuple):
    things: Annotated[Any, np.dtype([("size", "i8"), ("worth", "f8")]), "T"]


class World(NamedTuple):
    counts: Annotated[Any, "i8", "C"]
    stock: Stock


def closed_over(n):
    @kernel
    def add_n(x: int) -> int:
        return x + n

    return add_n


plus = closed_over(5)


@kernel
def scaled(x: int, factor: int = 3) -> int:
    """A kernel with a default."""
    return x * factor


@kernel
def total(world: World) -> int:
    """Sizes and counts."""
    size = 0
    for k in range(world.stock.things.shape[0]):
        size += world.stock.things[k].size
    return size + world.counts[0]


@entry
def worth(world: World) -> int:
    """An entry that another one calls."""
    return total(world)


@entry
def count(world: World, x: int) -> int:
    """An entry."""
    y = twice(x) + STEPS[x % 3] + TABLE[x % 3] + WEIGHT + facts.OFFSET
    return y + scaled(x) + plus(x) + worth(world) + total(world)


@entry
def alone(x: int) -> int:
    """An entry by itself."""
    return x + 1
'''

FACTS = '''"""Tiny facts."""
from terrarium.engine.jit import kernel

OFFSET = 100


@kernel
def double(x: int) -> int:
    """Twice as much."""
    return 2 * x


@kernel
def triple(x: int) -> int:
    """Three times as much."""
    return 3 * x


def build_table():
    return [1, 2, 3]
'''

ANSWER = 2 * 1 + 2 + 20 + 7 + 100 + 3 * 1 + 1 + 5 + 2 * (4 + 6 + 1000)
"""count(world, 1)"""

USE = """
import json, sys
import numpy as np
{before}
from terrarium.engine.handles import handle
from tiny.rules import Stock, World, alone, count

things = np.array([(4, 0.5), (6, 0.5)], [("size", "i8"), ("worth", "f8")])
world = handle(World(np.array([1000]), Stock(things)))
answer = count(world, 1)
assert alone(4) == 5
from terrarium.engine.compiling import units
print(json.dumps([int(answer), len(units._BUILT), "numba" in sys.modules]))
"""


@dataclass(frozen=True)
class Outcome:
    """Of a process that has used the kernels."""

    answer: int
    n_compiled: int
    loaded_numba: bool
    said: str


def write_package(folder: Path, rules: str = RULES, facts: str = FACTS) -> Path:
    """The package `tiny`, which is found with the folder on the search path."""
    package = folder / "tiny"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text(rules)
    (package / "facts.py").write_text(facts)
    return folder


def start(folder: Path, cache: Path, before: str = "", **variables: str) -> "subprocess.Popen[str]":
    """A process that uses the package; `before` is run before anything else."""
    paths = [str(folder), *(path for path in sys.path if path)]
    return subprocess.Popen(
        [sys.executable, "-c", USE.format(before=before)],
        env=environment(paths, TERRARIUM_CACHE=str(cache), **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def outcome_of(process: "subprocess.Popen[str]") -> Outcome:
    out, err = process.communicate()
    assert process.returncode == 0, err
    return Outcome(*json.loads(out), err)


def use(folder: Path, cache: Path, before: str = "") -> Outcome:
    return outcome_of(start(folder, cache, before))


def environment(paths: list[str], **more: str) -> dict[str, str]:
    """Compiled mode, whatever mode the tests run in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(paths), **more}
