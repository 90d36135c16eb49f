"""Add-ons, lifting off and landing: game_rules.md, 9, and sc2api.md, 11."""

import pytest

from terrarium.engine import codes
from tests.engine.economy.sites import Yard

AT = (32.5, 32.5)
ADDON = (35.0, 32.0)
YARD = Yard()


@pytest.fixture
def yard() -> Yard:
    YARD.clear()
    YARD.sim.place(0, "supply_depot", 1, 30.0, 50.0)
    YARD.barracks = YARD.sim.place(0, "barracks", 1, *AT)
    YARD.sim.step(1)
    return YARD


def add(yard: Yard, unit: str) -> str:
    yard.sim.build(0, yard.barracks, unit)
    yard.sim.step(1)
    return yard.sim.answer(0, yard.barracks)


def use(yard: Yard, ability: str, at: tuple[float, float] = (0.0, 0.0)) -> str:
    yard.sim.use(0, yard.barracks, ability, at)
    yard.sim.step(1)
    return yard.sim.answer(0, yard.barracks)


def name(yard: Yard, slot: int) -> str:
    return yard.sim.names[int(yard.unit(slot)["kind"])]


@pytest.mark.parametrize(
    ("unit", "loops", "price"),
    [("barracks_tech_lab", 400, (50.0, 25.0)), ("barracks_reactor", 800, (50.0, 50.0))],
)
def test_an_addon_takes_its_time_and_its_price(
    yard: Yard, unit: str, loops: int, price: tuple[float, float]
) -> None:
    """economy.md, 7: 400 and 800 in 12,843 of 12,843 cases."""
    assert add(yard, unit) == "Success"
    assert yard.bank == (1000.0 - price[0], 1000.0 - price[1])
    begun = yard.until("started")
    (addon,) = yard.all_of(unit)
    assert (yard.unit(addon)["x"], yard.unit(addon)["y"]) == ADDON
    done = yard.until("finished")
    assert int(done["tick"]) - int(begun["tick"]) == loops
    assert yard.unit(addon)["hp"] == 400.0


def test_the_producer_makes_nothing_else_meanwhile(yard: Yard) -> None:
    yard.sim.build(0, yard.barracks, "barracks_tech_lab")
    yard.sim.produce(0, yard.barracks, "marine")
    yard.sim.step(1)
    answers = [codes.RESULT_NAMES[r] for r in yard.sim.answers(0)["result"]]
    assert answers == ["Success", "NotSupported"]
    for ability in ("lift_barracks", "lift_barracks"):
        assert use(yard, ability) == "NotSupported"
    yard.sim.produce(0, yard.barracks, "marine")
    yard.sim.step(1)
    assert yard.sim.answer(0, yard.barracks) == "NotSupported"
    assert add(yard, "barracks_reactor") == "NotSupported"


def test_a_busy_producer_builds_no_addon(yard: Yard) -> None:
    yard.sim.produce(0, yard.barracks, "marine")
    yard.sim.step(1)
    assert add(yard, "barracks_tech_lab") == "NotSupported"
    assert use(yard, "lift_barracks") == "NotSupported"
    assert yard.bank == (950.0, 1000.0)


def test_an_addon_is_cancelled_at_its_producer(yard: Yard) -> None:
    add(yard, "barracks_tech_lab")
    yard.sim.step(50)
    yard.sim.order(0, yard.barracks, codes.CANCEL_LAST)
    yard.sim.step(2)
    assert not yard.all_of("barracks_tech_lab")
    assert yard.bank == (1000.0 - 50.0 + 38.0, 1000.0 - 25.0 + 19.0)  # 37.5 and 18.75, rounded up
    assert add(yard, "barracks_reactor") == "Success"


def test_an_addon_needs_its_place(yard: Yard) -> None:
    yard.sim.place(0, "supply_depot", 1, 36.0, 32.0)
    assert add(yard, "barracks_tech_lab") == "CantFindPlacementLocation"
    assert yard.bank == (1000.0, 1000.0)


def test_without_its_producer_an_addon_waits_or_dies(yard: Yard) -> None:
    add(yard, "barracks_reactor")
    yard.sim.step(20)
    yard.sim.units["hp"][0, yard.barracks] = 0.0
    yard.sim.step(2)
    assert not yard.all_of("barracks_reactor")  # it was not finished
    other = yard.sim.place(0, "barracks", 1, 24.5, 40.5)
    lab = yard.sim.place(0, "barracks_tech_lab", 1, 27.0, 40.0)
    yard.sim.step(1)
    yard.sim.units["hp"][0, other] = 0.0
    yard.sim.step(2)
    assert name(yard, lab) == "tech_lab"


