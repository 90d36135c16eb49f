"""The orders of a unit as the API lists them: exact abilities, targets, and progress."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.server.translate.ids import Ids

ON_UNITS = frozenset(
    (codes.ATTACK, codes.FOLLOW, codes.HEAL, codes.GATHER, codes.CONSTRUCT, codes.CAST)
)
"""orders that may be about a unit"""
WITHOUT_TARGET = frozenset((codes.HOLD, codes.STOP))
FIXED_POINT = 4096.0
"""Points are cut to this part of a cell."""


@dataclass(frozen=True)
class OrderEntry:
    """One entry of a unit's list of orders."""

    ability: int
    """exact"""
    tag: int = 0
    """of the target, in the engine's numbers; 0 = it is about a point or about nothing"""
    point: tuple[float, float] | None = None
    progress: float = 0.0


def cut(coordinate: float) -> float:
    """A coordinate as the game keeps it."""
    return int(coordinate * FIXED_POINT) / FIXED_POINT


def unit_orders(sim: Simulator, ids: Ids, e: int, slot: int) -> Iterator[OrderEntry]:
    """All that a unit has been told, first what it does now; for producers, their queue."""
    kind = int(sim.units["kind"][e, slot])
    orders = sim.games.orders[e, slot]
    for q in range(int(sim.units["n_orders"][e, slot])):
        yield _order(sim, ids, e, slot, kind, orders[q], q == 0)
    if sim.games.producers.shape[1] == 0:
        return
    for k in range(int(sim.games.producers["n_items"][e, slot])):
        item = sim.games.items[e, slot, k]
        product = int(item["product"])
        total = float(sim.rules.products["ticks"][product])
        done = 1.0 - float(item["left"]) / total if item["begun"] and total > 0.0 else 0.0
        yield OrderEntry(int(ids.products[product]), progress=min(1.0, max(0.0, done)))


def _order(
    sim: Simulator, ids: Ids, e: int, slot: int, kind: int, order: Any, first: bool
) -> OrderEntry:
    what, row, target, tag, x, y = (
        order[name] for name in ("kind", "ability", "target", "tag", "x", "y")
    )
    if first and what == codes.GATHER:
        worker = sim.games.workers[e, slot]
        if worker["phase"] == codes.RETURNING:
            ability = ids.order_ability(kind, codes.RETURN_CARGO, codes.NO_ABILITY)
            return OrderEntry(ability, int(worker["townhall_tag"]))
    if what == codes.RETURN_CARGO:
        ability = ids.order_ability(kind, what, row)
        return OrderEntry(ability, int(sim.games.workers["townhall_tag"][e, slot]))
    if what == codes.CONSTRUCT:
        made_as = int(sim.games.producers["made_as"][e, target])
        return OrderEntry(int(ids.products[made_as]), int(tag))
    ability = ids.order_ability(kind, int(what), int(row))
    if what in ON_UNITS and target >= 0:
        return OrderEntry(ability, int(tag))
    if what in WITHOUT_TARGET or _is_untargeted(sim, int(what), int(row)):
        return OrderEntry(ability)
    return OrderEntry(ability, point=(cut(float(x)), cut(float(y))))


def _is_untargeted(sim: Simulator, what: int, row: int) -> bool:
    return what == codes.CAST and bool(sim.rules.abilities["aim"][row] == codes.AIM_NONE)
