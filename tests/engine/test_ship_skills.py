"""Skills of Terran ships and structures (lotv-4.10)."""

import pytest

from terrarium.engine import codes
from tests.engine.arena import open_ground

PLENTY = 10_000.0


def test_medivac_boost_is_seventy_percent_for_128_ticks_every_320():
    arena = open_ground()
    me = arena.add("medivac", at=(10, 10), passive=True)
    plain = me.max_speed
    assert me.use("medivac_boost") == "Success"
    assert me.max_speed == pytest.approx(1.7 * plain)
    arena.run(130)
    assert me.max_speed == plain
    assert me.use("medivac_boost") == "Cooldown"
    arena.run(191)
    assert me.use("medivac_boost") == "Success"


def test_rapid_reignition_shortens_the_wait_by_112():
    arena = open_ground().research("medivac_increase_speed_boost")
    me = arena.add("medivac", at=(10, 10), passive=True)
    me.use("medivac_boost")
    arena.run(207)
    assert me.use("medivac_boost") == "Cooldown"
    arena.run(2)
    assert me.use("medivac_boost") == "Success"


def test_medivac_takes_eight_marines_and_lets_one_out_every_16_ticks():
    arena = open_ground()
    ship = arena.add("medivac", at=(10, 10), passive=True)
    marines = [arena.add("marine", at=(12 + k, 10), passive=True) for k in range(9)]
    for marine in marines[:8]:
        assert ship.use("load_medivac", on=marine, queued=True) == "Success"
    arena.run(160)
    assert [int(m.inside) for m in marines] == [ship.slot] * 8 + [codes.NO_UNIT]
    assert not any(m.alive for m in marines[:8])
    assert ship.use("load_medivac", on=marines[8]) == "CantTargetThatUnit"
    ship.move(40, 40)
    arena.run(330)
    assert ship.use("unload_all_medivac", at=(40, 40)) == "Success"
    arena.run(3)
    out = [m for m in marines[:8] if m.alive]
    assert len(out) == 1
    arena.run(16)
    assert sum(bool(m.alive) for m in marines[:8]) == 2
    arena.run(16 * 6)
    assert all(m.alive for m in marines[:8])
    assert all(m.distance(40, 40) < 5 for m in marines[:8])


def test_a_medivac_drops_while_it_moves():
    arena = open_ground()
    ship = arena.add("medivac", at=(10, 10), passive=True)
    marines = [arena.add("marine", at=(11 + k, 10), passive=True) for k in range(4)]
    for marine in marines:
        ship.use("load_medivac", on=marine, queued=True)
    arena.run(80)
    ship.use("unload_all_medivac", at=(float(ship.x), float(ship.y)))
    arena.run(1)
    ship.move(40, 10)
    arena.run(70)
    places = sorted(float(m.x) for m in marines)
    assert all(m.alive for m in marines)
    assert places[-1] - places[0] > 4


def test_cargo_dies_with_a_medivac_and_outlives_a_bunker():
    for carrier, ability, survives in (
        ("medivac", "load_medivac", False),
        ("bunker", "load_bunker", True),
    ):
        arena = open_ground()
        ship = arena.add(carrier, at=(10, 10), passive=True)
        marine = arena.add("marine", at=(12.3, 10), passive=True)
        assert ship.use(ability, on=marine) == "Success"
        arena.run(20)
        assert marine.inside == ship.slot
        ship.set(hp=0.0)
        arena.run(2)
        assert bool(marine.alive) is survives
        assert arena.sim.players["n_alive"][0, 1] == int(survives)


def test_a_bunker_holds_four_and_shoots_one_farther():
    arena = open_ground()
    bunker = arena.add("bunker", at=(10, 10), passive=True)
    crew = [arena.add("marine", at=(12.2, 9 + 0.8 * k)) for k in range(5)]
    for marine in crew[:4]:
        bunker.use("load_bunker", on=marine, queued=True)
        marine.put(12.1, 10)
        arena.run(6)
    assert [int(m.inside) for m in crew] == [bunker.slot] * 4 + [codes.NO_UNIT]
    crew[4].put(60, 60)
    reach = float(bunker.row["radius"]) + 5 + 1 + 0.375
    foe = arena.add("marine", at=(10 + reach - 0.05, 10), owner=2, passive=True, hp=PLENTY)
    far = arena.add("marine", at=(10, 10 + reach + 0.1), owner=2, passive=True, hp=PLENTY)
    arena.run(32)
    assert sum(blow.damage for blow in arena.blows_on(foe)) >= 8 * 6
    assert not arena.blows_on(far)


