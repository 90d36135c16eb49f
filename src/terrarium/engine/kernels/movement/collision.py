"""Collision: bodies that share a class keep their separation radii apart (game_rules.md, 5)."""

import math

import numpy as np

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.grid import CROWD, members_of
from terrarium.engine.kernels.movement.walls import walk
from terrarium.engine.kernels.random import DIRECTION, bits
from terrarium.engine.records import Records
from terrarium.engine.scratch import N_CONTACTS, N_MEMBERS, N_PAIRS, N_SHOVED
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import BUCKET

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
NEARLY_TOUCHING = 0.15
"""Bodies that are further apart after their steps are not pushed into each other in this tick."""
BLOCK_LOOK = 0.3
"""A walker goes around those who are nearer than this."""
LEAST_AHEAD = 0.5 * (BLOCK_LOOK - NEARLY_TOUCHING)
FLYER_AHEAD = 0.1
OUT_OF_THE_WAY = 1e9
UNKNOWN = -1.0
"""in place of a share"""


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
    n_members = game.scratch.counts[N_MEMBERS]
    for m in range(n_members):
        fill_spot(game, m)
    for m in range(n_members):
        spot = game.scratch.spots[m]
        if spot.x == OUT_OF_THE_WAY:
            continue
        own = spot.reach + NEARLY_TOUCHING + NEARLY
        for k in range(m + 1, n_members):
            other = game.scratch.spots[k]
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
    body.shoved = False
    # Two bodies matter to each other if they may touch after their steps, or if one of them would
    # go around the other: within `BLOCK_LOOK` or two of its steps.
    if body.flying:  # its momentum takes it further than it wants
        body.ahead = body.step + FLYER_AHEAD
    else:
        body.ahead = max(max(body.step, LEAST_AHEAD), 2.0 * body.step - 3.0 * LEAST_AHEAD)
    spot.reach = body.radius + body.ahead if body.classes else 0.0
    spot.x = body.x if body.classes else OUT_OF_THE_WAY
    spot.y = body.y


@kernel
def find_pairs_of(game: Game, m: int, others: float) -> None:
    """List the pairs of a member of the grid with those that come after it; they reach `others` at
    most."""
    own = game.scratch.spots[m]
    far = own.reach + NEARLY_TOUCHING + NEARLY + others
    low_x, high_x = int((own.x - far) / BUCKET), int((own.x + far) / BUCKET)
    own_y, high_y = int(own.y / BUCKET), min(game.ground.size[3] - 1, int((own.y + far) / BUCKET))
    n_close = 0
    for j in range(own_y, high_y + 1):
        first, last = members_of(game, j, low_x, high_x)
        if j == own_y:
            first = m + 1  # the others have found it
        n_close = list_close(game, m, first, last, n_close)
    try_pairs(game, m, n_close)


@kernel
def list_close(game: Game, m: int, first: int, last: int, n_close: int) -> int:
    """Append to the list of `n_close` units those of some spots that one may touch; how many are on
    it now?"""
    own = game.scratch.spots[m]
    # Whatever the order of the sum in `try_pair` rounds it to.
    x, y, reach = own.x, own.y, own.reach + NEARLY_TOUCHING + NEARLY
    for k in range(first, last):
        spot = game.scratch.spots[k]
        dx, dy, near = spot.x - x, spot.y - y, reach + spot.reach
        # Counted instead of branched on: the processor cannot foresee who is close.
        game.scratch.close[n_close] = spot.unit
        n_close += dx * dx + dy * dy < near * near
    return n_close


@kernel
def try_pairs(game: Game, m: int, n_close: int) -> None:
    """Try the pairs of a member with the units that are listed as close."""
    u = int(game.scratch.spots[m].unit)
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
        reach += NEARLY_TOUCHING + body.ahead + other.ahead
    squared = dx * dx + dy * dy
    p = game.scratch.counts[N_PAIRS]
    if squared >= reach * reach or p >= game.scratch.pairs.shape[0]:
        return
    if (body.slips or other.slips) and body.owner == other.owner:
        return
    pair = game.scratch.pairs[p]
    pair.units[0], pair.units[1] = u, v
    pair.distance = math.sqrt(squared)
    if pair.distance > NEARLY:
        pair.dir_x, pair.dir_y = dx / pair.distance, dy / pair.distance
    else:
        pair.dir_x, pair.dir_y = 0.0, 0.0
    pair.next[0], pair.next[1] = body.first, other.first
    body.first, other.first = 2 * p, 2 * p + 1
    game.scratch.counts[N_PAIRS] = p + 1


@kernel
def push_apart(game: Game) -> None:
    """Resolve overlaps of the tentative positions, all of one round from the same picture."""
    if not list_contacts(game):
        return
    for k in range(MOST_ROUNDS):
        if k >= ROUNDS and not any_is_deep(game):
            return
        if not push_contacts(game):
            return
        give_way(game)


