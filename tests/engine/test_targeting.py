"""Whom units attack by themselves, and whom they do not (game_rules.md, 4; smac.md, 7)."""

from math import hypot

import pytest

from tests.engine.arena import Arena, Piece, open_ground

LOOK = 8
"""ticks in which a unit has certainly looked around; the engine does it every 4"""


def guard_and(
    guard: str, *others: tuple[str, float], rules: str = "lotv-4.10"
) -> tuple[Arena, Piece, list[Piece]]:
    """An idle unit at (30, 30), and harmless enemies each `gap` away in another direction."""
    arena = open_ground(rules)
    me = arena.add(guard, at=(30, 30))
    directions = [(1, 0), (0, 1), (-1, 0), (0, -1)]
    enemies = []
    for (name, gap), (x, y) in zip(others, directions, strict=False):
        enemy = arena.add(name, at=(50, 50), owner=2, passive=True)
        reach = gap + me.row["radius"] + enemy.row["radius"]
        enemies.append(enemy.put(30 + reach * x, 30 + reach * y))
    return arena, me, enemies


def choice(guard: str, *others: tuple[str, float]) -> str | None:
    """The name of the enemy that an idle unit picks."""
    arena, me, enemies = guard_and(guard, *others)
    arena.run(LOOK, until=lambda: me.has_target)
    return next((name for (name, _), e in zip(others, enemies, strict=True) if me.aims_at(e)), None)


# --- who looks, and how far ---------------------------------------------------------------------

SCAN = [
    # Liberty: the weapon's range, and 5 at least.
    ("liberty", "marine", 5.0),
    ("liberty", "marauder", 6.0),
    ("liberty", "stalker", 6.0),
    ("liberty", "zealot", 5.0),
    ("liberty", "zergling", 5.0),
    ("liberty", "hydralisk", 5.0),
    ("liberty", "baneling", 5.0),
    ("liberty", "colossus", 6.0),
    ("liberty", "spine_crawler", 7.0),
    # Legacy of the Void: mostly the range + 0.5.
    ("lotv-4.10", "marine", 5.5),
    ("lotv-4.10", "colossus", 7.5),
    ("lotv-4.10", "siege_tank_sieged", 13.0),
    ("lotv-4.10", "broodling", 15.0),
]


@pytest.mark.parametrize(("rules", "name", "scan"), SCAN)
def test_an_idle_unit_attacks_whom_it_finds_within_its_scan_range(
    rules: str, name: str, scan: float
) -> None:
    arena, me, (enemy,) = guard_and(name, ("marine", scan - 0.001), rules=rules)
    arena.run(LOOK)
    assert me.aims_at(enemy)


@pytest.mark.parametrize(("rules", "name", "scan"), SCAN)
def test_an_idle_unit_ignores_whoever_is_beyond(rules: str, name: str, scan: float) -> None:
    arena, me, _ = guard_and(name, ("marine", scan + 0.001), rules=rules)
    arena.run(40)
    assert not me.has_target
    assert me.at == (30, 30)


def test_passive_units_never_acquire() -> None:
    """SMAC's agents do what they are told and nothing else, even when they are shot."""
    arena, me, (enemy,) = guard_and("marine", ("marine", 2.0), rules="liberty")
    me.set(passive=True, hp=1000.0)
    enemy.set(passive=False)
    arena.run(100)
    assert arena.shots_of(enemy)
    assert not arena.shots_of(me)
    me.attack_move(30, 30)
    arena.run(100)
    assert not arena.shots_of(me)


def test_attack_move_acquires_and_goes_on() -> None:
    arena, me, (enemy,) = guard_and("marine", ("zergling", 7.0))
    me.attack_move(50, 30)
    arena.run(20)
    assert me.aims_at(enemy)
    arena.run(400)
    assert not enemy.alive
    assert me.distance(50, 30) < 0.1


def test_move_does_not_acquire() -> None:
    arena, me, (enemy,) = guard_and("marine", ("zergling", 3.0))
    me.move(30, 44)
    arena.run(60)
    assert not arena.shots_of(me)
    assert enemy.hp == 35.0


