"""Who sees whom: ranges, SMACv2's cone, and sightings that are not shared with everybody."""

import math

from terrarium.engine.geometry import NEARLY, edge_distance, length
from terrarium.engine.jit import kernel
from terrarium.engine.random import SIGHTING, TURN, bits, uniform
from terrarium.engine.state import Records
from terrarium.envs.kernels.tables import Arena, Book, Task

TINY = 1e-7
WALK_UP = 2.0
"""How far beyond its weapon's reach a unit with abilities may be told to attack: it walks there"""


@kernel
def member(arena: Arena, book: Book, e: int, m: int) -> Records:
    """The engine's record of an agent or, from `n_agents` on, of an enemy."""
    return arena.world.units[e, book.slots[e, m]]


@kernel
def is_there(arena: Arena, book: Book, e: int, m: int) -> bool:
    """Is a member alive and on the map? The slot of a dead one may have passed to a summoned."""
    unit = member(arena, book, e, m)
    return unit.alive and unit.tag == book.tags[e, m]


@kernel
def lives(arena: Arena, book: Book, e: int, m: int) -> bool:
    """Is a member alive, on the map or on board of another unit?"""
    unit = member(arena, book, e, m)
    return (unit.alive or unit.inside >= 0) and unit.tag == book.tags[e, m]


@kernel
def distance_between(arena: Arena, book: Book, e: int, m: int, other: int) -> float:
    me, you = member(arena, book, e, m), member(arena, book, e, other)
    return length(you.x - me.x, you.y - me.y)


@kernel
def in_sight(arena: Arena, task: Task, book: Book, e: int, a: int, m: int) -> bool:
    """Is a member where agent `a` looks? It need not be alive."""
    return looks_at(arena, task, book, e, a, m, distance_between(arena, book, e, a, m))


@kernel
def looks_at(arena: Arena, task: Task, book: Book, e: int, a: int, m: int, distance: float) -> bool:
    """The same, where the distance is known."""
    settings = task.settings[0]
    if settings.sees_all:
        return True
    reach = task.kinds[member(arena, book, e, a).kind].sight
    # SMACv2's cone includes its end, unlike the circle.
    if distance > reach or (distance == reach and settings.n_directions == 0):
        return False
    return in_cone(arena, task, book, e, a, m)


@kernel
def in_range(arena: Arena, task: Task, book: Book, e: int, a: int, m: int) -> bool:
    """May agent `a` aim at a member from where it is?"""
    if task.settings[0].skilled:
        near = in_reach_of_arms(arena, task, book, e, a, m)
    else:
        reach = task.kinds[member(arena, book, e, a).kind].shoot
        near = distance_between(arena, book, e, a, m) <= reach
    return near and in_cone(arena, task, book, e, a, m)


@kernel
def in_reach_of_arms(arena: Arena, task: Task, book: Book, e: int, a: int, m: int) -> bool:
    """The same by what the unit is now: its form, its upgrades, and whom it aims at."""
    me, you = member(arena, book, e, a), member(arena, book, e, m)
    row = arena.rules.types[me.kind]
    if task.kinds[me.kind].heals:
        reach = row.heal_range
    else:
        reach = arena.rules.reach[me.kind, you.column] + me.range_add
    if row.mobile:
        reach += WALK_UP
    return edge_distance(arena.rules, me, you) <= reach + NEARLY


@kernel
def in_cone(arena: Arena, task: Task, book: Book, e: int, a: int, m: int) -> bool:
    settings = task.settings[0]
    if settings.n_directions == 0:
        return True
    me, you = member(arena, book, e, a), member(arena, book, e, m)
    dx, dy = you.x - me.x, you.y - me.y
    look_x = task.directions[book.headings[e, a], 0]
    look_y = task.directions[book.headings[e, a], 1]
    half = math.pi / settings.n_directions
    if not settings.exact:
        return dx * look_x + dy * look_y >= math.cos(half) * length(dx, dy) - TINY
    # SMACv2 compares arctangents of one argument and takes the sign of x from the other unit: what
    # is nearly above or below is seen by cones that point to the other side, and what is straight
    # behind by those that point east or west.
    if dx > 0.0:
        dx, look_x = max(dx, TINY), max(look_x, TINY)
    else:
        dx, look_x = min(dx, -TINY), min(look_x, -TINY)
    return abs(math.atan(dy / dx) - math.atan(look_y / look_x)) < half


@kernel
def draw_turns(arena: Arena, task: Task, book: Book, e: int) -> None:
    """SMACv2 lets the agents look in a random order, and the first to see an enemy owns it."""
    settings = task.settings[0]
    seed, step = arena.world.clock[e, 0].seed, book.episodes[e].steps
    for i in range(settings.n_agents):
        book.turns[e, i] = i
    if not (settings.exact and settings.counts_grants):
        return
    for i in range(1, settings.n_agents):
        a = book.turns[e, i]
        key = bits(seed, step, a, TURN)
        j = i
        while j > 0 and bits(seed, step, book.turns[e, j - 1], TURN) > key:
            book.turns[e, j] = book.turns[e, j - 1]
            j -= 1
        book.turns[e, j] = a


@kernel
def forget_sightings(arena: Arena, task: Task, book: Book, e: int) -> None:
    """A sighting lasts until the enemy dies, or the agent that had it first."""
    settings = task.settings[0]
    for k in range(settings.n_enemies):
        owner = book.owners[e, k]
        if owner < 0:
            continue
        m = settings.n_agents + k
        if is_there(arena, book, e, m) and is_there(arena, book, e, owner):
            continue
        book.owners[e, k] = -1
        for a in range(settings.n_agents):
            book.grants[e, a, k] = False


@kernel
def look_around(arena: Arena, task: Task, book: Book, e: int, a: int) -> None:
    """Agent `a` takes what it is the first to see; luck decides who may see it too."""
    settings = task.settings[0]
    seed, step = arena.world.clock[e, 0].seed, book.episodes[e].steps
    for k in range(settings.n_enemies):
        m = settings.n_agents + k
        if book.owners[e, k] >= 0:
            continue
        # SMACv2 also takes notice of where a dead enemy lies.
        if not (settings.exact or is_there(arena, book, e, m)):
            continue
        if not in_sight(arena, task, book, e, a, m):
            continue
        book.owners[e, k] = a
        for other in range(settings.n_agents):
            draw = uniform(seed, step, other * settings.n_enemies + k, SIGHTING)
            book.grants[e, other, k] = other == a or draw < settings.share_sight


@kernel
def is_seen(arena: Arena, book: Book, e: int, a: int, m: int) -> bool:
    """Does the side of agent `a` see a member, through fog and cloak?"""
    return member(arena, book, e, m).seen >> member(arena, book, e, a).side & 1 != 0


@kernel
def is_visible(
    arena: Arena, task: Task, book: Book, e: int, a: int, m: int, distance: float
) -> bool:
    """Does agent `a` perceive another member, at that distance, who is alive?"""
    settings = task.settings[0]
    if not looks_at(arena, task, book, e, a, m, distance):
        return False
    if settings.skilled and not is_seen(arena, book, e, a, m):
        return False
    if m < settings.n_agents or not settings.counts_grants:
        return True
    return book.grants[e, a, m - settings.n_agents]