def test_neosteel_frame_makes_room_for_two_more():
    arena = open_ground().research("terran_building_armor")
    bunker = arena.add("bunker", at=(10, 10), passive=True)
    crew = [arena.add("marine", at=(12.1, 10)) for _ in range(7)]
    for marine in crew:
        marine.put(12.1, 10)
        bunker.use("load_bunker", on=marine, queued=True)
        arena.run(4)
    assert sum(int(m.inside) == bunker.slot for m in crew) == 6
    assert bunker.armor == bunker.row["armor"] + 2


def test_marines_may_stim_inside_a_bunker_only_before_they_board():
    arena = open_ground().research("stimpack")
    bunker = arena.add("bunker", at=(10, 10), passive=True)
    marine = arena.add("marine", at=(12.1, 10))
    bunker.use("load_bunker", on=marine)
    arena.run(4)
    assert marine.use("stimpack_marine") == "Error"  # no orders on board (docs/fidelity.md)


def test_salvage_gives_75_back_after_80_ticks_and_needs_an_empty_bunker():
    arena = open_ground()
    bunker = arena.add("bunker", at=(10, 10), passive=True)
    marine = arena.add("marine", at=(12.1, 10), passive=True)
    bunker.use("load_bunker", on=marine)
    arena.run(4)
    assert bunker.use("salvage_bunker") == "NotSupported"
    bunker.use("unload_all_bunker")
    arena.run(20)
    before = float(arena.sim.players["minerals"][0, 1])
    assert bunker.use("salvage_bunker") == "Success"
    arena.run(79)
    assert bunker.alive
    arena.run(5)
    assert not bunker.alive
    assert arena.sim.players["minerals"][0, 1] == before + 75


def test_a_liberator_shoots_only_into_its_zone():
    arena = open_ground()
    me = arena.add("liberator", at=(10, 10), passive=True)
    assert me.use("liberator_defender_mode", at=(15, 10)) == "Success"
    assert arena.run(120, until=lambda: me.type == "liberator_ag")
    me.set(passive=False)
    inside = arena.add("marauder", at=(17, 10), owner=2, passive=True, hp=PLENTY)
    outside = arena.add("marauder", at=(5, 10), owner=2, passive=True, hp=PLENTY)
    arena.run(80)
    assert arena.blows_on(inside)[0].damage == 74
    assert not arena.blows_on(outside)


def test_advanced_ballistics_lets_a_liberator_place_its_zone_four_farther():
    for upgraded, moves in ((False, True), (True, False)):
        arena = open_ground()
        if upgraded:
            arena.research("liberator_ag_range_upgrade")
        me = arena.add("liberator", at=(10, 10), passive=True)
        me.use("liberator_defender_mode", at=(19, 10))
        arena.run(30)
        assert bool(me.x > 10.5) is moves


def test_an_auto_turret_stands_224_ticks_and_costs_50():
    arena = open_ground()
    me = arena.add("raven", at=(10, 10), energy=60.0, passive=True)
    assert me.use("auto_turret", at=(12, 10)) == "Success"
    arena.run(20)
    turret = next(p for p in arena.pieces() if p.type == "auto_turret")
    assert me.energy == pytest.approx(10, abs=1)
    arena.run(200)
    assert turret.alive
    arena.run(30)
    assert not turret.alive


def test_interference_matrix_disarms_and_silences_for_176_ticks():
    arena = open_ground()
    me = arena.add("raven", at=(10, 10), energy=60.0, passive=True)
    tank = arena.add("siege_tank_sieged", at=(17, 10), owner=2)
    arena.add("marine", at=(12, 14), passive=True, hp=PLENTY)
    assert me.use("interference_matrix", on=tank) == "Success"
    arena.run(3)
    assert tank.status & codes.DISARMED
    assert tank.use("unsiege") == "NotSupported"
    shots = len(arena.shots_of(tank))
    arena.run(170)
    assert len(arena.shots_of(tank)) == shots
    arena.run(40)
    assert len(arena.shots_of(tank)) > shots
    assert me.use("interference_matrix", on=tank) == "NotEnoughEnergy"


def test_interference_matrix_is_for_machines_and_psionics():
    arena = open_ground()
    me = arena.add("raven", at=(10, 10), energy=60.0)
    assert (
        me.use("interference_matrix", on=arena.add("marine", at=(14, 10), owner=2))
        == "CantTargetThatUnit"
    )
    assert me.use("interference_matrix", on=arena.add("ghost", at=(14, 14), owner=2)) == "Success"