@kernel
def list_contacts(game: Game) -> bool:
    """Pick the pairs that the rounds of pushing are about, as most pairs never overlap; do any?"""
    touched, n_contacts = False, 0
    for p in range(game.scratch.counts[N_PAIRS]):
        pair = game.scratch.pairs[p]
        u, v = pair.units[0], pair.units[1]
        body, other = game.scratch.bodies[u], game.scratch.bodies[v]
        dx, dy = other.x - body.x, other.y - body.y
        reach = body.radius + other.radius
        squared, near = dx * dx + dy * dy, reach + NEARLY_TOUCHING
        contact = game.scratch.contacts[n_contacts]
        contact.u, contact.v, contact.reach, contact.mine = u, v, reach, UNKNOWN
        # Counted instead of branched on: the processor cannot foresee who nearly touches.
        n_contacts += squared < near * near
        touched |= squared < reach * reach
    game.scratch.counts[N_CONTACTS] = n_contacts
    game.scratch.counts[N_SHOVED] = 0
    return touched


@kernel
def any_is_deep(game: Game) -> bool:
    """Does any pair on the ground overlap so deeply that it is worth another round?"""
    for k in range(game.scratch.counts[N_CONTACTS]):
        contact = game.scratch.contacts[k]
        body, other = game.scratch.bodies[contact.u], game.scratch.bodies[contact.v]
        dx, dy = other.x - body.x, other.y - body.y
        shallow = contact.reach * (1.0 - DEEP)
        if dx * dx + dy * dy < shallow * shallow and not (body.flying or other.flying):
            return True
    return False


@kernel
def push_contacts(game: Game) -> bool:
    """Add up the pushes of one round; does any pair overlap?"""
    touched = False
    for k in range(game.scratch.counts[N_CONTACTS]):
        contact = game.scratch.contacts[k]
        body, other = game.scratch.bodies[contact.u], game.scratch.bodies[contact.v]
        dx, dy = other.x - body.x, other.y - body.y
        squared = dx * dx + dy * dy
        if squared >= contact.reach * contact.reach:
            continue
        touched = True
        if contact.mine == UNKNOWN:
            begin_contact(game, k)
        distance = math.sqrt(squared)
        overlap = contact.reach - distance
        if distance > NEARLY:
            dx, dy = dx / distance * overlap, dy / distance * overlap
        else:
            dx, dy = any_direction(game, contact.u, contact.v)
            dx, dy = dx * overlap, dy * overlap
        body.push_x -= dx * contact.mine
        body.push_y -= dy * contact.mine
        other.push_x += dx * contact.theirs
        other.push_y += dy * contact.theirs
    return touched


@kernel
def begin_contact(game: Game, k: int) -> None:
    """Work out how two bodies share their overlap, the first time that they have one."""
    contact = game.scratch.contacts[k]
    body, other = game.scratch.bodies[contact.u], game.scratch.bodies[contact.v]
    contact.mine, contact.theirs = shares(body, other)
    if contact.mine > 0.0:
        list_shoved(game, contact.u)
    if contact.theirs > 0.0:
        list_shoved(game, contact.v)


@kernel
def list_shoved(game: Game, u: int) -> None:
    """Put a body on the list of those that are pushed, once."""
    body = game.scratch.bodies[u]
    if not body.shoved:
        body.shoved = True
        body.push_x = body.push_y = 0.0
        game.scratch.shoved[game.scratch.counts[N_SHOVED]] = u
        game.scratch.counts[N_SHOVED] += 1


@kernel
def give_way(game: Game) -> None:
    """Move every body by the pushes of one round."""
    for i in range(game.scratch.counts[N_SHOVED]):
        u = game.scratch.shoved[i]
        body = game.scratch.bodies[u]
        if body.push_x == 0.0 and body.push_y == 0.0:
            continue
        push = length(body.push_x, body.push_y)
        scale = LONGEST_PUSH / push if push > LONGEST_PUSH else 1.0
        body.x += body.push_x * scale
        body.y += body.push_y * scale
        body.push_x = body.push_y = 0.0
        # Walls take part in every round, or they would undo it at the end.
        body.x, body.y = stay_on_ground(game, body, game.units[u].x, game.units[u].y)


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
def shares(body: Records, other: Records) -> tuple[float, float]:
    """Which share of an overlap each of two bodies gives way by: who moves gives way, who fights or
    holds stands, enemies are not shoved."""
    if body.flying or other.flying:
        if not (body.still and other.still):
            return 0.0, 0.0
        share, mine = DRIFT, 0.5
    else:
        i_yield, they_yield = yields(body, other), yields(other, body)
        share = SHARE if i_yield or they_yield else DRIFT
        mine = 0.5 if i_yield == they_yield else (1.0 if i_yield else 0.0)
    if body.solid:
        mine = 0.0
    elif other.solid:
        mine = 1.0
    return share * mine, share * (1.0 - mine)


@kernel
def yields(body: Records, other: Records) -> bool:
    """Does a body give way to another one?"""
    if body.anchored:
        return False
    return not body.still or body.owner == other.owner


@kernel
def any_direction(game: Game, u: int, v: int) -> tuple[float, float]:
    """The direction between two bodies on one point: a fair coin chooses."""
    tag_u, tag_v = game.units[u].tag, game.units[v].tag
    draw = bits(game.clock[0].seed, min(tag_u, tag_v), max(tag_u, tag_v), DIRECTION)
    sign = 1.0 if tag_u < tag_v else -1.0
    if draw & np.uint64(1):
        return sign, 0.0
    return 0.0, sign if draw & np.uint64(2) else -sign
