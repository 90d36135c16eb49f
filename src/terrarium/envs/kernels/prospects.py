"""Reward and ending of battles that are measured by another number than who is left.

How a battle stands, its *prospect*, is a number from 0 to 1: half of it is what the scenario
measures, a quarter is what the enemies have lost, and a quarter what the agents still have. Wounds
count as parts of a unit's value, and the way to a goal as part of having reached it, so that every
step shows whether it was a good one. A step is worth gamma times the prospect after it less the one
before it, and after the end the prospect is 0: such a reward changes no best policy (Ng et al.
1999). The end is worth the number itself.
"""

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import length
from terrarium.engine.tables.plan import ALLY_OWNER
from terrarium.envs.kernels.conditions import place_of
from terrarium.envs.kernels.measures import REACH, ROUNDING, score
from terrarium.envs.kernels.sight import lives, member
from terrarium.envs.kernels.tables import Env

GOAL, HARM, SAFETY = 0.5, 0.25, 0.25


@kernel
def value_left(env: Env, m: int) -> float:
    """Of a member's value, the share that is left of its life."""
    if not lives(env, m):
        return 0.0
    unit = member(env, m)
    full = unit.hp_max + env.game.rules.types[unit.kind].shields
    return env.task.kinds[unit.kind].value * min((unit.hp + unit.shield) / max(full, 1.0), 1.0)


@kernel
def counts(env: Env, m: int) -> bool:
    """Is a member one of those whom the measure speaks of?"""
    ours = m < env.task.settings[0].n_agents
    if ours != (env.task.yardstick.terms[0].owner == ALLY_OWNER):
        return False
    return env.task.yardstick.value[member(env, m).kind] > 0.0


@kernel
def way_left(env: Env, m: int) -> float:
    """How far a member is from where the measure wants it."""
    terms, place = env.task.yardstick.terms[0], place_of(env, m)
    return max(length(place.x - terms.x, place.y - terms.y) - terms.radius, 0.0)


@kernel
def weigh_up(env: Env) -> None:
    """Note what a battle that begins is about."""
    episode = env.state.episode[0]
    episode.own_value, episode.enemy_value, episode.counted_value = 0.0, 0.0, 0.0
    episode.way = 0.0
    for m in range(env.state.slots.shape[0]):
        value = value_left(env, m)
        if m < env.task.settings[0].n_agents:
            episode.own_value += value
        else:
            episode.enemy_value += value
        if counts(env, m):
            episode.counted_value += value
            episode.way += value * way_left(env, m)
    episode.way /= max(episode.counted_value, 1.0)
    episode.prospect = prospect(env)


@kernel
def prospect(env: Env) -> float:
    """How a battle stands, from 0 to 1."""
    episode, terms = env.state.episode[0], env.task.yardstick.terms[0]
    own, enemy, counted = 0.0, 0.0, 0.0
    for m in range(env.state.slots.shape[0]):
        value = value_left(env, m)
        if m < env.task.settings[0].n_agents:
            own += value
        else:
            enemy += value
        if value > 0.0 and counts(env, m):
            if terms.kind == REACH:
                left = way_left(env, m) / max(episode.way, 1.0)
                value *= 1.0 - min(left, 1.0)
            counted += value
    goal = share(counted, episode.counted_value)
    if terms.owner != ALLY_OWNER:
        goal = 1.0 - goal
    harm = 1.0 - share(enemy, episode.enemy_value)
    return GOAL * goal + HARM * harm + SAFETY * share(own, episode.own_value)


@kernel
def share(part: float, whole: float) -> float:
    """A part of something, at most all of it: healing and upgrades add to life."""
    return min(part / whole, 1.0) if whole > 0.0 else 0.0


@kernel
def gain(env: Env, over: bool) -> float:
    """gamma times the prospect after the last step, 0 after the end, less the one before it."""
    episode = env.state.episode[0]
    before = episode.prospect
    episode.prospect = 0.0 if over else prospect(env)
    return env.task.settings[0].gamma * episode.prospect - before


@kernel
def measure_of(env: Env) -> float:
    """The scenario's number, for the battle as it stands."""
    return score(env.game, env.task.yardstick)


@kernel
def is_settled(env: Env) -> bool:
    """Can the measure no longer change, or only for the worse?"""
    settings, terms = env.task.settings[0], env.task.yardstick.terms[0]
    own, enemies, on_the_way = 0, 0, 0
    for m in range(env.state.slots.shape[0]):
        if not lives(env, m):
            continue
        if m < settings.n_agents:
            own += 1
        else:
            enemies += 1
        if counts(env, m):
            at_goal = terms.kind == REACH and way_left(env, m) <= ROUNDING
            on_the_way += int(not at_goal)
    if own == 0 or on_the_way == 0:
        return True
    return enemies == 0 and terms.kind != REACH
