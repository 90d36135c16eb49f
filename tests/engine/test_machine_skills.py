"""Skills of Terran machines: Hellion, Widow Mine, Siege Tank, Cyclone, Thor (lotv-4.10)."""

import pytest

from terrarium.engine import codes
from tests.engine.arena import Arena, Piece, open_ground

PLENTY = 10_000.0


def change(arena: Arena, piece: Piece, ability: str, at: tuple[float, float] = (0.0, 0.0)) -> int:
    """Order a change of form, and count the ticks until the unit has it."""
    before = piece.type
    assert piece.use(ability, at=at) == "Success"
    assert arena.run(200, until=lambda: piece.type != before)
    return arena.ticks


CHANGES = {
    "hellbat_mode": ("hellion", "hellion_tank"),
    "hellion_mode": ("hellion_tank", "hellion"),
    "siege_mode": ("siege_tank", "siege_tank_sieged"),
    "unsiege": ("siege_tank_sieged", "siege_tank"),
    "thor_high_impact_mode": ("thor", "thor_ap"),
    "thor_explosive_mode": ("thor_ap", "thor"),
    "viking_assault_mode": ("viking_fighter", "viking_assault"),
    "viking_fighter_mode": ("viking_assault", "viking_fighter"),
    "burrow_widow_mine": ("widow_mine", "widow_mine_burrowed"),
    "unburrow_widow_mine": ("widow_mine_burrowed", "widow_mine"),
    "lower_supply_depot": ("supply_depot", "supply_depot_lowered"),
    "lift_barracks": ("barracks", "barracks_flying"),
}


# How long the change takes, and with the longest random delay before it (units.json).
TICKS = {
    "hellbat_mode": (64.0, 68.0),
    "hellion_mode": (64.0, 68.0),
    "siege_mode": (64.667, 72.667),
    "unsiege": (56.667, 64.667),
    "thor_high_impact_mode": (40.0, 44.0),
    "thor_explosive_mode": (40.0, 44.0),
    "viking_assault_mode": (37.44, 45.44),
    "viking_fighter_mode": (37.328, 45.328),
    "burrow_widow_mine": (48.0, 56.0),
    "unburrow_widow_mine": (16.0, 24.0),
    "lower_supply_depot": (20.8, 20.8),
    "lift_barracks": (32.0, 32.0),
}


@pytest.mark.parametrize("ability", CHANGES)
def test_a_change_of_form_takes_its_time(ability):
    before, after = CHANGES[ability]
    arena = open_ground()
    me = arena.add(before, at=(20, 20), passive=True)
    ticks = change(arena, me, ability)
    assert me.type == after
    low, high = TICKS[ability]
    assert low - 1e-9 <= ticks <= high + 2


def test_life_keeps_its_share_when_a_hellion_becomes_a_hellbat():
    arena = open_ground()
    me = arena.add("hellion", at=(20, 20), hp=45.0, passive=True)
    change(arena, me, "hellbat_mode")
    assert me.hp == pytest.approx(0.5 * 135)


def test_smart_servos_halve_the_time():
    arena = open_ground().research("smart_servos")
    me = arena.add("hellion", at=(20, 20), passive=True)
    assert change(arena, me, "hellbat_mode") <= 36


def test_infernal_pre_igniter_adds_five_against_light():
    hurt = {}
    for upgraded in (False, True):
        arena = open_ground()
        if upgraded:
            arena.research("high_capacity_barrels")
        me = arena.add("hellion", at=(10, 10))
        foe = arena.add("marine", at=(14, 10), owner=2, passive=True, hp=PLENTY)
        me.attack(foe)
        arena.run(60)
        hurt[upgraded] = arena.blows_on(foe)[0].damage
    assert (hurt[False], hurt[True]) == (14, 19)


def test_a_sieged_tank_does_not_walk_and_shoots_thirteen_far():
    arena = open_ground()
    tank = arena.add("siege_tank", at=(10, 10), passive=True)
    foe = arena.add("marauder", at=(23.5, 10), owner=2, passive=True, hp=PLENTY)
    change(arena, tank, "siege_mode")
    assert tank.order(codes.MOVE, (30, 10)).at == (10, 10)
    arena.run(10)
    assert tank.at == (10, 10)
    tank.attack(foe)
    arena.run(60)
    assert arena.blows_on(foe)[0].damage == 70 - 1  # 40 and 30 against armored


def test_a_tank_that_changes_neither_walks_nor_shoots():
    arena = open_ground()
    tank = arena.add("siege_tank", at=(10, 10))
    foe = arena.add("marine", at=(15, 10), owner=2, passive=True, hp=PLENTY)
    tank.use("siege_mode")
    arena.run(30)
    tank.move(20, 10)
    arena.run(20)
    assert tank.at == (10, 10)
    assert not arena.blows_on(foe)


def test_a_burrowed_mine_is_hidden_and_fires_125_and_40_around():
    arena = open_ground()
    mine = arena.add("widow_mine", at=(10, 10))
    watcher = arena.add("overlord", at=(10, 20), owner=2, passive=True)
    change(arena, mine, "burrow_widow_mine")
    arena.run(3)
    assert not watcher.sees(mine)
    target = arena.add("roach", at=(14, 10), owner=2, passive=True, hp=PLENTY)
    beside = arena.add("roach", at=(14, 11.8), owner=2, passive=True, hp=PLENTY)
    beyond = arena.add("roach", at=(14, 16), owner=2, passive=True, hp=PLENTY)
    arena.run(70)
    assert [blow.damage for blow in arena.blows_on(target)] == [125]
    assert [blow.damage for blow in arena.blows_on(beside)] == [40]
    assert not arena.blows_on(beyond)


