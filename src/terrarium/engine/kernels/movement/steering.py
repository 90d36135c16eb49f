"""Steering: how a step passes others, and what is left of it where it cannot."""

import math

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.movement.collision import BLOCK_LOOK
from terrarium.engine.kernels.random import DIRECTION, bits, toss
from terrarium.engine.state import Game

PATIENCE_TICKS = 12
DETOUR_TICKS = 16
LITTLE_TURNING = 0.7  # cosine
MOST_TURNING = -0.866  # cosine
"""Beyond 150 degrees a way around others leads back: a unit waits instead."""
MOST_TURNS = 8
SHUT_IN = -2.0
"""Instead of a cosine: no way leads past those around."""
ONCOMING = 0.5
"""Cosine up to which two units come towards each other."""
FULL_SPEED_SHARE = 0.3


@kernel
def steer(game: Game, u: int) -> None:
    """Lead a unit around standing ones that it would run into."""
    n_near, n_blockers, in_front, too_deep = look_around(game, u)
    if n_near == 0:
        return
    me, body, tick = game.units[u], game.scratch.bodies[u], game.clock[0].tick
    if tick >= me.detour_tick:
        me.detour = 0
    if not (in_front or too_deep):
        return
    k = first_blocker(game, u, n_blockers) if in_front else codes.NO_UNIT
    if k >= 0 and not go_around(game, u, k, n_blockers):
        body.step = 1e-9  # shut in: waits, and tries the other side after a while
        if (tick + me.phase) % PATIENCE_TICKS == 0:
            me.detour = -me.detour
    if k >= 0 or too_deep:
        keep_clear(game, u, n_near)


@kernel
def go_around(game: Game, u: int, k: int, n_blockers: int) -> bool:
    """Turn a step past all that stand in its way, of whom `k` comes first; is there a way?

    It keeps to the side that it has chosen for a while, or it would go to and fro in front of a
    crowd; only where little turning does, either side will do.
    """
    me, body = game.units[u], game.scratch.bodies[u]
    wish_x, wish_y = body.dir_x, body.dir_y
    side = me.detour if me.detour != 0 else nearer_side(game, u, k)
    cos = turn_past(game, u, k, n_blockers, side)
    if me.detour == 0 and cos < LITTLE_TURNING:
        x, y = body.dir_x, body.dir_y
        body.dir_x, body.dir_y = wish_x, wish_y
        other = turn_past(game, u, k, n_blockers, -side)
        if other > cos + NEARLY:
            side, cos = -side, other
        else:
            body.dir_x, body.dir_y = x, y
    if cos < LITTLE_TURNING:
        me.detour = side
        me.detour_tick = game.clock[0].tick + DETOUR_TICKS
    return cos > SHUT_IN


@kernel
def turn_past(game: Game, u: int, k: int, n_blockers: int, side: int) -> float:
    """Turn a step to one side of its first blocker `k`, and of the next ones, until it runs into
    none; the cosine of the angle to its wish, or `SHUT_IN`."""
    body = game.scratch.bodies[u]
    wish_x, wish_y = body.dir_x, body.dir_y
    for n_turns in range(1, MOST_TURNS + 1):
        near = game.scratch.near[k]
        sin = min(1.0, near.reach / max(near.distance, NEARLY))
        along = math.sqrt(1.0 - sin * sin)
        body.dir_x = near.dir_x * along - near.dir_y * sin * side
        body.dir_y = near.dir_x * sin * side + near.dir_y * along
        if (wish_x * body.dir_y - wish_y * body.dir_x) * side < 0.0:
            break  # by more than half a circle
        k = first_blocker(game, u, n_blockers)
        if k < 0 and n_turns < MOST_TURNS:
            cos = wish_x * body.dir_x + wish_y * body.dir_y
            return cos if cos >= MOST_TURNING else SHUT_IN
    return SHUT_IN


@kernel
def nearer_side(game: Game, u: int, k: int) -> int:
    """On which side a blocker is passed with less turning: 1 = left, -1 = right."""
    body, near = game.scratch.bodies[u], game.scratch.near[k]
    cross = body.dir_x * near.dir_y - body.dir_y * near.dir_x
    if abs(cross) >= NEARLY:
        return -1 if cross > 0.0 else 1
    if near.oncoming:
        return -1  # both keep to the right
    coin = bits(game.clock[0].seed, game.clock[0].tick, game.units[u].tag, DIRECTION)
    return 1 if coin & np.uint64(1) else -1


