"""Structures are built by SCVs: game_rules.md, 9; economy.md, 7 and 9; sc2api.md, 11."""

import numpy as np
import pytest

from terrarium.engine import codes
from tests.engine.economy.sites import Yard

AT = (36.0, 30.0)
YARD = Yard()


@pytest.fixture
def yard() -> Yard:
    YARD.clear()
    return YARD


def with_depot(yard: Yard) -> None:
    """What barracks require."""
    yard.sim.place(0, "supply_depot", 1, 30.0, 40.0)
    yard.sim.step(1)


def test_a_depot_takes_its_time_and_its_price(yard: Yard) -> None:
    assert yard.build("supply_depot", AT) == "Success"
    assert yard.bank == (900.0, 1000.0)  # at once, while the SCV still walks
    assert not yard.all_of("supply_depot")
    begun = yard.until("started")
    (depot,) = yard.all_of("supply_depot")
    assert yard.unit(depot)["hp"] == 40.0
    assert (yard.unit(depot)["x"], yard.unit(depot)["y"]) == AT
    assert yard.sim.games.accounts["supply_cap"][0, 1] == 15.0
    yard.sim.step(240)
    assert yard.unit(depot)["hp"] == pytest.approx(220.0, abs=1.0)
    assert yard.sim.games.producers["progress"][0, depot] == pytest.approx(0.5, abs=0.01)
    done = yard.until("finished")
    assert int(done["tick"]) - int(begun["tick"]) == 480
    assert yard.unit(depot)["hp"] == 400.0
    yard.sim.step(1)
    assert yard.sim.games.accounts["supply_cap"][0, 1] == 23.0
    assert yard.order(yard.worker) == codes.NO_ORDER
    assert yard.bank == (900.0, 1000.0)


def test_the_builder_walks_around_its_site(yard: Yard) -> None:
    """Outside, where it can be hit, and always near enough."""
    with_depot(yard)
    yard.build("barracks", (36.5, 30.5))
    yard.until("started")
    places = []
    for _ in range(60):
        yard.sim.step(10)
        me = yard.unit(yard.worker)
        assert me["alive"]
        off_x, off_y = abs(me["x"] - 36.5) - 1.5, abs(me["y"] - 30.5) - 1.5
        assert 0.0 <= max(off_x, off_y) < 1.2
        places.append((float(me["x"]), float(me["y"])))
    assert np.ptp([x for x, _ in places]) > 1.0 or np.ptp([y for _, y in places]) > 1.0


def test_orders_are_paid_when_they_are_given_also_queued(yard: Yard) -> None:
    yard.build("supply_depot", AT)
    assert yard.build("supply_depot", (40.0, 30.0), queued=True) == "Success"
    assert yard.bank[0] == 800.0
    yard.sim.order(0, yard.worker, codes.STOP)
    yard.sim.step(1)
    assert yard.bank[0] == 1000.0  # both are dropped


def test_what_is_queued_is_built_in_turn(yard: Yard) -> None:
    yard.build("missile_turret", AT)  # no engineering bay
    assert yard.bank[0] == 1000.0
    yard.build("supply_depot", AT)
    yard.build("supply_depot", (39.0, 30.0), queued=True)
    for _ in range(2):
        yard.until("finished")
    assert len(yard.all_of("supply_depot")) == 2
    assert yard.bank[0] == 800.0


def test_the_same_order_again_is_ignored(yard: Yard) -> None:
    yard.own(100.0)
    assert yard.build("supply_depot", AT) == "Success"
    assert yard.build("supply_depot", AT) == "Success"
    assert yard.bank[0] == 0.0
    assert yard.build("supply_depot", (40.0, 30.0)) == "NotEnoughMinerals"
    yard.until("started")
    assert yard.bank[0] == 0.0


