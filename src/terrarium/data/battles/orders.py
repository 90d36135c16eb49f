"""What a scenario orders: the opening orders of its groups, and what its triggers repeat."""

from collections.abc import Iterable
from typing import Any

from terrarium.data.battles.scenario import Order, Terrain, Trigger
from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.forms import forms_of
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.tables import Table
from terrarium.errors import nearest

SIDES = ("ally", "enemy")
LONG = 1_000_000  # steps, ticks, versions: beyond it somebody slipped on a key

_ORDERS = ("attack_move", "attack_move_between", "attack", "hold", "patrol", "cast")
_TRIGGERS = ("attack_nearest", "cast")

Point = tuple[float, float]


def read_order(
    table: Table, side: str, units: Iterable[str], terrain: Terrain, rules: RuleSet
) -> Order:
    """The opening order of a group of `units`."""
    table.only(_ORDERS)
    if len(table.values) != 1:
        raise table.error(f"an order is exactly one of: {', '.join(_ORDERS)}")
    (kind,) = table.values
    if kind == "attack":
        victim = table.choice(kind, SIDES)
        if victim == side:
            raise table.error(f'"{victim}" is the own side', kind)
        return Order(kind=kind, side=victim)
    if kind == "hold":
        if not table.boolean(kind):
            raise table.error("leave the order out, or write { hold = true }", kind)
        return Order(kind=kind)
    if kind == "cast":
        return _cast(table.table(kind), units, terrain, rules)
    ends = table.array(kind)
    if kind == "attack_move":
        return Order(kind=kind, at=read_point(table, kind, ends, terrain))
    if len(ends) != 2:
        raise table.error(f"{ends!r} is not two points", kind)
    at, to = (read_point(table, kind, end, terrain) for end in ends)
    return Order(kind=kind, at=at, to=to)


def _cast(table: Table, units: Iterable[str], terrain: Terrain, rules: RuleSet) -> Order:
    table.only(("ability", "at"))
    ability = _ability(table, rules)
    if ability.target == "unit":
        raise table.error(
            f'"{ability.name}" is aimed at a unit; an opening order can only name a point',
            "ability",
        )
    _check_users(table, ability, units, rules)
    if (ability.target == "none") == table.has("at"):
        wanted = "has no target" if table.has("at") else "needs a point"
        raise table.error(f'"{ability.name}" {wanted}', *(["at"] if table.has("at") else []))
    at = read_point(table, "at", table.array("at"), terrain) if table.has("at") else None
    return Order(kind="cast", at=at, ability=ability.name)


def read_triggers(table: Table, units: dict[str, set[str]], rules: RuleSet) -> tuple[Trigger, ...]:
    """One table [trigger], or a list of them; `units` are the types that each side may have."""
    single = isinstance(table.values["trigger"], dict)
    entries = [table.table("trigger")] if single else table.tables("trigger")
    return tuple(_trigger(entry, units, rules) for entry in entries)


def _trigger(table: Table, units: dict[str, set[str]], rules: RuleSet) -> Trigger:
    table.only(("every_ticks", "order", "side", "ability", "range"))
    every_ticks = table.integer("every_ticks", 1, LONG)
    order = table.choice("order", _TRIGGERS)
    side = table.choice("side", SIDES)
    if order != "cast":
        for key in ("ability", "range"):
            if table.has(key):
                raise table.error(f'means nothing where order = "{order}"', key)
        return Trigger(every_ticks=every_ticks, order=order, side=side)
    ability = _ability(table, rules)
    _check_users(table, ability, units[side], rules)
    if ability.target == "none" and not table.has("range"):
        raise table.error(
            f'the key "range" is missing: "{ability.name}" has no target, so say how near an '
            "opponent must be"
        )
    return Trigger(
        every_ticks=every_ticks,
        order=order,
        side=side,
        ability=ability.name,
        range=table.number("range", 0.0, 500.0) if table.has("range") else None,
    )


def _ability(table: Table, rules: RuleSet) -> Ability:
    name = table.text("ability")
    if name not in rules.abilities:
        guess = nearest(name, rules.abilities)
        raise table.error(f'unknown ability "{name}" in {rules.name}.{guess}', "ability")
    return rules.abilities[name]


def _check_users(table: Table, ability: Ability, units: Iterable[str], rules: RuleSet) -> None:
    """A unit may turn into the form that has the ability."""
    if not any(forms_of(rules, unit) & set(ability.users) for unit in units):
        raise table.error(
            f'nobody there has "{ability.name}"; it belongs to: {", ".join(ability.users)}',
            "ability",
        )


def read_point(table: Table, key: str, value: Any, terrain: Terrain) -> Point:
    """A point of the map; units go to the place nearest to it where they can be."""
    # By `type`, not `isinstance`: true and false are no coordinates.
    if type(value) is not list or [type(part) in (int, float) for part in value] != [True, True]:
        raise table.error(f"{value!r} is not a point [x, y]", key)
    x, y = value
    if not (0 <= x <= terrain.width and 0 <= y <= terrain.height):
        raise table.error(
            f"{value!r} is outside of the map: 0 to {terrain.width}, 0 to {terrain.height}", key
        )
    return float(x), float(y)
