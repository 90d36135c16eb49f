"""Shots that hurt more than their target: circles, lines, cones, glaives (game_rules.md, 2)."""

from math import cos, pi, radians, sin

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.engine.arena import Arena, Piece, flat, on_terrain, open_ground
from tests.naive import distance_to_cone, distance_to_line, zone_share

PLENTY = 10_000.0
MARINE, ZERGLING = 0.375, 0.375
"""radii"""


def battlefield(
    attacker: str, target: str = "marine", gap: float = 3.0, rules: str = "lotv-4.10"
) -> tuple[Arena, Piece, Piece]:
    """An attacker in the west that looks at a target, whose center is at (30, 30)."""
    arena = open_ground(rules).without_regeneration()
    me = arena.add(attacker, at=(10, 30), passive=True)
    other = arena.add(target, at=(30, 30), owner=2, passive=True, hp=PLENTY)
    me.put(30 - gap - me.row["radius"] - other.row["radius"], 30)
    return arena, me, other


def bystander(arena: Arena, at: tuple[float, float], name: str = "marine", owner: int = 2) -> Piece:
    return arena.add(name, at=at, owner=owner, passive=True, hp=PLENTY)


def fire_once(arena: Arena, attacker: Piece, target: Piece) -> None:
    """One attack with all that comes of it."""
    attacker.attack(target)
    assert arena.run(60, until=lambda: bool(arena.shots_of(attacker)) or not attacker.alive)
    if attacker.alive:
        attacker.stop()
    arena.run(40)


def lost(piece: Piece) -> float:
    """What it lost of its life; shields are not in play here."""
    return PLENTY - float(piece.hp)


def around(distance: float, angle: float) -> tuple[float, float]:
    """A point near the target."""
    return 30 + distance * cos(angle), 30 + distance * sin(angle)


# --- circles ------------------------------------------------------------------------------------

TANK_ZONES = [(0.4687, 1.0), (0.7812, 0.5), (1.25, 0.25)]
ARCHON_ZONES = [(0.25, 1.0), (0.5, 0.5), (1.0, 0.25)]
FORTRESS_ZONES = [(0.5, 1.0), (0.8, 0.75), (1.25, 0.375)]


@pytest.mark.parametrize(
    ("edge", "damage"),
    [
        (0.4686, 40.0),
        (0.4688, 20.0),  # 50 % of 40
        (0.7811, 20.0),
        (0.7813, 10.0),  # 25 % of 40
        (1.2499, 10.0),
        (1.2501, 0.0),
    ],
)
@pytest.mark.parametrize("owner", [1, 2], ids=["own", "enemy"])
def test_a_tank_shell_splashes_100_50_25_percent_on_friend_and_foe(
    edge: float, damage: float, owner: int
) -> None:
    arena, tank, target = battlefield("siege_tank_sieged", gap=8.0)
    victims = [
        bystander(arena, around(MARINE + edge, pi / 4 + i * pi / 2), owner=owner) for i in (0, 2)
    ]
    fire_once(arena, tank, target)
    assert lost(target) == 40.0  # its own splash spares it
    assert [lost(victim) for victim in victims] == pytest.approx([damage, damage])


@pytest.mark.parametrize(("edge", "damage"), [(0.4, 69.0), (0.7, 34.0), (1.2, 16.5)])
def test_the_fraction_comes_before_armor(edge: float, damage: float) -> None:
    """A Marauder (armored, armor 1): 70 - 1, 35 - 1, 17.5 - 1."""
    arena, tank, target = battlefield("siege_tank_sieged", gap=8.0)
    victim = bystander(arena, around(0.5625 + edge, 1.0), "marauder")
    fire_once(arena, tank, target)
    assert lost(victim) == pytest.approx(damage)


def test_a_tank_shell_does_not_reach_the_air() -> None:
    arena, tank, target = battlefield("siege_tank_sieged", gap=8.0)
    medivac = bystander(arena, (30, 30.5), "medivac")
    fire_once(arena, tank, target)
    assert lost(target) == 40.0
    assert lost(medivac) == 0.0


