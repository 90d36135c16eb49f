"""Groups: who begins where, in which shape, and with whom inside."""

import json
import math
from collections.abc import Mapping

from terrarium.data.battles.orders import LONG, SIDES, Point, read_order
from terrarium.data.battles.scenario import Group, Terrain
from terrarium.data.facts.ability_facts import Cargo
from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.data.tables import Table
from terrarium.errors import nearest

MAX_UNITS = 512  # of both sides together
MAX_SPREAD = 64.0


def read_groups(table: Table, terrain: Terrain, rules: RuleSet) -> tuple[Group, ...]:
    """The tables [[group]]."""
    tables = list(table.tables("group"))
    groups = tuple(_group(entry, terrain, rules) for entry in tables)
    if not groups:
        raise table.error("a scenario needs at least one group", "group")
    total = 0
    for entry, group in zip(tables, groups, strict=True):
        total += group_size(group)
        check_total(entry, total, "units")
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


def group_size(group: Group) -> int:
    """How many units a group has, passengers included."""
    carriers = sum(group.units.values())
    return carriers * (1 + sum(group.inside.values()))


def check_total(table: Table, n_units: int, *keys: str) -> None:
    """Refuse more units than a battle may have."""
    if n_units > MAX_UNITS:
        raise table.error(
            f"too many units: {n_units} with these. At most {MAX_UNITS} are allowed", *keys
        )


def _group(table: Table, terrain: Terrain, rules: RuleSet) -> Group:
    table.only(
        (
            *("side", "at", "units", "passive", "order", "after_ticks"),
            *("hp", "energy", "spread", "spacing", "inside"),
        )
    )
    side = table.choice("side", SIDES)
    counts = table.table("units")
    units = {name: counts.integer(name, 1) for name in known_units(counts, rules)}
    order = None
    if table.has("order"):
        order = read_order(table.table("order"), side, units, terrain, rules)
    elif table.has("after_ticks"):
        raise table.error("means nothing without an order", "after_ticks")
    return Group(
        side=side,
        at=spawn_point(table, terrain, [rules.units[name] for name in units]),
        units=units,
        passive=table.boolean("passive") if table.has("passive") else False,
        order=order,
        after_ticks=table.integer("after_ticks", 0, LONG) if table.has("after_ticks") else 0,
        hp=_hp(table),
        energy=_energy(table, units, rules) if table.has("energy") else None,
        spread=read_spread(table),
        spacing=table.number("spacing", 0.1, MAX_SPREAD) if table.has("spacing") else None,
        inside=_inside(table, units, rules) if table.has("inside") else {},
    )


def known_units(table: Table, rules: RuleSet) -> Mapping[str, object]:
    """The entries of a table whose keys are unit names."""
    if not table.values:
        raise table.error("no units. Write for example { marine = 3 }")
    for name in table.values:
        if name not in rules.units:
            guess = nearest(name, rules.units)
            quoted = json.dumps(name, ensure_ascii=False)
            raise table.error(f"unknown unit {quoted}.{guess} See: terrarium list units", name)
        if original := rules.units[name].agent_copy_of:
            # One name in every rule set: the same scenario is played where there are no copies.
            raise table.error(
                f"it is what agents play: write {original}, and let them be passive", name
            )
    return table.values


def spawn_point(table: Table, terrain: Terrain, units: list[Unit]) -> Point:
    """Where units appear: walkable ground, unless all of them fly."""
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


def read_spread(table: Table) -> float:
    """How far a battle may move a place."""
    return table.number("spread", 0.0, MAX_SPREAD) if table.has("spread") else 0.0


def _hp(table: Table) -> float:
    share = table.number("hp", 0.0, 1.0) if table.has("hp") else 1.0
    if not share > 0.0:
        raise table.error(f"a share of full life must be above 0, not {share:g}", "hp")
    return share


def _energy(table: Table, units: Mapping[str, int], rules: RuleSet) -> float:
    most = [rules.units[name].energy_max for name in units if rules.units[name].energy_max > 0]
    if not most:
        raise table.error(f"none of these has energy: {', '.join(units)}", "energy")
    return table.number("energy", 0.0, min(most))


def _inside(table: Table, units: Mapping[str, int], rules: RuleSet) -> dict[str, int]:
    counts = table.table("inside")
    inside = {name: counts.integer(name, 1) for name in known_units(counts, rules)}
    for carrier in units:
        cargo = next(
            (a.cargo for a in rules.abilities.values() if a.cargo and carrier in a.users), None
        )
        if cargo is None:
            raise table.error(f"{carrier} carries nobody", "inside")
        for name in inside:
            if not _fits(rules.units[name], cargo):
                raise counts.error(f"{carrier} does not take {name}", name)
        room = rules.units[carrier].cargo_capacity
        needed = sum(rules.units[name].cargo_size * count for name, count in inside.items())
        if needed > room or sum(inside.values()) > cargo.max_units:
            raise table.error(f"{needed} places in a {carrier}, which has {room}", "inside")
    return inside


def _fits(unit: Unit, cargo: Cargo) -> bool:
    is_a = {unit.race.lower(), *(attribute.lower() for attribute in unit.attributes)}
    return (
        0 < unit.cargo_size <= cargo.max_unit_size
        and not unit.flying
        and set(cargo.only) <= is_a
        and unit.name not in cargo.not_units
    )
