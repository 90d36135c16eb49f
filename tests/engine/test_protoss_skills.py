"""Protoss skills that decide fights against Terran (lotv-4.10)."""

import pytest

from terrarium.engine import codes
from tests.engine.arena import open_ground

PLENTY = 10_000.0


def test_charge_rushes_at_the_target_and_adds_eight_to_the_first_hit():
    arena = open_ground().research("charge")
    me = arena.add("zealot", at=(10, 10))
    foe = arena.add("ultralisk", at=(15.5, 10), owner=2, passive=True, hp=PLENTY)
    me.attack(foe)
    assert arena.run(20, until=lambda: "charging" in me.buffs)
    assert me.max_speed > 2 * 3.15 / 16
    arena.run(60)
    blows = [blow.damage for blow in arena.blows_on(foe)]
    # Hits of 8 less 2 armor; the first one carries 8 more, without regard to armor.
    assert blows[:2] == pytest.approx([6 + 8, 6], abs=0.1)
    assert "charging" not in me.buffs


def test_charge_cools_for_160_ticks():
    arena = open_ground().research("charge")
    me = arena.add("zealot", at=(10, 10))
    foe = arena.add("ultralisk", at=(15.5, 10), owner=2, passive=True, hp=PLENTY)
    me.attack(foe)
    arena.run(20, until=lambda: "charging" in me.buffs)
    slot = arena.sim.rules.abilities[arena.sim.known.abilities["charge"]]["cooldown_slot"]
    assert me.skill["ready"][slot] == pytest.approx(arena.ticks + 160, abs=2)


def test_blink_goes_eight_far_and_cools_160():
    arena = open_ground()
    me = arena.add("stalker", at=(10, 10), passive=True)
    assert me.use("blink", at=(30, 10)) == "TechRequirementsNotMet"
    arena.research("blink_tech")
    assert me.use("blink", at=(30, 10)) == "Success"
    arena.run(1)
    assert me.at == pytest.approx((18, 10), abs=0.1)
    assert me.use("blink", at=(10, 10)) == "Cooldown"
    arena.run(160)
    assert me.use("blink", at=(16, 10)) == "Success"


def test_guardian_shield_takes_two_from_every_shot_around_the_sentry():
    arena = open_ground()
    me = arena.add("sentry", at=(10, 10), passive=True, energy=80.0)
    near = arena.add("ultralisk", at=(13, 10), passive=True, hp=PLENTY)
    foe = arena.add("marine", at=(18, 10), owner=2)
    foe.attack(near)
    arena.run(20)
    plain = arena.blows_on(near)[0].damage
    assert me.use("guardian_shield") == "Success"
    arena.run(40)
    assert arena.blows_on(near)[-1].damage == plain - 2
    assert arena.areas() == ["guardian_shield"]
    arena.run(240)
    assert not arena.areas()


def test_guardian_shield_does_nothing_against_blades():
    arena = open_ground()
    me = arena.add("sentry", at=(10, 10), passive=True, energy=80.0)
    near = arena.add("ultralisk", at=(13, 10), passive=True, hp=PLENTY)
    foe = arena.add("zergling", at=(14.6, 10), owner=2)
    me.use("guardian_shield")
    arena.run(4)
    foe.attack(near)
    arena.run(30)
    assert arena.blows_on(near)[0].damage == pytest.approx(5 - 2, abs=0.1)  # armor alone


def test_a_force_field_bars_the_way_for_240_ticks():
    arena = open_ground()
    me = arena.add("sentry", at=(20, 10), passive=True, energy=60.0)
    assert me.use("force_field", at=(15, 10)) == "Success"
    arena.run(2)
    field = next(p for p in arena.pieces() if p.type == "force_field")
    assert field.at == (15, 10)
    walker = arena.add("marine", at=(13, 10), owner=2, passive=True)
    walker.move(17, 10)
    arena.run(20)
    assert walker.distance(15, 10) >= 1.5
    arena.run(230)
    assert not field.alive


def test_somebody_massive_breaks_a_force_field():
    arena = open_ground()
    me = arena.add("sentry", at=(20, 10), passive=True, energy=60.0)
    me.use("force_field", at=(15, 10))
    arena.run(2)
    field = next(p for p in arena.pieces() if p.type == "force_field")
    walker = arena.add("thor", at=(10, 10), owner=2, passive=True)
    walker.move(18, 10)
    arena.run(80)
    assert not field.alive
    assert walker.x > 15


def test_psi_storm_deals_eighty_to_who_stays():
    arena = open_ground().research("psi_storm_tech")
    me = arena.add("high_templar", at=(10, 10), passive=True, energy=100.0)
    foe = arena.add("marauder", at=(18, 10), owner=2, passive=True, hp=PLENTY)
    own = arena.add("zealot", at=(18, 11), passive=True)
    far = arena.add("marauder", at=(18, 14), owner=2, passive=True, hp=PLENTY)
    assert me.use("psi_storm", at=(18, 10)) == "Success"
    arena.run(80)
    assert sum(blow.damage for blow in arena.blows_on(foe)) == pytest.approx(80, abs=10)
    assert arena.blows_on(own)
    assert not arena.blows_on(far)
    assert me.energy < 30


