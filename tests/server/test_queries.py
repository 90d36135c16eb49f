"""RequestQuery: ways, what command cards offer, and placements."""

import math

import numpy as np
import pytest
from s2clientprotocol import query_pb2

from terrarium.data.maps.game_map import GameMap
from tests.server.asking import in_game
from tests.server.commanding import Client, Point

HERE = (30.5, 14.5)
"""free ground on the map, away from both starts"""
NOWHERE = (math.nan, math.inf, -math.inf, 1e30, -1e30)


def ways(client: Client, *asked: tuple[Point | int, Point]) -> list[float]:
    """Distances, each from a point or from the unit with a tag."""
    queries = []
    for start, (x, y) in asked:
        query = query_pb2.RequestQueryPathing()
        if isinstance(start, int):
            query.unit_tag = start
        else:
            query.start_pos.x, query.start_pos.y = start
        query.end_pos.x, query.end_pos.y = x, y
        queries.append(query)
    return [answer.distance for answer in client.query(pathing=queries).pathing]


# Ways.


def test_straight_ways_are_as_long_as_they_are() -> None:
    client = Client()
    marine, medivac = client.create("marine", 30.0, 14.0), client.create("medivac", 30.0, 14.0)
    client.step(2)
    asked: list[tuple[Point | int, Point]] = [
        ((30.0, 14.0), (34.0, 17.0)),
        (marine, (34.0, 14.0)),
        (medivac, (19.5, 19.5)),
    ]
    there = client.unit(marine)
    straight = math.dist((there["x"], there["y"]), (34.0, 14.0))
    distances = ways(client, *asked)
    assert distances[:2] == pytest.approx([5.0, straight], abs=1e-5)
    assert distances[2] == pytest.approx(math.dist((30.0, 14.0), (19.5, 19.5)), abs=0.5)


def test_a_way_around_a_structure_is_longer_and_as_long_backwards() -> None:
    client = Client()
    for y in (10.5, 13.5, 16.5, 19.5):
        client.create("barracks", 30.5, y)
    client.step(2)
    here, there = (26.5, 14.5), (34.5, 14.5)
    assert ways(client, (here, there))[0] > 12.0
    forth, back = ways(client, (here, there), (there, here))
    several = ways(client, *[(here, there)] * 3, (here, (34.5, 15.5)))
    assert forth == pytest.approx(back, rel=0.03)
    assert several[0] == pytest.approx(forth, rel=0.03)


def test_where_no_way_leads_it_is_0() -> None:
    client = Client()
    mineral = client.tags("mineral_field", owner=0)[0]
    there = client.unit(mineral)
    at = float(there["x"]), float(there["y"])
    asked: list[tuple[Point | int, Point]] = [((30.0, 14.0), at), (12345, (30.0, 14.0))]
    asked += [((30.0, 14.0), (x, 14.0)) for x in NOWHERE]
    asked += [((x, 14.0), (30.0, 14.0)) for x in NOWHERE]
    assert ways(client, *asked) == [0.0] * len(asked)


def test_ways_lead_out_of_townhalls_and_to_what_is_hidden_in_the_fog() -> None:
    """Bots ask for the way from their start to the enemy's, both of them inside of a townhall."""
    client = Client(session=in_game(map_path="Flat64.SC2Map"))
    ground = client.game.map.ground
    assert isinstance(ground, GameMap)
    starts = ground.starts
    distance = math.dist(*starts)
    assert ways(client, (starts[0], starts[1]))[0] == pytest.approx(distance, rel=0.1)
    assert ways(client, (starts[1], starts[0])) == [0.0]  # the own townhall is no place to go to


# What is offered.


def test_offers_are_exact_and_what_tech_and_cost_allow() -> None:
    client = Client(rich=False)
    (center,), scv = client.tags("command_center"), client.tags("scv")[0]
    assert set(client.offers(scv)) == {1, 4, 16, 17, 18, 19, 23, 295, 316}
    client.game.sim.players["minerals"][0, 1] = 400
    client.step()
    assert {318, 319, 320, 322} <= set(client.offers(scv))
    assert 321 not in client.offers(scv)  # a barracks asks for a depot
    assert {524, 416, 203} <= set(client.offers(center))
    client.game.sim.players["minerals"][0, 1] = 0
    assert 524 not in client.offers(center)
    assert 524 in client.offers(center, free=True)
    assert 308 not in client.offers(center)
    client.game.sim.players["minerals"][0, 1] = 50
    assert client.tell(524, center) == "Success"
    client.step()
    assert 308 in client.offers(center)


