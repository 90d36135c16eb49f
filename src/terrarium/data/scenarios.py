"""Scenarios: the folder `scenarios` (or a user's file) as checked `Scenario` objects."""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from terrarium.data.facts import RuleSet, Unit
from terrarium.data.rulesets import load_ruleset, ruleset_names
from terrarium.data.scenario import Generator, Group, Order, Scenario, Smac, Terrain, Trigger
from terrarium.data.tables import Table
from terrarium.data.terrains import load_terrain, read_table, terrain_names, unknown_terrain
from terrarium.data.vocabulary import RACES
from terrarium.errors import TerrariumError, nearest

MAX_UNITS = 512  # of both sides together
_LONG = 1_000_000  # steps, ticks, versions: beyond it somebody slipped on a key

_FOLDER = Path(__file__).parent / "scenarios"
_SIDES = ("ally", "enemy")
_ORDERS = ("attack_move", "attack_move_between", "attack")
_TRIGGERS = ("attack_nearest",)
_POSITIONS = ("surrounded_and_reflect", "surrounded", "reflect")
_MAP_TYPES = (
    *("marines", "stalkers", "zealots", "hydralisks", "colossus"),
    *("stalkers_and_zealots", "colossi_stalkers_zealots", "MMM", "bane"),
    *("terran_gen", "protoss_gen", "zerg_gen"),
)

