"""SMAC's own scripted player: each unit keeps a target until it is dead, then takes the nearest."""

from terrarium.engine.jit import kernel
from terrarium.envs.kernels.sight import distance_between, is_there, member
from terrarium.envs.kernels.tables import EAST, NO_OP, NORTH, SOUTH, WEST, Env


@kernel
def choose_for(env: Env, a: int) -> int:
    """The script's action of agent `a`. It may attack beyond the mask, as in SMAC."""
    settings = env.task.settings[0]
    me = member(env, a)
    if not is_there(env, a):
        return NO_OP
    heals = env.task.kinds[me.kind].heals
    m = env.state.focus[a]
    if m < 0 or not is_wanted(env, m, heals):
        m = nearest_wanted(env, a, heals)
        env.state.focus[a] = m
    if m < 0:
        return NO_OP
    action = settings.first_target + (m if heals else m - settings.n_agents)
    if not settings.script_walks or env.now.avail[a, action]:
        return action
    you = member(env, m)
    dx, dy = you.x - me.x, you.y - me.y
    if abs(dx) > abs(dy):
        return EAST if dx > 0.0 else WEST
    return NORTH if dy > 0.0 else SOUTH


@kernel
def is_wanted(env: Env, m: int, heals: bool) -> bool:
    """Enemies until they are dead; allies until they are dead or healed."""
    if not heals or not is_there(env, m):
        return is_there(env, m)
    you = member(env, m)
    return not env.task.kinds[you.kind].heals and you.hp < you.hp_max


@kernel
def nearest_wanted(env: Env, a: int, heals: bool) -> int:
    settings = env.task.settings[0]
    first = 0 if heals else settings.n_agents
    last = settings.n_agents if heals else settings.n_agents + settings.n_enemies
    # Actions reach only so many targets.
    last = min(last, first + settings.n_targets)
    best, best_distance = -1, 1e30
    for m in range(first, last):
        if m == a or not is_wanted(env, m, heals):
            continue
        distance = distance_between(env, a, m)
        if distance < best_distance:
            best, best_distance = m, distance
    return best
