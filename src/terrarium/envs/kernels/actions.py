"""What agents may do, and what their actions mean to the engine."""

from collections.abc import Sequence

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import entry, inline, kernel
from terrarium.engine.kernels.orders.orders import judge_order
from terrarium.engine.kernels.random import CHOICE, bits
from terrarium.engine.records import Records
from terrarium.envs.kernels.script import choose_for
from terrarium.envs.kernels.sight import as_told, in_range, is_there, member
from terrarium.envs.kernels.skills import engine_takes, mask_skills, use_skill
from terrarium.envs.kernels.tables import EAST, FIRST_TURN, NO_OP, NORTH, SOUTH, STOP, WEST, Env
from terrarium.envs.views import Views

_DRAW_BITS = np.uint64(33)
_HALF_WORD = np.uint64(31)
FIXED_POINT = 4096.0
"""The game cuts points of orders to this part of a cell."""


@kernel
def is_pathable(env: Env, x: float, y: float) -> bool:
    """Is the cell of a point on the map and walkable? Coordinates are cut towards zero, as SMAC
    cuts them: -0.5 is in cell 0. Structures do not count: SMAC reads the grid of the terrain once,
    and who is sent into a structure walks to the nearest point."""
    width, height = env.game.ground.size[0], env.game.ground.size[1]
    cell_x, cell_y = int(x), int(y)
    if cell_x < 0 or cell_y < 0 or cell_x >= width or cell_y >= height:
        return False
    return env.task.pathing[cell_y * width + cell_x] != 0.0


@kernel
def n_targets_of(env: Env, heals: bool) -> int:
    settings = env.task.settings[0]
    n = settings.n_agents if heals else settings.n_enemies
    return min(n, settings.n_targets)


@kernel
def target_of(env: Env, heals: bool, action: int) -> int:
    """The member that an action aims at."""
    settings = env.task.settings[0]
    k = action - settings.first_target
    return k if heals else settings.n_agents + k


@kernel
def may_aim_at(env: Env, a: int, m: int) -> bool:
    heals = env.task.kinds[member(env, a).kind].heals
    if not is_there(env, m):
        return False
    if heals and env.task.kinds[member(env, m).kind].heals:
        return False
    if env.task.settings[0].masks_range and not in_range(env, a, m):
        return False
    return not env.task.settings[0].skilled or engine_takes(env, a, m, heals)


@kernel
def mask_actions(env: Env, views: Views, a: int) -> None:
    """Which actions agent `a` may choose now."""
    settings = env.task.settings[0]
    for action in range(settings.n_actions):
        views.avail[a, action] = False
    me = member(env, a)
    if not is_there(env, a) or me.status & codes.CONTROLLED:
        views.avail[a, NO_OP] = True
        return
    views.avail[a, STOP] = True
    ahead = settings.move_amount * 0.5
    views.avail[a, NORTH] = is_pathable(env, me.x, me.y + ahead)
    views.avail[a, SOUTH] = is_pathable(env, me.x, me.y - ahead)
    views.avail[a, EAST] = is_pathable(env, me.x + ahead, me.y)
    views.avail[a, WEST] = is_pathable(env, me.x - ahead, me.y)
    for action in range(FIRST_TURN, settings.first_skill):
        views.avail[a, action] = True
    heals = env.task.kinds[me.kind].heals
    for k in range(n_targets_of(env, heals)):
        action = settings.first_target + k
        m = target_of(env, heals, action)
        views.avail[a, action] = may_aim_at(env, a, m)
    if settings.skilled:
        mask_skills(env, views, a)


@kernel
def is_shootable(env: Env, views: Views, a: int, k: int) -> bool:
    """Does the mask offer agent `a` its target `k`, and is it in range? Without `action_mask`,
    targets out of range are offered, too."""
    settings = env.task.settings[0]
    action = settings.first_target + k
    if settings.masks_range or not views.avail[a, action]:
        return views.avail[a, action]
    heals = env.task.kinds[member(env, a).kind].heals
    return in_range(env, a, target_of(env, heals, action))


@kernel
def give_commands(env: Env) -> None:
    """Write the commands that the actions of one environment stand for."""
    settings = env.task.settings[0]
    env.game.inbox[0].n_commands = 0
    for a in range(settings.n_agents):
        action = env.actions[a]
        env.state.last_actions[a] = action
        if settings.scripted:
            action = choose_for(env, a)
            env.actions[a] = action
            if not settings.exact:  # SMAC has noted what it was told, not what was done
                env.state.last_actions[a] = action
        if is_there(env, a):
            command(env, a, action)


