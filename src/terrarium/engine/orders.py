"""Orders: what a player may tell a unit, its queue, and when an order is done."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel, rare
from terrarium.engine.paths import cell_of, nearest_cell, off_walls
from terrarium.engine.rules import Rules
from terrarium.engine.state import Game, Records, is_unit
from terrarium.engine.terrain import Ground


@kernel
def current_order(game: Game, u: int) -> int:
    """The kind of the order a unit is carrying out."""
    if game.units[u].n_orders == 0:
        return codes.NO_ORDER
    return game.orders[u, 0].kind


@rare
def forget_target(game: Game, u: int) -> None:
    """Let go of a target; a shot that has been started is not spent (game_rules.md, 3)."""
    me = game.units[u]
    me.target, me.target_tag = codes.NO_UNIT, 0
    me.target_why = codes.TARGET_NONE
    if me.winding:
        me.winding = False
        me.cooldown = 0.0


@rare
def take_target(game: Game, u: int, v: int, why: int) -> None:
    me = game.units[u]
    if me.target == v and me.target_tag == game.units[v].tag:
        me.target_why = why
        return
    forget_target(game, u)
    me.target, me.target_tag = v, game.units[v].tag
    me.target_why = why
    me.way_tick = 0
    me.stalled = 0


@rare
def standing_point(
    rules: Rules, ground: Ground, kind: int, x: float, y: float
) -> tuple[float, float]:
    """The point nearest to (x, y) where this type can be."""
    playable = ground.playable
    edge = 1e-6  # keeps a point on the upper border inside the last cell
    x = min(max(x, playable[0]), playable[2] - edge)
    y = min(max(y, playable[1]), playable[3] - edge)
    row = rules.types[kind]
    if row.walker == codes.FLYER:
        return x, y
    layer = codes.CLIFF_WALKER if row.walker == codes.CLIFF_WALKER else codes.SMALL_WALKER
    cell = cell_of(ground, x, y)
    if not ground.walkable[layer, cell]:
        cell = nearest_cell(ground, layer, -1, x, y)
        if cell < 0:
            return x, y
        left, bottom = float(cell % ground.size[0]), float(cell // ground.size[0])
        x = min(max(x, left), left + 1.0 - edge)
        y = min(max(y, bottom), bottom + 1.0 - edge)
    return off_walls(ground, layer, cell, row.inner, x, y)


@rare
def resolve(game: Game, rules: Rules, u: int, kind: int, v: int) -> int:
    """What a command comes down to for this unit, or NO_ORDER if it cannot be obeyed."""
    me = game.units[u]
    row = rules.types[me.kind]
    on_unit = 0 <= v < game.clock[0].n_slots and v != u and game.units[v].alive
    if v >= 0 and not on_unit:
        return codes.NO_ORDER
    can_attack = on_unit and rules.rank[me.kind, game.units[v].kind] >= 0
    if kind == codes.SMART:
        if on_unit and game.units[v].side != me.side and can_attack:
            kind = codes.ATTACK
        else:
            kind = codes.MOVE
    if kind == codes.ATTACK:
        if on_unit:
            return codes.ATTACK if can_attack else codes.NO_ORDER
        kind = codes.ATTACK_MOVE
    if kind == codes.HEAL:
        healable = on_unit and game.units[v].side == me.side and row.heal_life > 0.0
        if not healable or not rules.types[game.units[v].kind].biological:
            return codes.NO_ORDER
        return codes.NO_ORDER if rules.types[game.units[v].kind].structure else codes.HEAL
    if kind == codes.STOP or kind == codes.HOLD:
        return kind
    if not row.mobile or kind < codes.MOVE or kind > codes.FOLLOW:
        return codes.NO_ORDER
    if kind == codes.MOVE or kind == codes.FOLLOW:
        return codes.FOLLOW if on_unit else codes.MOVE if kind == codes.MOVE else codes.NO_ORDER
    return kind


@rare
def give_order(
    game: Game,
    rules: Rules,
    ground: Ground,
    u: int,
    kind: int,
    v: int,
    x: float,
    y: float,
    queued: bool,
) -> bool:
    """Give one order to one unit; False if it cannot be obeyed, and then nothing changes."""
    me = game.units[u]
    if not me.alive or not (abs(x) < 1e6 and abs(y) < 1e6):
        return False
    kind = resolve(game, rules, u, kind, v)
    queued = queued and me.n_orders > 0
    if kind == codes.NO_ORDER or (queued and me.n_orders >= game.orders.shape[1]):
        return False
    if not queued:
        interrupt(game, u, kind, v)
    if kind == codes.STOP:
        return True
    order = game.orders[u, me.n_orders]
    order.kind, order.target, order.tag = kind, codes.NO_UNIT, 0
    if kind == codes.ATTACK or kind == codes.FOLLOW or kind == codes.HEAL:
        order.target, order.tag = v, game.units[v].tag
    elif kind != codes.HOLD:
        if v >= 0:
            x, y = game.units[v].x, game.units[v].y
        order.x, order.y = standing_point(rules, ground, me.kind, x, y)
        order.back_x, order.back_y = me.x, me.y
        if queued and game.orders[u, me.n_orders - 1].kind == codes.PATROL:
            order.back_x = game.orders[u, me.n_orders - 1].x
            order.back_y = game.orders[u, me.n_orders - 1].y
    me.n_orders += 1
    return True


@rare
def interrupt(game: Game, u: int, kind: int, v: int) -> None:
    """Drop what a unit is doing for a new order, but not a shot the new order asks for again."""
    me = game.units[u]
    old = current_order(game, u)
    again = kind == old and (
        kind == codes.ATTACK_MOVE
        or kind == codes.HOLD
        or (kind == codes.ATTACK and game.orders[u, 0].target == v and me.target == v)
    )
    if not again:
        forget_target(game, u)
        me.backswing = 0.0
        me.heal_target = codes.NO_UNIT
    me.n_orders = 0
    me.away = False
    me.home_x, me.home_y = me.x, me.y
    me.way_tick = 0
    me.stalled = 0


@rare
def finish_order(game: Game, u: int) -> None:
    """The first order is done: the next one moves up, or the unit idles where it is."""
    me = game.units[u]
    for q in range(1, me.n_orders):
        done, following = game.orders[u, q - 1], game.orders[u, q]
        done.kind, done.target, done.tag = following.kind, following.target, following.tag
        done.x, done.y = following.x, following.y
        done.back_x, done.back_y = following.back_x, following.back_y
    me.n_orders -= 1
    me.home_x, me.home_y = me.x, me.y
    me.away = False
    me.way_tick = 0
    me.stalled = 0
    me.heal_target = codes.NO_UNIT
    if me.target_why == codes.TARGET_ORDERED:
        forget_target(game, u)


@kernel
def follow_orders(game: Game, rules: Rules) -> bool:
    """Drop orders whose target is gone and take the target that an attack order names; does
    anybody heal at all?"""
    anybody_heals = False
    for u in range(game.clock[0].n_slots):
        me = game.units[u]
        if not me.alive:
            continue
        if rules.types[me.kind].heal_life > 0.0:
            anybody_heals = True
        while me.n_orders > 0:
            order = game.orders[u, 0]
            kind = order.kind
            on_unit = kind == codes.ATTACK or kind == codes.FOLLOW or kind == codes.HEAL
            if on_unit and not is_unit(game, order.target, order.tag):
                finish_order(game, u)
                continue
            if kind == codes.HEAL:
                patient = game.units[order.target]
                if patient.hp >= rules.types[patient.kind].hp:
                    finish_order(game, u)
                    continue
                me.heal_target = order.target
            elif kind == codes.ATTACK:
                take_target(game, u, order.target, codes.TARGET_ORDERED)
            elif me.target_why == codes.TARGET_ORDERED:
                forget_target(game, u)
            break
    return anybody_heals


@kernel
def apply_commands(game: Game, rules: Rules, ground: Ground, commands: Records) -> None:
    """Give every unit the command that waits for it."""
    n_slots = min(game.clock[0].n_slots, np.int64(commands.shape[0]))
    for u in range(n_slots):
        order = commands[u]
        if order.kind != codes.NO_ORDER:
            give_order(
                game, rules, ground, u, order.kind, order.target, order.x, order.y, order.queued
            )
