"""Creep tumors and Nydus worms: facts of economy.md, 7, and abilities.json."""

import pytest

from terrarium.engine import codes
from tests.engine.economy.bases import Base

NEAR, FURTHER = (26.5, 19.5), (28.5, 21.5)


@pytest.fixture
def base() -> Base:
    base = Base("flat_64", "Zerg").without_workers()
    base.enrich()
    base.sim.step(60)  # creep grows
    return base


def tumor_of_queen(base: Base) -> int:
    """A queen makes a tumor; the loop in which it begins."""
    sim = base.sim
    queen = sim.create(0, "queen", 1, 24.0, 17.0)
    sim.step(1)
    sim.build(0, queen, "creep_tumor_queen", NEAR)
    sim.step(1)
    assert sim.answer(0, queen) == "Success"
    assert sim.units["energy"][0, queen] >= 25.0 - 25.0
    return base.wait_for("creep_tumor_queen", 1, 60)


def test_a_queen_makes_a_tumor_that_digs_itself_in(base: Base) -> None:
    """240 loops, 25 energy; underground 16 to 22 loops later, where it spreads creep."""
    sim = base.sim
    begun = tumor_of_queen(base)
    assert sim.units["energy"][0, base.find("queen")[0]] < 5.0
    tumor = base.find("creep_tumor_queen")[0]
    sim.step(239)
    assert sim.units["status"][0, tumor] & codes.UNFINISHED
    sim.step(1)
    assert not sim.units["status"][0, tumor] & codes.UNFINISHED
    dug = base.wait_for("creep_tumor_burrowed", 1, 40) - begun - 240
    assert 16 <= dug <= 23
    assert base.find("creep_tumor_burrowed") == [tumor]
    assert sim.units["status"][0, tumor] & codes.CLOAKED
    before = (sim.games.creep[0] > 0).sum()
    sim.step(110)
    assert (sim.games.creep[0] > 0).sum() > before + 30


def test_a_tumor_spreads_once(base: Base) -> None:
    """From 240 loops after it is done, within 10; the new one takes 267 to 280."""
    sim = base.sim
    done = tumor_of_queen(base) + 240
    base.wait_for("creep_tumor_burrowed", 1, 300)
    tumor = base.find("creep_tumor_burrowed")[0]
    while int(sim.ticks[0]) < done + 238:  # it was done one loop before one saw it
        sim.step(1)
    sim.produce(0, tumor, "creep_tumor", (33.5, 22.5))
    sim.step(0)
    assert sim.answer(0, tumor) == "Cooldown"
    sim.step(1)
    for at, answer in (
        ((37.5, 19.5), "TargetIsOutOfRange"),
        ((33.5, 22.5), "Success"),
        ((33.5, 20.5), "NotSupported"),
    ):
        sim.produce(0, tumor, "creep_tumor", at)
        sim.step(0)
        assert sim.answer(0, tumor) == answer, at
    begun = int(sim.ticks[0])
    new = base.find("creep_tumor")[0]
    while sim.units["status"][0, new] & codes.UNFINISHED:
        sim.step(1)
    assert 267 <= int(sim.ticks[0]) - begun <= 280


def test_a_tumor_needs_energy_and_creep(base: Base) -> None:
    sim = base.sim
    queen = sim.create(0, "queen", 1, 24.0, 17.0)
    sim.step(1)
    sim.build(0, queen, "creep_tumor_queen", (45.5, 45.5))
    sim.step(0)
    assert sim.answer(0, queen) == "CantBuildTooFarFromCreepSource"
    sim.units["energy"][0, queen] = 24.0
    sim.build(0, queen, "creep_tumor_queen", NEAR)
    sim.step(0)
    assert sim.answer(0, queen) == "NotEnoughEnergy"


def test_a_worm_appears_where_one_sees(base: Base) -> None:
    """320 loops, 50/50, all of its life from the beginning."""
    sim = base.sim
    network = sim.place(0, "nydus_network", 1, 26.5, 19.5)
    sim.create(0, "overlord", 1, 45.0, 45.0)
    sim.step(1)
    for at, answer in (((55.5, 20.5), "CantSeeBuildLocation"), ((45.5, 45.5), "Success")):
        sim.produce(0, network, "nydus_canal", at)
        sim.step(0)
        assert sim.answer(0, network) == answer
    assert base.purse() == (9_950.0, 9_950.0)
    worm = base.find("nydus_canal")[0]
    assert sim.units["hp"][0, worm] == 300
    sim.step(319)
    assert sim.units["status"][0, worm] & codes.UNFINISHED
    sim.step(1)
    assert not sim.units["status"][0, worm] & codes.UNFINISHED


def test_worms_share_their_passengers(base: Base) -> None:
    """What the network takes in comes out of the worm, and outlives the network."""
    sim = base.sim
    network = sim.place(0, "nydus_network", 1, 26.5, 19.5)
    worm = sim.place(0, "nydus_canal", 1, 45.5, 45.5)
    lings = [sim.create(0, "zergling", 1, 29.5, 19.0 + k) for k in range(2)]
    sim.step(1)
    for ling in lings:
        sim.use(0, network, "load_nydus_network", target=ling, queued=True)
    sim.step(60)
    assert not sim.units["alive"][0, lings].any()
    sim.use(0, worm, "unload_all_nydus_worm")
    sim.step(3)
    assert sim.units["alive"][0, lings].sum() == 1
    sim.units["hp"][0, network] = 0.0
    sim.step(20)
    assert sim.units["alive"][0, lings].all()
    assert (sim.units["x"][0, lings] > 40).all()


@pytest.mark.parametrize(("crawler", "loops"), [("spine_crawler", 192), ("spore_crawler", 64)])
def test_a_crawler_walks_and_takes_root_on_creep(base: Base, crawler: str, loops: int) -> None:
    """16 loops to uproot; rooted it stands on the grid again."""
    sim = base.sim
    slot = sim.place(0, crawler, 1, 26.0, 19.0)
    sim.step(1)
    sim.use(0, slot, f"uproot_{crawler}")
    sim.step(17)
    assert base.find(f"{crawler}_uprooted") == [slot]
    assert not sim.games.sites["placed"][0, slot]
    sim.use(0, slot, f"root_{crawler}", (45.0, 45.0))
    sim.step(1)
    assert sim.answer(0, slot) == "CantBuildTooFarFromCreepSource"
    sim.use(0, slot, f"root_{crawler}", (26.0, 24.0))
    sim.step(1)
    assert sim.answer(0, slot) == "Success"
    begun = base.wait_for(crawler, 1, 100 + loops)
    assert begun > loops
    assert sim.games.sites["placed"][0, slot]
    assert (sim.units["x"][0, slot], sim.units["y"][0, slot]) == (26.0, 24.0)
