"""Upgrades: facts of the game, what holds for all of them, and the reference number by number."""

import json
import re
import struct
from collections import Counter
from typing import Any

import pytest

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.facts.upgrade_facts import Change, Upgrade
from tests.shared_facts import (
    GAMES,
    REFERENCE,
    VERSIONS,
    capture,
    needs_captures,
    needs_reference,
)

LOTV = [name for name in ruleset_names() if name.startswith("lotv")]


def changes(upgrade: Upgrade) -> list[tuple[str, ...]]:
    """Each change as words: what, field, how much."""
    return [
        (c.weapon or c.names[0], c.field + (f" {c.attribute}" if c.attribute else ""), how(c))
        for c in upgrade.changes
    ]


def how(change: Change) -> str:
    return f"{change.op} {change.value:g}"


# Facts of the game.


def test_stimpack_takes_longer_in_4_10() -> None:
    times = {name: load_ruleset(name).upgrades["stimpack"].research_loops for name in LOTV}
    assert times == {"lotv-4.10": 2720, "lotv-5.0.3": 2240, "lotv-5.0.14": 2240}


def test_combat_shield_gives_ten_hit_points_for_100_100() -> None:
    shield = load_ruleset("lotv-4.10").upgrades["shield_wall"]
    assert (shield.id, shield.ability, shield.at) == (16, 731, ("barracks_tech_lab",))
    assert (shield.minerals, shield.vespene, shield.research_loops) == (100, 100, 1760)
    assert changes(shield) == [("marine", "hp", "add 10")]


def test_concussive_shells_slow_by_half_for_24_loops() -> None:
    rules = load_ruleset("lotv-4.10")
    shells = rules.upgrades["punisher_grenades"]
    assert (shells.weapon_buff_of, shells.weapon_buff) == (("marauder",), "slow")
    assert (rules.buffs["slow"].speed_multiplier, rules.buffs["slow"].duration_loops) == (0.5, 24)


def test_a_level_of_infantry_weapons_is_what_the_weapons_say() -> None:
    level = load_ruleset("lotv-4.10").upgrades["terran_infantry_weapons_level2"]
    assert (level.family, level.level) == ("TerranInfantryWeapons", 2)
    assert level.requires == ("terran_infantry_weapons_level1",)
    assert level.requires_units == ("armory",)
    assert changes(level) == [
        ("gauss_rifle", "damage", "add 1"),
        ("p38_scythe_gauss_pistol", "damage", "add 1"),
        ("punisher_grenades", "damage", "add 1"),
        ("punisher_grenades", "bonus Armored", "add 1"),
        ("c10_canister_rifle", "damage", "add 1"),
        ("c10_canister_rifle", "bonus Light", "add 1"),
    ]


def test_levels_follow_the_units_of_a_version() -> None:
    def lance(name: str) -> list[tuple[str, ...]]:
        level = load_ruleset(name).upgrades["terran_vehicle_weapons_level1"]
        return [change for change in changes(level) if change[0] == "lance_missile_launchers"]

    assert lance("lotv-4.10") == [("lance_missile_launchers", "damage", "add 5")]
    assert lance("lotv-5.0.3") == [
        ("lance_missile_launchers", "damage", "add 3"),
        ("lance_missile_launchers", "bonus Massive", "add 1"),
    ]


def test_shields_have_armor_of_their_own() -> None:
    (change,) = load_ruleset("lotv-4.10").upgrades["protoss_shields_level1"].changes
    assert (change.field, change.value, "zealot" in change.names) == ("shield_armor", 1, True)


@pytest.mark.parametrize(
    ("name", "upgrade", "expected"),
    [
        ("lotv-4.10", "medivac_increase_speed_boost", ["medivac_boost cooldown_loops add -112"]),
        ("lotv-4.10", "charge", ["zealot speed add 0.7031"]),
        ("lotv-5.0.3", "charge", ["zealot speed add 1.125"]),
        ("lotv-5.0.3", "drill_claws", ["burrow_widow_mine morph_loops add -32"]),
        ("lotv-5.0.3", "enhanced_shockwaves", ["emp circle_radius add 0.5"]),
        ("lotv-5.0.3", "cyclone_lock_on_damage_upgrade", ["lock_on bonus Armored add 20"]),
        ("lotv-5.0.14", "cyclone_lock_on_damage_upgrade", ["lock_on damage add 10"]),
        ("lotv-5.0.14", "medivac_caduceus_reactor", ["medivac energy_regen_per_s multiply 2"]),
        ("lotv-5.0.3", "zergling_attack_speed", ["claws attack_rate_multiplier add 0.2"]),
        ("lotv-5.0.3", "evolve_muscular_augments", ["hydralisk speed set 2.8125"]),
    ],
)
def test_some_upgrades(name: str, upgrade: str, expected: list[str]) -> None:
    found = changes(load_ruleset(name).upgrades[upgrade])
    assert [" ".join(change) for change in found] == expected


