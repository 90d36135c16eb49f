"""The message of one unit. Which fields it has follows the recorded games (sc2api.md, 8.3)."""

from math import atan2, pi

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import has_economy
from terrarium.server.kernels.layouts import ApiView
from terrarium.server.kernels.own_units import put_own
from terrarium.server.kernels.tags import blip_tag, remembered_tag, unit_tag
from terrarium.server.kernels.who_sees import (
    BLIP,
    CLOAK_UNKNOWN,
    HIDDEN,
    PLACEHOLDER,
    SNAPSHOT,
    VISIBLE,
    alliance,
    cloak_of,
    is_on_screen,
    is_own_side,
)
from terrarium.server.kernels.wire import (
    LONG,
    begin_message,
    end_message,
    put_flag,
    put_float,
    put_number,
    put_place,
)

UNITS = 2
"""the field of the raw data"""
(
    DISPLAY, ALLIANCE, TAG, TYPE, OWNER, POS, FACING, RADIUS, PROGRESS, CLOAK, SELECTED, ON_SCREEN,
    IS_BLIP, HEALTH, HEALTH_MAX, SHIELD, ENERGY, MINERALS, VESPENE, FLYING, BURROWED,
) = range(1, 22)  # fmt: skip
BUFFS, DETECTS, RADAR, POWERED, SHIELD_MAX, ENERGY_MAX, HALLUCINATION, ACTIVE = (
    27, 31, 32, 35, 36, 37, 38, 39,
)  # fmt: skip
ATTACK_LEVEL, ARMOR_LEVEL, SHIELD_LEVEL = 40, 41, 42
API_NEUTRAL = 16
NEVER_SEEN_TICK = 0
"""Snapshots of this tick are what players know of the map before they have seen it."""


@kernel
def put_unit(view: ApiView, at: int, u: int, display: int) -> int:
    """A unit of which there is something to see."""
    me, kind = view.game.units[u], view.api.types[view.game.units[u].kind]
    first = begin_message(view, at, UNITS, LONG)
    at = put_number(view, first, DISPLAY, HIDDEN if display == BLIP else display)
    at = put_number(view, at, ALLIANCE, alliance(view, int(me.owner)))
    if display == BLIP:
        at = put_number(view, at, TAG, blip_tag(view, int(me.tag)))
        at = put_number(view, at, TYPE, 0)
    else:
        at = put_number(view, at, TAG, unit_tag(view, int(me.tag)))
        is_agent = me.passive and kind.agent_id > 0
        at = put_number(view, at, TYPE, int(kind.agent_id if is_agent else kind.id))
    at = put_number(view, at, OWNER, shown_owner(int(me.owner)))
    at = put_place(view, at, POS, me.x, me.y, kind.fly_height)
    at = put_float(view, at, FACING, facing(view, int(me.kind), me.face_x, me.face_y))
    at = put_float(view, at, RADIUS, kind.radius)
    at = put_float(view, at, PROGRESS, progress(view, u))
    at = put_number(view, at, CLOAK, cloak_of(view, u, display))
    if display == VISIBLE:
        at = put_flag(view, at, SELECTED, False)
    shown = display == VISIBLE and is_on_screen(view, me.x, me.y)
    at = put_flag(view, at, ON_SCREEN, shown)
    at = put_flag(view, at, IS_BLIP, display == BLIP)
    if display == VISIBLE:
        at = put_sight(view, at, u)
        at = put_vitals(view, at, u)
        if is_own_side(view, int(me.owner)):
            at = put_own(view, at, u)
    elif kind.structure and display != BLIP:
        at = put_flag(view, at, POWERED, False)
    return end_message(view, first, at, LONG)


@kernel
def put_sight(view: ApiView, at: int, u: int) -> int:
    """What anybody sees of a unit who sees it."""
    game, me = view.game, view.game.units[u]
    kind, row = view.api.types[me.kind], game.rules.types[me.kind]
    if kind.structure:
        at = put_flag(view, at, POWERED, has_power(view, u))
    at = put_flag(view, at, ACTIVE, is_active(view, u))
    levels = game.players[game.skills[u].true_owner].levels
    if kind.armed:
        at = put_number(view, at, ATTACK_LEVEL, int(levels[kind.family]))
    armor = row.armor_step * levels[row.armor_family]
    at = put_number(view, at, ARMOR_LEVEL, int(armor))
    at = put_number(view, at, SHIELD_LEVEL, int(row.shield_step * levels[row.shield_family]))
    if kind.detects > 0.0 and not me.status & (codes.UNFINISHED | codes.BLINDED):
        at = put_float(view, at, DETECTS, kind.detects)
    if kind.radar > 0.0 and not me.status & codes.UNFINISHED:
        at = put_float(view, at, RADAR, kind.radar)
    for b in range(game.buffs.shape[1]):
        if game.buffs[u, b].row >= 0 and view.api.buffs[game.buffs[u, b].row] > 0:
            at = put_number(view, at, BUFFS, int(view.api.buffs[game.buffs[u, b].row]))
    carried = carried_buff(view, u)
    return put_number(view, at, BUFFS, carried) if carried > 0 else at


