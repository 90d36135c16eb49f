"""What comes back: the Medivac's beam, Zerg life, shields, energy (game_rules.md, 7)."""

import pytest

from tests.engine.arena import SECOND, Arena, Piece, open_ground

HEAL = 9.0 / SECOND
"""life a tick"""
ENERGY = 0.5625 / SECOND
"""energy a tick that comes back by itself"""


def hospital(
    patient: str = "marine", hp: float = 10.0, gap: float = 1.0, rules: str = "liberty"
) -> tuple[Arena, Piece, Piece]:
    """A Medivac with 100 energy next to a patient."""
    arena = open_ground(rules)
    medivac = arena.add("medivac", at=(30, 30), energy=100.0)
    other = arena.add(patient, at=(40, 30), passive=True, hp=hp)
    other.put(30 + medivac.row["radius"] + other.row["radius"] + gap, 30)
    return arena, medivac, other


# --- the Medivac --------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["liberty", "lotv-4.10"])
def test_a_medivac_heals_9_life_a_second(rules: str) -> None:
    arena, _, marine = hospital(rules=rules)
    arena.run(4)  # to see it and to begin
    before = marine.hp
    arena.run(2 * SECOND)
    assert marine.hp - before == pytest.approx(18.0)


def test_a_life_costs_a_third_of_an_energy() -> None:
    """16 ticks: 9 x 0.33 = 2.97 spent, 0.5625 come back: -2.4075."""
    arena, medivac, _ = hospital()
    arena.run(4)
    before = medivac.energy
    arena.run(SECOND)
    assert medivac.energy - before == pytest.approx(-9 * 0.33 + 0.5625)


def test_no_life_comes_from_nothing() -> None:
    """From 6 energy until it is spent: every life has been paid with 0.33."""
    arena, medivac, marauder = hospital("marauder", hp=1.0)
    medivac.set(energy=6.0)
    ticks = 100
    arena.run(ticks)
    assert (marauder.hp - 1.0) * 0.33 == pytest.approx(6.0 + ticks * ENERGY - medivac.energy)
    assert medivac.energy >= 0.0


def test_the_beam_reaches_4_cells() -> None:
    """It waits where it is told to stay within reach, and flies up to somebody further away."""
    arena, medivac, marine = hospital(gap=3.99)
    arena.run(20)
    assert marine.hp > 15.0
    assert medivac.at == (30, 30)

    arena, medivac, marine = hospital(gap=5.9)
    arena.run(100, until=lambda: marine.hp > 10.0)
    assert marine.hp > 10.0
    # One tick at full speed, 0.17, may lie between the edge of its reach and the first heal.
    assert 4.0 - 0.2 < medivac.gap(marine) <= 4.0


def test_a_medivac_looks_for_patients_within_6_cells() -> None:
    arena, medivac, marine = hospital(gap=6.1)
    arena.run(100)
    assert medivac.at == (30, 30)
    assert marine.hp == 10.0


@pytest.mark.parametrize(("energy", "heals"), [(3.0, False), (5.0, True)])
def test_it_begins_by_itself_only_with_5_energy(energy: float, heals: bool) -> None:
    arena, medivac, marine = hospital()
    medivac.set(energy=energy)
    arena.run(40)  # 3 + 40 x 0.035 = 4.4: still too little
    assert (marine.hp > 10.0) == heals


def test_the_worst_hurt_comes_first() -> None:
    """20 of 45 are 44 %, 50 of 125 are 40 %: the Marauder, although it has more life and stands
    further away."""
    arena, _, marine = hospital(hp=20.0)
    marauder = arena.add("marauder", at=(30, 33), passive=True, hp=50.0)
    arena.run(8)
    assert marauder.hp > 50.0
    assert marine.hp == 20.0


@pytest.mark.parametrize(
    ("rules", "name", "healed"),
    [
        ("liberty", "marauder", True),
        ("liberty", "zergling", True),
        ("liberty", "stalker", False),  # mechanical
        ("liberty", "medivac", False),
        ("liberty", "spine_crawler", False),  # biological, but a structure
        ("lotv-4.10", "ghost", True),
        ("lotv-4.10", "scv", True),  # biological and mechanical
        ("lotv-4.10", "hellion_tank", True),
        ("lotv-4.10", "hellion", False),
        ("lotv-4.10", "siege_tank", False),
        ("lotv-4.10", "archon", False),
    ],
)
def test_only_flesh_is_healed(rules: str, name: str, healed: bool) -> None:
    for ordered in (False, True):
        arena, medivac, patient = hospital(name, hp=5.0, rules=rules)
        arena.without_regeneration()
        if ordered:
            medivac.heal(patient)
        arena.run(20)
        assert (patient.hp > 5.0) == healed


