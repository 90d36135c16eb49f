"""Battles begin as drills and arenas say: where, in which shape, with which orders and armies."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from terrarium.data.battles.scenario import Armies, ArmySide, Group, Order, Scenario, Stock, Trigger
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.battles.terrains import load_terrain, regions
from terrarium.data.facts.forms import fighting_value
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.vocabulary import RACES
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator

RULES = "lotv-4.10"
PLACES = {"ally": 10.0, "enemy": 30.0}
FOE = Group("enemy", (36.0, 36.0), {"supply_depot": 1})


def battle(*groups: Group, terrain: str = "open_40", n_envs: int = 1) -> Simulator:
    scenario = Scenario(
        name="a test's own",
        title="",
        version=1,
        terrain=load_terrain(terrain),
        rules=RULES,
        limit_steps=100,
        ticks_per_step=8,
        groups=(*groups, FOE),
    )
    return Simulator(scenario, n_envs)


def test_each_battle_moves_a_group_as_a_whole() -> None:
    sim = battle(Group("ally", (12.0, 20.0), {"marine": 4}, spread=3.0), n_envs=400)
    sim.reset(0)
    first = sim.units[:, 0]
    assert first["x"].min() >= 9.0
    assert first["x"].max() < 15.0
    assert first["x"].mean() == pytest.approx(12.0, abs=4 * 3.0 / np.sqrt(3 * 400))
    assert first["y"].mean() == pytest.approx(20.0, abs=4 * 3.0 / np.sqrt(3 * 400))
    assert np.corrcoef(first["x"], first["y"])[0, 1] == pytest.approx(0.0, abs=0.2)
    for u in range(1, 4):  # the others keep their places beside the first
        assert np.ptp(sim.units[:, u]["x"] - first["x"]) == pytest.approx(0.0, abs=1e-9)
        assert np.ptp(sim.units[:, u]["y"] - first["y"]) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("terrain", ["choke", "ramp", "islands", "cliff_base"])
def test_a_moved_group_stays_on_its_ground(terrain: str) -> None:
    sim = battle(
        Group("ally", (20.5, 20.5), {"marine": 1}, spread=12.0), terrain=terrain, n_envs=200
    )
    ground = sim.scenario.terrain
    region = regions(ground)
    x, y = sim.units["x"][:, 0], sim.units["y"][:, 0]
    assert ground.walkable[y.astype(int), x.astype(int)].all()
    assert (region[y.astype(int), x.astype(int)] == region[20, 20]).all()
    assert len(np.unique(x)) > 150


def test_wounds_and_energy_are_what_the_group_says() -> None:
    sim = battle(
        Group("ally", (10.0, 20.0), {"medivac": 1, "marine": 1}, hp=0.6, energy=120.0),
        Group("ally", (20.0, 20.0), {"medivac": 1, "stalker": 1}),
    )
    hurt, marine, fresh, stalker = sim.units[0][:4]
    assert (hurt["hp"], hurt["energy"]) == (pytest.approx(0.6 * 150.0), 120.0)
    assert (marine["hp"], marine["energy"]) == (pytest.approx(0.6 * 45.0), 0.0)
    assert (fresh["hp"], fresh["energy"]) == (150.0, 50.0)
    assert (stalker["hp"], stalker["shield"]) == (80.0, 80.0)


def test_units_stand_as_far_apart_as_the_group_says() -> None:
    sim = battle(
        Group("ally", (12.0, 20.0), {"marine": 3, "marauder": 2}, spacing=3.0),
        Group("enemy", (28.0, 20.0), {"marine": 3, "marauder": 2}, spacing=3.0),
    )
    for side in (0, 1):
        units = sim.units[0][5 * side : 5 * side + 5]
        gaps = np.hypot(units["x"][:, None] - units["x"], units["y"][:, None] - units["y"])
        assert np.sort(gaps, axis=1)[:, 1] == pytest.approx(3.0)


def test_an_order_comes_when_it_is_due() -> None:
    march = Order("attack_move", at=(30.0, 20.0))
    sim = battle(
        Group("ally", (10.0, 10.0), {"marine": 2}, order=march),
        Group("ally", (10.0, 30.0), {"marine": 2}, order=march, after_ticks=20),
    )
    assert (sim.units[0]["n_orders"][:4] == [1, 1, 0, 0]).all()
    sim.step(20)
    assert not sim.units[0]["n_orders"][2:4].any()
    sim.step(1)
    assert (sim.games.orders[0, :4, 0]["kind"] == codes.ATTACK_MOVE).all()
    assert (sim.units[0]["n_orders"][:4] == 1).all()


def test_the_dead_get_no_order() -> None:
    march = Order("attack_move", at=(30.0, 20.0))
    sim = battle(Group("ally", (10.0, 10.0), {"marine": 2}, order=march, after_ticks=20))
    sim.units["hp"][0, 0] = 0.0
    sim.step(30)
    assert not sim.units[0]["alive"][0]
    assert (sim.units[0]["n_orders"][:2] == [0, 1]).all()


def test_a_patrol_goes_to_the_first_point_and_then_between_the_two() -> None:
    patrol = Order("patrol", at=(10.0, 30.0), to=(30.0, 30.0))
    sim = battle(Group("ally", (10.0, 20.0), {"hellion": 1}, order=patrol))
    turns = []
    for _ in range(500):
        before = sim.units[0, 0]["x"]
        sim.step(1)
        turns.append(np.sign(round(float(sim.units[0, 0]["x"] - before), 6)))
    me = sim.units[0, 0]
    assert me["y"] == pytest.approx(30.0, abs=0.5)
    assert {-1.0, 1.0} <= set(turns)
    assert sim.games.orders[0, 0, 0]["kind"] == codes.PATROL


def test_who_holds_does_not_follow() -> None:
    sim = battle(
        Group("ally", (10.0, 20.0), {"marine": 1}, order=Order("hold")),
        Group("enemy", (20.0, 20.0), {"zealot": 1}, order=Order("attack_move", at=(10.0, 20.0))),
    )
    sim.step(60)
    assert (sim.units[0, 0]["x"], sim.units[0, 0]["y"]) == (10.0, 20.0)
    assert sim.units[0, 1]["shield"] < 50.0


def scripted(*triggers: Trigger, groups: tuple[Group, ...], fog: bool = False) -> Simulator:
    scenario = replace(battle(*groups).scenario, triggers=triggers, fog=fog)
    return Simulator(scenario)


def test_several_triggers_run_side_by_side() -> None:
    triggers = (Trigger(8, "attack_nearest", side) for side in ("ally", "enemy"))
    groups = tuple(Group(side, (x, 20.0), {"marine": 2}) for side, x in PLACES.items())
    sim = scripted(*triggers, groups=groups)
    sim.step(1)
    assert (sim.units[0]["n_orders"][:4] == 1).all()


def test_in_the_fog_the_enemy_comes_all_the_same() -> None:
    groups = tuple(Group(side, (x, 20.0), {"marine": 2}) for side, x in PLACES.items())
    sim = scripted(Trigger(8, "attack_nearest", "enemy"), groups=groups, fog=True)
    sim.step(9)
    assert not sim.units[0]["seen"][:2].max() >> 2 & 1
    assert (sim.games.orders[0, 2:4, 0]["kind"] == codes.ATTACK_MOVE).all()
    assert (sim.games.orders[0, 2:4, 0]["x"] < 12.0).all()


def test_a_trigger_casts_at_the_nearest_opponent_in_range_and_goes_on() -> None:
    march = Order("attack_move", at=(10.0, 20.0))
    groups = (
        Group("ally", (10.0, 20.0), {"bunker": 1}),
        Group("ally", (6.0, 20.0), {"bunker": 1}),
        Group("enemy", (30.0, 20.0), {"ravager": 1}, order=march),
    )
    sim = scripted(Trigger(4, "cast", "enemy", "corrosive_bile"), groups=groups)
    while sim.units["x"][0, 2] > 10.0 + 9.0 + 1.25 + 1.0 + 0.3:
        sim.step(1)
        assert (sim.units["hp"][0, :2] == 400.0).all()
    sim.step(70)
    assert sim.units["hp"][0, 0] <= 400.0 - 60.0
    assert sim.units["hp"][0, 1] == 400.0
    assert sim.games.orders[0, 2, 0]["kind"] == codes.ATTACK_MOVE


def test_a_trigger_without_a_target_waits_for_an_opponent() -> None:
    groups = (
        Group("ally", (10.0, 20.0), {"scv": 1}),
        Group("enemy", (30.0, 20.0), {"siege_tank": 1}, order=Order("attack_move", at=(4.0, 20.0))),
    )
    sim = scripted(Trigger(8, "cast", "enemy", "siege_mode", range=12.0), groups=groups)
    tank = sim.rows["siege_tank_sieged"]
    sim.step(8)
    assert sim.units["kind"][0, 1] != tank
    sim.step(300)
    assert sim.units["kind"][0, 1] == tank
    assert 10.0 + 11.0 < sim.units["x"][0, 1] < 10.0 + 14.0  # the SCV has fled since


def test_a_group_may_begin_with_an_ability() -> None:
    sim = battle(
        Group(
            "enemy",
            (20.0, 20.0),
            {"widow_mine": 2},
            order=Order("cast", ability="burrow_widow_mine"),
        )
    )
    sim.step(100)
    assert (sim.units["kind"][0, :2] == sim.rows["widow_mine_burrowed"]).all()


def test_a_nuke_needs_a_nuke_in_stock() -> None:
    call = Order("cast", at=(12.0, 20.0), ability="tactical_nuke")
    groups = (
        Group("ally", (12.0, 20.0), {"marine": 1}),
        Group("enemy", (22.0, 20.0), {"ghost": 1}, passive=True, order=call),
    )
    for nukes in (0, 1):
        scenario = replace(battle(*groups).scenario, stock={"enemy": Stock(nukes=nukes)})
        sim = Simulator(scenario)
        sim.units["passive"][0, 0] = True
        sim.step(400)
        assert bool(sim.units["alive"][0, 0]) == (nukes == 0)


def test_passengers_begin_inside_and_die_or_leave_with_their_carrier() -> None:
    groups = (
        Group("ally", (10.0, 20.0), {"medivac": 2}, inside={"marine": 2, "marauder": 1}),
        Group("ally", (20.0, 20.0), {"bunker": 1}, inside={"marine": 4}),
    )
    sim = battle(*groups)
    names = [sim.names[kind] for kind in sim.units["kind"][0, :13]]
    assert (
        names == ["medivac"] * 2 + ["marine"] * 4 + ["marauder"] * 2 + ["bunker"] + ["marine"] * 4
    )
    assert sim.units["inside"][0, :13].tolist() == [-1, -1, 0, 0, 1, 1, 0, 1, -1, 8, 8, 8, 8]
    assert sim.players["n_alive"][0, 1] == 13
    sim.units["hp"][0, [0, 8]] = 0.0
    sim.step(2)
    assert sim.players["n_alive"][0, 1] == 13 - 2 - 3
    assert sim.units["alive"][0, 9:13].all()


def test_a_side_begins_with_its_upgrades() -> None:
    scenario = battle(Group("ally", (10.0, 20.0), {"marine": 1}, hp=0.5)).scenario
    upgrades = {"ally": ("shield_wall", "terran_infantry_armors_level1")}
    sim = Simulator(replace(scenario, upgrades=upgrades))
    me = sim.units[0, 0]
    assert (me["hp_max"], me["hp"], me["armor"]) == (55.0, 27.5, 1.0)
    sim.use(0, 0, "stimpack_marine")
    sim.step(1)
    assert sim.answer(0, 0) == "TechRequirementsNotMet"


ARENAS = scenario_names("arena")


@cache
def values(name: str) -> np.ndarray:
    """[battles, sides] what the armies cost."""
    sim = Simulator(name, 200)
    facts = load_ruleset(RULES)
    price = np.array([fighting_value(facts, unit) for unit in sim.names])
    worth = price[sim.units["kind"]] * sim.units["alive"]
    return np.stack([(worth * (sim.units["owner"] == owner)).sum(1) for owner in (1, 2)], axis=1)


@pytest.mark.parametrize("name", ARENAS)
def test_armies_stay_within_their_budget_and_spend_it(name: str) -> None:
    armies = load_scenario(name).armies
    assert armies is not None
    cost = values(name)
    cheapest = 100.0  # the dearest of the cheapest units of the three races
    low, high = armies.value
    assert cost[:, 0].max() <= high
    assert cost[:, 1].max() <= high * armies.handicap
    assert cost[:, 0].min() > low - cheapest
    assert cost[:, 1].min() > low * armies.handicap - cheapest
    assert cost[:, 0].max() - cost[:, 0].min() > 0.8 * (high - low)


@pytest.mark.parametrize("name", ARENAS)
def test_the_handicap_holds(name: str) -> None:
    armies = load_scenario(name).armies
    assert armies is not None
    cost = values(name)
    # What is left over is less than the cheapest unit, a few percent of an army.
    assert cost[:, 1].mean() / cost[:, 0].mean() == pytest.approx(armies.handicap, rel=0.04)
    ratio = cost[:, 1] / cost[:, 0]
    assert ratio.min() > armies.handicap * 0.85
    assert ratio.max() < armies.handicap * 1.15


def test_armies_are_of_the_races_that_were_named_and_can_fight_each_other() -> None:
    sim = Simulator("arena/terran_vs_any", 300)
    armies = sim.scenario.armies
    assert armies is not None
    facts = load_ruleset(RULES)
    race = np.array([RACES.index(facts.units[unit].race) for unit in sim.names])
    found = []
    for e in range(sim.n_envs):
        units = sim.units[e]
        sides = [units[units["alive"] & (units["owner"] == owner)] for owner in (1, 2)]
        assert set(race[sides[0]["kind"]]) == {RACES.index("Terran")}
        assert len(set(race[sides[1]["kind"]])) == 1
        found.append(race[sides[1]["kind"][0]])
        assert sim.units["alive"][e, : armies.max_units].sum() == len(sides[0])
        for mine, theirs in (sides, sides[::-1]):
            assert (sim.rules.rank[theirs["kind"]][:, mine["column"]] >= 0).any(axis=0).all()
    shares = np.bincount(found, minlength=3) / sim.n_envs
    # Four standard errors, and what the second draws of unfair battles move.
    assert shares == pytest.approx(1 / 3, abs=4 * np.sqrt(2 / 9 / sim.n_envs) + 0.05)


@pytest.mark.parametrize("name", ["arena/terran_vs_any", "skills/stim_timing"])
def test_the_same_seed_begins_the_same_battle_in_any_batch(name: str) -> None:
    alone, among = Simulator(name), Simulator(name, 16)
    alone.reset(99)  # leaves other armies in the slots
    alone.step(40)
    alone.reset(12)
    among.reset(0)
    assert alone.digest(0) == among.digest(12)
    assert len({among.digest(e) for e in range(16)}) == 16


def test_units_are_drawn_by_their_weights() -> None:
    base = load_scenario("arena/terran_vs_terran")
    side = ArmySide((9.0, 20.0), 0.0, ("Terran",))
    armies = Armies((500.0, 500.0), 1.0, 10, {"marine": 3.0, "reaper": 0.5}, 0.0, side, side)
    armies = replace(armies, enemy=replace(side, at=(31.0, 20.0)))
    sim = Simulator(replace(base, armies=armies, triggers=()), 400)
    drawn = sim.units["kind"][:, :4]  # before money runs short
    share = (drawn == sim.rows["marine"]).mean()
    assert share == pytest.approx(3.0 / 3.5, abs=4 * np.sqrt(0.12 / drawn.size))


def test_upgrades_come_by_chance_and_only_to_those_who_can_use_them() -> None:
    base = load_scenario("arena/terran_vs_terran")
    assert base.armies is not None
    armies = replace(base.armies, weights={"marine": 1.0}, upgrade_chance=0.3)
    sim = Simulator(replace(base, armies=armies, triggers=()), 600)
    bits = sim.rules.upgrades["tech"]
    techs, n_sides = sim.players["techs"][:, 1:].ravel(), 2 * sim.n_envs

    def share(upgrade: str) -> float:
        return float((techs & bits[sim.known.upgrades[upgrade]] != 0).mean())

    error = 4 * np.sqrt(0.3 * 0.7 / n_sides)
    assert share("stimpack") == pytest.approx(0.3, abs=error)
    assert share("shield_wall") == pytest.approx(0.3, abs=error)
    assert share("banshee_cloak") == 0.0
    family = sim.rules.upgrades["family"][sim.known.upgrades["terran_infantry_weapons_level1"]]
    levels = sim.players["levels"][:, 1:, family].ravel()
    for level in (1, 2, 3):  # each level needs the one below it
        expected = 0.3**level
        error = 4 * np.sqrt(expected * (1 - expected) / n_sides)
        assert (levels >= level).mean() == pytest.approx(expected, abs=error)