def test_storms_over_each_other_do_not_add_up():
    arena = open_ground().research("psi_storm_tech")
    casters = [arena.add("high_templar", at=(10, y), passive=True, energy=100.0) for y in (8, 12)]
    foe = arena.add("marauder", at=(18, 10), owner=2, passive=True, hp=PLENTY)
    for caster in casters:
        caster.use("psi_storm", at=(18, 10))
    arena.run(80)
    assert sum(blow.damage for blow in arena.blows_on(foe)) == pytest.approx(80, abs=10)


def test_feedback_burns_all_energy_and_half_of_it_as_life():
    arena = open_ground()
    me = arena.add("high_templar", at=(10, 10), passive=True, energy=60.0)
    foe = arena.add("medivac", at=(17, 10), owner=2, passive=True, energy=120.0)
    assert me.use("feedback", on=foe) == "Success"
    arena.run(3)
    assert foe.energy < 1
    assert foe.hp == pytest.approx(150 - 60, abs=0.2)
    marine = arena.add("marine", at=(14, 10), owner=2)
    me.set(energy=60.0)
    assert me.use("feedback", on=marine) == "CantTargetThatUnit"


def test_graviton_beam_lifts_and_stuns_for_160_ticks():
    arena = open_ground()
    me = arena.add("phoenix", at=(10, 10), passive=True, energy=60.0)
    foe = arena.add("siege_tank", at=(13, 10), owner=2)
    viking = arena.add("phoenix", at=(16, 14), passive=True)
    assert me.use("graviton_beam", on=foe) == "Success"
    arena.run(4)
    assert foe.status & codes.LIFTED
    viking.attack(foe)  # shoots at air alone
    arena.run(60)
    assert arena.blows_on(foe)
    assert not arena.shots_of(foe)
    arena.run(120)
    assert not foe.status & codes.LIFTED


def test_graviton_beam_does_not_lift_who_is_massive():
    arena = open_ground()
    me = arena.add("phoenix", at=(10, 10), energy=60.0)
    foe = arena.add("thor", at=(13, 10), owner=2)
    assert me.use("graviton_beam", on=foe) == "CantTargetThatUnit"


def test_prismatic_alignment_adds_six_against_armored_for_320_ticks():
    arena = open_ground()
    me = arena.add("void_ray", at=(10, 10))
    foe = arena.add("ultralisk", at=(13, 10), owner=2, passive=True, hp=PLENTY)
    me.attack(foe)
    arena.run(20)
    plain = arena.blows_on(foe)[-1].damage
    assert me.use("prismatic_alignment") == "Success"
    arena.run(20)
    assert arena.blows_on(foe)[-1].damage == pytest.approx(plain + 6, abs=0.1)
    assert me.max_speed == pytest.approx(0.75 * 2.5 / 16, rel=0.2)
    arena.run(320)
    assert arena.blows_on(foe)[-1].damage == pytest.approx(plain, abs=0.1)


def test_purification_nova_explodes_where_its_ball_is_after_48_ticks():
    arena = open_ground()
    me = arena.add("disruptor", at=(10, 10), passive=True)
    foe = arena.add("marauder", at=(18, 10), owner=2, passive=True, hp=PLENTY)
    far = arena.add("marauder", at=(18, 20), owner=2, passive=True, hp=PLENTY)
    assert me.use("purification_nova", at=(18, 10)) == "Success"
    arena.run(60)
    assert [blow.damage for blow in arena.blows_on(foe)] == [145]
    assert not arena.blows_on(far)
    assert me.use("purification_nova", at=(18, 10)) == "Cooldown"


def test_an_adept_appears_where_its_shade_is_after_160_ticks():
    arena = open_ground()
    me = arena.add("adept", at=(10, 10), passive=True)
    assert me.use("psionic_transfer", at=(25, 10)) == "Success"
    arena.run(100)
    assert me.distance(10, 10) < 1
    arena.run(70)
    assert me.distance(25, 10) < 1.5


def test_a_cancelled_shade_leaves_the_adept_where_it_is():
    arena = open_ground()
    me = arena.add("adept", at=(10, 10), passive=True)
    me.use("psionic_transfer", at=(25, 10))
    arena.run(60)
    assert me.use("cancel_psionic_transfer") == "Success"
    arena.run(200)
    assert me.distance(10, 10) < 1


def test_immortal_barrier_takes_a_hundred_once_in_720_ticks():
    arena = open_ground()
    me = arena.add("immortal", at=(10, 10), passive=True)
    foe = arena.add("siege_tank_sieged", at=(20, 10), owner=2)
    foe.attack(me)
    assert arena.run(80, until=lambda: bool(arena.blows_on(me)) or bool(me.buffs))
    assert me.shield == 100
    arena.run(200)
    assert me.shield < 100


def test_the_pulsar_beam_must_be_switched_on():
    arena = open_ground()
    me = arena.add("oracle", at=(10, 10), energy=100.0)
    foe = arena.add("marine", at=(13, 10), owner=2, passive=True, hp=PLENTY)
    me.attack(foe)
    arena.run(30)
    assert not arena.blows_on(foe)
    assert me.use("pulsar_beam_on") == "Success"
    me.attack(foe)
    arena.run(30)
    assert arena.blows_on(foe)


def test_a_shield_battery_restores_36_a_second():
    arena = open_ground()
    battery = arena.add("shield_battery", at=(10, 10), energy=100.0)
    friend = arena.add("archon", at=(14, 10), passive=True, shield=50.0)
    friend.set(hurt_tick=10**6)
    arena.run(2)
    before = float(friend.shield)
    arena.run(32)
    assert friend.shield - before == pytest.approx(72, abs=5)
    assert battery.energy < 85
