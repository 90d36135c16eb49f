"""Orders to build: whether they are accepted, and what comes back of those that are dropped."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.payment import can_pay, meets_requirements, refund
from terrarium.engine.kernels.economy.placement import may_stand
from terrarium.engine.kernels.movement.footprints import lowest_cell
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy


@kernel
def may_build(game: Game, u: int, command: Records) -> int:
    """Would an order to build be accepted? It is paid at once, also if it is queued
    (economy.md, 9)."""
    p, me = command.ability, game.units[u]
    if not has_economy(game) or not 0 <= p < game.rules.products.shape[0]:
        return codes.NOT_SUPPORTED
    product = game.rules.products[p]
    if product.by != me.kind or product.builder < 0 or me.status & codes.SILENCED:
        return codes.NOT_SUPPORTED
    if meets_requirements(game, me.owner, p) != codes.SUCCESS:
        return codes.BUILD_TECH_REQUIREMENTS_NOT_MET
    answer = can_pay(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    x, y = wanted_place(game, command)
    return may_stand(game, me.owner, product.makes, x, y, True)


@kernel
def wanted_place(game: Game, command: Records) -> tuple[float, float]:
    """Where a command to build puts the structure: on the unit that it names, or at its point, as
    near as the grid allows."""
    x, y = command.x, command.y
    if command.target >= 0:
        x, y = game.units[command.target].x, game.units[command.target].y
    kind = game.rules.products[command.ability].makes
    shape = game.rules.footprints[game.rules.types[kind].footprint]
    left, bottom = lowest_cell(x, shape.width), lowest_cell(y, shape.height)
    return left + 0.5 * shape.width, bottom + 0.5 * shape.height


@kernel
def is_same_build(game: Game, u: int, command: Records) -> bool:
    """Is it the order that the unit is carrying out? Then it is ignored (sc2api.md, 11)."""
    order = game.orders[u, 0]
    if game.units[u].n_orders == 0 or order.kind != codes.BUILD:
        return False
    if order.ability != command.ability:
        return False
    x, y = wanted_place(game, command)
    return order.x == x and order.y == y


@kernel
def drop_orders(game: Game, u: int, first: int) -> None:
    """Forget the orders of a unit from the given one on; what was paid for them comes back."""
    me = game.units[u]
    if has_economy(game):
        for q in range(first, me.n_orders):
            if game.orders[u, q].kind == codes.BUILD:
                refund(game, me.owner, game.orders[u, q].ability, 1.0)
    me.n_orders = min(me.n_orders, first)