def test_a_unit_that_has_arrived_looks_around() -> None:
    arena, me, (enemy,) = guard_and("marine", ("zergling", 6.0))
    me.move(32, 30)
    arena.run(14)
    assert not me.has_target
    arena.run(LOOK)
    assert me.aims_at(enemy)


def test_patrol_acquires() -> None:
    arena, me, (enemy,) = guard_and("marine", ("zergling", 7.0))
    me.patrol(36, 30)
    arena.run(60)
    assert enemy.hp < 35.0


def test_hold_position_takes_only_whom_it_can_reach() -> None:
    arena, me, (near, far) = guard_and("marine", ("supply_depot", 4.0), ("marine", 5.3))
    me.hold()
    arena.run(LOOK)
    assert me.aims_at(near)
    assert not me.aims_at(far)


def test_an_order_is_not_forgotten_for_somebody_nearer() -> None:
    arena, me, (near, far) = guard_and("marine", ("zergling", 1.0), ("marine", 4.0))
    me.attack(far)
    arena.run(60)
    assert far.hp < 45.0
    assert near.hp == 35.0


# --- whom ---------------------------------------------------------------------------------------


def test_the_nearest_of_equals_is_taken() -> None:
    assert choice("marine", ("zergling", 3.0), ("marine", 2.0), ("roach", 4.0)) == "marine"
    assert choice("zealot", ("marine", 4.0), ("stalker", 3.0)) == "stalker"


def test_the_edges_decide_who_is_nearest() -> None:
    """An Ultralisk's center is further away, its edge nearer."""
    assert choice("marine", ("zergling", 2.0), ("ultralisk", 1.9)) == "ultralisk"


@pytest.mark.parametrize(
    ("guard", "threat", "harmless"),
    [
        ("marine", "marine", "medivac"),
        ("marine", "marine", "supply_depot"),
        ("marine", "zergling", "hatchery"),
        ("marine", "marine", "viking_fighter"),  # shoots at air only
        ("zealot", "zealot", "pylon"),
        ("stalker", "queen", "overlord"),
        ("marine", "spine_crawler", "overlord"),
        # Always a threat, although they have no weapon that could hit.
        ("marine", "raven", "medivac"),
        ("marine", "infestor", "overlord"),
        ("marine", "high_templar", "supply_depot"),
        ("marine", "viper", "overlord"),
        ("marine", "oracle", "medivac"),
    ],
)
def test_threats_come_before_the_harmless(guard: str, threat: str, harmless: str) -> None:
    assert choice(guard, (harmless, 1.0), (threat, 4.5)) == threat


def test_a_threat_that_cannot_be_hit_does_not_count() -> None:
    """A Viking in the air is shot at by the Stalker, but its torpedoes fly at flyers only."""
    assert choice("viking_fighter", ("stalker", 4.5), ("overlord", 5.0)) == "overlord"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("marine", "scv"),  # 20 against a worker's 10, both armed
        ("zergling", "drone"),
        ("bunker", "supply_depot"),  # 19, 11
        ("medivac", "bunker"),  # 20, 19
        ("supply_depot", "mule"),  # 11, a worker's 10
        ("hatchery", "larva"),  # 11, 10
        ("pylon", "egg"),
        ("scv", "supply_depot"),  # a worker can hit back
    ],
)
def test_priority_decides_among_threats_and_among_the_harmless(first: str, second: str) -> None:
    assert choice("marine", (second, 1.0), (first, 4.0)) == first


def test_a_lonely_worker_is_attacked() -> None:
    assert choice("marine", ("scv", 3.0)) == "scv"


@pytest.mark.parametrize(
    "name", ["adept_phase_shift", "interceptor", "broodling_escort", "force_field", "kd8_charge"]
)
def test_the_invulnerable_and_the_untargetable_are_never_taken(name: str) -> None:
    assert choice("stalker", (name, 2.0)) is None
    _, me, (other,) = guard_and("stalker", (name, 2.0))
    me.attack(other)
    assert me.n_orders == 0


