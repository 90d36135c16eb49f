"""Compare every value of the SMAC scenarios and terrains with the reference, if it is at hand."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrarium.data.battles.scenario import Order, Scenario, Terrain
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.battles.terrains import load_terrain, terrain_names

FILE = Path(__file__).resolve().parents[2].parent / "shared/reference/smac_scenarios.json"
RACES = {"T": "Terran", "P": "Protoss", "Z": "Zerg"}
# A terrain that no published scenario uses.
UNUSED_TERRAINS = {"band_v2_unused"}

pytestmark = pytest.mark.skipif(
    not FILE.exists(), reason="the reference (../shared/reference) is not at hand"
)


class Comparison:
    """Counts compared values and keeps those that differ."""

    def __init__(self) -> None:
        self.n_values = 0
        self.mismatches: list[str] = []

    def same(self, what: str, ours: object, theirs: object) -> None:
        self.n_values += 1
        if ours != theirs or type(ours) is not type(theirs):
            self.mismatches.append(f"{what}: {ours!r} instead of {theirs!r}")

    def cells(self, what: str, ours: Any, theirs: Any) -> None:
        """Two grids, cell by cell; NaN equals NaN."""
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        self.same(f"{what}, shape", ours.shape, theirs.shape)
        if ours.shape != theirs.shape:
            return
        self.n_values += theirs.size
        both_nan = (ours != ours) & (theirs != theirs)
        for y, x in np.argwhere((ours != theirs) & ~both_nan):
            self.mismatches.append(
                f"{what}, cell ({x}, {y}): {ours[y, x]} instead of {theirs[y, x]}"
            )


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return facts


def our_name(unit: str) -> str:
    # The maps spell one agents' copy "Colosus_RL".
    base = unit.removesuffix("_RL").replace("Colosus", "Colossus")
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", base).lower()


def point(pair: list[float]) -> tuple[float, float]:
    return (float(pair[0]), float(pair[1]))


def opening_order(facts: Any) -> Order | None:
    if isinstance(facts, str):
        assert facts.startswith("none")
        return None
    if facts["order"] == "attack":
        return Order("attack", None, None, "ally")
    if "segment" in facts:
        ends = [point(end) for end in facts["segment"]]
        return Order("attack_move_between", ends[0], ends[1], None)
    return Order("attack_move", point(facts["target"]), None, None)


def compare_registry(c: Comparison, scenario: Scenario, facts: dict[str, Any]) -> None:
    """What SMAC's registry of maps says."""
    name, smac = scenario.name, scenario.smac
    assert smac is not None
    c.same(f"{name} limit", scenario.limit_steps, facts["episode_limit"])
    c.same(f"{name} map type", smac.map_type, facts["map_type"])
    c.same(f"{name} ally race", smac.ally_race, RACES[facts["ally_race"]])
    c.same(f"{name} enemy race", smac.enemy_race, RACES[facts["enemy_race"]])
    c.same(f"{name} bits", smac.unit_type_bits, facts["unit_type_bits"])
    for side, n_key, units_key in (
        ("ally", "n_agents", "ally_units"),
        ("enemy", "n_enemies", "enemy_units"),
    ):
        total: dict[str, int] = {}
        for group in scenario.groups:
            if group.side == side:
                for unit, count in group.units.items():
                    total[unit] = total.get(unit, 0) + count
        c.same(f"{name} {side} number", sum(total.values()), facts[n_key])
        wanted = {our_name(unit): count for unit, count in facts[units_key].items()}
        c.same(f"{name} {side} kinds", sorted(total), sorted(wanted))
        for unit, count in wanted.items():
            c.same(f"{name} {side} {unit}", total.get(unit), count)


