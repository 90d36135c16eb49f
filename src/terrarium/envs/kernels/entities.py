"""The entity view: one token for every member, in the columns of `schema`."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import kernel
from terrarium.engine.state import Records
from terrarium.envs.kernels import schema
from terrarium.envs.kernels.actions import n_targets_of, target_of
from terrarium.envs.kernels.conditions import (
    count_skill_aims,
    place_of,
    show_condition,
    show_skills,
)
from terrarium.envs.kernels.sight import distance_between, is_there, is_visible, lives, member
from terrarium.envs.kernels.skills import aim_of
from terrarium.envs.kernels.tables import N_AIMED, NORTH, STOP, Arena, Book, Task

Token = NDArray[np.float32]


@kernel
def show_tokens(
    arena: Arena,
    task: Task,
    book: Book,
    tokens: NDArray[np.float32],
    mask: NDArray[np.bool_],
    avail: NDArray[np.bool_],
    e: int,
    a: int,
) -> None:
    """Fill `tokens` [M, F] and `mask` [M] with what agent `a` perceives, itself included."""
    settings = task.settings[0]
    for m in range(tokens.shape[0]):
        token = tokens[m]
        for i in range(token.shape[0]):
            token[i] = 0.0
        mask[m] = show_pair(arena, task, book, token, avail, e, a, m, schema.DX, schema.AIMED_AT)
        if not mask[m]:
            continue
        if settings.skilled:
            show_aimable(task, token, avail, e, a, m, schema.AIMABLE)
        token[schema.SELF] = int(m == a)
        token[schema.ALLY] = int(m < settings.n_agents and m != a)
        token[schema.ENEMY] = int(m >= settings.n_agents)
        show_member(arena, task, book, token, e, m)
        if m == a:
            show_options(arena, task, book, token, avail, e, a)


@kernel
def show_pairs(
    arena: Arena,
    task: Task,
    book: Book,
    pairs: NDArray[np.float32],
    mask: NDArray[np.bool_],
    avail: NDArray[np.bool_],
    e: int,
    a: int,
) -> None:
    """Fill `pairs` [M, R] and `mask` [M] with how agent `a` stands to whom it perceives."""
    for m in range(pairs.shape[0]):
        pair = pairs[m]
        for i in range(pair.shape[0]):
            pair[i] = 0.0
        mask[m] = show_pair(
            arena, task, book, pair, avail, e, a, m, schema.PAIR_DX, schema.PAIR_AIMED_AT
        )
        if mask[m] and task.settings[0].skilled:
            show_aimable(task, pair, avail, e, a, m, schema.PAIR_AIMABLE)


@kernel
def show_pair(
    arena: Arena,
    task: Task,
    book: Book,
    row: Token,
    avail: NDArray[np.bool_],
    e: int,
    a: int,
    m: int,
    place: int,
    aimed: int,
) -> bool:
    """How agent `a` stands to a member, in the four columns from `place` on and in `aimed`; does
    it perceive that member at all?"""
    settings = task.settings[0]
    me, you = member(arena, book, e, a), member(arena, book, e, m)
    distance = distance_between(arena, book, e, a, m)
    if not (is_there(arena, book, e, a) and is_there(arena, book, e, m)):
        return False
    if m != a and not is_visible(arena, task, book, e, a, m, distance):
        return False
    sight = task.kinds[me.kind].sight
    heals = task.kinds[me.kind].heals
    if m != a:
        row[place] = (you.x - me.x) / sight
        row[place + 1] = (you.y - me.y) / sight
        row[place + 2] = distance / sight
    ours = m < settings.n_agents
    k = m if ours else m - settings.n_agents
    if ours == heals and k < n_targets_of(task, heals):
        row[place + 3] = int(avail[e, a, settings.first_target + k])
    row[aimed] = int(m == aimed_at(task, book, heals, e, a))
    return True


@kernel
def show_aimable(
    task: Task, row: Token, avail: NDArray[np.bool_], e: int, a: int, m: int, place: int
) -> None:
    """Which abilities agent `a` may aim at a member, in the columns from `place` on."""
    settings = task.settings[0]
    n_members = settings.n_agents + settings.n_enemies
    for s in range(N_AIMED):
        row[place + s] = int(avail[e, a, settings.first_aimed + s * n_members + m])


@kernel
def show_table(
    arena: Arena,
    task: Task,
    book: Book,
    table: NDArray[np.float32],
    mask: NDArray[np.bool_],
    avail: NDArray[np.bool_],
    e: int,
) -> None:
    """Fill `table` [M, F] and `mask` [M] with everything about everybody who is alive."""
    settings = task.settings[0]
    width, height = float(arena.ground.size[0]), float(arena.ground.size[1])
    for m in range(table.shape[0]):
        token = table[m]
        mask[m] = lives(arena, book, e, m)
        for i in range(token.shape[0]):
            token[i] = 0.0
        if not mask[m]:
            continue
        ours = m < settings.n_agents
        token[schema.ALLY] = int(ours)
        token[schema.ENEMY] = int(not ours)
        place = place_of(arena, book, e, m)
        token[schema.DX] = (place.x - width * 0.5) / (width * 0.5)
        token[schema.DY] = (place.y - height * 0.5) / (height * 0.5)
        show_member(arena, task, book, token, e, m)
        if ours:
            show_options(arena, task, book, token, avail, e, m)
    n_acting = 0
    for a in range(settings.n_agents):
        if is_there(arena, book, e, a):
            n_acting += 1
            count_aims(arena, task, book, table, avail, e, a)
    for m in range(table.shape[0]):
        # Counts first: sums of shares would be rounded in another way without the compiler.
        table[m, schema.TARGETABLE] /= max(n_acting, 1)
        table[m, schema.AIMED_AT] /= max(n_acting, 1)
        if settings.skilled:
            for s in range(N_AIMED):
                table[m, schema.AIMABLE + s] /= max(n_acting, 1)


@kernel
def count_aims(
    arena: Arena,
    task: Task,
    book: Book,
    table: NDArray[np.float32],
    avail: NDArray[np.bool_],
    e: int,
    a: int,
) -> None:
    """Count one agent's possible and last targets in the table."""
    settings = task.settings[0]
    heals = task.kinds[member(arena, book, e, a).kind].heals
    for k in range(n_targets_of(task, heals)):
        action = settings.first_target + k
        if avail[e, a, action]:
            table[target_of(task, heals, action), schema.TARGETABLE] += 1.0
    aim = aimed_at(task, book, heals, e, a)
    if aim >= 0 and is_there(arena, book, e, aim):
        table[aim, schema.AIMED_AT] += 1.0
    if settings.skilled:
        count_skill_aims(task, table, avail, e, a)


