"""Skills of Terran infantry: Marine, Marauder, Reaper, Ghost (rule set lotv-4.10)."""

import pytest

from terrarium.engine import codes
from tests.engine.arena import open_ground

PLENTY = 10_000.0


@pytest.mark.parametrize(
    ("unit", "ability", "life"),
    [("marine", "stimpack_marine", 10), ("marauder", "stimpack_marauder", 20)],
)
def test_stimpack_costs_life_and_lasts_240_ticks(unit, ability, life):
    arena = open_ground().research("stimpack")
    me = arena.add(unit, at=(10, 10))
    before = me.hp
    assert me.use(ability) == "Success"
    assert me.hp == before - life
    arena.run(239)
    assert me.rate == 1.5
    arena.run(2)
    assert me.rate == 1.0


def test_stimpack_makes_half_again_as_fast_on_foot_and_with_the_gun():
    arena = open_ground().research("stimpack")
    calm, wild = arena.add("marine", at=(10, 10)), arena.add("marine", at=(10, 20))
    wild.use("stimpack_marine")
    for piece in (calm, wild):
        piece.move(40, piece.y)
    arena.run(40)
    assert (wild.x - 10) == pytest.approx(1.5 * (calm.x - 10), rel=0.02)


def test_stimpack_raises_the_number_of_shots_by_half():
    arena = open_ground().research("stimpack")
    shots = []
    for y, stims in ((10, False), (30, True)):
        me = arena.add("marine", at=(10, y))
        foe = arena.add("marine", at=(13, y), owner=2, passive=True, hp=PLENTY)
        if stims:
            me.use("stimpack_marine")
        me.attack(foe)
        shots.append(me)
    arena.run(220)
    calm, wild = (len(arena.shots_of(piece)) for piece in shots)
    assert wild / calm == pytest.approx(1.5, abs=0.1)


def test_stimpack_again_only_begins_anew():
    arena = open_ground().research("stimpack")
    me = arena.add("marine", at=(10, 10))
    me.use("stimpack_marine")
    arena.run(100)
    assert me.use("stimpack_marine") == "Success"
    assert me.rate == 1.5
    assert me.buffs["stimpack"] == 240


def test_stimpack_leaves_the_order_alone():
    arena = open_ground().research("stimpack")
    me = arena.add("marine", at=(10, 10)).move(30, 10)
    arena.run(5)
    me.use("stimpack_marine")
    arena.run(60)
    assert me.x > 20


def test_a_marine_of_ten_life_does_not_stim():
    arena = open_ground().research("stimpack")
    me = arena.add("marine", at=(10, 10), hp=10.0)
    assert me.use("stimpack_marine") == "NotEnoughLife"
    assert me.hp == 10.0


def test_combat_shield_adds_ten_life_at_once():
    arena = open_ground()
    me = arena.add("marine", at=(10, 10), hp=20.0)
    arena.research("shield_wall")
    assert (me.hp_max, me.hp) == (55.0, 30.0)
    assert arena.add("marine", at=(20, 10)).hp == 55.0


def test_concussive_shells_halve_the_speed_for_24_ticks():
    arena = open_ground().research("punisher_grenades")
    me = arena.add("marauder", at=(10, 10))
    foe = arena.add("zealot", at=(14, 10), owner=2, passive=True, hp=PLENTY)
    full = foe.max_speed
    me.attack(foe)
    assert arena.run(30, until=lambda: "slow" in foe.buffs)
    assert foe.max_speed == pytest.approx(full / 2)
    me.stop().set(passive=True)
    arena.run(25)
    assert foe.max_speed == full


def test_concussive_shells_need_their_upgrade_and_do_not_slow_structures():
    arena = open_ground()
    me = arena.add("marauder", at=(10, 10))
    foe = arena.add("zealot", at=(14, 10), owner=2, passive=True, hp=PLENTY)
    me.attack(foe)
    arena.run(60)
    assert not foe.buffs
    arena.research("punisher_grenades")
    bunker = arena.add("bunker", at=(10, 15), owner=2)
    me.attack(bunker)
    arena.run(60)
    assert bunker.hp < bunker.hp_max
    assert not bunker.buffs


def test_kd8_charge_hurts_five_and_throws_three_away():
    arena = open_ground()
    me = arena.add("reaper", at=(10, 10), passive=True)
    foe = arena.add("zergling", at=(14, 10), owner=2, passive=True, hp=PLENTY)
    assert me.use("kd8_charge", at=(13.5, 10)) == "Success"
    arena.run(120)
    assert sum(blow.damage for blow in arena.blows_on(foe)) == 5
    assert foe.x == pytest.approx(17, abs=0.2)
    assert me.use("kd8_charge", at=(13, 10)) == "Cooldown"
    arena.run(320)
    assert me.use("kd8_charge", at=(13, 10)) == "Success"


def test_kd8_charge_does_not_move_who_is_massive():
    arena = open_ground()
    me = arena.add("reaper", at=(10, 10), passive=True)
    foe = arena.add("ultralisk", at=(14, 10), owner=2, passive=True)
    me.use("kd8_charge", at=(13.5, 10))
    arena.run(120)
    assert arena.blows_on(foe)
    assert foe.at == (14, 10)


def test_a_reaper_heals_after_160_ticks_without_a_scratch():
    arena = open_ground()
    me = arena.add("reaper", at=(10, 10), hp=30.0)
    me.set(hurt_tick=0)
    arena.run(159)
    assert me.hp == 30.0
    arena.run(17)
    assert me.hp == pytest.approx(32.0, abs=0.2)  # 2 per game-second


