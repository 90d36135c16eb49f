"""Every family of abilities as clients use it, from the command to what comes of it."""

import pytest
from s2clientprotocol import raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.server.translate.ids import snapshot_tag
from tests.server.commanding import Client

HERE = (30.5, 14.5)
"""free ground on the map, away from both starts"""


def on_creep_and_in_power(client: Client) -> None:
    """All of the map, for player 1."""
    client.game.sim.games.creep[0] += 1


def pylon_at(client: Client, x: float, y: float) -> None:
    client.create("pylon", x, y)
    client.step(2)


def toggle(ability: int, *tags: int) -> api.Action:
    raw = raw_pb2.ActionRawToggleAutocast(ability_id=ability, unit_tags=tags)
    return api.Action(action_raw=raw_pb2.ActionRaw(toggle_autocast=raw))


def hurt(client: Client, tag: int, hp: float) -> None:
    client.game.sim.units["hp"][0, client.slot(tag)] = hp


# Workers.


def test_workers_gather_and_return() -> None:
    client = Client()
    scv, mineral = client.tags("scv")[0], client.tags("mineral_field", owner=0)[0]
    for ability in (3666, 295):
        assert client.tell(ability, scv, on=mineral) == "Success"
        client.step()
        assert client.orders(scv) == [295]
    assert client.tell(3667, scv) == "NotSupported"  # it carries nothing
    assert client.tell(3666, scv, at=HERE) == "Error"
    assert client.tell(3666, scv, on=client.tags("command_center")[0]) == "CantTargetThatUnit"
    client.game.sim.games.workers["cargo"][0, client.slot(scv)] = 5.0
    client.tell(4, scv)
    assert client.tell(3667, scv) == "Success"
    client.step()
    assert client.orders(scv) == [296]


def test_a_structure_is_built_halted_taken_up_again_and_cancelled() -> None:
    client = Client()
    scv = client.create("scv", 27.0, 14.0)
    assert client.tell(319, scv, at=(30.0, 14.0)) == "Success"
    client.step(30)
    (depot,) = client.tags("supply_depot")
    assert client.orders(scv) == [319]
    assert client.tell(3660, scv) == "Success"
    client.step()
    assert client.orders(scv) == []
    assert client.tell(3660, scv) == "NotSupported"
    assert client.tell(315, depot) == "NotSupported"
    assert client.tell(1, scv, on=depot) == "Success"
    client.step()
    assert client.orders(scv) == [319]
    assert client.tell(315, depot) == "Success"  # by the structure
    client.step()
    assert client.orders(scv) == []
    minerals = client.game.sim.players["minerals"][0, 1]
    assert client.tell(314, depot) == "Success"
    client.step()
    assert client.tags("supply_depot") == []
    assert client.game.sim.players["minerals"][0, 1] == minerals + 75


def test_gas_is_built_on_a_geyser() -> None:
    client = Client()
    scv, geyser = client.tags("scv")[0], client.tags("vespene_geyser", owner=0)[0]
    assert client.tell(320, scv, at=HERE) == "Error"
    mineral = client.tags("mineral_field", owner=0)[0]
    assert client.tell(320, scv, on=mineral) == "CantBuildOnThat"
    assert client.tell(320, scv, on=geyser) == "Success"
    client.step(200)
    assert len(client.tags("refinery")) == 1


def test_what_is_hurt_is_repaired_by_order_by_a_right_click_and_by_itself() -> None:
    client = Client()
    scv, tank = client.create("scv", 27.0, 14.0), client.create("siege_tank", 30.0, 14.0)
    assert client.tell(316, scv, on=tank) == "CantTargetThatUnit"
    for ability in (316, 3685, 1):
        hurt(client, tank, 100.0)
        client.tell(4, scv)
        assert client.tell(ability, scv, on=tank) == "Success"
        client.step(60)
        assert client.unit(tank)["hp"] > 100.0
    hurt(client, tank, 100.0)
    client.tell(4, scv)
    assert client.act(toggle(3685, scv)) == ["Success"]
    (echo,) = [a for a in client.step().actions if a.action_raw.HasField("toggle_autocast")]
    assert echo.action_raw.toggle_autocast.ability_id == 316
    client.step(60)
    assert client.unit(tank)["hp"] > 100.0


# Production.


