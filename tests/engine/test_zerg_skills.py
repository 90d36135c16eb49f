"""Zerg skills that decide fights against Terran (lotv-4.10)."""

import pytest

from terrarium.engine import codes
from tests.engine.arena import open_ground

PLENTY = 10_000.0


def test_burrowed_units_need_a_detector_and_their_upgrade():
    arena = open_ground()
    me = arena.add("roach", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(13, 10), owner=2, passive=True)
    assert me.use("burrow_roach") == "TechRequirementsNotMet"
    arena.research("burrow")
    assert me.use("burrow_roach") == "Success"
    arena.run(20)
    assert me.type == "roach_burrowed"
    assert not foe.sees(me)
    assert foe.order(codes.ATTACK, on=me).arena.sim.answer(0, foe.slot) == "CantTargetThatUnit"
    arena.add("raven", at=(15, 10), owner=2, passive=True)
    arena.run(4)
    assert foe.sees(me)


def test_burrowed_units_are_hit_by_splash():
    arena = open_ground()
    hidden = arena.add("zergling_burrowed", at=(20, 10), passive=True)
    bait = arena.add("zergling", at=(20, 10.7), passive=True, hp=PLENTY)
    tank = arena.add("siege_tank_sieged", at=(10, 10), owner=2)
    tank.attack(bait)
    arena.run(60)
    assert arena.blows_on(hidden)


def test_a_baneling_explodes_when_told():
    arena = open_ground()
    me = arena.add("baneling", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(11.5, 10), owner=2, passive=True, hp=PLENTY)
    assert me.use("explode_baneling") == "Success"
    arena.run(2)
    assert not me.alive
    assert arena.blows_on(foe)[0].damage == 35  # 20, and 15 against light


def test_corrosive_bile_falls_after_48_ticks_for_sixty_on_everybody():
    arena = open_ground()
    me = arena.add("ravager", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(18, 10), owner=2, passive=True, hp=PLENTY)
    own = arena.add("marine", at=(18, 10.8), passive=True, hp=PLENTY)
    assert me.use("corrosive_bile", at=(18, 10)) == "Success"
    arena.run(3)
    assert arena.areas() == ["corrosive_bile"]
    arena.run(44)
    assert not arena.blows_on(foe)
    arena.run(5)
    assert [b.damage for b in arena.blows_on(foe)] == [60]
    assert [b.damage for b in arena.blows_on(own)] == [60]
    assert me.use("corrosive_bile", at=(18, 10)) == "Cooldown"


def test_a_bile_can_be_walked_out_of():
    arena = open_ground()
    me = arena.add("ravager", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(18, 10), owner=2, passive=True)
    me.use("corrosive_bile", at=(18, 10))
    arena.run(5)
    foe.move(24, 10)
    arena.run(60)
    assert not arena.blows_on(foe)


def test_a_bile_breaks_a_force_field():
    arena = open_ground()
    me = arena.add("ravager", at=(10, 10), passive=True)
    sentry = arena.add("sentry", at=(20, 10), owner=2, passive=True, energy=100.0)
    assert sentry.use("force_field", at=(15, 10)) == "Success"
    arena.run(3)
    field = next(p for p in arena.pieces() if p.type == "force_field")
    me.use("corrosive_bile", at=(15, 10))
    arena.run(60)
    assert not field.alive


def test_transfusion_gives_75_at_once_and_50_over_160_ticks():
    arena = open_ground().without_regeneration()
    me = arena.add("queen", at=(10, 10), passive=True, energy=60.0)
    friend = arena.add("ultralisk", at=(15, 10), passive=True, hp=100.0)
    assert me.use("transfusion", on=friend) == "Success"
    arena.run(6)
    assert friend.hp == pytest.approx(175, abs=2)
    arena.run(170)
    assert friend.hp == pytest.approx(225, abs=0.5)
    me.set(energy=60.0)
    assert me.use("transfusion", on=me) == "CantTargetThatUnit"


def test_fungal_growth_deals_thirty_and_slows_to_a_quarter():
    arena = open_ground()
    me = arena.add("infestor", at=(10, 10), passive=True, energy=80.0)
    foe = arena.add("marine", at=(18, 10), owner=2, passive=True)
    far = arena.add("marine", at=(18, 14), owner=2, passive=True)
    own = arena.add("zergling", at=(18, 11), passive=True)
    full = foe.max_speed
    assert me.use("fungal_growth", at=(18, 10)) == "Success"
    assert arena.run(60, until=lambda: "fungal_growth" in foe.buffs)
    assert foe.max_speed == pytest.approx(0.25 * full)
    assert not far.buffs
    assert not own.buffs
    arena.run(70)
    assert foe.hp == pytest.approx(45 - 30)
    assert foe.max_speed == full