def test_a_medivac_heals_neither_itself_nor_the_enemy() -> None:
    arena = open_ground("liberty")
    medivac = arena.add("medivac", at=(30, 30), hp=50.0, energy=100.0)
    enemy = arena.add("marine", at=(32, 30), owner=2, passive=True, hp=10.0)
    medivac.heal(medivac)
    medivac.heal(enemy)
    arena.run(40)
    assert medivac.hp == 50.0
    assert enemy.hp == 10.0


def test_nobody_is_healed_beyond_full_life() -> None:
    arena, medivac, marine = hospital(hp=44.9)
    medivac.heal(marine)
    arena.run(10)
    assert marine.hp == 45.0
    assert medivac.n_orders == 0  # done
    # 0.1 life cost 0.033 energy, and no more.
    assert medivac.energy == pytest.approx(100.0 + 10 * ENERGY - 0.1 * 0.33)


def test_an_order_picks_the_patient() -> None:
    arena, medivac, marine = hospital(hp=30.0)
    worse = arena.add("marine", at=(30, 32), passive=True, hp=5.0)
    medivac.heal(marine)
    arena.run(16)
    assert marine.hp == pytest.approx(39.0, abs=HEAL)
    assert worse.hp == 5.0


def test_a_passive_medivac_heals_by_order_only() -> None:
    """SMAC's agents decide for themselves."""
    arena, medivac, marine = hospital()
    medivac.set(passive=True)
    arena.run(20)
    assert marine.hp == 10.0
    medivac.heal(marine)
    arena.run(20)
    assert marine.hp > 10.0


def test_a_medivac_follows_a_patient_that_walks_away() -> None:
    arena, medivac, marauder = hospital("marauder", hp=5.0, gap=3.0)
    medivac.heal(marauder)
    marauder.move(50, 30)
    # At rest it loses a Marauder at 2.25 for 3.3 s: 2.75 / 2.3125 = 1.2 s to full speed, in which
    # it falls back by 1.05 cells, and 1.05 / (2.75 - 2.25) = 2.1 s to catch up.
    arena.run(120)
    assert marauder.hp > 5.0 + (120 - 2 * 3.3 * SECOND - 4) * HEAL > 5.0
    assert medivac.gap(marauder) < 5.0
    arena.run(300)
    assert marauder.hp == 125.0


def test_two_medivacs_heal_twice_as_fast_and_share_the_cost() -> None:
    arena, first, marauder = hospital("marauder", hp=20.0)
    second = arena.add("medivac", at=(30, 32), energy=100.0)
    arena.run(4)
    before = marauder.hp
    energy = first.energy, second.energy
    arena.run(SECOND)
    assert marauder.hp - before == pytest.approx(18.0)
    for medivac, had in zip((first, second), energy, strict=True):
        assert medivac.energy - had == pytest.approx(-9 * 0.33 + 0.5625)


def test_two_medivacs_pay_together_for_the_last_bit_of_life() -> None:
    """0.4 life are missing: 0.4 x 0.33 energy in all, half each."""
    arena, first, marine = hospital(hp=44.6)
    second = arena.add("medivac", at=(30, 32), energy=100.0)
    first.heal(marine)
    second.heal(marine)
    arena.run(5)
    assert marine.hp == 45.0
    for medivac in (first, second):
        assert medivac.energy == pytest.approx(100.0 + 5 * ENERGY - 0.5 * 0.4 * 0.33)


def test_the_dead_are_not_healed() -> None:
    """A Marine with 6 life that is shot for 6 dies, however much somebody heals in that tick."""
    arena, medivac, marine = hospital(hp=6.0 - 1.5 * HEAL)
    shooter = arena.add("marine", at=(35, 30), owner=2, face=(-1, 0), passive=True)
    medivac.heal(marine)
    shooter.attack(marine)
    arena.run(2)  # the shot falls in the second tick, after one heal of 0.5625
    assert arena.shots_of(shooter) == [2]
    assert not marine.alive
    arena.run(20)
    assert marine.hp == 0.0
    assert medivac.n_orders == 0