@pytest.mark.parametrize(
    ("guard", "flyer"),
    [("zealot", "medivac"), ("zealot", "void_ray"), ("zergling", "mutalisk"), ("roach", "banshee")],
)
def test_ground_weapons_cannot_attack_flyers(guard: str, flyer: str) -> None:
    assert choice(guard, (flyer, 0.1)) is None
    _, me, (other,) = guard_and(guard, (flyer, 0.1))
    me.attack(other)
    assert me.n_orders == 0


def test_a_zealot_does_not_run_after_a_flyer_that_shoots_it() -> None:
    arena, me, (ray,) = guard_and("zealot", ("void_ray", 5.5))
    ray.set(passive=False)
    arena.run(60)
    assert me.life < 150.0
    assert not me.has_target
    assert me.at == (30, 30)


def test_a_colossus_can_be_attacked_as_a_flyer() -> None:
    """It is ground and air at once: a Viking in the air and a Zealot may both attack it."""
    assert choice("viking_fighter", ("colossus", 5.0)) == "colossus"
    assert choice("zealot", ("colossus", 3.0)) == "colossus"


def test_friends_are_not_attacked_but_by_order() -> None:
    arena = open_ground()
    me, friend = arena.add("marine", at=(30, 30)), arena.add("marine", at=(33, 30))
    arena.run(60)
    assert not me.has_target
    assert friend.hp == 45.0


def test_a_crawler_sees_who_touches_it() -> None:
    for gap in (0.0, -0.01, -0.2):
        arena, me, (enemy,) = guard_and("spine_crawler", ("zergling", gap), rules="liberty")
        arena.run(LOOK)
        assert me.aims_at(enemy)


# --- for how long -------------------------------------------------------------------------------


def test_a_target_is_kept_while_it_is_in_range() -> None:
    arena, me, (first,) = guard_and("marine", ("marauder", 4.0))
    arena.run(LOOK)
    assert me.aims_at(first)
    nearer = arena.add("marine", at=(30, 31.5), owner=2, passive=True)
    arena.run(40)
    assert me.aims_at(first)
    assert nearer.hp == 45.0


def test_a_target_that_leaves_range_is_given_up_for_a_nearer_one() -> None:
    arena, me, (first,) = guard_and("marine", ("marauder", 4.0))
    arena.run(LOOK)
    nearer = arena.add("marine", at=(30, 31.5), owner=2, passive=True)
    first.put(40, 30)
    arena.run(30)  # the backswing of a shot may have to end first
    assert me.aims_at(nearer)


def test_a_threat_draws_fire_away_from_the_harmless() -> None:
    arena, me, (depot,) = guard_and("marine", ("supply_depot", 1.0))
    arena.run(30)
    assert me.aims_at(depot)
    zergling = arena.add("zergling", at=(30, 34), owner=2, passive=True)
    arena.run(LOOK)
    assert me.aims_at(zergling)


def test_after_a_kill_comes_the_next() -> None:
    arena, _, enemies = guard_and("marine", ("zergling", 2.0), ("zergling", 3.0), ("zergling", 4.0))
    arena.run(400)
    assert not any(enemy.alive for enemy in enemies)


# --- answers to an attack -----------------------------------------------------------------------


def test_a_zealot_turns_on_a_stalker_that_shoots_it_from_beyond_its_sight_of_targets() -> None:
    """The Stalker reaches 6 cells, an idle Zealot looks for enemies within 5."""
    arena, me, (stalker,) = guard_and("zealot", ("stalker", 5.9), rules="liberty")
    arena.run(20)
    assert not me.has_target
    stalker.attack(me)
    arena.run(20)
    assert me.life < 150.0
    assert me.aims_at(stalker)
    assert me.x > 30.0


def test_an_attack_moving_unit_turns_on_its_attacker() -> None:
    arena, me, (stalker,) = guard_and("zealot", ("stalker", 5.9), rules="liberty")
    me.attack_move(10, 30)
    stalker.attack(me)
    arena.run(25)
    assert me.aims_at(stalker)


def test_a_moving_unit_keeps_moving_under_fire() -> None:
    arena, me, (stalker,) = guard_and("zealot", ("stalker", 5.0), rules="liberty")
    me.move(20, 30)
    stalker.attack(me)
    arena.run(30)
    assert me.life < 150.0
    assert not me.has_target
    assert me.x < 28.0


