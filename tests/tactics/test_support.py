"""Those who help: SCVs, Bunkers, Medivacs; and those who get somewhere."""

import numpy as np

from terrarium.tactics.bunker import bunkers
from terrarium.tactics.cloak import cloak
from terrarium.tactics.cyclone import lock_on
from terrarium.tactics.medivac import medivacs
from terrarium.tactics.orders import OrderKind, combine
from terrarium.tactics.raid import raid
from terrarium.tactics.reach import reach
from terrarium.tactics.repair import repair
from terrarium.tactics.spare import spare
from tests.tactics.battlefield import Piece, battle, kinds, melee, task

FAR = [melee(30, 28, seen=False)]
HOLDS = task(holds=True)


def scv(x: float, y: float, **changes: object) -> Piece:
    return Piece(x, y, kind="scv", can=("repair_scv",), **changes)  # type: ignore[arg-type]


def test_the_most_value_in_danger_is_repaired_first() -> None:
    own = [
        scv(8, 16),
        Piece(9, 16, 200.0, 400.0, kind="thor"),
        Piece(9, 17, 50.0, 90.0, kind="hellion"),
    ]
    view = battle(own, FAR)
    orders = combine(view, repair(view))
    assert (orders.kind[0, 0], orders.target[0, 0]) == (OrderKind.CAST, 1)
    assert orders.on_friend[0, 0]


def test_whoever_repairs_already_goes_on() -> None:
    own = [scv(8, 16, casts="repair_scv"), Piece(9, 16, 200.0, 400.0, kind="thor")]
    view = battle(own, FAR)
    assert combine(view, repair(view)).kind[0, 0] == OrderKind.NONE


def test_the_crew_walks_to_the_bunker_and_is_taken_in() -> None:
    bunker = Piece(10, 16, 400.0, 400.0, kind="bunker", can=("load_bunker",), speed=0.0)
    view = battle([bunker, Piece(14, 16), Piece(11, 16)], FAR, mission=HOLDS)
    orders = combine(view, bunkers(view))
    assert orders.kind[0].tolist() == [OrderKind.CAST, OrderKind.MOVE, OrderKind.MOVE]
    assert orders.target[0, 0] == 2


def test_a_full_bunker_takes_nobody() -> None:
    bunker = Piece(10, 16, 400.0, 400.0, kind="bunker", can=("load_bunker",), speed=0.0, load=4)
    view = battle([bunker, Piece(11, 16)], FAR, mission=HOLDS)
    assert (combine(view, bunkers(view)).kind[0] == OrderKind.NONE).all()


def test_medivacs_fetch_different_marines() -> None:
    fleet = [Piece(9, 15 + i, kind="medivac", can=("load_medivac",), walks=False) for i in range(2)]
    view = battle([*fleet, Piece(10, 15), Piece(10, 17)], FAR, mission=task(flees=True))
    orders = combine(view, medivacs(view))
    assert sorted(orders.target[0, :2].tolist()) == [2, 3]


def test_cloak_before_they_see_but_not_under_a_detector() -> None:
    ghost = Piece(10, 16, kind="ghost", can=("cloak_ghost",), energy=75.0)
    view = battle([ghost], [Piece(17, 16, reach=5.0)])
    assert combine(view, cloak(view)).kind[0, 0] == OrderKind.CAST
    turret = Piece(15, 20, kind="missile_turret", speed=0.0)
    view = battle([ghost], [Piece(17, 16, reach=5.0), turret])
    assert combine(view, cloak(view)).kind[0, 0] == OrderKind.NONE


def test_a_cyclone_locks_on_and_then_backs_off() -> None:
    view = battle([Piece(10, 16, kind="cyclone", can=("lock_on",))], [Piece(15, 16)])
    assert combine(view, lock_on(view)).kind[0, 0] == OrderKind.CAST
    locked = Piece(10, 16, kind="cyclone", casts="lock_on")
    view = battle([locked], [Piece(15, 16)])
    orders = combine(view, lock_on(view))
    assert orders.kind[0, 0] == OrderKind.MOVE
    assert orders.point[0, 0, 0] < 10.0 or abs(orders.point[0, 0, 1] - 16.0) > 1.0


def test_a_raid_is_for_the_prey() -> None:
    mission = task(prey=kinds().are("probe"))
    view = battle(
        [Piece(10, 16, kind="banshee", walks=False)],
        [Piece(13, 16), melee(14, 16, kind="probe")],
        mission=mission,
    )
    orders = combine(view, raid(view))
    assert (orders.kind[0, 0], orders.target[0, 0]) == (OrderKind.ATTACK, 1)


def test_one_goes_ahead_and_the_precious_wait() -> None:
    mission = task(flees=True, precious=kinds().are("marine"), guards=np.array([[16.0, 16.0]]))
    view = battle([Piece(8, 16), scv(9, 16), scv(6, 16)], FAR, mission=mission)
    orders = combine(view, reach(view))
    assert orders.kind[0].tolist() == [OrderKind.HOLD, OrderKind.MOVE, OrderKind.HOLD]


def test_the_wounded_leave_the_fire_and_the_others_stay() -> None:
    foe = [melee(12, 16, speed=0.1)]
    view = battle([Piece(10.5, 16, hp=10.0, unhurt=2), Piece(10, 17), Piece(10, 18)], foe)
    orders = combine(view, spare(view))
    assert orders.kind[0].tolist() == [OrderKind.MOVE, OrderKind.NONE, OrderKind.NONE]