# --- energy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["liberty", "lotv-4.10"])
def test_energy_starts_at_50_and_grows_by_0_5625_a_second_to_200(rules: str) -> None:
    arena = open_ground(rules)
    medivac = arena.add("medivac", at=(30, 30))
    assert medivac.energy == 50.0
    arena.run(10 * SECOND)
    assert medivac.energy == pytest.approx(55.625)
    medivac.set(energy=199.9)
    arena.run(SECOND)
    assert medivac.energy == 200.0


def test_units_without_energy_get_none() -> None:
    arena = open_ground("liberty")
    marine = arena.add("marine", at=(30, 30))
    arena.run(50)
    assert marine.energy == 0.0


# --- life ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "name", "per_s"),
    [
        ("liberty", "zergling", 0.2734),
        ("liberty", "hydralisk", 0.2734),
        ("liberty", "baneling", 0.2734),
        ("liberty", "spine_crawler", 0.2734),
        ("lotv-4.10", "ultralisk", 0.2734),
        ("lotv-4.10", "hatchery", 0.2734),
        ("lotv-4.10", "mutalisk", 1.0),
        ("liberty", "marine", 0.0),
        ("liberty", "marauder", 0.0),
        ("liberty", "zealot", 0.0),  # life, not shields
        ("lotv-4.10", "siege_tank", 0.0),
    ],
)
def test_zerg_life_comes_back_slowly(rules: str, name: str, per_s: float) -> None:
    arena = open_ground(rules)
    unit = arena.add(name, at=(30, 30), hp=10.0)
    arena.run(10 * SECOND)
    assert unit.hp == pytest.approx(10.0 + 10 * per_s)


def test_life_stops_at_its_maximum() -> None:
    arena = open_ground("liberty")
    zergling = arena.add("zergling", at=(30, 30), hp=34.9)
    arena.run(SECOND)
    assert zergling.hp == 35.0


def shot_at(name: str, rules: str = "lotv-4.10", **fields: float) -> tuple[Arena, Piece]:
    """A unit right after one shot of a Marine, which then leaves it alone."""
    arena = open_ground(rules)
    marine = arena.add("marine", at=(26, 30), owner=2, passive=True)
    victim = arena.add(name, at=(30, 30), passive=True, **fields)
    marine.attack(victim)
    assert arena.run(10, until=lambda: bool(arena.shots_of(marine)))
    marine.stop()
    return arena, victim


def test_a_reaper_recovers_2_a_second_after_10_seconds_unhurt() -> None:
    arena, reaper = shot_at("reaper")
    assert reaper.hp == 54.0
    arena.run(158)  # 160 ticks, give or take the one in which it was hit
    assert reaper.hp == 54.0
    arena.run(3)
    before = reaper.hp
    assert before > 54.0
    arena.run(SECOND)
    assert reaper.hp - before == pytest.approx(2.0)
    arena.run(100)
    assert reaper.hp == 60.0


# --- shields ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", ["liberty", "lotv-4.10"])
def test_shields_grow_by_2_a_second_after_10_seconds_unhurt(rules: str) -> None:
    arena, zealot = shot_at("zealot", rules, shield=40.0, hurt_tick=0)
    assert zealot.shield == 34.0
    arena.run(158)  # 160 ticks, give or take the one in which it was hit
    assert zealot.shield == 34.0
    arena.run(3)
    before = zealot.shield
    assert before > 34.0
    arena.run(2 * SECOND)
    assert zealot.shield - before == pytest.approx(4.0)
    arena.run(200)
    assert zealot.shield == 50.0


def test_a_blow_on_bare_life_delays_shields_too() -> None:
    arena, zealot = shot_at("zealot", shield=0.0, hp=60.0, hurt_tick=0)
    assert zealot.hp == 55.0  # 6 - 1
    arena.run(158)
    assert zealot.shield == 0.0
    arena.run(10)
    assert zealot.shield > 0.0
    assert zealot.hp == 55.0  # life does not come back


def test_every_blow_begins_the_wait_anew() -> None:
    arena = open_ground("liberty")
    marine = arena.add("marine", at=(26, 30), owner=2, passive=True)
    zealot = arena.add("zealot", at=(30, 30), passive=True)
    for _ in range(3):
        n_shots = len(arena.shots_of(marine))
        marine.attack(zealot)
        arena.run(30, until=lambda n=n_shots: len(arena.shots_of(marine)) > n)
        marine.stop()
        arena.run(150)
    assert zealot.shield == 50.0 - 18.0
