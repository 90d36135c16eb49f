"""From the order to the blow: range, facing, wind-up, shot, flight, cooldown (game_rules.md, 3)."""

from functools import cache
from math import ceil, floor, sqrt

import numpy as np
import pytest

from tests.engine.arena import Arena, Piece, flat, on_terrain, open_ground

# Life enough for every shot of a test.
ENDLESS = 1e9


def duel(
    attacker: str,
    target: str = "marine",
    gap: float = 0.05,
    rules: str = "lotv-4.10",
    seed: int = 0,
) -> tuple[Arena, Piece, Piece]:
    """An attacker that looks at a harmless target `gap` away, edge to edge. No order yet."""
    arena = open_ground(rules, seed=seed)
    me = arena.add(attacker, at=(20, 20), passive=True)
    other = arena.add(target, at=(30, 20), owner=2, passive=True, hp=ENDLESS)
    place(me, other, gap)
    return arena, me, other


def place(me: Piece, other: Piece, gap: float) -> None:
    """Put the target east of the attacker."""
    other.put(me.x + me.row["radius"] + other.row["radius"] + gap, me.y)


# --- rhythm -------------------------------------------------------------------------------------

# Periods in ticks: units.json, smac.md 9. A Battlecruiser has no jitter.
RHYTHM = {
    "liberty": {"marine": 13.7728, "stalker": 23.04, "zealot": 19.2, "zergling": 11.136},
    "smac": {"stalker": 29.92, "spine_crawler": 29.6, "colossus": 24.0, "zergling": 11.136},
    "lotv-4.10": {
        "marine": 13.773,
        "stalker": 29.92,
        "zealot": 19.2,
        "zergling": 11.136,
        "battlecruiser": 3.6,
    },
}
N_GAMES, N_INTERVALS = 20, 1000


