"""Hangars: a Carrier's Interceptors are built aboard, fly out to fight, and come back."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.economy.payment import can_pay, pay_for
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.orders.orders import current_order, go_to_point, order_on_unit
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.state import Game, is_unit

FIRST_ABOARD, MOST_ABOARD = 4, 8
LEASH = 12.0
"""How far from its target a Carrier's Interceptors still fight: ability 1042."""
DOCK = 0.5
"""How near to its Carrier an Interceptor goes aboard."""


@kernel
def run_hangars(game: Game) -> None:
    """One tick of all Carriers and their Interceptors."""
    for i in range(game.clock[0].n_living):
        game.producers[game.living[i]].n_aboard = 0
        game.producers[game.living[i]].n_out = 0
    n_living = game.clock[0].n_living
    for i in range(n_living):
        u = game.living[i]
        me = game.units[u]
        if game.rules.types[me.kind].in_hangar and (me.alive or me.inside >= 0):
            serve(game, u)
    for i in range(n_living):
        u = game.living[i]
        if game.units[u].alive and game.rules.types[game.units[u].kind].hangar >= 0:
            keep_hangar(game, u)


@kernel
def serve(game: Game, u: int) -> None:
    """An Interceptor is lost with its Carrier, and comes back when there is nothing to fight."""
    me, home = game.units[u], game.skills[u].maker
    if not is_unit(game, home, game.skills[u].maker_tag):
        if me.alive:
            me.hp, me.shield = 0.0, 0.0
        else:
            me.inside, game.clock[0].any_dead = codes.NO_UNIT, True
            game.players[me.owner].n_alive -= 1
        return
    carrier, hangar = game.units[home], game.producers[home]
    if not me.alive:
        hangar.n_aboard += 1
        me.x, me.y = carrier.x, carrier.y
        return
    hangar.n_out += 1
    v = carrier.target
    fights = v >= 0 and is_unit(game, v, carrier.target_tag)
    if fights:
        other = game.units[v]
        far = length(other.x - carrier.x, other.y - carrier.y)
        fights = far <= LEASH + game.rules.types[other.kind].radius
    if fights:
        if current_order(game, u) != codes.ATTACK or game.orders[u, 0].target != v:
            order_on_unit(game, u, codes.ATTACK, v, False)
    elif length(me.x - carrier.x, me.y - carrier.y) <= DOCK:
        go_aboard(game, u, home)
    else:
        go_to_point(game, u, codes.MOVE, carrier.x, carrier.y, False)


@kernel
def go_aboard(game: Game, u: int, home: int) -> None:
    """An Interceptor is no longer on the map; it leaves whole."""
    me = game.units[u]
    me.alive, me.inside, me.n_orders = False, home, 0
    me.speed_x, me.speed_y, me.winding = 0.0, 0.0, False
    me.target, me.target_why = codes.NO_UNIT, codes.TARGET_NONE


@kernel
def keep_hangar(game: Game, u: int) -> None:
    """A new Carrier has some Interceptors aboard, and builds more by itself."""
    me, producer = game.units[u], game.producers[u]
    p = game.rules.types[me.kind].hangar
    if not producer.stocked:
        producer.stocked = True
        for _ in range(FIRST_ABOARD):
            add_interceptor(game, u, p)
    n = producer.n_aboard + producer.n_out
    if producer.n_items == 0 and n < MOST_ABOARD and not me.status & codes.UNFINISHED:
        if can_pay(game, me.owner, p) == codes.SUCCESS:
            pay_for(game, me.owner, p)
            item = game.items[u, 0]
            item.product, item.begun, item.left = p, False, game.rules.products[p].ticks
            producer.n_items = 1


@kernel
def add_interceptor(game: Game, u: int, p: int) -> None:
    """An Interceptor is finished aboard its Carrier."""
    me = game.units[u]
    v = spawn(game, game.rules.products[p].makes, me.owner, me.x, me.y, False)
    if v >= 0:
        game.skills[v].maker, game.skills[v].maker_tag = u, me.tag
        game.producers[u].n_aboard += 1
        go_aboard(game, v, u)


@kernel
def launch_interceptor(game: Game, u: int, v: int) -> None:
    """One Interceptor flies out to fight."""
    me = game.units[u]
    for i in range(game.clock[0].n_living):
        w = game.living[i]
        other = game.units[w]
        if other.inside != u or other.alive or not game.rules.types[other.kind].in_hangar:
            continue
        other.alive, other.inside = True, codes.NO_UNIT
        other.x, other.y = me.x, me.y
        other.home_x, other.home_y, other.away, other.way_tick = me.x, me.y, False, 0
        other.face_x, other.face_y = me.face_x, me.face_y
        refresh(game, w)
        order_on_unit(game, w, codes.ATTACK, v, False)
        return