def test_offers_of_several_units_come_in_order_with_their_types() -> None:
    client = Client()
    (center,), scv = client.tags("command_center"), client.tags("scv")[0]
    enemy = client.tags("drone", owner=2)[0]
    tags = [scv, 777, center, enemy, scv]
    asked = [query_pb2.RequestQueryAvailableAbilities(unit_tag=tag) for tag in tags]
    answers = client.query(abilities=asked).abilities
    assert [answer.unit_tag for answer in answers] == tags
    assert [answer.unit_type_id for answer in answers] == [45, 0, 18, 104, 45]
    assert [bool(answer.abilities) for answer in answers] == [True, False, True, False, True]
    aimed = {a.ability_id: a.requires_point for a in answers[0].abilities}
    assert [aimed[ability] for ability in (16, 295, 319, 4, 18)] == [True] * 3 + [False] * 2


def test_a_busy_structure_offers_no_research_and_an_unpowered_one_nothing_to_make() -> None:
    client = Client()
    bay = client.create("engineering_bay", *HERE)
    forge = client.create("forge", 36.5, 14.5)
    client.step(2)
    assert {652, 656} <= set(client.offers(bay))
    assert client.tell(652, bay) == "Success"
    client.step()
    offered = client.offers(bay)
    assert not {652, 656} & set(offered)
    assert client.offers(forge) == [1]
    client.create("pylon", 36.0, 17.0)
    client.step(4)
    assert {1062, 1065, 1068} <= set(client.offers(forge))


def test_toggles_offer_the_half_that_fits() -> None:
    client = Client()
    sim = client.game.sim
    sim.players["techs"][0, 1] = (1 << 62) - 1
    banshee = client.create("banshee", *HERE)
    sim.units["energy"][0, client.slot(banshee)] = 100.0
    offered = client.offers(banshee)
    assert 392 in offered
    assert 393 not in offered
    client.tell(392, banshee)
    client.step()
    offered = client.offers(banshee)
    assert 393 in offered
    assert 392 not in offered


CASTERS = {
    "orbital_command": (171, 399),
    "queen": (251, 1694),
    "ghost": (1628, 2714),
    "raven": (1764,),
    "sentry": (76, 1526),
    "high_templar": (140, 1036),
    "infestor": (74,),
    "nexus": (3755,),
}
"""spells that take energy and nothing else"""


@pytest.mark.parametrize("name", CASTERS)
def test_spells_are_offered_to_those_who_have_the_energy(name: str) -> None:
    client = Client()
    sim = client.game.sim
    sim.players["techs"][0, 1] = (1 << 62) - 1
    caster, spells = client.create(name, *HERE), set(CASTERS[name])
    client.step()
    for energy, offered in ((0.0, set()), (200.0, spells)):
        sim.units["energy"][0, client.slot(caster)] = energy
        assert spells & set(client.offers(caster)) == offered
        assert spells <= set(client.offers(caster, free=True))


@pytest.mark.parametrize(
    ("name", "ability", "at"),
    [
        ("stalker", 1442, (33.5, 14.5)),
        ("reaper", 2588, (33.5, 14.5)),
        ("dark_templar", 2700, (33.5, 14.5)),
        ("ravager", 2338, (33.5, 14.5)),
        ("medivac", 2116, None),
        ("void_ray", 2393, None),
    ],
)
def test_an_ability_is_offered_again_when_it_has_cooled_down(
    name: str, ability: int, at: Point | None
) -> None:
    client = Client()
    sim = client.game.sim
    sim.players["techs"][0, 1] = (1 << 62) - 1
    unit = client.create(name, *HERE)
    client.step()
    assert ability in client.offers(unit)
    assert client.tell(ability, unit, at=at) == "Success"
    client.step(40)
    assert ability not in client.offers(unit)
    assert ability in client.offers(unit, free=True)
    sim.games.clock["tick"][0, 0] += 2000
    assert ability in client.offers(unit)


def test_a_warp_gate_offers_units_when_it_is_ready() -> None:
    """Bots know by it which gates are: there is no other field of a warp gate's cooldown."""
    client = Client()
    client.create("pylon", 30.0, 14.0)
    gate = client.create("warp_gate", 33.5, 16.5)
    client.step(4)
    assert 1413 in client.offers(gate)
    assert client.tell(1413, gate, at=(27.0, 14.0)) == "Success"
    client.step()
    assert 1413 not in client.offers(gate)
    assert 1413 in client.offers(gate, free=True)
    client.step(450)
    assert 1413 in client.offers(gate)


def test_a_stimpack_is_offered_to_those_who_can_spare_the_life() -> None:
    client = Client()
    sim = client.game.sim
    sim.players["techs"][0, 1] = (1 << 62) - 1
    marine = client.create("marine", *HERE)
    assert 380 in client.offers(marine)
    sim.units["hp"][0, client.slot(marine)] = 9.0
    assert 380 not in client.offers(marine)
    assert 380 in client.offers(marine, free=True)


