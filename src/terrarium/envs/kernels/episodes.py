"""A step of the environments and the beginning of a battle: the two ways in."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import entry, kernel, rare
from terrarium.engine.random import BATTLE, bits
from terrarium.engine.setup import begin
from terrarium.engine.state import Records, Scratch
from terrarium.engine.tick import step
from terrarium.envs.kernels.actions import give_commands, mask_actions, sample_for, take_orders
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
from terrarium.envs.kernels.sight import draw_turns, forget_sightings, is_there, lives, look_around
from terrarium.envs.kernels.tables import Arena, Book, Outcome, Screen, Task, Views

_SIGN_BIT = np.uint64(1)


@kernel
def observe(arena: Arena, task: Task, book: Book, views: Views, e: int) -> None:
    """Fill every view of one environment."""
    settings = task.settings[0]
    if settings.counts_grants:
        forget_sightings(arena, task, book, e)
    draw_turns(arena, task, book, e)
    for a in range(settings.n_agents):
        mask_actions(arena, task, book, views.avail, e, a)
    for i in range(settings.n_agents):
        a = book.turns[e, i]
        if settings.counts_grants and is_there(arena, book, e, a):
            look_around(arena, task, book, e, a)
        if settings.shows_obs:
            observe_agent(arena, task, book, views.obs[e, a], views.avail, e, a)
        if settings.shows_tokens:
            show_tokens(
                arena,
                task,
                book,
                views.tokens[e, a],
                views.token_mask[e, a],
                views.avail,
                e,
                a,
            )
        if settings.shows_pairs:
            show_pairs(
                arena, task, book, views.pairs[e, a], views.token_mask[e, a], views.avail, e, a
            )
    if settings.shows_state:
        show_state(arena, task, book, views.state[e], views.obs[e], e)
    if settings.shows_table:
        show_table(arena, task, book, views.table[e], views.table_mask[e], views.avail, e)


@rare
def observe_apart(arena: Arena, task: Task, book: Book, views: Views, e: int) -> None:
    """The same, called and not copied into its callers: for what happens once an episode."""
    observe(arena, task, book, views, e)


@rare
def begin_battle(arena: Arena, task: Task, book: Book, e: int) -> None:
    """Start the next battle of one environment, and number its members."""
    settings = task.settings[0]
    episode = book.episodes[e]
    seed = bits(episode.seed, episode.number, 0, BATTLE) >> _SIGN_BIT
    begin(arena.world, arena.rules, arena.ground, arena.plan, e, seed)
    episode.number += 1
    episode.steps, episode.total, episode.over = 0, 0.0, False
    number_members(arena, task, book, e)
    for m in range(book.slots.shape[1]):
        book.worth[e, m] = life_of(arena, book, e, m)
        book.dead[e, m] = not lives(arena, book, e, m)
    for a in range(settings.n_agents):
        book.last_actions[e, a] = -1
        book.headings[e, a] = 0
        book.focus[e, a] = -1
        for k in range(settings.n_enemies):
            book.grants[e, a, k] = False
    for k in range(settings.n_enemies):
        book.owners[e, k] = -1
    if settings.measured:
        weigh_up(arena, task, book, e)
        episode.best = 1.0 + (1.0 - episode.prospect)
        return
    if not settings.exact:
        episode.best = n_enemies_of(task, book, e) * settings.death_value + settings.win_value
    if not settings.exact or episode.n_finished == 0:
        # SMAC adds to the sum at each reset before its first battle has ended, and never again.
        episode.best += best_sum(task, book, e)


@kernel
def number_members(arena: Arena, task: Task, book: Book, e: int) -> None:
    """Agents by type, x and y, as in SMAC; its enemies stay as they come, fixed ones are sorted."""
    settings = task.settings[0]
    counts_allies, counts_enemies = 0, 0
    for u in range(arena.world.clock[e, 0].n_slots):
        if arena.world.units[e, u].side == 0:
            book.slots[e, counts_allies] = u
            counts_allies += 1
        else:
            book.slots[e, settings.n_agents + counts_enemies] = u
            counts_enemies += 1
    sort_members(arena, task, book, e, 0, settings.n_agents)
    if not settings.exact:
        sort_members(arena, task, book, e, settings.n_agents, book.slots.shape[1])
    for m in range(book.slots.shape[1]):
        unit = arena.world.units[e, book.slots[e, m]]
        # A drawn army may be smaller than the largest: some members never are.
        book.tags[e, m] = unit.tag if unit.alive or unit.inside >= 0 else -1


@kernel
def sort_members(arena: Arena, task: Task, book: Book, e: int, first: int, last: int) -> None:
    for i in range(first + 1, last):
        u = book.slots[e, i]
        j = i
        while j > first and comes_before(arena, task, e, u, book.slots[e, j - 1]):
            book.slots[e, j] = book.slots[e, j - 1]
            j -= 1
        book.slots[e, j] = u


@kernel
def comes_before(arena: Arena, task: Task, e: int, u: int, v: int) -> bool:
    one, other = arena.world.units[e, u], arena.world.units[e, v]
    rank, other_rank = task.kinds[one.kind].order, task.kinds[other.kind].order
    if rank != other_rank:
        return rank < other_rank
    if one.x != other.x:
        return one.x < other.x
    return one.y < other.y


@kernel
def settle(arena: Arena, task: Task, book: Book, outcome: Outcome, e: int) -> bool:
    """Reward and ending of the step that one environment has made; is its episode over?"""
    settings = task.settings[0]
    episode = book.episodes[e]
    episode.steps += 1
    if settings.measured:
        appraise(arena, task, book, outcome, e)
    else:
        decide(arena, task, book, outcome, e)
    over = outcome.terminated[e] or outcome.truncated[e]
    if settings.scaled:
        outcome.reward[e] /= episode.best / settings.best_return
    episode.total += outcome.reward[e]
    episode.over = over
    episode.n_finished += int(over)
    outcome.dead_allies[e], outcome.dead_enemies[e] = 0, 0
    for m in range(book.slots.shape[1]):
        died = int(book.dead[e, m] and book.tags[e, m] >= 0)
        if m < settings.n_agents:
            outcome.dead_allies[e] += died
        else:
            outcome.dead_enemies[e] += died
    if over:
        outcome.episode_return[e] = episode.total
        outcome.episode_steps[e] = episode.steps
    return over


@kernel
def decide(arena: Arena, task: Task, book: Book, outcome: Outcome, e: int) -> None:
    """SMAC's reward, before it is scaled, and SMAC's endings."""
    settings, episode = task.settings[0], book.episodes[e]
    reward = reward_of_step(arena, task, book, e)
    if settings.sparse:
        reward = 0.0
    end = ending(arena, task, book, e)
    if end == WIN:
        reward = 1.0 if settings.sparse else reward + settings.win_value
    elif end == DEFEAT:
        reward = -1.0 if settings.sparse else reward + settings.defeat_value
    timeout = end == GOING_ON and episode.steps >= settings.limit_steps
    episode.timed_out = timeout
    outcome.reward[e] = reward
    outcome.won[e] = end == WIN
    outcome.measure[e] = int(end == WIN)
    # To SMAC a time limit is an end like others, unless the user says that episodes continue.
    outcome.terminated[e] = end != GOING_ON or (timeout and settings.exact)
    outcome.truncated[e] = timeout and not (settings.exact and not settings.continuing)


@rare
def appraise(arena: Arena, task: Task, book: Book, outcome: Outcome, e: int) -> None:
    """Reward, before it is scaled, and ending of a battle that has a number of its own."""
    settings, episode = task.settings[0], book.episodes[e]
    for m in range(book.slots.shape[1]):
        has_died(arena, book, e, m)
    reward = 0.0 if settings.sparse else gain(arena, task, book, e)
    settled = is_settled(arena, task, book, e)
    timeout = not settled and episode.steps >= settings.limit_steps
    episode.timed_out = timeout
    outcome.won[e], outcome.measure[e] = False, 0.0
    # The number is taken at the time limit as at any other end: nothing comes after it.
    outcome.terminated[e], outcome.truncated[e] = settled or timeout, False
    if settled or timeout:
        measure = measure_of(arena, task, e)
        reward += measure
        outcome.measure[e] = measure
        outcome.won[e] = measure >= task.yardstick.terms[0].good - ROUNDING
    outcome.reward[e] = reward


@kernel
def step_battle(
    arena: Arena,
    scratch: Scratch,
    task: Task,
    book: Book,
    screen: Screen,
    actions: NDArray[np.int64],
    orders: Records,
    e: int,
) -> None:
    """Let one environment act, advance, and look again; with `orders` [N, A], these are given in
    place of actions."""
    settings = task.settings[0]
    if orders.shape[0] > 0:
        take_orders(arena, task, book, orders, e)
    else:
        give_commands(arena, task, book, screen.now.avail, actions, e)
    step(
        arena.world,
        arena.rules,
        arena.ground,
        arena.plan,
        scratch,
        arena.commands,
        settings.ticks_per_step,
        e,
        e + 1,
    )
    if settle(arena, task, book, screen.outcome, e) and settings.autoreset:
        observe_apart(arena, task, book, screen.final, e)
        begin_battle(arena, task, book, e)
    observe(arena, task, book, screen.now, e)


@entry
def step_battles(
    arena: Arena,
    scratch: Scratch,
    task: Task,
    book: Book,
    screen: Screen,
    actions: NDArray[np.int64],
    orders: Records,
    first: int,
    last: int,
) -> None:
    """Step the environments `first` to `last`."""
    for e in range(first, last):
        step_battle(arena, scratch, task, book, screen, actions, orders, e)


@entry
def play_randomly(
    arena: Arena,
    scratch: Scratch,
    task: Task,
    book: Book,
    screen: Screen,
    actions: NDArray[np.int64],
    orders: Records,
    n_steps: int,
    first: int,
    last: int,
) -> None:
    """Let random actions play; all steps of one environment in a row, while it is in the cache."""
    for e in range(first, last):
        for _ in range(n_steps):
            sample_for(book, screen.now.avail, actions, e)
            step_battle(arena, scratch, task, book, screen, actions, orders, e)


@entry
def begin_battles(
    arena: Arena,
    task: Task,
    book: Book,
    screen: Screen,
    chosen: NDArray[np.bool_],
    first: int,
    last: int,
) -> None:
    """Start the next battle of the chosen environments."""
    for e in range(first, last):
        if chosen[e]:
            begin_battle(arena, task, book, e)
            observe_apart(arena, task, book, screen.now, e)


@entry
def look_again(arena: Arena, task: Task, book: Book, screen: Screen, first: int, last: int) -> None:
    """Fill the views of the environments `first` to `last` from the state as it is."""
    for e in range(first, last):
        observe_apart(arena, task, book, screen.now, e)
