"""What actions are answered: a case for each ActionResult that the rules can come to."""

from collections.abc import Callable

import pytest
from s2clientprotocol import error_pb2

from terrarium.engine.codes import NEEDS_NO_TECH, RESULT_NAMES
from tests.server.commanding import Client

HERE = (30.5, 14.5)
FAR = (12.5, 36.5)
"""in the fog"""


def purse(client: Client, minerals: float, vespene: float) -> None:
    client.game.sim.players["minerals"][0, 1] = minerals
    client.game.sim.players["vespene"][0, 1] = vespene


def with_techs(client: Client) -> None:
    client.game.sim.players["techs"][0, 1] = (1 << 62) - 1


def made(client: Client, name: str, *at: float, owner: int = 1) -> int:
    tag = client.create(name, *(at or HERE), owner=owner)
    client.step(4)
    return tag


def train(client: Client) -> str:
    return client.tell(560, made(client, "barracks"))


def train_too_much(client: Client) -> str:
    barracks = made(client, "barracks")
    for _ in range(5):
        client.tell(560, barracks)
        client.step()
    return client.tell(560, barracks)


def train_for_nothing(client: Client) -> str:
    purse(client, 0, 0)
    return train(client)


def research_without_gas(client: Client) -> str:
    purse(client, 1000, 0)
    return client.tell(652, made(client, "engineering_bay"))


def train_without_supply(client: Client) -> str:
    for k in range(3):
        client.create("marine", 20.0 + k, 20.0)
    return train(client)


def stim_the_dying(client: Client) -> str:
    with_techs(client)
    marine = made(client, "marine")
    client.game.sim.units["hp"][0, client.slot(marine)] = 5.0
    return client.tell(380, marine)


def cast_without_energy(client: Client) -> str:
    ghost = made(client, "ghost")
    client.game.sim.units["energy"][0, client.slot(ghost)] = 0.0
    return client.tell(1628, ghost, at=HERE)


def blink_twice(client: Client) -> str:
    with_techs(client)
    stalker = made(client, "stalker")
    client.tell(1442, stalker, at=(33.5, 14.5))
    client.step(8)
    return client.tell(1442, stalker, at=HERE)


def scan_into_nothing(client: Client) -> str:
    with_techs(client)
    return client.tell(1442, made(client, "stalker"), at=FAR)


def heal_a_machine(client: Client) -> str:
    medivac = made(client, "medivac")
    return client.tell(386, medivac, on=made(client, "siege_tank", 33.0, 14.0))


def build(client: Client, ability: int, at: tuple[float, float], by: str = "scv") -> str:
    return client.tell(ability, made(client, by, 27.0, 14.0), at=at)


def build_on_minerals(client: Client) -> str:
    field = client.unit(client.tags("mineral_field", owner=0)[0])
    return build(client, 319, (field["x"], field["y"]))


def near_a_field(client: Client, ability: int, unit: int) -> str:
    """The answer for a place so near that a townhall is refused because of the field."""
    (hall,) = client.tags("command_center")
    x, y = float(client.unit(hall)["x"]), float(client.unit(hall)["y"])
    client.game.sim.remove(0, client.slot(hall))
    client.create("overlord", x, y)
    client.step(4)
    fields = map(client.unit, client.tags("mineral_field", owner=0))
    field = min(fields, key=lambda one: abs(one["x"] - x) + abs(one["y"] - y))
    answers = []
    for dx in range(-6, 7):
        for dy in range(-6, 7):
            at = (float(field["x"]) + dx, float(field["y"]) + dy)
            answers.append(client.tell(ability, unit, at=at))
    (found,) = {answer for answer in answers if answer.endswith("TooCloseToResources")}
    return found


def build_a_townhall_at_minerals(client: Client) -> str:
    return near_a_field(client, 318, made(client, "scv", 27.0, 14.0))


def build_a_refinery_on_minerals(client: Client) -> str:
    field = client.tags("mineral_field", owner=0)[0]
    return client.tell(320, made(client, "scv"), on=field)


def build_without_tech(client: Client, ability: int, by: str) -> str:
    client.game.sim.players["cheats"][0, 1] = NEEDS_NO_TECH
    return build(client, ability, HERE, by)


