"""The most value for each shot."""

from terrarium.tactics.orders import combine
from terrarium.tactics.view import NOBODY
from terrarium.tactics.yamato import nearest_yamato, yamato
from tests.tactics.battlefield import Piece, battle


def ship(x: float, y: float, **changes: object) -> Piece:
    return Piece(x, y, kind="battlecruiser", can=("yamato",), walks=False, **changes)  # type: ignore[arg-type]


MARINE = Piece(14, 16, hp=45.0)
VIKING = Piece(18, 16, kind="viking_fighter", hp=135.0, hp_max=135.0)


def test_the_valuable_one_and_not_the_nearest() -> None:
    view = battle([ship(10, 16)], [MARINE, VIKING])
    assert combine(view, yamato(view)).target[0, 0] == 1
    assert combine(view, nearest_yamato(view)).target[0, 0] == 0


def test_no_target_is_booked_twice() -> None:
    view = battle([ship(10, 16), ship(10, 19)], [VIKING, MARINE])
    assert combine(view, yamato(view)).target[0].tolist() == [0, NOBODY]
    under_way = ship(10, 16, busy=True, casts="yamato", cast_target=0)
    view = battle([under_way, ship(10, 19)], [VIKING, MARINE])
    assert combine(view, yamato(view)).target[0, 1] == NOBODY


def test_a_shot_is_kept_when_only_small_fry_is_there() -> None:
    view = battle([ship(10, 16)], [MARINE])
    assert combine(view, yamato(view)).target[0, 0] == NOBODY


def test_what_is_out_of_range_is_left_alone() -> None:
    view = battle([ship(2, 16)], [VIKING])
    assert combine(view, yamato(view)).target[0, 0] == NOBODY
