"""Every number of the reference documents against the rule sets that we load."""

import copy
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from terrarium.data.facts.forms import agent_type
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import Creep, Harvest, Heal, Resource, RuleSet, Unit

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
REFERENCE = SHARED / "reference"
needs_reference = pytest.mark.skipif(
    not (REFERENCE / "units.json").exists(), reason="../shared/reference is not there"
)
VERSIONS = {"lotv-5.0.3": "5.0.3", "lotv-4.10": "4.10.0", "lotv-5.0.14": "5.0.14"}
IN_SENTENCES = r"\.(traits(\[\d+\])?|starts_off|escort|needs_(creep|power)|quickens_warp_in"
IN_SENTENCES += (
    r"|settles_as|leaves(\.\w+)?|disguise(\.\w+)?|via|as_trained|by_itself|via_after_loops(\[\d\])?"
)
IN_SENTENCES += r"|blocks_sight|capture_range|footprint\.(placement|blocking)"
IN_SENTENCES += r"|(resource|harvest|creep)(\.\w+)?)$"
"""what the reference tells in sentences, if at all"""
DEFAULT_HIT = {"bonus": {}, "bonus_vs_shields": 0, "hits_own": False, "case": None}

Leaves = dict[str, Any]


def read(name: str) -> Any:
    return json.loads((REFERENCE / name).read_text(encoding="utf-8"))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every single value inside nested dataclasses, mappings and sequences, with its path."""
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping) and value:
        for key, part in value.items():
            yield from leaves(part, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple) and value:
        for index, part in enumerate(value):
            yield from leaves(part, f"{path}[{index}]")
    else:
        yield path, () if isinstance(value, Mapping | list | tuple) else value


def mismatches(expected: Leaves, actual: Leaves) -> list[str]:
    missing = object()
    return [
        f"{path}: expected {expected.get(path, 'nothing')!r}, got {actual.get(path, 'nothing')!r}"
        for path in dict.fromkeys([*expected, *actual])
        if expected.get(path, missing) != actual.get(path, missing)
    ]


def check(expected: Leaves, actual: Leaves) -> int:
    wrong = mismatches(expected, actual)
    assert not wrong, f"{len(wrong)} mismatches:\n" + "\n".join(wrong[:20])
    return len(expected)


def report(what: str, n_values: int, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\n{what}: {n_values} values compared, 0 mismatches")  # noqa: T201  for people


def loaded(rules: RuleSet) -> Leaves:
    """All leaves of a rule set, by the names that the game gives units and weapons."""
    found: Leaves = {}
    for unit in rules.units.values():
        for path, value in leaves(unit, unit.api_name):
            # Our own names are checked by `test_names_are_the_games_own_in_snake_case`.
            if not re.fullmatch(r"\w+(\.weapons\[\d+\])?\.name", path) and not re.search(
                IN_SENTENCES, path
            ):
                found[path] = value
    return found


# The reference in the shape of `facts`, written without a look at the loader.


def in_version(unit: Any, version: str) -> Any:
    """A reference entry with the differences of another version put in."""
    unit = copy.deepcopy(unit)
    unit["id"] = unit.get("id_in_version", {}).get(version, unit["id"])
    changes = copy.deepcopy(unit.get("other_versions", {}).get(version, {}))
    for name, change in changes.pop("weapons", {}).items():
        change_weapon(unit, name, change)
    for change in changes.pop("production", []):
        (way,) = (
            way
            for way in unit["production"]
            if (way["by"], way["ability"]) == (change["by"], change["ability"])
        )
        way.update(change)
    removed = changes.pop("command_card_removed", [])
    unit["command_card"] = [a for a in unit["command_card"] if a not in removed]
    unit["command_card"] += changes.pop("command_card_added", [])
    follow_in_api(unit, changes)
    unit.update(changes)
    return unit


def change_weapon(unit: Any, name: str, change: Any) -> None:
    weapon = next((weapon for weapon in unit["weapons"] if weapon["name"] == name), None)
    if weapon is None:
        unit["weapons"].append(change)
        return
    before = weapon["damage"], weapon["bonus"]
    weapon.update(change)
    if "hits" not in change:
        # The reference then changes the weapon's damage and means its hits as well (Baneling 4.10).
        for hit in weapon["hits"]:
            if (hit["damage"], hit.get("bonus", {})) == before:
                hit.update(damage=weapon["damage"], bonus=weapon["bonus"])


def follow_in_api(unit: Any, changes: Any) -> None:
    """`api` was captured in 5.0.3 only; costs are the totals by definition (field_notes)."""
    for ours, theirs in (
        ("minerals_total", "mineral_cost"),
        ("vespene_total", "vespene_cost"),
        ("supply_used", "food_required"),
    ):
        assert unit["api"][theirs] == unit[ours]
        unit["api"][theirs] = changes.get(ours, unit[ours])


def follow_build_time(unit: Any, base: Any) -> None:
    """The build time of the API is that of the first production plus half of its random extra."""

    def first(entry: Any) -> float | None:
        way = entry["production"][0] if entry["production"] else {}
        extra = way.get("random_extra_loops", [0, 0])[1] / 2
        return None if way.get("loops") is None else round(way["loops"] + extra, 3)

    if first(base) == base["api"]["build_time_loops"]:
        unit["api"]["build_time_loops"] = first(unit)


def as_facts(unit: Any) -> dict[str, Any]:
    """A reference entry in the shape of `facts.Unit`, without names of ours."""
    skipped = {"name", "api_name", "addon_offset", "weapons", "heal", "production", "footprint"}
    skipped |= {"traits", "resource", "harvest", "blocks_sight", "capture_range"}
    skipped |= {"creep", "needs_creep", "needs_power", "quickens_warp_in", "settles_as", "leaves"}
    skipped |= {"disguise"}
    facts = {f.name: unit.get(f.name) for f in fields(Unit) if f.name not in skipped}
    footprint = unit["footprint"]
    return facts | {
        "api_name": unit["name"],
        "addon_offset": unit.get("addon_offset_from_parent"),
        "footprint": footprint and {"size": None} | footprint,
        "heal": heal_of_386() if unit["name"] == "Medivac" else None,
        "weapons": [weapon_as_facts(weapon, unit) for weapon in unit["weapons"]],
        "production": [production_as_facts(way) for way in unit["production"]],
    }


def heal_of_386() -> dict[str, Any]:
    (heal,) = (a for a in read("abilities.json")["abilities"] if a["id"] == 386)
    numbers = [float(n) for n in re.findall(r"\d+\.?\d*", heal["effect"][0])]
    life, energy, reach, search, minimum = numbers
    assert (reach, search) == (heal["range"], heal["autocast_range"])
    names = [field.name for field in fields(Heal)]
    moving = "may_cast_while_moving" in heal["flags"]
    return dict(zip(names, [reach, search, life, energy, minimum, moving], strict=True))


def production_as_facts(way: Any) -> dict[str, Any]:
    requires = []
    for need in way["requires"]:
        (kind,) = need.keys() - {"name"}
        requires.append({"kind": kind, "id": need[kind], "name": need["name"]})
    optional = ("pays_energy", "random_extra_loops", "gate_cooldown_loops", "count")
    consumes = way.get("consumes_producer", False)
    facts = {name: way.get(name) for name in optional} | {"consumes_producer": consumes}
    return {k: v for k, v in way.items() if k != "note"} | facts | {"requires": requires}


def weapon_as_facts(weapon: Any, unit: Any) -> dict[str, Any]:
    hits = [hit_as_facts(hit, unit) for hit in weapon["hits"]]
    if len(hits) == 10:
        hits = [as_one_line(hits)]
    upgrades = {
        name: {"bonus": {}, "vs_structures": 0} | step
        for name, step in weapon["per_upgrade_level"].items()
    }
    if against := weapon.get("vs_structures"):
        (hit,) = (h for h in hits if h["area"]["only"] == ["structure"])
        assert against == {"damage": hit["damage"], "armor_applies": hit["armor_applies"]}
    facts = {"min_range": None, "not_structures": False, "turret": None} | weapon
    facts.pop("vs_structures", None)
    suicide = any("goes off on death" in note for note in unit.get("notes", []))
    return facts | {
        "api_name": facts.pop("name"),
        "suicide": suicide,
        "hits": hits,
        "per_upgrade_level": upgrades,
    }


def as_one_line(hits: list[dict[str, Any]]) -> dict[str, Any]:
    """4.10 lists the lurker's spines one by one: ten steps, 2 loops apart, each of radius 0.5."""
    assert [hit["at_loops"] for hit in hits] == list(range(0, 20, 2))
    (radius,) = {hit["area"]["radius"] for hit in hits}
    line = empty_line(radius) | {"steps": 10, "step_length": 1, "step_loops": 2}
    return hits[0] | {"area": None, "line": line}