def test_without_its_builder_a_site_rests_and_another_goes_on(yard: Yard) -> None:
    yard.build("supply_depot", AT)
    begun = yard.until("started")
    (depot,) = yard.all_of("supply_depot")
    yard.sim.step(100)
    left = float(yard.sim.games.producers["left"][0, depot])
    assert left == 380.0
    yard.sim.order(0, yard.worker, codes.MOVE, (20.0, 20.0))
    yard.sim.step(50)
    assert yard.sim.games.producers["left"][0, depot] == left
    other = yard.add_worker(30.5, 34.5)
    yard.sim.order(0, other, codes.SMART, target=depot)
    yard.sim.step(1)
    assert yard.order(other) == codes.CONSTRUCT
    done = yard.until("finished")
    assert int(done["tick"]) - int(begun["tick"]) > 530
    assert yard.bank[0] == 900.0


def test_two_cannot_share_a_site(yard: Yard) -> None:
    yard.build("supply_depot", AT)
    yard.until("started")
    (depot,) = yard.all_of("supply_depot")
    other = yard.add_worker(30.5, 34.5)
    yard.sim.order(0, other, codes.CONSTRUCT, target=depot)
    yard.sim.step(1)
    assert yard.sim.answer(0, other) == "CantTargetThatUnit"
    yard.sim.units["hp"][0, yard.worker] = 0.0  # the builder dies
    yard.sim.step(2)
    left = float(yard.sim.games.producers["left"][0, depot])
    yard.sim.order(0, other, codes.CONSTRUCT, target=depot)
    yard.sim.step(1)
    assert yard.sim.answer(0, other) == "Success"
    assert yard.sim.games.producers["left"][0, depot] == left
    yard.until("finished")


def test_what_was_lost_while_building_stays_lost(yard: Yard) -> None:
    yard.build("supply_depot", AT)
    yard.until("started")
    (depot,) = yard.all_of("supply_depot")
    yard.sim.step(200)
    yard.sim.units["hp"][0, depot] -= 100.0
    yard.until("finished")
    assert yard.unit(depot)["hp"] == pytest.approx(300.0)


def test_sites_have_no_armor_and_do_nothing(yard: Yard) -> None:
    with_depot(yard)
    yard.build("barracks", (36.5, 30.5))
    yard.until("started")
    (barracks,) = yard.all_of("barracks")
    assert yard.unit(barracks)["armor"] == 0.0
    yard.sim.produce(0, barracks, "marine")
    yard.sim.use(0, barracks, "lift_barracks")
    yard.sim.step(1)
    assert [codes.RESULT_NAMES[r] for r in yard.sim.answers(0)["result"]] == ["NotSupported"] * 2
    assert yard.build("bunker", (44.5, 30.5), yard.add_worker(30.0, 30.0)) == (
        "BuildTechRequirementsNotMet"
    )
    yard.until("finished")
    assert yard.unit(barracks)["armor"] == 1.0


@pytest.mark.parametrize(
    ("structure", "at", "back"), [("supply_depot", AT, 75.0), ("refinery", None, 57.0)]
)
def test_cancelling_gives_back_three_quarters_rounded_up(
    yard: Yard, structure: str, at: tuple[float, float] | None, back: float
) -> None:
    geyser = yard.base.near(codes.VESPENE)[0]
    place = at or (float(yard.unit(geyser)["x"]), float(yard.unit(geyser)["y"]))
    yard.build(structure, place)
    paid = 1000.0 - yard.bank[0]
    yard.until("started")
    (site,) = yard.all_of(structure)
    yard.sim.step(100)
    yard.sim.order(0, site, codes.CANCEL_LAST)
    yard.sim.step(2)
    assert not yard.all_of(structure)
    assert yard.bank[0] == 1000.0 - paid + back
    assert yard.order(yard.worker) == codes.NO_ORDER
    assert yard.sim.can_place(0, 1, structure, place) == "Success"
    assert yard.sim.players["n_lost"][0, 1] == 0


def test_what_nobody_saw_fails_late(yard: Yard) -> None:
    """sc2api.md, 11: a builder that is blocked on arrival."""
    yard.sim.create(0, "roach_burrowed", 2, 36.0, 48.0)
    yard.sim.step(2)  # vision is worked out every second tick
    assert yard.build("supply_depot", (36.0, 48.0)) == "Success"
    failed = yard.until("failed")
    assert codes.RESULT_NAMES[int(failed["result"])] == "CantBuildLocationInvalid"
    assert yard.bank[0] == 1000.0
    assert yard.order(yard.worker) == codes.NO_ORDER


