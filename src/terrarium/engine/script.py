"""What a scenario orders: opening orders, at once or later, and what its triggers repeat."""

from terrarium.engine import codes
from terrarium.engine.geometry import NEARLY, edge_distance, length
from terrarium.engine.jit import kernel, rare
from terrarium.engine.orders import current_order, give_order
from terrarium.engine.permission import kit_slot, range_of
from terrarium.engine.plan import (
    ATTACK_ALL,
    CAST,
    CAST_ALL,
    GO_BETWEEN,
    NOTHING,
    PATROL,
    STAND,
    Plan,
)
from terrarium.engine.random import ORDER_POINT, toss, uniform
from terrarium.engine.rules import Rules
from terrarium.engine.state import Game
from terrarium.engine.terrain import Ground


@kernel
def run_script(game: Game, rules: Rules, ground: Ground, plan: Plan) -> None:
    """Give the opening orders that are due, and run every trigger whose time has come."""
    now = game.clock[0].tick
    if 0 < now <= plan.settings[0].last_order_tick:
        opening_orders(game, rules, ground, plan, now)
    for t in range(plan.triggers.shape[0]):
        if now % plan.triggers[t].every_ticks == 0:
            run_trigger(game, rules, ground, plan, t)


@rare
def run_trigger(game: Game, rules: Rules, ground: Ground, plan: Plan, t: int) -> None:
    if plan.triggers[t].order == CAST_ALL:
        cast_all(game, rules, ground, plan, t)
    else:
        send_idle(game, rules, ground, plan.triggers[t].side)


@rare
def opening_orders(game: Game, rules: Rules, ground: Ground, plan: Plan, now: int) -> None:
    """Give the units of each group whose hour it is their order."""
    for k in range(plan.entries.shape[0]):
        entry = plan.entries[k]
        group = plan.groups[entry.group]
        if group.order == NOTHING or group.after_ticks != now or entry.carrier >= 0:
            continue
        for u in range(entry.slot, entry.slot + entry.count):
            # Units were created in the order of the entries; later ones have other tags.
            if game.units[u].tag == u + 1:
                give_opening_order(game, rules, ground, plan, entry.group, u)


@rare
def give_opening_order(
    game: Game, rules: Rules, ground: Ground, plan: Plan, g: int, u: int
) -> None:
    group = plan.groups[g]
    x, y, to_x, to_y = group.order_x, group.order_y, group.order_to_x, group.order_to_y
    if group.order == ATTACK_ALL:
        attack_all(game, rules, ground, u, group.order_side)
    elif group.order == STAND:
        send(game, rules, ground, u, codes.HOLD, x, y, False)
    elif group.order == PATROL:
        send(game, rules, ground, u, codes.PATROL, x, y, False)
        send(game, rules, ground, u, codes.PATROL, to_x, to_y, True)
    elif group.order == CAST:
        nobody = codes.NO_UNIT
        give_order(game, rules, ground, u, codes.CAST, group.ability, nobody, x, y, False)
    else:
        if group.order == GO_BETWEEN:
            share = uniform(game.clock[0].seed, 0, g, ORDER_POINT)
            x += (to_x - x) * share
            y += (to_y - y) * share
        send(game, rules, ground, u, codes.ATTACK_MOVE, x, y, False)


@rare
def send(
    game: Game, rules: Rules, ground: Ground, u: int, kind: int, x: float, y: float, queued: bool
) -> None:
    """Give an order that is about a place."""
    nothing, nobody = codes.NO_ABILITY, codes.NO_UNIT
    give_order(game, rules, ground, u, kind, nothing, nobody, x, y, queued)


@rare
def attack_all(game: Game, rules: Rules, ground: Ground, u: int, side: int) -> None:
    """Attack every unit of a side, nearest first, as far as the queue goes."""
    reached = -1.0
    for _ in range(game.orders.shape[1]):
        v, distance = nearest_beyond(game, u, side, reached)
        if v < 0:
            return
        reached = distance
        give_order(game, rules, ground, u, codes.ATTACK, codes.NO_ABILITY, v, 0.0, 0.0, True)


@rare
def nearest_beyond(game: Game, u: int, side: int, reached: float) -> tuple[int, float]:
    """The nearest living unit of a side that is further away than `reached`."""
    me = game.units[u]
    best, best_distance = codes.NO_UNIT, 1e30
    for v in range(game.clock[0].n_slots):
        other = game.units[v]
        if not other.alive or other.side != side or v == u:
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


@rare
def send_idle(game: Game, rules: Rules, ground: Ground, side: int) -> None:
    """Whoever of a side has nothing to do is sent at the nearest opponent."""
    for u in range(game.clock[0].n_slots):
        me = game.units[u]
        if not me.alive or me.side != side or me.n_orders > 0:
            continue
        v, _ = nearest_beyond(game, u, 1 - side, -1.0)
        if v < 0:
            continue
        other = game.units[v]
        if rules.rank[me.kind, other.column] >= 0 and other.seen >> side & 1:
            give_order(game, rules, ground, u, codes.ATTACK, codes.NO_ABILITY, v, 0.0, 0.0, False)
        else:  # a Medivac follows the fight, a Zealot waits under a flyer, others search
            send(game, rules, ground, u, codes.ATTACK_MOVE, other.x, other.y, False)


@rare
def cast_all(game: Game, rules: Rules, ground: Ground, plan: Plan, t: int) -> None:
    """Whoever of a side stands or fights, and has the ability of a trigger, uses it if it may."""
    trigger = plan.triggers[t]
    busy = codes.CASTING | codes.MORPHING
    for u in range(game.clock[0].n_slots):
        me = game.units[u]
        if not me.alive or me.side != trigger.side or me.status & busy:
            continue
        if kit_slot(rules, me.kind, trigger.ability) < 0:
            continue
        order = current_order(game, u)
        if order == codes.MOVE or order == codes.FOLLOW or order == codes.CAST:
            continue
        cast_at_nearest(game, rules, ground, plan, t, u)


@rare
def cast_at_nearest(game: Game, rules: Rules, ground: Ground, plan: Plan, t: int, u: int) -> None:
    """Use an ability on the nearest opponent in sight and range that it can be used on."""
    trigger, me = plan.triggers[t], game.units[u]
    reach = trigger.range
    if reach < 0.0:
        reach = range_of(game, rules, u, trigger.ability)
    old = game.orders[u, 0]
    kind, x, y = current_order(game, u), old.x, old.y
    reached = -1.0
    while True:
        v, distance = nearest_beyond(game, u, 1 - me.side, reached)
        if v < 0 or edge_distance(rules, me, game.units[v]) > reach:
            return
        reached = distance
        if not game.units[v].seen >> me.side & 1:
            continue
        answer = give_order(game, rules, ground, u, codes.CAST, trigger.ability, v, 0.0, 0.0, False)
        if answer == codes.SUCCESS:
            break
    # Afterwards it goes on where it was going.
    if current_order(game, u) == codes.CAST and (kind == codes.ATTACK_MOVE or kind == codes.PATROL):
        send(game, rules, ground, u, kind, x, y, True)
