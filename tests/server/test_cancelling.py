"""What breaks production off: answers, offers and echoes as measured in the real game."""

import pytest
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.api.catalog import api_abilities
from tests.server.commanding import Client, unit_command

HERE = (30.5, 14.5)
CANCEL, CANCEL_LAST, CANCEL_SLOT = 3659, 3671, 3672
CANCELS = {
    number
    for number, ability in api_abilities().items()
    if ability.remaps_to in (CANCEL, CANCEL_LAST, CANCEL_SLOT)
}


def busy(name: str, *orders: int, **options: float) -> tuple[Client, int]:
    """A structure that has been told to make things."""
    client = Client()
    client.create("pylon", 30.0, 18.0)
    client.game.sim.players["techs"][0, 1] = 0
    client.game.sim.players["cheats"][0, 1] = 1 << 10  # tech_tree
    structure = client.create(name, *HERE)
    client.step(4)
    for order in orders:
        assert client.tell(order, structure) == "Success"
    client.step(2)
    return client, structure


def n_items(client: Client, structure: int) -> int:
    return int(client.game.sim.games.producers["n_items"][0, client.slot(structure)])


def cancels(client: Client, unit: int) -> set[int]:
    return CANCELS & set(client.offers(unit))


def test_a_queue_is_cancelled_from_its_end() -> None:
    client, barracks = busy("barracks", 560, 561, 560)
    for ability in (CANCEL_LAST, 306):
        before = n_items(client, barracks)
        assert client.tell(ability, barracks) == "Success"
        (echo,) = client.step().actions
        assert echo.action_raw.unit_command.ability_id == 306
        assert n_items(client, barracks) == before - 1


@pytest.mark.parametrize(
    ("ability", "answer"),
    [
        (CANCEL, "Error"),
        (CANCEL_SLOT, "Error"),
        (307, "NotSupported"),
        (309, "NotSupported"),
        (308, "NotSupported"),
        (312, "NotSupported"),
        (1831, "NotSupported"),
    ],
)
def test_no_other_cancel_fits_a_queue(ability: int, answer: str) -> None:
    """Places in the midst of it are for the panel of a selection, which comes with the layers."""
    client, barracks = busy("barracks", 560, 560)
    assert client.tell(ability, barracks) == answer
    client.step()
    assert n_items(client, barracks) == 2


def test_more_cancels_than_items_are_dropped_without_an_error() -> None:
    client, barracks = busy("barracks", 560, 560)
    last = unit_command(CANCEL_LAST, [barracks])
    assert client.act(last, last, last) == ["Success"] * 3
    seen = client.step()
    assert not seen.action_errors
    assert len(seen.actions) == 2
    assert n_items(client, barracks) == 0
    assert client.tell(CANCEL_LAST, barracks) == "Error"


MADE = [
    ("barracks", 560, 306),
    ("engineering_bay", 652, 306),
    ("robotics_facility", 976, 306),
    ("forge", 1062, 306),
    ("evolution_chamber", 1186, 306),
    ("command_center", 524, 308),
    ("orbital_command", 524, 308),
    ("hatchery", 1632, 308),
    ("nexus", 1006, 1831),
    ("planetary_fortress", 524, 1833),
    ("command_center", 1516, 1517),
    ("command_center", 1450, 1451),
    ("hatchery", 1216, 1217),
    ("lair", 1218, 1219),
    ("spire", 1220, 1221),
    ("barracks", 421, 451),
    ("factory", 455, 484),
    ("starport", 487, 517),
]


@pytest.mark.parametrize(("name", "order", "cancel"), MADE)
def test_a_structure_is_offered_the_cancel_of_what_it_makes(
    name: str, order: int, cancel: int
) -> None:
    client, structure = busy(name)
    assert cancels(client, structure) == set()
    assert client.tell(order, structure) == "Success"
    client.step(2)
    assert cancels(client, structure) == {cancel}
    if cancel not in (306, 308, 1831, 1833):
        assert client.tell(CANCEL_LAST, structure) == "Error"
    assert client.tell(cancel, structure) == "Success"
    (echo,) = client.step().actions
    assert echo.action_raw.unit_command.ability_id == cancel
    assert cancels(client, structure) == set()


def test_what_a_request_cannot_pay_for_any_more_is_dropped_without_an_error() -> None:
    client, center = busy("command_center")
    (other,) = (tag for tag in client.tags("command_center") if tag != center)
    client.game.sim.players["minerals"][0, 1] = 50.0
    train = [unit_command(524, [tag]) for tag in (center, other)]
    assert client.act(*train) == ["Success", "Success"]
    seen = client.step()
    assert not seen.action_errors
    assert [list(a.action_raw.unit_command.unit_tags) for a in seen.actions] == [[center]]
    assert n_items(client, center) + n_items(client, other) == 1


def test_a_cancel_pays_for_nothing_in_the_same_request() -> None:
    client, center = busy("command_center", 524)
    client.game.sim.players["minerals"][0, 1] = 5.0
    actions: list[api.Action] = [unit_command(a, [center]) for a in (CANCEL_LAST, 524)]
    assert client.act(*actions) == ["Success", "NotEnoughMinerals"]
    client.step()
    assert client.tell(524, center) == "Success"
