"""What a scenario orders: opening orders, at once or later, and what its triggers repeat."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.rally import set_rally
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length
from terrarium.engine.kernels.orders.orders import (
    cast_ability,
    current_order,
    go_to_point,
    order_on_unit,
)
from terrarium.engine.kernels.orders.permission import kit_slot, range_of
from terrarium.engine.kernels.random import ORDER_POINT, toss, uniform
from terrarium.engine.state import Game
from terrarium.engine.tables.plan import (
    ATTACK_ALL,
    CAST,
    CAST_ALL,
    GO_BETWEEN,
    MINE,
    NOTHING,
    PATROL,
    STAND,
)


@kernel
def run_script(game: Game) -> None:
    """Give the opening orders that are due, and run every trigger whose time has come."""
    now = game.clock[0].tick
    if 0 < now <= game.plan.settings[0].last_order_tick:
        opening_orders(game, now)
    for t in range(game.plan.triggers.shape[0]):
        if now % game.plan.triggers[t].every_ticks == 0:
            run_trigger(game, t)


@kernel
def run_trigger(game: Game, t: int) -> None:
    if game.plan.triggers[t].order == CAST_ALL:
        cast_all(game, t)
    else:
        send_idle(game, game.plan.triggers[t].owner)


@kernel
def opening_orders(game: Game, now: int) -> None:
    """Give the units of each group whose hour it is their order."""
    for k in range(game.plan.entries.shape[0]):
        entry = game.plan.entries[k]
        group = game.plan.groups[entry.group]
        if group.order == NOTHING or group.after_ticks != now or entry.carrier >= 0:
            continue
        middle_x, middle_y = middle_of(game, k)
        for u in range(entry.slot, entry.slot + entry.count):
            if is_opening_unit(game, u):
                dx = dy = 0.0
                if game.rules.assumptions[0].keeps_formation:
                    dx, dy = game.units[u].x - middle_x, game.units[u].y - middle_y
                give_opening_order(game, entry.group, u, dx, dy)


@kernel
def is_opening_unit(game: Game, u: int) -> bool:
    """Is the unit of a slot one that the battle began with? Units were created in the order of the
    entries; later ones have other tags."""
    return game.units[u].tag == u + 1


@kernel
def middle_of(game: Game, k: int) -> tuple[float, float]:
    """The mean place of the units of an entry: those of one create call are sent together."""
    entry = game.plan.entries[k]
    x, y, n = 0.0, 0.0, 0
    for u in range(entry.slot, entry.slot + entry.count):
        if is_opening_unit(game, u):
            x += game.units[u].x
            y += game.units[u].y
            n += 1
    return x / max(n, 1), y / max(n, 1)


@kernel
def give_opening_order(game: Game, g: int, u: int, dx: float, dy: float) -> None:
    """Tell a unit what its group is to do; `dx` and `dy` are its place in the formation."""
    group = game.plan.groups[g]
    x, y, to_x, to_y = group.order_x, group.order_y, group.order_to_x, group.order_to_y
    if group.order == ATTACK_ALL:
        attack_all(game, u, group.order_owner)
    elif group.order == STAND:
        go_to_point(game, u, codes.HOLD, x, y, False)
    elif group.order == PATROL:
        go_to_point(game, u, codes.PATROL, x + dx, y + dy, False)
        go_to_point(game, u, codes.PATROL, to_x + dx, to_y + dy, True)
    elif group.order == MINE:
        mine_at(game, u, x, y)
    elif group.order == CAST:
        cast_ability(game, u, group.ability, codes.NO_UNIT, x, y)
    else:
        if group.order == GO_BETWEEN:
            share = uniform(game.clock[0].seed, 0, g, ORDER_POINT)
            x += (to_x - x) * share
            y += (to_y - y) * share
        go_to_point(game, u, codes.ATTACK_MOVE, x + dx, y + dy, False)


@kernel
def mine_at(game: Game, u: int, x: float, y: float) -> None:
    """Gather from the field that stands at a point; a townhall sends its workers there."""
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        other = game.units[v]
        if abs(other.x - x) + abs(other.y - y) < NEARLY and game.resources[v].contents > 0.0:
            if game.rules.types[game.units[u].kind].worker:
                order_on_unit(game, u, codes.GATHER, v, False)
            else:
                set_rally(game, u, v, x, y)
            return


@kernel
def attack_all(game: Game, u: int, owner: int) -> None:
    """Attack every unit of a player, nearest first, as far as the queue goes."""
    reached = -1.0
    for _ in range(game.orders.shape[1]):
        v, distance = nearest_beyond(game, u, 1 << owner, reached)
        if v < 0:
            return
        reached = distance
        order_on_unit(game, u, codes.ATTACK, v, True)


@kernel
def nearest_beyond(game: Game, u: int, owners: int, reached: float) -> tuple[int, float]:
    """The nearest living unit further away than `reached` of the owners that are bits of a mask."""
    me = game.units[u]
    best, best_distance = codes.NO_UNIT, 1e30
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        other = game.units[v]
        if not other.alive or v == u or not owners >> other.owner & 1:
            continue
        dx, dy = other.x - me.x, other.y - me.y
        distance = length(dx, dy)
        if distance <= reached or distance > best_distance + NEARLY:
            continue
        if distance > best_distance - NEARLY:
            if not toss(game.clock[0].seed, me.tag, other.tag, game.units[best].tag):
                continue
        best, best_distance = v, distance
    return best, best_distance


@kernel
def send_idle(game: Game, owner: int) -> None:
    """Send the idle units of a player at the nearest enemy."""
    enemies = game.players[owner].enemies
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive or me.owner != owner or me.n_orders > 0:
            continue
        v, _ = nearest_beyond(game, u, enemies, -1.0)
        if v < 0:
            continue
        other = game.units[v]
        if game.rules.rank[me.kind, other.column] >= 0 and other.seen >> owner & 1:
            order_on_unit(game, u, codes.ATTACK, v, False)
        else:  # a Medivac follows the fight, a Zealot waits under a flyer, others search
            go_to_point(game, u, codes.ATTACK_MOVE, other.x, other.y, False)


@kernel
def cast_all(game: Game, t: int) -> None:
    """Units of a player that stand or fight use the ability of a trigger, if they may."""
    trigger = game.plan.triggers[t]
    busy = codes.CASTING | codes.MORPHING
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive or me.owner != trigger.owner or me.status & busy:
            continue
        if kit_slot(game, me.kind, trigger.ability) < 0:
            continue
        order = current_order(game, u)
        if order == codes.MOVE or order == codes.FOLLOW or order == codes.CAST:
            continue
        cast_at_nearest(game, t, u)


@kernel
def cast_at_nearest(game: Game, t: int, u: int) -> None:
    """Use an ability on the nearest opponent in sight and range that it can be used on."""
    trigger, me = game.plan.triggers[t], game.units[u]
    reach = trigger.range
    if reach < 0.0:
        reach = range_of(game, u, trigger.ability)
    old = game.orders[u, 0]
    kind, x, y = current_order(game, u), old.x, old.y
    reached = -1.0
    while True:
        v, distance = nearest_beyond(game, u, game.players[me.owner].enemies, reached)
        if v < 0 or edge_distance(game, me, game.units[v]) > reach:
            return
        reached = distance
        if not game.units[v].seen >> me.owner & 1:
            continue
        answer = cast_ability(game, u, trigger.ability, v, 0.0, 0.0)
        if answer == codes.SUCCESS:
            break
    # Afterwards it goes on where it was going.
    if current_order(game, u) == codes.CAST and (kind == codes.ATTACK_MOVE or kind == codes.PATROL):
        go_to_point(game, u, kind, x, y, True)
