"""Scenarios: the folder `scenarios` (or a user's file) as checked `Scenario` objects."""

import json
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

from terrarium.data.battles.armies import read_armies, read_generator, units_of
from terrarium.data.battles.groups import read_groups
from terrarium.data.battles.orders import LONG, SIDES, read_point, read_triggers
from terrarium.data.battles.scenario import (
    Armies,
    Generator,
    Group,
    Measure,
    Scenario,
    Smac,
    Stock,
    Terrain,
)
from terrarium.data.battles.terrains import load_terrain, read_table, terrain_names, unknown_terrain
from terrarium.data.facts.forms import forms_of, summons
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.tables import Table
from terrarium.data.vocabulary import RACES
from terrarium.errors import TerrariumError, nearest

MAX_SPARE_SLOTS = 32
SLOTS_PER_SUMMONER = 4

_FOLDER = Path(__file__).parents[1] / "scenarios"
_MEASURES = ("win", "saves", "kills", "reach", "survives")
_MAP_TYPES = (
    *("marines", "stalkers", "zealots", "hydralisks", "colossus"),
    *("stalkers_and_zealots", "colossi_stalkers_zealots", "MMM", "bane"),
    *("terran_gen", "protoss_gen", "zerg_gen"),
)


def scenario_names(family: str | None = None) -> tuple[str, ...]:
    """Every built-in scenario ("smac/3m"), or those of one family: the folder is the list."""
    names = _names()
    if family is None:
        return names
    families = sorted({name.split("/")[0] for name in names if "/" in name})
    if family not in families:
        guess = nearest(family, families)
        raise TerrariumError(
            f"unknown family {_quoted(family)}.{guess} Allowed: {', '.join(families)}"
        )
    return tuple(name for name in names if name.startswith(f"{family}/"))


def load_scenario(name: str | Path) -> Scenario:
    """A built-in scenario ("smac/3m", or "3m" where only one family has it), or a user's file.

    A `Path`, or a text that ends in ".toml", is a file; it is read anew each time.
    """
    if isinstance(name, Path) or name.endswith(".toml"):
        file = Path(name)
        return _read(file, str(file), file.stem, file.parent)
    # Only names from the folder's own listing become paths: "../x" cannot leave it.
    if name in _names():
        return _built_in(name)
    meant = [full for full in _names() if full.split("/")[-1] == name]
    if len(meant) == 1:
        return _built_in(meant[0])
    if meant:
        raise TerrariumError(f"scenario {_quoted(name)} could be any of: {', '.join(meant)}")
    guess = nearest(name, [*_names(), *(full.split("/")[-1] for full in _names())])
    raise TerrariumError(f"unknown scenario {_quoted(name)}.{guess} See: terrarium list scenarios")


def with_rules(scenario: Scenario, rules: str | None) -> Scenario:
    """The same battle by another rule set: its name, or a rule-set file; `None`: as it is."""
    if rules is None or rules == scenario.rules:
        return scenario
    facts = load_ruleset(rules)
    for what, name, known in _references(scenario, facts):
        if name not in known:
            raise TerrariumError(
                f"{scenario.name} cannot be played by the rule set {_quoted(rules)}: "
                f'it has no {what} "{name}"'
            )
    spare_slots = _spare_slots(scenario.groups, scenario.generator, scenario.armies, facts)
    return replace(scenario, rules=rules, spare_slots=spare_slots)


def _references(scenario: Scenario, facts: RuleSet) -> Iterator[tuple[str, str, Collection[str]]]:
    """Everything that a scenario names: what it is, its name, and what a rule set has of it."""
    drawn = scenario.generator or scenario.armies
    units = [name for group in scenario.groups for name in (*group.units, *group.inside)]
    for name in [*units, *(drawn.weights if drawn else ()), *scenario.measure.only]:
        yield "unit", name, facts.units
    opening = [group.order.ability for group in scenario.groups if group.order]
    for ability in [*opening, *(trigger.ability for trigger in scenario.triggers)]:
        if ability:
            yield "ability", ability, facts.abilities
    for names in scenario.upgrades.values():
        for name in names:
            yield "upgrade", name, facts.upgrades


@cache
def _names() -> tuple[str, ...]:
    files = (file.relative_to(_FOLDER) for file in _FOLDER.rglob("*.toml"))
    return tuple(sorted(file.with_suffix("").as_posix() for file in files))


@cache
def _built_in(name: str) -> Scenario:
    return _read(_FOLDER / f"{name}.toml", f"{name}.toml", name, None)


def _quoted(text: str) -> str:
    """In quotes and on one line, whatever was typed."""
    return json.dumps(text, ensure_ascii=False)


def _read(file: Path, label: str, name: str, beside: Path | None) -> Scenario:
    """Read one file; `beside` is where it may keep a terrain of its own."""
    table = read_table(file, label)
    table.only(
        (
            *("title", "terrain", "rules", "version", "limit_steps", "ticks_per_step", "fog"),
            *("group", "generate", "armies", "upgrades", "stock", "trigger", "measure"),
            "smac",
        )
    )
    _check_armies(table)
    terrain = _terrain(table, beside)
    rules = _rules(table)
    groups = read_groups(table, terrain, rules) if table.has("group") else ()
    generator = read_generator(table.table("generate"), rules) if table.has("generate") else None
    armies = read_armies(table.table("armies"), terrain, rules) if table.has("armies") else None
    units = units_of(groups, generator, armies, rules)
    return Scenario(
        name=name,
        title=table.text("title"),
        version=table.integer("version", 1, LONG) if table.has("version") else 1,
        terrain=terrain,
        rules=rules.name,
        limit_steps=table.integer("limit_steps", 1, LONG),
        ticks_per_step=(
            table.integer("ticks_per_step", 1, LONG) if table.has("ticks_per_step") else 8
        ),
        groups=groups,
        generator=generator,
        armies=armies,
        triggers=read_triggers(table, units, rules) if table.has("trigger") else (),
        upgrades=_upgrades(table.table("upgrades"), rules) if table.has("upgrades") else {},
        stock=_stock(table.table("stock")) if table.has("stock") else {},
        fog=table.boolean("fog") if table.has("fog") else False,
        measure=(
            _measure(table.table("measure"), groups, units, terrain, rules)
            if table.has("measure")
            else Measure("win")
        ),
        spare_slots=_spare_slots(groups, generator, armies, rules),
        smac=_smac(table.table("smac")) if table.has("smac") else None,
    )