def test_a_tank_shell_on_something_big_does_not_splash() -> None:
    """Radius 1.25 or more: a Hatchery."""
    arena, tank, target = battlefield("siege_tank_sieged", "hatchery", gap=6.0)
    assert target.row["radius"] >= 1.25
    beside = bystander(arena, (30, 30 + target.row["radius"] + 0.5))
    fire_once(arena, tank, target)
    assert lost(target) == 69.0  # armored, armor 1
    assert lost(beside) == 0.0


def test_a_tank_shell_does_not_splash_over_a_cliff() -> None:
    level = np.ones((64, 64), np.uint8)
    level[31:, :] = 2
    arena = on_terrain(flat(64, 64, level=level), "lotv-4.10")
    tank = arena.add("siege_tank_sieged", at=(20, 30))
    target = bystander(arena, (30, 30.6))
    above, beside = bystander(arena, (30, 31.4)), bystander(arena, (30, 29.8))
    fire_once(arena, tank, target)
    assert [lost(piece) for piece in (target, above, beside)] == [40.0, 0.0, 40.0]


def test_a_fortress_splashes_100_75_37_percent_on_enemies_only() -> None:
    arena, fortress, target = battlefield("planetary_fortress", gap=4.0)
    angles = (0.0, 2 * pi / 3, 4 * pi / 3)
    edges = (0.49, 0.79, 1.24)
    victims = [bystander(arena, around(MARINE + e, a)) for e, a in zip(edges, angles, strict=True)]
    friend = bystander(arena, around(MARINE + 0.6, pi), owner=1)
    fire_once(arena, fortress, target)
    assert [lost(victim) for victim in victims] == pytest.approx([40.0, 30.0, 15.0])
    assert lost(friend) == 0.0


def test_an_archon_splashes_ground_and_air_but_no_friend() -> None:
    """25 + 10 biological: 35 on Marines; a Medivac (armor 1) at 50 %: 12.5 - 1."""
    arena, archon, target = battlefield("archon", gap=2.0)
    marine = bystander(arena, around(MARINE + 0.9, 1.5))
    medivac = bystander(arena, around(0.75 + 0.4, -1.5), "medivac")
    friend = bystander(arena, around(MARINE + 0.6, 0.0), owner=1)
    fire_once(arena, archon, target)
    assert lost(target) == 35.0
    assert lost(marine) == 8.75  # 25 %
    assert lost(medivac) == 11.5
    assert lost(friend) == 0.0


@settings(max_examples=60)
@given(
    weapon=st.sampled_from(
        [
            ("siege_tank_sieged", 40.0, TANK_ZONES),
            ("planetary_fortress", 40.0, FORTRESS_ZONES),
            ("archon", 35.0, ARCHON_ZONES),
        ]
    ),
    distance=st.floats(0.76, 2.5),
    angle=st.floats(0.0, 2 * pi),
)
def test_circles_equal_their_naive_twin(
    weapon: tuple[str, float, list[tuple[float, float]]], distance: float, angle: float
) -> None:
    name, damage, zones = weapon
    assume(all(abs(distance - MARINE - radius) > 1e-6 for radius, _ in zones))
    arena, me, target = battlefield(name, gap=2.5)
    victim = bystander(arena, around(distance, angle))
    fire_once(arena, me, target)
    assert lost(victim) == pytest.approx(damage * zone_share(distance - MARINE, zones))


