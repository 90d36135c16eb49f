"""SMAC's agents have bodies of their own, and are the units that everybody knows in all else."""

import numpy as np
import pytest

import terrarium
from terrarium.data.battles.scenarios import load_scenario, scenario_names, with_rules
from terrarium.engine.simulator import Simulator
from terrarium.envs.options import options_for
from terrarium.envs.players.players import HeuristicPlayer, record_battle
from terrarium.envs.players.tactical_view import Lookout
from terrarium.envs.vector import VecEnv
from terrarium.replay.names import glyphs, title_of
from terrarium.replay.playback import frames_of

pytestmark = pytest.mark.xdist_group("engine")

LIFE = {"zergling": 35.0, "baneling": 30.0, "hydralisk": 90.0}
COPIED = ("colossus", "hydralisk", "medivac")
SMAC = [*scenario_names("smac"), *scenario_names("smacv2")]


def column(sim: Simulator, field: str) -> dict[str, set[float]]:
    """What the rules say of the types that each player has, by the names of the units."""
    found: dict[str, set[float]] = {}
    for unit in sim.units.ravel():
        who = ("", "agent ", "enemy ")[unit["owner"]] + sim.names[unit["kind"]]
        found.setdefault(who, set()).add(float(sim.rules.types[field][unit["kind"]]))
    return found


def test_a_hydralisk_of_the_agents_has_80_life_and_one_of_the_enemy_90() -> None:
    life = column(Simulator("smacv2/zerg_10_vs_10", 8), "hp")
    assert life == {
        **{"agent hydralisk": {80.0}, "enemy hydralisk": {90.0}},
        **{"agent zergling": {35.0}, "enemy zergling": {35.0}},
        **{"agent baneling": {30.0}, "enemy baneling": {30.0}},
    }
    assert column(Simulator("smac/6h_vs_8z"), "hp")["agent hydralisk"] == {80.0}


def test_a_medivac_of_the_agents_is_faster_than_one_of_the_enemy() -> None:
    sim = Simulator("smac/MMM2")
    speed, accel = column(sim, "speed"), column(sim, "accel")
    assert speed["agent medivac"] == {2.75 / 16.0}
    assert speed["enemy medivac"] == {2.5 / 16.0}
    assert accel["agent medivac"] == {2.3125 / 256.0}
    assert accel["enemy medivac"] == {2.25 / 256.0}
    assert speed["agent marine"] == speed["enemy marine"] == {2.25 / 16.0}


def test_units_that_are_created_passive_are_agents() -> None:
    sim = Simulator("smac/6h_vs_8z", slots=20)
    agent = sim.create(0, "hydralisk", 2, 16.0, 16.0, passive=True)
    other = sim.create(0, "hydralisk", 1, 16.0, 16.0)
    assert sim.units["hp"][0, [agent, other]].tolist() == [80.0, 90.0]


@pytest.mark.parametrize("contract", ["exact", "fixed"])
def test_states_and_rewards_go_by_the_life_in_effect(contract: str) -> None:
    env = terrarium.make("smacv2/zerg_10_vs_11", contract=contract, seed=3)
    env.reset()
    names = [unit.name for unit in env.enemies.values()]
    assert "hydralisk" in names
    assert [unit.health_max for unit in env.enemies.values()] == [LIFE[name] for name in names]
    assert env.max_reward == 10 * 11 + 200 + sum(LIFE[name] for name in names)
    full = [unit.health == unit.health_max for unit in env.agents.values()]
    assert all(full)
    state = dict(zip(env.get_state_feature_names(), env.get_state(), strict=True))
    shown = [
        state[f"{side}_health_{k}"] for side, n in (("ally", 10), ("enemy", 11)) for k in range(n)
    ]
    assert shown == [1.0] * 21


@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize("name", ["smac/1c3s5z", "smac/6h_vs_8z", "smac/MMM", "smacv2/zerg_5_vs_5"])
def test_learners_see_the_same_kind_of_unit(name: str, contract: str) -> None:
    env = VecEnv(name, options=options_for(load_scenario(name), {"contract": contract}))
    for unit in COPIED:
        original, copy = env.kinds[env.sim.rows[unit]], env.kinds[env.sim.rows[f"{unit}_rl"]]
        fields = [field for field in env.kinds.dtype.names or () if field != "order"]
        assert [copy[field] for field in fields] == [original[field] for field in fields]
    # Agents are sorted by the alphabet of the names that people know.
    order = env.kinds["order"][
        [env.sim.rows[n] for n in ("baneling", "colossus_rl", "hydralisk_rl")]
    ]
    assert (np.diff(order) > 0).all()


@pytest.mark.parametrize(
    ("name", "contract", "agents"),
    [
        ("smac/6h_vs_8z", "exact", 2005),  # the only copy of its map
        ("smac/6h_vs_8z", "fixed", 107),
        ("smacv2/zerg_10_vs_10", "exact", 2007),  # SMACv2's own number
        ("smacv2/zerg_10_vs_10", "fixed", 107),
    ],
)
def test_views_of_agents_have_the_name_and_the_id_of_the_unit(
    name: str, contract: str, agents: int
) -> None:
    env = terrarium.make(name, contract=contract, seed=1)
    env.reset()
    hydralisks = [unit for unit in env.agents.values() if unit.name == "hydralisk"]
    assert {(unit.unit_type, unit.health_max) for unit in hydralisks} == {(agents, 80.0)}
    others = [unit for unit in env.enemies.values() if unit.name == "hydralisk"]
    assert {(unit.unit_type, unit.health_max) for unit in others} <= {(107, 90.0)}


def test_replays_show_the_unit_that_people_know() -> None:
    record = record_battle(HeuristicPlayer(), load_scenario("smac/MMM"), 0)
    types = frames_of(record).types
    assert sorted(title_of(one) for one in types) == ["Marauder", "Marine", "Medivac", "Medivac"]
    assert len(set(glyphs(types))) == 3


def test_tactics_know_their_medivac() -> None:
    env = VecEnv("smac/MMM")
    env.reset()
    view = Lookout(env).look(env)
    assert view.own_are("medivac").sum() == view.enemy_are("medivac").sum() == 1


@pytest.mark.parametrize("name", SMAC)
def test_every_battle_of_smac_can_be_played_by_liberty(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.rules == "smac"
    assert with_rules(scenario, "liberty").rules == "liberty"


@pytest.mark.parametrize("rules", ["liberty", "lotv-4.10"])
def test_rules_without_copies_give_both_sides_one_body(rules: str) -> None:
    env = terrarium.make("smacv2/zerg_10_vs_10", rules=rules, seed=1)
    env.reset()
    everybody = (*env.agents.values(), *env.enemies.values())
    life = {unit.health_max for unit in everybody if unit.name == "hydralisk"}
    assert life == {80.0 if rules == "liberty" else 90.0}