def test_fungal_growth_forbids_blink_and_boarding():
    arena = open_ground().research("blink_tech", owner=2)
    me = arena.add("infestor", at=(10, 10), passive=True, energy=80.0)
    foe = arena.add("stalker", at=(18, 10), owner=2, passive=True)
    me.use("fungal_growth", at=(18, 10))
    assert arena.run(60, until=lambda: bool(foe.buffs))
    assert foe.use("blink", at=(24, 10)) == "NotSupported"


def test_neural_parasite_turns_a_unit_for_240_ticks():
    arena = open_ground().research("neural_parasite")
    me = arena.add("infestor", at=(10, 10), passive=True, energy=120.0)
    foe = arena.add("siege_tank", at=(17, 10), owner=2, passive=True)
    assert me.use("neural_parasite", on=foe) == "Success"
    arena.run(5)
    assert foe.side == 0
    arena.run(220)
    assert foe.side == 0
    arena.run(30)
    assert foe.side == 1
    assert list(arena.sim.players["n_alive"][0]) == [1, 1]


def test_neural_parasite_ends_with_the_infestor():
    arena = open_ground().research("neural_parasite")
    me = arena.add("infestor", at=(10, 10), passive=True, energy=120.0)
    foe = arena.add("siege_tank", at=(17, 10), owner=2, passive=True)
    me.use("neural_parasite", on=foe)
    arena.run(50)
    me.set(hp=0.0)
    arena.run(3)
    assert foe.side == 1


def test_neural_parasite_has_no_hold_on_an_ultralisk():
    arena = open_ground().research("neural_parasite")
    me = arena.add("infestor", at=(10, 10), energy=120.0)
    foe = arena.add("ultralisk", at=(17, 10), owner=2)
    assert me.use("neural_parasite", on=foe) == "CantTargetThatUnit"


def test_abduct_pulls_its_target_to_the_viper():
    arena = open_ground()
    me = arena.add("viper", at=(10, 10), passive=True, energy=80.0)
    foe = arena.add("siege_tank_sieged", at=(18, 10), owner=2, passive=True)
    assert me.use("abduct", on=foe) == "Success"
    arena.run(30)
    assert me.gap(foe) < 0.5
    assert not foe.buffs


def test_blinding_cloud_leaves_ground_units_nothing_but_touch():
    arena = open_ground()
    me = arena.add("viper", at=(20, 10), passive=True, energy=120.0)
    foe = arena.add("marine", at=(12, 10), owner=2)
    victim = arena.add("zergling", at=(16, 10), passive=True, hp=PLENTY)
    assert me.use("blinding_cloud", at=(12, 10)) == "Success"
    arena.run(6)
    foe.hold()
    before = len(arena.blows_on(victim))
    arena.run(80)
    assert len(arena.blows_on(victim)) == before
    assert foe.range_add == -20
    arena.run(60)
    assert foe.range_add == 0


def test_parasitic_bomb_hurts_the_fleet_around_its_carrier():
    arena = open_ground()
    me = arena.add("viper", at=(10, 10), passive=True, energy=130.0)
    foe = arena.add("battlecruiser", at=(17, 10), owner=2, passive=True)
    near = arena.add("medivac", at=(17, 13), owner=2, passive=True)
    far = arena.add("medivac", at=(17, 20), owner=2, passive=True)
    assert me.use("parasitic_bomb", on=foe) == "Success"
    arena.run(60)
    assert arena.blows_on(foe)
    assert arena.blows_on(near)
    assert not arena.blows_on(far)


def test_a_lurker_shoots_only_when_it_is_under_the_ground():
    arena = open_ground()
    lurker = arena.add("lurker_mp", at=(10, 10))
    foe = arena.add("marine", at=(16, 10), owner=2, passive=True, hp=PLENTY)
    arena.run(40)
    assert not arena.blows_on(foe)
    assert lurker.use("burrow_lurker") == "Success"
    arena.run(120)
    assert lurker.type == "lurker_mp_burrowed"
    assert arena.blows_on(foe)
    assert lurker.use("hold_fire_lurker") == "Success"
    n = len(arena.blows_on(foe))
    arena.run(80)
    assert len(arena.blows_on(foe)) <= n + 1


@pytest.mark.parametrize(
    ("unit", "upgrade", "faster"),
    [
        ("zergling", "zergling_movement_speed", 1.746),
        ("roach", "glial_reconstitution", 0.75),
        ("baneling", "centrifical_hooks", 0.4531),
        ("overseer", "overlord_speed", 1.5),
    ],
)
def test_speed_upgrades_of_the_zerg(unit, upgrade, faster):
    arena = open_ground()
    me = arena.add(unit, at=(10, 10))
    plain = me.max_speed
    arena.research(upgrade)
    assert me.max_speed == pytest.approx(plain + faster / 16)


def test_adrenal_glands_raise_the_rate_of_zerglings_by_a_fifth():
    arena = open_ground().research("zergling_attack_speed")
    assert arena.add("zergling", at=(10, 10)).rate == pytest.approx(1.2)


def test_grooved_spines_reach_one_farther():
    arena = open_ground().research("evolve_grooved_spines")
    assert arena.add("hydralisk", at=(10, 10)).range_add == 1