def test_a_tumor_is_offered_to_spread_when_it_may() -> None:
    client = Client()
    client.game.sim.games.creep[0] += 1
    tumor = client.create("creep_tumor_burrowed", *HERE)
    client.step()
    assert 1733 in client.offers(tumor)
    client.game.sim.games.producers["cooldown"][0, client.slot(tumor)] = 100.0
    assert 1733 not in client.offers(tumor)
    assert 1733 in client.offers(tumor, free=True)


def test_a_full_supply_leaves_units_out() -> None:
    client = Client()
    (center,) = client.tags("command_center")
    for k in range(3):
        client.create("marine", 20.0 + k, 20.0)
    client.step()
    assert 524 not in client.offers(center)
    assert 524 in client.offers(center, free=True)


def test_unloading_is_offered_to_those_who_carry() -> None:
    client = Client()
    medivac, marine = client.create("medivac", *HERE), client.create("marine", *HERE)
    assert 396 not in client.offers(medivac)
    client.tell(394, medivac, on=marine)
    client.step(30)
    assert 396 in client.offers(medivac)


def test_a_medivac_that_unloads_at_itself_goes_on_its_way() -> None:
    """As measured in the real game; aimed at a point it goes there instead."""
    client = Client()
    medivac = client.create("medivac", 20.0, 14.0)
    marines = [client.create("marine", 20.0 + k, 14.0) for k in range(2)]
    client.step(2)
    for marine in marines:
        assert client.tell(394, medivac, on=marine, queued=True) == "Success"
    client.step(60)
    assert client.tell(16, medivac, at=(36.0, 14.0)) == "Success"
    client.step(2)
    before = float(client.unit(medivac)["x"])
    assert client.tell(396, medivac, on=medivac) == "Success"
    client.step(40)
    assert client.orders(medivac) == [16]
    assert client.unit(medivac)["x"] > before + 3.0
    assert [bool(client.unit(marine)["alive"]) for marine in marines] == [True, True]


def test_what_is_not_finished_offers_to_be_cancelled() -> None:
    client = Client()
    scv = client.create("scv", 27.0, 14.0)
    client.tell(319, scv, at=(30.0, 14.0))
    client.step(30)
    (depot,) = client.tags("supply_depot")
    assert set(client.offers(depot)) == {314, 315}
    assert 348 in client.offers(scv)
    client.tell(348, scv)
    client.step()
    assert client.offers(depot) == [314]
    assert 348 not in client.offers(scv)


def test_a_sieged_tank_is_not_offered_to_move() -> None:
    client = Client()
    tank = client.create("siege_tank_sieged", *HERE)
    offered = client.offers(tank)
    assert {23, 390} <= set(offered)
    assert 16 not in offered


# Placements.


def test_exact_and_general_ids_of_structures_are_known() -> None:
    client = Client()
    assert client.placements(319, (30.0, 14.0), (19.0, 19.0)) == [
        "Success", "CantFindPlacementLocation",
    ]  # fmt: skip
    assert client.placements(23, (30.0, 14.0)) == ["NotSupported"]
    assert client.placements(999_999, (30.0, 14.0)) == ["NotSupported"]
    assert client.placements(560, HERE) == ["NotSupported"]
    for x in NOWHERE:
        for ability in (319, 320, 421, 1413, 554):
            (answer,) = client.placements(ability, (x, 14.0))
            assert answer not in ("Success", "NotSupported")


ALLOWED = {
    "nothing": ([], []),
    "own movable units": (["marine", "scv"], []),
    "an enemy in the fog": ([], ["zergling"]),
    "an enemy structure in the fog": ([], ["supply_depot"]),
    "a cloaked enemy in the fog": ([], ["dark_templar"]),
    "a burrowed enemy in the fog": ([], ["roach_burrowed"]),
    "an invisible enemy": (["overlord"], ["dark_templar"]),
    "a burrowed enemy": (["overlord"], ["roach_burrowed"]),
    "a burrowed mine": (["overlord"], ["widow_mine_burrowed"]),
}
FORBIDDEN = {
    "an own structure": (["supply_depot"], []),
    "an own lowered depot": (["supply_depot_lowered"], []),
    "an own sieged tank": (["siege_tank_sieged"], []),
    "a seen structure": (["overlord"], ["supply_depot"]),
    "a seen lowered depot": (["overlord"], ["supply_depot_lowered"]),
    "a seen unit": (["overlord"], ["zergling"]),
    "a seen large unit": (["overlord"], ["ultralisk"]),
    "a seen worker": (["overlord"], ["scv"]),
    "a detected cloaked unit": (["overseer"], ["dark_templar"]),
    "a detected burrowed unit": (["overseer"], ["roach_burrowed"]),
    "a detected burrowed mine": (["overseer"], ["widow_mine_burrowed"]),
    "a seen sieged tank": (["overlord"], ["siege_tank_sieged"]),
    "a changeling": (["overlord"], ["changeling"]),
}
BLOCKED = {"CantFindPlacementLocation", "CantBuildLocationInvalid"}