@kernel
def aimed_at(task: Task, book: Book, heals: bool, e: int, a: int) -> int:
    """The member that the last action of agent `a` was aimed at; -1 = nobody."""
    action = book.last_actions[e, a]
    if action < task.settings[0].first_target:
        return -1
    if action >= task.settings[0].first_aimed:
        return aim_of(task, book.slots.shape[1], action)
    return target_of(task, heals, action)


@kernel
def show_member(arena: Arena, task: Task, book: Book, token: Token, e: int, m: int) -> None:
    """What is known of a member whoever looks at it."""
    ours = m < task.settings[0].n_agents
    show_unit(arena, task, token, member(arena, book, e, m), ours)
    if task.settings[0].skilled:
        show_condition(arena, book, token, e, m, ours)


@kernel
def show_unit(arena: Arena, task: Task, token: Token, unit: Records, ours: bool) -> None:
    """What is known of a unit whoever looks at it; of enemies neither energy nor cooldown."""
    row = arena.rules.types[unit.kind]
    token[schema.HEALTH] = unit.hp / unit.hp_max
    if row.shields > 0.0:
        token[schema.SHIELD] = unit.shield / row.shields
    if ours:
        if row.energy_max > 0.0:
            token[schema.ENERGY] = unit.energy / row.energy_max
        share = max(unit.cooldown, 0.0) / task.kinds[unit.kind].full_cooldown
        token[schema.COOLDOWN] = min(share, 1.0)
    for i in range(task.traits.shape[1]):
        token[schema.FIRST_TRAIT + i] = task.traits[unit.kind, i]


@kernel
def show_options(
    arena: Arena, task: Task, book: Book, token: Token, avail: NDArray[np.bool_], e: int, a: int
) -> None:
    """Where an agent may go, what it did last, and where it looks."""
    for i in range(4):
        token[schema.NORTH_FREE + i] = int(avail[e, a, NORTH + i])
    last = book.last_actions[e, a] - STOP
    if 0 <= last < 5:
        token[schema.STOPPED + last] = 1.0
    if task.settings[0].n_directions > 0:
        token[schema.FACING_X] = task.directions[book.headings[e, a], 0]
        token[schema.FACING_Y] = task.directions[book.headings[e, a], 1]
    if task.settings[0].skilled:
        show_skills(arena, task, book, token, avail, e, a)
