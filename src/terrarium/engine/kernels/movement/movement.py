"""Movement: where each unit wants to go this tick, how it turns, and how it passes others."""

import math

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import inline, kernel
from terrarium.engine.kernels.combat.aim import pick_weapon
from terrarium.engine.kernels.construction.sites import (
    errand_of_building,
    is_building,
    slips,
)
from terrarium.engine.kernels.economy.harvest import errand_of_harvest
from terrarium.engine.kernels.economy.resources import is_harvesting
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length
from terrarium.engine.kernels.movement.collision import stay_on_ground
from terrarium.engine.kernels.movement.paths import find_way
from terrarium.engine.kernels.movement.steering import FULL_SPEED_SHARE, PATIENCE_TICKS, steer
from terrarium.engine.kernels.orders.orders import current_order, finish_order
from terrarium.engine.kernels.orders.permission import in_reach
from terrarium.engine.kernels.random import DIRECTION, bits
from terrarium.engine.state import Game, is_placed

ARRIVED = 0.02
NEAR_GOAL = 6.0
"""Diameter of a group that keeps its formation (game_rules.md, 5): where a crowd may stop short."""
STUCK_TICKS = 4
FOLLOW_GAP = 1.0
FAR = 1e30
TIGHT = 0.9
"""Share of the separation that a wall may leave between two bodies."""


@kernel
def choose_ways(game: Game) -> bool:
    """Decide for every unit, from the same picture of the world, where it wants to go; does
    any unit move?"""
    any_moves = False
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        body = game.scratch.bodies[u]
        body.classes = 0
        body.first = -1
        body.step, body.full_step = 0.0, 0.0
        if not me.alive:
            continue
        row = game.rules.types[me.kind]
        body.x, body.y = me.x, me.y
        body.radius, body.inner = row.separation, row.inner
        body.layer, body.classes = row.layer, row.classes
        body.owner = me.owner
        body.flying = row.flying
        body.solid = not row.mobile
        body.goal = me.target
        body.detour = me.detour
        body.stuck = me.stalled > STUCK_TICKS
        order = current_order(game, u)
        body.anchored = not row.mobile or order == codes.HOLD
        if me.status & codes.DRAGGED:
            body.classes = 0  # it flies over the others
        if is_harvesting(order):
            body.classes = 0  # workers pass through each other
        body.slips = is_building(order) and slips(game, u)
        if is_placed(game, u):
            body.classes = 0  # its outline is in the way, not a circle
        choose_way(game, u, order)
        body.full_step = body.step
        body.still = body.step == 0.0
        if body.still and me.target >= 0:
            body.anchored = True  # stands and fights
        if not body.still or me.speed_x != 0.0 or me.speed_y != 0.0:
            any_moves = True
    return any_moves


@inline
def fights_under(order: int) -> bool:
    """Does a unit with this order go to its target, if it has one?"""
    return order < codes.MOVE or (codes.ATTACK <= order <= codes.PATROL) or order == codes.HEAL


@kernel
def choose_way(game: Game, u: int, order: int) -> None:
    """The direction and length of the step that one unit wants to make."""
    me = game.units[u]
    if not game.rules.types[me.kind].mobile or me.status & codes.ROOTED:
        return
    held = order == codes.HOLD
    if (me.winding or me.backswing > 0.0) and not held:
        held = game.rules.weapons[me.weapon].firing != codes.FIRES_MOVING
    if me.target >= 0 and fights_under(order):
        other = game.units[me.target]
        if held or pick_weapon(game, u, me.target) >= 0:
            face_target(game, u)
            return
        me.away = order == codes.NO_ORDER
        x, y, distance = other.x, other.y, FAR
    elif held:
        return
    else:
        x, y, distance = errand(game, u, order)
    if distance > 0.0:
        works = is_harvesting(order)
        to_point = length(x - me.x, y - me.y) if works or distance == FAR else distance
        go_to(game, u, x, y, distance, to_point)  # called once: becomes a part of this kernel
        if works:
            slow_down(game, u, distance)


