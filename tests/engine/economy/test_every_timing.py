"""Every product also queued, beside a reactor, under a chrono boost, cancelled, and taken over by
another builder: its loops and its price stay those of the reference (economy.md, 7 and 9)."""

from math import ceil

import pytest

from terrarium.data.facts.unit_facts import Production
from terrarium.engine import codes
from tests.engine.economy.sites import Yard
from tests.engine.economy.test_every_product import (
    BY_ID,
    RESEARCHED,
    RULES,
    STUDIO,
    TRAINED,
    count,
    has,
    stage,
)

RICH = 10_000.0
BOOST_LOOPS, SAVED_LOOPS = 448, 224
"""of one chrono boost, and what a whole one takes off"""


def way_of(producer: str, unit: str) -> Production:
    (way,) = (w for w in RULES.units[unit].production if BY_ID[w.by].name == producer)
    return way


def needed_by(producer: str, unit: str) -> list[str]:
    return [BY_ID[r.id].name for r in way_of(producer, unit).requires if r.kind != "upgrade"]


def loops_of(producer: str, unit: str) -> int:
    return ceil(way_of(producer, unit).loops or 0.0)


def purse() -> tuple[float, float]:
    return float(STUDIO.players["minerals"][0, 1]), float(STUDIO.players["vespene"][0, 1])


def births(unit: str, n: int, limit: int) -> list[int]:
    """When the first new ones of a type appear, in loops from now on."""
    begun, before, found = int(STUDIO.ticks[0]), count(STUDIO, unit), list[int]()
    while len(found) < n:
        assert STUDIO.ticks[0] - begun < limit, (unit, found)
        STUDIO.step(1)
        found += [int(STUDIO.ticks[0]) - begun] * (count(STUDIO, unit) - before - len(found))
    return found


QUEUED = [(p, u) for p, u in TRAINED if not STUDIO.rules.types["stored"][STUDIO.rows[u]]]
"""a silo holds one nuke, and a Carrier makes its Interceptors one by one"""


@pytest.mark.parametrize(("producer", "unit"), QUEUED, ids=lambda v: v)
def test_the_next_unit_of_a_queue_comes_n_minus_1_loops_later(producer: str, unit: str) -> None:
    slot = stage(STUDIO, producer, needed_by(producer, unit))
    loops, at_once = loops_of(producer, unit), way_of(producer, unit).count or 1
    for _ in range(2):
        STUDIO.produce(0, slot, unit)
    STUDIO.step(0)
    paid = tuple(RICH - left for left in purse())
    way = way_of(producer, unit)
    assert paid == (2 * way.pays_minerals, 2 * way.pays_vespene)
    first, *_, second = births(unit, 2 * at_once, 2 * loops + 4)
    assert (first, second) == (loops, 2 * loops - 1)


REACTED = [
    (producer, unit)
    for producer, unit in TRAINED
    if f"{producer}_reactor" in RULES.units
    and not any(RULES.units[name].kind == "addon" for name in needed_by(producer, unit))
]


@pytest.mark.parametrize(("producer", "unit"), REACTED, ids=lambda v: v)
def test_with_a_reactor_two_are_made_at_a_time(producer: str, unit: str) -> None:
    slot = stage(STUDIO, producer, needed_by(producer, unit))
    x, y = (float(STUDIO.units[c][0, slot]) for c in ("x", "y"))
    STUDIO.place(0, f"{producer}_reactor", 1, x + 2.5, y - 0.5)
    STUDIO.step(1)
    loops = loops_of(producer, unit)
    for _ in range(3):
        STUDIO.produce(0, slot, unit)
    assert births(unit, 3, 2 * loops + 4) == [loops, loops, 2 * loops - 1]


def test_reactors_are_tried_with_everything_that_needs_no_lab() -> None:
    assert {unit for _, unit in REACTED} == {
        *("marine", "reaper", "hellion", "hellion_tank", "widow_mine"),
        *("viking_fighter", "medivac", "liberator"),
    }


def boosted(slot: int) -> None:
    """A Nexus boosts a producer from the next loop on."""
    nexus = STUDIO.place(0, "nexus", 1, 80.5, 40.5)
    STUDIO.step(1)
    STUDIO.units["energy"][0, nexus] = 50.0
    STUDIO.use(0, nexus, "chrono_boost", target=slot)


def boosted_loops(loops: int) -> tuple[int, int]:
    """What is left of so many loops under one boost, and one more: the boost may begin in the loop
    after."""
    least = ceil(loops / 1.5) if loops <= 1.5 * BOOST_LOOPS else loops - SAVED_LOOPS
    return least, least + 1


PROTOSS = [(p, u) for p, u in QUEUED if RULES.units[p].race == "Protoss" and u != "interceptor"]


@pytest.mark.parametrize(("producer", "unit"), PROTOSS, ids=lambda v: v)
def test_a_chrono_boost_makes_units_half_as_fast_again(producer: str, unit: str) -> None:
    slot = stage(STUDIO, producer, needed_by(producer, unit))
    boosted(slot)
    STUDIO.produce(0, slot, unit)
    low, high = boosted_loops(loops_of(producer, unit))
    (took,) = births(unit, 1, 4000)
    assert low <= took <= high


@pytest.mark.parametrize(
    ("producer", "upgrade"),
    [(p, u) for p, u in RESEARCHED if RULES.units[p].race == "Protoss"],
    ids=lambda v: v,
)
def test_a_chrono_boost_takes_224_loops_off_every_research(producer: str, upgrade: str) -> None:
    facts = RULES.upgrades[upgrade]
    slot = stage(STUDIO, producer, list(facts.requires_units))
    for name in facts.requires:
        STUDIO.research(0, 1, name)
    boosted(slot)
    STUDIO.produce(0, slot, upgrade)
    low, high = boosted_loops(ceil(facts.research_loops))
    STUDIO.step(low - 1)
    assert not has(STUDIO, upgrade)
    STUDIO.step(high - low + 1)
    assert has(STUDIO, upgrade)


