"""The commands that show what there is: units, scenarios, rule sets, terrains."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import tyro
from rich.table import Table

from terrarium.cli.tables import TICKS_PER_S, new_table, open_console, print_json, print_rows
from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.battles.terrains import load_terrain, terrain_names
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.facts.unit_facts import Unit, Weapon
from terrarium.data.vocabulary import KINDS, RACES
from terrarium.errors import TerrariumError, nearest

TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True)
class ListUnits:
    """Show the units of a rule set: life, speed, weapons, cost.

    Example:  terrarium list units --race terran
    """

    rules: str = "lotv-4.10"
    """rule set, or a rule-set file of your own; see: terrarium list rules"""
    race: str = "all"
    """terran, zerg, protoss or all"""
    json: bool = False
    """print every known fact as JSON"""

    def __post_init__(self) -> None:
        races = ["all", *(race.lower() for race in RACES)]
        if self.race.lower() not in races:
            raise TerrariumError(
                f'unknown race "{self.race}".{nearest(self.race.lower(), races)} '
                f"Allowed: {', '.join(races)}"
            )

    def run(self) -> None:
        rules = load_ruleset(self.rules)
        units = [u for u in rules.units.values() if self.race.lower() in ("all", u.race.lower())]
        if self.json:
            print_json([asdict(unit) for unit in units])
            return
        console = open_console()
        console.print(f"{rules.name}: {rules.title}")
        name_width = 25 if console.width >= 90 else 17
        for race in RACES:
            for kind in KINDS:
                chosen = [unit for unit in units if (unit.race, unit.kind) == (race, kind)]
                if chosen:
                    console.print()
                    console.print(_units_table(f"{race} {kind}s", chosen, name_width))
        console.print(
            "\nlife: hit points+shields · speed: cells a second · cost: minerals/gas/supply\n"
            "a second is 16 ticks\n"
            f"weapons: damage+largest bonus {TIMES}attacks r range / ticks from shot to shot"
        )


@dataclass(frozen=True)
class ListScenarios:
    """Show the battles that come with Terrarium, or the environments of mpe2.

    Example:  terrarium list scenarios smac
    """

    family: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[FAMILY]")] = "all"
    """smac, smacv2, skills, arena, all of them, or mpe for those of mpe2"""
    json: bool = False
    """print JSON"""

    def run(self) -> None:
        if self.family == "mpe":
            print_rows(_particle_rows(), self.json)
            return
        names = scenario_names(None if self.family == "all" else self.family)
        rows = [_scenario_row(load_scenario(name)) for name in names]
        print_rows(rows, self.json)


def _particle_rows() -> list[dict[str, Any]]:
    from terrarium.envs.pettingzoo.spec import find_spec, spec_names

    rows = []
    for name in spec_names():
        spec = find_spec(name)
        teams = [f"{len(places)} {team}" for team, places in spec.info.teams]
        rows.append(
            {
                "name": name,
                "agents": ", ".join(teams),
                "want": "the same" if spec.cooperative else "different things",
                "choices": ", ".join(dict.fromkeys(str(p[0].n) for p in spec.info.parts)),
                "numbers seen": ", ".join(dict.fromkeys(map(str, spec.info.obs_sizes))),
                "steps": spec.limit_steps,
            }
        )
    return rows


@dataclass(frozen=True)
class ListRules:
    """Show the rule sets: balance versions of the game.

    Example:  terrarium list rules
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        sets = [load_ruleset(name) for name in ruleset_names()]
        print_rows(
            [
                {"name": s.name, "units": len(s.units), "version": s.version, "title": s.title}
                for s in sets
            ],
            self.json,
        )


@dataclass(frozen=True)
class ListTerrains:
    """Show the terrains that scenarios can use.

    Example:  terrarium list terrains
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        terrains = [load_terrain(name) for name in terrain_names()]
        print_rows(
            [
                {
                    "name": t.name,
                    "size": f"{t.width} x {t.height}",
                    "walkable": int(t.walkable.sum()),
                    "title": t.title,
                }
                for t in terrains
            ],
            self.json,
        )


def _units_table(title: str, units: list[Unit], name_width: int) -> Table:
    table = new_table(title, gap=1)
    table.add_column("name", width=name_width, style="cyan", overflow="fold")
    table.add_column("life", width=9, justify="right")
    for name in ("armor", "speed", "sight"):
        table.add_column(name, width=5, justify="right")
    table.add_column("cost", width=9, justify="right")
    table.add_column("build", width=6, justify="right")
    table.add_column("weapons", overflow="fold")
    for u in units:
        build = u.api.build_time_loops
        table.add_row(
            u.name,
            f"{u.hp:g}+{u.shields:g}" if u.shields else f"{u.hp:g}",
            f"{u.armor:g}",
            f"{u.speed:.2f}" if u.speed else "",
            f"{u.sight:g}",
            f"{u.minerals_total:g}/{u.vespene_total:g}/{u.supply_used:g}",
            f"{build / TICKS_PER_S:.0f} s" if build else "",
            "\n".join(_weapon_text(weapon) for weapon in u.weapons),
        )
    return table


def _weapon_text(weapon: Weapon) -> str:
    damage = "?" if weapon.damage is None else f"{weapon.damage:g}"
    bonus = f"+{max(weapon.bonus.values()):g}" if weapon.bonus else ""
    reload_ticks = round(weapon.cooldown_loops, 1)
    return f"{damage}{bonus} {TIMES}{weapon.attacks} r{weapon.range:g} /{reload_ticks:g}"


def _scenario_row(scenario: Scenario) -> dict[str, Any]:
    armies = {"ally": Counter[str](), "enemy": Counter[str]()}
    for group in scenario.groups:
        armies[group.side].update(group.units)
        passengers = {name: n * sum(group.units.values()) for name, n in group.inside.items()}
        armies[group.side].update(passengers)
    if drawn := scenario.armies:
        armies["ally"]["drawn"] = armies["enemy"]["drawn"] = drawn.max_units
    if generator := scenario.generator:
        armies["ally"]["drawn"], armies["enemy"]["drawn"] = generator.n_allies, generator.n_enemies
    return {
        "name": scenario.name,
        "terrain": scenario.terrain.name,
        "allies": armies["ally"],
        "enemies": armies["enemy"],
        "limit": scenario.limit_steps,
        "rules": scenario.rules,
    }