@kernel
def errand(game: Game, u: int, order: int) -> tuple[float, float, float]:
    """Where a unit that does not fight has to be, and how far that is; 0 = it may stay."""
    me = game.units[u]
    if me.heal_target >= 0:
        patient = game.units[me.heal_target]
        game.scratch.bodies[u].goal = me.heal_target
        if edge_distance(game, me, patient) > game.rules.types[me.kind].heal_range:
            return patient.x, patient.y, FAR
        if order == codes.HEAL or order == codes.NO_ORDER:
            return me.x, me.y, 0.0  # it heals while it moves, so only these two stay
    if order == codes.FOLLOW:
        leader = game.units[game.orders[u, 0].target]
        gap = edge_distance(game, me, leader)
        return leader.x, leader.y, FAR if gap > FOLLOW_GAP else 0.0
    if order == codes.MOVE or order == codes.ATTACK_MOVE or order == codes.PATROL:
        return errand_of_order(game, u)
    if order == codes.CAST:
        return errand_of_cast(game, u)
    if is_harvesting(order):
        return errand_of_harvest(game, u)
    if is_building(order):
        return errand_of_building(game, u)
    if order == codes.NO_ORDER and me.away:
        distance = length(me.home_x - me.x, me.home_y - me.y)
        if distance > ARRIVED and me.stalled <= PATIENCE_TICKS:
            return me.home_x, me.home_y, distance
        me.away = False
    return me.x, me.y, 0.0


@kernel
def errand_of_cast(game: Game, u: int) -> tuple[float, float, float]:
    """Approach until the ability reaches its target; then stay."""
    me, order = game.units[u], game.orders[u, 0]
    v = order.target
    if game.skills[u].cast >= 0 or game.skills[u].morph >= 0:
        return me.x, me.y, 0.0
    if in_reach(game, u, order.ability, v, order.x, order.y):
        return me.x, me.y, 0.0
    if v >= 0:
        return game.units[v].x, game.units[v].y, FAR
    return order.x, order.y, length(order.x - me.x, order.y - me.y)


@kernel
def errand_of_order(game: Game, u: int) -> tuple[float, float, float]:
    """Continue towards the point of an order; arrive there, or as near as the crowd allows."""
    me, order = game.units[u], game.orders[u, 0]
    distance = length(order.x - me.x, order.y - me.y)
    if distance > ARRIVED and (me.stalled <= PATIENCE_TICKS or distance >= NEAR_GOAL):
        return order.x, order.y, distance
    if order.kind == codes.PATROL and me.n_orders == 1:
        x, y = order.x, order.y
        order.x, order.y, order.back_x, order.back_y = order.back_x, order.back_y, x, y
        me.way_tick, me.stalled = 0, 0
    else:
        finish_order(game, u)
    return me.x, me.y, 0.0


@kernel
def go_to(
    game: Game,
    u: int,
    x: float,
    y: float,
    distance: float,
    to_point: float,
) -> None:
    """Turn towards a point, or towards the next corner on the way to it, and want to step there.

    `distance` is how far the unit may go, and `to_point` how far away the point is.
    """
    me, body = game.units[u], game.scratch.bodies[u]
    row = game.rules.types[me.kind]
    layer = row.walker
    if layer != codes.FLYER and not game.land.convex[layer]:
        near_corner = not me.direct and (abs(me.way_x - me.x) + abs(me.way_y - me.y) < 0.5)
        if game.clock[0].tick >= me.way_tick or near_corner:
            find_way(game, u, layer, x, y)
        if not me.direct:
            x, y = me.way_x, me.way_y
            distance, to_point = FAR, length(x - me.x, y - me.y)
    dx, dy = x - me.x, y - me.y
    if to_point < 1e-9:
        return
    dx, dy = dx / to_point, dy / to_point
    turned = turn(game, u, dx, dy, False)
    body.dir_x, body.dir_y = dx, dy
    body.wish_x, body.wish_y = dx, dy
    speed = me.max_speed
    if row.flying:
        body.step = min(speed, stopping_speed(row.decel, distance)) if distance < FAR else speed
        return
    if me.accel < speed:  # most walkers are at full speed at once
        speed = min(speed, length(me.speed_x, me.speed_y) + me.accel)
    if game.rules.assumptions[0].turning_slows:
        # A walker runs in the direction it faces, so it loses pace while it turns.
        speed *= max(turned, 0.0)
    body.step = min(speed, distance)
    if body.step == 0.0:
        body.step = 1e-9  # it wants to move: it is not an obstacle that stands


@kernel
def slow_down(game: Game, u: int, distance: float) -> None:
    """A worker that gathers brakes as fast as it accelerates, to stand where it works."""
    body, slowest = game.scratch.bodies[u], game.rules.harvest[0].slowest
    if body.step > slowest:
        body.step = max(slowest, min(body.step, stopping_speed(game.units[u].accel, distance)))


@kernel
def stopping_speed(decel: float, distance: float) -> float:
    """The highest speed from which steps that get shorter by `decel` end at that distance."""
    return min(distance, math.sqrt(0.25 * decel * decel + 2.0 * decel * distance) - 0.5 * decel)