def test_a_queue_has_room_for_five_and_loses_the_last() -> None:
    client = Client()
    barracks = client.create("barracks", *HERE)
    client.step(2)
    for _ in range(5):
        assert client.tell(560, barracks) == "Success"
        client.step()
    assert client.tell(560, barracks) == "QueueIsFull"
    assert client.tell(3671, barracks) == "Success"
    client.step()
    assert client.orders(barracks) == [560] * 4
    assert client.tell(563, barracks) == "TechRequirementsNotMet"


def test_supply_and_minerals_are_asked_for() -> None:
    client = Client(rich=False)
    center = client.tags("command_center")[0]
    client.game.sim.players["minerals"][0, 1] = 49
    assert client.tell(524, center) == "NotEnoughMinerals"
    client.game.sim.players["minerals"][0, 1] = 500
    for _ in range(5):
        client.create("scv", *HERE)
    client.step()
    assert client.tell(524, center) == "NotEnoughFood"


def test_an_addon_is_built_beside_its_producer_or_where_that_lands() -> None:
    client = Client()
    barracks = client.create("barracks", 36.5, 12.5)
    client.step(2)
    assert client.tell(3682, barracks) == "Success"
    client.step(30)
    assert len(client.tags("barracks_tech_lab")) == 1
    assert client.tell(560, barracks) == "NotSupported"
    assert client.tell(451, barracks) == "Success"
    client.step()
    assert client.tags("barracks_tech_lab") == []
    assert client.tell(421, barracks, at=(36.5, 16.5)) == "Success"
    client.step()
    assert client.orders(barracks)[-1] == 421
    client.step(250)
    (lab,) = client.tags("barracks_tech_lab")
    assert (client.unit(lab)["x"], client.unit(lab)["y"]) == (39.0, 16.0)


def test_structures_lift_off_and_land() -> None:
    client = Client()
    barracks = client.create("barracks", *HERE)
    client.step(2)
    assert client.tell(3679, barracks) == "Success"
    client.step(50)
    assert client.game.sim.names[client.unit(barracks)["kind"]] == "barracks_flying"
    assert client.tell(3678, barracks, at=(19.5, 19.5)) == "CantLandLocationInvalid"
    assert client.tell(3678, barracks, at=(36.5, 12.5)) == "Success"
    client.step(200)
    assert client.game.sim.names[client.unit(barracks)["kind"]] == "barracks"
    assert client.unit(barracks)["y"] == 12.5


def test_research_goes_to_one_of_several() -> None:
    client = Client()
    bays = [client.create("engineering_bay", 30.5, y) for y in (12.5, 18.5)]
    client.step(2)
    assert client.tell(3698, *bays) == "Success"
    client.step()
    assert sorted(client.orders(tag) for tag in bays) == [[], [652]]
    assert client.tell(652, *bays) == "NotSupported"
    assert client.tell(653, *bays) == "TechRequirementsNotMet"


def test_a_townhall_becomes_another_one_and_takes_it_back() -> None:
    client = Client()
    (center,) = client.tags("command_center")
    assert client.tell(1516, center) == "TechRequirementsNotMet"
    client.create("barracks", *HERE)
    client.step(2)
    assert client.tell(1516, center) == "Success"
    client.step()
    assert client.orders(center) == [1516]
    assert client.tell(3671, center) == "Error"
    assert client.tell(3659, center) == "Success"
    client.step()
    assert client.orders(center) == []


def test_larvae_hatch_one_for_each_command() -> None:
    client = Client()
    on_creep_and_in_power(client)
    hatchery = client.create("hatchery", *HERE)
    client.step(4)
    larvae = [client.create("larva", 30.0 + k, 11.0) for k in range(3)]
    assert client.tell(1342, *larvae) == "Success"
    client.step()
    eggs = client.tags("egg")
    assert len(eggs) == 1
    assert client.orders(eggs[0]) == [1342]
    assert client.tell(1, hatchery, at=(24.0, 14.0)) == "Success"


def test_a_warp_gate_warps_in_where_there_is_power() -> None:
    client = Client()
    pylon_at(client, 30.0, 14.0)
    gate = client.create("warp_gate", 30.5, 18.5)
    client.step(10)
    assert client.tell(1413, gate, at=(36.0, 30.0)) == "CantBuildTooFarFromBuildPowerSource"
    assert client.tell(1413, gate) == "Error"
    assert client.tell(1413, gate, at=(27.0, 14.0)) == "Success"
    client.step()
    (zealot,) = client.tags("zealot")
    assert client.tell(1413, gate, at=(27.0, 12.0)) == "Cooldown"
    assert client.tell(314, zealot) == "Success"
    client.step()
    assert client.tags("zealot") == []


