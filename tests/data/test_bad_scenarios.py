"""Every way to write a scenario wrongly gets one line that says where, what and what instead."""

from pathlib import Path

import pytest

from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.tables import FactsError
from terrarium.errors import TerrariumError

GROUPS = """\
title = "A battle"
terrain = "band"
rules = "liberty"
version = 1
limit_steps = 100

[[group]]
side = "ally"
at = [9.0, 16.0]
units = { marine = 3, medivac = 1 }
passive = true

[[group]]
side = "enemy"
at = [23.0, 16.0]
units = { zealot = 2 }
order = { attack_move = [9.0, 16.0] }

[smac]
map_type = "marines"
ally_race = "Terran"
enemy_race = "Protoss"
unit_type_bits = 0
"""

GENERATED = """\
title = "Random teams"
terrain = "open"
rules = "liberty"
limit_steps = 200

[generate]
n_allies = 5
n_enemies = 6
units = { marine = 0.5, marauder = 0.4, medivac = 0.1 }
never_only = ["medivac"]
positions = "surrounded_and_reflect"
reflect_probability = 0.5
passive_allies = true

[trigger]
every_ticks = 8
order = "attack_nearest"
side = "enemy"
"""

BETWEEN = "attack_move_between = "

BAD_GROUPS = {
    "unknown key": (
        "limit_steps",
        "limit_step",
        'line 5: limit_step: unknown key. Did you mean "limit_steps"?',
    ),
    "unknown key of a group": (
        "passive",
        "pasive",
        'line 11: group[0].pasive: unknown key. Did you mean "passive"?',
    ),
    "unknown key of [smac]": ("ally_race", "aly_race", "line 21: smac.aly_race: unknown key. Did"),
    "missing key": ('title = "A battle"', "", 'line 1: the key "title" is missing'),
    "missing side": ('side = "ally"\n', "", 'line 7: group[0]: the key "side" is missing'),
    "unknown terrain": (
        '"band"',
        '"bnd"',
        'line 2: terrain: unknown terrain "bnd". Did you mean "band"?',
    ),
    "terrain outside of the folder": (
        '"band"',
        '"../terrains/band"',
        'line 2: terrain: unknown terrain "../terrains/band"',
    ),
    "terrain file outside of the folder": (
        '"band"',
        '"../band.toml"',
        'line 2: terrain: "../band.toml": a terrain of your own lies beside the scenario',
    ),
    "unknown rule set": (
        '"liberty"',
        '"libery"',
        'line 3: rules: unknown rule set "libery". Did you mean "liberty"?',
    ),
    "unknown unit": (
        "{ marine",
        "{ marin",
        'line 10: group[0].units.marin: unknown unit "marin". Did you mean "marine"? '
        "See: terrarium list units",
    ),
    "coordinate of hundreds of digits": (
        "[9.0, 16.0]\nunits",
        f"[{'9' * 400}, 16.0]\nunits",
        "line 9: group[0].at: a number of hundreds of digits is too large",
    ),
    "a line break in a word": (
        'side = "ally"',
        'side = "al\\nly"',
        'line 8: group[0].side: unknown value "al\\nly"',
    ),
    "count of zero": ("marine = 3", "marine = 0", "line 10: group[0].units.marine: 0 is outside"),
    "negative count": ("marine = 3", "marine = -2", "group[0].units.marine: -2 is outside"),
    "half a unit": ("marine = 3", "marine = 2.5", "group[0].units.marine: 2.5 is not a whole"),
    "no units": ("{ zealot = 2 }", "{}", "line 16: group[1].units: no units"),
    "too many units": (
        "zealot = 2",
        "zealot = 509",
        "line 16: group[1].units: too many units: 513 with these. At most 512 are allowed",
    ),
    "unknown side": ('"ally"', '"aly"', 'line 8: group[0].side: unknown value "aly". Did you mean'),
    "start outside of the playable area": (
        "at = [9.0, 16.0]",
        "at = [1.5, 16.0]",
        "line 9: group[0].at: [1.5, 16] is outside the playable area of band: x 2 to 30",
    ),
    "start that is no number": (
        "at = [9.0,",
        "at = [nan,",
        "line 9: group[0].at: [nan, 16] is out",
    ),
    "start with three coordinates": (
        "at = [9.0,",
        "at = [9.0, 1.0,",
        "line 9: group[0].at: [9.0, 1",
    ),
    "ground unit on a cliff": (
        "at = [23.0, 16.0]",
        "at = [23.0, 4.0]",
        "line 15: group[1].at: [23, 4] is unwalkable ground of band: no place for zealot",
    ),
    "overlapping spawn": (
        "at = [23.0, 16.0]",
        "at = [10.0, 16.5]",
        "line 15: group[1].at: overlapping spawn: group[0] (ally) and group[1] (enemy) are 1.11803 "
        "apart, but their largest units need 1.25",
    ),
    "target outside of the map": (
        "attack_move = [9.0, 16.0]",
        "attack_move = [9.0, 32.5]",
        "line 17: group[1].order.attack_move: [9.0, 32.5] is outside of the map: 0 to 32",
    ),
    "target that is no point": (
        "attack_move = [9.0, 16.0]",
        "attack_move = [9.0, true]",
        "line 17: group[1].order.attack_move: [9.0, True] is not a point",
    ),
    "end of the segment outside of the map": (
        "attack_move = [9.0, 16.0]",
        BETWEEN + "[[1, 1], [-1, 5]]",
        "line 17: group[1].order.attack_move_between: [-1, 5] is outside of the map",
    ),
    "segment of one point": (
        "attack_move = [9.0, 16.0]",
        BETWEEN + "[[1, 1]]",
        "group[1].order.attack_move_between: [[1, 1]] is not two points",
    ),
    "segment of numbers": (
        "attack_move = [9.0, 16.0]",
        BETWEEN + "[1, 1]",
        "group[1].order.attack_move_between: 1 is not a point [x, y]",
    ),
    "unknown order": (
        "attack_move = ",
        "atack_move = ",
        'line 17: group[1].order.atack_move: unknown key. Did you mean "attack_move"?',
    ),
    "two orders": (
        "{ attack_move",
        '{ attack = "ally", attack_move',
        "line 17: group[1].order: an order is exactly one of: attack_move, ",
    ),
    "attack on the own side": (
        "attack_move = [9.0, 16.0]",
        'attack = "enemy"',
        'line 17: group[1].order.attack: "enemy" is the own side',
    ),
    "target far away": (
        "attack_move = [9.0, 16.0]",
        f"attack_move = [9.0, 1{'0' * 400}]",
        "0] is outside of the map: 0 to 32, 0 to 32",
    ),
    "negative limit": (
        "limit_steps = 100",
        "limit_steps = -1",
        "line 5: limit_steps: -1 is outside",
    ),
    "no time": ("version = 1", "ticks_per_step = 0", "line 4: ticks_per_step: 0 is outside"),
    "unknown map type": ('"marines"', '"marine"', 'line 20: smac.map_type: unknown value "marine"'),
    "unknown race": (
        '"Protoss"',
        '"Protos"',
        'line 22: smac.enemy_race: unknown value "Protos". Did you mean "Protoss"?',
    ),
    "groups and generate": (
        "[smac]",
        "[generate]\n[smac]",
        "line 1: a scenario has [[group]]s, [generate] or [armies]; this one has both",
    ),
    "not TOML": ("version = 1", "version = ", "not valid TOML"),
}