@kernel
def take_orders(env: Env) -> None:
    """Write commands that a scripted player gives in place of actions."""
    env.game.inbox[0].n_commands = 0
    for a in range(env.task.settings[0].n_agents):
        env.state.last_actions[a] = -1
        given = env.orders[a]
        if given.kind == codes.NO_ORDER or not is_there(env, a):
            continue
        order = env.game.commands[draft_command(env, a)]
        order.kind, order.target, order.ability = given.kind, given.target, given.ability
        order.x, order.y, order.queued = given.x, given.y, given.queued
        env.game.inbox[0].n_commands += 1


@kernel
def draft_command(env: Env, a: int) -> int:
    """Where the next command of the list is, for the unit of an agent; counted once complete."""
    u, k = env.state.slots[a], env.game.inbox[0].n_commands
    me, order = env.game.units[u], env.game.commands[k]
    order.owner, order.unit, order.tag = me.owner, u, me.tag
    order.kind, order.ability, order.target = codes.NO_ORDER, codes.NO_ABILITY, codes.NO_UNIT
    order.x, order.y = member(env, a).x, member(env, a).y
    order.queued, order.result = False, 0
    return k


@kernel
def command(env: Env, a: int, action: int) -> None:
    """Write the command that an action of an agent stands for, if it stands for any."""
    settings = env.task.settings[0]
    me = member(env, a)
    order = env.game.commands[draft_command(env, a)]
    if action == STOP:
        order.kind = codes.STOP
    elif action == NO_OP:
        return
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
        if settings.exact:
            order.x, order.y = as_sent(order.x), as_sent(order.y)
    elif action < settings.first_skill:
        env.state.headings[a] = action - FIRST_TURN
    elif settings.skilled and (action < settings.first_target or action >= settings.first_aimed):
        use_skill(env, order, a, action)
    else:
        heals = env.task.kinds[me.kind].heals
        m = target_of(env, heals, action)
        # Without a mask, SMACv2 checks the range of what agents choose here, not of what its script
        # does; an order that fails is not sent.
        if settings.masks_range or settings.scripted or in_range(env, a, m):
            order.kind = codes.HEAL if heals else codes.ATTACK
            order.target = env.state.slots[m]
    if order.kind != codes.NO_ORDER and not (settings.exact and is_known(env, order)):
        env.game.inbox[0].n_commands += 1


@kernel
def is_known(env: Env, order: Records) -> bool:
    """Is it what the unit does already? The game ignores such an order."""
    game, u = env.game, order.unit
    if game.units[u].n_orders == 0:
        return False
    kind, first = judge_order(game, u, order), game.orders[u, 0]
    if kind <= 0 or first.kind != kind:
        return False
    if order.target >= 0:
        return first.tag == game.units[order.target].tag and first.ability == order.ability
    away = abs(first.x - order.x) + abs(first.y - order.y)
    return kind == codes.MOVE and away < 1.0 / FIXED_POINT


@inline
def as_sent(coordinate: float) -> float:
    """Where a unit goes that a client of the game sends to a point: messages hold it in single
    precision, and the game cuts it to its own numbers."""
    return int(as_told(coordinate) * FIXED_POINT) / FIXED_POINT


@entry
def first_refused(envs: Sequence[Env], n_envs: int) -> int:
    """The first action, counted over environments and agents, that the mask forbids; -1 if none."""
    for e in range(n_envs):
        actions, avail = envs[e].actions, envs[e].now.avail
        for a in range(actions.shape[0]):
            if actions[a] < 0 or actions[a] >= avail.shape[1] or not avail[a, actions[a]]:
                return e * actions.shape[0] + a
    return -1


@entry
def sample_actions(env: Env) -> None:
    """Draw one of its available actions for every agent, each with the same probability."""
    avail, episode = env.now.avail, env.state.episode[0]
    for a in range(avail.shape[0]):
        n = 0
        for action in range(avail.shape[1]):
            n += int(avail[a, action])
        draw = bits(episode.seed, episode.n_draws, a, CHOICE) >> _DRAW_BITS
        place = int((draw * np.uint64(n)) >> _HALF_WORD)
        action = -1
        while place >= 0:
            action += 1
            place -= int(avail[a, action])
        env.actions[a] = action
    episode.n_draws += 1


@entry
def sample_all_actions(envs: Sequence[Env], first: int, last: int) -> None:
    """Draw actions for the environments `first` to `last`."""
    for e in range(first, last):
        sample_actions(envs[e])
