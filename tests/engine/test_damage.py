"""What a shot does: how many it takes to kill, by hand arithmetic from the reference."""

from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.arena import Arena, Piece, flat, on_terrain, open_ground
from tests.naive import take_hit


class Duel(NamedTuple):
    """A shot is one attack: both blades of a Zealot, all four missiles of a Thor."""

    attacker: str
    target: str
    shots: int
    arithmetic: str


# Life, shields, armor, damage: smac.md, 9. "a, b: c + d" = the shot that breaks the shield takes
# c of it and d of life; armor counts only for what falls on life.
LIBERTY = [
    Duel("marine", "marine", 8, "45 / 6 = 7.5"),
    Duel("marine", "zealot", 29, "8 x 6 = 48 of 50; 9th: 2 + (4 - 1); 97 / 5 = 19.4, so 9 + 20"),
    Duel("marine", "stalker", 30, "13 x 6 = 78 of 80; 14th: 2 + (4 - 1); 77 / 5 = 15.4: 14 + 16"),
    Duel("marine", "marauder", 25, "125 / (6 - 1)"),
    Duel("marine", "zergling", 6, "35 / 6 = 5.8"),
    Duel("marine", "baneling", 5, "30 / 6"),
    Duel("marine", "hydralisk", 14, "80 / 6 = 13.3"),
    Duel("marine", "spine_crawler", 75, "300 / (6 - 2)"),
    Duel("marine", "medivac", 30, "150 / (6 - 1)"),
    Duel("marine", "colossus", 65, "150 / 6 = 25; 200 / (6 - 1) = 40"),
    Duel("marauder", "marine", 5, "45 / 10 = 4.5"),
    Duel("marauder", "marauder", 7, "10 + 10 armored - 1 = 19; 125 / 19 = 6.6"),
    Duel("marauder", "stalker", 9, "80 / 20 = 4; 80 / 19 = 4.2: 4 + 5"),
    Duel("marauder", "zealot", 17, "50 / 10 = 5; 100 / 9 = 11.1: 5 + 12"),
    Duel("stalker", "marauder", 10, "10 + 4 armored - 1 = 13; 125 / 13 = 9.6"),
    Duel("stalker", "zergling", 4, "35 / 10 = 3.5"),
    Duel("stalker", "medivac", 12, "150 / 13 = 11.5"),
    Duel("zealot", "marine", 3, "2 x 8 = 16; 45 / 16 = 2.8"),
    Duel("zealot", "zergling", 3, "35 / 16 = 2.2"),
    Duel("zealot", "baneling", 2, "30 / 16 = 1.9"),
    Duel("zealot", "marauder", 9, "both blades lose armor: 2 x (8 - 1) = 14; 125 / 14 = 8.9"),
    Duel("zealot", "spine_crawler", 25, "2 x (8 - 2) = 12; 300 / 12"),
    Duel("zealot", "zealot", 11, "3 x 16 = 48; 4th: 2 + (6 - 1), then 7; 88 / 14 = 6.3: 4 + 7"),
    Duel("zergling", "marine", 9, "45 / 5"),
    Duel("zergling", "zealot", 35, "50 / 5 = 10; 100 / (5 - 1) = 25"),
    Duel("zergling", "marauder", 32, "125 / 4 = 31.25"),
    Duel("zergling", "spine_crawler", 100, "300 / (5 - 2)"),
    Duel("hydralisk", "marauder", 12, "125 / (12 - 1) = 11.4"),
    Duel("hydralisk", "zealot", 14, "4 x 12 = 48; 5th: 2 + (10 - 1); 91 / 11 = 8.3: 5 + 9"),
    Duel("hydralisk", "medivac", 14, "150 / 11 = 13.6"),
    Duel("spine_crawler", "marine", 2, "45 / 25 = 1.8"),
    Duel("spine_crawler", "stalker", 6, "2 x 30 = 60; 3rd: 20 + (10 - 1); 71 / 29 = 2.4: 3 + 3"),
    Duel("spine_crawler", "zealot", 7, "50 / 25 = 2; 100 / 24 = 4.2: 2 + 5"),
    Duel("colossus", "marine", 2, "two beams of 20; 45 / 40 = 1.1"),
    Duel("colossus", "zergling", 1, "two beams of 20 = 40 >= 35"),
    Duel("colossus", "zealot", 4, "40; 2nd: 10 + (10 - 1), then 19; 72 / 38 = 1.9: 2 + 2"),
]