def empty_line(radius: float) -> dict[str, Any]:
    unknown = ("length", "half_length", "steps", "step_length", "step_loops", "sweep_loops")
    unknown += ("delay_loops", "target_delay_loops", "same_cliff_level_only")
    return dict.fromkeys(unknown) | {"radius": radius, "across": False, "beams": 1}


def hit_as_facts(hit: Any, unit: Any) -> dict[str, Any]:
    facts = DEFAULT_HIT | {"area": None, "splash": None, "cone": None, "line": None} | hit
    missile = hit.get("missile", [])
    if missile == "escort broodling":
        missile = [{"driver": "escort", "max_speed": None}]
    facts["missile"] = [{"driver": None, "start_speed": None, "accel": None} | p for p in missile]
    facts["spawns"] = hit["spawns"].lower() if "spawns" in hit else None
    if area := hit.get("area"):
        facts["area"] = {"center": "target", "only": []} | area
        if facts["area"].pop("centre", "") == "baneling":
            facts["area"]["center"] = "self"
    if splash := hit.get("splash"):
        only = [] if splash["only"] == "any" else splash["only"]
        zones = [{"arc_deg": None} | zone for zone in splash["zones"]]
        facts["splash"] = splash | {"only": only, "zones": zones}
    if cone := hit.get("cone"):
        facts["cone"] = {"radius": cone["radius"], "arc_deg": cone["arc_deg"]}
    if "line" in hit:
        facts["at_loops"] = 0
        facts["line"] = line_as_facts(hit, " ".join(unit["notes"]))
    return facts


