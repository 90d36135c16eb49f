"""Flying structures that are to build an add-on: they land first."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.construction.addons import ADDON_X, ADDON_Y
from terrarium.engine.kernels.construction.placement import may_stand, snapped
from terrarium.engine.kernels.economy.payment import can_pay, meets_requirements, pay_for
from terrarium.engine.kernels.orders.orders import FURTHEST, cast_ability
from terrarium.engine.kernels.orders.permission import lands, may_aim_at, may_order
from terrarium.engine.records import Records
from terrarium.engine.state import Game


@kernel
def may_land_and_add(game: Game, u: int, command: Records) -> int:
    """Would a flying structure land at a point and build an add-on there?"""
    me, p = game.units[u], command.ability
    product, ability = game.rules.products[p], landing_of(game, me.kind)
    if not (abs(command.x) < FURTHEST and abs(command.y) < FURTHEST):
        return codes.ERROR
    if product.by != me.kind or ability < 0:
        return codes.NOT_SUPPORTED
    if meets_requirements(game, me.owner, p) != codes.SUCCESS:
        return codes.BUILD_TECH_REQUIREMENTS_NOT_MET
    answer = can_pay(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    kind = game.rules.mechanics.morphs[game.rules.abilities[ability].params].becomes
    x, y = snapped(game, kind, command.x, command.y)
    answer = may_stand(game, me.owner, product.makes, x + ADDON_X, y + ADDON_Y, True)
    if answer == codes.SUCCESS:
        answer = may_order(game, u, ability, codes.NO_UNIT, False)
    return may_aim_at(game, u, ability, x, y) if answer == codes.SUCCESS else answer


@kernel
def land_and_add(game: Game, u: int, command: Records) -> int:
    """Order a flying structure to land at a point and to build an add-on there."""
    answer = may_land_and_add(game, u, command)
    if answer != codes.SUCCESS:
        return answer
    me, p = game.units[u], command.ability
    ability = landing_of(game, me.kind)
    kind = game.rules.mechanics.morphs[game.rules.abilities[ability].params].becomes
    x, y = snapped(game, kind, command.x, command.y)
    answer = cast_ability(game, u, ability, codes.NO_UNIT, x, y)
    if answer != codes.SUCCESS:
        return answer
    order = game.orders[u, me.n_orders]
    order.kind, order.target, order.tag = codes.BUILD, codes.NO_UNIT, 0
    order.ability = same_product_of(game, p, kind)
    order.x, order.y = x + ADDON_X, y + ADDON_Y
    me.n_orders += 1
    pay_for(game, me.owner, p)
    return codes.SUCCESS


@kernel
def landing_of(game: Game, kind: int) -> int:
    """The ability by which a type lands; -1 = it has none."""
    for k in range(game.rules.kit.shape[1]):
        if game.rules.kit[kind, k] >= 0 and lands(game, game.rules.kit[kind, k]):
            return int(game.rules.kit[kind, k])
    return codes.NO_ABILITY


@kernel
def same_product_of(game: Game, p: int, kind: int) -> int:
    """The same product as another type makes it."""
    for k in range(game.rules.products.shape[0]):
        product = game.rules.products[k]
        if product.by == kind and product.makes == game.rules.products[p].makes:
            return k
    return p
