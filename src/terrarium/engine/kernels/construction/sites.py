"""Sites: structures that are not finished, and those who work on them."""

from terrarium.engine import codes
from terrarium.engine.jit import inline, kernel
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.movement.places import standing_point
from terrarium.engine.kernels.random import ORDER_POINT, uniform
from terrarium.engine.records import Records
from terrarium.engine.state import Game, is_unit

TOUCH = 0.1
"""From the edge of a worker to a footprint: near enough to begin there."""
BESIDE = 1.0
"""The same: near enough to go on."""
AWAY = 0.7
"""The same: a builder that gets further away comes back."""
STROLL_TICKS = 48.0
"""How long a builder stays in one place beside its site."""


@inline
def is_building(order: int) -> bool:
    return order == codes.BUILD or order == codes.CONSTRUCT


@kernel
def gap_to_footprint(game: Game, u: int, footprint: int, x: float, y: float) -> float:
    """From the edge of a unit to the cells of a footprint whose middle is at a point."""
    me, shape = game.units[u], game.rules.footprints[footprint]
    dx = max(abs(me.x - x) - 0.5 * shape.width, 0.0)
    dy = max(abs(me.y - y) - 0.5 * shape.height, 0.0)
    return length(dx, dy) - game.rules.types[me.kind].inner


@kernel
def gap_to_site(game: Game, u: int, v: int) -> float:
    """The same, to a structure."""
    site = game.units[v]
    return gap_to_footprint(game, u, game.rules.types[site.kind].footprint, site.x, site.y)


@kernel
def is_unfinished(game: Game, v: int) -> bool:
    return game.units[v].status & codes.UNFINISHED != 0


@kernel
def has_builder(game: Game, v: int) -> bool:
    """Does a worker have the order to work on a site, and has it begun?"""
    producer = game.producers[v]
    u = producer.builder
    if not is_unit(game, u, producer.builder_tag) or game.units[u].n_orders == 0:
        return False
    order = game.orders[u, 0]
    return order.kind == codes.CONSTRUCT and order.target == v and order.tag == game.units[v].tag


@kernel
def may_construct(game: Game, u: int, v: int) -> bool:
    """Is `v` a site that worker `u` can go on with? Two workers cannot share one."""
    me, other = game.units[u], game.units[v]
    if not other.alive or other.owner != me.owner or not is_unfinished(game, v):
        return False
    p = game.producers[v].made_as
    if p < 0 or game.rules.products[p].by != me.kind:
        return False
    if game.rules.products[p].builder != codes.STAYS:
        return False
    return not has_builder(game, v) or game.producers[v].builder == u


@kernel
def slips(game: Game, u: int) -> bool:
    """Does a worker pass through units of its own player? Who works on a site does, because it
    may stand in the only gap to another one; and for a while who is held up on its way."""
    order = game.orders[u, 0]
    if order.kind == codes.CONSTRUCT and is_unit(game, order.target, order.tag):
        if has_builder(game, order.target) and game.producers[order.target].builder == u:
            return True
    return game.workers[u].slips_until > game.clock[0].tick


@kernel
def errand_of_building(game: Game, u: int) -> tuple[float, float, float]:
    """Where a worker has to be that builds, and how far it is; 0 = it stays."""
    me, order = game.units[u], game.orders[u, 0]
    if order.kind == codes.BUILD:
        footprint = game.rules.types[game.rules.products[order.ability].makes].footprint
        if gap_to_footprint(game, u, footprint, order.x, order.y) <= TOUCH:
            return me.x, me.y, 0.0
        return order.x, order.y, length(order.x - me.x, order.y - me.y)
    v = order.target
    if not is_unit(game, v, order.tag):
        return me.x, me.y, 0.0
    if not has_builder(game, v) or game.producers[v].builder != u:
        other = game.units[v]
        return other.x, other.y, length(other.x - me.x, other.y - me.y)
    return stroll(game, u, v)


@kernel
def stroll(game: Game, u: int, v: int) -> tuple[float, float, float]:
    """A builder walks from place to place around its site."""
    me, worker = game.units[u], game.workers[u]
    gap = gap_to_site(game, u, v)
    worker.timer -= 1.0
    if worker.spot_tag != game.units[v].tag or worker.timer <= 0.0 or gap > AWAY:
        worker.spot_tag, worker.timer = game.units[v].tag, STROLL_TICKS
        choose_place(game, u, game.units[v], gap > AWAY)
        me.way_tick, me.stalled = 0, 0
    distance = length(worker.spot_x - me.x, worker.spot_y - me.y)
    return worker.spot_x, worker.spot_y, distance if distance > TOUCH else 0.0


@kernel
def choose_place(game: Game, u: int, site: Records, nearest: bool) -> None:
    """The next place beside a site: by lot, on one of the sides that the builder is at, so that
    its way there does not lead around other structures; or the nearest one."""
    me, worker, clock = game.units[u], game.workers[u], game.clock[0]
    shape = game.rules.footprints[game.rules.types[site.kind].footprint]
    out = game.rules.types[me.kind].inner + 0.5 * TOUCH
    half_x, half_y = 0.5 * shape.width + out, 0.5 * shape.height + out
    dx, dy = me.x - site.x, me.y - site.y
    at_side = abs(dx) * half_y > abs(dy) * half_x  # left or right of it, else above or below
    if not nearest:
        draw = 2.0 * uniform(clock.seed, clock.tick, me.tag, ORDER_POINT) - 1.0
        dx, dy = (dx, draw * half_y) if at_side else (draw * half_x, dy)
        if abs(draw) > 0.9:
            at_side = not at_side  # around the corner
    if at_side:
        dx = half_x if dx > 0.0 else -half_x
    else:
        dy = half_y if dy > 0.0 else -half_y
    dx, dy = min(max(dx, -half_x), half_x), min(max(dy, -half_y), half_y)
    worker.spot_x, worker.spot_y = standing_point(game, me.kind, site.x + dx, site.y + dy)
