"""Bad rule-set and unit files: each is refused in one line that says where and what."""

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.tables import FactsError
from terrarium.errors import TerrariumError
from tests.data.writing import NEW_UNIT, toml

HEAD = 'title = "Mine"\nversion = 1\nbase = "liberty"\n'  # differences start in line 4
RIFLE = "[unit.marine.weapon.gauss_rifle]\n"
COPY = "[new.unit.marine_rl]\nid = 2009\n"


def write(folder: Path, text: str, name: str = "mine.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def refusal(which: str | Path) -> str:
    with pytest.raises(FactsError) as caught:
        load_ruleset(which)
    return str(caught.value)


# Bad input. Each gets one line that names file, line, key, value and, where there is one, the
# nearest name.

BAD = {
    "[assumptions]\ngravity = 1": "line 5: assumptions.gravity: unknown key. Allowed: preferred_",
    '[assumptions]\nstart_place = "nearest"': "start_place: unknown key. Did you mean",
    '[assumptions]\nstart_places = "nearby"': 'Did you mean "nearest"? Allowed: lattice, nearest',
    "[assumptions]\nbody_overlap = 0.5": "assumptions.body_overlap: 0.5 is outside 0 to 0.25",
    "[assumptions]\nscan_ticks = 0": "assumptions.scan_ticks: 0 is outside 1 to 1000",
    "[assumptions]\nopening_ticks = -1": "assumptions.opening_ticks: -1 is outside 0 to 1000",
    "[unit.marin]\nhp = 5": 'line 4: unit.marin: unknown unit. Did you mean "marine"? See:',
    "[unit.ghost]\nhp = 5": "line 4: unit.ghost: unknown unit.",
    "[unit.marine]\nhpp = 5": 'line 5: unit.marine.hpp: unknown key. Did you mean "hp"?',
    "[unit.marine]\nhp = -5": "line 5: unit.marine.hp: -5 is outside what is allowed: 1 or more",
    "[unit.marine]\nhp = nan": "line 5: unit.marine.hp: nan is not a number that the game",
    "[unit.marine]\nspeed = inf": "line 5: unit.marine.speed: inf is not a number that",
    "[unit.marine]\nid = 99999999999999999999": "line 5: unit.marine.id: 99999999999999999999 is",
    "[unit.marine]\nspeed = -1": "line 5: unit.marine.speed: -1 is outside",
    '[unit.marine]\nhp = "many"': "line 5: unit.marine.hp: 'many' is not a number",
    "[unit.marine]\nhp = true": "line 5: unit.marine.hp: True is not a number",
    "[unit.marine]\nflying = 1": "line 5: unit.marine.flying: 1 is not true or false",
    "[unit.marine]\ncargo_size = 1.5": "line 5: unit.marine.cargo_size: 1.5 is not a whole number",
    "[unit.colossus]\nid = 51": "line 5: unit.colossus.id: 51 is the id of marauder already",
    '[unit.marine]\nrace = "Teran"': 'unknown value "Teran". Did you mean "Terran"?',
    '[unit.marine]\nkind = "unitt"': 'unknown value "unitt". Did you mean "unit"?',
    '[unit.marine]\nattributes = ["Ligth"]': "unknown value 'Ligth'. Did you mean \"Light\"?",
    '[unit.marine]\nattributes = ["Light", "Light"]': "attributes: 'Light' is there twice",
    '[unit.marine]\nflags = ["armi"]': "unknown value 'armi'. Did you mean \"army\"?",
    '[unit.marine]\nflags = [["army"]]': "unknown value ['army'].",
    '[unit.marine]\ncollision = ["grund"]': "unknown value 'grund'. Did you mean \"ground\"?",
    '[unit.marine]\ntargetable_as = ["sea"]': "unknown value 'sea'.",
    '[unit.marine]\nmover = "grund"': 'unknown value "grund". Did you mean "ground"?',
    '[unit.spine_crawler]\nmover = "ground"': "mover: means nothing where speed is 0",
    "[unit.marine]\nshield_regen_per_s = 2": "means nothing where shields is 0",
    "[unit.medivac]\nenergy_start = 300": "energy_start: 300 is more than energy_max 200",
    "[unit.marine]\nlifetime_loops = [5, 1]": "[5.0, 1.0] does not go from low to high",
    "[unit.marine]\nlifetime_loops = [5]": "[5] has 1 entries instead of 2",
    "[unit.marine]\nfootprint.size = [1.5, 2]": "footprint.size: [1.5, 2.0] is not a size in",
    "[unit.marine]\nfootprint.ground_block_polygon = [[0, nan]]": "[0, nan] is not a corner [x, y]",
    "[unit.marine]\ncommand_card = [-1]": "command_card: -1 is not a whole number of 0 or more",
    "[unit.marine]\ncommand_card_removed = [9]": "removed: 9 is not on the command card",
    "[unit.marine]\ncommand_card_added = [380]": "added: 380 is already on the command card",
    '[unit.marine]\nremove = ["hpp"]': "remove: 'hpp' is not there to be removed. Did you mean",
    '[unit.marine]\nremove = ["hp"]': 'line 4: unit.marine: the key "hp" is missing; it must be',
    "[unit.marine]\nremove = [[1]]": "remove: [1] is not there to be removed.",
    "[unit.marine.production]\nbaracks = {}": 'unknown unit "baracks". Did you mean "barracks"?',
    '[unit.marine.production]\nbarracks = { requires = ["tec_lab"] }': 'unknown unit "tec_lab".',
    "[unit.marine.production]\nbarracks = { requires = [{ upgrade = 6 }] }": "{'upgrade': 6} is",
    '[unit.marine.production]\nbarracks = { how = "trian" }': 'unknown value "trian". Did you mean',
    "[unit.marine.production]\nbarracks = { loop = 5 }": "barracks.loop: unknown key. Did you",
    '[unit.marine]\napi.unit_alias = "goast"': 'api.unit_alias: unknown unit "goast". Did you mean',
    "[unit.marine]\narmor_upgrades_per_level.TerranInfantryArmor = 1": "InfantryArmor: unknown",
    "[unit.marine]\nweapon = 5": "line 5: unit.marine.weapon: 5 is not a table",
    "[unit.marine.weapon.gauss_rifel]\ndamage = 5": 'gauss_rifel: the key "range" is missing',
    RIFLE + "range = -1": "line 5: unit.marine.weapon.gauss_rifle.range: -1 is outside",
    RIFLE + "rnage = 5": 'gauss_rifle.rnage: unknown key. Did you mean "range"?',
    RIFLE + 'targets = "grnd"': 'unknown value "grnd". Did you mean "ground"?',
    RIFLE + 'kind = "meele"': 'unknown value "meele". Did you mean "melee"?',
    RIFLE + "attacks = 0": "gauss_rifle.attacks: 0 is outside what is allowed: 1 or more",
    RIFLE + "bonus = { Lihgt = 5 }": 'bonus.Lihgt: unknown key. Did you mean "Light"?',
    RIFLE + "at_loops = [0, -2]": "at_loops: [0.0, -2.0] is not a list of times of 0 or more",
    RIFLE + "at_loops = [inf]": "at_loops: inf is not a number that the game could hold",
    RIFLE + "splash.zones = [{ radius = 1, fraction = 1.5 }]": "fraction: 1.5 is outside 0 to 1",
    RIFLE + 'splash = { zones = [], only = ["grund"] }': "unknown value 'grund'. Did you mean",
    RIFLE + "missile = [{ max_sped = 5 }]": 'missile[0].max_sped: unknown key. Did you mean "max_',
    RIFLE + "missile = [5]": "missile[0]: 5 is not a table",
    RIFLE + 'missile = [{ driver = "guided" }]': 'unknown value "guided". Did you mean "guidance"?',
    RIFLE
    + 'hits = [{ case = "otherwis" }]': 'hits[0].case: unknown value "otherwis". Did you mean',
    RIFLE + "hits = [{}, { damge = 5 }]": 'hits[1].damge: unknown key. Did you mean "damage"?',
    RIFLE + 'spawns = "brodling"': 'spawns: unknown unit "brodling". Did you mean "broodling"?',
    RIFLE + "area = { radius = -1 }": "area.radius: -1 is outside",
    RIFLE + 'area = { radius = 1, center = "me" }': 'area.center: unknown value "me".',
    "[unit.medivac]\nheal.range = -1": "line 5: unit.medivac.heal.range: -1 is outside",
    "[targeting]\nleash_radios = 3": "targeting.leash_radios: unknown key. Did you mean",
    "[new.unit.marine_rl]\nid = 9": 'line 4: new.unit.marine_rl: needs "agent_copy_of"; other new',
    COPY + 'agent_copy_of = "marin"': 'agent_copy_of: unknown unit "marin". Did you mean "marine"?',
    COPY + "agent_copy_of = 5": "line 6: new.unit.marine_rl.agent_copy_of: 5 is not a text",
    COPY + 'agent_copy_of = "marine"\nhpp = 5': "new.unit.marine_rl.hpp: unknown key. Did you mean",
    '[new.unit.marine_rl]\nagent_copy_of = "marine"': 'marine_rl: the key "id" is missing',
    '[new.unit.marine]\nagent_copy_of = "marine"': "there is a unit of this name already",
    COPY + 'agent_copy_of = "marine"\n[new.unit.other]\nid = 2\nagent_copy_of = "marine"': (
        "new.unit.other.agent_copy_of: marine_rl is the copy of marine already"
    ),
    COPY + 'agent_copy_of = "marine"\n[new.unit.other]\nid = 2\nagent_copy_of = "marine_rl"': (
        'line 9: new.unit.other.agent_copy_of: unknown unit "marine_rl".'
    ),
    '[unit.marine]\nagent_copy_of = "marine"': "line 5: unit.marine.agent_copy_of: unknown unit",
    "only = []": "line 4: only: names no unit",
    'only = ["marin"]': 'line 4: only: unknown unit "marin". Did you mean "marine"? See: terr',
    "only = [5]": "line 4: only: 5 is not the name of a unit",
    'units = ["teran"]': 'line 4: units: unknown unit file "teran". Did you mean "terran"?',
    "units = [5]": "line 4: units: 5 is not the name of a unit file",
    'unnit = "x"': 'line 4: unnit: unknown key. Did you mean "unit"?',
}


@pytest.mark.parametrize("differences", BAD)
def test_bad_differences_get_one_clear_line(differences: str, tmp_path: Path) -> None:
    message = refusal(write(tmp_path, HEAD + differences + "\n"))
    assert message.startswith("mine.toml, line ")
    assert BAD[differences] in message
    assert "\n" not in message


def test_an_error_names_the_file_that_said_it(tmp_path: Path) -> None:
    write(tmp_path, HEAD + "\n[unit.marine]\nhp = 0\n", "first.toml")
    second = 'title = "Second"\nversion = 1\nbase = "first.toml"\n[unit.marine]\narmor = 1\n'
    message = refusal(write(tmp_path, second))
    assert message.startswith("first.toml, line 6: unit.marine.hp: 0 is outside")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('version = 1\nbase = "liberty"', 'mine.toml, line 1: the key "title" is missing'),
        ('title = "x"\nbase = "liberty"', 'mine.toml, line 1: the key "version" is missing'),
        (
            'title = "x"\nversion = 0\nbase = "liberty"',
            "mine.toml, line 2: version: 0 is outside what is allowed: 1 or more",
        ),
        (
            'title = "x"\nversion = 1\nbase = "libertyy"',
            'mine.toml, line 3: base: unknown rule set "libertyy". Did you mean "liberty"?',
        ),
        ('title = "x"\nversion = 1', 'mine.toml, line 1: needs a "base", or "units"'),
        (
            'title = "x"\nversion = 1\nbase = "mine.toml"',
            'mine.toml, line 3: base: "mine.toml" leads back to itself',
        ),
        ('title = "x"\nversion = \n', "mine.toml: not valid TOML: "),
        (
            'title = "x"\nversion = 1\nunits = ["terran", "terran"]',
            "terran.toml, line 11: scv: there is a unit of this name already",
        ),
        (
            'title = "x"\nversion = 1\nunits = ["terran"]',
            'mine.toml, line 1: the key "targeting" is missing; it must be a table',
        ),
    ],
)
def test_bad_rule_set_files(text: str, expected: str, tmp_path: Path) -> None:
    message = refusal(write(tmp_path, text))
    assert message.startswith(expected)
    assert "\n" not in message


