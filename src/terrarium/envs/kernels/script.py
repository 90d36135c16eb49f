"""SMAC's own scripted player: each unit keeps a target until it is dead, then takes the nearest."""

import math

from terrarium.engine.jit import kernel
from terrarium.envs.kernels.sight import is_there, member
from terrarium.envs.kernels.tables import EAST, NO_OP, NORTH, SOUTH, WEST, Env

_SPLITTER = 134217729.0
"""2 ** 27 + 1: cuts a number in two halves whose products are exact (Dekker 1971)"""


@kernel
def choose_for(env: Env, a: int) -> int:
    """The script's action of agent `a`. It may attack beyond the mask, as in SMAC, which goes on
    choosing for the dead, from where they were last observed."""
    settings = env.task.settings[0]
    if not (settings.exact or is_there(env, a)):
        return NO_OP
    heals = env.task.kinds[member(env, a).kind].heals
    m = env.state.focus[a]
    if m < 0 or not is_wanted(env, m, heals):
        m = nearest_wanted(env, a, heals)
        env.state.focus[a] = m
    if m < 0:
        return NO_OP
    action = settings.first_target + (m if heals else m - settings.n_agents)
    if not settings.script_walks or env.now.avail[a, action]:
        return action
    you, place = member(env, m), env.state.places[a]
    dx, dy = you.x - place[0], you.y - place[1]
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
    place = env.state.places[a]
    for m in range(first, last):
        if m == a or not is_wanted(env, m, heals):
            continue
        you = member(env, m)
        distance = exact_length(you.x - place[0], you.y - place[1])
        if distance < best_distance:
            best, best_distance = m, distance
    return best


@kernel
def exact_length(x: float, y: float) -> float:
    """The length of a vector, rounded once, as SMAC's `math.hypot` (Python 3.10 on) has it: armies
    that mirror each other have distances that differ in the last bit alone."""
    long, short = max(abs(x), abs(y)), min(abs(x), abs(y))
    if long == 0.0:
        return 0.0
    total = long * long + short * short
    lost = short * short - (total - long * long)
    lost += lost_in_square(long) + lost_in_square(short)
    root = math.sqrt(total)
    rest = (total - root * root) - lost_in_square(root) + lost
    return root + rest / (2.0 * root)


@kernel
def lost_in_square(x: float) -> float:
    """What rounding takes from `x * x`."""
    high = x * _SPLITTER
    high -= high - x
    low = x - high
    return ((high * high - x * x) + 2.0 * high * low) + low * low
