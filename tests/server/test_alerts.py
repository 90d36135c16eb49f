"""Alerts: which of them, when, and how often; as measured in the real game."""

import numpy as np
import pytest
from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.state import EVENT
from terrarium.server.translate.observation.alerts import QUIET_TICKS, alerts_of
from terrarium.server.translate.observation.client_view import client_view
from tests.server.looking import Watched

MADE = [
    ("command_center", "scv", [api.TrainWorkerComplete]),
    ("barracks", "marine", [api.TrainUnitComplete]),
    ("larva", "drone", [api.TrainWorkerComplete]),
    ("larva", "zergling", [api.TrainUnitComplete] * 2),
    ("nexus", "mothership", [api.MothershipComplete]),
    ("warp_gate", "zealot", [api.WarpInComplete]),
    ("scv", "barracks", [api.BuildingComplete]),
    ("drone", "extractor", [api.BuildingComplete]),
    ("barracks", "barracks_tech_lab", [api.AddOnComplete]),
    ("command_center", "orbital_command", [api.UpgradeComplete]),
    ("command_center", "planetary_fortress", [api.UpgradeComplete]),
    ("hatchery", "lair", [api.MorphComplete]),
    ("spire", "greater_spire", [api.MorphComplete]),
    ("zergling", "baneling", [api.MorphComplete]),
    ("gateway", "warp_gate", [api.TransformationComplete]),
    ("warp_gate", "gateway", [api.TransformationComplete]),
    ("high_templar", "archon", [api.MergeComplete]),
    ("ghost_academy", "nuke", [api.NukeComplete]),
    ("barracks_tech_lab", "stimpack", [api.ResearchComplete]),
    ("engineering_bay", "terran_infantry_weapons_level1", [api.UpgradeComplete]),
]
"""producer, product, and what its player is told"""


def alerts(watched: Watched) -> list[int]:
    return list(watched.look().observation.alerts)


@pytest.fixture(scope="module")
def quiet() -> Watched:
    return Watched()


@pytest.mark.parametrize(("producer", "product", "told"), MADE)
def test_what_is_made_has_its_alert(
    quiet: Watched, producer: str, product: str, told: list[int]
) -> None:
    sim, event = quiet.sim, np.zeros(1, EVENT)
    row = sim.product_row(producer, product)
    assert row < len(sim.rules.products), "no such product"
    event["kind"], event["owner"], event["amount"] = codes.FINISHED, 1, row
    view = client_view(quiet.game)
    assert alerts_of(quiet.game, view, event) == told
    event["owner"] = 2
    assert alerts_of(quiet.game, view, event) == []


def test_larvae_of_an_inject_are_told_of_once_and_those_of_a_hatchery_never() -> None:
    watched = Watched(race=common_pb2.Zerg)
    sim, hatchery = watched.sim, watched.first("hatchery")
    alerts(watched)
    sim.units["alive"][0, watched.first("larva")] = False  # another one comes by itself
    watched.step(400)
    assert alerts(watched) == []
    queen = sim.create(0, "queen", 1, *watched.beside(hatchery, 4, 0))
    sim.units["energy"][0, queen] = 60.0
    sim.use(0, queen, "inject_larva", target=hatchery)
    sim.use(0, queen, "inject_larva", target=hatchery, queued=True)
    told = []
    for _ in range(90):
        watched.step(16)
        told.append(alerts(watched).count(api.LarvaHatched))
    assert [n for n in told if n] == [1, 1]
    first = told.index(1)
    assert 640 <= 16 * first <= 720


def test_a_geyser_that_the_player_empties_is_told_of_once() -> None:
    watched = Watched()
    x, y = watched.place_of(watched.first("vespene_geyser", owner=0))
    refinery = watched.sim.place(0, "refinery", 1, x, y)
    watched.sim.games.resources["contents"][0, refinery] = 4.0
    alerts(watched)
    scv = watched.sim.create(0, "scv", 1, x + 4, y)
    watched.sim.order(0, scv, codes.GATHER, target=refinery)
    told = []
    for _ in range(20):
        watched.step(16)
        told += alerts(watched)
    assert told == [api.VespeneExhausted]


@pytest.mark.parametrize("owner", [1, 2])
def test_a_field_is_told_of_to_who_mined_it(owner: int) -> None:
    watched = Watched(disable_fog=True)
    sim = watched.sim
    mine = sim.units["owner"][0] == owner
    worker = int(np.flatnonzero(mine & (sim.rules.types["worker"][sim.units["kind"][0]]))[0])
    field = int(sim.games.orders["target"][0, worker, 0])
    sim.games.resources["contents"][0, field] = 5.0
    alerts(watched)
    watched.step(200)
    assert not sim.units["alive"][0, field]
    assert alerts(watched).count(api.MineralsExhausted) == (owner == 1)


def test_a_launch_is_told_of_when_it_begins() -> None:
    watched = Watched()
    x, y = watched.beside(watched.first("hatchery", owner=2))
    ghost = watched.sim.create(0, "ghost", 2, x + 5, y + 5)
    watched.sim.players["nukes"][0, 2] = 1
    alerts(watched)
    watched.sim.use(0, ghost, "tactical_nuke", at=(x + 8, y + 8))
    watched.step(8)
    assert alerts(watched) == [api.NuclearLaunchDetected]
    told = []
    for _ in range(30):
        watched.step(16)
        told += alerts(watched)
    assert api.NuclearLaunchDetected not in told


def test_a_unit_is_told_of_again_only_after_a_long_peace() -> None:
    watched = Watched()
    view, game = client_view(watched.game), watched.game
    game.camera = (0.0, 0.0)
    scv, hall = watched.first("scv"), watched.first("command_center")

    def hit(slot: int, tick: int) -> list[int]:
        event = np.zeros(1, EVENT)
        unit = watched.sim.units[0, slot]
        event["kind"], event["owner"], event["other_owner"] = codes.HURT, 1, 2
        for name in ("tag", "x", "y"):
            event[name] = unit[name]
        event["type"], event["tick"] = unit["kind"], tick
        return alerts_of(game, view, event)

    view.look(game, False)
    assert hit(scv, 100) == [api.UnitUnderAttack]
    assert hit(hall, 101) == [api.BuildingUnderAttack]
    assert hit(scv, 100 + QUIET_TICKS) == []
    assert hit(scv, 101 + 2 * QUIET_TICKS) == [api.UnitUnderAttack]
    assert hit(hall, 200) == []


def test_nothing_is_told_twice_after_a_state_is_loaded() -> None:
    watched = Watched(race=common_pb2.Zerg)
    sim, hatchery = watched.sim, watched.first("hatchery")
    queen = sim.create(0, "queen", 1, *watched.beside(hatchery, 4, 0))
    sim.units["energy"][0, queen] = 60.0
    sim.use(0, queen, "inject_larva", target=hatchery)
    watched.step(40)
    assert alerts(watched) == []
    saved, minds = sim.save(), watched.game.minds
    watched.step(40)
    alerts(watched)
    sim.load(saved)
    watched.game.go_on_from(minds)
    assert alerts(watched) == []
