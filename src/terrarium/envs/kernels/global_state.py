"""SMAC's global state: allies, enemies, last actions, time (reference: SMAC, 5)."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import kernel
from terrarium.engine.records import Records
from terrarium.envs.kernels.sight import is_there, member
from terrarium.envs.kernels.tables import Env
from terrarium.envs.views import Views

Vector = NDArray[np.float32]


@kernel
def show_state(env: Env, views: Views) -> None:
    """Fill `views.state` [S]; rows of the dead stay zero."""
    settings, state, obs = env.task.settings[0], views.state, views.obs
    if settings.state_is_obs:
        for a in range(obs.shape[0]):
            for i in range(obs.shape[1]):
                state[a * obs.shape[1] + i] = obs[a, i]
        return
    for i in range(state.shape[0]):
        state[i] = 0.0
    at = 0
    for a in range(settings.n_agents):
        show_agent(env, state, a, at)
        at += settings.state_ally_width
    for k in range(settings.n_enemies):
        enemy = member(env, settings.n_agents + k)
        if is_there(env, settings.n_agents + k):
            state[at] = enemy.hp / enemy.hp_max
            show_body(env, state, enemy, at + 1, settings.enemy_shields)
            end = at + settings.state_enemy_width
            show_type(env, state, end, env.task.kinds[enemy.kind].enemy_bit)
        at += settings.state_enemy_width
    if settings.state_last_actions:
        for a in range(settings.n_agents):
            if env.state.last_actions[a] >= 0:
                state[at + env.state.last_actions[a]] = 1.0
            at += settings.n_actions
    if settings.state_time:
        state[at] = env.state.episode[0].steps / settings.limit_steps


@kernel
def show_agent(env: Env, state: Vector, a: int, at: int) -> None:
    settings = env.task.settings[0]
    unit = member(env, a)
    if not is_there(env, a):
        return
    kind = env.task.kinds[unit.kind]
    row = env.game.rules.types[unit.kind]
    state[at] = unit.hp / unit.hp_max
    if kind.shows_energy:
        state[at + 1] = unit.energy / row.energy_max
    else:
        share = max(unit.cooldown, 0.0) / kind.cooldown  # the engine keeps the rest of a tick
        state[at + 1] = share if settings.exact else min(share, 1.0)
    end = at + settings.state_ally_width
    if settings.n_directions > 0:
        first = end - settings.type_bits - 2
        state[first] = env.task.directions[env.state.headings[a], 0]
        state[first + 1] = env.task.directions[env.state.headings[a], 1]
    show_body(env, state, unit, at + 2, settings.ally_shields)
    show_type(env, state, end, kind.ally_bit)


@kernel
def show_body(env: Env, state: Vector, unit: Records, at: int, with_shield: bool) -> None:
    """Place from the middle of the map, and shield."""
    settings, size = env.task.settings[0], env.game.ground.size
    state[at] = (unit.x - size[0] * 0.5) / settings.span_x
    state[at + 1] = (unit.y - size[1] * 0.5) / settings.span_y
    shields = env.game.rules.types[unit.kind].shields
    if with_shield and shields > 0.0:
        state[at + 2] = unit.shield / shields


@kernel
def show_type(env: Env, state: Vector, end: int, bit: int) -> None:
    """The type of a unit, in the last columns of its row."""
    if bit >= 0:
        state[end - env.task.settings[0].type_bits + bit] = 1.0
