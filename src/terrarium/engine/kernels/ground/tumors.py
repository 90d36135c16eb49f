"""Structures that structures make: creep tumors, which dig themselves in and spread, and worms."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.morphs import become
from terrarium.engine.kernels.construction.construction import put_site
from terrarium.engine.kernels.construction.placement import may_stand
from terrarium.engine.kernels.economy.payment import can_pay, meets_requirements, pay_for
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.random import COCOON, uniform
from terrarium.engine.kernels.vision.sight import is_point_seen
from terrarium.engine.state import Game

DIG_TICKS, MORE_DIG_TICKS = 16.0, 5.92
"""How long a tumor that is done takes to be underground: ability 1662."""
SPREAD_TICKS = 240.0
"""From when it is done until it may make another one: ability 1733."""
SPREAD_RANGE = 10.0
FLIGHT_TICKS, FLIGHT_TICKS_PER_CELL = 27.0, 1.3
"""What a tumor of a tumor takes longer: 267 to 280 loops instead of 240 (economy.md, 7)."""


@kernel
def may_plant(game: Game, u: int, p: int, x: float, y: float) -> int:
    """Would an order to make a structure at a point be accepted? One of codes.RESULT_NAMES."""
    me, product, producer = game.units[u], game.rules.products[p], game.producers[u]
    if product.by != me.kind or me.status & (codes.UNFINISHED | codes.HALTED):
        return codes.NOT_SUPPORTED
    spreads = game.rules.types[product.makes].settles_as == me.kind
    if spreads and producer.spent:
        return codes.NOT_SUPPORTED
    if meets_requirements(game, me.owner, p) != codes.SUCCESS:
        return codes.BUILD_TECH_REQUIREMENTS_NOT_MET
    if producer.cooldown > 0.0:
        return codes.COOLDOWN
    answer = can_pay(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    if spreads and length(x - me.x, y - me.y) > SPREAD_RANGE + NEARLY:
        return codes.TARGET_IS_OUT_OF_RANGE
    answer = may_stand(game, me.owner, product.makes, x, y, True)
    if answer == codes.SUCCESS and not is_point_seen(game, me.owner, x, y):
        return codes.CANT_SEE_BUILD_LOCATION
    return answer


@kernel
def plant(game: Game, u: int, p: int, x: float, y: float) -> int:
    """Begin a structure away from the one that makes it."""
    answer = may_plant(game, u, p, x, y)
    if answer != codes.SUCCESS:
        return answer
    me, product = game.units[u], game.rules.products[p]
    if may_stand(game, me.owner, product.makes, x, y, False) != codes.SUCCESS:
        return codes.CANT_BUILD_LOCATION_INVALID
    v = put_site(game, p, me.owner, x, y)
    if v < 0:
        return codes.ERROR
    pay_for(game, me.owner, p)
    if game.rules.types[product.makes].settles_as == me.kind:
        game.producers[u].spent = True
        far = length(game.units[v].x - me.x, game.units[v].y - me.y)
        game.producers[v].left += FLIGHT_TICKS + FLIGHT_TICKS_PER_CELL * far
    else:
        game.units[v].hp = game.units[v].hp_max  # a worm has all of its life from the beginning
    return codes.SUCCESS


@kernel
def settle_tumors(game: Game) -> None:
    """Tumors that are done dig themselves in."""
    clock = game.clock[0]
    for i in range(clock.n_living):
        u = game.living[i]
        me, producer = game.units[u], game.producers[u]
        row = game.rules.types[me.kind]
        if row.settles_as < 0 or not me.alive or me.status & codes.UNFINISHED or me.hp <= 0.0:
            continue
        if producer.dig_timer <= 0.0:
            draw = uniform(clock.seed, clock.tick, me.tag, COCOON)
            producer.dig_timer = DIG_TICKS + MORE_DIG_TICKS * draw
            producer.cooldown = SPREAD_TICKS
        producer.dig_timer -= 1.0
        if producer.dig_timer <= 0.0:
            become(game, u, row.settles_as)