@kernel
def put_vitals(view: ApiView, at: int, u: int) -> int:
    """Life, shields, energy, and what there is to gather."""
    game, me, row = view.game, view.game.units[u], view.game.rules.types[view.game.units[u].kind]
    at = put_float(view, at, HEALTH, me.hp)
    at = put_float(view, at, HEALTH_MAX, me.hp_max)
    at = put_float(view, at, SHIELD, me.shield)
    at = put_float(view, at, SHIELD_MAX, row.shields)
    at = put_float(view, at, ENERGY, me.energy)
    at = put_float(view, at, ENERGY_MAX, row.energy_max)
    if row.resource == codes.MINERALS and has_economy(game):
        at = put_number(view, at, MINERALS, int(game.resources[u].contents))
    elif row.resource == codes.VESPENE and has_economy(game):
        at = put_number(view, at, VESPENE, int(game.resources[u].contents))
    at = put_flag(view, at, FLYING, row.flying or me.status & codes.LIFTED != 0)
    at = put_flag(view, at, BURROWED, view.api.types[me.kind].burrowed)
    is_hallucination = me.status & codes.HALLUCINATED != 0 and is_own_side(view, int(me.owner))
    return put_flag(view, at, HALLUCINATION, is_hallucination)


@kernel
def put_snapshot(view: ApiView, at: int, p: int, k: int) -> int:
    """A snapshot of a player: what was there when it was seen last, or what the map says."""
    known = view.game.snapshots[p, k]
    kind = view.api.types[known.kind]
    first = begin_message(view, at, UNITS, LONG)
    at = put_number(view, first, DISPLAY, SNAPSHOT)
    at = put_number(view, at, ALLIANCE, alliance(view, int(known.owner)))
    at = put_number(view, at, TAG, remembered_tag(int(known.number)))
    at = put_number(view, at, TYPE, int(kind.id))
    at = put_number(view, at, OWNER, shown_owner(int(known.owner)))
    at = put_place(view, at, POS, known.x, known.y, kind.fly_height)
    angle = 0.0
    if known.tick != NEVER_SEEN_TICK:
        angle = facing(view, int(known.kind), known.face_x, known.face_y)
    at = put_float(view, at, FACING, angle)
    at = put_float(view, at, RADIUS, kind.radius)
    at = put_float(view, at, PROGRESS, known.progress)
    at = put_number(view, at, CLOAK, CLOAK_UNKNOWN)
    at = put_flag(view, at, ON_SCREEN, False)
    at = put_flag(view, at, IS_BLIP, False)
    if kind.structure:
        at = put_flag(view, at, POWERED, False)
    return end_message(view, first, at, LONG)


@kernel
def put_placeholder(view: ApiView, at: int, u: int, q: int) -> int:
    """A structure that a worker has been told to build: it has no tag."""
    game, order = view.game, view.game.orders[u, q]
    product = game.rules.products[order.ability]
    kind = view.api.types[product.makes]
    first = begin_message(view, at, UNITS, LONG)
    at = put_number(view, first, DISPLAY, PLACEHOLDER)
    at = put_number(view, at, ALLIANCE, alliance(view, int(game.units[u].owner)))
    at = put_number(view, at, TYPE, int(kind.id))
    at = put_number(view, at, OWNER, shown_owner(int(game.units[u].owner)))
    at = put_place(view, at, POS, order.x, order.y, 0.0)
    at = put_float(view, at, RADIUS, kind.radius)
    at = put_float(view, at, PROGRESS, 0.0)
    return end_message(view, first, at, LONG)


@kernel
def shown_owner(owner: int) -> int:
    return API_NEUTRAL if owner == codes.NEUTRAL_OWNER else owner


@kernel
def facing(view: ApiView, kind: int, x: float, y: float) -> float:
    """The angle from the x axis, from 0 to a whole turn."""
    fixed = view.api.types[kind].facing
    if fixed >= 0.0:
        return float(fixed)
    angle = atan2(y, x)
    return angle + 2.0 * pi if angle < 0.0 else angle


@kernel
def progress(view: ApiView, u: int) -> float:
    return float(view.game.producers[u].progress) if has_economy(view.game) else 1.0


@kernel
def has_power(view: ApiView, u: int) -> bool:
    me = view.game.units[u]
    return view.game.rules.types[me.kind].needs_power and not me.status & codes.UNPOWERED


@kernel
def is_active(view: ApiView, u: int) -> bool:
    """Does it make something, or do what it was told?"""
    if view.game.units[u].n_orders > 0:
        return True
    return has_economy(view.game) and view.game.producers[u].n_items > 0


@kernel
def carried_buff(view: ApiView, u: int) -> int:
    """The buff by which the API says what a worker carries; 0 = it carries nothing."""
    if not has_economy(view.game):
        return 0
    worker, kind = view.game.workers[u], view.api.types[view.game.units[u].kind]
    if worker.carries == codes.MINERALS:
        return int(kind.rich_buff if worker.cargo > kind.rich_above else kind.minerals_buff)
    return int(kind.gas_buff) if worker.carries == codes.VESPENE else 0
