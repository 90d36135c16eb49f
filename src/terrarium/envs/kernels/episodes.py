"""A step of the environments and the beginning of a battle: the two ways in."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.setup.begin import begin
from terrarium.engine.kernels.setup.rounds import battle_seed
from terrarium.engine.kernels.tick import advance
from terrarium.engine.tables.plan import ALLY_OWNER, ENEMY_OWNER
from terrarium.envs.kernels.actions import give_commands, mask_actions, sample_actions, take_orders
from terrarium.envs.kernels.entities import show_pairs, show_table, show_tokens
from terrarium.envs.kernels.global_state import show_state
from terrarium.envs.kernels.measures import ROUNDING
from terrarium.envs.kernels.observation import observe_agent
from terrarium.envs.kernels.prospects import gain, is_settled, measure_of, weigh_up
from terrarium.envs.kernels.rewards import (
    DEFEAT,
    GOING_ON,
    WIN,
    best_sum,
    ending,
    has_died,
    life_of,
    n_enemies_of,
    reward_of_step,
)
from terrarium.envs.kernels.sight import (
    as_told,
    draw_turns,
    forget_sightings,
    is_there,
    lives,
    look_around,
    note_places,
    tell_members,
)
from terrarium.envs.kernels.tables import Env
from terrarium.envs.views import Views


@entry
def observe(env: Env, views: Views) -> None:
    """Fill every view of one environment."""
    settings = env.task.settings[0]
    tell_members(env)
    if settings.counts_grants or settings.n_directions > 0 or settings.scripted:
        note_places(env)
    if settings.counts_grants:
        forget_sightings(env)
    draw_turns(env)
    for a in range(settings.n_agents):
        mask_actions(env, views, a)
    for i in range(settings.n_agents):
        a = env.state.turns[i]
        if settings.counts_grants and is_there(env, a):
            look_around(env, a)
        if settings.shows_obs:
            observe_agent(env, views, a)
        if settings.shows_tokens:
            show_tokens(env, views, a)
        if settings.shows_pairs:
            show_pairs(env, views, a)
    if settings.shows_state:
        show_state(env, views)
    if settings.shows_table:
        show_table(env, views)


@entry
def begin_episode(env: Env) -> None:
    """Start the next battle of one environment, and number its members."""
    settings = env.task.settings[0]
    episode = env.state.episode[0]
    begin(env.game, battle_seed(episode.seed, episode.number))
    episode.number += 1
    episode.steps, episode.total, episode.over = 0, 0.0, False
    number_members(env)
    tell_members(env)
    for m in range(env.state.slots.shape[0]):
        env.state.worth[m] = life_of(env, m)
        env.state.dead[m] = not lives(env, m)
    for a in range(settings.n_agents):
        env.state.last_actions[a] = -1
        env.state.headings[a] = 0
        env.state.focus[a] = -1
        for k in range(settings.n_enemies):
            env.state.grants[a, k] = False
    for k in range(settings.n_enemies):
        env.state.sighters[k], env.state.fresh[k] = -1, False
    if settings.measured:
        weigh_up(env)
        episode.best = 1.0
        return
    if not settings.exact:
        episode.best = n_enemies_of(env) * settings.death_value + settings.win_value
    if not settings.exact or episode.n_finished == 0:
        # SMAC adds to the sum at each reset before its first battle has ended, and never again.
        episode.best += best_sum(env)


@kernel
def number_members(env: Env) -> None:
    """Agents by type, x and y, as in SMAC; its enemies stay as they come, fixed ones are sorted."""
    settings = env.task.settings[0]
    counts_allies, counts_enemies = 0, 0
    for u in range(env.game.clock[0].n_slots):
        owner = env.game.units[u].owner
        if owner == ALLY_OWNER:
            env.state.slots[counts_allies] = u
            counts_allies += 1
        elif owner == ENEMY_OWNER:
            env.state.slots[settings.n_agents + counts_enemies] = u
            counts_enemies += 1
    sort_members(env, 0, settings.n_agents)
    if not settings.exact:
        sort_members(env, settings.n_agents, env.state.slots.shape[0])
    for m in range(env.state.slots.shape[0]):
        unit = env.game.units[env.state.slots[m]]
        # A drawn army may be smaller than the largest: some members never are.
        env.state.tags[m] = unit.tag if unit.alive or unit.inside >= 0 else -1


@kernel
def sort_members(env: Env, first: int, last: int) -> None:
    for i in range(first + 1, last):
        u = env.state.slots[i]
        j = i
        while j > first and comes_before(env, u, env.state.slots[j - 1]):
            env.state.slots[j] = env.state.slots[j - 1]
            j -= 1
        env.state.slots[j] = u


@kernel
def comes_before(env: Env, u: int, v: int) -> bool:
    one, other = env.game.units[u], env.game.units[v]
    rank, other_rank = env.task.kinds[one.kind].order, env.task.kinds[other.kind].order
    if rank != other_rank:
        return rank < other_rank
    if not env.task.settings[0].exact:
        return one.x < other.x if one.x != other.x else one.y < other.y
    x, other_x = as_told(one.x), as_told(other.x)
    return x < other_x if x != other_x else as_told(one.y) < as_told(other.y)


@kernel
def settle(env: Env) -> bool:
    """Reward and ending of the step that one environment has made; is its episode over?"""
    settings, output = env.task.settings[0], env.output
    episode = env.state.episode[0]
    episode.steps += 1
    if settings.measured:
        appraise(env)
    else:
        decide(env)
    over = output.terminated[0] or output.truncated[0]
    if settings.scaled:
        output.reward[0] /= episode.best / settings.best_return
    episode.total += output.reward[0]
    episode.over = over
    episode.n_finished += int(over)
    output.dead_allies[0], output.dead_enemies[0] = 0, 0
    for m in range(env.state.slots.shape[0]):
        died = int(env.state.dead[m] and env.state.tags[m] >= 0)
        if m < settings.n_agents:
            output.dead_allies[0] += died
        else:
            output.dead_enemies[0] += died
    if over:
        output.episode_return[0] = episode.total
        output.episode_steps[0] = episode.steps
    return over


@kernel
def decide(env: Env) -> None:
    """SMAC's reward, before it is scaled, and SMAC's endings."""
    settings, episode, output = env.task.settings[0], env.state.episode[0], env.output
    reward = reward_of_step(env)
    if settings.sparse:
        reward = 0.0
    end = ending(env)
    if end == WIN:
        reward = 1.0 if settings.sparse else reward + settings.win_value
    elif end == DEFEAT:
        reward = -1.0 if settings.sparse else reward + settings.defeat_value
    timeout = end == GOING_ON and episode.steps >= settings.limit_steps
    episode.timed_out = timeout
    output.reward[0] = reward
    output.won[0] = end == WIN
    output.measure[0] = int(end == WIN)
    # To SMAC a time limit is an end like others, unless the user says that episodes continue.
    output.terminated[0] = end != GOING_ON or (timeout and settings.exact)
    output.truncated[0] = timeout and not (settings.exact and not settings.continuing)


@kernel
def appraise(env: Env) -> None:
    """Reward, before it is scaled, and ending of a battle that has a number of its own."""
    settings, episode, output = env.task.settings[0], env.state.episode[0], env.output
    for m in range(env.state.slots.shape[0]):
        has_died(env, m)
    settled = is_settled(env)
    timeout = not settled and episode.steps >= settings.limit_steps
    reward = 0.0 if settings.sparse else gain(env, settled or timeout)
    episode.timed_out = timeout
    output.won[0], output.measure[0] = False, 0.0
    # The number is taken at the time limit as at any other end: nothing comes after it.
    output.terminated[0], output.truncated[0] = settled or timeout, False
    if settled or timeout:
        measure = measure_of(env)
        reward += measure
        output.measure[0] = measure
        output.won[0] = measure >= env.task.yardstick.terms[0].good - ROUNDING
    output.reward[0] = reward


@entry
def step_env(env: Env, ordered: bool) -> None:
    """Let one environment act, advance, and look again; `ordered`: by `env.orders` in place of
    actions."""
    settings = env.task.settings[0]
    tell_members(env)
    if ordered:
        take_orders(env)
    else:
        give_commands(env)
    advance(env.game, settings.ticks_per_step)
    tell_members(env)
    if settle(env) and settings.autoreset:
        observe(env, env.final)
        begin_episode(env)
    observe(env, env.now)


@entry
def step_envs(envs: Sequence[Env], ordered: bool, first: int, last: int) -> None:
    """Step the environments `first` to `last`."""
    for e in range(first, last):
        step_env(envs[e], ordered)


@entry
def play_randomly(envs: Sequence[Env], n_steps: int, first: int, last: int) -> None:
    """Let random actions play; all steps of one environment in a row, while it is in the cache."""
    for e in range(first, last):
        for _ in range(n_steps):
            sample_actions(envs[e])
            step_env(envs[e], False)


class Selection(NamedTuple):
    """Which environments something is done to."""

    chosen: Annotated[NDArray[np.bool_], "?", "N"]


@entry
def begin_episodes(envs: Sequence[Env], choice: Selection, first: int, last: int) -> None:
    """Start the next episode of the chosen environments."""
    for e in range(first, last):
        if choice.chosen[e]:
            begin_episode(envs[e])
            observe(envs[e], envs[e].now)


@entry
def observe_envs(envs: Sequence[Env], first: int, last: int) -> None:
    """Fill the views of the environments `first` to `last` from the state as it is."""
    for e in range(first, last):
        observe(envs[e], envs[e].now)