Point = tuple[float, float]


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
            *("title", "terrain", "rules", "version", "limit_steps", "ticks_per_step"),
            *("group", "generate", "trigger", "smac"),
        )
    )
    if table.has("group") == table.has("generate"):
        wrong = "both" if table.has("group") else "neither"
        raise table.error(f"a scenario has [[group]]s or [generate]; this one has {wrong}")
    terrain = _terrain(table, beside)
    rules = _rules(table)
    return Scenario(
        name=name,
        title=table.text("title"),
        version=table.integer("version", 1, _LONG) if table.has("version") else 1,
        terrain=terrain,
        rules=rules.name,
        limit_steps=table.integer("limit_steps", 1, _LONG),
        ticks_per_step=(
            table.integer("ticks_per_step", 1, _LONG) if table.has("ticks_per_step") else 8
        ),
        groups=_groups(table, terrain, rules) if table.has("group") else (),
        generator=_generator(table.table("generate"), rules) if table.has("generate") else None,
        trigger=_trigger(table.table("trigger")) if table.has("trigger") else None,
        smac=_smac(table.table("smac")) if table.has("smac") else None,
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


def _groups(table: Table, terrain: Terrain, rules: RuleSet) -> tuple[Group, ...]:
    tables = list(table.tables("group"))
    groups = tuple(_group(entry, terrain, rules) for entry in tables)
    if not groups:
        raise table.error("a scenario needs at least one group", "group")
    n_units = 0
    for entry, group in zip(tables, groups, strict=True):
        n_units += sum(group.units.values())
        _check_total(entry, n_units, "units")
    reach = [max(rules.units[name].radius for name in group.units) for group in groups]
    for j, second in enumerate(groups):
        for i, first in enumerate(groups[:j]):
            apart, needed = math.dist(first.at, second.at), reach[i] + reach[j]
            if first.side != second.side and apart < needed:
                raise tables[j].error(
                    f"overlapping spawn: group[{i}] ({first.side}) and group[{j}] "
                    f"({second.side}) are {apart:g} apart, but their largest units need "
                    f"{needed:g}. Move one of them",
                    "at",
                )
    return groups


def _check_total(table: Table, n_units: int, *keys: str) -> None:
    if n_units > MAX_UNITS:
        raise table.error(
            f"too many units: {n_units} with these. At most {MAX_UNITS} are allowed", *keys
        )


def _group(table: Table, terrain: Terrain, rules: RuleSet) -> Group:
    table.only(("side", "at", "units", "passive", "order"))
    side = table.choice("side", _SIDES)
    counts = table.table("units")
    units = {name: counts.integer(name, 1) for name in _known_units(counts, rules)}
    return Group(
        side=side,
        at=_spawn(table, terrain, [rules.units[name] for name in units]),
        units=units,
        passive=table.boolean("passive") if table.has("passive") else False,
        order=_order(table.table("order"), side, terrain) if table.has("order") else None,
    )


def _known_units(table: Table, rules: RuleSet) -> Mapping[str, object]:
    """The entries of a table whose keys are unit names."""
    if not table.values:
        raise table.error("no units. Write for example { marine = 3 }")
    for name in table.values:
        if name not in rules.units:
            guess = nearest(name, rules.units)
            raise table.error(
                f"unknown unit {_quoted(name)}.{guess} See: terrarium list units", name
            )
    return table.values


def _spawn(table: Table, terrain: Terrain, units: list[Unit]) -> Point:
    x, y = table.numbers("at", 2)
    x0, y0, x1, y1 = terrain.playable
    if not (x0 <= x < x1 and y0 <= y < y1):
        raise table.error(
            f"[{x:g}, {y:g}] is outside the playable area of {terrain.name}: "
            f"x {x0:g} to {x1:g}, y {y0:g} to {y1:g}",
            "at",
        )
    walkers = [unit.name for unit in units if not unit.flying]
    if walkers and not terrain.walkable[int(y), int(x)]:
        raise table.error(
            f"[{x:g}, {y:g}] is unwalkable ground of {terrain.name}: no place for {walkers[0]}",
            "at",
        )
    return x, y


def _order(table: Table, side: str, terrain: Terrain) -> Order:
    table.only(_ORDERS)
    if len(table.values) != 1:
        raise table.error(f"an order is exactly one of: {', '.join(_ORDERS)}")
    (kind,) = table.values
    if kind == "attack":
        victim = table.choice(kind, _SIDES)
        if victim == side:
            raise table.error(f'"{victim}" is the own side', kind)
        return Order(kind=kind, at=None, to=None, side=victim)
    ends = table.array(kind)
    if kind == "attack_move":
        return Order(kind=kind, at=_target(table, kind, ends, terrain), to=None, side=None)
    if len(ends) != 2:
        raise table.error(f"{ends!r} is not two points", kind)
    at, to = (_target(table, kind, end, terrain) for end in ends)
    return Order(kind=kind, at=at, to=to, side=None)


def _target(table: Table, key: str, value: Any, terrain: Terrain) -> Point:
    # By `type`, not `isinstance`: true and false are no coordinates.
    if type(value) is not list or [type(part) in (int, float) for part in value] != [True, True]:
        raise table.error(f"{value!r} is not a point [x, y]", key)
    x, y = value
    if not (0 <= x <= terrain.width and 0 <= y <= terrain.height):
        raise table.error(
            f"{value!r} is outside of the map: 0 to {terrain.width}, 0 to {terrain.height}", key
        )
    return float(x), float(y)


def _generator(table: Table, rules: RuleSet) -> Generator:
    table.only(
        (
            *("n_allies", "n_enemies", "units", "never_only"),
            *("positions", "reflect_probability", "passive_allies"),
        )
    )
    n_allies, n_enemies = table.integer("n_allies", 1), table.integer("n_enemies", 1)
    _check_total(table, n_allies + n_enemies)
    weights = _weights(table.table("units"), rules)
    positions = table.choice("positions", _POSITIONS)
    if positions != "surrounded_and_reflect" and table.has("reflect_probability"):
        raise table.error(f'means nothing where positions = "{positions}"', "reflect_probability")
    if positions == "surrounded_and_reflect":
        reflect_probability = table.number("reflect_probability", 0.0, 1.0)
    else:
        reflect_probability = 1.0 if positions == "reflect" else 0.0
    return Generator(
        n_allies=n_allies,
        n_enemies=n_enemies,
        weights=weights,
        never_only=_never_only(table, weights),
        positions=positions,
        reflect_probability=reflect_probability,
        passive_allies=table.boolean("passive_allies") if table.has("passive_allies") else False,
    )


def _weights(table: Table, rules: RuleSet) -> dict[str, float]:
    weights = {name: table.number(name) for name in _known_units(table, rules)}
    for name, weight in weights.items():
        if not weight > 0.0:
            raise table.error(f"a weight must be positive, not {weight:g}", name)
    total = math.fsum(weights.values())
    if not abs(total - 1.0) <= 1e-9:
        raise table.error(f"the weights must sum to 1, not to {total:.10g}")
    return weights


def _never_only(table: Table, weights: Mapping[str, float]) -> tuple[str, ...]:
    names = table.array("never_only") if table.has("never_only") else []
    for name in names:
        if not isinstance(name, str) or name not in weights:
            raise table.error(
                f"{name!r} is not one of `units`.{nearest(str(name), weights)} "
                f"Allowed: {', '.join(weights)}",
                "never_only",
            )
    if set(names) == set(weights):
        raise table.error(f"{names!r} leaves no team that may be drawn", "never_only")
    return tuple(names)


def _trigger(table: Table) -> Trigger:
    table.only(("every_ticks", "order", "side"))
    return Trigger(
        every_ticks=table.integer("every_ticks", 1, _LONG),
        order=table.choice("order", _TRIGGERS),
        side=table.choice("side", _SIDES),
    )


def _smac(table: Table) -> Smac:
    table.only(("map_type", "ally_race", "enemy_race", "unit_type_bits"))
    return Smac(
        map_type=table.choice("map_type", _MAP_TYPES),
        ally_race=table.choice("ally_race", RACES),
        enemy_race=table.choice("enemy_race", RACES),
        unit_type_bits=table.integer("unit_type_bits", 0, 64),
    )
