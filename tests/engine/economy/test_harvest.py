"""Workers gather: facts of economy.md, 3 to 6, and the orders that workers take."""

import os
import subprocess
import sys

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import PlacementError, Simulator
from tests.engine.building import ROOT
from tests.engine.economy.bases import Base, recorded_map
from tests.engine.economy.mining import digests

TRIP = 5.0


@pytest.mark.parametrize("owner", [1, 2])
def test_untouched_workers_bring_what_they_bring_in_recorded_games(owner: int) -> None:
    """KairosJunctionLE, 150 games (economy.md, 3 and 13.1), within one trip; nobody is trained."""
    base = Base(recorded_map("KairosJunctionLE"))
    recorded = {240: 65, 320: 120, 400: (150, 155)[owner - 1], 480: 190}
    for loop, minerals in recorded.items():
        base.sim.step(loop - int(base.sim.ticks[0]))
        assert abs(base.gathered(owner) - minerals) <= TRIP, loop


def test_with_workers_trained_without_pause_income_grows_as_recorded() -> None:
    """Births at 290 and 561 as of the recorded Protoss, whose minerals are 280 or 285 at loop 640:
    the mean of both starts within one trip, and within two at 480, when trips fall together."""
    base = Base(recorded_map("KairosJunctionLE"))
    sim = base.sim
    halls = [base.mine(owner)[0] for owner in (1, 2)]
    for owner, hall in enumerate(halls, 1):
        field = int(sim.games.orders["target"][0, base.workers(owner)[0], 0])
        sim.order(0, hall, codes.RALLY, target=field)
    for loop, recorded, trips in ((240, 65, 1), (400, 152.5, 1), (480, 190, 2), (640, 282.5, 1)):
        for trained in (18, 290):
            if sim.ticks[0] <= trained < loop:
                sim.step(trained - int(sim.ticks[0]))
                for hall in halls:
                    sim.produce(0, hall, "scv")
        sim.step(loop - int(sim.ticks[0]))
        mean = (base.gathered(1) + base.gathered(2)) / 2.0
        assert abs(mean - recorded) <= trips * TRIP, loop


@pytest.mark.parametrize(
    ("n", "low", "high"), [(12, 500, 516), (16, 650, 690), (20, 700, 735), (24, 760, 860)]
)
def test_income_by_the_number_of_workers(n: int, low: float, high: float) -> None:
    """Minerals in 1,000 loops (economy.md, 13.2), mean of both starts."""
    base = Base(recorded_map("KairosJunctionLE"))
    for owner in (1, 2):
        base.add_workers(n - 12, owner)
    base.sim.step(1320)
    before = base.gathered(1) + base.gathered(2)
    base.sim.step(3000)
    assert low <= (base.gathered(1) + base.gathered(2) - before) / 6.0 <= high


def test_three_workers_empty_a_geyser_as_fast_as_it_can_be() -> None:
    """116 +- 4 in 960 loops (economy.md, 13.3)."""
    base, sim = with_refinery()
    sim.step(160)
    before = base.gathered(what="vespene")
    sim.step(960)
    assert abs(base.gathered(what="vespene") - before - 116) <= 4


def with_refinery() -> tuple[Base, Simulator]:
    base = Base()
    sim, geyser = base.sim, base.near(codes.VESPENE)[0]
    x, y = (float(sim.units[c][0, geyser]) for c in ("x", "y"))
    refinery = sim.place(0, "refinery", 1, x, y)
    for worker in base.workers()[:3]:
        sim.order(0, worker, codes.GATHER, target=refinery)
    return base, sim


def test_a_structure_on_a_geyser_holds_what_is_in_it_until_it_goes() -> None:
    base, sim = with_refinery()
    geyser, refinery = base.near(codes.VESPENE)[0], int(sim.units["tag"][0].argmax())
    x, y = (float(sim.units[c][0, geyser]) for c in ("x", "y"))
    with pytest.raises(PlacementError):
        sim.place(0, "refinery", 2, x, y)
    sim.step(400)
    left = float(sim.games.resources["contents"][0, refinery])
    assert left == 2250 - base.gathered(what="vespene") - carried(sim, codes.VESPENE)
    sim.units["hp"][0, refinery] = 0.0
    sim.step(1)
    assert sim.games.resources["contents"][0, geyser] == left
    again = sim.place(0, "refinery", 1, x, y)
    assert sim.games.resources["contents"][0, again] == left