def test_ghost_cloak_costs_energy_at_once_and_over_time():
    arena = open_ground().research("personal_cloaking")
    me = arena.add("ghost", at=(10, 10), energy=100.0)
    foe = arena.add("marine", at=(14, 10), owner=2)
    assert me.use("cloak_ghost") == "Success"
    assert me.energy == 75.0
    arena.run(160)
    # 1.4765 a game-second, beside the 0.5625 that come back
    assert me.energy == pytest.approx(75 - 10 * (1.4765 - 0.5625), abs=0.1)
    assert not foe.sees(me)
    assert not foe.has_target
    assert me.use("uncloak_ghost") == "Success"
    arena.run(4)
    assert foe.sees(me)


def test_ghost_cloak_ends_with_the_energy():
    arena = open_ground().research("personal_cloaking")
    me = arena.add("ghost", at=(10, 10), energy=26.0)
    me.use("cloak_ghost")
    arena.run(30)
    assert not me.status & codes.CLOAKED


def test_ghost_cloak_needs_its_upgrade():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=100.0)
    assert me.use("cloak_ghost") == "TechRequirementsNotMet"
    assert me.energy == 100.0


def test_hold_fire_keeps_a_ghost_quiet_until_weapons_are_free():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10))
    foe = arena.add("marine", at=(14, 10), owner=2, passive=True)
    assert me.use("hold_fire_ghost") == "Success"
    arena.run(40)
    assert not arena.shots_of(me)
    assert me.use("weapons_free_ghost") == "Success"
    arena.run(40)
    assert arena.shots_of(me)
    assert foe.hp < 45


def test_steady_targeting_hits_for_170_after_32_ticks():
    arena = open_ground().without_regeneration()
    me = arena.add("ghost", at=(10, 10), energy=60.0, passive=True)
    foe = arena.add("ultralisk", at=(18, 10), owner=2, passive=True)
    assert me.use("steady_targeting", on=foe) == "Success"
    arena.run(31)
    assert not arena.blows_on(foe)
    arena.run(4)
    assert arena.blows_on(foe)[0].damage == 170  # armor does not count
    assert me.energy == pytest.approx(10, abs=1.5)


def test_steady_targeting_is_broken_by_damage_and_gives_the_energy_back():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=60.0, passive=True)
    foe = arena.add("ultralisk", at=(18, 10), owner=2, passive=True)
    nuisance = arena.add("marine", at=(8, 10), owner=2, passive=True)
    me.use("steady_targeting", on=foe)
    arena.run(10)
    assert me.energy < 20
    nuisance.attack(me)
    arena.run(30)
    assert not arena.blows_on(foe)
    assert me.energy > 60
    assert me.skill["cast"] == codes.NO_ABILITY


def test_steady_targeting_is_for_living_flesh():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=60.0)
    tank = arena.add("siege_tank", at=(18, 10), owner=2)
    assert me.use("steady_targeting", on=tank) == "CantTargetThatUnit"


def test_emp_takes_a_hundred_shields_and_energy_in_its_circle():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=75.0, passive=True)
    near = arena.add("archon", at=(18, 10), owner=2, passive=True)
    templar = arena.add("high_templar", at=(18, 11.5), owner=2, passive=True, energy=200.0)
    far = arena.add("stalker", at=(18, 14), owner=2, passive=True)
    assert me.use("emp", at=(18, 10)) == "Success"
    arena.run(40)
    assert near.shield == 250
    assert templar.energy == pytest.approx(100, abs=2)
    assert templar.shield == 0
    assert far.shield == 80
    assert me.energy < 2


def test_emp_uncovers_what_is_cloaked_for_160_ticks():
    arena = open_ground()
    me = arena.add("ghost", at=(10, 10), energy=75.0, passive=True)
    templar = arena.add("dark_templar", at=(18, 10), owner=2, passive=True)
    arena.run(4)
    assert not me.sees(templar)
    me.use("emp", at=(18, 10))
    assert arena.run(40, until=lambda: me.sees(templar))
    arena.run(170)
    assert not me.sees(templar)


def test_a_nuke_falls_after_320_ticks_and_spends_a_warhead():
    arena = open_ground(size=64)
    me = arena.add("ghost", at=(10, 10), passive=True)
    assert me.use("tactical_nuke", at=(20, 10)) == "TechRequirementsNotMet"
    arena.sim.players["nukes"][0, 0] = 1
    core = arena.add("ultralisk", at=(20, 10), owner=2, passive=True, hp=PLENTY)
    middle = arena.add("ultralisk", at=(26.5, 10), owner=2, passive=True, hp=PLENTY)
    edge = arena.add("ultralisk", at=(20, 18), owner=2, passive=True, hp=PLENTY)
    hall = arena.add("bunker", at=(20, 14), owner=2, hp=PLENTY)
    assert me.use("tactical_nuke", at=(20, 10)) == "Success"
    arena.run(10)
    assert arena.areas() == ["nuke_dot"]
    arena.run(305)
    assert not arena.blows_on(core)
    arena.run(12)
    blows = [
        sum(blow.damage for blow in arena.blows_on(piece)) for piece in (core, middle, edge, hall)
    ]
    assert blows == [300, 150, 75, 500]
    assert arena.sim.players["nukes"][0, 0] == 0


def test_a_nuke_that_is_cancelled_or_whose_ghost_dies_does_not_fall():
    for cancels in (True, False):
        arena = open_ground()
        arena.sim.players["nukes"][0, 0] = 1
        me = arena.add("ghost", at=(10, 10), passive=True)
        foe = arena.add("marine", at=(20, 10), owner=2, passive=True)
        me.use("tactical_nuke", at=(20, 10))
        arena.run(100)
        if cancels:
            assert me.use("cancel_tactical_nuke") == "Success"
        else:
            me.set(hp=0.0)
        arena.run(300)
        assert foe.alive
        assert not arena.areas()