@inline
def turn(game: Game, u: int, dx: float, dy: float, standing: bool) -> float:
    """Turn the body towards a direction by at most its rate; the cosine of what is left."""
    me = game.units[u]
    row = game.rules.types[me.kind]
    cos = row.turn_still_cos if standing else row.turn_cos
    sin = row.turn_still_sin if standing else row.turn_sin
    dot = me.face_x * dx + me.face_y * dy
    if dot >= cos:
        me.face_x, me.face_y = dx, dy
        return 1.0
    cross = me.face_x * dy - me.face_y * dx
    if abs(cross) < NEARLY:  # exactly behind: a fair coin decides the side
        sin = sin if bits(game.clock[0].seed, 0, me.tag, DIRECTION) & np.uint64(1) else -sin
    elif cross < 0.0:
        sin = -sin
    x = me.face_x * cos - me.face_y * sin
    y = me.face_x * sin + me.face_y * cos
    size = length(x, y)
    me.face_x, me.face_y = x / size, y / size
    return me.face_x * dx + me.face_y * dy


@kernel
def face_target(game: Game, u: int) -> None:
    """Turn a standing body towards its target; a turret does that itself."""
    me = game.units[u]
    if me.target < 0 or game.rules.types[me.kind].has_turret:
        return
    other = game.units[me.target]
    dx, dy = other.x - me.x, other.y - me.y
    distance = length(dx, dy)
    if distance > 1e-9:
        turn(game, u, dx / distance, dy / distance, True)


@kernel
def make_steps(game: Game) -> None:
    """Turn wishes into tentative positions, around those that stand in the way."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        body = game.scratch.bodies[u]
        if not game.units[u].alive:
            continue
        if body.flying:
            fly(game, u)
        elif not body.still:
            if body.first >= 0:
                steer(game, u)
            body.x += body.dir_x * body.step
            body.y += body.dir_y * body.step


@kernel
def fly(game: Game, u: int) -> None:
    """One step of an air unit, which keeps its momentum."""
    me, body = game.units[u], game.scratch.bodies[u]
    dx = body.dir_x * body.step - me.speed_x
    dy = body.dir_y * body.step - me.speed_y
    change = length(dx, dy)
    limit = me.accel
    if body.step < length(me.speed_x, me.speed_y):
        limit = game.rules.types[me.kind].decel
    if change > limit:
        dx, dy = dx / change * limit, dy / change * limit
    me.speed_x += dx
    me.speed_y += dy
    body.x += me.speed_x
    body.y += me.speed_y


@kernel
def is_squeezed(game: Game, u: int, old_x: float, old_y: float, x: float, y: float) -> bool:
    """Would a step that a wall has bent press a body deep into another one?"""
    body = game.scratch.bodies[u]
    link = body.first
    while link >= 0:
        pair, own = game.scratch.pairs[link >> 1], link & 1
        v, link = int(pair.units[1 - own]), int(pair.next[own])
        other = game.scratch.bodies[v]
        if other.flying or body.flying:
            continue
        distance = length(other.x - x, other.y - y)
        if distance < TIGHT * (body.radius + other.radius):
            if distance < length(other.x - old_x, other.y - old_y):
                return True
    return False


@kernel
def settle(game: Game) -> None:
    """Make the tentative positions real, as far as terrain and map border allow."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me, body = game.units[u], game.scratch.bodies[u]
        if not me.alive:
            continue
        if body.still and not body.flying:
            me.speed_x, me.speed_y = 0.0, 0.0
        if body.still and body.x == me.x and body.y == me.y:
            continue
        x, y = stay_on_ground(game, body, me.x, me.y)
        at_wall = abs(x - body.x) + abs(y - body.y) > NEARLY
        if at_wall and is_squeezed(game, u, me.x, me.y, x, y):
            x, y = me.x, me.y
        dx, dy = x - me.x, y - me.y
        if not body.still:
            forward = dx * body.dir_x + dy * body.dir_y
            if not body.flying:
                me.speed_x, me.speed_y = dx, dy
                if forward > 0.0 and me.accel < me.max_speed and body.classes != 0:
                    # Pushing a friend aside must not take the pace that is gained so slowly.
                    me.speed_x, me.speed_y = body.dir_x * body.step, body.dir_y * body.step
            if forward < FULL_SPEED_SHARE * max(body.step, body.full_step):
                me.stalled += 1
            else:
                me.stalled = max(0, me.stalled - 2)
        me.x, me.y = x, y