def carried(sim: Simulator, what: int) -> float:
    workers = sim.games.workers[0]
    return float(workers["cargo"][workers["carries"] == what].sum())


def test_who_gathers_gas_is_inside() -> None:
    base, sim = with_refinery()
    inside = 0
    for _ in range(120):
        sim.step(1)
        inside = max(inside, int((sim.units["inside"][0, base.workers()] >= 0).sum()))
    assert inside == 1


def test_workers_of_an_empty_geyser_bring_what_they_have_and_idle() -> None:
    base, sim = with_refinery()
    refinery, crew = int(sim.units["tag"][0].argmax()), base.workers()[:3]
    sim.games.resources["contents"][0, refinery] = 10.0
    sim.step(400)
    assert sim.games.resources["contents"][0, refinery] == 0.0
    assert base.gathered(what="vespene") == 10.0
    assert (sim.units["n_orders"][0, crew] == 0).all()
    assert (sim.units["inside"][0, crew] < 0).all()
    sim.order(0, crew[0], codes.GATHER, target=refinery)
    sim.step(1)
    assert sim.answer(0, crew[0]) == "CantTargetThatUnit"


@pytest.mark.parametrize("aimed_at", ["field", "place"])
def test_a_mule_that_is_called_down_gathers_at_once(aimed_at: str) -> None:
    """Half-way between field and townhall, so that its first trip is as short as all others."""
    base = Base(recorded_map("KairosJunctionLE"))
    sim = base.sim
    for worker in base.workers():
        sim.remove(0, worker)
    field = base.near(codes.MINERALS)[0]
    x, y = (float(sim.units[c][0, field]) for c in ("x", "y"))
    orbital = sim.create(0, "orbital_command", 1, 100.0, 100.0)
    sim.units["energy"][0, orbital] = 60.0
    if aimed_at == "field":
        sim.use(0, orbital, "calldown_mule", target=field)
    else:
        sim.use(0, orbital, "calldown_mule", at=(x, y))
    sim.step(66)
    (mule,) = base.find("mule")
    order = sim.games.orders[0, mule, 0]
    assert (order["kind"], order["target"]) == (codes.GATHER, field)
    sim.step(1450)
    assert 225 <= base.gathered() <= 250


