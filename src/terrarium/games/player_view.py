"""One player's view of a whole game, out of the engine's columns."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.tactics.macro.catalog import Catalog
from terrarium.tactics.macro.game_view import Bools, Ints, Point, UnitColumns, UnitOrder

_ORDERS = {
    codes.NO_ORDER: UnitOrder.IDLE,
    codes.STOP: UnitOrder.IDLE,
    codes.MOVE: UnitOrder.MOVE,
    codes.FOLLOW: UnitOrder.MOVE,
    codes.ATTACK: UnitOrder.ATTACK,
    codes.ATTACK_MOVE: UnitOrder.ATTACK,
    codes.GATHER: UnitOrder.GATHER,
    codes.RETURN_CARGO: UnitOrder.GATHER,
    codes.BUILD: UnitOrder.BUILD,
    codes.CONSTRUCT: UnitOrder.BUILD,
}
ORDER_WORDS = np.full(64, UnitOrder.OTHER, np.int64)
for _code, _order in _ORDERS.items():
    ORDER_WORDS[_code] = _order


class PlayerView:
    """A `GameView` of the moment at which it is made."""

    def __init__(
        self, sim: Simulator, e: int, owner: int, catalog: Catalog, sees_all: bool = False
    ) -> None:
        self._sim, self._e, self.owner, self._catalog = sim, e, owner, catalog
        self._sees_all = sees_all
        self.loop = int(sim.ticks[e])
        purse, account = sim.players[e, owner], sim.games.accounts[e, owner]
        self.minerals, self.vespene = float(purse["minerals"]), float(purse["vespene"])
        self.supply_used = float(account["supply_used"])
        self.supply_cap = float(account["supply_cap"])
        # The list of the living is in the order of tags: the same, whatever slots they have.
        self._living = sim.games.living[e, : int(sim.games.clock["n_living"][e, 0])].astype(np.intp)
        units = sim.units[e]
        owners = units["owner"][self._living]
        alive = units["alive"][self._living]
        there = alive | (units["inside"][self._living] >= 0)
        self.own_slots: Ints = self._living[(owners == owner) & there]
        others = alive & (owners != owner) & (owners != codes.NEUTRAL_OWNER)
        if not sees_all:
            others &= (units["seen"][self._living] >> owner & 1).astype(np.bool_)
        self._enemy_slots: Ints = self._living[others]
        self._neutral_slots: Ints = self._living[alive & (owners == codes.NEUTRAL_OWNER)]

    @cached_property
    def own(self) -> UnitColumns:
        return self._columns(self.own_slots, True)

    @cached_property
    def enemy(self) -> UnitColumns:
        return self._columns(self._enemy_slots, False)

    @cached_property
    def resources(self) -> UnitColumns:
        """What neutral fields and geysers hold; those who never saw one know it from the map."""
        return self._columns(self._neutral_slots, False)

    def _columns(self, slots: Ints, own: bool) -> UnitColumns:
        sim, e = self._sim, self._e
        units, resources = sim.units[e], sim.games.resources[e]
        zeros = np.zeros(len(slots), np.int64)
        order, target, n_queued = zeros, zeros, zeros
        if own:
            first = sim.games.orders[e, slots, 0]
            has_order = units["n_orders"][slots] > 0
            order = np.where(has_order, ORDER_WORDS[first["kind"]], UnitOrder.IDLE)
            target = np.where(has_order & (first["target"] >= 0), first["tag"], 0)
            n_queued = sim.games.producers["n_items"][e][slots]
        return UnitColumns(
            tag=units["tag"][slots],
            kind=units["kind"][slots],
            x=units["x"][slots],
            y=units["y"][slots],
            life=units["hp"][slots] + units["shield"][slots],
            life_max=units["hp_max"][slots] + sim.rules.types["shields"][units["kind"][slots]],
            energy=units["energy"][slots],
            done=units["status"][slots] & codes.UNFINISHED == 0,
            inside=units["inside"][slots] >= 0,
            order=order,
            order_target=target,
            n_queued=n_queued,
            contents=resources["contents"][slots],
        )

    @cached_property
    def _products(self) -> Records:
        """Rows of the products that are in queues, or that builders are on their way to."""
        sim, e, slots = self._sim, self._e, self.own_slots
        n_items = sim.games.producers["n_items"][e][slots]
        busy = slots[n_items > 0]
        items = sim.games.items["product"][e][busy]
        queued = items[np.arange(items.shape[1]) < n_items[n_items > 0][:, None]]
        orders = sim.games.orders[e, slots, 0]
        building = (sim.units["n_orders"][e][slots] > 0) & (orders["kind"] == codes.BUILD)
        rows = np.concatenate([queued, orders["ability"][building]])
        return np.asarray(sim.rules.products[rows])

    @cached_property
    def making(self) -> Ints:
        products = self._products
        units = products[products["makes"] >= 0]
        n_types = len(self._catalog.names)
        counts = np.bincount(units["makes"], weights=units["count"], minlength=n_types)
        return counts.astype(np.int64)

    @cached_property
    def researching(self) -> frozenset[str]:
        rows = self._products["upgrade"]
        return frozenset(self._upgrade_names[row] for row in rows[rows >= 0].tolist())

    @cached_property
    def upgrades(self) -> frozenset[str]:
        player, table = self._sim.players[self._e, self.owner], self._sim.rules.upgrades
        single = (table["tech"] != 0) & (player["techs"] & table["tech"] != 0)
        leveled = (table["tech"] == 0) & (player["levels"][table["family"]] >= table["level"])
        return frozenset(self._upgrade_names[k] for k in np.flatnonzero(single | leveled).tolist())

    @cached_property
    def _upgrade_names(self) -> tuple[str, ...]:
        return tuple(self._sim.known.upgrades)

    def sees(self, points: Sequence[Point]) -> Bools:
        if self._sees_all:
            return np.ones(len(points), np.bool_)
        width, height = (int(n) for n in self._sim.ground.size[:2])
        at = np.asarray(points, np.float64)
        x = np.clip(at[:, 0].astype(np.int64), 0, width - 1)
        y = np.clip(at[:, 1].astype(np.int64), 0, height - 1)
        cells: NDArray[np.uint8] = self._sim.games.visibility[self._e, self.owner]
        return np.asarray(cells[y * width + x] == codes.VISIBLE)

    def can_place(self, what: str, points: Sequence[Point]) -> Bools:
        answers = [self._sim.can_place(self._e, self.owner, what, at) for at in points]
        return np.array([answer == "Success" for answer in answers], np.bool_)
