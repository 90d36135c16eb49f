"""What players are told they can use is what the engine would accept."""

import numpy as np

from terrarium.envs.players.ability_view import skills_of
from tests.engine.arena import Piece, open_ground


def can_use(me: Piece, ability: str) -> bool:
    sim = me.arena.sim
    slots = np.array([[me.slot]])
    return bool(skills_of(sim, slots, sim.units[:, slots[0]]).can[ability][0, 0])


def test_who_is_held_to_the_ground_cannot_blink() -> None:
    arena = open_ground().research("blink_tech")
    me = arena.add("stalker", at=(20, 20), passive=True)
    infestor = arena.add("infestor", at=(26, 20), owner=2, energy=200.0)
    assert can_use(me, "blink")
    assert infestor.use("fungal_growth", at=me.at) == "Success"
    arena.run(40)
    assert "fungal_growth" in me.buffs
    assert not can_use(me, "blink")
    assert me.use("blink", at=(24, 20)) == "NotSupported"


def test_a_shade_can_be_cancelled_as_long_as_there_is_one() -> None:
    arena = open_ground()
    me = arena.add("adept", at=(20, 20), passive=True)
    assert not can_use(me, "cancel_psionic_transfer")
    assert me.use("psionic_transfer", at=(30, 20)) == "Success"
    arena.run(8)
    assert can_use(me, "cancel_psionic_transfer")
    assert me.use("cancel_psionic_transfer") == "Success"


def test_a_switch_without_a_meaning_is_not_offered() -> None:
    me = open_ground().add("baneling", at=(20, 20), passive=True)
    assert not can_use(me, "attack_structures_on")


def test_the_dead_can_use_nothing() -> None:
    arena = open_ground().research("stimpack")
    me = arena.add("marine", at=(20, 20), passive=True)
    assert can_use(me, "stimpack_marine")
    me.set(hp=0.0)
    arena.run(1)
    assert not can_use(me, "stimpack_marine")
