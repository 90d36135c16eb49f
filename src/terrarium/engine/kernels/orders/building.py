"""Orders to build: whether they are accepted, and what comes back of those that are dropped."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.construction.addons import ADDON_X, ADDON_Y, addon_of, is_busy
from terrarium.engine.kernels.construction.placement import may_stand, snapped
from terrarium.engine.kernels.economy.payment import (
    can_pay,
    energy_price,
    meets_requirements,
    refund,
)
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
    if product.by != me.kind or me.status & codes.SILENCED:
        return codes.NOT_SUPPORTED
    if product.how == codes.HOW_ADDON:
        if game.rules.types[me.kind].flying or is_busy(game, u) or addon_of(game, u) >= 0:
            return codes.NOT_SUPPORTED
    elif product.builder < 0:
        return codes.NOT_SUPPORTED
    if me.energy < energy_price(game, me.owner, product.energy):
        return codes.NOT_ENOUGH_ENERGY
    if meets_requirements(game, me.owner, p) != codes.SUCCESS:
        return codes.BUILD_TECH_REQUIREMENTS_NOT_MET
    answer = can_pay(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    x, y = wanted_place(game, u, command)
    return may_stand(game, me.owner, product.makes, x, y, True)


@kernel
def wanted_place(game: Game, u: int, command: Records) -> tuple[float, float]:
    """Where a command to build puts the structure: beside its producer, on the unit that it names,
    or at its point, as near as the grid allows."""
    x, y = command.x, command.y
    if game.rules.products[command.ability].how == codes.HOW_ADDON:
        x, y = game.units[u].x + ADDON_X, game.units[u].y + ADDON_Y
    elif command.target >= 0:
        x, y = game.units[command.target].x, game.units[command.target].y
    return snapped(game, game.rules.products[command.ability].makes, x, y)


@kernel
def is_same_build(game: Game, u: int, command: Records) -> bool:
    """Is it the order that the unit is carrying out? Then it is ignored (sc2api.md, 11)."""
    order = game.orders[u, 0]
    if game.units[u].n_orders == 0 or order.kind != codes.BUILD:
        return False
    if order.ability != command.ability:
        return False
    x, y = wanted_place(game, u, command)
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
