"""The commands that show what units can do and learn: abilities and upgrades."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from terrarium.cli.tables import TICKS_PER_S, new_table, open_console, print_json
from terrarium.data.facts.ability_facts import ANYWHERE, Ability
from terrarium.data.facts.buff_facts import Buff, Effect, Strike
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.facts.upgrade_facts import Change, Upgrade
from terrarium.data.vocabulary import RACES
from terrarium.errors import TerrariumError, nearest

ANY = "any"
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class ListAbilities:
    """Show the abilities of a rule set: cost, cooldown, range, outcome.

    Example:  terrarium list abilities --unit marine
    """

    unit: str = ANY
    """only those that this unit uses; see: terrarium list units"""
    rules: str = "lotv-4.10"
    """rule set, or a rule-set file of your own; see: terrarium list rules"""
    json: bool = False
    """print every known fact as JSON"""

    def run(self) -> None:
        rules = load_ruleset(self.rules)
        _check_unit(self.unit, rules)
        chosen = [a for a in rules.abilities.values() if self.unit in (ANY, *a.users)]
        if self.json:
            print_json([asdict(ability) for ability in chosen])
            return
        console = _open(rules)
        for race in RACES:
            if abilities := [a for a in chosen if a.race == race]:
                console.print()
                console.print(_abilities_table(race, abilities, rules, console.width))
        if not chosen:
            console.print("none")
            return
        console.print(
            "\ncost: e energy, hp life · wait: cooldown in seconds of 16 ticks\n"
            f"outcome: damage {TIMES}times r radius; buffs and fields with their seconds"
        )


@dataclass(frozen=True)
class ListUpgrades:
    """Show the upgrades of a rule set: where, cost, time, changes.

    Example:  terrarium list upgrades --unit marine
    """

    unit: str = ANY
    """only those that change this unit or allow it something"""
    rules: str = "lotv-4.10"
    """rule set, or a rule-set file of your own; see: terrarium list rules"""
    json: bool = False
    """print every known fact as JSON"""

    def run(self) -> None:
        rules = load_ruleset(self.rules)
        _check_unit(self.unit, rules)
        chosen = [u for u in rules.upgrades.values() if _concerns(u, self.unit, rules)]
        if self.json:
            print_json([asdict(upgrade) for upgrade in chosen])
            return
        console = _open(rules)
        for race in RACES:
            if upgrades := [u for u in chosen if u.race == race]:
                console.print()
                console.print(_upgrades_table(race, upgrades, rules, self.unit))
        console.print("\ncost: minerals/gas" if chosen else "none")


def _check_unit(unit: str, rules: RuleSet) -> None:
    if unit != ANY and unit not in rules.units:
        raise TerrariumError(
            f'unknown unit "{unit}" in {rules.name}.{nearest(unit, rules.units)} '
            "See: terrarium list units"
        )


def _open(rules: RuleSet) -> Console:
    console = open_console()
    console.print(f"{rules.name}: {rules.title}")
    return console


def _seconds(loops: float | None) -> str:
    return "" if not loops else f"{loops / TICKS_PER_S:.3g}"


def _abilities_table(race: str, abilities: list[Ability], rules: RuleSet, width: int) -> Table:
    table = new_table(race, gap=1)
    table.add_column("name", width=24 if width >= 90 else 16, style="cyan", overflow="fold")
    table.add_column("kind", width=13)
    table.add_column("cost", width=6, justify="right")
    table.add_column("wait", width=5, justify="right")
    table.add_column("range", width=5, justify="right")
    table.add_column("needs", width=20 if width >= 110 else 10, overflow="fold")
    table.add_column("outcome", overflow="fold")
    for ability in abilities:
        table.add_row(
            ability.name,
            ability.kind,
            _cost_text(ability),
            _seconds(ability.cooldown_loops),
            _range_text(ability),
            ", ".join(dict.fromkeys((*_needed_upgrades(ability), *ability.requires_units))),
            ", ".join(_outcomes(ability, rules)),
        )
    return table


def _needed_upgrades(ability: Ability) -> tuple[str, ...]:
    some = (name for names in ability.requires_of.values() for name in names)
    return (*ability.requires, *some)


def _cost_text(ability: Ability) -> str:
    parts = [f"{ability.energy:g}e" if ability.energy else ""]
    parts.append(f"{ability.life:g}hp" if ability.life else "")
    return " ".join(part for part in parts if part)


def _range_text(ability: Ability) -> str:
    if ability.range is None:
        return ""
    return "map" if ability.range == ANYWHERE else f"{ability.range:g}"


def _outcomes(ability: Ability, rules: RuleSet) -> Iterator[str]:
    """What comes of an ability, in a few words each."""
    if ability.of:
        yield f"of {ability.of}"
    if ability.morph:
        yield f"to {ability.morph.becomes} {_seconds(ability.morph.loops)}s"
    if ability.summon:
        yield f"{ability.summon.count} {ability.summon.unit}"
    if ability.teleport and ability.teleport.distance:
        yield f"jump {ability.teleport.distance:g}"
    if ability.cargo:
        yield f"up to {ability.cargo.max_units} units"
    if ability.restore and ability.restore.life:
        yield f"+{ability.restore.life:g} life"
    if ability.drain:
        yield "energy and shields" if ability.drain.shields else "all energy"
    yield from (_strike_text(strike) for strike in ability.strikes)
    if ability.buff:
        yield from _lasting(rules.buffs[ability.buff])
    if ability.effect and ability.effect != ability.buff:
        yield from _lasting(rules.effects[ability.effect])


def _lasting(thing: Buff | Effect) -> Iterator[str]:
    seconds = _seconds(thing.duration_loops)
    yield f"{thing.name} {seconds}s" if seconds else thing.name
    yield from (_strike_text(strike) for strike in thing.strikes)


def _strike_text(strike: Strike) -> str:
    bonus = max(strike.bonus.values(), default=strike.bonus_vs_shields)
    text = f"{strike.damage:g}+{bonus:g}" if bonus else f"{strike.damage:g}"
    if strike.times != 1:
        text += f" {TIMES}{strike.times or '..'}"
    if strike.rings:
        text += f" r{strike.rings[-1].radius:g}"
    return text


def _concerns(upgrade: Upgrade, unit: str, rules: RuleSet) -> bool:
    """Whether an upgrade changes a unit, its weapons or abilities, or allows it an ability."""
    if unit == ANY or unit in upgrade.weapon_buff_of:
        return True
    used = [ability for ability in rules.abilities.values() if unit in ability.users]
    mine = {unit, *(ability.name for ability in used)}
    mine |= {ability.buff for ability in used if ability.buff}
    needed = {name for ability in used for name in ability.requires}
    needed |= {name for ability in used for name in ability.requires_of.get(unit, ())}
    return upgrade.name in needed or any(mine & {*change.names} for change in upgrade.changes)


def _upgrades_table(race: str, upgrades: list[Upgrade], rules: RuleSet, unit: str) -> Table:
    table = new_table(race, gap=1)
    table.add_column("name", width=31, style="cyan", overflow="fold")
    table.add_column("cost", width=7, justify="right")
    table.add_column("time", width=5, justify="right")
    table.add_column("changes", overflow="fold")
    for upgrade in upgrades:
        allowed = [a.name for a in rules.abilities.values() if upgrade.name in _needed_upgrades(a)]
        changes = [f"allows {name}" for name in allowed if unit == ANY or _uses(rules, unit, name)]
        changes += [f"weapon puts {upgrade.weapon_buff}"] if upgrade.weapon_buff else []
        shown = [c for c in upgrade.changes if unit == ANY or _about(c, unit, rules)]
        changes += [_change_text(change, unit) for change in shown]
        table.add_row(
            upgrade.name,
            f"{upgrade.minerals:g}/{upgrade.vespene:g}",
            f"{_seconds(upgrade.research_loops)}s",
            "\n".join(changes),
        )
    return table


def _uses(rules: RuleSet, unit: str, ability: str) -> bool:
    return ability in rules.abilities and unit in rules.abilities[ability].users


def _about(change: Change, unit: str, rules: RuleSet) -> bool:
    if change.of in ("unit", "weapon"):
        return unit in change.names
    if change.of == "ability":
        return any(_uses(rules, unit, name) for name in change.names)
    return any(unit in a.users and a.buff in change.names for a in rules.abilities.values())


def _change_text(change: Change, unit: str) -> str:
    names = change.names if unit == ANY or unit not in change.names else (unit,)
    who = names[0] if len(names) == 1 else f"{len(names)} types"
    what = f"{change.field} vs {change.attribute}" if change.attribute else change.field
    value = {"add": f"{change.value:+g}", "set": f"= {change.value:g}"}
    how = value.get(change.op, f"{TIMES}{change.value:g}")
    return f"{change.weapon or who} {what} {how}"
