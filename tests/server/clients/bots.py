"""Bots for burnysc2 that note what they see of a game."""

from collections.abc import Callable
from typing import Any

from sc2.bot_ai import BotAI
from sc2.data import Result
from sc2.dicts.unit_trained_from import UNIT_TRAINED_FROM
from sc2.dicts.upgrade_researched_from import UPGRADE_RESEARCHED_FROM
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
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


class Toucher(BotAI):
    """Reads every property that bots can read, of all units and of the game, and asks for the costs
    and requirements of all there is; notes what raises."""

    def __init__(self, names: list[UnitTypeId]) -> None:
        self._names = names
        self.raised: dict[str, str] = {}
        self.n_read = 0

    async def on_step(self, iteration: int) -> None:
        if iteration in (0, 12):
            await self._touch()
        if iteration == 1:
            at = self.start_location.towards(self.game_info.map_center, 10)
            for owner in (1, 2):
                made = [[name, 1, at, owner] for name in self._names]
                await self.client.debug_create_unit(made)
        if iteration == 12:
            await self.client.leave()

    async def _touch(self) -> None:
        things = [self, self.game_info, self.state, self.state.score, self.main_base_ramp]
        for thing in [*things, self.all_units, *self.all_units]:
            self._read_all(thing)
        for kind in UNIT_TRAINED_FROM:
            for ask in (self.calculate_cost, self.calculate_supply_cost, self.already_pending):
                self._try(f"{ask.__name__} {kind}", lambda ask=ask, kind=kind: ask(kind))
            self._try(f"tech {kind}", lambda kind=kind: self.tech_requirement_progress(kind))
        for upgrade in UpgradeId:
            self._try(f"cost {upgrade}", lambda upgrade=upgrade: self.calculate_cost(upgrade))
        for upgrade in UPGRADE_RESEARCHED_FROM:
            self._try(
                f"upgrade {upgrade}", lambda upgrade=upgrade: self.already_pending_upgrade(upgrade)
            )
        offers = await self.get_available_abilities(self.all_own_units)
        known = self.game_data.abilities
        for ability in {ability for offered in offers for ability in offered}:
            self._try(f"offered {ability}", lambda ability=ability: known[ability.value])

    def _read_all(self, thing: Any) -> None:
        for name in dir(type(thing)):
            read = getattr(type(thing), name, None)
            if not name.startswith("_") and (isinstance(read, property) or not callable(read)):
                self._try(f"{type(thing).__name__}.{name}", lambda name=name: getattr(thing, name))

    def _try(self, what: str, read: Callable[[], Any]) -> None:
        self.n_read += 1
        try:
            read()
        except Exception as error:  # noqa: BLE001  # whatever it is, the test says it
            self.raised[what] = repr(error)


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