def test_smart_servos_halve_the_change_of_a_hellion() -> None:
    # 64 loops become 32, those of a Thor 40 become 16.
    rules = load_ruleset("lotv-5.0.3")
    by_ability = {c.names[0]: c.value for c in rules.upgrades["smart_servos"].changes}
    assert (by_ability["hellbat_mode"], by_ability["thor_high_impact_mode"]) == (-32, -24)


# What holds for all of them.


@pytest.mark.parametrize("name", LOTV)
def test_every_upgrade_is_sound(name: str) -> None:
    rules = load_ruleset(name)
    ids = [upgrade.id for upgrade in rules.upgrades.values() if upgrade.id is not None]
    assert len(set(ids)) == len(ids)
    needed = {n for ability in rules.abilities.values() for n in needs(ability)}
    unknown = {"warp_gate_research", "interference_matrix", "frenzy"}
    for key, upgrade in rules.upgrades.items():
        assert key == upgrade.name
        assert key.replace("_", "") == upgrade.api_name.lower()
        assert upgrade.at
        assert {rules.units[unit].race for unit in upgrade.at} == {upgrade.race}
        assert all(name in rules.upgrades for name in upgrade.requires)
        assert upgrade.research_loops > 0
        # Each changes something or allows something; of three the sources do not tell, or it is
        # no matter of a battle.
        assert upgrade.changes or upgrade.weapon_buff or key in needed or key in unknown


def needs(ability: Ability) -> set[str]:
    return {*ability.requires, *(n for names in ability.requires_of.values() for n in names)}


@pytest.mark.parametrize("name", LOTV)
def test_levels_stand_on_each_other(name: str) -> None:
    upgrades = load_ruleset(name).upgrades
    for upgrade in upgrades.values():
        if upgrade.level and upgrade.level > 1:
            before = [upgrades[needed] for needed in upgrade.requires]
            assert [(b.family, b.level) for b in before] == [(upgrade.family, upgrade.level - 1)]


# The reference.


def reference(version: str) -> dict[str, Any]:
    """Upgrades of a version by their names."""
    entries = json.loads((REFERENCE / "upgrades.json").read_text(encoding="utf-8"))["upgrades"]
    return {
        entry["name"]: entry | entry.get("other_versions", {}).get(version, {})
        for entry in entries
        if version in entry["available_in"]
    }


def as_numbers(upgrade: Upgrade, rules: RuleSet) -> Counter[tuple[str, str, float]]:
    """Every change as (thing, op, value), by the names of the game."""
    found: Counter[tuple[str, str, float]] = Counter()
    for change in upgrade.changes:
        for name in change.names:
            thing = name
            if change.of == "weapon":
                weapons = {w.name: w.api_name for w in rules.units[name].weapons}
                thing = f"{rules.units[name].api_name}.{weapons[change.weapon or '']}"
            elif change.of == "unit":
                thing = rules.units[name].api_name
            elif change.of == "ability":
                thing = rules.abilities[name].link
            else:
                thing = rules.buffs[name].api_name
            field = f"bonus vs {change.attribute}" if change.attribute else change.field
            found[f"{thing} {field}", change.op, change.value] += 1
    return found


FIELDS = {
    "hp_max": "hp",
    "creep_speed_multiplier": "speed_creep_multiplier",
    "EnergyRegenRate": "energy_regen_per_s",
    "number of steps": "line.steps",
    "move speed multiplier": "speed_multiplier",
    "acceleration multiplier": "acceleration_multiplier",
    "time_loops": "morph_loops",
    "cargo_units": "max_units",
}
# What the reference calls by the names of the game's internal effects.
EFFECTS = {
    "CycloneAirWeaponDamage": "LockOn",
    "CycloneWeaponDamage": "LockOn",
    "EMPSearch": "EMP circle_",
}
CARRIERS = {
    "BunkerTransport": ["Bunker"],
    "CommandCenterTransport": ["CommandCenter", "CommandCenterFlying", "PlanetaryFortress"],
}


