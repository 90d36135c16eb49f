"""How units get about: speed, turning, walls, crowds, and the orders that move them."""

from math import atan2, ceil, cos, degrees, hypot, radians, sin

import numpy as np
import pytest

from terrarium.data.battles.terrains import load_terrain
from terrarium.engine import codes
from tests.engine.arena import SECOND, Arena, Piece, flat, on_terrain, open_ground

MARINE_STEP = 2.25 / SECOND
"""a Marine's way in a tick: 0.1406"""


def ticks_to(arena: Arena, piece: Piece, x: float, y: float, limit: int = 400) -> int:
    """How long a unit that is under way needs to a point; within 0.02 it is there."""
    start = arena.ticks
    assert arena.run(limit, until=lambda: piece.distance(x, y) <= 0.02)
    return arena.ticks - start


# --- speed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "ticks"),
    [
        # 10 cells: 16 x 10 / speed
        ("marine", 16 * 10 / 2.25),  # 71.1
        ("marauder", 16 * 10 / 2.25),
        ("stalker", 16 * 10 / 2.9531),  # 54.2
        ("zealot", 16 * 10 / 2.25),
        ("colossus", 16 * 10 / 2.25),
        ("zergling", 16 * 10 / 2.9531),
        ("baneling", 16 * 10 / 2.5),  # 64
        ("hydralisk", 16 * 10 / 2.25),
    ],
)
@pytest.mark.parametrize("way", [(10.0, 0.0), (-6.0, 8.0)], ids=["east", "northwest"])
def test_ten_cells_take_the_time_that_speed_says(
    name: str, ticks: float, way: tuple[float, float]
) -> None:
    arena = open_ground("liberty")
    me = arena.add(name, at=(30, 30), face=way)
    me.move(30 + way[0], 30 + way[1])
    # Arrival is seen at a whole tick.
    assert ticks_to(arena, me, 30 + way[0], 30 + way[1]) == pytest.approx(ticks, abs=1)


def test_a_medivac_gathers_speed_and_brakes() -> None:
    """10 / 2.75 + 2.75 / 2.3125 = 3.64 + 1.19 s = 77.2 ticks: half of the 1.19 s at either end.

    The last 0.1 takes sqrt(2 x 0.1 / 2.3125) = 0.29 s = 4.7 ticks of it, so 72.5 to there.
    """
    arena = open_ground("liberty")
    me = arena.add("medivac", at=(30, 30))
    me.move(40, 30)
    arena.run(10)  # from rest: 2.3125 / 2 x (10 / 16)^2 = 0.45 cells
    assert me.x - 30 == pytest.approx(0.45, abs=0.1)  # half a tick at 1.4 cells a second is 0.05
    arena.run(25)
    assert me.speed_x == pytest.approx(2.75 / SECOND)
    arena.run(100, until=lambda: me.distance(40, 30) <= 0.1)
    # Speed changes at whole ticks: one too early or too late at either end.
    assert arena.ticks == pytest.approx(72.5, abs=2)
    arena.run(60)
    # It may begin to brake half a tick early or late, which is 0.09 at full speed.
    assert me.distance(40, 30) <= 0.1
    assert me.n_orders == 0


def test_a_spine_crawler_does_not_move() -> None:
    arena = open_ground("liberty")
    me = arena.add("spine_crawler", at=(30, 30))
    me.move(40, 30)
    arena.run(50)
    assert me.at == (30, 30)
    assert me.n_orders == 0


def test_workers_gather_speed_but_stop_at_once() -> None:
    """2.8125 / 2.5 = 1.125 s to full speed cost half of that: 10 / 2.8125 + 0.5625 s = 66 ticks."""
    arena = open_ground()
    scv = arena.add("scv", at=(30, 30))
    scv.move(40, 30)
    expected = 16 * (10 / 2.8125 + 2.8125 / 2.5 / 2)
    assert ticks_to(arena, scv, 40, 30) == pytest.approx(expected, abs=1)


def test_nobody_outruns_its_speed() -> None:
    arena = open_ground("liberty")
    me = arena.add("stalker", at=(10, 10))
    me.move(50, 44)
    for _ in range(250):
        x, y = me.at
        arena.run(1)
        assert me.distance(x, y) <= 2.9531 / SECOND + 1e-9


# --- turning ------------------------------------------------------------------------------------