def test_a_mine_waits_24_ticks_before_it_fires_and_640_after():
    arena = open_ground()
    mine = arena.add("widow_mine_burrowed", at=(10, 10))
    foe = arena.add("roach", at=(13, 10), owner=2, passive=True, hp=PLENTY)
    assert arena.run(60, until=lambda: bool(arena.blows_on(foe)))
    first = arena.ticks
    assert first >= 24
    arena.run(600)
    assert len(arena.blows_on(foe)) == 1
    arena.run(100)
    assert len(arena.blows_on(foe)) == 2
    assert mine.alive


def test_a_mine_that_burrows_again_is_no_readier_than_before():
    arena = open_ground()
    mine = arena.add("widow_mine_burrowed", at=(10, 10))
    foe = arena.add("roach", at=(13, 10), owner=2, passive=True, hp=PLENTY)
    arena.run(60, until=lambda: bool(arena.blows_on(foe)))
    change(arena, mine, "unburrow_widow_mine")
    change(arena, mine, "burrow_widow_mine")
    arena.run(300)
    assert len(arena.blows_on(foe)) == 1


def test_a_mine_shields_take_35_more():
    arena = open_ground()
    arena.add("widow_mine_burrowed", at=(10, 10))
    foe = arena.add("archon", at=(13, 10), owner=2, passive=True)
    arena.run(60)
    assert foe.shield == 350 - 160


def test_drill_claws_burrow_a_mine_32_ticks_sooner():
    arena = open_ground()
    slow = change(arena, arena.add("widow_mine", at=(10, 10)), "burrow_widow_mine")
    arena = open_ground().research("drill_claws")
    fast = change(arena, arena.add("widow_mine", at=(10, 10)), "burrow_widow_mine")
    assert slow - fast == pytest.approx(32, abs=9)  # each with its random delay


def test_lock_on_strikes_twenty_times_for_twenty():
    arena = open_ground().without_regeneration()
    me = arena.add("cyclone", at=(10, 10), passive=True)
    foe = arena.add("ultralisk", at=(16, 10), owner=2, passive=True)
    assert me.use("lock_on", on=foe) == "Success"
    arena.run(330)
    blows = [blow.damage for blow in arena.blows_on(foe)]
    assert blows == [20] * 20
    assert me.use("lock_on", on=foe) == "Cooldown"
    arena.run(100)
    assert me.use("lock_on", on=foe) == "Success"


def test_lock_on_lets_the_cyclone_walk_and_breaks_at_fifteen():
    arena = open_ground()
    me = arena.add("cyclone", at=(20, 20), passive=True)
    foe = arena.add("ultralisk", at=(26, 20), owner=2, passive=True)
    me.use("lock_on", on=foe)
    arena.run(1)
    me.move(13, 20)
    arena.run(50)
    assert me.gap(foe) > 7
    assert "lock_on" in foe.buffs
    me.move(4, 20)
    arena.run(80)
    assert me.gap(foe) > 15
    assert "lock_on" not in foe.buffs


def test_a_cyclone_that_holds_a_lock_does_not_use_its_gun():
    arena = open_ground()
    me = arena.add("cyclone", at=(10, 10))
    foe = arena.add("ultralisk", at=(14, 10), owner=2, passive=True)
    arena.run(60)
    assert "lock_on" in foe.buffs  # by itself
    assert not arena.shots_of(me)


def test_the_lock_on_upgrade_adds_twenty_against_armored():
    arena = open_ground().research("cyclone_lock_on_damage_upgrade")
    me = arena.add("cyclone", at=(10, 10), passive=True)
    foe = arena.add("ultralisk", at=(16, 10), owner=2, passive=True)
    me.use("lock_on", on=foe)
    arena.run(40)
    assert arena.blows_on(foe)[0].damage == pytest.approx(40, abs=0.1)


def test_modes_of_the_thor_have_different_weapons_against_air():
    damages = {}
    for unit in ("thor", "thor_ap"):
        arena = open_ground()
        me = arena.add(unit, at=(10, 10))
        foe = arena.add("battlecruiser", at=(18, 10), owner=2, passive=True, hp=PLENTY)
        me.attack(foe)
        arena.run(60)
        damages[unit] = arena.blows_on(foe)[0].damage
    # Four missiles of 6 less 3 armor, and one shell of 40 and 15 against massive, less armor.
    assert damages["thor_ap"] == 52
    assert damages["thor"] < damages["thor_ap"]


@pytest.mark.parametrize("unit", ["siege_tank", "hellion", "thor", "cyclone"])
def test_vehicle_weapons_and_armor_add_their_steps(unit):
    arena = open_ground()
    plain = arena.add(unit, at=(10, 10)).armor
    for level in (1, 2, 3):
        arena.research(f"terran_vehicle_and_ship_armors_level{level}")
        assert arena.piece(0).armor == plain + level