# units.json with its differences for 4.10.0.
LEGACY = [
    Duel("marine", "ultralisk", 125, "500 / (6 - 2)"),
    Duel("marine", "battlecruiser", 184, "550 / (6 - 3) = 183.3"),
    Duel("zergling", "ultralisk", 167, "500 / (5 - 2) = 166.7"),
    Duel("drone", "probe", 8, "20 / 5 + 20 / 5"),
    Duel("reaper", "zergling", 5, "2 x 4 = 8; 35 / 8 = 4.4"),
    Duel("reaper", "marauder", 21, "2 x (4 - 1) = 6; 125 / 6 = 20.8"),
    Duel("reaper", "zealot", 23, "6 x 8 = 48; 7th: 2 + (2 - 1), then 3; 96 / 6 = 16: 7 + 16"),
    Duel("ghost", "marine", 3, "10 + 10 light; 45 / 20 = 2.25"),
    Duel("ghost", "marauder", 14, "125 / (10 - 1) = 13.9"),
    Duel("hellion", "zergling", 3, "8 + 6 light; 35 / 14 = 2.5"),
    Duel("hellion_tank", "zealot", 9, "2 x 18 = 36; 3rd: 14 + (4 - 1); 97 / 17 = 5.7: 3 + 6"),
    Duel("cyclone", "stalker", 10, "4 x 18 = 72; 5th: 8 + (10 - 1); 71 / 17 = 4.2: 5 + 5"),
    Duel("siege_tank", "roach", 7, "15 + 10 armored - 1 = 24; 145 / 24 = 6.04"),
    Duel("siege_tank_sieged", "marine", 2, "45 / 40 = 1.1"),
    Duel("siege_tank_sieged", "roach", 3, "40 + 30 armored - 1 = 69; 145 / 69 = 2.1"),
    Duel("siege_tank_sieged", "stalker", 3, "70; 2nd: 10 + (60 - 1); 21 left, 3rd"),
    Duel("thor", "ultralisk", 9, "2 x (30 - 2) = 56; 500 / 56 = 8.9"),
    Duel("thor", "mutalisk", 3, "4 x (6 + 6 light) = 48; 120 / 48 = 2.5"),
    Duel("thor", "battlecruiser", 46, "4 x (6 - 3) = 12; 550 / 12 = 45.8"),
    Duel("thor_ap", "battlecruiser", 11, "40 + 15 massive - 3 = 52; 550 / 52 = 10.6"),
    Duel("viking_fighter", "battlecruiser", 25, "2 x (10 + 4 armored - 3) = 22; 550 / 22"),
    Duel("viking_assault", "siege_tank", 10, "12 + 8 mechanical - 1 = 19; 175 / 19 = 9.2"),
    Duel("liberator", "mutalisk", 12, "2 x 5 = 10; 120 / 10"),
    Duel("liberator_ag", "ultralisk", 7, "75 - 2 = 73; 500 / 73 = 6.8"),
    Duel("banshee", "roach", 7, "2 x (12 - 1) = 22; 145 / 22 = 6.6"),
    Duel("battlecruiser", "zealot", 21, "6 x 8 = 48; 7th: 2 + (6 - 1); 95 / 7 = 13.6: 7 + 14"),
    Duel("battlecruiser", "corruptor", 67, "5 at air - 2 = 3; 200 / 3 = 66.7"),
    Duel("planetary_fortress", "zealot", 4, "40; 2nd: 10 + (30 - 1); 71 / 39 = 1.8: 2 + 2"),
    Duel("missile_turret", "mutalisk", 5, "2 x 12 = 24; 120 / 24"),
    Duel("roach", "marauder", 9, "16 - 1 = 15; 125 / 15 = 8.3"),
    Duel("roach", "stalker", 11, "80 / 16 = 5; 80 / 15 = 5.3: 5 + 6"),
    Duel("queen", "zealot", 23, "2 x 4, as the Reaper"),
    Duel("queen", "mutalisk", 14, "120 / 9 = 13.3"),
    Duel("ravager", "marine", 3, "45 / 16 = 2.8"),
    Duel("hydralisk", "mutalisk", 10, "120 / 12"),
    Duel("lurker_mp_burrowed", "marauder", 5, "20 + 10 armored - 1 = 29; 125 / 29 = 4.3"),
    Duel("corruptor", "battlecruiser", 33, "14 + 6 massive - 3 = 17; 550 / 17 = 32.4"),
    Duel("spore_crawler", "mutalisk", 4, "15 + 15 biological; 120 / 30"),
    Duel("ultralisk", "marauder", 4, "35 - 1 = 34; 125 / 34 = 3.7"),
    Duel("zealot", "roach", 11, "2 x (8 - 1) = 14; 145 / 14 = 10.4"),
    Duel("stalker", "roach", 9, "13 + 5 armored - 1 = 17; 145 / 17 = 8.5"),
    Duel("adept", "marine", 3, "10 + 12 light; 45 / 22 = 2.05"),
    Duel("adept", "roach", 17, "10 - 1 = 9; 145 / 9 = 16.1"),
    Duel("sentry", "marauder", 25, "125 / (6 - 1)"),
    Duel("dark_templar", "roach", 4, "45 - 1 = 44; 145 / 44 = 3.3"),
    Duel("archon", "marauder", 4, "25 + 10 biological - 1 = 34; 125 / 34 = 3.7"),
    Duel("archon", "zealot", 5, "35; 2nd: 15 + (20 - 1); 81 / 34 = 2.4: 2 + 3"),
    Duel("immortal", "roach", 3, "20 + 30 armored - 1 = 49; 145 / 49 = 2.96"),
    Duel("immortal", "zealot", 8, "2 x 20 = 40; 3rd: 10 + (10 - 1); 91 / 19 = 4.8: 3 + 5"),
    Duel("colossus", "zergling", 2, "2 x (10 + 5 light) = 30; 35 / 30 = 1.2"),
    Duel("colossus", "marauder", 7, "2 x (10 - 1) = 18; 125 / 18 = 6.9"),
    Duel("phoenix", "mutalisk", 6, "2 x (5 + 5 light) = 20; 120 / 20"),
    Duel("phoenix", "medivac", 19, "2 x (5 - 1) = 8; 150 / 8 = 18.75"),
    Duel("void_ray", "corruptor", 25, "6 + 4 armored - 2 = 8; 200 / 8"),
    Duel("tempest", "battlecruiser", 12, "30 + 22 massive - 3 = 49; 550 / 49 = 11.2"),
    Duel("mothership", "ultralisk", 21, "6 x (6 - 2) = 24; 500 / 24 = 20.8"),
    Duel("photon_cannon", "roach", 8, "20 - 1 = 19; 145 / 19 = 7.6"),
]
# On SMAC's maps: smac_real.md, 2.2. The targets are passive, so they have the bodies of agents.
SMAC = [
    Duel("stalker", "zealot", 13, "3 x 13; 4th: 11 + (2 - 1); 99 / 12 = 8.25: 4 + 9"),
    Duel("stalker", "spine_crawler", 19, "13 + 5 armored - 2 = 16; 300 / 16 = 18.75"),
    Duel("spine_crawler", "stalker", 6, "2 x 30; 3rd: 20 + (10 - 1); 71 / 29 = 2.4: 3 + 3"),
    Duel("marauder", "stalker", 9, "80 / 20 = 4; 80 / 19 = 4.2: 4 + 5"),
    Duel("colossus", "zergling", 2, "2 x (10 + 5 light) = 30; 35 / 30 = 1.2"),
    Duel("colossus", "zealot", 6, "15 light: 3; 4th: 5 + (10 - 1); 91 / 14 = 6.5: 11 hits"),
    Duel("hydralisk", "zealot", 14, "4 x 12; 5th: 2 + (10 - 1); 91 / 11 = 8.3: 5 + 9"),
    Duel("zealot", "hydralisk", 5, "2 x 8; 80 / 16"),
    Duel("zergling", "hydralisk", 16, "80 / 5"),
    Duel("marine", "medivac", 30, "150 / (6 - 1)"),
]
DUELS = {"liberty": LIBERTY, "smac": SMAC, "lotv-4.10": LEGACY}