def test_a_gateway_changes_by_itself_unless_that_is_switched_off() -> None:
    client = Client()
    pylon_at(client, 30.0, 14.0)
    client.game.sim.research(0, 1, "warp_gate_research")
    gates = [client.create("gateway", 30.5, y) for y in (10.5, 18.5)]
    assert client.act(toggle(1518, gates[0])) == ["Success"]
    client.step(30)
    assert client.orders(gates[0]) == []
    assert client.orders(gates[1]) == [1518]


def test_two_templar_become_an_archon_by_one_command() -> None:
    client = Client()
    templar = [client.create("high_templar", 28.0 + k, 14.0) for k in range(4)]
    assert client.tell(1766, *templar) == "Success"
    client.step(60)
    assert len(client.tags("archon")) == 2


# Rally points.


@pytest.mark.parametrize("ability", [3673, 195, 1])
def test_structures_have_rally_points(ability: int) -> None:
    client = Client()
    barracks, marine = client.create("barracks", *HERE), client.create("marine", 26.0, 14.0)
    client.step(2)
    producers = client.game.sim.games.producers
    assert client.tell(ability, barracks, at=(33.0, 20.0)) == "Success"
    client.step()
    assert producers["rally_x"][0, client.slot(barracks), codes.OF_UNITS] == 33.0
    assert client.tell(ability, barracks, on=marine) == "Success"
    client.step()
    target = producers["rally_target"][0, client.slot(barracks), codes.OF_UNITS]
    assert target == client.slot(marine)


def test_townhalls_send_their_workers_to_minerals() -> None:
    client = Client()
    (center,), mineral = client.tags("command_center"), client.tags("mineral_field", owner=0)[-1]
    for ability in (3690, 203):
        assert client.tell(ability, center, on=mineral) == "Success"
    assert client.tell(3690, client.tags("scv")[0], on=mineral) == "Error"
    client.step()
    producers = client.game.sim.games.producers
    target = producers["rally_target"][0, client.slot(center), codes.OF_WORKERS]
    assert target == client.slot(mineral)


# Transports.


@pytest.mark.parametrize("order", ["load", "board", "take in"])
def test_units_are_loaded_and_unloaded(order: str) -> None:
    client = Client()
    medivac = client.create("medivac", *HERE)
    marines = [client.create("marine", 28.0, 13.0 + k) for k in range(3)]
    if order == "load":
        for k, tag in enumerate(marines):
            assert client.tell(394, medivac, on=tag, queued=k > 0) == "Success"
            client.step()
    elif order == "board":
        assert client.tell(1, *marines, on=medivac) == "Success"
    else:
        for k, tag in enumerate(marines):
            assert client.tell(1, medivac, on=tag, queued=k > 0) == "Success"
            client.step()
    client.step(150)
    assert client.tags("marine") == []
    assert client.tell(3669, medivac, at=(33.0, 14.0)) == "Success"
    client.step(250)
    assert sorted(client.tags("marine")) == sorted(marines)
    assert client.tell(3669, medivac, at=(33.0, 14.0)) == "NotSupported"


def test_marines_man_a_bunker_and_leave_it() -> None:
    client = Client()
    bunker = client.create("bunker", *HERE)
    marines = [client.create("marine", 27.0, 13.0 + k) for k in range(4)]
    client.step(2)
    assert client.tell(1, *marines, on=bunker) == "Success"
    client.step(100)
    assert client.tags("marine") == []
    assert client.tell(32, bunker) == "NotSupported"  # nobody salvages a full bunker
    assert client.tell(408, bunker) == "Success"
    client.step(60)
    assert len(client.tags("marine")) == 4
    assert client.tell(32, bunker) == "Success"


# Casts and modes.