def test_a_mule_brings_what_it_does_in_recorded_games() -> None:
    """225 to 250 in a life of 1,440 loops (economy.md, 13.4)."""
    base = Base(recorded_map("KairosJunctionLE"))
    sim, hall = base.sim, base.mine()[0]
    for worker in base.workers():
        sim.remove(0, worker)
    field = base.near(codes.MINERALS)[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    mule = sim.create(0, "mule", 1, x - 3.5, y + 3.5)
    sim.order(0, mule, codes.GATHER, target=field)
    sim.step(1450)
    assert not sim.units["alive"][0, mule]
    assert 225 <= base.gathered() <= 250


def test_an_empty_field_vanishes_and_its_workers_go_to_another() -> None:
    base = Base()
    sim = base.sim
    field = int(sim.games.orders["target"][0, base.workers()[0], 0])
    sim.games.resources["contents"][0, field] = 8.0
    sim.step(160)
    assert not sim.units["alive"][0, field]
    before = base.gathered()
    sim.step(240)
    assert base.gathered() > before
    assert (sim.units["n_orders"][0, base.workers()] == 1).all()


def test_fields_and_workers_hold_all_minerals_there_are() -> None:
    """Nothing appears and nothing is lost, whatever is ordered."""
    base = Base()
    sim, rng = base.sim, np.random.default_rng(3)

    def total() -> float:
        alive = sim.units["alive"][0]
        left = float(sim.games.resources["contents"][0, alive].sum())
        return left + carried(sim, codes.MINERALS) + float(sim.players["minerals"][0, 1:3].sum())

    begin = total()
    for _ in range(60):
        worker = int(rng.choice(base.workers(1)))
        kind = int(rng.choice([codes.GATHER, codes.RETURN_CARGO, codes.STOP]))
        target = int(rng.choice(base.near(codes.MINERALS)))
        # A worker with cargo that gathers again throws it away, so those are sent home first.
        if kind == codes.GATHER and sim.games.workers["cargo"][0, worker] > 0.0:
            kind = codes.RETURN_CARGO
        sim.order(0, worker, kind, target=target if kind == codes.GATHER else codes.NO_UNIT)
        sim.step(8)
        assert total() == begin


def test_a_right_click_gathers_returns_cargo_or_moves() -> None:
    base = Base()
    sim, (worker, *_) = base.sim, base.workers()
    hall, field = base.mine()[0], base.near(codes.MINERALS)[0]
    sim.order(0, worker, codes.SMART, target=hall)
    sim.step(1)
    assert sim.games.orders["kind"][0, worker, 0] == codes.FOLLOW
    sim.order(0, worker, codes.SMART, target=field)
    sim.step(1)
    assert sim.games.orders["kind"][0, worker, 0] == codes.GATHER
    while sim.games.workers["cargo"][0, worker] == 0.0:
        sim.step(1)
        assert sim.ticks[0] < 400
    sim.order(0, worker, codes.SMART, target=hall)
    sim.step(1)
    assert sim.games.orders["kind"][0, worker, 0] == codes.RETURN_CARGO
    sim.step(60)  # there it goes back to its field by itself
    assert sim.games.workers["cargo"][0, worker] == 0.0
    assert sim.games.orders["kind"][0, worker, 0] == codes.GATHER


def test_orders_that_make_no_sense_are_refused() -> None:
    base = Base()
    sim, hall, worker = base.sim, base.mine()[0], base.workers()[0]
    marine = sim.create(0, "marine", 1, 20.0, 20.0)
    geyser, field = base.near(codes.VESPENE)[0], base.near(codes.MINERALS)[0]
    for unit, kind, target, answer in (
        (marine, codes.GATHER, field, "NotSupported"),
        (hall, codes.GATHER, field, "NotSupported"),
        (worker, codes.GATHER, geyser, "CantTargetThatUnit"),
        (worker, codes.GATHER, hall, "CantTargetThatUnit"),
        (worker, codes.RETURN_CARGO, codes.NO_UNIT, "NotSupported"),
    ):
        sim.order(0, unit, kind, target=target)
        sim.step(1)
        assert sim.answer(0, unit) == answer


def test_the_rate_of_collection_is_that_of_the_last_240_loops() -> None:
    base = Base()
    sim = base.sim
    history = []
    for _ in range(60):
        sim.step(8)
        history.append(base.gathered())
    assert sim.games.income[0, 1, 0].sum() == history[-1] - history[-31]


def test_a_saved_game_goes_on_as_if_nothing_had_happened() -> None:
    sim = Base(n_games=2).sim
    sim.step(130)
    save = sim.save()
    sim.step(130)
    played = sim.digest()
    sim.load(save)
    sim.step(130)
    assert sim.digest() == played


def test_both_starts_are_alike() -> None:
    """On a map that is symmetric about its middle neither player brings more, over many games."""
    sim = Base(n_games=24).sim
    sim.step(1200)
    mean = sim.games.accounts["gathered_minerals"][:, 1:3].mean(axis=0)
    assert abs(mean[0] - mean[1]) <= 0.02 * mean.mean()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_every_mode_mines_the_same(mode: str) -> None:
    command = [sys.executable, "-m", "tests.engine.economy.mining"]
    env = {**os.environ, mode: "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == digests()


def test_a_game_does_not_depend_on_its_batch() -> None:
    assert digests(3)[:1] == digests()


def test_a_worker_brings_its_cargo_to_the_base_that_it_gathers_at() -> None:
    """Sent to the fields of another base, it does not walk back with every load."""
    base = Base("two_base")
    sim, (worker, *_) = base.sim, base.workers()
    far = base.near(codes.MINERALS, owner=2)
    x, y = (float(sim.units[c][0, base.mine(2)[0]]) for c in ("x", "y"))
    for unit in base.mine(2):
        sim.remove(0, unit)
    sim.step(1)
    hall = sim.place(0, "command_center", 1, x, y)
    sim.units["x"][0, worker], sim.units["y"][0, worker] = x - 20.0, y
    sim.order(0, worker, codes.GATHER, target=far[0])
    for _ in range(600):
        sim.step(1)
        if sim.games.workers["phase"][0, worker] == codes.RETURNING:
            break
    sim.step(1)
    assert sim.games.workers["townhall"][0, worker] == hall