def test_a_thor_splashes_flyers_within_half_a_cell() -> None:
    """Four missiles of 6 + 6 light: 48 each on Mutalisks whose edge is within 0.5."""
    arena, thor, target = battlefield("thor", "mutalisk", gap=5.0)
    # Flyers that stand drift apart to just this distance; here they may overlap.
    arena.sim.rules.types["classes"][target.kind] = 0
    near, far = (
        bystander(arena, around(0.5 + edge, angle), "mutalisk")
        for edge, angle in ((0.49, 1.5), (0.51, -1.5))
    )
    friend = bystander(arena, around(0.6, 0.0), "mutalisk", owner=1)
    below = bystander(arena, (30, 30))
    fire_once(arena, thor, target)
    assert [lost(p) for p in (target, near, far, friend, below)] == [48.0, 48.0, 0.0, 0.0, 0.0]


# --- the Baneling -------------------------------------------------------------------------------


@pytest.mark.parametrize("dies", ["by its attack", "by a shot"])
@pytest.mark.parametrize("rules", ["liberty", "smac", "lotv-4.10"])
def test_a_baneling_hurts_every_enemy_within_2_2(dies: str, rules: str) -> None:
    """20 + 15 light; edges count: a Marine's center may be 2.2 + 0.375 away. Friends are spared."""
    arena = open_ground(rules).without_regeneration()
    bane = arena.add("baneling", at=(30, 30), passive=True)
    touching = bystander(arena, (30.8, 30))
    inside, outside = bystander(arena, (30, 32.574)), bystander(arena, (30, 27.424))
    marauder = bystander(arena, (28, 30), "marauder")
    flyer = bystander(arena, (29, 30), "medivac")
    friend = bystander(arena, (30, 29), "zergling", owner=1)
    if dies == "by its attack":
        fire_once(arena, bane, touching)
    else:
        bane.set(hp=0.0)
        arena.run(2)
    assert not bane.alive
    assert lost(touching) == 35.0
    assert lost(inside) == 35.0
    assert lost(outside) == 0.0
    assert lost(marauder) == 19.0  # not light, armor 1
    assert lost(flyer) == 0.0
    assert lost(friend) == 0.0


def test_a_baneling_takes_80_from_a_building() -> None:
    """80 instead of its damage, without armor: a Spine Crawler has 2."""
    arena, bane, crawler = battlefield("baneling", "spine_crawler", gap=0.1, rules="liberty")
    fire_once(arena, bane, crawler)
    assert lost(crawler) == 80.0


def test_a_baneling_bursts_once() -> None:
    arena, bane, target = battlefield("baneling", gap=0.1)
    fire_once(arena, bane, target)
    assert [blow.damage for blow in arena.blows_on(target)] == [35.0]
    assert arena.sim.players["n_lost"][0].tolist() == [0, 1, 0]


def test_a_baneling_that_is_shot_in_time_takes_nobody_along() -> None:
    """30 / 6 = 5 shots from 4 cells; its acid reaches 2.2."""
    arena = open_ground("liberty")
    marines = [bystander(arena, (26, 29 + i), owner=1).set(hp=45) for i in range(3)]
    bane = arena.add("baneling", at=(30, 30), owner=2, passive=True)
    for marine in marines:
        marine.attack(bane)
    arena.run(40)
    assert not bane.alive
    assert [marine.hp for marine in marines] == [45, 45, 45]


def test_banelings_that_burst_together_burst_both() -> None:
    """20 + 0 (a Baneling is not light) leave 30 - 20; but both die of their own attack."""
    arena = open_ground()
    left = arena.add("baneling", at=(30, 30), passive=True)
    right = arena.add("baneling", at=(30.8, 30), owner=2, face=(-1, 0), passive=True)
    by_left, by_right = bystander(arena, (29, 30), owner=2), bystander(arena, (32, 30), owner=1)
    left.attack(right)
    right.attack(left)
    arena.run(3)
    assert not left.alive
    assert not right.alive
    assert lost(by_left) == lost(by_right) == 35.0


# --- lines --------------------------------------------------------------------------------------

ACROSS = [(30, 30 + 0.25 * i) for i in range(-5, 6)]
"""the Colossus' sample points: half-length 1.25 across the shot, 11 of them"""


