"""The orders of a unit as the API lists them: exact abilities, targets, and progress."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import has_economy
from terrarium.server.kernels.layouts import ApiView
from terrarium.server.kernels.tags import unit_tag
from terrarium.server.kernels.wire import (
    SHORT,
    begin_message,
    end_message,
    put_float,
    put_number,
    put_place,
)

FIXED_POINT = 4096.0
"""Points are cut to this part of a cell."""
ORDERS = 22
"""the field of a unit"""
POINT, UNIT, PROGRESS = 2, 3, 4
"""fields of an order"""


@kernel
def cut(coordinate: float) -> float:
    """A coordinate as the game keeps it."""
    return int(coordinate * FIXED_POINT) / FIXED_POINT


@kernel
def put_orders(view: ApiView, at: int, u: int) -> int:
    """All that a unit has been told, first what it does now; of producers, their queue."""
    game = view.game
    for q in range(game.units[u].n_orders):
        first = begin_message(view, at, ORDERS, SHORT)
        at = end_message(view, first, put_order(view, first, u, q), SHORT)
    if not has_economy(game):
        return at
    for k in range(game.producers[u].n_items):
        item = game.items[u, k]
        total = game.rules.products[item.product].ticks
        done = 1.0 - item.left / total if item.begun and total > 0.0 else 0.0
        first = begin_message(view, at, ORDERS, SHORT)
        at = put_number(view, first, 1, int(view.api.products[item.product]))
        at = put_float(view, at, PROGRESS, min(1.0, max(0.0, done)))
        at = end_message(view, first, at, SHORT)
    return at


@kernel
def put_order(view: ApiView, at: int, u: int, q: int) -> int:
    """The content of one order."""
    game, order = view.game, view.game.orders[u, q]
    kind, what = game.units[u].kind, int(order.kind)
    if is_on_its_way_back(view, u, q):
        at = put_number(view, at, 1, int(view.api.orders[kind, codes.RETURN_CARGO]))
        tag = int(game.workers[u].townhall_tag)
        return put_number(view, at, UNIT, unit_tag(view, tag)) if tag > 0 else at
    if what == codes.CONSTRUCT:
        made_as = game.producers[order.target].made_as
        at = put_number(view, at, 1, int(view.api.products[made_as]))
        return put_number(view, at, UNIT, unit_tag(view, int(order.tag)))
    if what == codes.CAST:
        at = put_number(view, at, 1, int(view.api.abilities[order.ability]))
    elif what == codes.BUILD:
        at = put_number(view, at, 1, int(view.api.products[order.ability]))
    else:
        at = put_number(view, at, 1, int(view.api.orders[kind, what]))
    if may_be_on_a_unit(what) and order.target >= 0:
        return put_number(view, at, UNIT, unit_tag(view, int(order.tag)))
    if what == codes.HOLD or what == codes.STOP:
        return at
    if what == codes.CAST and game.rules.abilities[order.ability].aim == codes.AIM_NONE:
        return at
    return put_place(view, at, POINT, cut(order.x), cut(order.y), 0.0)


@kernel
def is_on_its_way_back(view: ApiView, u: int, q: int) -> bool:
    """Does a worker bring what it has gathered, by that order?"""
    what = view.game.orders[u, q].kind
    if what == codes.RETURN_CARGO:
        return True
    return what == codes.GATHER and q == 0 and view.game.workers[u].phase == codes.RETURNING


@kernel
def may_be_on_a_unit(what: int) -> bool:
    """Is it a kind of order that may be about a unit?"""
    if what == codes.ATTACK or what == codes.FOLLOW or what == codes.HEAL:
        return True
    return what == codes.GATHER or what == codes.CAST
