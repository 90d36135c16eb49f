"""RequestAction: what units do, what is answered at once, what is told later."""

import math

import pytest
from s2clientprotocol import raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from tests.server.asking import ask
from tests.server.commanding import Client, unit_command

FREE = (30.5, 14.5)
"""free ground on the map, away from both starts"""


@pytest.mark.parametrize(
    ("unit", "ability", "aim", "shown"),
    [
        ("marine", 3794, "point", 16),
        ("marine", 16, "point", 16),
        ("marine", 3674, "point", 23),
        ("marine", 3795, "point", 17),
        ("marine", 3793, "none", 18),
        ("medivac", 3674, "point", 19),
        ("medivac", 23, "point", 19),
        ("battlecruiser", 3794, "point", 3776),
        ("battlecruiser", 16, "point", 3776),
    ],
)
def test_orders_show_the_exact_ability(unit: str, ability: int, aim: str, shown: int) -> None:
    client = Client(rich=False)
    tag = client.create(unit, 24.0, 14.0)
    assert client.tell(ability, tag, at=FREE if aim == "point" else None) == "Success"
    observation = client.step()
    assert client.orders(tag) == [shown]
    (echo,) = observation.actions
    assert echo.action_raw.unit_command.ability_id == shown
    assert list(echo.action_raw.unit_command.unit_tags) == [tag]
    assert echo.game_loop == 0
    assert not client.step().actions


def test_queued_commands_come_after_the_others() -> None:
    client = Client()
    tag = client.create("marine", 24.0, 14.0)
    for queued, at in ((False, (26.0, 14.0)), (True, (28.0, 14.0))):
        assert client.tell(16, tag, at=at, queued=queued) == "Success"
    client.tell(17, tag, at=FREE, queued=True)
    client.step()
    assert client.orders(tag) == [16, 16, 17]
    client.tell(4, tag)
    client.step()
    assert client.orders(tag) == []


def test_who_is_meant() -> None:
    client = Client()
    enemy, (scv, *_) = client.tags("drone", owner=2)[0], client.tags("scv")
    assert client.tell(16, 12345, at=FREE) == "Error"
    assert client.tell(16, at=FREE) == "Error"
    assert client.tell(16, enemy, at=FREE) == "YouCantControlThatUnit"
    assert client.tell(560, scv) == "NotSupported"
    assert client.tell(999_999, scv) == "NotSupported"
    assert client.tell(16, scv) == "Error"
    assert client.tell(16, scv, on=77) == "Error"
    assert client.tell(16, 12345, enemy, scv, at=FREE) == "Success"
    (echo,) = client.step().actions
    assert list(echo.action_raw.unit_command.unit_tags) == [scv]


@pytest.mark.parametrize("coordinate", [math.nan, math.inf, -math.inf, 1e30])
def test_what_is_no_place_is_an_error(coordinate: float) -> None:
    client = Client()
    scv = client.tags("scv")[0]
    for ability in (16, 23, 319, 1):
        assert client.tell(ability, scv, at=(coordinate, 3.0)) == "Error"
        assert client.tell(ability, scv, at=(3.0, coordinate)) == "Error"
    camera = raw_pb2.ActionRawCameraMove()
    camera.center_world_space.x = coordinate
    answers = client.act(api.Action(action_raw=raw_pb2.ActionRaw(camera_move=camera)))
    assert answers == ["Error" if not math.isfinite(coordinate) else "Success"]
    assert client.step().observation.game_loop == 1


def test_an_order_that_a_unit_carries_out_already_is_ignored() -> None:
    client = Client()
    tag = client.create("marine", 24.0, 14.0)
    client.tell(23, tag, at=FREE)
    assert len(client.step().actions) == 1
    assert client.tell(3674, tag, at=FREE) == "Success"
    assert not client.step().actions
    assert client.tell(23, tag, at=(31.0, 14.5)) == "Success"
    assert len(client.step().actions) == 1


def test_a_group_keeps_its_formation() -> None:
    client = Client()
    tags = [client.create("marine", 24.0 + 2.0 * k, 14.0) for k in range(3)]
    client.tell(16, *tags, at=(30.5, 30.5))
    client.step()
    goals = [client.game.sim.games.orders["x"][0, client.slot(tag), 0] for tag in tags]
    assert goals == pytest.approx([28.5, 30.5, 32.5], abs=0.2)


def test_one_of_several_producers_trains() -> None:
    client = Client()
    barracks = [client.create("barracks", 26.5, y) for y in (12.5, 18.5, 24.5)]
    client.step(2)
    train = unit_command(560, barracks)
    assert client.act(train, train, train, train) == ["Success"] * 4
    client.step()
    assert sorted(len(client.orders(tag)) for tag in barracks) == [1, 1, 2]


def test_one_worker_builds_and_the_price_is_taken_when_the_order_is_given() -> None:
    client = Client(rich=False)
    scvs = client.tags("scv")
    client.game.sim.players["minerals"][0, 1] = 100
    assert client.tell(319, *scvs, at=(16.0, 16.0)) == "Success"
    client.step()
    assert client.game.sim.players["minerals"][0, 1] == 0
    assert sum(319 in client.orders(tag) for tag in scvs) == 1
    assert client.tell(319, *scvs, at=(16.0, 12.0)) == "NotEnoughMinerals"


