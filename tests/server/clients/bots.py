"""Bots for burnysc2 that note what they see of a game."""

from typing import Any

from sc2.bot_ai import BotAI
from sc2.data import Result
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.position import Point2


class Prober(BotAI):
    """Uses what a client can ask for, in a few steps, and wins by a cheat."""

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {}
        self.events: list[str] = []

    async def on_start(self) -> None:
        self.client.game_step = 8
        self.seen["ramp"] = len(self.main_base_ramp.upper)
        self.seen["start is a base"] = self.start_location in self.expansion_locations_list
        self.seen["enemy starts"] = len(self.enemy_start_locations)
        self.seen["first"] = (self.minerals, self.supply_used, self.workers.amount)

    async def on_step(self, iteration: int) -> None:
        for message in self.state.chat:
            self.seen.setdefault("chat", []).append(message.message)
        if iteration == 0:
            self.train(UnitTypeId.SCV)
            await self._ask()
            middle = self.game_info.map_center
            await self.client.debug_create_unit([[UnitTypeId.MARINE, 2, middle, 1]])
        elif self.units(UnitTypeId.MARINE).amount == 2 and "marines" not in self.seen:
            marines = self.units(UnitTypeId.MARINE)
            self.seen["marines"] = [marine.health for marine in marines]
            marines.first.move(self.start_location)
            self._moved = marines.first.tag
            await self.chat_send("hello")
        elif "marines" in self.seen and "order" not in self.seen:
            mover = self.units.by_tag(self._moved)
            self.seen["order"] = mover.orders[0].ability.exact_id
            await self.client.debug_kill_unit(mover)
        if "died" in self.seen or self.state.game_loop > 400:
            await self._win()

    async def _win(self) -> None:
        from s2clientprotocol import debug_pb2, sc2api_pb2

        wins = debug_pb2.DebugEndGame(end_result=debug_pb2.DebugEndGame.DeclareVictory)
        command = debug_pb2.DebugCommand(end_game=wins)
        await self.client._execute(debug=sc2api_pb2.RequestDebug(debug=[command]))

    async def _ask(self) -> None:
        home = self.townhalls.first
        near = home.position.towards(self.game_info.map_center, 8)
        place = await self.find_placement(UnitTypeId.SUPPLYDEPOT, near)
        self.seen["place"] = place is not None
        self.seen["on the townhall"] = await self.can_place_single(
            UnitTypeId.SUPPLYDEPOT, home.position
        )
        way = await self.client.query_pathing(self.workers.first, self.enemy_start_locations[0])
        straight = self.workers.first.distance_to(self.enemy_start_locations[0])
        self.seen["way is longer"] = way is not None and way >= straight - 1.0
        offers = (await self.get_available_abilities([home]))[0]
        self.seen["offers"] = AbilityId.COMMANDCENTERTRAIN_SCV in offers
        self.seen["point"] = isinstance(place, Point2)

    async def on_unit_created(self, unit: Any) -> None:
        self.events.append(unit.name)

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        if unit_tag == self._moved:
            self.seen["died"] = True

    async def on_end(self, game_result: Result) -> None:
        self.seen["result"] = game_result.name


class Loser(BotAI):
    """Loses all that it has after a few steps."""

    async def on_step(self, iteration: int) -> None:
        if iteration == 3:
            await self.client.debug_kill_unit(self.all_own_units)


class Waiter(BotAI):
    """Waits for the end."""

    async def on_start(self) -> None:
        self.loops: list[int] = []

    async def on_step(self, iteration: int) -> None:
        self.loops.append(self.state.game_loop)