@pytest.mark.parametrize("case", [*ALLOWED, *FORBIDDEN])
def test_what_may_be_there_and_what_may_not(case: str) -> None:
    """sc2api.md, 12: the nine and the thirteen of python-sc2's bot for queries."""
    client = Client(session=in_game(map_path="Flat64.SC2Map"))
    owned, enemies = {**ALLOWED, **FORBIDDEN}[case]
    at = (32.5, 32.5)
    for owner, names in ((1, owned), (2, enemies)):
        for name in names:
            client.create(name, *at, owner=owner)
    client.step(2)
    (answer,) = client.placements(321, at)
    assert answer == "Success" if case in ALLOWED else answer in BLOCKED


def test_creep_resources_and_power() -> None:
    client = Client()
    mineral = client.tags("mineral_field", owner=0)[0]
    there = client.unit(mineral)
    near = [(there["x"] + dx, there["y"] + dy) for dx in range(-6, 7) for dy in range(-6, 7)]
    assert "CantBuildTooCloseToResources" in client.placements(318, *near)
    assert client.placements(319, (there["x"], there["y"])) == ["CantFindPlacementLocation"]
    assert client.placements(883, HERE) == ["CantBuildTooFarFromBuildPowerSource"]
    assert client.placements(1155, HERE) == ["CantBuildTooFarFromCreepSource"]
    client.create("pylon", 30.0, 18.0)
    client.create("overlord", 28.5, 22.0)
    client.step(4)
    assert client.placements(883, HERE) == ["Success"]
    (shunned,) = client.placements(319, (28.0, 24.0))
    assert shunned == "CantBuildTooCloseToCreepSource"


def test_gas_goes_on_geysers() -> None:
    client = Client()
    geyser = client.unit(client.tags("vespene_geyser", owner=0)[0])
    at = float(geyser["x"]), float(geyser["y"])
    for ability in (320, 882, 1154):
        assert client.placements(ability, at, HERE) == ["Success", "CantBuildOnThat"]


def test_addons_need_room_beside_their_producer() -> None:
    client = Client()
    at = (36.5, 12.5)
    barracks = client.create("barracks", *at)
    client.step(2)
    assert client.placements(421, at, unit=barracks) == ["Success"]
    assert client.placements(421, at) == ["CantFindPlacementLocation"]  # another one is to land
    assert client.placements(421, (36.5, 16.5), unit=barracks) == ["Success"]
    client.create("supply_depot", 39.0, 12.0)
    client.step(2)
    assert client.placements(3682, at, unit=barracks) == ["CantFindPlacementLocation"]
    assert client.placements(554, (36.5, 16.5), at) == ["Success", "CantLandLocationInvalid"]


def test_warp_ins_need_power_and_room() -> None:
    client = Client()
    client.create("pylon", 30.0, 14.0)
    client.create("zealot", 32.0, 14.0)
    client.step(4)
    assert client.placements(1413, (27.0, 14.0), (36.5, 20.0), (32.0, 14.0), (30.0, 14.0)) == [
        "Success",
        "CantBuildTooFarFromBuildPowerSource",
        "CantBuildLocationInvalid",
        "CantBuildLocationInvalid",
    ]


def test_tumors_and_worms_need_creep_and_sight() -> None:
    client = Client()
    client.game.sim.games.creep[0] += 1
    queen = client.create("queen", 30.0, 14.0)
    tumor = client.create("creep_tumor_burrowed", 30.0, 16.0)
    client.step(4)
    assert client.placements(1694, (27.0, 14.0), unit=queen) == ["Success"]
    assert client.placements(1694, (27.0, 14.0)) == ["Success"]
    assert client.placements(1733, (30.0, 20.0), unit=tumor) == ["Success"]
    assert client.placements(1733, (30.0, 33.0), unit=tumor) == ["TargetIsOutOfRange"]
    assert client.placements(1768, HERE, (12.5, 36.5)) == ["Success", "CantSeeBuildLocation"]


def test_thousands_of_questions_are_answered_in_order() -> None:
    client = Client()
    points = [(4.0 + k % 40, 4.0 + k // 40) for k in range(1600)]
    answers = client.placements(319, *points)
    sim = client.game.sim
    some = np.random.default_rng(1).integers(0, len(points), 50)
    for k in some.tolist():
        assert answers[k] == sim.can_place(0, 1, "supply_depot", points[k])
