"""What only its own side is told of a unit."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.construction.addons import addon_of
from terrarium.engine.state import has_economy, has_structures, is_unit
from terrarium.server.kernels.layouts import ApiView
from terrarium.server.kernels.order_lists import put_orders
from terrarium.server.kernels.tags import unit_tag
from terrarium.server.kernels.wire import (
    SHORT,
    begin_message,
    end_message,
    put_float,
    put_number,
    put_point,
)

ADD_ON, PASSENGERS, CARGO_TAKEN, CARGO_MAX, ASSIGNED, IDEAL, COOLDOWN = (
    23, 24, 25, 26, 28, 29, 30,
)  # fmt: skip
ENGAGED, BUFF_REMAIN, BUFF_MAX, RALLIES = 34, 43, 44, 45
ENDLESS = 1e29
"""Ticks: a buff that lasts longer has no duration."""


@kernel
def put_own(view: ApiView, at: int, u: int) -> int:
    game, me = view.game, view.game.units[u]
    kind = view.api.types[me.kind]
    at = put_orders(view, at, u)
    if has_structures(game):
        addon = addon_of(game, u)
        if addon >= 0:
            at = put_number(view, at, ADD_ON, unit_tag(view, int(game.units[addon].tag)))
    if kind.cargo_room > 0 and (kind.shows_room or game.skills[u].load > 0):
        at = put_cargo(view, at, u)
    at = put_number(view, at, ASSIGNED, int(view.listing.assigned[u]))
    at = put_number(view, at, IDEAL, int(view.listing.ideal[u]))
    if kind.armed:
        at = put_float(view, at, COOLDOWN, max(0.0, me.cooldown))
    if is_unit(game, int(me.target), int(me.target_tag)):
        at = put_number(view, at, ENGAGED, unit_tag(view, int(me.target_tag)))
    at = put_duration(view, at, u)
    return put_rallies(view, at, u) if has_economy(game) else at


@kernel
def put_cargo(view: ApiView, at: int, u: int) -> int:
    """Who is aboard, and how much room there is."""
    game = view.game
    if game.skills[u].load > 0:
        for i in range(game.clock[0].n_living):
            v = int(game.living[i])
            if game.units[v].inside == u and not game.units[v].alive:
                at = put_passenger(view, at, v)
    at = put_number(view, at, CARGO_TAKEN, int(game.skills[u].load))
    return put_number(view, at, CARGO_MAX, int(view.api.types[game.units[u].kind].cargo_room))


@kernel
def put_passenger(view: ApiView, at: int, v: int) -> int:
    other = view.game.units[v]
    row = view.game.rules.types[other.kind]
    first = begin_message(view, at, PASSENGERS, SHORT)
    at = put_number(view, first, 1, unit_tag(view, int(other.tag)))
    at = put_float(view, at, 2, other.hp)
    at = put_float(view, at, 3, other.hp_max)
    at = put_float(view, at, 4, other.shield)
    at = put_float(view, at, 7, row.shields)
    at = put_float(view, at, 5, other.energy)
    at = put_float(view, at, 8, row.energy_max)
    at = put_number(view, at, 6, int(view.api.types[other.kind].id))
    return end_message(view, first, at, SHORT)


@kernel
def put_duration(view: ApiView, at: int, u: int) -> int:
    """What is left of a timed life, or else of the buff that ends last."""
    game, me = view.game, view.game.units[u]
    left, whole = me.life_ticks, view.api.types[me.kind].lifetime
    if whole == 0.0:
        left = 0.0
        for b in range(game.buffs.shape[1]):
            buff = game.buffs[u, b]
            if buff.row >= 0 and left < buff.ticks < ENDLESS and view.api.buffs[buff.row] > 0:
                left, whole = buff.ticks, max(buff.ticks, game.rules.buffs[buff.row].ticks)
    if left <= 0.0:
        return at
    at = put_number(view, at, BUFF_REMAIN, int(left))
    return put_number(view, at, BUFF_MAX, int(whole))


@kernel
def put_rallies(view: ApiView, at: int, u: int) -> int:
    """Where new units go; a second time for workers, where they go elsewhere."""
    rally = view.game.producers[u]
    for k in range(rally.rally.shape[0]):
        if rally.rally[k] == codes.NO_RALLY:
            continue
        same = k > 0 and rally.rally[0] == rally.rally[k]
        same = same and rally.rally_x[0] == rally.rally_x[k]
        if same and rally.rally_y[0] == rally.rally_y[k]:
            continue
        first = begin_message(view, at, RALLIES, SHORT)
        at = put_point(view, first, 1, rally.rally_x[k], rally.rally_y[k])
        if rally.rally[k] == codes.RALLY_UNIT:
            at = put_number(view, at, 2, unit_tag(view, int(rally.rally_tag[k])))
        at = end_message(view, first, at, SHORT)
    return at
