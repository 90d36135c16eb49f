"""SMAC's observation of one agent: moves, enemies, allies, itself (reference: SMAC, 4)."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import entry, kernel
from terrarium.engine.state import Records
from terrarium.envs.kernels.sight import distance_between, in_sight, is_there, is_visible, member
from terrarium.envs.kernels.tables import NORTH, Arena, Book, Task

Vector = NDArray[np.float32]


@kernel
def observe_agent(
    arena: Arena, task: Task, book: Book, obs: Vector, avail: NDArray[np.bool_], e: int, a: int
) -> None:
    """Fill `obs` [O] with what agent `a` perceives; the dead perceive nothing but the time."""
    settings = task.settings[0]
    for i in range(obs.shape[0]):
        obs[i] = 0.0
    if settings.obs_time:
        obs[obs.shape[0] - 1] = book.episodes[e].steps / settings.limit_steps
    if not is_there(arena, book, e, a) or not settings.features:
        return
    show_moves(arena, task, book, obs, avail, e, a)
    at = settings.move_width
    for k in range(settings.n_enemies):
        show_enemy(arena, task, book, obs, avail, e, a, k, at + k * settings.enemy_width)
        hides = settings.exact and settings.counts_grants and not book.grants[e, a, k]
        if hides:
            # SMACv2 clears the whole block built so far, not this row (reference: SMAC, 11.4).
            for i in range(at, at + (k + 1) * settings.enemy_width):
                obs[i] = 0.0
    at += settings.n_enemies * settings.enemy_width
    for other in range(settings.n_agents):
        if other != a:
            show_ally(arena, task, book, obs, e, a, other, at)
            at += settings.ally_width
    show_self(arena, task, book, obs, e, a, at)


@kernel
def show_moves(
    arena: Arena, task: Task, book: Book, obs: Vector, avail: NDArray[np.bool_], e: int, a: int
) -> None:
    settings = task.settings[0]
    for i in range(4):
        obs[i] = int(avail[e, a, NORTH + i])
    me = member(arena, book, e, a)
    x, y, at = int(me.x), int(me.y), 4
    near, far = settings.move_amount, 2.0 * settings.move_amount
    if settings.pathing:
        for i in range(8):
            dx, dy = point_around(i, near, far)
            obs[at + i] = cell_value(arena, task.pathing, x + dx, y + dy)
        at += 8
    if settings.heights:
        for i in range(9):
            dx, dy = point_around(i, near, far)
            obs[at + i] = cell_value(arena, task.heights, x + dx, y + dy)


@kernel
def point_around(i: int, near: float, far: float) -> tuple[float, float]:
    """The eight points that SMAC looks at, and the own cell."""
    if i < 4:
        sign = 1.0 if i % 2 == 0 else -1.0
        return (0.0, sign * far) if i < 2 else (sign * far, 0.0)
    if i == 8:
        return 0.0, 0.0
    x = near if i % 2 == 0 else -near
    return x, (x if i < 6 else -x)


@kernel
def cell_value(arena: Arena, grid: NDArray[np.float32], x: float, y: float) -> float:
    """A cell of a grid; 1 off the map."""
    width, height = arena.ground.size[0], arena.ground.size[1]
    if x < 0.0 or y < 0.0 or x >= width or y >= height:
        return 1.0
    return grid[int(y) * width + int(x)]


@kernel
def show_enemy(
    arena: Arena,
    task: Task,
    book: Book,
    obs: Vector,
    avail: NDArray[np.bool_],
    e: int,
    a: int,
    k: int,
    at: int,
) -> None:
    settings = task.settings[0]
    m = settings.n_agents + k
    if not is_there(arena, book, e, m):
        return
    distance = distance_between(arena, book, e, a, m)
    if not is_visible(arena, task, book, e, a, m, distance):
        return
    heals = task.kinds[member(arena, book, e, a).kind].heals
    if settings.exact or not heals:  # in SMAC, a Medivac's entry tells of ally k
        obs[at] = int(avail[e, a, settings.first_target + k])
    show_place(arena, task, book, obs, e, a, m, at + 1, distance)
    enemy = member(arena, book, e, m)
    bit = task.kinds[enemy.kind].enemy_bit
    show_life(arena, obs, enemy, at + 4, settings.all_health, settings.enemy_shields)
    if bit >= 0:
        obs[at + settings.enemy_width - settings.type_bits + bit] = 1.0


@kernel
def show_ally(
    arena: Arena, task: Task, book: Book, obs: Vector, e: int, a: int, other: int, at: int
) -> None:
    settings = task.settings[0]
    if not is_there(arena, book, e, other):
        return
    distance = distance_between(arena, book, e, a, other)
    if not is_visible(arena, task, book, e, a, other, distance):
        return
    obs[at] = 1.0
    show_place(arena, task, book, obs, e, a, other, at + 1, distance)
    ally = member(arena, book, e, other)
    bit = task.kinds[ally.kind].ally_bit
    i = show_life(arena, obs, ally, at + 4, settings.all_health, settings.ally_shields)
    if bit >= 0:
        obs[i + bit] = 1.0
    if settings.last_actions and book.last_actions[e, other] >= 0:
        obs[i + settings.type_bits + book.last_actions[e, other]] = 1.0


@kernel
def show_self(arena: Arena, task: Task, book: Book, obs: Vector, e: int, a: int, at: int) -> None:
    settings = task.settings[0]
    me = member(arena, book, e, a)
    at = show_life(arena, obs, me, at, settings.own_health, settings.ally_shields)
    if settings.own_place:
        obs[at] = me.x / arena.ground.size[0]
        obs[at + 1] = me.y / arena.ground.size[1]
        at += 2
    if settings.n_directions > 0:
        obs[at] = task.directions[book.headings[e, a], 0]
        obs[at + 1] = task.directions[book.headings[e, a], 1]
        at += 2
    bit = task.kinds[me.kind].ally_bit
    if bit >= 0:
        obs[at + bit] = 1.0


@kernel
def show_place(
    arena: Arena,
    task: Task,
    book: Book,
    obs: Vector,
    e: int,
    a: int,
    m: int,
    at: int,
    distance: float,
) -> None:
    """Distance and direction, in the observer's sight ranges."""
    me, you = member(arena, book, e, a), member(arena, book, e, m)
    sight = task.kinds[me.kind].sight
    obs[at] = distance / sight
    obs[at + 1] = (you.x - me.x) / sight
    obs[at + 2] = (you.y - me.y) / sight


@kernel
def show_life(
    arena: Arena, obs: Vector, unit: Records, at: int, shown: bool, with_shield: bool
) -> int:
    """Health, and shield where the race has one; the column after them."""
    if not shown:
        return at
    row = arena.rules.types[unit.kind]
    obs[at] = unit.hp / unit.hp_max
    if not with_shield:
        return at + 1
    if row.shields > 0.0:
        obs[at + 1] = unit.shield / row.shields
    return at + 2


@entry
def visibility(arena: Arena, task: Task, book: Book, seen: NDArray[np.bool_]) -> None:
    """Fill `seen` [N, A, M]: whom each agent sees, of all living members but itself."""
    for e in range(seen.shape[0]):
        for a in range(seen.shape[1]):
            alive = is_there(arena, book, e, a)
            for m in range(seen.shape[2]):
                other = is_there(arena, book, e, m) and m != a
                seen[e, a, m] = alive and other and in_sight(arena, task, book, e, a, m)
