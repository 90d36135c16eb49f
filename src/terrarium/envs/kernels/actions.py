"""What agents may do, and what their actions mean to the engine."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.random import CHOICE, bits
from terrarium.engine.state import Records
from terrarium.envs.kernels.script import choose_for
from terrarium.envs.kernels.sight import in_range, is_there, member
from terrarium.envs.kernels.skills import engine_takes, mask_skills, use_skill
from terrarium.envs.kernels.tables import (
    EAST,
    FIRST_TURN,
    NO_OP,
    NORTH,
    SOUTH,
    STOP,
    WEST,
    Arena,
    Book,
    Task,
)

_DRAW_BITS = np.uint64(33)
_HALF_WORD = np.uint64(31)


@kernel
def is_pathable(arena: Arena, x: float, y: float) -> bool:
    """Is the cell of a point on the map and walkable? Coordinates are cut towards zero, as SMAC
    cuts them: -0.5 is in cell 0."""
    width, height = arena.ground.size[0], arena.ground.size[1]
    cell_x, cell_y = int(x), int(y)
    if cell_x < 0 or cell_y < 0 or cell_x >= width or cell_y >= height:
        return False
    return arena.ground.walkable[0, cell_y * width + cell_x]


@kernel
def n_targets_of(task: Task, heals: bool) -> int:
    settings = task.settings[0]
    n = settings.n_agents if heals else settings.n_enemies
    return min(n, settings.n_targets)


@kernel
def target_of(task: Task, heals: bool, action: int) -> int:
    """The member that an action aims at."""
    settings = task.settings[0]
    k = action - settings.first_target
    return k if heals else settings.n_agents + k


@kernel
def may_aim_at(arena: Arena, task: Task, book: Book, e: int, a: int, m: int) -> bool:
    heals = task.kinds[member(arena, book, e, a).kind].heals
    if not is_there(arena, book, e, m):
        return False
    if heals and task.kinds[member(arena, book, e, m).kind].heals:
        return False
    if task.settings[0].masks_range and not in_range(arena, task, book, e, a, m):
        return False
    return not task.settings[0].skilled or engine_takes(arena, task, book, e, a, m, heals)


@kernel
def mask_actions(
    arena: Arena, task: Task, book: Book, avail: NDArray[np.bool_], e: int, a: int
) -> None:
    """Which actions agent `a` may choose now."""
    settings = task.settings[0]
    for action in range(settings.n_actions):
        avail[e, a, action] = False
    me = member(arena, book, e, a)
    if not is_there(arena, book, e, a) or me.status & codes.CONTROLLED:
        avail[e, a, NO_OP] = True
        return
    avail[e, a, STOP] = True
    ahead = settings.move_amount * 0.5
    avail[e, a, NORTH] = is_pathable(arena, me.x, me.y + ahead)
    avail[e, a, SOUTH] = is_pathable(arena, me.x, me.y - ahead)
    avail[e, a, EAST] = is_pathable(arena, me.x + ahead, me.y)
    avail[e, a, WEST] = is_pathable(arena, me.x - ahead, me.y)
    for action in range(FIRST_TURN, settings.first_skill):
        avail[e, a, action] = True
    heals = task.kinds[me.kind].heals
    for k in range(n_targets_of(task, heals)):
        action = settings.first_target + k
        m = target_of(task, heals, action)
        avail[e, a, action] = may_aim_at(arena, task, book, e, a, m)
    if settings.skilled:
        mask_skills(arena, task, book, avail, e, a)


@kernel
def give_commands(
    arena: Arena,
    task: Task,
    book: Book,
    avail: NDArray[np.bool_],
    actions: NDArray[np.int64],
    e: int,
) -> None:
    """Write the commands that the actions of one environment stand for."""
    settings = task.settings[0]
    clear_commands(arena, e)
    for a in range(settings.n_agents):
        action = actions[e, a]
        book.last_actions[e, a] = action
        if settings.scripted:
            action = choose_for(arena, task, book, avail, e, a)
            actions[e, a] = action
            if not settings.exact:  # SMAC has noted what it was told, not what was done
                book.last_actions[e, a] = action
        command(arena, task, book, e, a, action)


@kernel
def clear_commands(arena: Arena, e: int) -> None:
    for u in range(arena.commands.shape[1]):
        arena.commands[e, u].kind = codes.NO_ORDER


@kernel
def take_orders(arena: Arena, task: Task, book: Book, orders: Records, e: int) -> None:
    """Write commands that somebody gives in place of actions."""
    clear_commands(arena, e)
    for a in range(task.settings[0].n_agents):
        book.last_actions[e, a] = -1
        if not is_there(arena, book, e, a):
            continue
        given, order = orders[e, a], arena.commands[e, book.slots[e, a]]
        order.kind, order.target, order.ability = given.kind, given.target, given.ability
        order.x, order.y, order.queued = given.x, given.y, given.queued


@kernel
def command(arena: Arena, task: Task, book: Book, e: int, a: int, action: int) -> None:
    settings = task.settings[0]
    me = member(arena, book, e, a)
    order = arena.commands[e, book.slots[e, a]]
    order.target, order.queued = codes.NO_UNIT, False
    order.x, order.y = me.x, me.y
    if action == NO_OP:
        return
    if action == STOP:
        order.kind = codes.STOP
    elif action < FIRST_TURN:
        order.kind = codes.MOVE
        if action == NORTH:
            order.y += settings.move_amount
        elif action == SOUTH:
            order.y -= settings.move_amount
        elif action == EAST:
            order.x += settings.move_amount
        elif action == WEST:
            order.x -= settings.move_amount
    elif action < settings.first_skill:
        book.headings[e, a] = action - FIRST_TURN
    elif settings.skilled and (action < settings.first_target or action >= settings.first_aimed):
        use_skill(arena, task, book, e, a, action)
    else:
        heals = task.kinds[me.kind].heals
        m = target_of(task, heals, action)
        # Without a mask, SMACv2 checks the range here; an order that fails is not sent.
        if settings.masks_range or in_range(arena, task, book, e, a, m):
            order.kind = codes.HEAL if heals else codes.ATTACK
            order.target = book.slots[e, m]


@entry
def first_refused(
    avail: NDArray[np.bool_], actions: NDArray[np.int64], n_envs: int, n_agents: int
) -> int:
    """The first action, counted over environments and agents, that the mask forbids; -1 if none."""
    n_actions = avail.shape[2]
    for e in range(n_envs):
        for a in range(n_agents):
            action = actions[e, a]
            if action < 0 or action >= n_actions or not avail[e, a, action]:
                return e * n_agents + a
    return -1


@kernel
def sample_for(book: Book, avail: NDArray[np.bool_], actions: NDArray[np.int64], e: int) -> None:
    """Draw one of its available actions for every agent, each with the same probability."""
    n_agents, n_actions = avail.shape[1], avail.shape[2]
    episode = book.episodes[e]
    for a in range(n_agents):
        n = 0
        for action in range(n_actions):
            n += int(avail[e, a, action])
        draw = bits(episode.seed, episode.n_draws, a, CHOICE) >> _DRAW_BITS
        place = int((draw * np.uint64(n)) >> _HALF_WORD)
        action = -1
        while place >= 0:
            action += 1
            place -= int(avail[e, a, action])
        actions[e, a] = action
    episode.n_draws += 1


@entry
def sample_actions(
    book: Book, avail: NDArray[np.bool_], actions: NDArray[np.int64], first: int, last: int
) -> None:
    """Draw actions for the environments `first` to `last`."""
    for e in range(first, last):
        sample_for(book, avail, actions, e)
