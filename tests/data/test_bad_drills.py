"""Every way to write a drill or an arena wrongly gets one line that says where, what and why."""

from pathlib import Path

import pytest

from terrarium.data.battles.scenario import Measure, Stock
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.tables import FactsError

DRILL = """\
title = "A drill"
terrain = "open_40"
rules = "lotv-4.10"
limit_steps = 100
fog = true

[upgrades]
ally = ["stimpack", "terran_infantry_weapons_level2"]

[stock.enemy]
nukes = 1

[[group]]
side = "ally"
at = [9.0, 20.0]
units = { medivac = 2 }
inside = { marine = 4, marauder = 2 }
energy = 120
spread = 2.0

[[group]]
side = "enemy"
at = [30.0, 20.0]
units = { ravager = 2 }
hp = 0.6
spacing = 2.5
order = { patrol = [[30, 10], [30, 30]] }
after_ticks = 160

[[group]]
side = "enemy"
at = [33.0, 20.0]
units = { ghost = 1 }
order = { cast = { ability = "tactical_nuke", at = [22, 20] } }

[[trigger]]
every_ticks = 16
order = "cast"
side = "enemy"
ability = "corrosive_bile"

[[trigger]]
every_ticks = 16
order = "attack_nearest"
side = "enemy"

[measure]
kind = "reach"
at = [30.0, 20.0]
radius = 5.0
only = ["marine"]
good = 0.8
"""

ARENA = """\
title = "An arena"
terrain = "open_40"
rules = "lotv-4.10"
limit_steps = 100

[armies]
value = [600, 1500]
handicap = 1.2
max_units = 24
upgrade_chance = 0.3

[armies.ally]
races = ["Terran"]
at = [9.0, 20.0]
spread = 3.0

[armies.enemy]
races = ["Zerg", "Protoss"]
at = [31.0, 20.0]

[armies.units]
marine = 5
zergling = 3
zealot = 1.5
"""

PATROL = "patrol = [[30, 10], [30, 30]]"
NUKE = 'ability = "tactical_nuke", at = [22, 20]'