@pytest.mark.parametrize(("producer", "unit"), TRAINED, ids=lambda v: v)
def test_a_cancelled_unit_is_paid_back_in_full(producer: str, unit: str) -> None:
    slot = stage(STUDIO, producer, needed_by(producer, unit))
    before, supply = count(STUDIO, unit), float(STUDIO.games.accounts["supply_used"][0, 1])
    STUDIO.produce(0, slot, unit)
    STUDIO.step(loops_of(producer, unit) - 3)
    assert purse()[0] < RICH
    STUDIO.order(0, slot, codes.CANCEL_LAST)
    STUDIO.step(8)
    assert STUDIO.answer(0, slot) == "Success"
    assert purse() == (RICH, RICH)
    assert count(STUDIO, unit) == before
    assert STUDIO.games.accounts["supply_used"][0, 1] == supply


@pytest.mark.parametrize(("producer", "upgrade"), RESEARCHED, ids=lambda v: v)
def test_a_cancelled_research_is_paid_back_in_full(producer: str, upgrade: str) -> None:
    facts = RULES.upgrades[upgrade]
    slot = stage(STUDIO, producer, list(facts.requires_units))
    for name in facts.requires:
        STUDIO.research(0, 1, name)
    STUDIO.produce(0, slot, upgrade)
    STUDIO.step(ceil(facts.research_loops) - 3)
    assert purse() == (RICH - facts.minerals, RICH - facts.vespene)
    STUDIO.order(0, slot, codes.CANCEL_LAST)
    STUDIO.step(8)
    assert purse() == (RICH, RICH)
    assert not has(STUDIO, upgrade)
    STUDIO.produce(0, slot, upgrade)  # and can be begun anew
    STUDIO.step(1)
    assert STUDIO.answer(0, slot) == "Success"


YARDS: dict[str, Yard] = {}
BUILT = [
    (BY_ID[way.by].name, unit.name)
    for unit in RULES.units.values()
    for way in unit.production
    if BY_ID.get(way.by) and BY_ID[way.by].name in ("scv", "probe", "drone")
    if way.how in ("build", "build_on_geyser") and not unit.name.endswith("_rich")
]
AT = (36.5, 36.5)


def begin(builder: str, structure: str) -> tuple[Yard, int]:
    """A site that has just been begun, by orders, with all that it requires."""
    race = RULES.units[builder].race
    yard = YARDS.setdefault(race, Yard(race))
    yard.clear()
    for k, name in enumerate(needed_by(builder, structure)):
        yard.sim.place(0, name, 1, 44.5 - 8 * (k % 3), 52.5)
    x, y = AT
    if RULES.units[structure].needs_power:
        yard.sim.place(0, "pylon", 1, 40.0, 40.0)
    if RULES.units[structure].needs_creep:
        yard.sim.place(0, "creep_tumor_burrowed", 1, 40.5, 40.5)
    if RULES.units[structure].footprint.size[0] % 2 == 0:
        x, y = 36.0, 36.0
    if way_of(builder, structure).how == "build_on_geyser":
        geyser = yard.base.near(codes.VESPENE)[0]
        x, y = float(yard.unit(geyser)["x"]), float(yard.unit(geyser)["y"])
    yard.sim.step(100)  # creep grows
    assert yard.build(structure, (x, y)) == "Success"
    yard.until("started")
    (site,) = yard.all_of(structure)[-1:]
    return yard, site


def test_all_structures_of_workers_are_tried() -> None:
    assert len(BUILT) == 13 + 15 + 14  # units.json, without those on rich geysers


@pytest.mark.parametrize(("builder", "structure"), BUILT, ids=lambda v: v)
def test_a_cancelled_structure_gives_three_quarters_back(builder: str, structure: str) -> None:
    yard, site = begin(builder, structure)
    way = way_of(builder, structure)
    assert yard.bank == (1000.0 - way.pays_minerals, 1000.0 - way.pays_vespene)
    yard.sim.step(loops_of(builder, structure) // 2)
    yard.sim.order(0, site, codes.CANCEL_LAST)
    yard.sim.step(2)
    back = [ceil(0.75 * paid) for paid in (way.pays_minerals, way.pays_vespene)]
    assert yard.bank == (
        1000.0 - way.pays_minerals + back[0],
        1000.0 - way.pays_vespene + back[1],
    )
    assert not yard.unit(site)["alive"]
    if builder == "drone":
        assert len(yard.all_of("drone")) == 1


@pytest.mark.parametrize("structure", [s for builder, s in BUILT if builder == "scv"])
def test_a_structure_takes_its_loops_also_from_two_builders(structure: str) -> None:
    """The first one dies half way, and another one comes after a while."""
    yard, site = begin("scv", structure)
    loops = loops_of("scv", structure)
    yard.sim.step(loops // 2)
    yard.sim.units["hp"][0, yard.worker] = 0.0
    yard.sim.step(50)
    left = float(yard.sim.games.producers["left"][0, site])
    assert loops - left in (loops // 2, loops // 2 + 1)
    second = yard.add_worker(36.5, 28.5)
    yard.sim.order(0, second, codes.SMART, target=site)
    while yard.sim.games.producers["left"][0, site] == left:
        yard.sim.step(1)
    resumed = int(yard.sim.ticks[0])
    done = yard.until("finished")
    assert int(done["tick"]) - resumed == left - 2
    way = way_of("scv", structure)
    assert yard.bank == (1000.0 - way.pays_minerals, 1000.0 - way.pays_vespene)
