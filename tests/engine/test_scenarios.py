"""Scenarios begin as their files say, and random ones as SMACv2 draws them."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from terrarium.data.battles.scenario import Group, Scenario
from terrarium.data.battles.scenarios import load_scenario, scenario_names, with_rules
from terrarium.engine import codes
from terrarium.engine.simulator import EngineError, Simulator

GENERATED = scenario_names("smacv2")
FIXED = scenario_names("smac")
N_TEAMS = 4000
STRANGERS = (Group("ally", (9.0, 16.0), {"siege_tank": 1}, False, None),)  # not in smac


def as_created(name: str, smac_at_tick_0: str) -> Scenario:
    """A scenario whose units have not moved when they are first seen."""
    scenario = load_scenario(name)
    return with_rules(scenario, smac_at_tick_0) if scenario.rules == "smac" else scenario


@pytest.mark.parametrize("name", scenario_names())
def test_everybody_stands_apart_on_walkable_ground(name: str, smac_at_tick_0: str) -> None:
    sim = Simulator(as_created(name, smac_at_tick_0), 8)
    walkable = sim.scenario.terrain.walkable
    assert sim.scenario.smac is None or sim.units["alive"].all()
    for everybody, sites in zip(sim.units, sim.games.sites, strict=True):
        # Spare slots, and those of small armies, are empty. Structures on the grid have outlines
        # instead of circles (test_scenario_structures.py).
        placed = sites["placed"] if len(sites) else False
        units = everybody[everybody["alive"] & ~np.asarray(placed)]
        types = sim.rules.types[units["kind"]]
        assert (walkable[units["y"].astype(int), units["x"].astype(int)] | types["flying"]).all()
        gap = np.hypot(units["x"][:, None] - units["x"], units["y"][:, None] - units["y"])
        reach = types["separation"][:, None] + types["separation"]
        shared = (types["classes"][:, None] & types["classes"]) != 0
        np.fill_diagonal(shared, False)
        assert (gap >= reach - 1e-9)[shared].all()


@pytest.mark.parametrize("name", FIXED)
def test_slots_follow_the_order_of_creation(name: str) -> None:
    scenario = load_scenario(name)
    sim = Simulator(scenario)
    expected = [
        (unit, group.side == "enemy", group.passive)
        for group in scenario.groups
        for unit, count in group.units.items()
        for _ in range(count)
    ]
    units = sim.units[0]
    found = [
        (sim.names[u["kind"]], u["owner"] == 2, bool(u["passive"])) for u in units[units["alive"]]
    ]
    assert found == expected
    ordered = units["n_orders"] > 0
    sends = {"enemy" for group in scenario.groups if group.order and group.side == "enemy"}
    assert ordered.any() == bool(sends)
    assert not ordered[units["owner"] == 1].any()


def test_the_zealot_of_2m_vs_1z_heads_for_a_random_point_between_the_marines() -> None:
    sim = Simulator("smac/2m_vs_1z", 500)
    goals = sim.games.orders[:, 2, 0]
    assert (goals["kind"] == codes.ATTACK_MOVE).all()
    assert goals["y"] == pytest.approx(12.0)
    assert 13.0 <= goals["x"].min() < 13.2
    assert 18.8 < goals["x"].max() <= 19.0
    assert goals["x"].mean() == pytest.approx(16.0, abs=0.25)  # 3 standard errors of U(13, 19)


def test_zerglings_of_2c_vs_64zg_attack_both_colossi_one_after_the_other() -> None:
    sim = Simulator("smac/2c_vs_64zg")
    orders = sim.games.orders[0, 2:, :2]
    assert (orders["kind"] == codes.ATTACK).all()
    assert (np.sort(orders["target"], axis=1) == [0, 1]).all()


@pytest.mark.parametrize("name", GENERATED)
def test_drawn_teams_have_the_published_weights(name: str) -> None:
    generator = load_scenario(name).generator
    assert generator is not None
    sim = Simulator(name, N_TEAMS // 10)
    counts: Counter[str] = Counter()
    for batch in range(4):
        sim.reset(batch * sim.n_envs)
        names = np.array(sim.names)[sim.units["kind"]]
        allies, enemies = names[:, : generator.n_allies], names[:, generator.n_allies :]
        assert (enemies[:, : generator.n_allies] == allies[:, : generator.n_enemies]).all()
        counts.update(allies.ravel().tolist())
        for exception in generator.never_only:
            assert not (allies == exception).all(axis=1).any()
    total = sum(counts.values())
    for unit, weight in generator.weights.items():
        # Four standard errors, and the little that forbidding exceptions-only teams moves.
        tolerance = 4 * np.sqrt(weight * (1 - weight) / total) + 1e-4
        assert counts[unit] / total == pytest.approx(weight, abs=tolerance)


def test_half_of_the_drawn_battles_are_reflected_and_half_are_surrounded(
    smac_at_tick_0: str,
) -> None:
    sim = Simulator(as_created("smacv2/terran_5_vs_5", smac_at_tick_0), N_TEAMS)
    allies, enemies = sim.units[:, :5], sim.units[:, 5:]
    centre = np.hypot(allies["x"].mean(axis=1) - 16.0, allies["y"].mean(axis=1) - 16.0) < 1.0
    assert centre.mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(N_TEAMS) + 0.01)
    spread = allies[~centre]
    assert spread["x"].max() <= 16.0  # the allies' half, apart from making room
    inside = (spread["x"] > 3.0) & (spread["y"] > 3.0) & (spread["y"] < 29.0)
    mirrored = np.isclose(enemies[~centre]["x"], 32.0 - spread["x"])
    mirrored &= np.isclose(enemies[~centre]["y"], spread["y"])
    assert mirrored[inside].mean() > 0.9  # the rest had to make room for somebody
    # Enemies around a surrounded team stand on the diagonals, in at most four groups.
    around = enemies[centre]
    off = np.abs(np.abs(around["x"] - 16.0) - np.abs(around["y"] - 16.0))
    assert np.median(off) < 1.5


def drawn(name: str, n_envs: int, **changes: object) -> Simulator:
    """Battles of a generated scenario, some of its draws changed."""
    scenario = load_scenario(name)
    assert scenario.generator is not None
    generator = replace(scenario.generator, **changes)  # type: ignore[arg-type]
    return Simulator(replace(scenario, generator=generator), n_envs)


def test_a_single_extra_enemy_is_never_a_baneling() -> None:
    sim = Simulator("smacv2/zerg_10_vs_11", N_TEAMS)
    extras = Counter(sim.names[kind] for kind in sim.units["kind"][:, 20])
    assert set(extras) == {"zergling", "hydralisk"}
    # Among those that may be alone the weights are equal.
    tolerance = 4 * 0.5 / np.sqrt(N_TEAMS)
    assert extras["zergling"] / N_TEAMS == pytest.approx(0.5, abs=tolerance)


def test_extra_enemies_are_not_all_exceptions_whatever_the_team_is() -> None:
    weights = {"zergling": 0.2, "baneling": 0.8}
    sim = drawn("smacv2/zerg_5_vs_5", 1000, n_allies=2, n_enemies=5, weights=weights)
    banelings = sim.units["kind"] == sim.rows["baneling"]
    extras = banelings[:, 4:].sum(axis=1)
    assert sorted(set(extras.tolist())) == [0, 1, 2]  # of 3
    assert banelings[:, :2].sum(axis=1).max() == 1  # of 2
    assert (banelings[:, :2] == banelings[:, 2:4]).all()


def test_groups_around_a_surrounded_team_are_runs_of_consecutive_enemies() -> None:
    sim = drawn("smacv2/terran_10_vs_10", N_TEAMS, positions="surrounded")
    dx, dy = sim.units["x"][:, 10:] - 16.0, sim.units["y"][:, 10:] - 16.0
    # Nearer to the middle, units that make room for others may step into the next quadrant.
    clear = (np.minimum(np.abs(dx), np.abs(dy)) > 4.0).all(axis=1)
    quadrant = ((dx > 0.0) + 2 * (dy > 0.0))[clear]
    ends = (np.diff(quadrant, axis=1) != 0).sum(axis=1)
    n_quadrants = np.array([len(np.unique(row)) for row in quadrant])
    assert clear.sum() > 500
    assert set(n_quadrants.tolist()) == {1, 2, 3, 4}
    assert (ends == n_quadrants - 1).all()
    # No place in the list is nearer to one group than to another: both have half on average.
    pairs = quadrant[n_quadrants == 2]
    sizes = (pairs == pairs[:, :1]).sum(axis=1)
    assert sizes.mean() == pytest.approx(5.0, abs=4 * sizes.std() / np.sqrt(len(sizes)))
    assert {3, 4, 5, 6, 7} <= set(sizes.tolist())


def test_the_same_seed_draws_the_same_teams_in_any_batch() -> None:
    alone, among = Simulator("smacv2/zerg_10_vs_11"), Simulator("smacv2/zerg_10_vs_11", 16)
    alone.reset(12)
    among.reset(0)
    assert alone.digest(0) == among.digest(12)


def test_idle_enemies_of_smacv2_are_sent_at_their_nearest_opponent() -> None:
    sim = Simulator("smacv2/protoss_5_vs_5")
    sim.step(1)
    enemies = sim.units[0][5:]
    assert (enemies["n_orders"] == 1).all()
    for enemy in enemies:
        allies = sim.units[0][:5]
        gap = np.hypot(allies["x"] - enemy["x"], allies["y"] - enemy["y"])
        assert gap[enemy["target"]] == pytest.approx(gap.min(), abs=0.5)  # they have moved a tick


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Simulator("smac/3m").reset(-1), "seed -1 is outside 0 to"),
        (lambda: Simulator("smac/3m").reset(1.5), "seed 1.5 is not a whole number"),
        (lambda: Simulator("smac/3m", 2).reset([1, 2, 3]), "3 seeds for 2 games"),
        (lambda: Simulator("smac/3m", 0), "n_envs is 0"),
        (lambda: Simulator("smac/3m", slots=5), "5 slots for 6 units"),
        (lambda: Simulator("smac/3m", slots=10**6), "slots for 6 units"),
        (lambda: Simulator("smac/3m", slots=9).create(0, "marin", 1, 5, 5), '"marine"'),
        (lambda: Simulator("smac/3m", slots=9).create(0, "marine", 3, 5, 5), "owner 3"),
        (lambda: Simulator("smac/3m", slots=9).create(7, "marine", 1, 5, 5), "game 7"),
        (lambda: Simulator("smac/3m", slots=9).create(0, "marine", 1, float("nan"), 5), "not a"),
        (lambda: Simulator("smac/3m").create(0, "marine", 1, 5, 5), "no slot left"),
        (lambda: Simulator("smac/3m").step(-1), "n_ticks is -1"),
        (lambda: Simulator(replace(load_scenario("3m"), groups=STRANGERS)), '"siege_tank"'),
        (lambda: Simulator("smac/8m").load(Simulator("smac/3m").save()), "this save is of smac/3m"),
        (lambda: Simulator("smac/3m", 2).load(Simulator("smac/3m").save()), "games and slots"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_line(call: object, words: str) -> None:
    with pytest.raises(EngineError) as caught:
        call()  # type: ignore[operator]
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "command",
    [
        (99, 0, 5.0, 5.0, False),
        (-3, 0, 5.0, 5.0, False),
        (codes.MOVE, -1, float("nan"), 5.0, False),
        (codes.MOVE, -1, 5.0, float("inf"), False),
        (codes.ATTACK, 10**9, 5.0, 5.0, False),
        (codes.ATTACK, 0, 5.0, 5.0, True),  # itself
        (codes.HEAL, 1, 5.0, 5.0, False),  # a Marine cannot
        (codes.FOLLOW, -1, 5.0, 5.0, False),  # nobody
    ],
)
def test_an_order_that_makes_no_sense_changes_nothing(
    command: tuple[int, int, float, float, bool],
) -> None:
    told, left_alone = Simulator("smac/3m"), Simulator("smac/3m")
    kind, target, x, y, queued = command
    told.order(0, 0, kind, (x, y), target, queued)
    told.step()
    left_alone.step()
    assert told.digest() == left_alone.digest()