BAD_GENERATED = {
    "neither groups nor generate": (
        GENERATED[GENERATED.index("[generate]") :],
        "",
        "line 1: a scenario has [[group]]s, [generate] or [armies]; this one has neither",
    ),
    "empty list of groups": (
        GENERATED[GENERATED.index("[generate]") :],
        "group = []",
        "line 6: group: a scenario needs at least one group",
    ),
    "unknown key of [generate]": (
        "n_allies",
        "n_ally",
        'line 7: generate.n_ally: unknown key. Did you mean "n_allies"?',
    ),
    "unknown unit in the weights": (
        "marauder = ",
        "maruder = ",
        'line 9: generate.units.maruder: unknown unit "maruder". Did you mean "marauder"?',
    ),
    "weight of zero": (
        "medivac = 0.1",
        "medivac = 0.0",
        "line 9: generate.units.medivac: a weight must be positive, not 0",
    ),
    "weight that is no number": ("medivac = 0.1", "medivac = nan", "positive, not nan"),
    "weights that do not sum to 1": (
        "medivac = 0.1",
        "medivac = 0.2",
        "line 9: generate.units: the weights must sum to 1, not to 1.1",
    ),
    "weights that barely miss 1": (
        "medivac = 0.1",
        "medivac = 0.10000001",
        "generate.units: the weights must sum to 1, not to 1.00000001",
    ),
    "no allies": ("n_allies = 5", "n_allies = 0", "line 7: generate.n_allies: 0 is outside"),
    "too many units": (
        "n_enemies = 6",
        "n_enemies = 508",
        "line 6: generate: too many units: 513 with these. At most 512 are allowed",
    ),
    "exception that is not drawn": (
        '["medivac"]',
        '["medivak"]',
        "line 10: generate.never_only: 'medivak' is not one of `units`. Did you mean \"medivac\"?",
    ),
    "exception that is no name": ('["medivac"]', "[[1]]", "generate.never_only: [1] is not one of"),
    "exceptions that leave no team": (
        '["medivac"]',
        '["medivac", "marine", "marauder"]',
        "line 10: generate.never_only: ['medivac', 'marine', 'marauder'] leaves no team",
    ),
    "unknown positions": (
        "surrounded_and_reflect",
        "surounded",
        'line 11: generate.positions: unknown value "surounded". Did you mean "surrounded"?',
    ),
    "probability above 1": (
        "reflect_probability = 0.5",
        "reflect_probability = 1.5",
        "line 12: generate.reflect_probability: 1.5 is outside 0 to 1",
    ),
    "probability without a meaning": (
        "surrounded_and_reflect",
        "surrounded",
        'line 12: generate.reflect_probability: means nothing where positions = "surrounded"',
    ),
    "trigger period of zero": (
        "every_ticks = 8",
        "every_ticks = 0",
        "line 16: trigger.every_ticks: 0 is outside",
    ),
    "unknown order of the trigger": (
        "attack_nearest",
        "attack_nearst",
        'trigger.order: unknown value "attack_nearst". Did you mean "attack_nearest"?',
    ),
}


