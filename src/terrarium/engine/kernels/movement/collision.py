"""Collision: bodies that share a class keep their separation radii apart (game_rules.md, 5)."""

import math

import numpy as np

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.grid import CROWD, members_of
from terrarium.engine.kernels.movement.walls import walk
from terrarium.engine.kernels.random import DIRECTION, bits
from terrarium.engine.records import Records
from terrarium.engine.state import N_MEMBERS, N_PAIRS, Game
from terrarium.engine.tables.terrain import BUCKET

SEEN_COMING = 0.35
"""Bodies notice each other when a step would bring them this close."""
ROUNDS = 3
MOST_ROUNDS = 10
DEEP = 0.12
"""An overlap of more than this share of the separation is worth further rounds."""
SHARE = 0.6
"""How much of an overlap one round takes away: below 1, so that crowds do not oscillate."""
DRIFT = 0.15
"""The same for two bodies that both stand and fight, and for standing flyers."""
DRIFT_TICKS = 4
"""Where no unit moves, drifting apart every few ticks is enough."""
LONGEST_PUSH = 0.3
OUT_OF_THE_WAY = 1e9


@kernel
def find_pairs(game: Game) -> None:
    """List the pairs of bodies that may touch in this tick; each body knows its own."""
    game.scratch.counts[N_PAIRS] = 0
    if game.clock[0].n_living < CROWD:
        find_pairs_among_few(game)
    else:
        find_pairs_on_grid(game)


@kernel
def find_pairs_among_few(game: Game) -> None:
    """Try every pair."""
    n_living = game.clock[0].n_living
    for i in range(n_living):
        game.scratch.spots[i].unit = game.living[i]
        fill_spot(game, i)
    for i in range(n_living):
        spot = game.scratch.spots[i]
        if spot.x == OUT_OF_THE_WAY:
            continue
        own = spot.reach + SEEN_COMING + NEARLY
        for j in range(i + 1, n_living):
            other = game.scratch.spots[j]
            dx, dy, near = other.x - spot.x, other.y - spot.y, own + other.reach
            if dx * dx + dy * dy < near * near:
                try_pair(game, int(spot.unit), int(other.unit))


@kernel
def find_pairs_on_grid(game: Game) -> None:
    """Try the pairs of bodies in neighboring buckets."""
    n_members = game.scratch.counts[N_MEMBERS]
    largest = 0.0
    for m in range(n_members):
        fill_spot(game, m)
        largest = max(largest, game.scratch.spots[m].reach)
    for m in range(n_members):
        if game.scratch.spots[m].x != OUT_OF_THE_WAY:
            find_pairs_of(game, m, largest)


@kernel
def fill_spot(game: Game, m: int) -> None:
    """Put what most pairs of a body are ruled out by next to that of others."""
    spot = game.scratch.spots[m]
    body = game.scratch.bodies[spot.unit]
    spot.reach = body.radius + body.step if body.classes else 0.0
    spot.x = body.x if body.classes else OUT_OF_THE_WAY
    spot.y = body.y


@kernel
def find_pairs_of(game: Game, m: int, others: float) -> None:
    """List the pairs of a member of the grid with those that come after it; they reach `others` at
    most."""
    own = game.scratch.spots[m]
    # Whatever the order of the sum in `try_pair` rounds it to.
    u, x, y, reach = int(own.unit), own.x, own.y, own.reach + SEEN_COMING + NEARLY
    far = reach + others
    low_x, high_x = int((x - far) / BUCKET), int((x + far) / BUCKET)
    own_y, high_y = int(y / BUCKET), min(game.ground.size[3] - 1, int((y + far) / BUCKET))
    n_close = 0
    for j in range(own_y, high_y + 1):
        first, last = members_of(game, j, low_x, high_x)
        if j == own_y:
            first = m + 1  # the others have found it
        for k in range(first, last):
            spot = game.scratch.spots[k]
            dx, dy, near = spot.x - x, spot.y - y, reach + spot.reach
            # Counted instead of branched on: the processor cannot foresee who is close.
            game.scratch.close[n_close] = spot.unit
            n_close += dx * dx + dy * dy < near * near
    for k in range(n_close):
        try_pair(game, u, game.scratch.close[k])


@kernel
def try_pair(game: Game, u: int, v: int) -> None:
    body, other = game.scratch.bodies[u], game.scratch.bodies[v]
    if not body.classes & other.classes or (body.solid and other.solid):
        return
    dx, dy = other.x - body.x, other.y - body.y
    reach = body.radius + other.radius
    if not (body.still and other.still):
        reach += SEEN_COMING + body.step + other.step
    squared = dx * dx + dy * dy
    p = game.scratch.counts[N_PAIRS]
    if squared >= reach * reach or p >= game.scratch.pairs.shape[0]:
        return
    pair = game.scratch.pairs[p]
    pair.u, pair.v = u, v
    pair.distance = math.sqrt(squared)
    if pair.distance > NEARLY:
        pair.dir_x, pair.dir_y = dx / pair.distance, dy / pair.distance
    else:
        pair.dir_x, pair.dir_y = 0.0, 0.0
    pair.next_u, pair.next_v = body.first, other.first
    body.first = other.first = p
    game.scratch.counts[N_PAIRS] = p + 1


