"""The option `rules`: the same battle by another rule set."""

from pathlib import Path

import pytest

import terrarium
from terrarium.data.battles.scenarios import load_scenario, with_rules
from terrarium.envs.evaluate import evaluate
from terrarium.envs.options import options_for
from terrarium.envs.players.players import HeuristicPlayer, record_battle
from terrarium.errors import TerrariumError
from terrarium.replay.record import LightRecord

pytestmark = pytest.mark.xdist_group("engine")

STRONG = """\
title = "Marines that nobody kills"
version = 1
base = "liberty"

[unit.marine]
hp = 400
"""


@pytest.fixture
def strong(tmp_path: Path) -> str:
    file = tmp_path / "strong.toml"
    file.write_text(STRONG)
    return str(file)


def test_one_battle_and_many_are_played_by_the_rules_that_are_asked_for(strong: str) -> None:
    single, many = terrarium.make("smac/3m", rules=strong), terrarium.make_vec("smac/3m", 2)
    single.reset()
    many.reset()
    assert single.agents[0].health == single.agents[0].health_max == 400.0
    assert (many.sim.units["hp_max"] == 45.0).all()
    other = terrarium.make_vec("smac/3m", 2, rules=strong)
    other.reset()
    assert (other.sim.units["hp_max"] == 400.0).all()
    assert other.obs.shape == many.obs.shape


def test_the_scenarios_own_rules_change_nothing() -> None:
    plain, asked = load_scenario("smac/3m"), with_rules(load_scenario("smac/3m"), "smac")
    assert asked is plain
    answers = [
        evaluate(HeuristicPlayer(), plain, 20, options=options_for(plain, given))
        for given in ({}, {"rules": plain.rules})
    ]
    assert answers[0].mean_return == answers[1].mean_return


def test_rules_with_abilities_give_the_agents_theirs() -> None:
    plain, skilled = terrarium.make_vec("smac/3m"), terrarium.make_vec("smac/3m", rules="lotv-4.10")
    assert skilled.options.use_unit_ranges
    assert not plain.options.use_unit_ranges
    assert skilled.info.n_actions > plain.info.n_actions


def test_a_save_belongs_to_its_rules(strong: str) -> None:
    one, other = terrarium.make_vec("smac/3m"), terrarium.make_vec("smac/3m", rules=strong)
    one.reset()
    with pytest.raises(TerrariumError, match="another scenario, rules version, set of options"):
        other.load(one.save())


def test_battles_by_a_rule_set_file_are_recorded_as_they_were_seen(strong: str) -> None:
    scenario = load_scenario("smac/3m")
    options = options_for(scenario, {"rules": strong})
    record = record_battle(HeuristicPlayer(), scenario, 0, options=options)
    assert isinstance(record, LightRecord)
    assert record.about.ruleset == strong


@pytest.mark.parametrize(
    ("name", "rules", "message"),
    [
        ("smac/3m", "librety", 'unknown rule set "librety".*"liberty"'),
        ("smac/3m", 5, "rules is 5; it must be a text"),
        ("smac/3m", "nowhere.toml", "nowhere.toml"),
        ("skills/stim_timing", "liberty", "skills/stim_timing cannot be played by the rule set"),
    ],
)
def test_rules_that_do_not_fit_are_refused(name: str, rules: object, message: str) -> None:
    with pytest.raises(TerrariumError, match=message):
        terrarium.make(name, rules=rules)