BAD_DRILLS = {
    "fog that is no truth value": ("fog = true", "fog = 1", "line 5: fog: 1 is not true or false"),
    "unknown upgrade": (
        '"stimpack"',
        '"stimpak"',
        "line 8: upgrades.ally: unknown upgrade 'stimpak' in lotv-4.10. Did you mean \"stimpack\"?",
    ),
    "upgrade that is no name": ('"stimpack"', "[1]", "line 8: upgrades.ally: unknown upgrade [1]"),
    "upgrades of nobody": (
        'ally = ["stim',
        'aly = ["stim',
        'line 8: upgrades.aly: unknown key. Did you mean "ally"?',
    ),
    "stock of nobody": (
        "[stock.enemy]",
        "[stock.enmy]",
        "stock.enmy: unknown key. Did you",
    ),
    "unknown goods": (
        "nukes = 1",
        "nuks = 1",
        "line 11: stock.enemy.nuks: unknown key. Did you mean",
    ),
    "half a nuke": ("nukes = 1", "nukes = 0.5", "stock.enemy.nukes: 0.5 is not a whole number"),
    "debts": ("nukes = 1", "minerals = -5", "stock.enemy.minerals: -5 is outside 0 to 1e+06"),
    "passengers of a walker": (
        "units = { medivac = 2 }",
        "units = { ghost = 2 }",
        "group[0].inside: ghost carries nobody",
    ),
    "passenger that does not fit": (
        "{ marine = 4, marauder = 2 }",
        "{ battlecruiser = 1 }",
        "line 17: group[0].inside.battlecruiser: medivac does not take battlecruiser",
    ),
    "machine in a bunker": (
        "units = { medivac = 2 }\ninside = { marine = 4, marauder = 2 }\nenergy = 120",
        "units = { bunker = 2 }\ninside = { hellion = 1 }",
        "group[0].inside.hellion: bunker does not take hellion",
    ),
    "more passengers than room": (
        "marauder = 2 }",
        "marauder = 3 }",
        "line 17: group[0].inside: 10 places in a medivac, which has 8",
    ),
    "unknown passenger": ("marauder = 2", "maruder = 2", 'unknown unit "maruder". Did you mean'),
    "too much energy": ("energy = 120", "energy = 201", "line 18: group[0].energy: 201 is outside"),
    "energy of those without": (
        "hp = 0.6",
        "energy = 50",
        "line 25: group[1].energy: none of these has energy: ravager",
    ),
    "no life": ("hp = 0.6", "hp = 0", "line 25: group[1].hp: a share of full life must be above 0"),
    "more than full life": ("hp = 0.6", "hp = 1.5", "line 25: group[1].hp: 1.5 is outside 0 to 1"),
    "negative spread": ("spread = 2.0", "spread = -1", "line 19: group[0].spread: -1 is outside"),
    "spread that is no number": ("spread = 2.0", "spread = nan", "group[0].spread: nan is outside"),
    "spacing of nothing": ("spacing = 2.5", "spacing = 0", "group[1].spacing: 0 is outside 0.1"),
    "negative delay": ("after_ticks = 160", "after_ticks = -1", "group[1].after_ticks: -1 is out"),
    "delay of no order": (
        f"order = {{ {PATROL} }}\n",
        "",
        "line 27: group[1].after_ticks: means nothing without an order",
    ),
    "hold that is not": (PATROL, "hold = false", "line 27: group[1].order.hold: leave the order"),
    "patrol to one point": (PATROL, "patrol = [[3, 3]]", "order.patrol: [[3, 3]] is not two"),
    "patrol out of the map": (PATROL, "patrol = [[3, 3], [3, 99]]", "[3, 99] is outside of the"),
    "unknown ability": (
        NUKE,
        NUKE.replace("nuke", "nuk"),
        'group[2].order.cast.ability: unknown ability "tactical_nuk" in lotv-4.10. Did you mean',
    ),
    "ability of somebody else": (
        NUKE,
        'ability = "psi_storm", at = [22, 20]',
        'cast.ability: nobody there has "psi_storm"; it belongs to: high_templar',
    ),
    "ability without its point": (NUKE, 'ability = "tactical_nuke"', '"tactical_nuke" needs a p'),
    "point without a use": (
        NUKE,
        'ability = "cloak_ghost", at = [22, 20]',
        'group[2].order.cast.at: "cloak_ghost" has no target',
    ),
    "ability on a unit": (
        NUKE,
        'ability = "steady_targeting", at = [22, 20]',
        '"steady_targeting" is aimed at a unit; an opening order can only name a point',
    ),
    "unknown key of a cast": (NUKE, NUKE.replace("at =", "att ="), "order.cast.att: unknown key"),
    "ability of a trigger that nobody has": (
        "corrosive_bile",
        "psi_storm",
        'line 40: trigger[0].ability: nobody there has "psi_storm"',
    ),
    "trigger without its ability": (
        'ability = "corrosive_bile"\n',
        "",
        'line 36: trigger[0]: the key "ability" is missing',
    ),
    "trigger without its range": (
        "corrosive_bile",
        "cloak_ghost",
        'line 36: trigger[0]: the key "range" is missing: "cloak_ghost" has no target',
    ),
    "ability that means nothing": (
        'order = "attack_nearest"\nside = "enemy"',
        'order = "attack_nearest"\nside = "enemy"\nability = "stimpack_marine"',
        'line 46: trigger[1].ability: means nothing where order = "attack_nearest"',
    ),
    "unknown measure": ('"reach"', '"reaches"', 'unknown value "reaches". Did you mean "reach"?'),
    "measure without its circle": ("radius = 5.0\n", "", 'measure: the key "radius" is missing'),
    "circle of another measure": (
        '"reach"',
        '"saves"',
        "line 49: measure.at: unknown key. Allowed: kind, only, good",
    ),
    "measure of somebody absent": (
        'only = ["marine"]',
        'only = ["marin"]',
        "measure.only: 'marin' is not among those measured. Did you mean \"marine\"?",
    ),
    "measure of the other side": ('only = ["marine"]', 'only = ["ravager"]', "'ravager' is not"),
    "measure of no name": ('only = ["marine"]', "only = [[1]]", "measure.only: [1] is not among"),
    "more than everything is good": ("good = 0.8", "good = 1.1", "measure.good: 1.1 is outside"),
}

