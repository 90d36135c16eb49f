"""Codes follow from the words of the data, all of them, and kernels read what data may say."""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from terrarium.data import vocabulary
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.mechanics import MECHANICS
from terrarium.engine import codes
from terrarium.engine.tables.buffs_from_facts import STATUS_OF_PREVENTION, STATUS_OF_STATE
from terrarium.engine.tables.changes_from_facts import FIELDS, IN_DAMAGE_TABLES, NOT_YET

ENGINE = Path(codes.__file__).parent


def words_with_codes() -> dict[str, dict[str, list[str]]]:
    """By vocabulary and word, the constants of codes.py that are made of it."""
    found: dict[str, dict[str, list[str]]] = {}
    for node in ast.parse(Path(codes.__file__).read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        match node.value:
            case ast.Call(
                ast.Name("code" | "bit"),
                [ast.Attribute(ast.Name("words"), table), ast.Constant(str(word))],
            ):
                (name,) = node.targets
                assert isinstance(name, ast.Name)
                found.setdefault(table, {}).setdefault(word, []).append(name.id)
    return found


WORDS = words_with_codes()
GENERATED = (
    *("ABILITY_FLAGS", "ABILITY_TARGETS", "AUTOCASTS", "COOLDOWN_STARTS"),
    *("ACQUIRES", "RESPONSES", "PLANES", "VICTIMS", "HIT_KINDS", "SIDES", "FOLLOWS"),
    *("CHANGE_OPS", "TRAITS", "WAYS_OF_PRODUCTION"),
)


@cache
def read_by_kernels() -> set[str]:
    """The constants of codes.py that some kernel names."""
    return {
        node.attr
        for file in (ENGINE / "kernels").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "codes"
    }


def test_the_vocabularies_that_kernels_know_are_these() -> None:
    assert sorted(WORDS) == sorted(GENERATED)


@pytest.mark.parametrize("table", GENERATED)
def test_every_word_has_one_constant_and_every_constant_its_own_number(table: str) -> None:
    names = WORDS[table]
    assert list(names) == list(getattr(vocabulary, table))
    assert {word for word, constants in names.items() if len(constants) != 1} == set()
    numbers = Counter(getattr(codes, constants[0]) for constants in names.values())
    assert max(numbers.values()) == 1


@pytest.mark.parametrize("word", vocabulary.ABILITY_FLAGS)
def test_every_flag_of_abilities_is_read_by_a_kernel(word: str) -> None:
    (constant,) = WORDS["ABILITY_FLAGS"][word]
    assert constant in read_by_kernels()


def groups() -> list[tuple[str, ...]]:
    """Constants of codes.py that are defined together, in one assignment."""
    return [
        tuple(name.id for name in node.targets[0].elts if isinstance(name, ast.Name))
        for node in ast.parse(Path(codes.__file__).read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
    ]


@pytest.mark.parametrize("names", groups(), ids=lambda names: names[0])
def test_codes_of_a_group_differ(names: tuple[str, ...]) -> None:
    numbers = [getattr(codes, name) for name in names]
    assert len(set(numbers)) == len(numbers)


def test_results_are_named_as_the_game_names_them() -> None:
    for number, name in codes.RESULT_NAMES.items():
        constant = "".join(f"_{c}" if c.isupper() else c.upper() for c in name).lstrip("_")
        assert number == (getattr(codes, constant) if name else 0)


def test_every_number_that_upgrades_change_has_a_kernel_that_reads_it() -> None:
    changed = {name for name in vars(codes) if name.startswith("CHANGES_")}
    assert changed <= read_by_kernels()
    assert {getattr(codes, name) for name in changed} == set(FIELDS.values())


def test_every_field_that_upgrades_may_change_has_its_place() -> None:
    allowed = {
        *vocabulary.UNIT_CHANGES,
        *vocabulary.WEAPON_CHANGES,
        *vocabulary.ABILITY_CHANGES,
        *vocabulary.BUFF_CHANGES,
    }
    places = [*FIELDS, *IN_DAMAGE_TABLES, *NOT_YET]
    assert sorted(places) == sorted(allowed)


def test_every_state_and_prevention_of_buffs_has_its_status() -> None:
    assert list(STATUS_OF_STATE) == list(vocabulary.BUFF_STATES)
    assert list(STATUS_OF_PREVENTION) == list(vocabulary.BUFF_PREVENTS)


def test_no_table_builder_knows_a_unit_or_an_ability_by_name() -> None:
    rules = [load_ruleset(name) for name in ruleset_names()]
    names = {name for facts in rules for name in (*facts.units, *facts.abilities)}
    names -= {*MECHANICS, *vocabulary.TRAITS}  # some are words as well
    said = {
        node.value
        for pattern in ("*_from_facts.py", "mechanics/*.py")
        for file in (ENGINE / "tables").glob(pattern)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert said & names == set()