def turned(piece: Piece) -> float:
    """Degrees away from east."""
    return abs(degrees(atan2(piece.face_y, piece.face_x)))


@pytest.mark.parametrize(
    ("name", "rate"),
    [
        ("marine", 999.8437),  # 62.5 degrees a tick
        ("ultralisk", 360.0),  # 22.5, moving
        ("hellion", 720.0),  # 45, moving
        ("battlecruiser", 720.0),
    ],
)
def test_a_unit_turns_by_its_rate(name: str, rate: float) -> None:
    arena = open_ground()
    me = arena.add(name, at=(30, 30), face=(1, 0))
    me.move(10, 30)
    for tick in range(1, 10):
        arena.run(1)
        assert turned(me) == pytest.approx(min(180.0, tick * rate / SECOND), abs=0.5)


def test_a_standing_ultralisk_turns_faster_than_a_moving_one() -> None:
    """720 a second in place: 45 degrees a tick towards somebody in reach."""
    arena = open_ground()
    me = arena.add("ultralisk", at=(30, 30), face=(1, 0))
    me.attack(arena.add("marine", at=(28, 30), owner=2, passive=True))
    arena.run(2)
    assert turned(me) == pytest.approx(90.0, abs=0.5)


def test_turning_round_costs_a_marine_two_ticks() -> None:
    """62.5, 125, then 180 degrees: it walks in the third tick at the latest."""
    arena = open_ground()
    me = arena.add("marine", at=(30, 30), face=(1, 0))
    me.move(20, 30)
    assert 72 <= ticks_to(arena, me, 20, 30) <= 74


# --- walls --------------------------------------------------------------------------------------


@pytest.mark.parametrize("terrain", ["octagon", "corridor", "ravine", "pit"])
def test_walkers_stay_on_walkable_ground_and_flyers_on_the_map(terrain: str) -> None:
    ground = load_terrain(terrain)
    arena = on_terrain(ground, "liberty", slots=24)
    rng = np.random.default_rng(7)
    spots = np.argwhere(ground.walkable)
    names = ["marine", "zealot", "stalker", "colossus", "zergling", "medivac"]
    movers = []
    for i in range(24):
        y, x = rng.choice(spots)
        movers.append(arena.add(names[i % 6], at=(x + 0.5, y + 0.5), owner=1 + i % 2, passive=True))
    for _ in range(12):
        for me in movers:
            x, y = rng.uniform(-4, 36, 2)  # beyond the map, too
            arena.sim.order(0, me.slot, codes.MOVE, (x, y))
        for _ in range(40):
            arena.sim.step(1)
            units = arena.sim.units[0]
            x0, y0, x1, y1 = ground.playable
            assert (x0 <= units["x"]).all()
            assert (units["x"] <= x1).all()
            assert (y0 <= units["y"]).all()
            assert (units["y"] <= y1).all()
            walks = ~arena.sim.rules.types["flying"][units["kind"]]
            cells = units["y"].astype(int), units["x"].astype(int)
            assert ground.walkable[cells][walks].all()


def test_an_order_beyond_the_map_leads_to_its_edge() -> None:
    arena = open_ground("liberty", size=32)
    me = arena.add("marine", at=(20, 16))
    me.move(100, 16)
    arena.run(150)
    # As near to the edge as its inner radius 0.375 lets it.
    assert me.x == pytest.approx(32 - 0.375, abs=0.05)
    assert me.n_orders == 0


def wall_with_gap(gap_y: int) -> Arena:
    """A wall across the map at x = 16, with one cell left out."""
    walkable = np.ones((32, 32), np.bool_)
    walkable[:, 16] = False
    walkable[gap_y, 16] = True
    return on_terrain(flat(32, 32, walkable=walkable), "liberty")


def test_a_walker_finds_the_gap_in_a_wall() -> None:
    """(10, 16) to (22, 16) by the gap at (16.5, 4.5): 2 x hypot(6, 11.5) = 26 cells = 184 ticks."""
    arena = wall_with_gap(4)
    me = arena.add("marine", at=(10, 16))
    me.move(22, 16)
    shortest = (hypot(6.5, 11.5) + hypot(5.5, 11.5)) / MARINE_STEP
    # Ways lead over cell centers, up to an eighth longer than the straight line.
    assert shortest - 8 <= ticks_to(arena, me, 22, 16) <= shortest * 1.1


