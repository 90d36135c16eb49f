"""A mechanic is a kernel, a table and one line of the registry."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import terrarium
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.mechanics import MECHANICS as WORDS
from terrarium.engine import codes
from terrarium.engine.handles import ArrayField, BundleField, layout_of
from terrarium.engine.kernels.abilities.casting import begin_mechanic
from terrarium.engine.tables.mechanics.registry import MECHANICS
from terrarium.engine.tables.mechanics.table import mechanic_tables
from terrarium.engine.tables.rules import Rules

NEVER_CAST = {"end", "heal", "repair", "passive"}
"""Orders, healing and repair see to these, and passive abilities work by themselves."""


def test_the_registry_has_one_line_for_every_word() -> None:
    assert list(MECHANICS) == list(WORDS)


def test_every_word_is_used_by_an_ability() -> None:
    rules = [load_ruleset(name) for name in ruleset_names()]
    used = {ability.kind for facts in rules for ability in facts.abilities.values()}
    assert used == set(WORDS)


def test_every_mechanic_that_is_cast_is_a_case_of_the_switch() -> None:
    function = getattr(begin_mechanic, "function", begin_mechanic)
    cases = {value for value in function.__code__.co_consts if isinstance(value, int)}
    assert cases == {codes.code(WORDS, word) for word in WORDS if word not in NEVER_CAST}
    assert {word for word, mechanic in MECHANICS.items() if mechanic.begin is None} == NEVER_CAST
    for mechanic in MECHANICS.values():
        if mechanic.begin is not None:
            assert mechanic.begin in function.__globals__.values()


def test_the_tables_of_mechanics_are_part_of_the_rules() -> None:
    (tables,) = (field for field in layout_of(Rules).fields if field.name == "mechanics")
    assert isinstance(tables, BundleField)
    assert tables.kind is mechanic_tables()
    layouts = {f.name: f.dtype for f in layout_of(tables.kind).fields if isinstance(f, ArrayField)}
    registered = [mechanic.table for mechanic in MECHANICS.values() if mechanic.table]
    assert layouts == {table.field: table.layout for table in registered}


# A newcomer's mechanic, in a copy of the package: these files, and one line of the registry.

FACTS = """
[swap]
meaning = "the user and its target change places, for some life of the user"
numbers = ["toll"]
"""
KERNEL = """
from terrarium.engine.jit import kernel
from terrarium.engine.state import Game


@kernel
def swap_places(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    me, other = game.units[u], game.units[v]
    me.x, me.y, other.x, other.y = other.x, other.y, me.x, me.y
    me.hp -= game.rules.mechanics.swaps[game.rules.abilities[ability].params].toll
"""
TABLE = """
import numpy as np

from terrarium.engine.tables.mechanics.table import MechanicTable


def _row(ability, facts, names):
    return {"toll": ability.numbers["toll"]}


TABLE = MechanicTable("swaps", np.dtype([("toll", "f8")], align=True), _row)
"""
LINE = '    "swap": Mechanic(swap_places, swap.TABLE),\n'
IMPORTS = """from terrarium.engine.kernels.abilities.swap import swap_places
from terrarium.engine.tables.mechanics import swap
"""
RULES = """
title = "Swaps"
version = 1
base = "lotv-4.10"
[new.ability.swap]
race = "Terran"
id = 90001
link = "Swap"
kind = "swap"
users = ["ghost"]
target = "unit"
range = 10
toll = 7
"""
PLAY = """
import sys
from terrarium.data.battles.scenarios import load_scenario, with_rules
from terrarium.engine.simulator import Simulator

sim = Simulator(with_rules(load_scenario("arena/terran_vs_any"), sys.argv[1]))
for u in sim.units["alive"][0].nonzero()[0]:
    sim.remove(0, u)
ghost = sim.create(0, "ghost", 1, 10.0, 10.0)
tank = sim.create(0, "siege_tank", 1, 16.0, 12.0)
sim.use(0, ghost, "swap", target=tank)
sim.step(1)
print(sim.answer(0, ghost))
for u in (ghost, tank):
    print(sim.units["x"][0, u], sim.units["y"][0, u], sim.units["hp"][0, u])
"""


@pytest.fixture
def newcomer(tmp_path: Path) -> Path:
    """A copy of the package with one more mechanic."""
    package = tmp_path / "terrarium"
    shutil.copytree(
        Path(terrarium.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__")
    )
    facts = package / "data" / "mechanics.toml"
    facts.write_text(facts.read_text() + FACTS)
    (package / "engine" / "kernels" / "abilities" / "swap.py").write_text(KERNEL)
    (package / "engine" / "tables" / "mechanics" / "swap.py").write_text(TABLE)
    registry = package / "engine" / "tables" / "mechanics" / "registry.py"
    before, marked, after = registry.read_text().partition('    "salvage"')
    registry.write_text(IMPORTS + before + LINE + marked + after)
    return tmp_path


def test_a_new_mechanic_needs_no_other_edit(newcomer: Path) -> None:
    rules = newcomer / "swaps.toml"
    rules.write_text(RULES)
    played = subprocess.run(
        [sys.executable, "-c", PLAY, str(rules)],
        env={**os.environ, "PYTHONPATH": str(newcomer), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert played.returncode == 0, played.stderr
    assert played.stdout.splitlines() == ["Success", "16.0 12.0 93.0", "10.0 10.0 175.0"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("toll = 7", ""), 'ability.swap.kind: kind "swap" needs the key "toll"'),
        (('kind = "swap"', 'kind = "burst"'), 'ability.swap.toll: means nothing to kind "burst"'),
    ],
)
def test_the_numbers_of_a_new_mechanic_are_checked(
    newcomer: Path, change: tuple[str, str], message: str
) -> None:
    rules = newcomer / "swaps.toml"
    rules.write_text(RULES.replace(*change))
    load = "import sys; from terrarium.data.facts.rulesets import load_ruleset as load; "
    loaded = subprocess.run(
        [sys.executable, "-c", load + "load(sys.argv[1])", str(rules)],
        env={**os.environ, "PYTHONPATH": str(newcomer)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert loaded.returncode != 0
    assert message in loaded.stderr