@pytest.mark.parametrize(("distance", "helps"), [(3.9, True), (4.1, False)])
def test_friends_within_4_cells_come_to_help(distance: float, helps: bool) -> None:
    """The friend stands behind the victim, further from the attacker than it looks."""
    arena, me, (stalker,) = guard_and("zealot", ("stalker", 5.9), rules="liberty")
    friend = arena.add("zealot", at=(30 - distance, 30))
    stalker.attack(me)
    arena.run(20, until=lambda: bool(arena.blows_on(me)))
    arena.run(2)
    assert friend.aims_at(stalker) == helps


def test_enemies_and_passive_friends_do_not_help() -> None:
    arena, me, (stalker,) = guard_and("zealot", ("stalker", 5.9), rules="liberty")
    friend = arena.add("zealot", at=(29, 29), passive=True)
    stalker.attack(me)
    arena.run(20)
    assert arena.blows_on(me)
    assert not friend.has_target


def test_a_chase_ends_21_cells_from_home_and_leads_back() -> None:
    arena = open_ground("liberty")
    me = arena.add("zergling", at=(8, 30))
    bait = arena.add("stalker", at=(12, 30), owner=2, passive=True)
    farthest = 0.0
    for _ in range(60):
        bait.put(me.x + 3.0, 30)  # always just ahead
        arena.run(4)
        farthest = max(farthest, me.x - 8)
        if not me.has_target:
            break
    # The place is read every 4 ticks, in which a Zergling walks 0.74.
    assert farthest == pytest.approx(21.0, abs=0.8)
    bait.put(60, 60)
    arena.run(200)
    assert me.distance(8, 30) < 0.1


def test_workers_do_not_look_for_trouble() -> None:
    for worker in ("scv", "drone", "probe"):
        arena, me, _ = guard_and(worker, ("zergling", 1.0))
        arena.run(60)
        assert not me.has_target


@pytest.mark.parametrize("name", ["scv", "drone", "probe", "mule", "overlord"])
def test_workers_and_overlords_flee_from_an_attacker(name: str) -> None:
    """5 cells away from it, instead of fighting back."""
    arena, me, (marine,) = guard_and(name, ("marine", 3.0))
    me.set(hp=1000.0)
    marine.attack(me)
    arena.run(10, until=lambda: bool(arena.blows_on(me)))
    marine.stop()
    arena.run(200)
    assert not arena.shots_of(me)
    assert me.x < 30.0
    assert hypot(me.x - 30, me.y - 30) == pytest.approx(5.0, abs=0.2)


@pytest.mark.parametrize("name", ["scv", "drone", "probe"])
def test_a_worker_ignores_enemies_while_nobody_sends_it_to_attack(name: str) -> None:
    arena, me, _ = guard_and(name, ("zergling", 1.0))
    arena.run(40)
    assert not me.has_target


@pytest.mark.parametrize("order", ["attack_move", "patrol"])
@pytest.mark.parametrize("name", ["scv", "drone", "probe"])
def test_a_worker_that_attack_moves_fights_whom_it_meets(name: str, order: str) -> None:
    """A rush of workers is such an order, and nothing else (AI Arena's integration matches)."""
    arena, me, (enemy,) = guard_and(name, ("zergling", 3.0))
    getattr(me, order)(45, 30)
    arena.run(60)
    assert enemy.hp < 35.0


def test_workers_that_attack_move_go_for_a_townhall() -> None:
    """Where they are sent, they do not stand beside it idly."""
    arena = open_ground("lotv-4.10")
    base = arena.add("command_center", at=(40.5, 30.5), owner=2)
    for k in range(8):
        arena.add("scv", at=(34, 26 + k)).attack_move(40.5, 30.5)
    arena.run(300)
    assert base.hp < 1400.0


def test_a_worker_fights_by_order() -> None:
    arena, me, (enemy,) = guard_and("scv", ("zergling", 1.0))
    me.attack(enemy)
    arena.run(30)
    assert enemy.hp < 35.0
