"""SMAC's global state: allies, enemies, last actions, time (reference: SMAC, 5)."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import kernel
from terrarium.engine.state import Records
from terrarium.envs.kernels.sight import is_there, member
from terrarium.envs.kernels.tables import Arena, Book, Task

Vector = NDArray[np.float32]


@kernel
def show_state(
    arena: Arena, task: Task, book: Book, state: Vector, obs: NDArray[np.float32], e: int
) -> None:
    """Fill `state` [S]; rows of the dead stay zero. `obs` [A, O] are this environment's."""
    settings = task.settings[0]
    if settings.state_is_obs:
        for a in range(obs.shape[0]):
            for i in range(obs.shape[1]):
                state[a * obs.shape[1] + i] = obs[a, i]
        return
    for i in range(state.shape[0]):
        state[i] = 0.0
    at = 0
    for a in range(settings.n_agents):
        show_agent(arena, task, book, state, e, a, at)
        at += settings.state_ally_width
    for k in range(settings.n_enemies):
        enemy = member(arena, book, e, settings.n_agents + k)
        if is_there(arena, book, e, settings.n_agents + k):
            state[at] = enemy.hp / enemy.hp_max
            show_body(
                arena,
                task,
                state,
                enemy,
                at + 1,
                settings.enemy_shields,
                at + settings.state_enemy_width,
                task.kinds[enemy.kind].enemy_bit,
            )
        at += settings.state_enemy_width
    if settings.state_last_actions:
        for a in range(settings.n_agents):
            if book.last_actions[e, a] >= 0:
                state[at + book.last_actions[e, a]] = 1.0
            at += settings.n_actions
    if settings.state_time:
        state[at] = book.episodes[e].steps / settings.limit_steps


@kernel
def show_agent(
    arena: Arena, task: Task, book: Book, state: Vector, e: int, a: int, at: int
) -> None:
    settings = task.settings[0]
    unit = member(arena, book, e, a)
    if not is_there(arena, book, e, a):
        return
    kind = task.kinds[unit.kind]
    row = arena.rules.types[unit.kind]
    state[at] = unit.hp / unit.hp_max
    if kind.shows_energy:
        state[at + 1] = unit.energy / row.energy_max
    else:
        share = max(unit.cooldown, 0.0) / kind.cooldown  # the engine keeps the rest of a tick
        state[at + 1] = share if settings.exact else min(share, 1.0)
    end = at + settings.state_ally_width
    if settings.n_directions > 0:
        first = end - settings.type_bits - 2
        state[first] = task.directions[book.headings[e, a], 0]
        state[first + 1] = task.directions[book.headings[e, a], 1]
    show_body(arena, task, state, unit, at + 2, settings.ally_shields, end, kind.ally_bit)


@kernel
def show_body(
    arena: Arena,
    task: Task,
    state: Vector,
    unit: Records,
    at: int,
    with_shield: bool,
    end: int,
    bit: int,
) -> None:
    """Place from the middle of the map, shield, and the type in the last columns of the row."""
    settings = task.settings[0]
    state[at] = (unit.x - arena.ground.size[0] * 0.5) / settings.span_x
    state[at + 1] = (unit.y - arena.ground.size[1] * 0.5) / settings.span_y
    shields = arena.rules.types[unit.kind].shields
    if with_shield and shields > 0.0:
        state[at + 2] = unit.shield / shields
    if bit >= 0:
        state[end - settings.type_bits + bit] = 1.0
