"""The entity view: one token for every member, in the columns of `schema`."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import kernel
from terrarium.engine.records import Records
from terrarium.envs import schema
from terrarium.envs.kernels.actions import is_shootable, n_targets_of, target_of
from terrarium.envs.kernels.conditions import (
    count_skill_aims,
    place_of,
    show_condition,
    show_skills,
)
from terrarium.envs.kernels.sight import distance_between, is_there, is_visible, lives, member
from terrarium.envs.kernels.skills import aim_of
from terrarium.envs.kernels.tables import N_AIMED, NORTH, STOP, Env
from terrarium.envs.views import Views

Token = NDArray[np.float32]


@kernel
def show_tokens(env: Env, views: Views, a: int) -> None:
    """Fill tokens and mask of agent `a` with what it perceives, itself included."""
    settings, tokens, mask = env.task.settings[0], views.tokens[a], views.token_mask[a]
    for m in range(tokens.shape[0]):
        token = tokens[m]
        for i in range(token.shape[0]):
            token[i] = 0.0
        mask[m] = show_pair(env, views, token, a, m, schema.DX)
        if not mask[m]:
            continue
        token[schema.AIMED_AT] = int(m == aimed_at(env, a))
        if settings.skilled:
            show_aimable(env, views, token, a, m, schema.AIMABLE)
        token[schema.SELF] = int(m == a)
        token[schema.ALLY] = int(m < settings.n_agents and m != a)
        token[schema.ENEMY] = int(m >= settings.n_agents)
        show_member(env, token, m)
        if m == a:
            show_options(env, views, token, a)


@kernel
def show_pairs(env: Env, views: Views, a: int) -> None:
    """Fill pairs and mask of agent `a` with its relation to each member that it perceives."""
    pairs, mask = views.pairs[a], views.token_mask[a]
    for m in range(pairs.shape[0]):
        pair = pairs[m]
        for i in range(pair.shape[0]):
            pair[i] = 0.0
        mask[m] = show_pair(env, views, pair, a, m, schema.PAIR_DX)
        if not mask[m]:
            continue
        pair[schema.PAIR_AIMED_AT] = int(m == aimed_at(env, a))
        if env.task.settings[0].skilled:
            show_aimable(env, views, pair, a, m, schema.PAIR_AIMABLE)


@kernel
def show_pair(env: Env, views: Views, row: Token, a: int, m: int, place: int) -> bool:
    """Relation of agent `a` to a member, in the four columns from `place` on; does it perceive
    that member at all?"""
    settings = env.task.settings[0]
    me, you = member(env, a), member(env, m)
    distance = distance_between(env, a, m)
    if not (is_there(env, a) and is_there(env, m)):
        return False
    if m != a and not is_visible(env, a, m, distance):
        return False
    sight = env.task.kinds[me.kind].sight
    heals = env.task.kinds[me.kind].heals
    if m != a:
        row[place] = (you.x - me.x) / sight
        row[place + 1] = (you.y - me.y) / sight
        row[place + 2] = distance / sight
    ours = m < settings.n_agents
    k = m if ours else m - settings.n_agents
    if ours == heals and k < n_targets_of(env, heals):
        row[place + 3] = int(is_shootable(env, views, a, k))
    return True


@kernel
def show_aimable(env: Env, views: Views, row: Token, a: int, m: int, place: int) -> None:
    """Which abilities agent `a` may aim at a member, in the columns from `place` on."""
    settings = env.task.settings[0]
    n_members = settings.n_agents + settings.n_enemies
    for s in range(N_AIMED):
        row[place + s] = int(views.avail[a, settings.first_aimed + s * n_members + m])


@kernel
def show_table(env: Env, views: Views) -> None:
    """Fill the table and its mask with everything about every living member."""
    settings, table, mask = env.task.settings[0], views.table, views.table_mask
    width, height = float(env.game.ground.size[0]), float(env.game.ground.size[1])
    for m in range(table.shape[0]):
        token = table[m]
        mask[m] = lives(env, m)
        for i in range(token.shape[0]):
            token[i] = 0.0
        if not mask[m]:
            continue
        ours = m < settings.n_agents
        token[schema.ALLY] = int(ours)
        token[schema.ENEMY] = int(not ours)
        place = place_of(env, m)
        token[schema.DX] = (place.x - width * 0.5) / (width * 0.5)
        token[schema.DY] = (place.y - height * 0.5) / (height * 0.5)
        show_member(env, token, m)
        if ours:
            show_options(env, views, token, m)
    n_acting = 0
    for a in range(settings.n_agents):
        if is_there(env, a):
            n_acting += 1
            count_aims(env, views, a)
    for m in range(table.shape[0]):
        # Counts first: sums of shares would be rounded in another way without the compiler.
        table[m, schema.TARGETABLE] /= max(n_acting, 1)
        table[m, schema.AIMED_AT] /= max(n_acting, 1)
        if settings.skilled:
            for s in range(N_AIMED):
                table[m, schema.AIMABLE + s] /= max(n_acting, 1)


@kernel
def count_aims(env: Env, views: Views, a: int) -> None:
    """Count one agent's possible and last targets in the table."""
    settings, table = env.task.settings[0], views.table
    heals = env.task.kinds[member(env, a).kind].heals
    for k in range(n_targets_of(env, heals)):
        if is_shootable(env, views, a, k):
            m = target_of(env, heals, settings.first_target + k)
            table[m, schema.TARGETABLE] += 1.0
    aim = aimed_at(env, a)
    if aim >= 0 and is_there(env, aim):
        table[aim, schema.AIMED_AT] += 1.0
    if settings.skilled:
        count_skill_aims(env, views, a)


