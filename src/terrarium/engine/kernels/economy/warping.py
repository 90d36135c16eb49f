"""Warping in: units that a warp gate sends into power, and Archons, which grow where they are."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.economy.morphing import may_morph, morph_into
from terrarium.engine.kernels.economy.payment import (
    can_pay,
    meets_requirements,
    pay_for,
    refund,
)
from terrarium.engine.kernels.economy.work import build_rate, note_product, work_rate
from terrarium.engine.kernels.ground.power import FAST_FIELD, NO_POWER, field_at
from terrarium.engine.kernels.movement.places import on_map
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.kernels.setup.free_places import fits, home_of
from terrarium.engine.kernels.setup.placing import take_out
from terrarium.engine.kernels.vision.sight import is_point_seen
from terrarium.engine.state import Game

FAST_TICKS = 81.0
"""in a fast field (economy.md, 7); in a slow one it is the time of the product"""
FIRST_SHARE = 0.1
"""of life and shields, with which a unit begins to be warped in"""
CANCELLED_SHARE = 0.75
AUTOCAST_TICKS = 7
"""How often a structure looks whether it can change its form by itself: a gateway is a warp gate
158 to 165 loops after the research (economy.md, 7)."""


@kernel
def may_warp_in(game: Game, u: int, p: int, x: float, y: float) -> int:
    """Would an order to warp a unit in be accepted? One of codes.RESULT_NAMES."""
    me, product = game.units[u], game.rules.products[p]
    if product.by != me.kind or me.status & (codes.UNFINISHED | codes.HALTED):
        return codes.NOT_SUPPORTED
    if game.producers[u].n_items > 0:
        return codes.CANT_QUEUE_THAT_ORDER
    answer = meets_requirements(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    if game.producers[u].cooldown > 0.0:
        return codes.COOLDOWN
    answer = can_pay(game, me.owner, p)
    return may_appear(game, me.owner, p, x, y) if answer == codes.SUCCESS else answer


@kernel
def may_appear(game: Game, owner: int, p: int, x: float, y: float) -> int:
    """Is a point one that a unit can be warped in at? One of codes.RESULT_NAMES."""
    if field_at(game, owner, x, y) == NO_POWER:
        return codes.CANT_BUILD_TOO_FAR_FROM_BUILD_POWER_SOURCE
    row = game.rules.types[game.rules.products[p].makes]
    on_x, on_y = on_map(game, x, y)  # fields reach beyond the edge of the map
    if (
        on_x != x
        or on_y != y
        or not is_point_seen(game, owner, x, y)
        or not fits(game, row, home_of(game, row, x, y), x, y)
    ):
        return codes.CANT_BUILD_LOCATION_INVALID
    return codes.SUCCESS


@kernel
def warp_in(game: Game, u: int, p: int, x: float, y: float) -> int:
    """Send a unit to a point in power, where it grows until it is whole."""
    answer = may_warp_in(game, u, p, x, y)
    if answer != codes.SUCCESS:
        return answer
    me, product = game.units[u], game.rules.products[p]
    fast = field_at(game, me.owner, x, y) == FAST_FIELD
    if grow_unit(game, p, me.owner, x, y, FAST_TICKS if fast else product.ticks) < 0:
        return codes.ERROR
    pay_for(game, me.owner, p)
    if not game.players[me.owner].cheats & codes.HAS_NO_COOLDOWNS:
        game.producers[u].cooldown = product.gate_ticks
    return codes.SUCCESS


@kernel
def grow_unit(game: Game, p: int, owner: int, x: float, y: float, ticks: float) -> int:
    """A unit appears with a tenth of its life, and can do nothing before it has all of it."""
    v = spawn(game, game.rules.products[p].makes, owner, x, y, False)
    if v < 0:
        return v
    other, producer = game.units[v], game.producers[v]
    producer.made_as, producer.progress, producer.left = p, 0.0, ticks
    producer.total = ticks
    refresh(game, v)
    other.hp *= FIRST_SHARE
    other.shield *= FIRST_SHARE
    game.accounts[owner].supply_used += game.rules.products[p].supply
    note_product(game, codes.STARTED, v, p)
    return v


@kernel
def run_warping(game: Game) -> None:
    """One tick of units that are warped in, of warp gates, and of what changes by itself."""
    tick = game.clock[0].tick
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me, producer = game.units[u], game.producers[u]
        row = game.rules.types[me.kind]
        if not me.alive or me.hp <= 0.0:
            continue
        if me.status & codes.UNFINISHED:
            if not row.structure:
                grow(game, u)
            continue
        if producer.cooldown > 0.0 and not me.status & codes.HALTED:
            producer.cooldown = max(0.0, producer.cooldown - work_rate(game, u))
        if row.becomes_itself >= 0 and (tick + me.phase) % AUTOCAST_TICKS == 0:
            if not producer.keeps_form and may_morph(game, u, row.becomes_itself) == codes.SUCCESS:
                morph_into(game, u, row.becomes_itself)


@kernel
def grow(game: Game, v: int) -> None:
    """One tick of a unit that is warped in: what it has lost stays lost."""
    me, producer = game.units[v], game.producers[v]
    shields = game.rules.types[me.kind].shields
    rate = build_rate(game, me.owner)
    share = min(rate, producer.left) * (1.0 - FIRST_SHARE) / max(1.0, producer.total)
    producer.left -= rate
    me.hp = min(me.hp_max, me.hp + share * me.hp_max)
    me.shield = min(shields, me.shield + share * shields)
    if producer.left > 0.0:
        producer.progress = 1.0 - producer.left / max(1.0, producer.total)
        return
    if me.hp_max - me.hp < NEARLY_ALL:
        me.hp = me.hp_max
    if shields - me.shield < NEARLY_ALL:
        me.shield = shields
    producer.progress, producer.left = 1.0, 0.0
    refresh(game, v)
    note_product(game, codes.FINISHED, v, producer.made_as)


NEARLY_ALL = 1e-6
"""what rounding may leave"""


@kernel
def cancel_warp_in(game: Game, v: int) -> int:
    """Give up a unit that is not there yet; a merger cannot be undone."""
    p = game.producers[v].made_as
    if game.rules.products[p].how != codes.HOW_WARP_IN:
        return codes.NOT_SUPPORTED
    refund(game, game.units[v].owner, p, CANCELLED_SHARE)
    note_product(game, codes.CANCELLED, v, p)
    take_out(game, v)
    return codes.SUCCESS