BAD_ARENAS = {
    "armies and groups": (
        "[armies.ally]",
        '[[group]]\nside = "ally"\n[armies.ally]',
        "line 1: a scenario has [[group]]s, [generate] or [armies]; this one has both",
    ),
    "unknown key": ("handicap", "handycap", 'armies.handycap: unknown key. Did you mean "handi'),
    "value the wrong way around": (
        "[600, 1500]",
        "[1500, 600]",
        "line 7: armies.value: [1500, 600]: the smaller value comes first",
    ),
    "value that pays for nobody": (
        "[600, 1500]",
        "[40, 1500]",
        "line 7: armies.value: 40 pays for no Terran unit of the ally; the cheapest costs 50",
    ),
    "handicap of nothing": ("handicap = 1.2", "handicap = 0", "armies.handicap: 0 is outside 0.1"),
    "too many units": (
        "max_units = 24",
        "max_units = 300",
        "armies.max_units: too many units: 600 with these. At most 512 are allowed",
    ),
    "chance above 1": ("= 0.3", "= 1.3", "line 10: armies.upgrade_chance: 1.3 is outside 0 to 1"),
    "unknown race": (
        '["Terran"]',
        '["Teran"]',
        "line 13: armies.ally.races: 'Teran' is no race. Did you mean \"Terran\"?",
    ),
    "no race": ('["Terran"]', "[]", "line 13: armies.ally.races: at least one of: Protoss, Terran"),
    "race without units": ("zealot = 1.5\n", "", "armies.enemy.races: `units` has no unit of Prot"),
    "unknown unit": (
        "marine = 5",
        "marin = 5",
        'armies.units.marin: unknown unit "marin"',
    ),
    "weight of zero": (
        "marine = 5",
        "marine = 0",
        "units.marine: a weight must be positive",
    ),
    "unit without a price": (
        "marine = 5",
        "marine = 5\nbroodling = 1",
        "armies.units.broodling: broodling costs nothing and cannot be drawn",
    ),
    "army outside of the map": ("[9.0, 20.0]", "[1.0, 20.0]", "armies.ally.at: [1, 20] is outside"),
    "no enemies": (
        ARENA[ARENA.index("[armies.enemy]") : ARENA.index("[armies.units]")],
        "",
        'line 6: armies: the key "enemy" is missing',
    ),
    "share of a drawn army": (
        "[armies.units]",
        '[measure]\nkind = "saves"\n[armies.units]',
        '"saves" is a share of what [[group]]s begin with',
    ),
}


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_good_drill_loads(tmp_path: Path) -> None:
    drill = load_scenario(written(tmp_path, DRILL))
    drop, ravagers, ghost = drill.groups
    assert drill.fog
    assert drill.stock == {"enemy": Stock(nukes=1)}
    assert drill.upgrades == {
        "ally": (
            *("stimpack", "terran_infantry_weapons_level1"),
            "terran_infantry_weapons_level2",
        )
    }
    assert (drop.inside, drop.energy, drop.spread) == ({"marine": 4, "marauder": 2}, 120.0, 2.0)
    assert (ravagers.hp, ravagers.spacing, ravagers.after_ticks) == (0.6, 2.5, 160)
    assert ravagers.order is not None
    assert (ravagers.order.kind, ravagers.order.at, ravagers.order.to) == (
        *("patrol", (30.0, 10.0)),
        (30.0, 30.0),
    )
    assert ghost.order is not None
    assert (ghost.order.kind, ghost.order.ability, ghost.order.at) == (
        *("cast", "tactical_nuke"),
        (22.0, 20.0),
    )
    assert [trigger.ability for trigger in drill.triggers] == ["corrosive_bile", None]
    assert drill.measure == Measure("reach", ("marine",), (30.0, 20.0), 5.0, good=0.8)
    hold = load_scenario(written(tmp_path, DRILL.replace(PATROL, "hold = true")))
    assert hold.groups[1].order is not None
    assert hold.groups[1].order.kind == "hold"


def test_the_good_arena_loads(tmp_path: Path) -> None:
    armies = load_scenario(written(tmp_path, ARENA)).armies
    assert armies is not None
    assert (armies.value, armies.handicap, armies.max_units) == ((600.0, 1500.0), 1.2, 24)
    assert armies.enemy.races == ("Zerg", "Protoss")
    assert (armies.ally.spread, armies.enemy.spread) == (3.0, 0.0)


def test_forms_count_as_one_unit(tmp_path: Path) -> None:
    text = DRILL.replace("ravager = 2", "siege_tank_sieged = 2").replace(
        '[[trigger]]\nevery_ticks = 16\norder = "cast"\nside = "enemy"\n'
        'ability = "corrosive_bile"\n',
        "",
    )
    circle = 'kind = "reach"\nat = [30.0, 20.0]\nradius = 5.0\nonly = ["marine"]'
    text = text.replace(circle, 'kind = "kills"\nonly = ["siege_tank"]')
    assert load_scenario(written(tmp_path, text)).measure.only == ("siege_tank",)


@pytest.mark.parametrize("case", BAD_DRILLS)
def test_bad_drills_are_refused(tmp_path: Path, case: str) -> None:
    refuse(tmp_path, DRILL, BAD_DRILLS[case])


@pytest.mark.parametrize("case", BAD_ARENAS)
def test_bad_arenas_are_refused(tmp_path: Path, case: str) -> None:
    refuse(tmp_path, ARENA, BAD_ARENAS[case])


def refuse(folder: Path, text: str, case: tuple[str, str, str]) -> None:
    old, new, words = case
    assert old in text
    file = written(folder, text.replace(old, new, 1))
    with pytest.raises(FactsError) as error:
        load_scenario(file)
    message = str(error.value)
    assert message.startswith(str(file))
    assert words in message
    assert "\n" not in message