def face_off(arena: Arena, attacker: str, target: str, game: int = 0) -> tuple[Piece, Piece]:
    """An attacker next to a target that does nothing, with the order to kill it."""
    me = arena.add(attacker, at=(20, 20), game=game)
    other = arena.add(target, at=(30, 20), owner=2, game=game, passive=True)
    weapons = arena.sim.rules.weapons[me.row["first_weapon"] :][: me.row["n_weapons"]]
    in_reach = max(0.05, weapons["min_range"].min() + 0.05)
    me.put(30 - in_reach - me.row["radius"] - other.row["radius"], 20)
    me.skill["switched"] = -1  # a duel of weapons: what goes off by itself stays off
    return me.attack(other), other


@cache
def shots_to_kill(rules: str) -> list[int]:
    """All duels of a rule set at once, each in a game of its own.

    Life does not come back here, as a kill by 100 Zergling bites would else need 105.
    """
    duels = DUELS[rules]
    arena = on_terrain(flat(40, 40), rules, slots=2, n_games=len(duels)).without_regeneration()
    for game, duel in enumerate(duels):
        face_off(arena, duel.attacker, duel.target, game)
    assert arena.run(8000, until=lambda: not arena.sim.units["alive"][:, 1].any())
    return arena.shots()[:, :, 0].sum(axis=0).tolist()