def test_a_longer_circle_of_bases_is_found(tmp_path: Path) -> None:
    for name, base in (("a", "b"), ("b", "c"), ("c", "a")):
        write(tmp_path, f'title = "x"\nversion = 1\nbase = "{base}.toml"\n', f"{name}.toml")
    assert refusal(tmp_path / "a.toml") == 'c.toml, line 3: base: "a.toml" leads back to itself'


def test_unknown_rule_sets_and_missing_files(tmp_path: Path) -> None:
    assert refusal("libertyy") == (
        'unknown rule set "libertyy". Did you mean "liberty"? '
        "Allowed: liberty, lotv-4.10, lotv-5.0.14, lotv-5.0.3, smac"
    )
    assert "Did you mean" not in refusal("../rulesets/liberty")
    assert refusal(tmp_path / "none.toml").endswith(
        "none.toml: cannot be read (No such file or directory)"
    )
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    assert refusal(tmp_path / "bytes.toml").startswith("bytes.toml: not UTF-8 text")
    assert issubclass(FactsError, TerrariumError)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (
            "[sentinel]",
            "[Sentinel]",
            "units.toml, line 6: Sentinel: a unit's name has small letters",
        ),
        ("id = 90001\n", "", 'units.toml, line 6: sentinel: the key "id" is missing'),
        (
            "id = 90001",
            "id = 48",
            "units.toml, line 7: sentinel.id: 48 is the id of marine already",
        ),
        ("hp = 70\n", "", 'units.toml, line 6: sentinel: the key "hp" is missing'),
        ('race = "Terran"\n', "", 'sentinel: the key "race" is missing'),
        (
            'race = "Terran"',
            'race = "Xel"',
            'units.toml, line 3: defaults.race: unknown value "Xel"',
        ),
        ("[defaults]", "remove = 1\n[defaults]", "units.toml, line 2: remove: 1 is not a table"),
    ],
)
def test_bad_unit_files(before: str, after: str, expected: str, tmp_path: Path) -> None:
    write(tmp_path, NEW_UNIT.replace(before, after, 1), "units.toml")
    message = refusal(write(tmp_path, HEAD + 'units = ["units.toml"]\n'))
    assert expected in message
    assert "\n" not in message


