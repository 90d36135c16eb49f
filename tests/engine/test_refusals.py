"""Orders that cannot be obeyed: the game's own reason, and nothing changes."""

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import EngineError
from tests.engine.arena import Arena, open_ground


def state(arena: Arena) -> dict[str, np.ndarray]:
    """Everything about the games but that they told of a refusal."""
    games = {name: array.copy() for name, array in arena.sim.games._asdict().items()}
    del games["events"]
    games["clock"]["n_events"] = 0
    return games


def nothing_changed(arena: Arena, before: dict[str, np.ndarray]) -> bool:
    # Values, not bytes: the padding of a copied record holds what the memory held before.
    return all(np.array_equal(array, before[name]) for name, array in state(arena).items())


def refused(arena: Arena, order, reason: str) -> None:
    """The order has this answer, and not a value of the world is another one."""
    before = state(arena)
    assert order() == reason
    assert nothing_changed(arena, before)


def test_an_ability_that_the_unit_does_not_have():
    arena = open_ground()
    me = arena.add("marine", at=(10, 10)).move(20, 10)
    foe = arena.add("marine", at=(18, 10), owner=2)
    refused(arena, lambda: me.use("yamato", on=foe), "NotSupported")
    refused(arena, lambda: me.use("siege_mode"), "NotSupported")


def test_an_upgrade_that_is_missing():
    arena = open_ground()
    me = arena.add("marine", at=(10, 10)).move(20, 10)
    refused(arena, lambda: me.use("stimpack_marine"), "TechRequirementsNotMet")


def test_a_price_that_cannot_be_paid():
    arena = open_ground().research("stimpack")
    ghost = arena.add("ghost", at=(10, 10), energy=20.0).move(20, 10)
    marine = arena.add("marine", at=(14, 10), hp=9.0)
    foe = arena.add("marine", at=(18, 10), owner=2)
    refused(arena, lambda: ghost.use("emp", at=(18, 10)), "NotEnoughEnergy")
    refused(arena, lambda: ghost.use("steady_targeting", on=foe), "NotEnoughEnergy")
    refused(arena, lambda: marine.use("stimpack_marine"), "NotEnoughLife")


def test_targets_of_the_wrong_kind():
    arena = open_ground().research("neural_parasite")
    raven = arena.add("raven", at=(10, 10), energy=200.0)
    ghost = arena.add("ghost", at=(10, 14), energy=200.0)
    marine = arena.add("marine", at=(16, 10), owner=2)
    bunker = arena.add("bunker", at=(16, 16), owner=2)
    friend = arena.add("siege_tank", at=(12, 12))
    refused(arena, lambda: raven.use("interference_matrix", on=marine), "CantTargetThatUnit")
    refused(arena, lambda: raven.use("interference_matrix", on=friend), "CantTargetThatUnit")
    refused(arena, lambda: ghost.use("steady_targeting", on=bunker), "CantTargetThatUnit")
    refused(arena, lambda: ghost.use("steady_targeting", on=ghost), "CantTargetThatUnit")
    refused(arena, lambda: ghost.use("steady_targeting"), "CantTargetThatUnit")


def test_targets_that_nobody_sees():
    arena = open_ground()
    ghost = arena.add("ghost", at=(10, 14), energy=200.0)
    hidden = arena.add("zergling_burrowed", at=(14, 14), owner=2)
    arena.run(4)
    refused(arena, lambda: ghost.use("steady_targeting", on=hidden), "CantTargetThatUnit")


def test_targets_out_of_range_of_who_cannot_walk():
    arena = open_ground()
    mine = arena.add("widow_mine_burrowed", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(30, 10), owner=2, passive=True)
    refused(arena, lambda: mine.use("widow_mine_attack", on=foe), "TargetIsOutOfRange")


def test_a_queue_that_is_full_and_coordinates_that_are_none():
    arena = open_ground()
    me = arena.add("marine", at=(10, 10))
    for k in range(8):
        me.move(20 + k, 10, queued=True)
    before = state(arena)
    me.move(40, 10, queued=True)
    assert arena.sim.answer(0, me.slot) == "QueueIsFull"
    assert nothing_changed(arena, before)
    for at in ((np.nan, 1.0), (np.inf, 0.0), (1e300, 0.0)):
        me.order(codes.MOVE, at)
        assert arena.sim.answer(0, me.slot) == "Error"


@pytest.mark.parametrize("ability", [-7, -1, 10_000, 2**40])
def test_rows_that_do_not_exist(ability):
    arena = open_ground()
    me = arena.add("marine", at=(10, 10))
    before = state(arena)
    arena.sim.order(0, me.slot, codes.CAST, ability=ability)
    arena.sim.step(0)
    assert arena.sim.answer(0, me.slot) == "NotSupported"
    assert nothing_changed(arena, before)


@pytest.mark.parametrize("target", [-7, 23, 24, 10_000, 2**40])
def test_targets_that_do_not_exist(target):
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=200.0)
    before = state(arena)
    arena.sim.order(
        0, me.slot, codes.CAST, target=target, ability=arena.sim.known.abilities["steady_targeting"]
    )
    arena.sim.step(0)
    assert arena.sim.answer(0, me.slot) == "CantTargetThatUnit"
    assert nothing_changed(arena, before)


def test_names_that_do_not_exist():
    arena = open_ground()
    me = arena.add("marine", at=(10, 10))
    with pytest.raises(EngineError, match=r'unknown ability "stimpak".*terrarium list abilities'):
        me.use("stimpak")
    with pytest.raises(EngineError, match=r'unknown upgrade "stimpak".*Did you mean "stimpack"'):
        arena.research("stimpak")


def test_energy_that_is_gone_when_a_queued_order_comes_up():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=80.0, passive=True)
    me.use("emp", at=(14, 10))
    assert me.use("emp", at=(14, 14), queued=True) == "Success"
    arena.run(20)
    assert me.skill["error"] == codes.NOT_ENOUGH_ENERGY
    assert me.n_orders == 0


def test_what_is_aimed_beyond_the_edge_of_the_map_falls_on_it():
    arena = open_ground()
    me = arena.add("sentry", at=(3, 3), passive=True, energy=100.0)
    assert me.use("force_field", at=(-2.0, -2.0)) == "Success"
    arena.run(4)
    field = next(piece for piece in arena.pieces() if piece.type == "force_field")
    assert field.at == (0.0, 0.0)


@pytest.mark.parametrize("target", [-7, 5, 23, 24, 10_000, 2**40])
@pytest.mark.parametrize(
    ("unit", "ability"),
    [
        ("ghost", "emp"),
        ("sentry", "force_field"),
        ("sentry", "guardian_shield"),
        ("orbital_command", "scanner_sweep"),
        ("medivac", "unload_all_medivac"),
        ("reaper", "kd8_charge"),
        ("marine", "stimpack_marine"),
    ],
)
def test_no_target_however_strange_leads_off_the_map(unit, ability, target):
    arena = open_ground().research("stimpack")
    me = arena.add(unit, at=(10, 10), energy=100.0)
    row = arena.sim.known.abilities[ability]
    arena.sim.order(0, me.slot, codes.CAST, at=(12.0, 12.0), target=target, ability=row)
    arena.run(60)
    assert arena.sim.answer(0, me.slot) in ("", "Success", "CantTargetThatUnit", "NotSupported")
    for piece in arena.pieces():
        assert piece.distance(10, 10) < 6