def compare_map(c: Comparison, scenario: Scenario, facts: dict[str, Any]) -> None:
    name = scenario.name
    compare_registry(c, scenario, facts)
    c.same(f"{name} terrain", scenario.terrain.name, facts["terrain"])
    c.same(f"{name} rules", scenario.rules, "smac")
    c.same(f"{name} ticks", scenario.ticks_per_step, 8)
    c.same(f"{name} generator", scenario.generator, None)
    c.same(f"{name} triggers", scenario.triggers, ())
    calls = [
        (group, unit, count) for group in scenario.groups for unit, count in group.units.items()
    ]
    c.same(f"{name} creations", len(calls), len(facts["spawn_order"]))
    order = opening_order(facts["enemy_opening_order"])
    for index, (call, wanted) in enumerate(zip(calls, facts["spawn_order"], strict=False)):
        group, unit, count = call
        what, enemy = f"{name} creation {index}", wanted["player"] == 2
        c.same(f"{what} unit", unit, our_name(wanted["unit"]))
        c.same(f"{what} count", count, wanted["count"])
        c.same(f"{what} side", group.side, "enemy" if enemy else "ally")
        c.same(f"{what} x", group.at[0], float(wanted["x"]))
        c.same(f"{what} y", group.at[1], float(wanted["y"]))
        c.same(f"{what} passive", group.passive, wanted["unit"].endswith("_RL"))
        c.same(f"{what} order", group.order, order if enemy else None)


def compare_generated(c: Comparison, scenario: Scenario, facts: dict[str, Any], file: Any) -> None:
    name, generator, trigger, smac = (
        *(scenario.name, scenario.generator),
        *(scenario.triggers[0], scenario.smac),
    )
    assert generator is not None
    assert smac is not None
    race = facts["map"].removeprefix("10gen_")
    c.same(f"{name} limit", scenario.limit_steps, facts["episode_limit"])
    c.same(f"{name} terrain", scenario.terrain.name, file["terrain"])
    c.same(f"{name} rules", scenario.rules, "smac")
    c.same(f"{name} groups", scenario.groups, ())
    c.same(f"{name} map creates units", file["spawn_order"], [])
    c.same(f"{name} allies", generator.n_allies, facts["n_agents"])
    c.same(f"{name} enemies", generator.n_enemies, facts["n_enemies"])
    c.same(f"{name} units", list(generator.weights), facts["unit_types"])
    for unit, weight in zip(facts["unit_types"], facts["weights"], strict=True):
        c.same(f"{name} weight of {unit}", generator.weights.get(unit), weight)
    c.same(f"{name} exceptions", list(generator.never_only), facts["exception_unit_types"])
    # From here on: smac.md, sections 11.1 and 11.3, and the text of the map's trigger.
    c.same(f"{name} positions", generator.positions, "surrounded_and_reflect")
    c.same(f"{name} probability", generator.reflect_probability, 0.5)
    c.same(f"{name} passive", generator.passive_allies, True)
    (loops,) = re.findall(r"\((\d+) loops\)", file["periodic_trigger"])
    c.same(f"{name} trigger period", trigger.every_ticks, int(loops))
    c.same(f"{name} trigger side", trigger.side, "enemy")
    c.same(f"{name} trigger order", trigger.order, "attack_nearest")
    c.same(f"{name} trigger text", "nearest to it" in file["periodic_trigger"], True)
    c.same(f"{name} map type", smac.map_type, f"{race}_gen")
    c.same(f"{name} ally race", smac.ally_race, race.title())
    c.same(f"{name} enemy race", smac.enemy_race, race.title())
    c.same(f"{name} bits", smac.unit_type_bits, 3)