def refused(folder: Path, text: str) -> str:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FactsError) as error:
        load_scenario(file)
    message = str(error.value)
    assert message.startswith(str(file))
    assert "\n" not in message
    return message


def test_the_good_files_load(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GROUPS, encoding="utf-8")
    battle = load_scenario(file)
    assert (battle.name, battle.ticks_per_step) == ("mine", 8)
    assert list(battle.groups[0].units.items()) == [("marine", 3), ("medivac", 1)]
    file.write_text(GENERATED, encoding="utf-8")
    teams = load_scenario(str(file))
    assert teams.generator is not None
    assert teams.version == 1
    assert list(teams.generator.weights) == ["marine", "marauder", "medivac"]


@pytest.mark.parametrize("case", BAD_GROUPS)
def test_bad_groups_are_refused(tmp_path: Path, case: str) -> None:
    old, new, message = BAD_GROUPS[case]
    assert old in GROUPS
    assert message in refused(tmp_path, GROUPS.replace(old, new, 1))


@pytest.mark.parametrize("case", BAD_GENERATED)
def test_bad_generators_are_refused(tmp_path: Path, case: str) -> None:
    old, new, message = BAD_GENERATED[case]
    assert old in GENERATED
    assert message in refused(tmp_path, GENERATED.replace(old, new, 1))