def test_another_producer_takes_an_addon_over(yard: Yard) -> None:
    """Its type changes, and its producer makes what it allows."""
    lab = yard.sim.place(0, "barracks_tech_lab", 1, *ADDON)
    factory = yard.sim.place(0, "factory", 1, 20.5, 40.5)
    yard.sim.step(1)
    tag = int(yard.unit(lab)["tag"])
    assert use(yard, "lift_barracks") == "Success"
    yard.sim.step(32)
    assert (name(yard, yard.barracks), name(yard, lab)) == ("barracks_flying", "tech_lab")
    yard.sim.use(0, factory, "lift_factory")
    yard.sim.order(0, yard.barracks, codes.MOVE, (44.0, 44.0))
    yard.sim.step(33)
    assert yard.sim.can_place(0, 1, "factory", AT) == "Success"
    yard.sim.use(0, factory, "land_factory", AT)
    yard.sim.step(400)
    assert (yard.unit(factory)["x"], yard.unit(factory)["y"]) == AT
    assert name(yard, lab) == "factory_tech_lab"
    assert yard.unit(lab)["tag"] == tag
    yard.sim.produce(0, factory, "siege_tank")
    yard.sim.step(1)
    assert yard.sim.answer(0, factory) == "Success"


def test_lifting_and_landing_take_32_loops(yard: Yard) -> None:
    use(yard, "lift_barracks")
    assert yard.sim.can_place(0, 1, "barracks", AT) == "CantFindPlacementLocation"
    yard.sim.step(31)
    assert name(yard, yard.barracks) == "barracks"
    yard.sim.step(1)
    assert name(yard, yard.barracks) == "barracks_flying"
    assert yard.sim.can_place(0, 1, "barracks", AT) == "Success"
    list(yard.news())
    assert use(yard, "land_barracks", (32.7, 32.4)) == "Success"  # snaps back to where it was
    landing = yard.until("cast")
    changed = yard.until("form_changed")
    assert int(changed["tick"]) - int(landing["tick"]) == 32
    assert (yard.unit(yard.barracks)["x"], yard.unit(yard.barracks)["y"]) == AT
    assert yard.sim.can_place(0, 1, "barracks", AT) == "CantFindPlacementLocation"


def test_one_lands_only_where_one_may_be_placed(yard: Yard) -> None:
    yard.sim.place(0, "supply_depot", 1, 40.0, 30.0)
    hall = yard.base.mine()[0]
    yard.sim.step(1)
    use(yard, "lift_barracks")
    yard.sim.use(0, hall, "lift_command_center")
    yard.sim.step(33)
    assert use(yard, "land_barracks", (40.5, 30.5)) == "CantLandLocationInvalid"
    field = yard.base.near(codes.MINERALS)
    x, y = float(yard.unit(hall)["x"]), float(yard.unit(hall)["y"])
    side = 1.0 if yard.unit(field[0])["x"] > x else -1.0
    yard.sim.use(0, hall, "land_command_center", (x + side, y))
    yard.sim.step(1)
    assert yard.sim.answer(0, hall) == "CantLandTooCloseToResources"
    yard.sim.use(0, hall, "land_command_center", (x, y))
    yard.sim.step(40)
    assert name(yard, hall) == "command_center"


def test_what_comes_in_between_keeps_one_from_landing(yard: Yard) -> None:
    use(yard, "lift_barracks")
    yard.sim.step(33)
    assert use(yard, "land_barracks", (40.5, 40.5)) == "Success"
    yard.sim.place(0, "supply_depot", 1, 40.0, 40.0)
    failed = yard.until("failed")
    assert codes.RESULT_NAMES[int(failed["result"])] == "CantLandLocationInvalid"
    assert name(yard, yard.barracks) == "barracks_flying"


def test_a_flying_one_lands_and_builds_its_addon(yard: Yard) -> None:
    use(yard, "lift_barracks")
    yard.sim.step(33)
    yard.sim.build(0, yard.barracks, "barracks_tech_lab", (24.5, 40.5))
    yard.sim.step(1)
    assert yard.sim.answer(0, yard.barracks) == "Success"
    assert yard.bank == (950.0, 975.0)
    begun = yard.until("started")
    assert (float(begun["x"]), float(begun["y"])) == (27.0, 40.0)
    assert name(yard, yard.barracks) == "barracks"
    yard.until("finished")
    assert yard.bank == (950.0, 975.0)


def test_an_addon_that_comes_to_nothing_is_paid_back(yard: Yard) -> None:
    use(yard, "lift_barracks")
    yard.sim.step(33)
    yard.sim.build(0, yard.barracks, "barracks_tech_lab", (24.5, 40.5))
    yard.sim.step(20)
    yard.sim.order(0, yard.barracks, codes.MOVE, (30.0, 30.0))
    yard.sim.step(2)
    assert yard.bank == (1000.0, 1000.0)
    assert not yard.all_of("barracks_tech_lab")


def test_depots_are_lowered_and_raised(yard: Yard) -> None:
    (depot,) = yard.all_of("supply_depot")
    x, y = int(yard.unit(depot)["x"]), int(yard.unit(depot)["y"])
    width = int(yard.sim.ground.size[0])
    yard.sim.use(0, depot, "lower_supply_depot")
    yard.sim.step(23)
    assert name(yard, depot) == "supply_depot_lowered"
    assert not yard.sim.games.blocked[0, y * width + x]
    assert yard.sim.can_place(0, 1, "supply_depot", (x, y)) == "CantFindPlacementLocation"
    yard.sim.use(0, depot, "raise_supply_depot")
    yard.sim.step(23)
    assert name(yard, depot) == "supply_depot"
    assert yard.sim.games.blocked[0, y * width + x]