@kernel
def look_around(game: Game, u: int) -> tuple[int, int, bool, bool]:
    """List the neighbors that this step has to do with, and which of them block it: how many there
    are; may one be something to go around, and does the step go deeper into one than there is room?
    """
    body = game.scratch.bodies[u]
    step_x, step_y = body.dir_x * body.step, body.dir_y * body.step
    in_front = too_deep = False
    # Beyond this gap a neighbor neither blocks nor leaves less room than the step needs.
    far = max(BLOCK_LOOK, 2.0 * body.step)
    n_near = n_blockers = 0
    link = body.first
    while link >= 0 and n_near < game.scratch.near.shape[0]:
        pair, own = game.scratch.pairs[link >> 1], link & 1
        v, link = int(pair.units[1 - own]), int(pair.next[own])
        sign = 1.0 - 2.0 * own
        other = game.scratch.bodies[v]
        gap = pair.distance - body.radius - other.radius
        if gap >= far or other.flying:
            continue
        if other.still & (other.owner == body.owner) & (not other.anchored):
            continue  # an idle friend makes way
        dx, dy = sign * pair.dir_x, sign * pair.dir_y
        room = max(0.0, gap)
        if not other.still:  # it will go on as it went in the last tick
            leaving = game.units[v].speed_x * dx + game.units[v].speed_y * dy
            room = room + leaving if leaving >= 0.0 else 0.5 * room
        oncoming = is_oncoming(game, u, v, dx, dy)
        blocks = other.still or other.stuck or oncoming
        blocks = blocks and v != body.goal and gap < BLOCK_LOOK
        if not blocks and room >= body.step:
            continue
        near = game.scratch.near[n_near]
        near.unit, near.dir_x, near.dir_y = v, dx, dy
        near.distance, near.reach = pair.distance, body.radius + other.radius
        near.room, near.oncoming = room, oncoming
        game.scratch.close[n_blockers] = n_near
        n_blockers += blocks
        n_near += 1
        in_front |= blocks and dx * body.dir_x + dy * body.dir_y > 0.0
        too_deep |= step_x * dx + step_y * dy - room >= NEARLY
    return n_near, n_blockers, in_front, too_deep


@kernel
def is_oncoming(game: Game, u: int, v: int, dx: float, dy: float) -> bool:
    """Do a unit and a friend in direction (dx, dy) walk towards each other?"""
    if not game.rules.assumptions[0].friends_pass:
        return False
    body, other = game.scratch.bodies[u], game.scratch.bodies[v]
    if other.still or other.owner != body.owner:
        return False
    # By what they wish: those who have made their step may have turned from it.
    if body.wish_x * dx + body.wish_y * dy <= ONCOMING:
        return False
    return other.wish_x * dx + other.wish_y * dy < -ONCOMING


@kernel
def first_blocker(game: Game, u: int, n_blockers: int) -> int:
    """The nearest of those who stand that a straight step would run into."""
    body = game.scratch.bodies[u]
    best, best_gap = codes.NO_UNIT, BLOCK_LOOK
    for i in range(n_blockers):
        k = game.scratch.close[i]
        near = game.scratch.near[k]
        along = near.dir_x * body.dir_x + near.dir_y * body.dir_y
        beside = (near.dir_x * body.dir_y - near.dir_y * body.dir_x) * near.distance
        # With some tolerance, because a step along the tangent of a blocker is exactly on its edge.
        if along <= 1e-6 or beside * beside >= near.reach * near.reach * 0.98:
            continue
        gap = near.distance - near.reach
        if gap < best_gap - NEARLY:
            best, best_gap = k, gap
        elif gap < best_gap + NEARLY and best >= 0:
            one, other = game.units[near.unit].tag, game.units[game.scratch.near[best].unit].tag
            if toss(game.clock[0].seed, game.units[u].tag, one, other):
                best, best_gap = k, gap
    return best


@kernel
def keep_clear(game: Game, u: int, n_near: int) -> None:
    """Shorten a step, or let it slide, where it would go deeper into a body than there is room.

    The body that is most in the way counts first, so that the order of the pairs does not matter.
    """
    body = game.scratch.bodies[u]
    step_x, step_y = body.dir_x * body.step, body.dir_y * body.step
    in_the_way = codes.NO_UNIT
    for _ in range(3):
        worst, least, deepest = 0.0, NEARLY, -1
        for k in range(n_near):
            near = game.scratch.near[k]
            too_deep = step_x * near.dir_x + step_y * near.dir_y - near.room
            if too_deep < least:
                continue
            if too_deep < worst + NEARLY and deepest >= 0:
                one, other = (
                    game.units[near.unit].tag,
                    game.units[game.scratch.near[deepest].unit].tag,
                )
                if not toss(game.clock[0].seed, game.units[u].tag, one, other):
                    continue
            worst, least, deepest = too_deep, max(too_deep - NEARLY, NEARLY), k
        if deepest < 0:
            break
        near = game.scratch.near[deepest]
        step_x -= near.dir_x * worst
        step_y -= near.dir_y * worst
        in_the_way = near.unit
    size = length(step_x, step_y)
    if size >= body.step - NEARLY:
        return
    if step_x * body.dir_x + step_y * body.dir_y > 0.0 and size > 1e-9:
        body.step = size
        body.dir_x, body.dir_y = step_x / size, step_y / size
    else:
        body.step = 1e-9
    if body.step < FULL_SPEED_SHARE * body.full_step and in_the_way >= 0:
        go_with(game, u, in_the_way)


@kernel
def go_with(game: Game, u: int, v: int) -> None:
    """Two friends that pass a crowd on opposite sides block each other: by lot, one turns round."""
    me, other = game.units[u], game.units[v]
    if other.owner == me.owner and game.scratch.bodies[v].detour == -me.detour and me.detour != 0:
        if toss(game.clock[0].seed, 0, me.tag, other.tag):
            me.detour = -me.detour