def build_on_creep(client: Client) -> str:
    client.game.sim.games.creep[0] += 1
    return build(client, 319, (30.0, 14.0))


def summon_a_worm_in_the_fog(client: Client) -> str:
    return client.tell(1768, made(client, "nydus_network"), at=FAR)


def land(client: Client, at: tuple[float, float]) -> str:
    return client.tell(554, made(client, "barracks_flying"), at=at)


def land_on_a_structure(client: Client) -> str:
    made(client, "supply_depot", 36.0, 14.0)
    return land(client, (36.5, 14.5))


def land_on_creep(client: Client) -> str:
    client.game.sim.games.creep[0] += 1
    return land(client, HERE)


def land_a_townhall_at_minerals(client: Client) -> str:
    return near_a_field(client, 419, made(client, "command_center_flying"))


def plant_far_away(client: Client) -> str:
    client.game.sim.games.creep[0] += 1
    tumor = made(client, "creep_tumor_burrowed")
    return client.tell(1733, tumor, at=(HERE[0], HERE[1] + 14.0))


CASES: dict[str, Callable[[Client], str]] = {
    "Success": train,
    "NotSupported": lambda c: c.tell(560, made(c, "marine")),
    "Error": lambda c: c.tell(16, 12345, at=HERE),
    "Cooldown": blink_twice,
    "QueueIsFull": train_too_much,
    "NotEnoughMinerals": train_for_nothing,
    "NotEnoughVespene": research_without_gas,
    "NotEnoughFood": train_without_supply,
    "NotEnoughLife": stim_the_dying,
    "NotEnoughEnergy": cast_without_energy,
    "CantTargetThatUnit": heal_a_machine,
    "BuildTechRequirementsNotMet": lambda c: build(c, 321, HERE),
    "CantFindPlacementLocation": build_on_minerals,
    "CantBuildOnThat": build_a_refinery_on_minerals,
    "CantSeeBuildLocation": summon_a_worm_in_the_fog,
    "CantBuildTooCloseToCreepSource": build_on_creep,
    "CantBuildTooCloseToResources": build_a_townhall_at_minerals,
    "CantBuildTooFarFromCreepSource": lambda c: build_without_tech(c, 1155, "drone"),
    "CantBuildTooFarFromBuildPowerSource": lambda c: build_without_tech(c, 883, "probe"),
    "CantLandLocationInvalid": land_on_a_structure,
    "CantLandTooCloseToCreepSource": land_on_creep,
    "CantLandTooCloseToResources": land_a_townhall_at_minerals,
    "TechRequirementsNotMet": lambda c: c.tell(380, made(c, "marine")),
    "MustTargetVisibleLocation": scan_into_nothing,
    "YouCantControlThatUnit": lambda c: c.tell(16, made(c, "zealot", owner=2), at=HERE),
    "TargetIsOutOfRange": plant_far_away,
}
ELSEWHERE = {
    "": "no order was given",
    "CantQueueThatOrder": "of warp gates and forms that change while a client looks away",
    "CantBuildLocationInvalid": "told later, in test_actions.py",
    "CouldntReachTarget": "told later, below",
}


@pytest.mark.parametrize("answer", CASES)
def test_each_result_has_its_case(answer: str) -> None:
    assert CASES[answer](Client(map_path="Flat64.SC2Map")) == answer


def test_all_results_of_the_rules_are_told_and_have_the_numbers_of_the_api() -> None:
    assert set(RESULT_NAMES.values()) == {*CASES, *ELSEWHERE}
    for number, name in RESULT_NAMES.items():
        assert not name or error_pb2.ActionResult.Value(name) == number


def test_a_builder_who_cannot_come_there_tells_of_it() -> None:
    client = Client(map_path="Flat64.SC2Map")
    x, y = 30.0, 14.0
    scv = client.create("scv", x, y)
    ring = [(dx, dy) for dx in (-2, 0, 2) for dy in (-2, 0, 2) if dx or dy]
    for dx, dy in ring:
        client.create("supply_depot", x + dx, y + dy)
    client.step(2)
    assert client.tell(319, scv, at=(40.0, 14.0)) == "Success"
    errors = []
    for _ in range(20):
        errors += client.step(16).action_errors
    assert [(e.unit_tag, e.ability_id, e.result) for e in errors] == [(scv, 319, 208)]
