"""Taking turns in the fire of a fortress."""

from dataclasses import replace

from terrarium.tactics.orders import OrderKind
from terrarium.tactics.skirmish import lead
from terrarium.tactics.withdrawal import withdraw
from tests.tactics.battlefield import SOUTH, Piece, battle

FORTRESS = Piece(16, 20, hp=300.0, hp_max=300.0, reach=8.0, damage=30.0, period=26.0, speed=0.0)


def stalker(x: float, y: float, hp: float, shield: float, unhurt: float) -> Piece:
    return Piece(x, y, hp, 80.0, shield, 80.0, reach=6.0, unhurt=unhurt)


def test_who_is_shot_at_and_low_leaves_and_the_other_stays() -> None:
    view = battle([stalker(16, 14.5, 42, 0, 5), stalker(17, 14.5, 80, 80, 500)], [FORTRESS])
    plan = withdraw(view)
    assert plan.leaves.tolist() == [[True, False]]
    assert plan.heading[0, 0] == SOUTH


def test_who_is_low_but_not_shot_at_goes_on_shooting() -> None:
    view = battle([stalker(16, 14.5, 42, 0, 60), stalker(17, 14.5, 80, 80, 5)], [FORTRESS])
    assert not withdraw(view).leaves.any()
    assert (lead(view).kind == OrderKind.ATTACK).all()


def test_all_wait_outside_until_the_last_shield_is_full() -> None:
    outside = [stalker(16, 5, 42, 80, 500), stalker(18, 5, 42, 30, 500)]
    assert withdraw(battle(outside, [FORTRESS])).waits.all()
    healed = [outside[0], replace(outside[1], shield=80.0)]
    assert not withdraw(battle(healed, [FORTRESS])).waits.any()


def test_nobody_leaves_when_the_fortress_is_about_to_fall() -> None:
    ours = [stalker(16, 14.5, 42, 0, 5), stalker(17, 14.5, 42, 0, 60)]
    assert withdraw(battle(ours, [FORTRESS])).leaves.all()
    assert not withdraw(battle(ours, [replace(FORTRESS, hp=15.0)])).leaves.any()


def test_there_is_no_withdrawal_from_those_who_can_follow() -> None:
    ours = [stalker(16, 14.5, 42, 0, 5), stalker(17, 14.5, 80, 80, 500)]
    assert not withdraw(battle(ours, [replace(FORTRESS, speed=0.1)])).leaves.any()
