"""A game whose client is Terran on flat ground, and what it is shown."""

from typing import Any

from s2clientprotocol import common_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.maps.library import find_map
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.seats import GameSeat
from terrarium.server.translate.game_info import fill_game_info
from terrarium.server.translate.ids import api_tag
from terrarium.server.translate.observation.response import fill_observation

RAW = api.InterfaceOptions(raw=True, score=True, show_cloaked=True)


class Watched:
    """A game of two participants, of whom nobody plays, and what the first of them is shown."""

    def __init__(
        self,
        race: int = common_pb2.Terran,
        options: api.InterfaceOptions = RAW,
        player: int = 1,
        disable_fog: bool = False,
    ) -> None:
        served = ServedMap("Flat", "Flat48.SC2Map", find_map("flat_48"))
        seats = (GameSeat(api.Participant, race), GameSeat(api.Participant, common_pb2.Zerg))
        plan = GamePlan(served, seats, seed=1, disable_fog=disable_fog)
        self.game = LiveGame(plan, player, options)
        self.sim = self.game.sim
        self.sim.players["minerals"][0, 1:] = self.sim.players["vespene"][0, 1:] = 5000.0

    def look(self, **request: Any) -> api.ResponseObservation:
        response = api.ResponseObservation()
        fill_observation(self.game, api.RequestObservation(**request), response)
        return response

    def info(self) -> api.ResponseGameInfo:
        response = api.ResponseGameInfo()
        fill_game_info(self.game, response)
        return response

    def step(self, n_loops: int = 1) -> None:
        self.game.step(n_loops)

    def units(self, **request: Any) -> list[raw_pb2.Unit]:
        return list(self.look(**request).observation.raw_data.units)

    def unit(self, slot: int, **request: Any) -> raw_pb2.Unit:
        """How the unit of a slot is listed."""
        (found,) = (u for u in self.units(**request) if u.tag == self.tag(slot))
        return found

    def lists(self, slot: int, **request: Any) -> bool:
        return any(u.tag == self.tag(slot) for u in self.units(**request))

    def tag(self, slot: int) -> int:
        return api_tag(int(self.sim.units["tag"][0, slot]))

    def first(self, name: str, owner: int = 1) -> int:
        """The slot of the first unit of a type."""
        units = self.sim.units[0]
        is_one = (units["kind"] == self.sim.rows[name]) & (units["owner"] == owner)
        return int((is_one & units["alive"]).argmax())

    def place_of(self, slot: int) -> tuple[float, float]:
        return float(self.sim.units["x"][0, slot]), float(self.sim.units["y"][0, slot])

    def beside(self, slot: int, dx: float = 0.0, dy: float = 0.0) -> tuple[float, float]:
        x, y = self.place_of(slot)
        return x + dx, y + dy

    def site(self, name: str, owner: int = 1) -> tuple[float, float]:
        """A point near the player's start where a structure may stand."""
        x, y = self.game.map.ground.starts[owner - 1]
        ring = [(dx, dy) for dx in range(-9, 10) for dy in range(-9, 10)]
        for dx, dy in sorted(ring, key=lambda at: abs(at[0]) + abs(at[1])):
            at = x + dx, y + dy
            if self.sim.can_place(0, owner, name, at) == "Success":
                return at
        raise AssertionError(f"no room for a {name}")