def test_a_colossus_burns_a_line_across_its_shot() -> None:
    """Two beams of 20: 40 on everybody whose edge is within 0.15 of the 2.5 long line."""
    arena, colossus, target = battlefield("colossus", gap=4.0, rules="liberty")
    inside = [bystander(arena, (30, 30 + 0.9)), bystander(arena, (30, 30 - 1.77))]  # 1.25 + 0.525
    outside = [
        bystander(arena, (30, 30 + 1.78)),
        bystander(arena, (30.6, 29.1)),  # behind the line by more than 0.525
        bystander(arena, (28, 30)),  # between Colossus and target
    ]
    friend = bystander(arena, (30, 29.2), owner=1)
    fire_once(arena, colossus, target)
    assert [lost(piece) for piece in [target, *inside]] == [40.0, 40.0, 40.0]
    assert [lost(piece) for piece in [*outside, friend]] == [0.0, 0.0, 0.0, 0.0]


def test_a_unit_takes_two_hits_of_a_colossus_at_most() -> None:
    arena, colossus, target = battlefield("colossus", gap=4.0, rules="liberty")
    beside = bystander(arena, (30, 30.8), "marauder")
    fire_once(arena, colossus, target)
    assert lost(target) == 2 * 20.0
    assert lost(beside) == 2 * (20.0 - 1.0)  # each hit loses armor


def test_the_beams_of_a_colossus_take_their_time() -> None:
    """11 points, 0.5 ticks each: 5 ticks; the target is hurt 6 ticks after that, others 4 after
    the beam reaches them: 4 to 9 ticks after the shot, counted in whole ticks."""
    arena, colossus, target = battlefield("colossus", gap=4.0, rules="liberty")
    beside = bystander(arena, (30, 30.8))
    fire_once(arena, colossus, target)
    shot = arena.shots_of(colossus)[0]
    assert {blow.tick - shot for blow in arena.blows_on(target)} <= {10, 11, 12}
    assert all(4 <= blow.tick - shot <= 10 for blow in arena.blows_on(beside))


def test_a_colossus_does_not_burn_over_a_cliff() -> None:
    level = np.ones((64, 64), np.uint8)
    level[31:, :] = 2
    arena = on_terrain(flat(64, 64, level=level), "liberty")
    colossus = arena.add("colossus", at=(25, 30), passive=True)
    target = bystander(arena, (30, 30.6))
    above, beside = bystander(arena, (30, 31.4)), bystander(arena, (30, 29.8))
    fire_once(arena, colossus, target)
    assert [lost(piece) for piece in (target, above, beside)] == [40.0, 0.0, 40.0]


@settings(max_examples=60)
@given(dx=st.floats(-1.0, 1.0), dy=st.floats(-2.5, 2.5), angle=st.floats(0.0, 2 * pi))
def test_the_colossus_line_equals_its_naive_twin(dx: float, dy: float, angle: float) -> None:
    """In every direction of the shot; dx along it, dy across."""
    near = min(np.hypot(dx, dy - 0.25 * i) for i in range(-5, 6))
    assume(abs(near - 0.15 - MARINE) > 1e-6)
    assume(np.hypot(dx, dy) > 0.76)  # not on top of the target
    arena = open_ground("liberty")
    ahead, aside = np.array([cos(angle), sin(angle)]), np.array([-sin(angle), cos(angle)])
    target = bystander(arena, (30, 30))
    colossus = arena.add(
        "colossus", at=tuple(np.array([30, 30]) - 5 * ahead), face=tuple(ahead), passive=True
    )
    victim = bystander(arena, tuple(np.array([30, 30]) + dx * ahead + dy * aside))
    fire_once(arena, colossus, target)
    assert lost(victim) == (40.0 if near <= 0.15 + MARINE else 0.0)


