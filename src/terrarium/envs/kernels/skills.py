"""Abilities of agents: which of them the mask offers, and on whom; what using one means."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.geometry import NEARLY
from terrarium.engine.jit import kernel, rare
from terrarium.engine.orders import resolve
from terrarium.engine.permission import kit_slot, may_aim, may_use_now, range_of
from terrarium.engine.rules import Rules
from terrarium.engine.state import Game, game_of
from terrarium.envs.kernels.sight import distance_between, is_there, is_visible, member
from terrarium.envs.kernels.tables import (
    EAST,
    N_AIMED,
    N_SELF,
    NORTH,
    SOUTH,
    WEST,
    Arena,
    Book,
    Task,
)

APPROACH = 6.0
"""How far beyond its range an ability is offered: the unit walks up before it uses it"""


@kernel
def engine_takes(arena: Arena, task: Task, book: Book, e: int, a: int, m: int, heals: bool) -> bool:
    """Does agent `a` see a member, and would the engine take the order to attack or heal it?"""
    me, you = member(arena, book, e, a), member(arena, book, e, m)
    distance = distance_between(arena, book, e, a, m)
    if m == a or heals != (you.side == me.side):
        return False
    if not is_visible(arena, task, book, e, a, m, distance):
        return False
    order = codes.HEAL if heals else codes.ATTACK
    game = game_of(arena.world, e)
    return resolve(game, arena.rules, book.slots[e, a], order, book.slots[e, m]) == order


@rare
def mask_skills(
    arena: Arena, task: Task, book: Book, avail: NDArray[np.bool_], e: int, a: int
) -> None:
    """Which abilities agent `a` may use now, and where its unit's form lets it go."""
    settings = task.settings[0]
    mask_moves(arena, task, book, avail, e, a)
    game, u = game_of(arena.world, e), book.slots[e, a]
    for s in range(N_SELF):
        ready = ability_in(game, arena.rules, task, u, s) >= 0
        avail[e, a, settings.first_skill + s] = ready
    for s in range(N_AIMED):
        ability = ability_in(game, arena.rules, task, u, N_SELF + s)
        if ability >= 0:
            mask_aims(arena, task, book, avail, e, a, s, ability)


@kernel
def mask_aims(
    arena: Arena,
    task: Task,
    book: Book,
    avail: NDArray[np.bool_],
    e: int,
    a: int,
    s: int,
    ability: int,
) -> None:
    """On whom agent `a` may use the ability in its aimed slot `s`."""
    settings, n_members = task.settings[0], book.slots.shape[1]
    kind = member(arena, book, e, a).kind
    slot = task.slots[kind, N_SELF + s]
    reach = range_of(game_of(arena.world, e), arena.rules, book.slots[e, a], ability) + NEARLY
    boards = arena.rules.abilities[ability].kind == codes.LOAD  # whoever boards comes by itself
    if boards or arena.rules.types[kind].mobile:
        reach += APPROACH
    for m in range(n_members):
        fits = slot.on_own if m < settings.n_agents else slot.on_enemies
        if fits and is_there(arena, book, e, m):
            offered = may_use_on(arena, task, book, e, a, m, ability, reach)
            avail[e, a, settings.first_aimed + s * n_members + m] = offered


@kernel
def mask_moves(
    arena: Arena, task: Task, book: Book, avail: NDArray[np.bool_], e: int, a: int
) -> None:
    """Flyers go wherever the map is, and what has put down roots goes nowhere."""
    me = member(arena, book, e, a)
    row, playable = arena.rules.types[me.kind], arena.ground.playable
    if not row.mobile:
        for action in range(NORTH, WEST + 1):
            avail[e, a, action] = False
    elif row.flying:
        ahead = task.settings[0].move_amount * 0.5
        avail[e, a, NORTH] = me.y + ahead < playable[3]
        avail[e, a, SOUTH] = me.y - ahead >= playable[1]
        avail[e, a, EAST] = me.x + ahead < playable[2]
        avail[e, a, WEST] = me.x - ahead >= playable[0]


@kernel
def ability_in(game: Game, rules: Rules, task: Task, u: int, s: int) -> int:
    """The ability that slot `s` of a unit stands for at the moment; -1 = none is ready."""
    slot = task.slots[game.units[u].kind, s]
    if is_ready(game, rules, u, slot.ability):
        return slot.ability
    return slot.ends if is_ready(game, rules, u, slot.ends) else codes.NO_ABILITY


@kernel
def is_ready(game: Game, rules: Rules, u: int, ability: int) -> bool:
    """Would the engine take the order to use an ability, on a target that it allows?"""
    if ability < 0:
        return False
    me = game.units[u]
    needs = rules.kit_needs[me.kind, kit_slot(rules, me.kind, ability)]
    if game.players[me.side].techs & needs != needs:
        return False
    return may_use_now(game, rules, u, ability) == codes.SUCCESS


@kernel
def may_use_on(
    arena: Arena, task: Task, book: Book, e: int, a: int, m: int, ability: int, reach: float
) -> bool:
    """Is a member, or its place, something that agent `a` may aim an ability at from here?"""
    me, you = member(arena, book, e, a), member(arena, book, e, m)
    row = arena.rules.abilities[ability]
    distance = distance_between(arena, book, e, a, m)
    if m == a:
        if row.kind == codes.TELEPORT:
            return False  # it is there already
    elif not is_visible(arena, task, book, e, a, m, distance):
        return False
    gap = distance - arena.rules.types[me.kind].radius
    if row.aim == codes.AIM_POINT:
        return gap <= reach
    if gap - arena.rules.types[you.kind].radius > reach:
        return False
    game = game_of(arena.world, e)
    return may_aim(game, arena.rules, book.slots[e, a], ability, book.slots[e, m]) == codes.SUCCESS


@kernel
def aim_of(task: Task, n_members: int, action: int) -> int:
    """The member that an action with an aimed ability names."""
    return (action - task.settings[0].first_aimed) % n_members


@rare
def use_skill(arena: Arena, task: Task, book: Book, e: int, a: int, action: int) -> None:
    """Write the command to use an ability."""
    settings = task.settings[0]
    game, u, n_members = game_of(arena.world, e), book.slots[e, a], book.slots.shape[1]
    order = arena.commands[e, u]
    aimed = action >= settings.first_aimed
    s = action - settings.first_skill
    if aimed:
        s = N_SELF + (action - settings.first_aimed) // n_members
    ability = ability_in(game, arena.rules, task, u, s)
    if ability < 0:
        return
    order.kind, order.ability = codes.CAST, ability
    if aimed:
        v = book.slots[e, aim_of(task, n_members, action)]
        order.x, order.y = game.units[v].x, game.units[v].y
        if arena.rules.abilities[ability].aim != codes.AIM_POINT:
            order.target = v