def line_as_facts(hit: Any, notes: str) -> dict[str, Any]:
    """Lines are half numbers and half sentences in the reference; take both."""
    line, facts = hit["line"], empty_line(hit["line"]["radius"])
    if "from" in line:
        ((steps, apart),) = re.findall(r"(\d+) checks every ([\d.]+) out", notes)
        return facts | {"length": line["length"], "steps": int(steps), "step_length": float(apart)}
    times = [int(number) for number in re.findall(r"\d+", hit["at_loops"])]
    if "steps" in line:
        loops, length = times
        assert length == line["step"]
        return facts | {"steps": line["steps"], "step_length": line["step"], "step_loops": loops}
    delay, sweep = times
    (steps,) = re.findall(r"(\d+) steps", notes)
    return facts | {
        "across": line["across_the_firing_direction"],
        "half_length": line["half_length"],
        "beams": line["beams"],
        "steps": int(steps),
        "delay_loops": delay,
        "sweep_loops": sweep,
    }


def reference_leaves(version: str) -> Leaves:
    expected: Leaves = {}
    for base in read("units.json")["units"]:
        unit = in_version(base, version)
        follow_build_time(unit, base)
        expected |= leaves(as_facts(unit), unit["name"])
    return expected


def test_workers_gather_as_the_rules_say() -> None:
    """game_rules.md, 8: in sentences, with the rest of the harvest."""
    units = load_ruleset("lotv-4.10").units
    assert units["mule"].harvest == Harvest(minerals=25, loops=91.4)
    for name in ("refinery", "assimilator", "extractor"):
        for rich, per_trip in (("", 4), ("_rich", 8)):
            resource = units[name + rich].resource
            assert resource == Resource("vespene", 0.0, per_trip, 31.696, 0.0)


def test_structures_need_the_ground_that_the_rules_say() -> None:
    """game_rules.md, 9: power, except nexus, pylon, assimilator; creep, except hatchery, extractor.
    A worm may be anywhere, and what an ability makes is placed by its own rules."""
    units = load_ruleset("lotv-4.10").units
    by_id = {unit.id: unit.name for unit in units.values()}
    built = {
        unit.name: {by_id.get(way.by) for way in unit.production}
        for unit in units.values()
        if unit.kind == "structure"
    }
    protoss = {name for name, by in built.items() if "probe" in by}
    zerg = {name for name, by in built.items() if "drone" in by}
    free = {"nexus", "pylon", "hatchery", "assimilator", "extractor"}
    free |= {"assimilator_rich", "extractor_rich"}
    assert {u.name for u in units.values() if u.needs_power} == protoss - free | {"warp_gate"}
    tumors = {"creep_tumor", "creep_tumor_queen", "creep_tumor_burrowed"}
    assert {u.name for u in units.values() if u.needs_creep} == zerg - free | tumors | {
        "greater_spire"
    }
    assert units["hive"].creep == Creep(12, 4.7, 6.72)
    assert units["creep_tumor_burrowed"].creep == Creep(10, 1, 10.08)