def test_modes_burrowing_and_cloak() -> None:
    client = Client()
    tank, banshee = client.create("siege_tank", *HERE), client.create("banshee", 26.0, 14.0)
    roach = client.create("roach", 24.0, 16.0)
    sim = client.game.sim
    assert client.tell(388, tank) == "Success"
    assert client.tell(3676, banshee) == "TechRequirementsNotMet"
    assert client.tell(3661, roach) == "TechRequirementsNotMet"
    sim.players["techs"][0, 1] = (1 << 62) - 1
    sim.units["energy"][0, client.slot(banshee)] = 100.0
    assert client.tell(3676, banshee) == "Success"
    assert client.tell(3661, roach) == "Success"
    client.step(100)
    assert sim.names[client.unit(tank)["kind"]] == "siege_tank_sieged"
    assert sim.names[client.unit(roach)["kind"]] == "roach_burrowed"
    assert client.unit(banshee)["status"] & codes.CLOAKED
    assert client.tell(3677, banshee) == "Success"
    assert client.tell(390, tank) == "Success"
    assert client.tell(3662, roach) == "Success"
    client.step(100)
    assert sim.names[client.unit(tank)["kind"]] == "siege_tank"
    assert not client.unit(banshee)["status"] & codes.CLOAKED


def test_spells_ask_for_energy_and_targets() -> None:
    client = Client()
    templar = client.create("high_templar", *HERE)
    other = client.create("high_templar", 31.5, 14.5)
    sim = client.game.sim
    sim.players["techs"][0, 1] = (1 << 62) - 1
    for tag in (templar, other):
        sim.units["energy"][0, client.slot(tag)] = 20.0
    client.step()
    assert client.tell(1036, templar, other, at=(33.0, 14.0)) == "NotEnoughEnergy"
    assert client.tell(1036, templar) == "Error"
    for tag in (templar, other):
        sim.units["energy"][0, client.slot(tag)] = 200.0
    assert client.tell(1036, templar, other, at=(36.0, 14.5)) == "Success"
    client.step()
    assert client.orders(other) == [1036]  # the nearer one of the two
    assert client.orders(templar) == []
    client.step(30)
    assert sim.units["energy"][0, client.slot(other)] < 130.0


def test_queens_inject_and_plant_one_of_several() -> None:
    client = Client()
    on_creep_and_in_power(client)
    hatchery = client.create("hatchery", 30.5, 16.5)
    queens = [client.create("queen", x, 11.0) for x in (27.0, 29.0)]
    client.step(4)
    for tag in queens:
        client.game.sim.units["energy"][0, client.slot(tag)] = 25.0
    assert client.tell(251, *queens, on=hatchery) == "Success"
    client.step(60)
    energy = [float(client.unit(tag)["energy"]) for tag in queens]
    assert sum(e < 20.0 for e in energy) == 1
    assert client.tell(1694, *queens, at=(26.0, 9.0)) == "Success"
    client.step(80)
    (tumor,) = [*client.tags("creep_tumor_queen"), *client.tags("creep_tumor")]
    assert client.tell(1733, tumor, at=(26.0, 12.0)) in ("NotSupported", "Cooldown")


def test_a_medivac_heals_by_itself_unless_that_is_switched_off() -> None:
    client = Client()
    medivac, marine = client.create("medivac", *HERE), client.create("marine", 31.0, 14.0)
    hurt(client, marine, 10.0)
    assert client.act(toggle(386, medivac)) == ["Success"]
    client.step(20)
    assert client.unit(marine)["hp"] == 10.0
    assert client.act(toggle(386, medivac)) == ["Success"]
    client.step(20)
    assert client.unit(marine)["hp"] > 10.0
    assert client.act(toggle(380, marine)) == ["NotSupported"]
    assert client.act(toggle(386, 99)) == ["Error"]


def test_a_fogged_structure_is_attacked_by_the_tag_of_its_copy() -> None:
    client = Client()
    marine = client.create("marine", 24.0, 14.0)
    depot = client.create("supply_depot", 38.0, 14.0, owner=2)
    watcher = client.create("overlord", 36.0, 14.0)
    client.step(4)
    client.game.sim.remove(0, client.slot(watcher))
    client.step(120)
    memories = client.game.sim.games.memories["n_snapshots"][0, 1]
    snapshots = client.game.sim.games.snapshots[0, 1, : int(memories)]
    (number,) = snapshots["number"][snapshots["unit"] == client.slot(depot)]
    assert client.tell(3674, marine, on=snapshot_tag(int(number))) == "Success"
    client.step()
    assert client.orders(marine) == [23]


def test_a_worker_leaves_one_repair_for_another() -> None:
    client = Client()
    scv = client.create("scv", 27.0, 14.0)
    tanks = [client.create("siege_tank", 30.0, y) for y in (14.0, 16.0)]
    for tank in tanks:
        hurt(client, tank, 100.0)
        assert client.tell(316, scv, on=tank) == "Success"
        client.step(60)
        assert client.unit(tank)["hp"] > 100.0