@pytest.mark.parametrize(
    ("rules", "number"),
    [
        pytest.param(rules, number, id=f"{duel.attacker} kills {duel.target} by {duel.shots}")
        for rules, duels in DUELS.items()
        for number, duel in enumerate(duels)
    ],
)
def test_a_kill_takes_as_many_shots_as_the_arithmetic_says(rules: str, number: int) -> None:
    duel = DUELS[rules][number]
    assert shots_to_kill(rules)[number] == duel.shots, duel.arithmetic


def first_blows(attacker: str, target: str, ticks: int = 40, **fields: float) -> list[float]:
    arena = open_ground()
    _, other = face_off(arena, attacker, target)
    other.set(hurt_tick=0, **fields)
    arena.run(ticks)
    return [blow.damage for blow in arena.blows_on(other)]


def test_both_blades_of_a_zealot_lose_armor() -> None:
    # 8 - 1 = 7 twice from a Siege Tank, whose life does not come back.
    assert first_blows("zealot", "siege_tank", ticks=12) == [7.0, 7.0]


def test_the_blow_that_breaks_a_shield_loses_armor_only_in_life() -> None:
    # 6 - 2 of shield = 4; 4 - 1 armor = 3 of life: 5 in all.
    assert first_blows("marine", "zealot", ticks=12, shield=2.0) == [5.0]
    assert first_blows("marine", "zealot", ticks=12, shield=6.0) == [6.0]


def test_a_hit_takes_half_a_point_at_least() -> None:
    arena = open_ground()
    me, other = face_off(arena, "marine", "ultralisk")
    rules = arena.own_rules()
    other.set(armor=50.0)
    rules.types["hp_regen"][other.kind] = 0.0
    arena.run(20, until=lambda: bool(arena.shots_of(me)))
    assert [blow.damage for blow in arena.blows_on(other)] == [0.5]


def test_a_hit_without_armor_rule_ignores_armor() -> None:
    """Acid on buildings: 80, whatever their armor (a Hatchery has 1)."""
    arena = open_ground().without_regeneration()
    bane = arena.add("baneling", at=(20, 20))
    hatchery = arena.add("hatchery", at=(24, 20), owner=2)
    bane.attack(hatchery)
    arena.run(60, until=lambda: not bane.alive)
    assert [blow.damage for blow in arena.blows_on(hatchery)] == [80.0]


amount = st.floats(0.5, 200.0)


@given(
    hp=st.floats(1.0, 500.0),
    shield=st.one_of(st.just(0.0), amount),
    damage=st.floats(0.0, 120.0),
    armor=st.floats(0.0, 12.0),
)
def test_a_hit_equals_its_naive_twin(hp: float, shield: float, damage: float, armor: float) -> None:
    arena = open_ground(slots=2).without_regeneration()
    me, other = face_off(arena, "marine", "zealot")
    rules = arena.sim.rules
    rules.damage[rules.weapons["first_hit"][me.row["first_weapon"]], other.kind] = damage
    # Just hurt: the shield does not grow meanwhile.
    other.set(hp=hp, shield=shield, armor=armor, hurt_tick=0)
    arena.run(8, until=lambda: bool(arena.shots_of(me)))
    expected_hp, expected_shield = take_hit(hp, shield, damage, armor)
    if expected_hp <= 0.0:
        assert not other.alive
    else:
        # Both compute the same differences, in another order.
        assert other.hp == pytest.approx(expected_hp, abs=1e-9)
        assert other.shield == pytest.approx(expected_shield, abs=1e-9)


def test_damage_dealt_counts_what_the_other_side_really_lost() -> None:
    # Two Marines of 45 life, one of 4: 6 + 4 = 10 of damage, not 12.
    arena = open_ground("liberty")
    shooter = arena.add("marine", at=(20, 20))
    weak = arena.add("marine", at=(23, 20), owner=2, passive=True, hp=4.0)
    strong = arena.add("marine", at=(23, 22), owner=2, passive=True)
    shooter.attack(weak)
    shooter.attack(strong, queued=True)
    arena.run(40, until=lambda: strong.hp < 45.0)
    assert np.isclose(arena.sim.players["damage_dealt"][0, 1], 10.0)
