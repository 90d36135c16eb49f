"""Units with two forms, and those who dig in."""

from terrarium.tactics.liberator import liberator_zones
from terrarium.tactics.mines import mines
from terrarium.tactics.modes import hellion_modes, thor_modes
from terrarium.tactics.orders import OrderKind, Wish, combine
from terrarium.tactics.view import View
from terrarium.tactics.viking import viking_modes
from tests.tactics.battlefield import Piece, battle, melee, task

FAR = [melee(30, 16, seen=False)]
HOLDS = task(holds=True)


def word(view: View, wishes: list[Wish]) -> str:
    """The ability that the first unit is told to use."""
    orders = combine(view, wishes)
    return orders.abilities[orders.ability[0, 0]] if orders.kind[0, 0] == OrderKind.CAST else ""


def test_hellbats_hold_and_hellions_go() -> None:
    hellion = Piece(8, 16, kind="hellion", can=("hellbat_mode",))
    hellbat = Piece(8, 16, kind="hellion_tank", can=("hellion_mode",))
    view = battle([hellion], FAR, mission=HOLDS)
    assert word(view, hellion_modes(view)) == "hellbat_mode"
    view = battle([hellbat], FAR)
    assert word(view, hellion_modes(view)) == "hellion_mode"


def test_the_payload_fits_the_flyers() -> None:
    flock = [Piece(14, 15 + 0.5 * i, 120.0, kind="mutalisk", walks=False) for i in range(4)]
    ship = [Piece(14, 16, 550.0, kind="battlecruiser", walks=False)]
    view = battle([Piece(8, 16, kind="thor_ap", can=("thor_explosive_mode",))], flock)
    assert word(view, thor_modes(view)) == "thor_explosive_mode"
    view = battle([Piece(8, 16, kind="thor", can=("thor_high_impact_mode",))], ship)
    assert word(view, thor_modes(view)) == "thor_high_impact_mode"
    view = battle([Piece(8, 16, kind="thor", can=("thor_high_impact_mode",))], flock)
    assert word(view, thor_modes(view)) == ""


def test_vikings_land_together_when_the_sky_is_clear() -> None:
    def viking(x: float) -> Piece:
        return Piece(
            x, 16, kind="viking_fighter", can=("viking_assault_mode",), walks=False, reach=9.0
        )

    tank = Piece(20, 16, kind="siege_tank_sieged", speed=0.0)
    banshee = Piece(18, 16, kind="banshee", walks=False)
    above = battle([viking(19.5), viking(20.5)], [tank])
    assert word(above, viking_modes(above)) == "viking_assault_mode"
    late = battle([viking(19.5), viking(12.0)], [tank])
    assert word(late, viking_modes(late)) == ""
    fight = battle([viking(19.5)], [tank, banshee])
    assert word(fight, viking_modes(fight)) == ""


def test_a_zone_lies_before_the_liberator_on_the_way() -> None:
    liberator = Piece(8, 16, kind="liberator", can=("liberator_defender_mode",), walks=False)
    view = battle([liberator], FAR, mission=HOLDS)
    orders = combine(view, liberator_zones(view))
    assert orders.kind[0, 0] == OrderKind.CAST
    assert orders.point[0, 0].tolist() == [13.5, 16.0]


def test_mines_dig_in_apart_from_each_other() -> None:
    field = [Piece(8, 16, kind="widow_mine", can=("burrow_widow_mine",)) for _ in range(3)]
    view = battle(field, FAR, mission=HOLDS)
    orders = combine(view, mines(view))
    assert (orders.kind[0] == OrderKind.MOVE).all()
    near = battle(field, [melee(14, 16)], mission=HOLDS)
    assert word(near, mines(near)) == "burrow_widow_mine"