def test_anti_armor_missile_adds_three_to_each_hit_around():
    arena = open_ground()
    me = arena.add("raven", at=(10, 10), energy=80.0, passive=True)
    foe = arena.add("ultralisk", at=(18, 10), owner=2, passive=True, hp=PLENTY)
    near = arena.add("ultralisk", at=(18, 13), owner=2, passive=True, hp=PLENTY)
    marine = arena.add("marine", at=(14, 10), passive=True)
    assert me.use("anti_armor_missile", on=foe) == "Success"
    assert arena.run(60, until=lambda: bool(foe.buffs))
    assert near.buffs
    marine.attack(foe)
    arena.run(20)
    assert arena.blows_on(foe)[0].damage == 6 + 3 - 2  # less two armor


def test_banshee_cloak_and_speed_need_their_upgrades():
    arena = open_ground()
    me = arena.add("banshee", at=(10, 10), energy=60.0)
    plain = me.max_speed
    assert me.use("cloak_banshee") == "TechRequirementsNotMet"
    arena.research("banshee_cloak", "banshee_speed")
    assert me.max_speed == pytest.approx(plain + 1 / 16)
    assert me.use("cloak_banshee") == "Success"
    assert me.energy == 35
    assert me.use("cloak_banshee") == "NotSupported"
    assert me.use("uncloak_banshee") == "Success"
    assert not me.status & codes.CLOAKED


def test_yamato_hits_for_240_after_48_ticks_and_cools_1600():
    arena = open_ground().research("battlecruiser_enable_specializations").without_regeneration()
    me = arena.add("battlecruiser", at=(10, 10), passive=True)
    foe = arena.add("ultralisk", at=(20, 10), owner=2, passive=True)
    assert me.use("yamato", on=foe) == "Success"
    arena.run(47)
    assert not arena.missiles()
    arena.run(15)
    assert [blow.damage for blow in arena.blows_on(foe)] == [240]
    assert me.use("yamato", on=foe) == "Cooldown"
    arena.run(1590)
    assert me.use("yamato", on=foe) == "Success"


def test_yamato_that_is_broken_off_costs_nothing_yet():
    arena = open_ground().research("battlecruiser_enable_specializations")
    me = arena.add("battlecruiser", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(16, 10), owner=2, passive=True)
    other = arena.add("ultralisk", at=(20, 14), owner=2, passive=True)
    me.use("yamato", on=foe)
    arena.run(20)
    foe.set(hp=0.0)
    arena.run(5)
    assert me.use("yamato", on=other) == "Success"


def test_yamato_needs_its_upgrade():
    arena = open_ground()
    me = arena.add("battlecruiser", at=(10, 10))
    foe = arena.add("ultralisk", at=(20, 10), owner=2)
    assert me.use("yamato", on=foe) == "TechRequirementsNotMet"


def test_tactical_jump_takes_96_ticks_and_nobody_can_touch_it():
    arena = open_ground()
    me = arena.add("battlecruiser", at=(10, 10), passive=True)
    foe = arena.add("marine", at=(13, 10), owner=2)
    assert me.use("tactical_jump", at=(50, 50)) == "Success"
    arena.run(2)
    life = me.hp
    arena.run(60)
    assert me.hp == life
    assert not foe.has_target
    assert me.distance(10, 10) < 1
    arena.run(40)
    assert me.distance(50, 50) < 2
    assert not me.status & codes.UNTOUCHABLE
    assert me.use("tactical_jump", at=(10, 10)) == "Cooldown"
    arena.run(1530)
    assert me.use("tactical_jump", at=(10, 10)) == "Success"


def test_a_battlecruiser_shoots_while_it_moves():
    arena = open_ground()
    me = arena.add("battlecruiser", at=(10, 10)).move(40, 10)
    foe = arena.add("marine", at=(16, 12), owner=2, passive=True, hp=PLENTY)
    arena.run(60)
    assert len(arena.blows_on(foe)) > 5
    assert me.x > 14


def test_repair_takes_repair_time_and_a_quarter_of_the_cost():
    arena = open_ground().purse(1000, 1000)
    tank = arena.add("siege_tank", at=(10, 10), passive=True, hp=1.0)
    scv = arena.add("scv", at=(12, 10), passive=True)
    assert scv.use("repair_scv", on=tank) == "Success"
    facts = arena.sim.rules.types[tank.kind]
    arena.run(20)
    part = tank.hp
    arena.run(160)
    assert tank.hp - part == pytest.approx(160 * 175 / facts["repair_ticks"])
    assert arena.run(2000, until=lambda: tank.hp >= 175)
    spent = 1000 - float(arena.sim.players["minerals"][0, 1])
    assert spent == pytest.approx(0.25 * 150 * 174 / 175, rel=0.01)
    gas = 1000 - float(arena.sim.players["vespene"][0, 1])
    assert gas == pytest.approx(0.25 * 125 * 174 / 175, rel=0.01)
    arena.run(3)
    assert scv.n_orders == 0


