"""A client that commands units of a live game and reads what came of it."""

from typing import Any

import numpy as np
from s2clientprotocol import error_pb2, query_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.live_game import LiveGame
from terrarium.server.session import Session
from terrarium.server.translate.ids import api_tag, engine_tag
from tests.server.asking import ask, in_game

Point = tuple[float, float]


def unit_command(
    ability: int,
    tags: list[int],
    at: Point | None = None,
    on: int | None = None,
    queued: bool = False,
) -> api.Action:
    """A raw command; `at` a point, `on` the unit with a tag."""
    command = raw_pb2.ActionRawUnitCommand(ability_id=ability, unit_tags=tags, queue_command=queued)
    if at is not None:
        command.target_world_space_pos.x, command.target_world_space_pos.y = at
    if on is not None:
        command.target_unit_tag = on
    return api.Action(action_raw=raw_pb2.ActionRaw(unit_command=command))


class Client:
    """The client of player 1, with a hand in the game to set the scene."""

    def __init__(self, session: Session | None = None, rich: bool = True, **options: Any) -> None:
        self.session = session or in_game(**options)
        if rich:
            self.game.sim.players["minerals"][0, 1] = 10_000
            self.game.sim.players["vespene"][0, 1] = 10_000

    @property
    def game(self) -> LiveGame:
        return self.session.playing

    def create(self, name: str, *at: float, owner: int = 1) -> int:
        """A unit or a structure, finished; its tag."""
        sim = self.game.sim
        stands = sim.rules.types["footprint"][sim.rows[name]] >= 0
        make = sim.place if stands else sim.create
        slot = make(0, name, owner, *at)
        return api_tag(int(sim.units["tag"][0, slot]))

    def tags(self, name: str, owner: int = 1) -> list[int]:
        sim = self.game.sim
        units = sim.units[0]
        mine = units["alive"] & (units["owner"] == owner) & (units["kind"] == sim.rows[name])
        return [api_tag(tag) for tag in units["tag"][mine].tolist()]

    def slot(self, tag: int) -> int:
        units = self.game.sim.units[0]
        (slot,) = np.flatnonzero((units["tag"] == engine_tag(tag)) & (units["tag"] > 0))
        return int(slot)

    def unit(self, tag: int) -> Any:
        return self.game.sim.units[0, self.slot(tag)]

    def act(self, *actions: api.Action) -> list[str]:
        """The answers to actions of one request."""
        response = ask(self.session, action=api.RequestAction(actions=actions))
        assert not response.error, response.error
        return [error_pb2.ActionResult.Name(result) for result in response.action.result]

    def tell(self, ability: int, *tags: int, **aim: Any) -> str:
        """The answer to one command."""
        (answer,) = self.act(unit_command(ability, list(tags), **aim))
        return answer

    def step(self, n_loops: int = 1) -> api.ResponseObservation:
        """Let the game run; what the client observes then."""
        assert not ask(self.session, step=api.RequestStep(count=n_loops)).error
        return ask(self.session, observation=api.RequestObservation()).observation

    def orders(self, tag: int) -> list[int]:
        """The exact abilities of a unit's orders, as an observation lists them."""
        seen = ask(self.session, observation=api.RequestObservation()).observation.observation
        (unit,) = (unit for unit in seen.raw_data.units if unit.tag == tag)
        return [order.ability_id for order in unit.orders]

    def query(self, **parts: Any) -> query_pb2.ResponseQuery:
        response = ask(self.session, query=query_pb2.RequestQuery(**parts))
        assert not response.error, response.error
        return response.query

    def placements(self, ability: int, *points: Point, unit: int = 0) -> list[str]:
        asked = [query_pb2.RequestQueryBuildingPlacement(ability_id=ability) for _ in points]
        for query, (x, y) in zip(asked, points, strict=True):
            query.target_pos.x, query.target_pos.y, query.placing_unit_tag = x, y, unit
        answers = self.query(placements=asked).placements
        return [error_pb2.ActionResult.Name(answer.result) for answer in answers]

    def offers(self, tag: int, free: bool = False) -> list[int]:
        """The abilities that are available to a unit."""
        asked = [query_pb2.RequestQueryAvailableAbilities(unit_tag=tag)]
        (answer,) = self.query(abilities=asked, ignore_resource_requirements=free).abilities
        assert answer.unit_tag == tag
        return [ability.ability_id for ability in answer.abilities]
