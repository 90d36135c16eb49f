"""Ability and upgrade files: how they build on each other, and how mistakes in them are named."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.buff_facts import Buff, Strike
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.tables import FactsError
from tests.data.writing import toml

HEAD = 'title = "Mine"\nversion = 1\nbase = "lotv-5.0.3"\n'  # differences start in line 4


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def mine(folder: Path, differences: str) -> RuleSet:
    return load_ruleset(write(folder, HEAD + differences))


def refusal(folder: Path, differences: str) -> str:
    with pytest.raises(FactsError) as caught:
        mine(folder, differences)
    return str(caught.value)


def test_a_difference_changes_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    rules, base = mine(tmp_path, "[ability.yamato]\nrange = 12\n"), load_ruleset("lotv-5.0.3")
    assert rules.abilities == {
        **base.abilities,
        "yamato": replace(base.abilities["yamato"], range=12.0),
    }
    assert (rules.buffs, rules.effects, rules.upgrades) == (base.buffs, base.effects, base.upgrades)


def test_strikes_are_addressed_by_their_names(tmp_path: Path) -> None:
    rules = mine(tmp_path, "[ability.widow_mine_attack.strike.splash]\ndamage = 50\n")
    target, splash = rules.abilities["widow_mine_attack"].strikes
    assert (target.damage, splash.damage, splash.bonus_vs_shields) == (125, 50, 25)


def test_a_change_of_form_takes_as_long_as_its_production(tmp_path: Path) -> None:
    text = "[unit.siege_tank_sieged.production]\nsiege_tank = { loops = 20 }\n"
    morph = mine(tmp_path, text).abilities["siege_mode"].morph
    assert morph is not None
    assert morph.loops == 20


def test_levels_follow_the_weapons(tmp_path: Path) -> None:
    text = "[unit.marine.weapon.gauss_rifle.per_upgrade_level.TerranInfantryWeapons]\ndamage = 4\n"
    level = mine(tmp_path, text).upgrades["terran_infantry_weapons_level1"]
    assert [c.value for c in level.changes if "marine" in c.names] == [4]


def test_few_units_keep_their_own_abilities(tmp_path: Path) -> None:
    rules = mine(tmp_path, 'only = ["marine", "widow_mine", "ghost"]\n')
    assert "stimpack_marine" in rules.abilities
    assert rules.abilities["cloak_ghost"].users == ("ghost",)
    # There is nothing to burrow into, and no Marauder.
    assert not {"burrow_widow_mine", "stimpack_marauder"} & rules.abilities.keys()
    assert [c.names for c in rules.upgrades["terran_infantry_armors_level1"].changes] == [
        ("marine", "ghost")
    ]


def test_things_can_be_left_out_and_brought_along(tmp_path: Path) -> None:
    rules = mine(
        tmp_path,
        'without = { abilities = ["yamato"], effects = [], upgrades = ["shield_wall"] }\n'
        "[new.buff.rage]\nduration_loops = 80\nattack_rate_multiplier = 2\n"
        '[new.ability.rage]\nrace = "Terran"\nid = 90001\nlink = "Rage"\nkind = "self_buff"\n'
        'users = ["marine"]\nbuff = "rage"\nrequires = ["rage"]\n'
        '[new.upgrade.rage]\nrace = "Terran"\nat = ["engineering_bay"]\nminerals = 50\n'
        "vespene = 50\nresearch_loops = 100\n"
        'changes = [{ ability = "rage", field = "cooldown_loops", add = 1 }]\n',
    )
    assert "yamato" not in rules.abilities
    assert "shield_wall" not in rules.upgrades
    assert rules.buffs["rage"].attack_rate_multiplier == 2
    assert rules.abilities["rage"].requires == ("rage",)
    assert rules.upgrades["rage"].changes[0].names == ("rage",)


def test_a_rule_set_may_name_files_of_its_own(tmp_path: Path) -> None:
    write(
        tmp_path,
        '[defaults]\nrace = "Zerg"\n[ability.leap]\nid = 90001\nlink = "Leap"\nkind = "teleport"\n'
        'users = ["zergling"]\ntarget = "point"\nteleport.distance = 3\n',
        "powers.toml",
    )
    leap = mine(tmp_path, 'abilities = ["powers.toml"]\n').abilities["leap"]
    assert (leap.race, leap.teleport and leap.teleport.distance) == ("Zerg", 3)


STIM, MINE = "[ability.stimpack_marine]\n", "[ability.widow_mine_attack.strike.splash]\n"
SHIELD, LEVEL = "[upgrade.shield_wall]\n", "[upgrade.terran_infantry_weapons_level1]\n"
BAD = {
    "[ability.stimpak_marine]\nlife = 5": (
        'line 4: ability.stimpak_marine: unknown ability. Did you mean "stimpack_marine"? '
        "See: terrarium list abilities"
    ),
    "[buff.stimpak]\nid = 5": 'buff.stimpak: unknown buff. Did you mean "stimpack"?',
    "[effect.psi_strm]\nid = 5": 'effect.psi_strm: unknown effect. Did you mean "psi_storm"?',
    "[upgrade.stimpak]\nid = 5": 'unknown upgrade. Did you mean "stimpack"? See: terrarium list',
    STIM + "lief = 5": 'line 5: ability.stimpack_marine.lief: unknown key. Did you mean "life"?',
    STIM + "life = -5": "ability.stimpack_marine.life: -5 is outside what is allowed: 0 or more",
    "[ability.stimpack_marauder]\nid = 380": "id: 380 is the id of stimpack_marine already",
    STIM + 'kind = "self_bff"': 'kind: unknown value "self_bff". Did you mean "self_buff"?',
    STIM + 'kind = "passive"': 'kind: a "passive" ability has no id, any other needs one',
    STIM + 'kind = "end"': 'kind: kind "end" needs the key "of"',
    STIM + 'kind = "morph"': 'kind: kind "morph" needs the key "becomes"',
    STIM + 'kind = "teleport"': 'kind: kind "teleport" needs the key "teleport"',
    STIM + 'becomes = "marauder"': 'becomes: means nothing to kind "self_buff"',
    STIM + 'of = "siege_mode"': 'of: means nothing to kind "self_buff"',
    STIM + 'users = ["marin"]': 'users: unknown unit "marin". Did you mean "marine"? See: terr',
    STIM + "users = []": "users: names no unit",
    STIM + "users = [5]": "users: 5 is not the name of a unit",
    STIM + 'buff = "stimpak"': 'buff: unknown buff "stimpak". Did you mean "stimpack"?',
    STIM
    + 'requires = ["stimpak"]': 'requires: unknown upgrade "stimpak". Did you mean "stimpack"?',
    STIM + "requires = [5]": "requires: 5 is not a name; it must be that of one upgrade",
    STIM + "requires_of = { marin = [] }": 'requires_of.marin: unknown unit "marin".',
    STIM + 'target = "pont"': 'target: unknown value "pont". Did you mean "point"?',
    STIM + 'flags = ["needs_vison"]': "flags: unknown value 'needs_vison'. Did you mean \"needs_vi",
    STIM + 'flags = ["needs_creep"]': "flags: unknown value 'needs_creep'.",
    STIM + 'kind = "missile"': 'kind: kind "missile" needs the key "flight"',
    STIM + 'grants = ["frenzied"]': 'grants: only a "passive" ability gives its users traits',
    STIM + "teleport = { distance = 8 }": 'teleport: means nothing to kind "self_buff"',
    "[ability.lock_on.strike.second]\ndamage = 5": 'kind: kind "lock_on" needs one strike',
    "[ability.frenzied]\ngrants = ['frenzid']": 'Did you mean "frenzied"?',
    STIM + "autocast_range = 5": 'autocast_range: means nothing without "autocast"',
    STIM + "restore.lfe = 5": 'restore.lfe: unknown key. Did you mean "life"?',
    STIM + "prep_loops = nan": "prep_loops: nan is not a number that the game could hold",
    "[ability.siege_mode]\nloops = 5": "loops: is said by the production of the unit already",
    '[ability.siege_mode]\nbecomes = "siege_tnk"': 'becomes: unknown unit "siege_tnk". Did you',
    "[ability.auto_turret]\nenergy = 5": "energy: is said by the production of the unit already",
    "[ability.medivac_heal]\nrange = 5": "range: is said by heal of medivac already",
    '[ability.uncloak_ghost]\nof = "cloak_gost"': 'of: unknown ability "cloak_gost". Did you mean',
    '[ability.tactical_nuke]\nuses_up = "nuk"': 'uses_up: unknown unit "nuk". Did you mean "nuke"?',
    '[ability.psi_storm]\neffect = "storm"': 'effect: unknown effect "storm".',
    MINE + "damge = 5": 'strike.splash.damge: unknown key. Did you mean "damage"?',
    MINE + "times = 3": 'strike.splash.times: means nothing without "period_loops"',
    MINE + 'who = "enemies"': 'strike.splash.who: unknown value "enemies". Did you mean "enemy"?',
    MINE + "rings = []": 'strike.splash.radius: means nothing next to "rings"',
    MINE + "bonus = { Lihgt = 5 }": 'bonus.Lihgt: unknown key. Did you mean "Light"?',
    "[ability.tactical_nuke.strike.blast]\nrings = [{ radius = 4, fraction = 1 }, { radius = 2, "
    "fraction = 1 }]": "rings[1].radius: 2 is not outside the ring before",
    '[buff.stimpack]\nlasts = "until_ended"': 'lasts: means nothing next to "duration_loops"',
    '[buff.stimpack]\nremove = ["duration_loops"]': 'stimpack: the key "lasts" is missing',
    '[buff.ghost_cloak]\nlasts = "timed"': 'lasts: "timed" needs the key "duration_loops"',
    '[buff.stimpack]\nprevents = ["atack"]': "prevents: unknown value 'atack'. Did you mean",
    "[buff.stimpack]\nid = 24": "is the id of",
    "[effect.microbial_shroud]\napi_radius = 3": "api_radius: means nothing without an id",
    '[effect.time_warp_growing]\nthen = "time_wrp"': 'then: unknown effect "time_wrp". Did you',
    SHIELD + 'family = "TerranInfantryArmors"': '"family" and "level" belong together',
    SHIELD + 'at = ["baracks"]': 'at: unknown unit "baracks". Did you mean "barracks"?',
    SHIELD + 'weapon_buff = "slw"': 'weapon_buff: unknown buff "slw". Did you mean "slow"?',
    SHIELD + "changes = [{ add = 5 }]": "changes[0]: speaks of exactly one of units, ability, buff",
    SHIELD
    + 'changes = [{ units = ["marine"], field = "hp" }]': "needs exactly one of add, set, mul",
    SHIELD
    + 'changes = [{ units = ["marine"], field = "hpp", add = 1 }]': 'field: unknown value "hpp"',
    SHIELD + 'changes = [{ units = ["marine"], weapon = "rifle", field = "range", add = 1 }]': (
        'weapon: unknown weapon of marine "rifle". Did you mean "gauss_rifle"?'
    ),
    SHIELD + 'changes = [{ ability = "emp", strike = "x", field = "damage", add = 1 }]': (
        'strike: unknown strike of emp "x".'
    ),
    SHIELD
    + 'changes = [{ ability = "em", field = "range", add = 1 }]': 'unknown ability "em". Did',
    SHIELD
    + 'changes = [{ ability = "emp", field = "bonus", add = 1 }]': 'a "bonus" needs an "attr',
    LEVEL + "level = 4": "level: 4 is outside 1 to 3",
    LEVEL + 'family = "TerranInfantryWeapon"': 'family: unknown value "TerranInfantryWeapon". Did',
    'without = { abilities = ["yamatoo"] }': 'without.abilities: unknown ability "yamatoo". Did',
    'without = { upgrades = ["stimpack"] }': 'requires: unknown upgrade "stimpack".',
    'without = { units = ["marine"] }': "without.units: unknown key.",
    'abilities = ["teran"]': 'abilities: unknown ability file "teran". Did you mean "terran"?',
    "upgrades = [5]": "upgrades: 5 is not the name of an upgrade file",
    "[new.unit.x]\nid = 5": 'new.unit.x: needs "agent_copy_of"',
    "[new.buff.stimpack]\nid = 5": "new.buff.stimpack: there is a buff of this name already",
    "[new.buff.Rage]\nid = 5": "new.buff.Rage: a buff's name has small letters, digits and _ only",
}


@pytest.mark.parametrize("differences", BAD)
def test_bad_differences_get_one_clear_line(differences: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, differences + "\n")
    assert BAD[differences] in message
    assert ", line " in message
    assert "\n" not in message


def test_an_error_in_a_file_of_the_package_names_its_folder(tmp_path: Path) -> None:
    message = refusal(tmp_path, 'without = { upgrades = ["stimpack"] }\n')
    assert message.startswith("abilities/terran.toml, line ")


# Properties.

ANY_VALUE = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["ghost", "enemy", "stimpack", "emp", "until_ended", "all", "x"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["radius", "damage", "ghost", "who"]), inner, max_size=2)
    ),
    max_leaves=3,
)
TABLES = {
    "ability.kd8_charge": [field.name for field in fields(Ability)] + ["strike", "summons"],
    "ability.kd8_charge.strike.blast": [field.name for field in fields(Strike)] + ["radius"],
    "buff.emp_decloak": [field.name for field in fields(Buff)] + ["strike"],
    "effect.nuke_dot": ["radius", "who", "only", "lasts", "then", "buff", "strike", "remove"],
    "upgrade.personal_cloaking": ["at", "requires", "family", "level", "changes", "weapon_buff"],
    "without": ["abilities", "buffs", "effects", "upgrades"],
    "new": ["ability", "buff", "effect", "upgrade"],
}


@pytest.mark.slow
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(data=st.data())
def test_whatever_a_file_says_it_loads_or_is_refused_in_one_line(
    tmp_path: Path, data: st.DataObject
) -> None:
    table = data.draw(st.sampled_from(list(TABLES)))
    keys = data.draw(st.dictionaries(st.sampled_from(TABLES[table]), ANY_VALUE, max_size=2))
    text = 'only = ["ghost", "reaper", "kd8_charge", "nuke"]\n'
    text += f"[{table}]\n" + "\n".join(f"{key} = {toml(value)}" for key, value in keys.items())
    message = ""
    try:
        mine(tmp_path, text)
    except FactsError as error:
        message = str(error)
    assert message == "" or ", line " in message
    assert "\n" not in message