def compare_terrain(c: Comparison, terrain: Terrain, facts: dict[str, Any], common: Any) -> None:
    name = terrain.name
    levels = [list(row) for row in facts["cliff_level"]]
    third = {"a": 1, "b": 2, "c": 3}
    z_of = [float("nan") if z is None else float(z) for z in facts["ground_z"].values()]
    c.same(f"{name} size", [terrain.width, terrain.height], common["map_size"])
    for ours, theirs in zip(terrain.playable, common["engine_playable_area"]["value"], strict=True):
        c.same(f"{name} playable", ours, float(theirs))
    c.cells(
        f"{name} walkable",
        terrain.walkable,
        [[mark == "1" for mark in row] for row in facts["pathing_estimate"]],
    )
    # A ramp is stored as the lower of the two levels it joins, and those are 1 and 2.
    c.cells(
        f"{name} level",
        terrain.level,
        [[1 if mark in third else int(mark) for mark in row] for row in levels],
    )
    c.cells(f"{name} ramp", terrain.ramp, [[third.get(mark, 0) for mark in row] for row in levels])
    flat = terrain.ramp == 0
    wanted_z = [[np.nan if mark in third else z_of[int(mark)] for mark in row] for row in levels]
    c.cells(f"{name} z", np.where(flat, terrain.z, np.nan), wanted_z)
    creep = facts.get("creep", ["." * terrain.width] * terrain.height)
    c.cells(f"{name} creep", terrain.creep, [[mark == "~" for mark in row] for row in creep])


def test_every_value_matches(reference: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    c = Comparison()
    c.same("maps", sorted(scenario_names("smac")), sorted(f"smac/{m}" for m in reference["maps"]))
    for name, facts in reference["maps"].items():
        compare_map(c, load_scenario(f"smac/{name}"), facts)
    generated = reference["smacv2"]["scenarios"]
    wanted = sorted(f"smacv2/{facts['name']}" for facts in generated)
    c.same("generated maps", sorted(scenario_names("smacv2")), wanted)
    for facts in generated:
        file = reference["smacv2"]["map_files"][facts["map_file"]]
        compare_generated(c, load_scenario(f"smacv2/{facts['name']}"), facts, file)
    terrains = set(reference["terrains"]) - UNUSED_TERRAINS
    c.same("terrains", terrains <= set(terrain_names()), True)
    for name in sorted(terrains):
        compare_terrain(c, load_terrain(name), reference["terrains"][name], reference["common"])
    with capsys.disabled():
        # How much was compared is this test's report.
        print(f"\n{c.n_values} values compared with the reference")  # noqa: T201
    assert c.mismatches == []
    assert c.n_values > 40_000


def test_an_altered_scenario_is_noticed(reference: dict[str, Any]) -> None:
    original = load_scenario("smac/MMM")
    facts = reference["maps"]["MMM"]
    ally, enemy = original.groups
    altered = [
        replace(original, limit_steps=151),
        replace(original, terrain=load_terrain("open")),
        replace(original, groups=(replace(ally, at=(9.5, 16.0)), enemy)),
        replace(original, groups=(replace(ally, passive=False), enemy)),
        replace(original, groups=(ally, replace(enemy, order=None))),
        replace(original, groups=(enemy, ally)),
        replace(original, groups=(ally,)),
        replace(
            original,
            groups=(ally, replace(enemy, units={"marauder": 2, "marine": 7, "medivac": 1})),
        ),
        replace(original, groups=(ally, replace(enemy, units={**enemy.units, "marine": 8}))),
    ]
    for scenario in altered:
        c = Comparison()
        compare_map(c, scenario, facts)
        assert c.mismatches


def test_an_altered_terrain_is_noticed(reference: dict[str, Any]) -> None:
    original = load_terrain("ravine")
    for grid in ("walkable", "level", "ramp", "z", "creep"):
        cells = getattr(original, grid).copy()
        cells[15, 10] = cells[15, 10] == 0
        c = Comparison()
        facts = reference["terrains"]["ravine"]
        compare_terrain(c, replace(original, **{grid: cells}), facts, reference["common"])
        assert c.mismatches, grid
    upside_down = replace(load_terrain("pit"), creep=load_terrain("pit").creep[::-1])
    c = Comparison()
    compare_terrain(c, upside_down, reference["terrains"]["pit"], reference["common"])
    assert c.mismatches