def test_a_flyer_crosses_the_wall() -> None:
    arena = wall_with_gap(4)
    me = arena.add("medivac", at=(10, 16))
    me.move(22, 16)
    arena.run(130, until=lambda: me.x > 21.9)
    assert me.x > 21.9
    assert abs(me.y - 16) < 0.1


def test_only_cliff_walkers_climb() -> None:
    level = np.ones((32, 32), np.uint8)
    level[:, 16:] = 2
    arena = on_terrain(flat(32, 32, level=level), "lotv-4.10")
    marine = arena.add("marine", at=(10, 6))
    colossus = arena.add("colossus", at=(10, 14))
    reaper = arena.add("reaper", at=(10, 22))
    for me in (marine, colossus, reaper):
        me.move(22, float(me.y))
    arena.run(200)
    assert marine.x < 16
    assert colossus.distance(22, 14) < 0.1
    assert reaper.distance(22, 22) < 0.1


# --- orders -------------------------------------------------------------------------------------


def test_stop_halts_a_walker_at_once() -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20))
    me.move(40, 20)
    arena.run(10)
    x = me.x
    me.stop()
    arena.run(10)
    assert me.x == x
    assert me.n_orders == 0


def test_stop_lets_a_flyer_glide() -> None:
    """2.75^2 / (2 x 2.3125) = 1.64 cells."""
    arena = open_ground("liberty")
    me = arena.add("medivac", at=(20, 20))
    me.move(50, 20)
    arena.run(40)
    x = me.x
    me.stop()
    arena.run(40)
    # Steps are made at whole ticks: half a tick at full speed, 0.09, more or less.
    assert me.x - x == pytest.approx(2.75**2 / (2 * 2.3125), abs=0.1)


def test_a_queue_of_moves_is_walked_in_order() -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20))
    corners = [(24, 20), (24, 26), (18, 26)]
    for corner in corners:
        me.move(*corner, queued=True)
    assert me.n_orders == 3
    ways = [4.0, 6.0, 6.0]
    for corner, way in zip(corners, ways, strict=True):
        # Two ticks to turn the corner by 90 degrees.
        assert ticks_to(arena, me, *corner) == pytest.approx(way / MARINE_STEP, abs=3)


def test_a_new_order_replaces_the_queue() -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20))
    me.move(30, 20)
    me.move(30, 30, queued=True)
    me.move(20, 24)
    assert me.n_orders == 1
    arena.run(60)
    assert me.distance(20, 24) < 0.1


def test_patrol_goes_back_and_forth() -> None:
    """6 cells a leg: 43 ticks, and at most 4 more to turn round."""
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20))
    me.patrol(26, 20)
    arrivals = []
    for x in (26, 20, 26, 20):
        arrivals.append(ticks_to(arena, me, x, 20))
    assert all(42 <= ticks <= 47 for ticks in arrivals)
    assert me.n_orders == 1


def test_follow_stays_close_without_bumping() -> None:
    """Follow range slop 1: it stops a cell behind, edge to edge."""
    arena = open_ground("liberty")
    leader, me = arena.add("marine", at=(20, 20)), arena.add("marine", at=(14, 20))
    me.follow(leader)
    leader.move(30, 28)
    arena.run(200)
    assert leader.distance(30, 28) < 0.1
    assert 0.5 < me.gap(leader) <= 1.0 + 0.01
    assert me.n_orders == 1
    leader.move(40, 28)
    arena.run(100)
    assert me.gap(leader) <= 1.0 + MARINE_STEP


def test_to_follow_the_dead_is_over() -> None:
    arena = open_ground("liberty")
    leader, me = arena.add("marine", at=(20, 20)), arena.add("marine", at=(14, 20))
    me.follow(leader)
    leader.set(hp=0.0)
    arena.run(2)
    assert me.n_orders == 0


def test_smart_means_walk_follow_or_attack() -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20))
    friend = arena.add("marine", at=(20, 26))
    enemy = arena.add("marine", at=(28, 20), owner=2, passive=True)
    kinds = arena.sim.games.orders["kind"][0, me.slot]
    me.order(codes.SMART, at=(24, 24))
    assert kinds[0] == codes.MOVE
    me.order(codes.SMART, on=friend)
    assert kinds[0] == codes.FOLLOW
    me.order(codes.SMART, on=enemy)
    assert kinds[0] == codes.ATTACK
    arena.run(60)
    assert enemy.hp < 45.0