@cache
def intervals(rules: str) -> dict[str, list[int]]:
    """At least 1000 times between shots for every unit, in ticks: 20 games of 50 and more each."""
    names = list(RHYTHM[rules])
    arena = on_terrain(flat(40, 40), rules, slots=2, n_games=N_GAMES * len(names))
    for game in range(arena.sim.n_envs):
        me = arena.add(names[game // N_GAMES], at=(20, 20), game=game)
        other = arena.add("marauder", at=(30, 20), owner=2, passive=True, hp=ENDLESS, game=game)
        place(me, other, 0.05)
        me.attack(other)
    arena.run(ceil((N_INTERVALS / N_GAMES + 2) * (max(RHYTHM[rules].values()) + 0.6)))
    shots = arena.shots()[:, :, 0]
    found: dict[str, list[int]] = {name: [] for name in names}
    for game in range(arena.sim.n_envs):
        found[names[game // N_GAMES]] += np.diff(np.flatnonzero(shots[:, game])).tolist()
    return found


WITH_JITTER = [
    (rules, name, period)
    for rules, periods in RHYTHM.items()
    for name, period in periods.items()
    if name != "battlecruiser"
]


@pytest.mark.parametrize(("rules", "name", "period"), WITH_JITTER)
def test_shots_are_a_period_plus_half_a_tick_apart(rules: str, name: str, period: float) -> None:
    """The jitter is uniform from -1 to +2: its mean is +0.5, its deviation 3 / sqrt(12) = 0.87."""
    times = intervals(rules)[name]
    assert len(times) >= N_INTERVALS
    # Three standard errors of the jitter, and the rounding of each game's first and last shot.
    tolerance = 3 * 0.87 / sqrt(len(times)) + N_GAMES / len(times)
    assert np.mean(times) == pytest.approx(period + 0.5, abs=tolerance)


@pytest.mark.parametrize(("rules", "name", "period"), WITH_JITTER)
def test_no_time_between_shots_leaves_the_jitter(rules: str, name: str, period: float) -> None:
    """-1 to +2 around the period; both shots happen at a whole tick, which adds less than 1."""
    times = intervals(rules)[name]
    assert period - 2.0 < min(times) <= ceil(period - 1.0)
    assert floor(period + 2.0) <= max(times) < period + 3.0


def test_a_battlecruiser_fires_like_a_clock() -> None:
    """3.6 ticks without jitter: 3 or 4, and 50 of them last 180, a rounded tick more or less."""
    times = intervals("lotv-4.10")["battlecruiser"]
    assert set(times) == {3, 4}
    assert np.mean(times) == pytest.approx(3.6, abs=N_GAMES / len(times))


def test_the_same_order_again_does_not_slow_a_marine_down() -> None:
    """SMAC's agents repeat their order every 8 ticks, often in the middle of a wind-up."""
    arena, me, other = duel("marine")
    for _ in range(1500):
        me.attack(other)
        arena.run()
    # 1500 / 14.27 = 105; 104 jitters deviate by 0.87 x sqrt(104) = 9 ticks, so less than 3 shots.
    assert len(arena.shots_of(me)) == pytest.approx(105, abs=3)


def test_the_cooldown_runs_while_a_marine_walks() -> None:
    """Shoot, walk for 10 ticks, shoot: still at most 13.77 + 2 ticks apart, rounded up."""
    arena, me, other = duel("marine", gap=3.0)
    me.attack(other)
    for _ in range(20):
        n_shots = len(arena.shots_of(me))
        arena.run(40, until=lambda n=n_shots: len(arena.shots_of(me)) > n)
        me.move(me.x, me.y + (0.7 if me.y < 20.5 else -0.7))
        arena.run(10)
        me.attack(other)
    assert max(np.diff(arena.shots_of(me))) <= ceil(13.773 + 2.0)


# --- wind-up and backswing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ticks"),
    [
        ("marine", 1),  # 0.8
        ("zealot", 0),
        ("zergling", 3),  # 2.672
        ("dark_templar", 6),  # 5.776
        ("ultralisk", 6),  # 5.331
        ("thor", 14),  # 13.296
    ],
)
def test_a_shot_comes_a_wind_up_after_its_start(name: str, ticks: int) -> None:
    arena, me, other = duel(name)
    me.attack(other)
    # The attacker faces its target already, so that the attack begins in the first tick.
    arena.run(ticks)
    assert not arena.blows_on(other)
    arena.run(1)
    assert arena.blows_on(other)[0].tick == arena.shots_of(me)[0] == 1 + ticks


@pytest.mark.parametrize("name", ["marine", "zergling", "thor"])
def test_leaving_during_the_wind_up_costs_the_shot_but_no_cooldown(name: str) -> None:
    arena, me, other = duel(name)
    me.attack(other)
    assert arena.run(1, until=lambda: bool(me.winding))
    me.move(10, 20)
    assert me.cooldown == 0.0
    arena.run(30)
    assert not arena.shots_of(me)
    assert other.hp == ENDLESS


def test_a_marine_that_broke_off_can_shoot_at_once() -> None:
    arena, me, other = duel("marine", gap=3.0)
    me.attack(other)
    arena.run(1)
    me.stop()
    arena.run(1)
    assert not arena.shots_of(me)
    me.attack(other)
    arena.run(2)  # start, then 0.8 ticks of wind-up
    assert arena.shots_of(me) == [4]


def test_the_death_of_its_target_ends_a_wind_up_without_cooldown() -> None:
    arena, me, other = duel("thor")
    me.attack(other)
    arena.run(5)
    assert me.winding
    other.set(hp=0.0)
    arena.run(2)
    assert not other.alive
    assert not me.winding
    assert me.cooldown == 0.0


def test_an_order_cuts_the_backswing() -> None:
    """A Marine stands for 12 ticks after a shot, unless it is told to go: 2.25 / 16 = 0.14."""
    arena, me, other = duel("marine", gap=3.0)
    me.attack(other)
    arena.run(5, until=lambda: bool(arena.shots_of(me)))
    me.move(30, 20)
    x = me.x
    arena.run(1)
    assert me.x - x == pytest.approx(2.25 / 16)


def test_without_an_order_the_backswing_is_sat_out() -> None:
    arena, me, other = duel("marine", gap=3.0)
    me.attack(other)
    arena.run(5, until=lambda: bool(arena.shots_of(me)))
    place(me, other, 9.0)  # it would follow
    x = me.x
    arena.run(11)
    assert me.x == x
    arena.run(3)
    assert me.x > x


def test_a_marauder_has_no_backswing() -> None:
    arena, me, other = duel("marauder", gap=3.0)
    me.attack(other)
    arena.run(5, until=lambda: bool(arena.shots_of(me)))
    place(me, other, 12.0)
    x = me.x
    arena.run(2)
    assert me.x > x


# --- range --------------------------------------------------------------------------------------

RANGES = [
    ("liberty", "marine", 5.0),
    ("liberty", "marauder", 6.0),
    ("liberty", "stalker", 6.0),
    ("liberty", "zealot", 0.1),
    ("liberty", "zergling", 0.1),
    ("liberty", "hydralisk", 5.0),
    ("liberty", "spine_crawler", 7.0),
    ("liberty", "colossus", 6.0),
    ("lotv-4.10", "colossus", 7.0),
    ("lotv-4.10", "siege_tank_sieged", 13.0),
    ("lotv-4.10", "thor", 7.0),
    ("lotv-4.10", "ultralisk", 1.0),
    ("lotv-4.10", "battlecruiser", 6.0),
    ("lotv-4.10", "lurker_mp_burrowed", 9.0),
]


@pytest.mark.parametrize(("rules", "name", "reach"), RANGES)
def test_an_attack_begins_when_the_edges_are_within_range(
    rules: str, name: str, reach: float
) -> None:
    arena, me, other = duel(name, gap=reach - 1e-6, rules=rules)
    x = me.x
    me.attack(other)
    arena.run(20, until=lambda: bool(arena.shots_of(me)))
    assert arena.shots_of(me)
    assert me.x == x


@pytest.mark.parametrize(("rules", "name", "reach"), RANGES)
def test_no_attack_begins_beyond_the_range(rules: str, name: str, reach: float) -> None:
    arena, me, _ = duel(name, gap=reach + 1e-6, rules=rules)
    me.hold()  # it would walk up otherwise
    me.set(passive=False)
    arena.run(60)
    assert not arena.shots_of(me)


@pytest.mark.parametrize(
    ("rules", "name", "reach", "slop"),
    [
        ("lotv-4.10", "thor", 7.0, 1.0),
        ("lotv-4.10", "zergling", 0.1, 1.0),
        ("lotv-4.10", "marine", 5.0, 1.0),
        ("lotv-4.10", "ultralisk", 1.0, 1.0),
        ("liberty", "colossus", 6.0, 0.0),
        ("liberty", "spine_crawler", 7.0, 0.0),
    ],
)
def test_a_target_may_run_a_little_out_of_range_during_the_wind_up(
    rules: str, name: str, reach: float, slop: float
) -> None:
    for beyond, lands in ((slop - 1e-6, True), (slop + 1e-6, False)):
        arena, me, other = duel(name, gap=reach - 1e-6, rules=rules)
        me.attack(other)
        arena.run(1)
        assert me.winding
        place(me, other, reach + beyond)
        arena.run(1)
        assert bool(me.winding or arena.shots_of(me)) == lands
        assert (me.cooldown > 0.0) == lands
        arena.run(14 if lands else 0)
        assert bool(arena.shots_of(me)) == lands


@pytest.mark.parametrize(("gap", "fires"), [(1.999, False), (2.001, True)])
def test_a_sieged_tank_does_not_shoot_nearer_than_2(gap: float, fires: bool) -> None:
    for ordered in (True, False):
        arena, tank, other = duel("siege_tank_sieged", gap=gap)
        if ordered:
            tank.attack(other)
        tank.set(passive=False)
        arena.run(30)
        assert bool(arena.shots_of(tank)) == fires


@pytest.mark.parametrize("gap", [0.05, 0.3, 0.49, 0.55, 0.59, 0.61, 2.0, 3.9])
def test_a_roach_can_always_attack_somehow(gap: float) -> None:
    """It spits from 0.6 to 4 and bites up to 0.5; from what lies between it must find a way."""
    arena, roach, other = duel("roach", gap=gap)
    roach.attack(other)
    assert arena.run(40, until=lambda: bool(arena.blows_on(other)))


@pytest.mark.parametrize("gap", [0.0, -0.001, -0.1, -0.5])
@pytest.mark.parametrize("name", ["marine", "zergling", "zealot", "stalker", "spine_crawler"])
def test_units_that_touch_can_attack(name: str, gap: float) -> None:
    """Contact overlaps a little, so that the distance between the edges is negative."""
    arena, me, other = duel(name, gap=gap, rules="liberty")
    me.attack(other)
    assert arena.run(30, until=lambda: bool(arena.blows_on(other)))


# --- facing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ticks"),
    [
        # 62.5 degrees a tick: 62.5, 125, then 180.
        ("marine", 3),
        ("zergling", 3),
        # 720 degrees a second are 45 a tick.
        ("ultralisk", 4),
        # The turret: 360 a second are 22.5 a tick; after 7 ticks 22.5 are left, more than 11.25.
        ("siege_tank_sieged", 8),
        # The turret: 62.5 a tick; after 2 ticks 55 are left, within 90 / 2 + 11.25.
        ("colossus", 2),
    ],
)
def test_an_attacker_turns_to_its_target_before_it_begins(name: str, ticks: int) -> None:
    gap = 3.0 if name in ("marine", "siege_tank_sieged", "colossus") else 0.05
    arena, me, other = duel(name, gap=gap)
    me.set(face_x=-1.0, face_y=0.0, aim_x=-1.0, aim_y=0.0)
    me.attack(other)
    begins = lambda: bool(me.winding or arena.shots_of(me))  # noqa: E731  # a name for two uses
    arena.run(ticks - 1)
    assert not begins()
    arena.run(1)
    assert begins()


@pytest.mark.parametrize(("degrees", "begins"), [(11.0, True), (180.0, False)])
def test_eleven_degrees_aside_are_near_enough(degrees: float, begins: bool) -> None:
    """11.25 degrees of slop: no turn is needed. (A Marine would turn 62.5 in the same tick.)"""
    arena, me, other = duel("siege_tank_sieged", gap=5.0)
    angle = np.radians(degrees + 22.5)  # what the turret turns in the first tick comes off
    me.set(aim_x=np.cos(angle), aim_y=np.sin(angle))
    me.attack(other)
    arena.run(1)
    assert bool(me.winding) == begins


# --- the shot -----------------------------------------------------------------------------------


def test_an_instant_shot_hurts_in_the_tick_it_is_fired() -> None:
    arena, me, other = duel("marine", gap=4.0)
    me.attack(other)
    arena.run(100)
    assert [blow.tick for blow in arena.blows_on(other)] == arena.shots_of(me)


@pytest.mark.parametrize(
    ("rules", "name", "gap", "speed"),
    [
        ("liberty", "stalker", 6.0, 18.75),
        ("liberty", "marauder", 6.0, 20.0),
        ("liberty", "hydralisk", 5.0, 40.0),
        ("lotv-4.10", "photon_cannon", 7.0, 22.0),
    ],
)
def test_a_missile_needs_its_time_for_the_way(
    rules: str, name: str, gap: float, speed: float
) -> None:
    """Stalker: 6 at 18.75 a second are 5.1 ticks.

    Whether a missile starts and ends at the edges or at the centers is unknown, and it arrives at
    a whole tick: from the way between the edges to the way between the centers, rounded up.
    """
    arena, me, other = duel(name, gap=gap - 0.01, rules=rules)
    me.attack(other)
    arena.run(40, until=lambda: bool(arena.blows_on(other)))
    flight = arena.blows_on(other)[0].tick - arena.shots_of(me)[0]
    radii = float(me.row["radius"] + other.row["radius"])
    assert floor(16 * gap / speed) <= flight <= ceil(16 * (gap + radii) / speed)


def test_a_missile_follows_a_target_that_runs() -> None:
    arena, me, other = duel("stalker", gap=5.9)
    me.attack(other)
    arena.run(10, until=lambda: bool(arena.shots_of(me)))
    other.move(40, 40)
    assert arena.run(20, until=lambda: bool(arena.blows_on(other)))
    assert arena.blows_on(other)[0].damage == 13.0


def test_a_missile_outlives_its_shooter() -> None:
    arena, me, other = duel("stalker", gap=5.9)
    me.attack(other)
    arena.run(10, until=lambda: bool(arena.shots_of(me)))
    me.set(hp=0.0, shield=0.0)
    arena.run(10)
    assert not me.alive
    assert [blow.damage for blow in arena.blows_on(other)] == [13.0]


def test_a_missile_whose_target_died_hurts_nobody() -> None:
    arena, me, other = duel("stalker", gap=5.9)
    bystander = arena.add("marine", at=(other.x + 0.8, other.y), owner=2, passive=True)
    me.attack(other)
    arena.run(10, until=lambda: bool(arena.shots_of(me)))
    other.set(hp=0.0)
    arena.run(20)
    assert bystander.hp == 45.0


@pytest.mark.parametrize("seed", range(8))
def test_two_marines_that_shoot_each_other_dead_in_one_tick_both_die(seed: int) -> None:
    arena = open_ground("liberty", seed=seed)
    left = arena.add("marine", at=(20, 20), hp=6.0)
    right = arena.add("marine", at=(24, 20), owner=2, face=(-1, 0), hp=6.0)
    left.attack(right)
    right.attack(left)
    arena.run(3)
    assert not left.alive
    assert not right.alive
    assert arena.sim.players["n_lost"][0].tolist() == [0, 1, 1]


def volley(name: str, hp: float) -> tuple[Arena, list[Piece], Piece]:
    """Ten shooters around one target, all ordered in the same tick."""
    arena = open_ground("liberty")
    target = arena.add("marine", at=(30, 30), owner=2, passive=True, hp=hp)
    shooters = []
    for angle in np.linspace(0.0, 2 * np.pi, 10, endpoint=False):
        x, y = np.cos(angle), np.sin(angle)
        shooters.append(arena.add(name, at=(30 + 4 * x, 30 + 4 * y), face=(-x, -y)))
    for shooter in shooters:
        shooter.attack(target)
    arena.run(40)
    assert not target.alive
    return arena, shooters, target


@pytest.mark.parametrize(("hp", "n_shots"), [(6.0, 1), (6.5, 2), (13.0, 3), (45.0, 8)])
def test_instant_shots_are_not_wasted_on_the_doomed(hp: float, n_shots: int) -> None:
    """Ten Marines fire in one tick; 45 life are gone by 8 shots of 6, and two keep theirs."""
    arena, marines, _ = volley("marine", hp)
    assert sum(len(arena.shots_of(marine)) for marine in marines) == n_shots
    assert sum(marine.cooldown == 0.0 for marine in marines) >= 10 - n_shots


def test_missiles_overkill() -> None:
    arena, stalkers, _ = volley("stalker", 6.0)
    assert sum(len(arena.shots_of(stalker)) for stalker in stalkers) == 10


def test_a_battlecruiser_shoots_while_it_flies() -> None:
    """movement_while_firing "full"; a Marine on the same order only walks."""
    for name, shoots in (("battlecruiser", True), ("marine", False)):
        arena, me, _ = duel(name, gap=2.0)
        me.set(passive=False)
        me.move(20, 24)
        arena.run(20)
        assert bool(arena.shots_of(me)) == shoots
