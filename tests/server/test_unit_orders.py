"""What units do, as an observation lists it."""

from s2clientprotocol import raw_pb2

from terrarium.engine import codes
from tests.server.looking import Watched


def listed(watched: Watched, slot: int) -> list[raw_pb2.UnitOrder]:
    return list(watched.unit(slot).orders)


def test_workers_gather_from_the_first_loop_on() -> None:
    watched = Watched()
    worker = watched.first("scv")
    (order,) = listed(watched, worker)
    field = int(watched.sim.games.orders["target"][0, worker, 0])
    assert (order.ability_id, order.target_unit_tag) == (295, watched.tag(field))


def carrier(watched: Watched) -> int:
    """The first worker that brings what it has gathered."""
    while watched.sim.ticks[0] < 300:
        watched.step()
        phases, owners = watched.sim.games.workers["phase"][0], watched.sim.units["owner"][0]
        returning = (phases == codes.RETURNING) & (owners == 1)
        if returning.any():
            return int(returning.argmax())
    raise AssertionError("no worker has gathered anything")


def test_workers_with_cargo_are_on_their_way_to_the_townhall() -> None:
    watched = Watched()
    (order,) = listed(watched, carrier(watched))
    assert order.ability_id == 296
    assert order.target_unit_tag == watched.tag(watched.first("command_center"))


def test_workers_may_be_told_to_return_cargo_after_something_else() -> None:
    watched = Watched()
    worker, hall = carrier(watched), watched.first("command_center")
    watched.sim.order(0, worker, codes.MOVE, watched.beside(hall, 0, 7))
    watched.sim.order(0, worker, codes.RETURN_CARGO, queued=True)
    watched.step()
    moving, returning = listed(watched, worker)
    assert (moving.ability_id, returning.ability_id) == (16, 296)
    assert returning.target_unit_tag == watched.tag(hall)


def test_points_are_cut_to_the_fixed_point_of_the_game() -> None:
    watched = Watched()
    worker, (x, y) = watched.first("scv"), watched.game.map.ground.starts[0]
    watched.sim.order(0, worker, codes.MOVE, (x + 3.3, y + 7.7))
    watched.sim.order(0, worker, codes.HOLD, queued=True)
    watched.step()
    moving, holding = listed(watched, worker)
    goal = moving.target_world_space_pos
    assert moving.ability_id == 16
    assert (goal.x, goal.y) == (int((x + 3.3) * 4096) / 4096, int((y + 7.7) * 4096) / 4096)
    assert not moving.HasField("target_unit_tag")
    assert holding.ability_id == 18
    assert holding.WhichOneof("target") is None


def test_queues_show_what_is_made_and_how_far_it_is() -> None:
    watched = Watched()
    hall = watched.first("command_center")
    for _ in range(3):
        watched.sim.produce(0, hall, "scv")
    watched.step(137)
    first, *others = listed(watched, hall)
    assert 0.45 < first.progress < 0.55
    assert {order.ability_id for order in (first, *others)} == {524}
    assert [order.progress for order in others] == [0.0, 0.0]


def test_builders_show_what_they_build() -> None:
    watched = Watched()
    worker, hall = watched.first("scv"), watched.first("command_center")
    hall_x, hall_y = watched.place_of(hall)
    watched.sim.build(0, worker, "supply_depot", watched.beside(hall, 0, 7))
    watched.sim.order(0, worker, codes.MOVE, watched.beside(hall, 3, 8), queued=True)
    watched.step()
    order, after = listed(watched, worker)
    place = order.target_world_space_pos
    assert (order.ability_id, after.ability_id) == (319, 16)
    assert (place.x, place.y) == (hall_x + 0.5, hall_y + 7.5)  # on the grid
    while order.WhichOneof("target") != "target_unit_tag":
        watched.step(8)
        assert watched.sim.ticks[0] < 400
        order, after = listed(watched, worker)
    assert (order.ability_id, after.ability_id) == (319, 16)
    assert order.target_unit_tag == watched.tag(watched.first("supply_depot"))