@kernel
def aimed_at(env: Env, a: int) -> int:
    """The member that the last action of agent `a` was aimed at; -1 = none."""
    action = env.state.last_actions[a]
    if action < env.task.settings[0].first_target:
        return -1
    if action >= env.task.settings[0].first_aimed:
        return aim_of(env, action)
    return target_of(env, env.task.kinds[member(env, a).kind].heals, action)


@kernel
def show_member(env: Env, token: Token, m: int) -> None:
    """What is known of a member, the same for every observer."""
    ours = m < env.task.settings[0].n_agents
    show_unit(env, token, member(env, m), ours)
    if env.task.settings[0].skilled:
        show_condition(env, token, m, ours)


@kernel
def show_unit(env: Env, token: Token, unit: Records, ours: bool) -> None:
    """What every observer knows of a unit; of enemies neither energy nor cooldown."""
    row = env.game.rules.types[unit.kind]
    token[schema.HEALTH] = unit.hp / unit.hp_max
    if row.shields > 0.0:
        token[schema.SHIELD] = unit.shield / row.shields
    if ours:
        if row.energy_max > 0.0:
            token[schema.ENERGY] = unit.energy / row.energy_max
        share = max(unit.cooldown, 0.0) / env.task.kinds[unit.kind].full_cooldown
        token[schema.COOLDOWN] = min(share, 1.0)
    for i in range(env.task.traits.shape[1]):
        token[schema.FIRST_TRAIT + i] = env.task.traits[unit.kind, i]


@kernel
def show_options(env: Env, views: Views, token: Token, a: int) -> None:
    """Where an agent may go, what it did last, and where it looks."""
    for i in range(4):
        token[schema.NORTH_FREE + i] = int(views.avail[a, NORTH + i])
    last = env.state.last_actions[a] - STOP
    if 0 <= last < 5:
        token[schema.STOPPED + last] = 1.0
    if env.task.settings[0].n_directions > 0:
        token[schema.FACING_X] = env.task.directions[env.state.headings[a], 0]
        token[schema.FACING_Y] = env.task.directions[env.state.headings[a], 1]
    if env.task.settings[0].skilled:
        show_skills(env, views, token, a)
