"""Rule sets: what they say of well-known units, and how files build on each other."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import terrarium
from terrarium.data.facts.forms import agent_type, forms_of
from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.facts.unit_facts import RuleSet, Unit, Weapon
from tests.data.writing import NEW_UNIT

HEAD = 'title = "Mine"\nversion = 1\nbase = "liberty"\n'  # differences start in line 4
RIFLE = "[unit.marine.weapon.gauss_rifle]\n"


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def mine(folder: Path, differences: str) -> RuleSet:
    return load_ruleset(write(folder, HEAD + differences))


def weapon(rules: RuleSet, unit: str) -> Weapon:
    return rules.units[unit].weapons[0]


# Facts of the game.


def test_the_rule_sets_of_the_package() -> None:
    assert ruleset_names() == ("liberty", "lotv-4.10", "lotv-5.0.14", "lotv-5.0.3", "smac")
    sizes = {name: len(load_ruleset(name).units) for name in ruleset_names()}
    assert sizes == {"liberty": 10, "smac": 13} | dict.fromkeys(
        ("lotv-4.10", "lotv-5.0.14", "lotv-5.0.3"), 178
    )


def test_a_marine_has_45_hp_and_shoots_6_at_range_5() -> None:
    for name in ruleset_names():
        rules = load_ruleset(name)
        assert rules.units["marine"].hp == 45
        rifle = weapon(rules, "marine")
        assert (rifle.range, rifle.damage, rifle.hits[0].damage) == (5, 6, 6)


@pytest.mark.parametrize(
    ("name", "damage", "bonus", "loops"),
    [
        ("liberty", 10, 4, 23.04),
        ("smac", 13, 5, 29.92),
        ("lotv-4.10", 13, 5, 29.92),
        ("lotv-5.0.3", 13, 5, 29.92),
    ],
)
def test_stalkers(name: str, damage: float, bonus: float, loops: float) -> None:
    beam = weapon(load_ruleset(name), "stalker")
    assert (beam.damage, beam.bonus, beam.cooldown_loops) == (damage, {"Armored": bonus}, loops)
    assert (beam.hits[0].damage, beam.hits[0].bonus) == (damage, {"Armored": bonus})


@pytest.mark.parametrize(
    ("name", "damage", "light"),
    [
        ("liberty", 20, 15),
        ("smac", 20, 15),
        ("lotv-4.10", 20, 15),
        ("lotv-5.0.3", 16, 19),
        ("lotv-5.0.14", 16, 19),
    ],
)
def test_banelings_hurt_units_by_version_and_structures_by_80(
    name: str, damage: float, light: float
) -> None:
    units, structures = weapon(load_ruleset(name), "baneling").hits
    assert (units.damage, units.bonus, units.armor_applies) == (damage, {"Light": light}, True)
    assert (structures.damage, structures.bonus, structures.armor_applies) == (80, {}, False)
    for hit in (units, structures):
        assert hit.area is not None
        assert (hit.area.radius, hit.area.center) == (2.2, "self")


def test_a_mothership_of_5_0_14_has_no_energy() -> None:
    before, after = (load_ruleset(f"lotv-{v}").units["mothership"] for v in ("5.0.3", "5.0.14"))
    assert (before.energy_max, before.energy_start) == (200, 50)
    assert (after.energy_max, after.energy_start, after.energy_regen_per_s) == (0, None, None)
    assert len(after.weapons) == len(before.weapons) + 1


def test_ids_of_rich_gas_structures_differ_between_builds() -> None:
    ids = [load_ruleset(f"lotv-{v}").units["extractor_rich"].id for v in ("4.10", "5.0.3")]
    assert ids == [1957, 1995]


def test_smacs_enemies_are_the_clients_own_units() -> None:
    smac, client = load_ruleset("smac"), load_ruleset("lotv-4.10")
    own = [name for name, unit in smac.units.items() if unit.agent_copy_of is None]
    assert own == list(load_ruleset("liberty").units)
    assert {name: smac.units[name] for name in own} == {name: client.units[name] for name in own}
    assert [len(part) for part in (smac.abilities, smac.buffs, smac.upgrades)] == [0, 0, 0]


def test_smacs_agents_differ_from_their_units_by_a_few_numbers() -> None:
    rules = load_ruleset("smac").units
    hydralisk, medivac, colossus = (rules[f"{n}_rl"] for n in ("hydralisk", "medivac", "colossus"))
    assert hydralisk == replace(
        rules["hydralisk"],
        **named(hydralisk),
        hp=80.0,  # the client's has 90
        speed_creep_multiplier=1.5,  # 1.3
    )
    assert medivac == replace(
        rules["medivac"],
        **named(medivac),
        speed=2.75,  # 2.5
        acceleration=2.3125,  # 2.25
    )
    assert colossus == replace(
        rules["colossus"],
        **named(colossus),
        turn_rate_deg_per_s=999.8437,  # 720
        stationary_turn_rate_deg_per_s=999.8437,
    )
    assert (rules["hydralisk"].hp, rules["medivac"].speed) == (90.0, 2.5)
    assert [unit.api_name for unit in (hydralisk, medivac, colossus)] == [
        *("Hydralisk_RL", "Medivac_RL", "Colossus_RL"),
    ]


@pytest.mark.parametrize(
    ("unit", "damage", "bonus", "attacks", "loops", "reach"),
    [
        ("marine", 6, {}, 1, 13.773, 5),
        ("marauder", 10, {"Armored": 10}, 1, 24, 6),
        ("stalker", 13, {"Armored": 5}, 1, 29.92, 6),
        ("zealot", 8, {}, 2, 19.2, 0.1),
        ("colossus", 10, {"Light": 5}, 2, 24, 7),
        ("colossus_rl", 10, {"Light": 5}, 2, 24, 7),
        ("spine_crawler", 25, {"Armored": 5}, 1, 29.6, 7),
        ("zergling", 5, {}, 1, 11.136, 0.1),
        ("baneling", 20, {"Light": 15}, 1, 13.328, 0.25),
    ],
)
def test_weapons_on_smacs_maps(
    unit: str, damage: float, bonus: dict[str, float], attacks: int, loops: float, reach: float
) -> None:
    (found,) = load_ruleset("smac").units[unit].weapons
    assert (found.damage, found.bonus, found.attacks) == (damage, bonus, attacks)
    assert (found.cooldown_loops, found.range) == (loops, reach)


@pytest.mark.parametrize("unit", ["hydralisk", "hydralisk_rl"])
def test_hydralisks_of_smacs_maps_spit_12_at_range_5_and_bite_for_as_much(unit: str) -> None:
    bite, spit = load_ruleset("smac").units[unit].weapons
    assert (bite.damage, bite.range, bite.cooldown_loops) == (12, 0.5, 12)
    assert (spit.damage, spit.range, spit.cooldown_loops) == (12, 5, 13.2)


@pytest.mark.parametrize("name", ruleset_names())
def test_every_unit_is_sound(name: str) -> None:
    rules = load_ruleset(name)
    assert len({unit.id for unit in rules.units.values()}) == len(rules.units)
    assert len({unit.api_name for unit in rules.units.values()}) == len(rules.units)
    for key, unit in rules.units.items():
        assert key == unit.name
        assert unit.hp > 0
        assert (unit.mover is None) == (unit.speed == 0) == (unit.acceleration is None)
        assert (unit.shield_regen_per_s is None) == (unit.shields == 0)
        for each in unit.weapons:
            assert (each.damage is None) == (not each.hits)
            if each.hits:
                assert each.hits[0].damage == each.damage


# Loading.


def test_a_rule_set_is_loaded_once_and_on_demand() -> None:
    assert load_ruleset("liberty") is load_ruleset("liberty")
    code = (
        "import terrarium.data.facts.rulesets as r, terrarium.data.tables as t;"
        "t.Table.read = None; r.ruleset_names()"
    )
    source = str(Path(terrarium.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": source})


def test_units_keep_the_order_of_their_files() -> None:
    everything = list(load_ruleset("lotv-4.10").units)
    assert everything[:3] == ["scv", "mule", "marine"]
    some = list(load_ruleset("liberty").units)
    assert some == [name for name in everything if name in some]


# Inheritance and files of a user's own.


def test_a_difference_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    rules, base = mine(tmp_path, "[unit.marine]\nhp = 55\n"), load_ruleset("liberty")
    assert rules.units["marine"] == replace(base.units["marine"], hp=55.0)
    assert {k: v for k, v in rules.units.items() if k != "marine"} == {
        k: v for k, v in base.units.items() if k != "marine"
    }
    assert (rules.name, rules.title, rules.version) == ("mine", "Mine", 1)
    assert rules.targeting == base.targeting


def test_a_text_that_ends_in_toml_is_a_file(tmp_path: Path) -> None:
    file = write(tmp_path, HEAD)
    assert load_ruleset(str(file)).units == load_ruleset(file).units


def test_a_damage_of_the_weapon_reaches_the_hits_that_state_none(tmp_path: Path) -> None:
    burst = weapon(
        mine(tmp_path, "[unit.baneling.weapon.volatile_burst]\ndamage = 30\n"), "baneling"
    )
    assert [hit.damage for hit in burst.hits] == [30, 80]
    assert [hit.bonus for hit in burst.hits] == [{"Light": 15}, {}]


def test_tables_merge_and_lists_replace(tmp_path: Path) -> None:
    rules = mine(
        tmp_path,
        '[unit.marine]\nattributes = ["Massive"]\n'
        + RIFLE
        + "bonus = { Armored = 3 }\nat_loops = [0, 2]\n"
        + "per_upgrade_level.TerranShipWeapons.damage = 2\n",
    )
    assert rules.units["marine"].attributes == ("Massive",)
    rifle = weapon(rules, "marine")
    assert [(hit.at_loops, hit.bonus) for hit in rifle.hits] == [
        (0, {"Armored": 3}),
        (2, {"Armored": 3}),
    ]
    assert {k: v.damage for k, v in rifle.per_upgrade_level.items()} == {
        "TerranInfantryWeapons": 1,
        "TerranShipWeapons": 2,
    }


def test_what_a_base_says_can_be_removed(tmp_path: Path) -> None:
    rules = mine(tmp_path, '[unit.medivac]\nremove = ["heal"]\n[unit.stalker]\nremove = ["weapon"]')
    assert rules.units["medivac"].heal is None
    assert rules.units["stalker"].weapons == ()


def test_a_difference_may_add_a_weapon_and_work_on_the_command_card(tmp_path: Path) -> None:
    rules = mine(
        tmp_path,
        "[unit.marine]\ncommand_card_removed = [380]\ncommand_card_added = [1, 2]\n"
        '[unit.marine.weapon.bayonet]\ntargets = "ground"\nrange = 0.1\ncooldown_loops = 20\n'
        'damage = 4\nkind = "melee"\n',
    )
    marine = rules.units["marine"]
    assert marine.command_card == (16, 4, 18, 23, 17, 1, 2)
    assert [each.api_name for each in marine.weapons] == ["GuassRifle", "Bayonet"]
    assert marine.weapons[1].hits[0].kind == "melee"


def test_production_is_addressed_by_the_producer(tmp_path: Path) -> None:
    rules = mine(tmp_path, "[unit.marine.production]\nbarracks = { loops = 100 }\n")
    (way,) = rules.units["marine"].production
    assert (way.by, way.ability, way.pays_minerals, way.loops) == (21, 560, 50, 100)
    assert rules.units["marine"].api.build_time_loops == 100


def test_differences_stack_up_and_files_may_be_bases(tmp_path: Path) -> None:
    write(tmp_path, HEAD + "[unit.marine]\nhp = 55\narmor = 2\n", "first.toml")
    text = 'title = "Second"\nversion = 3\nbase = "first.toml"\nonly = ["marine"]\n'
    rules = load_ruleset(write(tmp_path, text + "[unit.marine]\nhp = 60\n", "second.toml"))
    assert list(rules.units) == ["marine"]
    assert (rules.units["marine"].hp, rules.units["marine"].armor) == (60, 2)
    assert (rules.name, rules.version) == ("second", 3)


COPY = """
[new.unit.marine_rl]
agent_copy_of = "marine"
id = 2009
hp = 40
"""


def named(unit: Unit) -> dict[str, Any]:
    """What a copy is called."""
    return {key: getattr(unit, key) for key in ("name", "api_name", "id", "agent_copy_of")}


def test_a_copy_is_its_unit_but_for_what_it_says(tmp_path: Path) -> None:
    rules = mine(tmp_path, COPY)
    marine, copy = rules.units["marine"], rules.units["marine_rl"]
    assert copy == replace(marine, **named(copy), hp=40.0)
    assert (copy.name, copy.api_name, copy.id) == ("marine_rl", "MarineRl", 2009)
    assert (copy.known_as, marine.known_as) == ("marine", "marine")
    assert agent_type(rules, "marine") == "marine_rl"
    assert agent_type(rules, "zealot") == "zealot"
    assert forms_of(rules, "marine") == forms_of(rules, "marine_rl") == {"marine", "marine_rl"}


def test_what_is_said_of_a_unit_holds_for_its_copy(tmp_path: Path) -> None:
    write(tmp_path, HEAD + COPY, "first.toml")
    text = 'title = "Second"\nversion = 1\nbase = "first.toml"\nonly = ["marine"]\n'
    text += "[unit.marine]\nhp = 60\narmor = 3\n[unit.marine_rl]\nsight = 4\n"
    rules = load_ruleset(write(tmp_path, text, "second.toml"))
    marine, copy = rules.units["marine"], rules.units["marine_rl"]
    assert list(rules.units) == ["marine", "marine_rl"]
    assert (marine.hp, marine.armor, marine.sight) == (60, 3, 9)
    assert (copy.hp, copy.armor, copy.sight) == (40, 3, 4)


def test_a_rule_set_may_bring_units_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, NEW_UNIT, "units.toml")
    rules = mine(tmp_path, 'units = ["units.toml"]\n[unit.sentinel]\nhp = 75\n')
    sentinel = rules.units["sentinel"]
    assert (sentinel.hp, sentinel.race, sentinel.api_name) == (75, "Terran", "Sentinel")
    assert (sentinel.flags, sentinel.production[0].by_name) == (("army",), "Barracks")
    assert list(rules.units)[-1] == "sentinel"


@settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(hp=st.integers(1, 5000), damage=st.integers(0, 500), speed=st.floats(0.125, 16))
def test_numbers_arrive_as_they_were_written(
    tmp_path: Path, hp: int, damage: int, speed: float
) -> None:
    text = f"[unit.marine]\nhp = {hp}\nspeed = {speed!r}\n{RIFLE}damage = {damage}\n"
    marine = mine(tmp_path, text).units["marine"]
    assert (marine.hp, marine.speed) == (hp, speed)
    assert (marine.weapons[0].damage, marine.weapons[0].hits[0].damage) == (damage, damage)