# Properties.

ANY_VALUE = st.recursive(
    st.booleans()
    | st.integers()
    | st.floats()
    | st.text("abc -", max_size=5)
    | st.sampled_from(["marine", "air", "ground", "Light"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["range", "radius", "damage", "size"]), inner, max_size=2)
    ),
    max_leaves=4,
)
MARINE_KEYS = [
    *("hp", "armor", "attributes", "flags", "speed", "radius", "footprint", "production", "weapon"),
    *("api", "heal", "lifetime_loops", "command_card", "mover", "remove", "id", "collision"),
]
RIFLE_KEYS = [
    *("range", "damage", "bonus", "hits", "missile", "splash", "line", "area", "cone", "turret"),
    *("at_loops", "attacks", "spawns", "per_upgrade_level", "remove", "targets", "kind"),
]


@pytest.mark.slow
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(
    marine=st.dictionaries(st.sampled_from(MARINE_KEYS), ANY_VALUE, max_size=2),
    rifle=st.dictionaries(st.sampled_from(RIFLE_KEYS), ANY_VALUE, max_size=2),
)
def test_whatever_a_file_says_it_loads_or_is_refused_in_one_line(
    tmp_path: Path, marine: dict[str, Any], rifle: dict[str, Any]
) -> None:
    if "weapon" in marine:
        rifle = {}
    parts = [f"{key} = {toml(value)}" for key, value in marine.items()]
    text = HEAD + "[unit.marine]\n" + "\n".join(parts) + "\n"
    if rifle:
        text += RIFLE + "\n".join(f"{key} = {toml(value)}" for key, value in rifle.items())
    message = ""
    try:
        marine_loaded = load_ruleset(write(tmp_path, text)).units["marine"]
    except FactsError as error:
        message = str(error)
    else:
        assert math.isfinite(marine_loaded.hp + marine_loaded.speed + marine_loaded.radius)
    assert message == "" or message.startswith("mine.toml")
    assert "\n" not in message