@pytest.mark.parametrize("text", [GROUPS, GENERATED])
def test_the_agents_copy_of_a_unit_is_not_named(tmp_path: Path, text: str) -> None:
    text = text.replace('"liberty"', '"smac"').replace("medivac =", "medivac_rl =")
    message = "units.medivac_rl: it is what agents play: write medivac, and let them be passive"
    assert message in refused(tmp_path, text)


def test_flyers_may_start_above_a_cliff_and_friends_on_one_point(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = GROUPS.replace("at = [23.0, 16.0]", "at = [23.0, 4.0]").replace("zealot", "medivac")
    file.write_text(text, encoding="utf-8")
    assert load_scenario(file).groups[1].at == (23.0, 4.0)
    text = GROUPS.replace('side = "enemy"', 'side = "ally"').replace("23.0", "9.0")
    file.write_text(text, encoding="utf-8")
    assert load_scenario(file).groups[0].at == load_scenario(file).groups[1].at


def test_a_terrain_may_lie_beside_the_scenario(tmp_path: Path) -> None:
    drawing = "\n".join(["." * 32] * 32)
    (tmp_path / "field.toml").write_text(
        'title = "Field"\nplayable = [0, 0, 32, 32]\nheights = { level1 = 8 }\n'
        f'walkable = """\n{drawing}\n"""\nlevels = """\n{drawing.replace(".", "1")}\n"""\n',
        encoding="utf-8",
    )
    file = tmp_path / "mine.toml"
    file.write_text(GROUPS.replace('"band"', '"field.toml"'), encoding="utf-8")
    assert load_scenario(file).terrain.title == "Field"
    file.write_text(GROUPS.replace('"band"', '"lost.toml"'), encoding="utf-8")
    with pytest.raises(FactsError, match=r"lost\.toml: cannot be read: No such file"):
        load_scenario(file)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "smac/3mm",
            'unknown scenario "smac/3mm". Did you mean "smac/3m"? See: terrarium list scenarios',
        ),
        ("2s3zz", 'unknown scenario "2s3zz". Did you mean "2s3z"? See: terrarium list scenarios'),
        ("../scenarios/smac/3m", 'unknown scenario "../scenarios/smac/3m".'),
        ("smac/../smac/3m", 'unknown scenario "smac/../smac/3m".'),
        ("/etc/passwd", 'unknown scenario "/etc/passwd". See: terrarium list scenarios'),
        ("", 'unknown scenario "". See: terrarium list scenarios'),
        ("smac", 'unknown scenario "smac".'),
        ("3m\nx", 'unknown scenario "3m\\nx".'),
        ("no\0where.toml", "no\0where.toml: cannot be read: embedded null"),
        ("no\nwhere.toml", "no\\nwhere.toml: cannot be read: No such file or directory"),
        ("nowhere.toml", "nowhere.toml: cannot be read: No such file or directory"),
    ],
)
def test_an_unknown_scenario_is_refused(name: str, message: str) -> None:
    with pytest.raises(TerrariumError) as error:
        load_scenario(name)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_folder_is_no_scenario(tmp_path: Path) -> None:
    with pytest.raises(FactsError, match="cannot be read"):
        load_scenario(tmp_path)


def test_an_unknown_family_is_refused() -> None:
    with pytest.raises(TerrariumError, match=r'unknown family "smacv3"\. Did you mean "smacv2"\?'):
        scenario_names("smacv3")


def test_a_bare_name_of_two_families_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrarium.data.battles.scenarios._names", lambda: ("a/duel", "b/duel"))
    with pytest.raises(TerrariumError, match='scenario "duel" could be any of: a/duel, b/duel'):
        load_scenario("duel")
