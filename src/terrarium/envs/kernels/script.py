"""SMAC's own scripted player: each unit keeps a target until it is dead, then takes the nearest."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import kernel
from terrarium.envs.kernels.sight import distance_between, is_there, member
from terrarium.envs.kernels.tables import EAST, NO_OP, NORTH, SOUTH, WEST, Arena, Book, Task


@kernel
def choose_for(
    arena: Arena, task: Task, book: Book, avail: NDArray[np.bool_], e: int, a: int
) -> int:
    """The script's action of agent `a`. It may attack beyond the mask, as in SMAC."""
    settings = task.settings[0]
    me = member(arena, book, e, a)
    if not is_there(arena, book, e, a):
        return NO_OP
    heals = task.kinds[me.kind].heals
    m = book.focus[e, a]
    if m < 0 or not is_wanted(arena, task, book, e, m, heals):
        m = nearest_wanted(arena, task, book, e, a, heals)
        book.focus[e, a] = m
    if m < 0:
        return NO_OP
    action = settings.first_target + (m if heals else m - settings.n_agents)
    if not settings.script_walks or avail[e, a, action]:
        return action
    you = member(arena, book, e, m)
    dx, dy = you.x - me.x, you.y - me.y
    if abs(dx) > abs(dy):
        return EAST if dx > 0.0 else WEST
    return NORTH if dy > 0.0 else SOUTH


@kernel
def is_wanted(arena: Arena, task: Task, book: Book, e: int, m: int, heals: bool) -> bool:
    """Enemies until they are dead; allies until they are dead or healed."""
    if not heals or not is_there(arena, book, e, m):
        return is_there(arena, book, e, m)
    you = member(arena, book, e, m)
    return not task.kinds[you.kind].heals and you.hp < you.hp_max


@kernel
def nearest_wanted(arena: Arena, task: Task, book: Book, e: int, a: int, heals: bool) -> int:
    settings = task.settings[0]
    first = 0 if heals else settings.n_agents
    last = settings.n_agents if heals else settings.n_agents + settings.n_enemies
    # Actions reach only so many targets.
    last = min(last, first + settings.n_targets)
    best, best_distance = -1, 1e30
    for m in range(first, last):
        if m == a or not is_wanted(arena, task, book, e, m, heals):
            continue
        distance = distance_between(arena, book, e, a, m)
        if distance < best_distance:
            best, best_distance = m, distance
    return best