def test_hold_position_does_not_chase() -> None:
    """5.3 is within the scan range 5.5, but not within reach."""
    arena = open_ground()
    me = arena.add("marine", at=(20, 20))
    enemy = arena.add("marine", at=(20 + 0.75 + 5.3, 20), owner=2, passive=True)
    me.hold()
    arena.run(60)
    assert me.at == (20, 20)
    assert enemy.hp == 45.0
    enemy.put(20 + 0.75 + 4.9, 20)
    arena.run(20)
    assert me.at == (20, 20)
    assert enemy.hp < 45.0


def test_an_idle_marine_does_chase() -> None:
    arena = open_ground()
    me = arena.add("marine", at=(20, 20))
    enemy = arena.add("marine", at=(20 + 0.75 + 5.3, 20), owner=2, passive=True)
    arena.run(60)
    assert me.x > 20
    assert enemy.hp < 45.0


# --- crowds -------------------------------------------------------------------------------------


def test_a_walker_pushes_an_idle_friend_aside() -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20))
    friend = arena.add("marine", at=(24, 20.05), passive=True)
    me.move(30, 20)
    # 71 ticks alone; the push may cost it a second.
    assert ticks_to(arena, me, 30, 20) <= 72 + SECOND
    assert friend.distance(24, 20.05) > 0.1


@pytest.mark.parametrize("blocker", ["enemy", "holding"])
def test_enemies_and_holding_friends_are_walked_around(blocker: str) -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20), passive=True)
    other = arena.add("marine", at=(24, 20.05), owner=2 if blocker == "enemy" else 1, passive=True)
    if blocker == "holding":
        other.hold()
    me.move(30, 20)
    assert ticks_to(arena, me, 30, 20) <= 72 + SECOND
    # Not shoved; a touch may move it by a hair.
    assert other.distance(24, 20.05) < 0.05


@pytest.mark.parametrize(
    ("angles", "gets_out"), [((-59, 0, 59), True), ((-88.5, -29.5, 29.5, 88.5), False)]
)
def test_who_would_have_to_go_back_around_others_waits(
    angles: tuple[float, ...], gets_out: bool
) -> None:
    arena = open_ground("liberty")
    me = arena.add("marine", at=(20, 20), passive=True)
    # The way past a friend at 0.77 leads 77 degrees beside it: 136 or 165 from where it wants to.
    for angle in angles:
        at = 20 + 0.77 * cos(radians(angle)), 20 + 0.77 * sin(radians(angle))
        arena.add("marine", at=at, passive=True).hold()
    me.move(30, 20)
    arena.run(4 * SECOND)
    assert (me.distance(20, 20) > 2.0) == gets_out


def test_units_on_one_spot_drift_apart() -> None:
    arena = open_ground("liberty")
    group = [arena.add("marine", at=(20 + 0.01 * i, 20), passive=True) for i in range(4)]
    arena.run(100)
    for i, me in enumerate(group):
        for other in group[:i]:
            # Separation radii 0.375 + 0.375; what is left of an overlap shrinks ever more slowly.
            assert me.distance(*other.at) > 0.75 * 0.95


@pytest.mark.parametrize("upper", ["medivac", "colossus"])
def test_flyers_and_colossi_pass_over_ground_units(upper: str) -> None:
    arena = open_ground("liberty")
    marine = arena.add("marine", at=(30, 30), passive=True)
    above = arena.add(upper, at=(25, 30), passive=True)
    above.move(30, 30)
    arena.run(100)
    assert above.distance(30, 30) < 0.1
    assert marine.at == (30, 30)


def test_a_crowd_ordered_to_one_point_comes_to_rest_around_it() -> None:
    arena = open_ground("liberty")
    crowd = [arena.add("marine", at=(10 + i % 4, 10 + i // 4)) for i in range(12)]
    for me in crowd:
        me.move(30, 30)
    assert arena.run(400, until=lambda: all(me.n_orders == 0 for me in crowd))
    # Twelve bodies of radius 0.375 fill a circle of radius 0.375 x sqrt(12 / 0.8) = 1.5; a loose
    # crowd takes twice that.
    assert max(me.distance(30, 30) for me in crowd) < 3.0
    assert ceil(28.3 / MARINE_STEP) - 25 < arena.ticks