def _check_armies(table: Table) -> None:
    given = [key for key in ("group", "generate", "armies") if table.has(key)]
    if len(given) != 1:
        wrong = {0: "neither", 2: "both", 3: "all"}[len(given)]
        raise table.error(
            f"a scenario has [[group]]s, [generate] or [armies]; this one has {wrong}"
        )


def _terrain(table: Table, beside: Path | None) -> Terrain:
    name = table.text("terrain")
    if beside is not None and name.endswith(".toml"):
        if Path(name).name != name or "\\" in name:
            raise table.error(
                f"{_quoted(name)}: a terrain of your own lies beside the scenario; "
                "give the file's name without folders",
                "terrain",
            )
        return load_terrain(beside / name)
    if name not in terrain_names():
        raise table.error(unknown_terrain(name), "terrain")
    return load_terrain(name)


def _rules(table: Table) -> RuleSet:
    name = table.text("rules")
    if name not in ruleset_names():
        allowed = ", ".join(ruleset_names())
        guess = nearest(name, ruleset_names())
        raise table.error(f"unknown rule set {_quoted(name)}.{guess} Allowed: {allowed}", "rules")
    return load_ruleset(name)


def _spare_slots(
    groups: tuple[Group, ...],
    generator: Generator | None,
    armies: Armies | None,
    rules: RuleSet,
) -> int:
    """Room for what Ravens, Reapers and their like summon; dead units leave theirs as well."""
    if armies:
        return MAX_SPARE_SLOTS if any(summons(rules, name) for name in armies.weights) else 0
    if generator:
        return MAX_SPARE_SLOTS if any(summons(rules, name) for name in generator.weights) else 0
    n_summoners = sum(
        count for group in groups for name, count in group.units.items() if summons(rules, name)
    )
    return min(MAX_SPARE_SLOTS, SLOTS_PER_SUMMONER * n_summoners)


def _upgrades(table: Table, rules: RuleSet) -> dict[str, tuple[str, ...]]:
    table.only(SIDES)
    return {side: _researched(table, side, rules) for side in SIDES if table.has(side)}


def _researched(table: Table, side: str, rules: RuleSet) -> tuple[str, ...]:
    """The named upgrades, each after the lower levels that it builds on."""
    found: list[str] = []
    for name in table.array(side):
        if not isinstance(name, str) or name not in rules.upgrades:
            guess = nearest(str(name), rules.upgrades)
            raise table.error(f"unknown upgrade {name!r} in {rules.name}.{guess}", side)
        chain = [name]
        while needed := rules.upgrades[chain[0]].requires:
            chain.insert(0, needed[0])
        found += [upgrade for upgrade in chain if upgrade not in found]
    return tuple(found)


def _stock(table: Table) -> dict[str, Stock]:
    table.only(SIDES)
    return {side: _owned(table.table(side)) for side in SIDES if table.has(side)}


def _owned(table: Table) -> Stock:
    table.only(("minerals", "vespene", "nukes"))
    return Stock(
        minerals=table.number("minerals", 0.0, LONG) if table.has("minerals") else 0.0,
        vespene=table.number("vespene", 0.0, LONG) if table.has("vespene") else 0.0,
        nukes=table.integer("nukes", 0, LONG) if table.has("nukes") else 0,
    )


def _measure(
    table: Table,
    groups: tuple[Group, ...],
    units: dict[str, set[str]],
    terrain: Terrain,
    rules: RuleSet,
) -> Measure:
    kind = table.choice("kind", _MEASURES)
    own = {"reach": ("at", "radius"), "survives": ("share",)}.get(kind, ())
    table.only(("kind", "only", "good", *own))
    if kind != "win" and not groups:
        raise table.error(f'"{kind}" is a share of what [[group]]s begin with', "kind")
    counted = units["enemy" if kind in ("win", "kills") else "ally"]
    only = table.array("only") if table.has("only") else []
    for name in only:
        known = isinstance(name, str) and name in rules.units
        if not known or not forms_of(rules, name) & counted:
            guess = nearest(str(name), counted)
            raise table.error(f"{name!r} is not among those measured.{guess}", "only")
    at = read_point(table, "at", table.array("at"), terrain) if kind == "reach" else None
    return Measure(
        kind=kind,
        only=tuple(only),
        at=at,
        radius=table.number("radius", 0.0, 500.0) if kind == "reach" else None,
        share=table.number("share", 0.0, 1.0) if table.has("share") else 0.0,
        good=table.number("good", 0.0, 1.0) if table.has("good") else 1.0,
    )


def _smac(table: Table) -> Smac:
    table.only(("map_type", "ally_race", "enemy_race", "unit_type_bits"))
    return Smac(
        map_type=table.choice("map_type", _MAP_TYPES),
        ally_race=table.choice("ally_race", RACES),
        enemy_race=table.choice("enemy_race", RACES),
        unit_type_bits=table.integer("unit_type_bits", 0, 64),
    )
