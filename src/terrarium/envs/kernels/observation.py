"""SMAC's observation of one agent: moves, enemies, allies, itself (reference: SMAC, 4)."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import entry, kernel
from terrarium.engine.records import Records
from terrarium.envs.kernels.actions import is_shootable
from terrarium.envs.kernels.sight import (
    distance_between,
    is_near,
    is_there,
    is_visible,
    look_around,
    member,
    take_back_looks,
)
from terrarium.envs.kernels.tables import NORTH, Env
from terrarium.envs.views import Views

Vector = NDArray[np.float32]


@kernel
def observe_agent(env: Env, views: Views, a: int) -> None:
    """Fill `obs` of agent `a` with what it perceives; the dead perceive nothing but the time."""
    settings, obs = env.task.settings[0], views.obs[a]
    for i in range(obs.shape[0]):
        obs[i] = 0.0
    if settings.obs_time:
        obs[obs.shape[0] - 1] = env.state.episode[0].steps / settings.limit_steps
    if not is_there(env, a) or not settings.features:
        return
    show_moves(env, views, obs, a)
    at = settings.move_width
    for k in range(settings.n_enemies):
        show_enemy(env, views, obs, a, k, at + k * settings.enemy_width)
        hides = settings.exact and settings.counts_grants and not env.state.grants[a, k]
        if hides:
            # SMACv2 clears the whole block built so far, not this row (reference: SMAC, 11.4).
            for i in range(at, at + (k + 1) * settings.enemy_width):
                obs[i] = 0.0
    at += settings.n_enemies * settings.enemy_width
    for other in range(settings.n_agents):
        if other != a:
            show_ally(env, obs, a, other, at)
            at += settings.ally_width
    show_self(env, obs, a, at)


@kernel
def show_moves(env: Env, views: Views, obs: Vector, a: int) -> None:
    settings = env.task.settings[0]
    for i in range(4):
        obs[i] = int(views.avail[a, NORTH + i])
    me = member(env, a)
    x, y, at = int(me.x), int(me.y), 4
    near, far = settings.move_amount, 2.0 * settings.move_amount
    if settings.pathing:
        for i in range(8):
            dx, dy = point_around(i, near, far)
            obs[at + i] = cell_value(env, env.task.pathing, x + dx, y + dy)
        at += 8
    if settings.heights:
        for i in range(9):
            dx, dy = point_around(i, near, far)
            obs[at + i] = cell_value(env, env.task.heights, x + dx, y + dy)


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
def cell_value(env: Env, grid: Vector, x: float, y: float) -> float:
    """A cell of a grid; 1 off the map."""
    width, height = env.game.ground.size[0], env.game.ground.size[1]
    if x < 0.0 or y < 0.0 or x >= width or y >= height:
        return 1.0
    return grid[int(y) * width + int(x)]


@kernel
def show_enemy(env: Env, views: Views, obs: Vector, a: int, k: int, at: int) -> None:
    settings = env.task.settings[0]
    m = settings.n_agents + k
    if not is_there(env, m):
        return
    distance = distance_between(env, a, m)
    if not is_visible(env, a, m, distance):
        return
    heals = env.task.kinds[member(env, a).kind].heals
    if settings.exact or not heals:  # in SMAC, a Medivac's entry tells of ally k
        obs[at] = int(is_shootable(env, views, a, k))
    show_place(env, obs, a, m, at + 1, distance)
    enemy = member(env, m)
    bit = env.task.kinds[enemy.kind].enemy_bit
    show_life(env, obs, enemy, at + 4, settings.all_health, settings.enemy_shields)
    if bit >= 0:
        obs[at + settings.enemy_width - settings.type_bits + bit] = 1.0


@kernel
def show_ally(env: Env, obs: Vector, a: int, other: int, at: int) -> None:
    settings = env.task.settings[0]
    if not is_there(env, other):
        return
    distance = distance_between(env, a, other)
    if not is_visible(env, a, other, distance):
        return
    obs[at] = 1.0
    show_place(env, obs, a, other, at + 1, distance)
    ally = member(env, other)
    bit = env.task.kinds[ally.kind].ally_bit
    i = show_life(env, obs, ally, at + 4, settings.all_health, settings.ally_shields)
    if bit >= 0:
        obs[i + bit] = 1.0
    if settings.last_actions and env.state.last_actions[other] >= 0:
        obs[i + settings.type_bits + env.state.last_actions[other]] = 1.0


@kernel
def show_self(env: Env, obs: Vector, a: int, at: int) -> None:
    settings = env.task.settings[0]
    me = member(env, a)
    at = show_life(env, obs, me, at, settings.own_health, settings.ally_shields)
    if settings.own_place:
        obs[at] = me.x / env.game.ground.size[0]
        obs[at + 1] = me.y / env.game.ground.size[1]
        at += 2
    if settings.n_directions > 0:
        obs[at] = env.task.directions[env.state.headings[a], 0]
        obs[at + 1] = env.task.directions[env.state.headings[a], 1]
        at += 2
    bit = env.task.kinds[me.kind].ally_bit
    if bit >= 0:
        obs[at + bit] = 1.0


@kernel
def show_place(env: Env, obs: Vector, a: int, m: int, at: int, distance: float) -> None:
    """Distance and direction, in the observer's sight ranges."""
    me, you = member(env, a), member(env, m)
    sight = env.task.kinds[me.kind].sight
    obs[at] = distance / sight
    obs[at + 1] = (you.x - me.x) / sight
    obs[at + 2] = (you.y - me.y) / sight


@kernel
def show_life(env: Env, obs: Vector, unit: Records, at: int, shown: bool, with_shield: bool) -> int:
    """Health, and shield where the race has one; the column after them."""
    if not shown:
        return at
    row = env.game.rules.types[unit.kind]
    obs[at] = unit.hp / unit.hp_max
    if not with_shield:
        return at + 1
    if row.shields > 0.0:
        obs[at + 1] = unit.shield / row.shields
    return at + 2


@entry
def observe_one(envs: Sequence[Env], n_envs: int, a: int, first: bool) -> None:
    """Fill the row of agent `a` in `obs` with what it perceives now. Where SMACv2 counts who
    sighted what, it looks around itself, as the `first` to do so since the step or as a later one.
    """
    for e in range(n_envs):
        env, settings = envs[e], envs[e].task.settings[0]
        if settings.exact and settings.counts_grants:
            if first:
                take_back_looks(env)
            if is_there(env, a):
                look_around(env, a)
        observe_agent(env, env.now, a)


class Sight(NamedTuple):
    """Which members each agent sees."""

    seen: Annotated[NDArray[np.bool_], "?", "A M"]


@entry
def see_members(envs: Sequence[Env], sights: Sequence[Sight], n_envs: int) -> None:
    """Fill `sights`: of all living members but itself, which ones each agent sees."""
    for e in range(n_envs):
        env, seen = envs[e], sights[e].seen
        for a in range(seen.shape[0]):
            for m in range(seen.shape[1]):
                both = a != m and is_there(env, a) and is_there(env, m)
                seen[a, m] = both and is_listed(env, a, m)


@kernel
def is_listed(env: Env, a: int, m: int) -> bool:
    """Is a living member in the list of those that agent `a` sees?"""
    settings, distance = env.task.settings[0], distance_between(env, a, m)
    if not settings.exact:
        return settings.sees_all or is_near(env, a, m, distance)
    # SMAC's list knows ranges only, and agents see each other if the first of the two does.
    looker = min(a, m) if m < settings.n_agents else a
    return distance < env.task.kinds[member(env, looker).kind].sight