def expected(entry: Any) -> Counter[tuple[str, str, float]]:
    found: dict[tuple[str, str], list[float]] = {}
    for effect in entry["effects"]:
        field, value, op = effect["field"], effect["value"], effect["op"]
        if field.startswith("Collide"):
            continue  # collision classes are no numbers
        if "units" in effect:
            things = effect["units"]
        elif "weapon" in effect:
            things = [f"{unit}.{effect['weapon']}" for unit in effect["of"]]
        elif field == "cargo_capacity":
            things = CARRIERS[effect["ability"]]
        elif "effect" in effect:
            things = [EFFECTS[effect["effect"]]]
        else:
            things = [effect.get("ability") or effect["buff"]]
        sign = -1 if op == "subtract" else 1
        for thing in things:
            key = f"{thing} {FIELDS.get(field, field)}".replace("_ ", "_")
            values = found.setdefault((key, "add" if op == "subtract" else op), [])
            if not ("effect" in effect and values):  # ground and air missiles of one ability
                values.append(sign * value)
    return merged(found)


def merged(found: dict[tuple[str, str], list[float]]) -> Counter[tuple[str, str, float]]:
    """Several numbers for one field: parts of a morph's time, or hits of one weapon."""
    numbers: Counter[tuple[str, str, float]] = Counter()
    for (key, op), values in found.items():
        if key.endswith("morph_loops"):
            values = [round(sum(values), 6)]
        elif key.startswith("Baneling.") and len(values) == 2:
            # The second hit is the one that only structures take.
            numbers[f"{key}_vs_structures", op, values.pop()] += 1
        # Bounces of a Mutalisk's glaive follow from its hits: thirds of the first.
        numbers[key, op, values[0]] += 1
    return numbers


# Where units.json, which our units follow, and upgrades.json tell different stories of a level.
DISAGREEMENTS = {
    "LocustMP.LocustMPMelee damage",
    "LocustMPFlying.LocustMPFlyingSwoopWeapon damage",
    "BroodLord.BroodlingStrike damage",
}
DISAGREEMENTS_OF = {"lotv-5.0.14": {"Baneling.VolatileBurst bonus vs Light"}}


@needs_reference
@pytest.mark.parametrize("name", VERSIONS)
def test_every_upgrade_is_as_the_reference_states_it(name: str) -> None:
    rules, entries = load_ruleset(name), reference(VERSIONS[name])
    ours = {upgrade.api_name: upgrade for upgrade in rules.upgrades.values()}
    assert ours.keys() == entries.keys()
    different: set[str] = set()
    for key, entry in entries.items():
        upgrade = ours[key]
        assert upgrade.id == entry["id"]
        assert [rules.units[unit].id for unit in upgrade.at] == [at["id"] for at in entry["at"]]
        assert (upgrade.ability, upgrade.general_ability) == (
            entry["ability"],
            entry["general_ability"],
        )
        for cost in ("minerals", "vespene", "research_loops"):
            assert getattr(upgrade, cost) == entry[cost], f"{key}.{cost}"
        assert {rules.upgrades[need].id for need in upgrade.requires} == {
            need["upgrade"] for need in entry["requires"] if "upgrade" in need
        }
        assert {rules.units[need].id for need in upgrade.requires_units} == {
            need["structure"] for need in entry["requires"] if "structure" in need
        }
        numbers, theirs = as_numbers(upgrade, rules), expected(entry)
        different |= {where for where, _, _ in (numbers - theirs) + (theirs - numbers)}
    assert different == DISAGREEMENTS | DISAGREEMENTS_OF.get(name, set())


@needs_captures
@pytest.mark.parametrize(("name", "game"), GAMES)
def test_upgrades_of_a_real_game_agree(name: str, game: str) -> None:
    entries = {entry[1]: entry for entry in capture(game, 3) if 2 in entry}
    different = []
    for upgrade in load_ruleset(name).upgrades.values():
        assert upgrade.id is not None
        entry = entries[upgrade.id]
        assert upgrade.api_name == entry[2].decode()
        (loops,) = struct.unpack("<f", entry[5])
        theirs = (entry.get(3, 0), entry.get(4, 0), round(loops, 3))
        if (upgrade.minerals, upgrade.vespene, upgrade.research_loops) != theirs:
            different.append(upgrade.name)
    # The second capture is of client 4.10.4; the reference says in what it differs from 4.10.0.
    assert different == ([] if name == "lotv-5.0.3" else ["stimpack", "overlord_speed"])


def test_families_are_named_after_their_levels() -> None:
    for upgrade in load_ruleset("lotv-5.0.3").upgrades.values():
        if match := re.fullmatch(r"(\w+)Level(\d)", upgrade.api_name):
            assert (upgrade.family, upgrade.level) == (match[1], int(match[2]))