@kernel
def push_apart(game: Game) -> None:
    """Resolve overlaps of the tentative positions, all of one round from the same picture."""
    n_living = game.clock[0].n_living
    for k in range(MOST_ROUNDS):
        touched, deep = False, False
        for p in range(game.scratch.counts[N_PAIRS]):
            pair = game.scratch.pairs[p]
            body, other = game.scratch.bodies[pair.u], game.scratch.bodies[pair.v]
            dx, dy = other.x - body.x, other.y - body.y
            reach = body.radius + other.radius
            squared = dx * dx + dy * dy
            if squared < reach * reach:
                overlap = reach - math.sqrt(squared)
                push_pair(game, pair.u, pair.v, overlap)
                touched = True
                if overlap > DEEP * reach and not (body.flying or other.flying):
                    deep = True
        if not touched:
            return  # whatever was pushed has moved, and pushes are zero again
        if k >= ROUNDS and not deep:
            clear_pushes(game)
            return
        for i in range(n_living):
            u = game.living[i]
            body = game.scratch.bodies[u]
            if body.push_x == 0.0 and body.push_y == 0.0:
                continue
            push = length(body.push_x, body.push_y)
            if push > 0.0:
                scale = LONGEST_PUSH / push if push > LONGEST_PUSH else 1.0
                body.x += body.push_x * scale
                body.y += body.push_y * scale
                body.push_x = body.push_y = 0.0
                # Walls take part in every round, or they would undo it at the end.
                body.x, body.y = stay_on_ground(game, body, game.units[u].x, game.units[u].y)


@kernel
def clear_pushes(game: Game) -> None:
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        game.scratch.bodies[u].push_x = game.scratch.bodies[u].push_y = 0.0


@kernel
def stay_on_ground(game: Game, body: Records, x: float, y: float) -> tuple[float, float]:
    """Where a body that was at (x, y) may be, as near as possible to where it wants to be."""
    playable = game.ground.playable
    edge = 1e-6  # keeps a point on the upper border inside the last cell
    to_x = min(max(body.x, playable[0]), playable[2] - edge)
    to_y = min(max(body.y, playable[1]), playable[3] - edge)
    if body.flying:
        return to_x, to_y
    return walk(game, body, x, y, to_x, to_y)


@kernel
def push_pair(game: Game, u: int, v: int, overlap: float) -> None:
    """Share an overlap: who moves gives way, who fights or holds stands, enemies are not shoved."""
    body, other = game.scratch.bodies[u], game.scratch.bodies[v]
    if body.flying or other.flying:
        if not (body.still and other.still):
            return
        share, mine, theirs = DRIFT, 0.5, 0.5
    else:
        i_yield = yields(body, other)
        they_yield = yields(other, body)
        share = SHARE
        if i_yield == they_yield:
            mine = theirs = 0.5
            share = SHARE if i_yield else DRIFT
        else:
            mine, theirs = (1.0, 0.0) if i_yield else (0.0, 1.0)
    if body.solid:
        mine, theirs = 0.0, mine + theirs
    if other.solid:
        mine, theirs = (0.0, 0.0) if body.solid else (mine + theirs, 0.0)
    dx, dy = away(game, u, v)
    body.push_x -= dx * overlap * share * mine
    body.push_y -= dy * overlap * share * mine
    other.push_x += dx * overlap * share * theirs
    other.push_y += dy * overlap * share * theirs


@kernel
def yields(body: Records, other: Records) -> bool:
    """Does a body give way to another one?"""
    if body.anchored:
        return False
    return not body.still or body.owner == other.owner


@kernel
def away(game: Game, u: int, v: int) -> tuple[float, float]:
    """The direction from one body to another; of two on one point, a fair coin chooses."""
    dx = game.scratch.bodies[v].x - game.scratch.bodies[u].x
    dy = game.scratch.bodies[v].y - game.scratch.bodies[u].y
    distance = length(dx, dy)
    if distance > 1e-9:
        return dx / distance, dy / distance
    tag_u, tag_v = game.units[u].tag, game.units[v].tag
    draw = bits(game.clock[0].seed, min(tag_u, tag_v), max(tag_u, tag_v), DIRECTION)
    sign = 1.0 if tag_u < tag_v else -1.0
    if draw & np.uint64(1):
        return sign, 0.0
    return 0.0, sign if draw & np.uint64(2) else -sign