@needs_reference
@pytest.mark.parametrize("name", VERSIONS)
def test_every_value_of_units_json(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    n_values = check(reference_leaves(VERSIONS[name]), loaded(load_ruleset(name)))
    assert n_values > 20_000
    report(name, n_values, capsys)


@needs_reference
def test_an_altered_unit_is_noticed(tmp_path: Path) -> None:
    altered = tmp_path / "altered.toml"
    altered.write_text(
        """
        title = "A few numbers off"
        version = 1
        base = "lotv-5.0.3"
        [unit.marine]
        hp = 46
        inner_radius = 0.25
        [unit.marine.weapon.gauss_rifle]
        damage = 7
        [unit.baneling.weapon.volatile_burst]
        area.radius = 2.3
        [unit.barracks]
        attributes = ["Armored", "Mechanical"]
        footprint.size = [3, 4]
        command_card_removed = [561]
        [unit.barracks.production]
        scv = { requires = [] }
        """,
        encoding="utf-8",
    )
    wrong = mismatches(reference_leaves("5.0.3"), loaded(load_ruleset(altered)))
    assert {line.split(":")[0] for line in wrong} == {
        "Marine.hp",
        "Marine.inner_radius",
        "Marine.weapons[0].damage",
        "Marine.weapons[0].hits[0].damage",
        "Baneling.weapons[0].hits[0].area.radius",
        "Baneling.weapons[0].hits[1].area.radius",
        "Barracks.attributes[2]",
        "Barracks.footprint.size[1]",
        "Barracks.command_card[11]",
        "Barracks.production[0].requires",
        "Barracks.production[0].requires[0].kind",
        "Barracks.production[0].requires[0].id",
        "Barracks.production[0].requires[0].name",
        "Barracks.api.tech_requirement",
    }


# Liberty: the unit data of the SMAC maps, in game-seconds of 16 loops.


def liberty_expected(unit: Any, defaults: Any) -> Leaves:
    air = unit["plane"] == "air"
    planes = {"ground": ["ground"], "air": ["air"]}.get(unit["plane"], ["ground", "air"])
    speed = unit["speed"]
    facts = {
        "id": unit["type_id"],
        "race": unit["race"],
        "hp": unit["life"],
        "hp_regen_per_s": unit.get("life_regen_per_s", 0),
        "shields": unit["shields"],
        "shield_regen_per_s": defaults["shield_regen_per_s"] if unit["shields"] else None,
        "shield_regen_delay_loops": defaults["shield_regen_delay_s"] * 16
        if unit["shields"]
        else None,
        "acceleration": unit.get("acceleration", 1000) if speed else None,
        "turn_rate_deg_per_s": defaults["turn_rate_deg_per_s"] if speed else None,
        "attack_priority": defaults["attack_priority"],
        "targetable_as": planes,
        "flying": air,
        "fly_height": unit.get("height", 0),
        "inner_radius": unit.get("inner_radius"),
    }
    if "footprint" in unit:
        facts["footprint.size"] = [int(cells) for cells in unit["footprint"].split("x")]
    if "collision" in unit:
        layers = re.search(r"with (\w+), (\w+) and (\w+) layers", unit["collision"])
        assert layers is not None
        facts["collision"] = sorted(layer.lower() for layer in layers.groups())
    if heal := unit.get("heal"):
        moving = heal["can_heal_while_moving"]
        facts["heal"] = {f.name: heal.get(f.name, moving) for f in fields(Heal)}
    same = ("armor", "speed", "sight", "radius", "separation_radius", "attributes")
    same += tuple(
        key for key in ("energy_start", "energy_max", "energy_regen_per_s") if key in unit
    )
    facts |= {key: unit[key] for key in same}
    facts["weapons"] = [liberty_weapon(weapon, defaults) for weapon in unit["weapons"]]
    return dict(leaves(facts))


def liberty_weapon(weapon: Any, defaults: Any) -> dict[str, Any]:
    def loops(seconds: float) -> float:
        return round(seconds * 16, 6)

    low, high = defaults["weapon_random_delay_s"]
    return {
        "api_name": weapon["name"],
        "targets": "any" if weapon["targets"] == "ground+air" else weapon["targets"].split()[0],
        "range": weapon["range"],
        "range_slop": weapon.get("range_slop", defaults["weapon_range_slop"]),
        "scan_range": max(defaults["weapon_min_scan_range"], weapon["range"]),
        "cooldown_loops": loops(weapon["period"]),
        "cooldown_random_loops": [loops(low), loops(high)],
        "damage_point_loops": loops(weapon["damage_point"]),
        "backswing_loops": loops(weapon.get("backswing", defaults["weapon_backswing"])),
        "arc_slop_deg": defaults["weapon_arc_slop_deg"],
        "attacks": weapon["hits"],
        "damage": weapon["damage"],
        "bonus": weapon.get("bonus", {}),
        "suicide": "suicide" in weapon["delivery"],
        "hits": liberty_hits(weapon),
    }


def liberty_hits(weapon: Any) -> list[dict[str, Any]]:
    """What the sentence `delivery` says, hit by hit."""
    delivery = weapon["delivery"]
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", delivery)]
    hit = {"at_loops": 0, "damage": weapon["damage"], "bonus": weapon.get("bonus", {})}
    if delivery.startswith("missile"):
        return [hit | {"missile": [{"max_speed": numbers[0]}], "kind": "ranged"}]
    if delivery.startswith("melee"):
        times = [0, weapon["second_hit_delay"] * 16] if weapon["hits"] == 2 else [0]
        return [hit | {"at_loops": round(t, 6), "missile": [], "kind": "melee"} for t in times]
    if delivery.startswith("suicide"):
        (structures,) = re.findall(r"structures take (\d+)", weapon["targets"])
        area = {"radius": weapon["splash_radius"], "center": "self", "hits_own": False}
        return [
            hit | {"area": area},
            {"at_loops": 0, "damage": int(structures), "bonus": {}, "area": area},
        ]
    if delivery.startswith("tentacle"):
        reach, start, accel, top, again, start_far, accel_far = numbers
        assert reach == again == 3
        near = {"start_speed": start, "accel": accel, "max_speed": top}
        far = {"start_speed": start_far, "accel": accel_far}
        return [
            hit | {"case": "target within 3", "missile": [near]},
            hit | {"case": "otherwise", "missile": [far]},
        ]
    if delivery.startswith("two opposite line sweeps"):
        steps, _, half, apart, every, radius, later, target_later = numbers
        assert (steps - 1) * apart == 2 * half
        line = {"across": True, "steps": int(steps), "half_length": half, "radius": radius}
        line |= {"step_loops": round(every * 16, 6), "delay_loops": later * 16, "beams": 2}
        line |= {"target_delay_loops": target_later * 16, "same_cliff_level_only": True}
        return [hit | {"line": line, "hits_own": False}]
    assert delivery == "instant"
    return [hit | {"missile": [], "kind": "ranged"}]


@needs_reference
def test_every_value_of_the_smac_unit_data(capsys: pytest.CaptureFixture[str]) -> None:
    data, rules = read("smac_scenarios.json")["unit_data"], load_ruleset("liberty")
    by_name = {unit.api_name: unit for unit in rules.units.values()}
    assert by_name.keys() == data["units"].keys()
    expected: Leaves = {}
    actual: Leaves = {}
    for name, unit in data["units"].items():
        # The order of weapons is that of units.json.
        order = [weapon.api_name for weapon in by_name[name].weapons]
        unit["weapons"].sort(key=lambda weapon: order.index(weapon["name"]))
        expected[f"{name}.n_hits"] = [len(liberty_hits(weapon)) for weapon in unit["weapons"]]
        actual[f"{name}.n_hits"] = [len(weapon.hits) for weapon in by_name[name].weapons]
        ours = dict(leaves(by_name[name]))
        for path, value in liberty_expected(unit, data["defaults"]).items():
            expected[f"{name}.{path}"] = value
            actual[f"{name}.{path}"] = ours.get(path, "nothing")
    n_values = check(expected, actual)
    common = {
        "acquire_leash_radius": rules.targeting.leash_radius,
        "acquire_leash_reset_radius": rules.targeting.leash_reset_radius,
        "acquire_movement_limit": rules.targeting.movement_limit,
        "call_for_help_radius": rules.targeting.call_for_help_radius,
        "call_for_help_period_s": rules.targeting.call_for_help_loops / 16,
    }
    n_values += check({key: data["defaults"][key] for key in common}, common)
    report("liberty", n_values, capsys)


# What the map files state of the agents' bodies, and what it is called here.
BODY = {
    **{"LifeMax": "hp", "LifeStart": "hp", "LifeArmor": "armor", "LifeRegenRate": "hp_regen_per_s"},
    **{"ShieldsMax": "shields", "ShieldsStart": "shields", "ShieldRegenRate": "shield_regen_per_s"},
    **{"EnergyMax": "energy_max", "EnergyStart": "energy_start"},
    **{"EnergyRegenRate": "energy_regen_per_s", "Height": "fly_height", "Sight": "sight"},
    **{"Radius": "radius", "SeparationRadius": "separation_radius", "InnerRadius": "inner_radius"},
    **{"Speed": "speed", "SpeedMultiplierCreep": "speed_creep_multiplier"},
    **{"Acceleration": "acceleration", "LateralAcceleration": "lateral_acceleration"},
    **{"TurningRate": "turn_rate_deg_per_s", "AttackTargetPriority": "attack_priority"},
    "StationaryTurningRate": "stationary_turn_rate_deg_per_s",
}
# Of the catalog, where a file leaves something out: smac_real.md, 2.2, and smac_scenarios.json.
CATALOG = {"Radius": 0.5, "SeparationRadius": 0.5, "TurningRate": 999.8437}


@needs_reference
def test_every_body_of_smacs_agents_is_that_of_the_map_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules, expected, actual = load_ruleset("smac"), Leaves(), Leaves()
    for name, stated in read("smac_rl_units.json")["units"].items():
        original = name.removesuffix("_RL").replace("Colosus", "Colossus").lower()
        unit = rules.units[agent_type(rules, original)]
        for key, value in (CATALOG | stated).items():
            if field := BODY.get(key):
                expected[f"{name}.{key}"], actual[f"{name}.{key}"] = value, getattr(unit, field)
        if "ShieldRegenDelay" in stated:
            expected[f"{name}.delay"] = stated["ShieldRegenDelay"] * 16
            actual[f"{name}.delay"] = unit.shield_regen_delay_loops
        for key, found in (
            ("attributes", unit.attributes),
            ("planes", unit.targetable_as),
            ("weapons", [weapon.api_name for weapon in unit.weapons]),
        ):
            expected[f"{name}.{key}"] = sorted(word.lower() for word in stated[key])
            actual[f"{name}.{key}"] = sorted(word.lower() for word in found)
    report("smac", check(expected, actual), capsys)


@pytest.mark.skipif(
    not (SHARED / "data" / "techtree.json").exists(), reason="../shared/data is not there"
)
def test_the_tech_tree_of_a_real_game_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    tree = json.loads((SHARED / "data" / "techtree.json").read_text(encoding="utf-8"))
    ours = {unit.id: unit for unit in load_ruleset("lotv-5.0.3").units.values()}
    names = {
        "max_health": "hp",
        "max_shield": "shields",
        "armor": "armor",
        "sight": "sight",
        "speed": "speed",
        "cargo_size": "cargo_size",
        "minerals": "minerals_total",
        "gas": "vespene_total",
        "is_flying": "flying",
    }
    expected: Leaves = {}
    actual: Leaves = {}
    for unit in tree["Unit"]:
        for theirs, name in names.items() if unit["id"] in ours else ():
            # A unit without shields or speed has no such key there. The tolerance: units.json keeps
            # four decimals of the game's multiples of 1/4096.
            expected[f"{unit['name']}.{name}"] = pytest.approx(unit.get(theirs) or 0, abs=1e-4)
            actual[f"{unit['name']}.{name}"] = getattr(ours[unit["id"]], name)
    n_values = check(expected, actual)
    assert n_values > 1_500
    report("techtree.json", n_values, capsys)


@pytest.mark.parametrize("name", VERSIONS)
def test_names_are_the_games_own_in_snake_case(name: str) -> None:
    for unit in load_ruleset(name).units.values():
        for thing in (unit, *unit.weapons):
            # The game misspells Gauss.
            spelled = thing.api_name.lower().replace("guass", "gauss")
            assert thing.name.replace("_", "") == spelled
