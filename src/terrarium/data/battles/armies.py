"""Armies that each battle draws: SMACv2's teams, and the arena's armies of equal cost."""

import math
from collections.abc import Mapping

from terrarium.data.battles.groups import check_total, known_units, read_spread, spawn_point
from terrarium.data.battles.orders import SIDES
from terrarium.data.battles.scenario import Armies, ArmySide, Generator, Group, Scenario, Terrain
from terrarium.data.facts.forms import fighting_value
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.tables import Table
from terrarium.data.vocabulary import RACES
from terrarium.errors import nearest

MAX_VALUE = 100_000.0
MAX_HANDICAP = 10.0

_POSITIONS = ("surrounded_and_reflect", "surrounded", "reflect")


def read_generator(table: Table, rules: RuleSet) -> Generator:
    """The table [generate]."""
    table.only(
        (
            *("n_allies", "n_enemies", "units", "never_only"),
            *("positions", "reflect_probability", "passive_allies"),
        )
    )
    n_allies, n_enemies = table.integer("n_allies", 1), table.integer("n_enemies", 1)
    check_total(table, n_allies + n_enemies)
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
    weights = {name: table.number(name) for name in known_units(table, rules)}
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


def read_armies(table: Table, terrain: Terrain, rules: RuleSet) -> Armies:
    """The table [armies]."""
    table.only(("value", "handicap", "max_units", "units", "upgrade_chance", "ally", "enemy"))
    weights = _positive(table.table("units"), rules)
    max_units = table.integer("max_units", 1)
    check_total(table, 2 * max_units, "max_units")
    value = _value(table)
    handicap = table.number("handicap", 0.1, MAX_HANDICAP) if table.has("handicap") else 1.0
    sides = {side: _side(table.table(side), weights, terrain, rules) for side in ("ally", "enemy")}
    for side, least in (("ally", value[0]), ("enemy", value[0] * handicap)):
        for race in sides[side].races:
            cheapest = min(fighting_value(rules, n) for n in of_race(weights, race, rules))
            if cheapest > least:
                raise table.error(
                    f"{least:g} pays for no {race} unit of the {side}; the cheapest costs "
                    f"{cheapest:g}",
                    "value",
                )
    return Armies(
        value=value,
        handicap=handicap,
        max_units=max_units,
        weights=weights,
        upgrade_chance=(
            table.number("upgrade_chance", 0.0, 1.0) if table.has("upgrade_chance") else 0.0
        ),
        ally=sides["ally"],
        enemy=sides["enemy"],
    )


def of_race(weights: Mapping[str, float], race: str, rules: RuleSet) -> list[str]:
    """The types that an army of a race is drawn from."""
    return [name for name in weights if rules.units[name].race == race]


def _value(table: Table) -> tuple[float, float]:
    low, high = table.numbers("value", 2)
    if not 0.0 < low <= high <= MAX_VALUE:
        raise table.error(
            f"[{low:g}, {high:g}]: the smaller value comes first, from above 0 to {MAX_VALUE:g}",
            "value",
        )
    return low, high


def _side(table: Table, weights: Mapping[str, float], terrain: Terrain, rules: RuleSet) -> ArmySide:
    table.only(("at", "spread", "races"))
    races = table.array("races")
    drawn_from = sorted({rules.units[name].race for name in weights})
    if not races:
        raise table.error(f"at least one of: {', '.join(drawn_from)}", "races")
    for race in races:
        if race not in RACES:
            guess = nearest(str(race), RACES)
            raise table.error(f"{race!r} is no race.{guess} Allowed: {', '.join(RACES)}", "races")
        if race not in drawn_from:
            raise table.error(f"`units` has no unit of {race}", "races")
    units = [rules.units[name] for race in races for name in of_race(weights, race, rules)]
    return ArmySide(
        at=spawn_point(table, terrain, units), spread=read_spread(table), races=tuple(races)
    )


def _positive(table: Table, rules: RuleSet) -> dict[str, float]:
    weights = {name: table.number(name) for name in known_units(table, rules)}
    for name, weight in weights.items():
        if not (weight > 0.0 and math.isfinite(weight)):
            raise table.error(f"a weight must be positive, not {weight:g}", name)
        if not fighting_value(rules, name) > 0.0:
            raise table.error(f"{name} costs nothing and cannot be drawn", name)
    return weights


def side_units(scenario: Scenario, rules: RuleSet) -> dict[str, set[str]]:
    """The unit types that each side of a scenario may begin with."""
    return units_of(scenario.groups, scenario.generator, scenario.armies, rules)


def units_of(
    groups: tuple[Group, ...],
    generator: Generator | None,
    armies: Armies | None,
    rules: RuleSet,
) -> dict[str, set[str]]:
    """The same, while the scenario is still being read."""
    units = {side: set[str]() for side in SIDES}
    for group in groups:
        units[group.side].update(group.units, group.inside)
    for side in SIDES:
        if generator:
            units[side].update(generator.weights)
        if armies:
            races = (armies.ally if side == "ally" else armies.enemy).races
            units[side].update(n for n in armies.weights if rules.units[n].race in races)
    return units