def test_a_hellion_burns_everybody_on_its_line() -> None:
    """8 + 6 light, 6.5 long from the Hellion, radius 0.15, also behind the target."""
    arena, hellion, target = battlefield("hellion", gap=2.0)
    x = hellion.x
    on_it = [bystander(arena, (x + 1.5, 30.5)), bystander(arena, (x + 6.2, 30))]
    # Where exactly the flame ends is not known to a quarter of a cell, its step.
    off_it = [
        bystander(arena, (x + 1.5, 29.4)),  # 0.6 > 0.15 + 0.375
        bystander(arena, (x + 7.3, 30)),  # 7.3 > 6.5 + 0.525 + 0.25
        bystander(arena, (x - 1.0, 30)),  # behind
    ]
    friend = bystander(arena, (x + 4.5, 30), owner=1)
    flyer = bystander(arena, (x + 2.0, 30), "medivac")
    fire_once(arena, hellion, target)
    assert [lost(piece) for piece in [target, *on_it]] == [14.0, 14.0, 14.0]
    assert [lost(piece) for piece in [*off_it, friend, flyer]] == [0.0] * 5


@settings(max_examples=60)
@given(along=st.floats(0.0, 8.5), aside=st.floats(-1.5, 1.5))
def test_the_hellion_line_equals_its_naive_twin(along: float, aside: float) -> None:
    distance = distance_to_line(along, aside, (0.0, 0.0), (6.5, 0.0))
    # The twin tries points 0.0065 apart; the flame's end is open to a quarter of a cell.
    assume(abs(distance - 0.15 - MARINE) > 0.01)
    assume(not 6.2 < along < 7.3)
    assume(np.hypot(along - 3.0, aside) > 0.76)
    assume(np.hypot(along, aside) > 1.2)
    arena, hellion, target = battlefield("hellion", gap=2.0)
    victim = bystander(arena, (hellion.x + along, 30 + aside))
    fire_once(arena, hellion, target)
    assert lost(victim) == (14.0 if distance <= 0.15 + MARINE else 0.0)


def test_lurker_spines_run_ten_cells_and_hit_each_enemy_once() -> None:
    """20 a hit, radius 0.5; a step of 1 cell takes 2 ticks, so 9 cells take 16 more than 1."""
    arena, lurker, target = battlefield("lurker_mp_burrowed", gap=4.0)
    x = lurker.x
    first, last = bystander(arena, (x + 1.2, 30)), bystander(arena, (x + 9.0, 30.8))
    off_it = [
        bystander(arena, (x + 3.0, 29.0)),  # 1.0 > 0.5 + 0.375
        bystander(arena, (x + 11.0, 30)),
        bystander(arena, (x - 1.2, 30)),
    ]
    friend = bystander(arena, (x + 7.0, 30), owner=1)
    fire_once(arena, lurker, target)
    assert [lost(piece) for piece in (first, target, last)] == [20.0, 20.0, 20.0]
    assert [lost(piece) for piece in [*off_it, friend]] == [0.0] * 4
    delay = arena.blows_on(last)[0].tick - arena.blows_on(first)[0].tick
    assert delay == pytest.approx(16, abs=1)


def test_lurker_spines_hurt_armored_units_more() -> None:
    """20 + 10 armored - 1."""
    arena, lurker, target = battlefield("lurker_mp_burrowed", "marauder", gap=4.0)
    fire_once(arena, lurker, target)
    assert lost(target) == 29.0


# --- cones --------------------------------------------------------------------------------------


def test_a_hellbat_burns_a_cone() -> None:
    """18, 45 degrees wide, 2 long: 22.5 degrees to either side."""
    arena, hellbat, target = battlefield("hellion_tank", gap=0.3)
    x = hellbat.x
    at = {
        name: (x + d * cos(radians(a)), 30 + d * sin(radians(a)))
        for name, d, a in (
            ("in", 1.9, 20),
            ("aside", 1.9, -50),
            ("far", 3.6, 5),
            ("back", 1.2, 180),
        )
    }
    victims = {name: bystander(arena, place) for name, place in at.items()}
    friend = bystander(arena, (x + 2.1, 30), owner=1)
    fire_once(arena, hellbat, target)
    assert lost(target) == 18.0
    assert {name: lost(victim) for name, victim in victims.items()} == {
        "in": 18.0,
        "aside": 0.0,
        "far": 0.0,
        "back": 0.0,
    }
    assert lost(friend) == 0.0


