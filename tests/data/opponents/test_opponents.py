"""Computer opponents as data: levels, builds, and the words for them."""

import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.opponents.levels import RACES, levels
from terrarium.data.opponents.opponent import find_opponent
from terrarium.data.opponents.plans import BUILDS, plans
from terrarium.errors import TerrariumError


def test_levels_and_builds_are_those_of_the_game() -> None:
    """sc2api.md, 6: Difficulty 1 to 10, AIBuild 2 to 6."""
    assert tuple(levels()) == (
        "VeryEasy", "Easy", "Medium", "MediumHard", "Hard", "Harder", "VeryHard",
        "CheatVision", "CheatMoney", "CheatInsane",
    )  # fmt: skip
    assert BUILDS == ("Rush", "Timing", "Power", "Macro", "Air")
    cheats = [name for name, level in levels().items() if level.sees_all or level.income != 1.0]
    assert cheats == ["CheatVision", "CheatMoney", "CheatInsane"]


@pytest.mark.parametrize("race", RACES)
def test_a_plan_names_what_its_race_has(race: str) -> None:
    facts = load_ruleset("lotv-4.10")
    for plan in plans(race).values():
        named = {share.unit for share in plan.army} | {goal.what for goal in plan.structures}
        named |= {plan.worker, plan.supply, plan.producer, *plan.townhalls, *plan.gas}
        assert {facts.units[name].race for name in named} == {race}, plan.name
        assert {facts.upgrades[name].race for name in plan.upgrades} == {race}, plan.name


def test_the_recorded_levels_grow_as_recorded() -> None:
    """economy.md, 12: Medium Terran has 21 workers at loop 4,800, VeryHard Zerg 32 at 6,400."""
    assert levels()["Medium"].workers_at("Terran", 4800) == 21
    assert levels()["VeryHard"].workers_at("Zerg", 6400) == 32
    assert levels()["VeryHard"].army_at("Terran", 5600) == 725
    for lower, higher in zip(
        list(levels().values())[2:], list(levels().values())[3:], strict=False
    ):
        for race in RACES:
            assert higher.army_at(race, 17_000) > lower.army_at(race, 17_000)


def test_words_are_taken_in_letters_of_any_size() -> None:
    opponent = find_opponent("veryhard-protoss-air")
    assert (opponent.level.name, opponent.race, opponent.build) == ("VeryHard", "Protoss", "Air")
    assert find_opponent("very_easy-random").name == "VeryEasy-Random"


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("hrad-zerg", 'Did you mean "Hard"?'),
        ("hard-zreg", 'Did you mean "Zerg"?'),
        ("hard-zerg-macor", 'Did you mean "Macro"?'),
        ("zerg", "LEVEL-RACE"),
    ],
)
def test_what_is_not_known_is_told(word: str, told: str) -> None:
    with pytest.raises(TerrariumError, match=told.replace("?", r"\?")):
        find_opponent(word)


@pytest.mark.parametrize("race", RACES)
def test_builds_are_what_their_names_say(race: str) -> None:
    facts, builds = load_ruleset("lotv-4.10"), plans(race)

    def flying(name: str) -> float:
        army = builds[name].army
        total = sum(share.weight for share in army)
        return sum(share.weight for share in army if facts.units[share.unit].flying) / total

    waves = [builds[name].wave_shift for name in ("Rush", "Timing", "Macro", "Power")]
    assert waves == sorted(set(waves))
    assert builds["Rush"].army_shift < builds["Macro"].army_shift
    assert builds["Rush"].expansion_shift > builds["Macro"].expansion_shift
    assert flying("Air") > 0.5
    assert all(flying(name) < 0.5 for name in BUILDS if name != "Air")
    dearest = {
        name: max(
            facts.units[s.unit].minerals_total + facts.units[s.unit].vespene_total
            for s in builds[name].army
        )
        for name in ("Rush", "Macro", "Power")
    }
    assert dearest["Rush"] < dearest["Macro"] <= dearest["Power"]


def test_armies_grow_on_after_the_schedule() -> None:
    """Two players of VeryEasy with the same small army for ever once had no result after 80
    minutes."""
    level = levels()["VeryEasy"]
    last = level.loops[-1]
    assert level.army_at("Terran", last + 20_000) >= 2.0 * level.army_at("Terran", last)