def test_who_cannot_get_there_gives_up(yard: Yard) -> None:
    for x, y in [(x, y) for x in (18, 20, 22) for y in (40, 42, 44) if (x, y) != (20, 42)]:
        yard.sim.place(0, "supply_depot", 1, float(x), float(y))
    shut_in = yard.add_worker(20.0, 42.0)
    assert abs(yard.unit(shut_in)["x"] - 20.0) < 1.0
    assert yard.build("supply_depot", AT, shut_in) == "Success"
    failed = yard.until("failed")
    assert codes.RESULT_NAMES[int(failed["result"])] == "CouldntReachTarget"
    assert yard.bank[0] == 1000.0


def test_of_two_on_one_place_one_begins(yard: Yard) -> None:
    other = yard.add_worker(40.5, 34.5)
    yard.sim.build(0, other, "supply_depot", AT)
    yard.build("supply_depot", AT)
    assert yard.bank[0] == 800.0
    yard.until("started")
    assert codes.RESULT_NAMES[int(yard.until("failed")["result"])] == "CantBuildLocationInvalid"
    assert yard.bank[0] == 900.0


def test_own_units_make_way(yard: Yard) -> None:
    marine = yard.sim.create(0, "marine", 1, *AT)
    assert yard.build("supply_depot", AT) == "Success"
    yard.until("started")
    me = yard.unit(marine)
    assert max(abs(me["x"] - AT[0]), abs(me["y"] - AT[1])) >= 1.0


def test_the_builder_of_a_refinery_gathers_there(yard: Yard) -> None:
    geyser = yard.base.near(codes.VESPENE)[0]
    assert yard.build("refinery", (0.0, 0.0), target=geyser) == "Success"
    yard.until("started")
    (refinery,) = yard.all_of("refinery")
    yard.sim.order(0, yard.add_worker(30.0, 30.0), codes.GATHER, target=refinery)
    yard.sim.step(1)
    assert codes.RESULT_NAMES[int(yard.sim.answers(0)["result"][-1])] == "CantTargetThatUnit"
    yard.until("finished")
    assert yard.order(yard.worker) == codes.GATHER
    yard.sim.step(120)
    assert yard.sim.games.accounts["gathered_vespene"][0, 1] > 0.0


def test_a_dead_builders_order_is_paid_back(yard: Yard) -> None:
    yard.build("command_center", (36.5, 45.5))
    assert yard.bank[0] == 600.0
    yard.sim.units["hp"][0, yard.worker] = 0.0
    yard.sim.step(1)
    assert yard.bank[0] == 1000.0


def test_structures_burn_below_a_third(yard: Yard) -> None:
    """game_rules.md, 7: 1 life every 5.33 loops."""
    depot = yard.sim.place(0, "supply_depot", 1, *AT)
    yard.sim.units["hp"][0, depot] = 133.0
    yard.sim.step(533)
    assert yard.unit(depot)["hp"] == pytest.approx(33.0)
    yard.sim.step(180)
    assert not yard.unit(depot)["alive"]
    whole = yard.sim.place(0, "supply_depot", 1, *AT)
    yard.sim.units["hp"][0, whole] = 134.0
    yard.sim.step(50)
    assert yard.unit(whole)["hp"] == 134.0


def test_repair_costs_a_quarter_in_proportion(yard: Yard) -> None:
    """game_rules.md, 7: all of a depot's life in 480 loops, for 25 of 100 minerals."""
    depot = yard.sim.place(0, "supply_depot", 1, *AT)
    yard.sim.units["hp"][0, depot] = 200.0
    yard.sim.use(0, yard.worker, "repair_scv", target=depot)
    yard.sim.step(320)
    assert yard.unit(depot)["hp"] == 400.0
    assert yard.bank[0] == pytest.approx(1000.0 - 12.5)


def test_a_bunker_is_salvaged_for_three_quarters(yard: Yard) -> None:
    bunker = yard.sim.place(0, "bunker", 1, 36.5, 30.5)
    yard.sim.use(0, bunker, "salvage_bunker")
    yard.sim.step(85)
    assert not yard.unit(bunker)["alive"]
    assert yard.bank[0] == 1075.0
