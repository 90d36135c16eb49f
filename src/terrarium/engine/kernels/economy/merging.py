"""Merging: two templar go to each other and become an Archon."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.payment import can_pay, meets_requirements
from terrarium.engine.kernels.economy.warping import grow_unit
from terrarium.engine.kernels.geometry import edge_distance, length
from terrarium.engine.kernels.orders.orders import go_to_point, order_on_unit
from terrarium.engine.kernels.setup.placing import take_out
from terrarium.engine.state import Game, is_unit

MERGE_GAP = 1.1
"""How near, edge to edge, two have come that merge: they follow each other up to 1."""


@kernel
def may_seek(game: Game, u: int, p: int, v: int) -> int:
    """Would an order to merge be accepted? One of codes.RESULT_NAMES."""
    me, product = game.units[u], game.rules.products[p]
    if product.by != me.kind or me.status & (codes.UNFINISHED | codes.STUNNED):
        return codes.NOT_SUPPORTED
    if v >= 0 and (v == u or not may_merge_with(game, u, p, v)):
        return codes.CANT_TARGET_THAT_UNIT
    answer = meets_requirements(game, me.owner, p)
    return can_pay(game, me.owner, p) if answer == codes.SUCCESS else answer


@kernel
def seek_merger(game: Game, u: int, p: int, v: int) -> int:
    """Merge with a unit, or with the next one that is told to merge."""
    answer = may_seek(game, u, p, v)
    if answer != codes.SUCCESS:
        return answer
    go_to_point(game, u, codes.STOP, 0.0, 0.0, False)
    game.producers[u].seeks = p
    if v < 0:
        v = nearest_seeker(game, u, p)
    if v >= 0:
        join(game, u, v, p)
    return codes.SUCCESS


@kernel
def may_merge_with(game: Game, u: int, p: int, v: int) -> bool:
    """Is it another unit of the player that merges into the same?"""
    if not 0 <= v < game.clock[0].n_slots:
        return False
    me, other = game.units[u], game.units[v]
    if not other.alive or other.owner != me.owner:
        return False
    if other.status & (codes.UNFINISHED | codes.HALLUCINATED):
        return False
    return product_of_merger(game, other.kind, game.rules.products[p].makes) >= 0


@kernel
def product_of_merger(game: Game, kind: int, makes: int) -> int:
    """The row of products by which units of a type merge into another; -1 = they do not."""
    for p in range(game.rules.products.shape[0]):
        product = game.rules.products[p]
        if product.how == codes.HOW_MERGE and product.by == kind and product.makes == makes:
            return p
    return codes.NO_PRODUCT


@kernel
def nearest_seeker(game: Game, u: int, p: int) -> int:
    """The nearest one that waits for somebody to merge with; -1 = none."""
    me, best, best_distance = game.units[u], codes.NO_UNIT, 1e30
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if v == u or not other.alive or game.producers[v].seeks < 0 or other.n_orders > 0:
            continue
        if may_merge_with(game, u, p, v):
            distance = length(other.x - me.x, other.y - me.y)
            if distance < best_distance:
                best, best_distance = v, distance
    return best


@kernel
def join(game: Game, u: int, v: int, p: int) -> None:
    """Let two go to each other."""
    makes = game.rules.products[p].makes
    order_on_unit(game, u, codes.FOLLOW, v, False)
    order_on_unit(game, v, codes.FOLLOW, u, False)
    game.producers[u].seeks = p
    game.producers[v].seeks = product_of_merger(game, game.units[v].kind, makes)


@kernel
def run_mergers(game: Game) -> None:
    """One tick of all who want to merge; whoever got another order does not any more."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me, producer = game.units[u], game.producers[u]
        if producer.seeks < 0 or not me.alive or me.hp <= 0.0 or me.n_orders == 0:
            continue
        order = game.orders[u, 0]
        v = order.target
        if order.kind != codes.FOLLOW or not is_unit(game, v, order.tag):
            producer.seeks = codes.NO_PRODUCT
        elif is_partner(game, v, u) and edge_distance(game, me, game.units[v]) <= MERGE_GAP:
            merge(game, u, v)


@kernel
def is_partner(game: Game, v: int, u: int) -> bool:
    """Does `v` still want to merge with `u`?"""
    other = game.units[v]
    if game.producers[v].seeks < 0 or other.n_orders == 0 or other.hp <= 0.0:
        return False
    order = game.orders[v, 0]
    return order.kind == codes.FOLLOW and order.target == u and order.tag == game.units[u].tag


@kernel
def merge(game: Game, u: int, v: int) -> None:
    """Two units are one from now on, which still has to grow."""
    me, other, p = game.units[u], game.units[v], game.producers[u].seeks
    x, y = 0.5 * (me.x + other.x), 0.5 * (me.y + other.y)
    take_out(game, u)
    take_out(game, v)
    grow_unit(game, p, me.owner, x, y, game.rules.products[p].ticks)