def test_two_workers_repair_twice_as_fast():
    gained = []
    for n in (1, 2):
        arena = open_ground().purse()
        tank = arena.add("siege_tank", at=(10, 10), passive=True, hp=1.0)
        for k in range(n):
            arena.add("scv", at=(11.4, 9.5 + k), passive=True).use("repair_scv", on=tank)
        arena.run(20)
        before = float(tank.hp)
        arena.run(100)
        gained.append(tank.hp - before)
    assert gained[1] == pytest.approx(2 * gained[0])


def test_repair_stops_without_money_and_is_for_machines():
    arena = open_ground().purse(0, 0)
    tank = arena.add("siege_tank", at=(10, 10), passive=True, hp=1.0)
    scv = arena.add("scv", at=(12, 10), passive=True)
    scv.use("repair_scv", on=tank)
    arena.run(60)
    assert tank.hp == 1.0
    assert scv.skill["error"] == codes.NOT_ENOUGH_MINERALS
    marine = arena.add("marine", at=(14, 10), hp=10.0)
    assert scv.use("repair_scv", on=marine) == "CantTargetThatUnit"


def test_a_mule_comes_after_64_ticks_and_lives_1440():
    arena = open_ground()
    hall = arena.add("orbital_command", at=(20, 20), passive=True, energy=60.0)
    assert hall.use("calldown_mule", at=(30, 20)) == "Success"
    arena.run(60)
    assert not [p for p in arena.pieces() if p.type == "mule"]
    arena.run(10)
    mule = next(p for p in arena.pieces() if p.type == "mule")
    assert mule.distance(30, 20) < 1
    assert hall.energy == pytest.approx(10, abs=3)
    arena.run(1430)
    assert mule.alive
    arena.run(30)
    assert not mule.alive


def test_a_scan_shows_what_is_hidden_within_13_for_196_ticks():
    arena = open_ground().fog()
    hall = arena.add("orbital_command", at=(8, 8), passive=True, energy=60.0)
    near = arena.add("lurker_mp_burrowed", at=(40, 52), owner=2, passive=True)
    far = arena.add("lurker_mp_burrowed", at=(40, 54), owner=2, passive=True)
    arena.run(3)
    assert not hall.sees(near)
    assert hall.use("scanner_sweep", at=(40, 40)) == "Success"
    arena.run(6)
    assert hall.sees(near)
    assert not hall.sees(far)
    arena.run(200)
    assert not hall.sees(near)


@pytest.mark.parametrize("unit", ["missile_turret", "raven"])
def test_detectors_show_what_is_cloaked_within_eleven(unit):
    arena = open_ground()
    me = arena.add(unit, at=(20, 20), passive=True)
    near = arena.add("dark_templar", at=(30.5, 20), owner=2, passive=True)
    far = arena.add("dark_templar", at=(20, 31.5), owner=2, passive=True)
    arena.run(4)
    assert me.sees(near)
    assert not me.sees(far)


def test_a_planetary_fortress_splashes():
    arena = open_ground()
    arena.add("planetary_fortress", at=(20, 20))
    foe = arena.add("zealot", at=(26, 20), owner=2, passive=True, hp=PLENTY)
    beside = arena.add("zealot", at=(26, 21), owner=2, passive=True, hp=PLENTY)
    arena.run(60)
    assert arena.blows_on(foe)
    assert arena.blows_on(beside)


def test_hi_sec_auto_tracking_adds_one_to_turrets_and_fortresses():
    arena = open_ground()
    fort = arena.add("planetary_fortress", at=(20, 20))
    turret = arena.add("missile_turret", at=(40, 20))
    arena.research("hi_sec_auto_tracking")
    assert (fort.range_add, turret.range_add) == (1, 1)
    reach = 6 + 1 + float(fort.row["radius"]) + 0.375
    foe = arena.add("marine", at=(20, 20 + reach - 0.05), owner=2, passive=True, hp=PLENTY)
    arena.run(60)
    assert arena.blows_on(foe)


def test_a_lifted_barracks_flies_and_lands():
    arena = open_ground()
    me = arena.add("barracks", at=(20, 20), passive=True)
    me.use("lift_barracks")
    arena.run(40)
    assert me.plane == codes.AIR
    assert me.use("land_barracks", at=(30, 20)) == "Success"
    arena.run(400)
    assert me.type == "barracks"
    assert me.distance(30, 20) < 2


def test_a_lowered_depot_can_be_walked_over():
    arena = open_ground()
    depot = arena.add("supply_depot", at=(20, 20), passive=True)
    depot.use("lower_supply_depot")
    arena.run(25)
    me = arena.add("marine", at=(16, 20), passive=True).move(24, 20)
    arena.run(70)
    assert me.distance(24, 20) < 0.5
    assert abs(me.y - 20) < 0.1