@settings(max_examples=60)
@given(distance=st.floats(1.1, 4.5), angle=st.floats(-pi, pi))
def test_the_hellbat_cone_equals_its_naive_twin(distance: float, angle: float) -> None:
    """Whether the 2 cells begin at the center or at the edge (0.625) is open: both are spared."""
    x, y = distance * cos(angle), distance * sin(angle)
    # The twin tries points up to 0.07 apart.
    is_in = distance_to_cone(x, y, 2.0, 45.0) < MARINE - 0.05
    is_out = distance_to_cone(x, y, 2.0 + 0.625, 45.0) > MARINE + 0.05
    assume(is_in or is_out)
    assume(np.hypot(x - 1.3, y) > 0.76)
    arena, hellbat, target = battlefield("hellion_tank", gap=0.3)
    victim = bystander(arena, (hellbat.x + x, 30 + y))
    fire_once(arena, hellbat, target)
    assert lost(victim) == (18.0 if is_in else 0.0)


def test_an_ultralisk_cleaves_what_stands_in_front() -> None:
    """35 on the target, 33 % = 11.55 beside it, nothing behind the Ultralisk's back."""
    arena, ultralisk, target = battlefield("ultralisk", gap=0.1)
    beside = [bystander(arena, (30, 30.9)), bystander(arena, (30, 29.1), "marauder")]
    behind = bystander(arena, (ultralisk.x - 1.5, 30))
    far = bystander(arena, (34, 30))
    friend = bystander(arena, (30.8, 30.3), owner=1)
    flyer = bystander(arena, (30.5, 30), "medivac")
    fire_once(arena, ultralisk, target)
    assert lost(target) == 35.0
    assert [lost(piece) for piece in beside] == pytest.approx([11.55, 10.55])
    assert [lost(piece) for piece in (behind, far, friend, flyer)] == [0.0] * 4


# --- glaives ------------------------------------------------------------------------------------


def test_a_glaive_bounces_twice_for_9_3_and_1() -> None:
    arena, mutalisk, target = battlefield("mutalisk", gap=2.0)
    second, third, fourth = (bystander(arena, (30 + 2 * i, 30)) for i in (1, 2, 3))
    friend = bystander(arena, (30, 31), owner=1)
    fire_once(arena, mutalisk, target)
    assert [lost(p) for p in (target, second, third, fourth)] == [9.0, 3.0, 1.0, 0.0]
    assert lost(friend) == 0.0


def test_a_glaive_bounces_three_cells_and_never_back() -> None:
    arena, mutalisk, target = battlefield("mutalisk", gap=2.0)
    near, far = bystander(arena, (32.5, 30)), bystander(arena, (36.2, 30))
    fire_once(arena, mutalisk, target)
    assert lost(target) == 9.0
    assert lost(near) == 3.0
    assert lost(far) == 0.0  # its edge is 3.3 from the second


def test_the_last_bounce_takes_half_a_point_from_armor() -> None:
    """1 - 1 armor = 0, but 0.5 at least."""
    arena, mutalisk, target = battlefield("mutalisk", gap=2.0)
    second, third = (bystander(arena, (30 + 2 * i, 30), "marauder") for i in (1, 2))
    fire_once(arena, mutalisk, target)
    assert [lost(p) for p in (target, second, third)] == [9.0, 2.0, 0.5]


def test_a_glaive_bounces_between_air_and_ground() -> None:
    arena, mutalisk, target = battlefield("mutalisk", gap=2.0)
    flyer = bystander(arena, (32, 30), "medivac")
    fire_once(arena, mutalisk, target)
    assert [lost(target), lost(flyer)] == [9.0, 2.0]  # 3 - 1 armor