def test_stimpacks_are_for_all_and_snipes_for_one() -> None:
    client = Client()
    client.game.sim.research(0, 1, "stimpack")
    marines = [client.create("marine", 24.0, 14.0 + k) for k in range(3)]
    ghosts = [client.create("ghost", 26.0, 14.0 + k) for k in range(3)]
    enemy = client.create("marauder", 30.0, 14.0, owner=2)
    client.step(2)
    assert client.tell(3675, *marines) == "Success"
    assert client.tell(2714, *ghosts, on=enemy) == "Success"
    client.step()
    assert all(client.unit(tag)["hp"] == 35.0 for tag in marines)
    assert sum(bool(client.orders(tag)) for tag in ghosts) == 1


def test_two_actions_of_one_request_are_judged_by_the_same_state() -> None:
    """Both could be paid by themselves; the second is dropped, and nothing tells of it."""
    client = Client(rich=False)
    center = client.tags("command_center")[0]
    client.game.sim.players["minerals"][0, 1] = 50
    train = unit_command(524, [center])
    assert client.act(train, train) == ["Success", "Success"]
    observation = client.step()
    assert not observation.action_errors
    assert len(observation.actions) == 1


def test_a_builder_whose_place_is_taken_tells_of_it_later() -> None:
    client = Client()
    scv = client.tags("scv")[0]
    assert client.tell(319, scv, at=(30.0, 14.0)) == "Success"
    client.step()
    client.create("siege_tank_sieged", 30.0, 14.0, owner=2)
    errors = []
    for _ in range(20):
        errors += client.step(8).action_errors
    assert [(e.unit_tag, e.ability_id, e.result) for e in errors] == [(scv, 319, 44)]
    assert client.game.sim.players["minerals"][0, 1] >= 10_000


def test_the_camera_moves_and_is_echoed() -> None:
    client = Client()
    camera = raw_pb2.ActionRawCameraMove()
    camera.center_world_space.x, camera.center_world_space.y = 30.0, 20.0
    assert client.act(api.Action(action_raw=raw_pb2.ActionRaw(camera_move=camera))) == ["Success"]
    (echo,) = client.step().actions
    assert echo.action_raw.camera_move.center_world_space.x == 30.0
    assert client.game.camera == (30.0, 20.0)


def test_empty_actions_chat_and_actions_on_pictures() -> None:
    client = Client()
    chat = api.Action(action_chat=api.ActionChat(message="gl hf"))
    picture = api.Action()
    picture.action_feature_layer.camera_move.center_minimap.x = 1
    interface = api.Action()
    interface.action_ui.select_army.SetInParent()
    answers = client.act(api.Action(), chat, picture, interface)
    assert answers == ["Success", "Success", "NotSupported", "NotSupported"]
    assert [line.message for line in client.step().chat] == ["gl hf"]


def test_too_many_commands_are_refused_together_and_nothing_is_lost() -> None:
    client = Client()
    scvs = client.tags("scv")
    many = [unit_command(16, scvs, at=FREE)] * 400
    response = ask(client.session, action=api.RequestAction(actions=many))
    assert "4096" in response.error[0]
    assert client.tell(16, *scvs, at=FREE) == "Success"
    assert len(client.step().actions) == 1


def test_a_right_click_is_echoed_as_such_and_becomes_an_order() -> None:
    client = Client()
    marine, scv = client.create("marine", 24.0, 14.0), client.tags("scv")[0]
    mineral = client.tags("mineral_field", owner=0)[0]
    client.tell(1, marine, at=FREE)
    client.tell(1, scv, on=mineral)
    echoes = client.step().actions
    assert [echo.action_raw.unit_command.ability_id for echo in echoes] == [1, 1]
    assert client.orders(marine) == [16]
    assert client.orders(scv) == [295]


def test_a_mule_comes_down_on_a_field_that_is_seen_and_gathers() -> None:
    """As bots call it: by the tag of a field, which nobody can attack."""
    client = Client()
    orbital = client.create("orbital_command", 30.5, 14.5)
    (center,) = client.tags("command_center")
    hall = client.unit(center)
    fields = client.tags("mineral_field", owner=0)
    fields.sort(key=lambda tag: math.dist(place(client, tag), (hall["x"], hall["y"])))
    client.game.sim.units["energy"][0, client.slot(orbital)] = 120.0
    assert client.tell(171, orbital, on=fields[-1]) == "CantTargetThatUnit"  # in the fog
    assert client.tell(171, orbital, on=fields[0]) == "Success"
    seen = client.step(70)
    assert client.unit(orbital)["energy"] < 75.0
    (mule,) = (u for u in seen.observation.raw_data.units if u.unit_type == 268)
    assert [order.ability_id for order in mule.orders] == [166]
    assert mule.orders[0].target_unit_tag == fields[0]


def place(client: Client, tag: int) -> tuple[float, float]:
    unit = client.unit(tag)
    return float(unit["x"]), float(unit["y"])
