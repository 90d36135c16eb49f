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
def moves_for_addon(game: Game, u: int, command: Records) -> bool:
    """Is a structure to build an add-on elsewhere: where it lands, or, if it stands on the ground,
    at another place than its own? (0, 0), which is on no map, stands for no place."""
    me, p, x, y = game.units[u], command.ability, command.x, command.y
    if command.kind != codes.BUILD or not 0 <= p < game.rules.products.shape[0]:
        return False
    if game.rules.products[p].how != codes.HOW_ADDON:
        return False
    if game.rules.types[me.kind].flying:
        return True
    if not (abs(x) < FURTHEST and abs(y) < FURTHEST) or (x == 0.0 and y == 0.0):
        return False
    if lift_of(game, me.kind) < 0:
        return False
    x, y = snapped(game, me.kind, x, y)
    return x != me.x or y != me.y


@kernel
def may_land_and_add(game: Game, u: int, command: Records) -> int:
    """Would a structure land at a point and build an add-on there?"""
    me, p = game.units[u], command.ability
    product, lift = game.rules.products[p], lift_of(game, me.kind)
    if not (abs(command.x) < FURTHEST and abs(command.y) < FURTHEST):
        return codes.ERROR
    ability = landing_of(game, game.rules.types[me.kind].flying, me.kind, lift)
    if product.by != me.kind or ability < 0:
        return codes.NOT_SUPPORTED
    if meets_requirements(game, me.owner, p) != codes.SUCCESS:
        return codes.BUILD_TECH_REQUIREMENTS_NOT_MET
    answer = can_pay(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    kind = form_of(game, ability)
    x, y = snapped(game, kind, command.x, command.y)
    answer = may_stand(game, me.owner, product.makes, x + ADDON_X, y + ADDON_Y, True)
    if answer == codes.SUCCESS and lift >= 0:
        answer = may_order(game, u, lift, codes.NO_UNIT, False)
    elif answer == codes.SUCCESS:
        answer = may_order(game, u, ability, codes.NO_UNIT, False)
    return may_aim_at(game, u, ability, x, y) if answer == codes.SUCCESS else answer


@kernel
def land_and_add(game: Game, u: int, command: Records) -> int:
    """Order a structure to land at a point and to build an add-on there; one that stands on the
    ground lifts off first."""
    answer = may_land_and_add(game, u, command)
    if answer != codes.SUCCESS:
        return answer
    me, p = game.units[u], command.ability
    lift = lift_of(game, me.kind)
    ability = landing_of(game, game.rules.types[me.kind].flying, me.kind, lift)
    kind = form_of(game, ability)
    x, y = snapped(game, kind, command.x, command.y)
    answer = cast_ability(game, u, lift if lift >= 0 else ability, codes.NO_UNIT, x, y)
    if answer != codes.SUCCESS:
        return answer
    if lift >= 0:
        append_order(game, u, codes.CAST, ability, x, y)
    product = same_product_of(game, p, kind)
    append_order(game, u, codes.BUILD, product, x + ADDON_X, y + ADDON_Y)
    pay_for(game, me.owner, p)
    return codes.SUCCESS


@kernel
def append_order(game: Game, u: int, kind: int, row: int, x: float, y: float) -> None:
    order = game.orders[u, game.units[u].n_orders]
    order.kind, order.target, order.tag = kind, codes.NO_UNIT, 0
    order.ability, order.x, order.y = row, x, y
    game.units[u].n_orders += 1


@kernel
def form_of(game: Game, ability: int) -> int:
    """The type that a change of form leads to."""
    return int(game.rules.mechanics.morphs[game.rules.abilities[ability].params].becomes)


@kernel
def lift_of(game: Game, kind: int) -> int:
    """The ability by which a structure lifts off; -1 = it has none, or flies already."""
    row = game.rules.types[kind]
    for k in range(game.rules.kit.shape[1]):
        ability = game.rules.kit[kind, k]
        if ability < 0 or row.flying or not row.structure:
            continue
        if game.rules.abilities[ability].mechanic == codes.MORPH:
            if game.rules.types[form_of(game, ability)].flying:
                return int(ability)
    return codes.NO_ABILITY


@kernel
def landing_of(game: Game, flies: bool, kind: int, lift: int) -> int:
    """The ability by which a type lands, or the type that it lifts off as; -1 = it has none."""
    if not flies:
        if lift < 0:
            return codes.NO_ABILITY
        kind = form_of(game, lift)
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
