"""Who sees whom: ranges, SMACv2's cone, and sightings that are not shared with everybody."""

import math

import numpy as np

from terrarium.engine.jit import inline, kernel
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length
from terrarium.engine.kernels.random import SIGHTING, TURN, bits, uniform
from terrarium.engine.records import Records
from terrarium.envs.kernels.tables import Env

TINY = 1e-7
WALK_UP = 2.0
"""How far beyond its weapon's reach a unit with abilities may be told to attack: it walks there"""


@kernel
def member(env: Env, m: int) -> Records:
    """The record of an agent or, from `n_agents` on, of an enemy: the engine's, or in SMAC's
    contract what a client of the game reads of it."""
    if env.task.settings[0].exact:
        return env.state.told[m]
    return env.game.units[env.state.slots[m]]


@kernel
def tell_members(env: Env) -> None:
    """In SMAC's contract: read all members as the game's API tells of them, in single precision."""
    if not env.task.settings[0].exact:
        return
    for m in range(env.state.slots.shape[0]):
        env.state.told[m] = env.game.units[env.state.slots[m]]
        unit = env.state.told[m]
        unit.x, unit.y = as_told(unit.x), as_told(unit.y)
        unit.hp, unit.shield = as_told(unit.hp), as_told(unit.shield)
        unit.energy = as_told(unit.energy)
        unit.cooldown = as_told(max(unit.cooldown, 0.0))


@inline
def as_told(number: float) -> float:
    """A number as the messages of the API hold it."""
    return float(np.float32(number))


@kernel
def is_there(env: Env, m: int) -> bool:
    """Is a member alive and on the map? The slot of a dead one may have passed to a summoned."""
    unit = member(env, m)
    return unit.alive and unit.tag == env.state.tags[m]


@kernel
def lives(env: Env, m: int) -> bool:
    """Is a member alive, on the map or on board of another unit?"""
    unit = member(env, m)
    return (unit.alive or unit.inside >= 0) and unit.tag == env.state.tags[m]


@inline
def distance_between(env: Env, m: int, other: int) -> float:
    me, you = member(env, m), member(env, other)
    return length(you.x - me.x, you.y - me.y)


@kernel
def note_places(env: Env) -> None:
    """Remember where the living are; the dead stay where they were last observed."""
    places = env.state.places
    for m in range(places.shape[0]):
        if is_there(env, m):
            unit = member(env, m)
            places[m, 0], places[m, 1] = unit.x, unit.y


@kernel
def in_sight(env: Env, a: int, m: int) -> bool:
    """Is a member, dead or alive, in the sight of agent `a` where it was last observed?"""
    me, place = member(env, a), env.state.places[m]
    return is_near(env, a, m, length(place[0] - me.x, place[1] - me.y))


@inline
def is_near(env: Env, a: int, m: int, distance: float) -> bool:
    """The same, where the distance is known: in sight range and in the cone."""
    reach = env.task.kinds[member(env, a).kind].sight
    if env.task.settings[0].n_directions == 0:
        return distance < reach
    # SMACv2's cone includes its end, unlike the circle.
    return distance <= reach and in_cone(env, a, m)


@inline
def in_range(env: Env, a: int, m: int) -> bool:
    """May agent `a` aim at a member from where it is?"""
    if env.task.settings[0].skilled:
        near = in_reach_of_arms(env, a, m)
    else:
        reach = env.task.kinds[member(env, a).kind].shoot
        near = distance_between(env, a, m) <= reach
    return near and (env.task.settings[0].n_directions == 0 or in_cone(env, a, m))


@kernel
def in_reach_of_arms(env: Env, a: int, m: int) -> bool:
    """The same by what the unit is now: its form, its upgrades, and whom it aims at."""
    me, you = member(env, a), member(env, m)
    row = env.game.rules.types[me.kind]
    if env.task.kinds[me.kind].heals:
        reach = row.heal_range
    else:
        reach = env.game.rules.reach[me.kind, you.column] + me.range_add
    if row.mobile:
        reach += WALK_UP
    return edge_distance(env.game, me, you) <= reach + NEARLY


@kernel
def in_cone(env: Env, a: int, m: int) -> bool:
    """Is a member in the direction that agent `a` looks in?"""
    settings = env.task.settings[0]
    me, place = member(env, a), env.state.places[m]
    dx, dy = place[0] - me.x, place[1] - me.y
    look_x = env.task.directions[env.state.headings[a], 0]
    look_y = env.task.directions[env.state.headings[a], 1]
    half = math.pi / settings.n_directions
    if not settings.exact:
        return dx * look_x + dy * look_y >= math.cos(half) * length(dx, dy) - TINY
    # SMACv2 compares arctangents of one argument and takes the sign of x from the other unit: what
    # is nearly above or below is seen by cones that point to the other side, and what is straight
    # behind by those that point east or west.
    if dx > 0.0:
        dx, look_x = max(dx, TINY), max(look_x, TINY)
    else:
        dx, look_x = min(dx, -TINY), min(look_x, -TINY)
    return abs(math.atan(dy / dx) - math.atan(look_y / look_x)) < half


@kernel
def draw_turns(env: Env) -> None:
    """SMACv2 lets the agents look in a random order, and the first to see an enemy owns it."""
    settings = env.task.settings[0]
    seed, step = env.game.clock[0].seed, env.state.episode[0].steps
    for i in range(settings.n_agents):
        env.state.turns[i] = i
    if not (settings.exact and settings.counts_grants):
        return
    for i in range(1, settings.n_agents):
        a = env.state.turns[i]
        key = bits(seed, step, a, TURN)
        j = i
        while j > 0 and bits(seed, step, env.state.turns[j - 1], TURN) > key:
            env.state.turns[j] = env.state.turns[j - 1]
            j -= 1
        env.state.turns[j] = a


@kernel
def forget_sightings(env: Env) -> None:
    """A sighting lasts until the enemy dies, or the agent that had it first."""
    settings = env.task.settings[0]
    for k in range(settings.n_enemies):
        env.state.fresh[k] = False
        sighter = env.state.sighters[k]
        if sighter < 0:
            continue
        m = settings.n_agents + k
        if is_there(env, m) and is_there(env, sighter):
            continue
        forget_sighting(env, k)


@kernel
def forget_sighting(env: Env, k: int) -> None:
    """Let enemy `k` be as if no agent had sighted it."""
    env.state.sighters[k] = -1
    for a in range(env.task.settings[0].n_agents):
        env.state.grants[a, k] = False


@kernel
def take_back_looks(env: Env) -> None:
    """Undo the sightings of the last look, of all agents."""
    for k in range(env.task.settings[0].n_enemies):
        if env.state.fresh[k]:
            env.state.fresh[k] = False
            forget_sighting(env, k)


@kernel
def look_around(env: Env, a: int) -> None:
    """Agent `a` takes what it is the first to see; luck decides who may see it too."""
    settings = env.task.settings[0]
    seed, step = env.game.clock[0].seed, env.state.episode[0].steps
    for k in range(settings.n_enemies):
        m = settings.n_agents + k
        if env.state.sighters[k] >= 0:
            continue
        # SMACv2 also counts the dead as sighted, where it has last seen them alive.
        if not (settings.exact or is_there(env, m)):
            continue
        # With `fully_observable`, SMACv2 still counts only what is in sight.
        seen = settings.sees_all and not settings.exact
        if not (seen or in_sight(env, a, m)):
            continue
        env.state.sighters[k], env.state.fresh[k] = a, True
        for other in range(settings.n_agents):
            draw = uniform(seed, step, other * settings.n_enemies + k, SIGHTING)
            env.state.grants[other, k] = other == a or draw < settings.share_sight


@kernel
def is_seen(env: Env, a: int, m: int) -> bool:
    """Does the player of agent `a` see a member, through fog and cloak?"""
    return member(env, m).seen >> member(env, a).owner & 1 != 0


@inline
def is_visible(env: Env, a: int, m: int, distance: float) -> bool:
    """Does agent `a` perceive another member, at that distance, who is alive?"""
    settings = env.task.settings[0]
    if not (settings.sees_all or is_near(env, a, m, distance)):
        return False
    if settings.skilled and not is_seen(env, a, m):
        return False
    if m < settings.n_agents or not settings.counts_grants:
        return True
    return env.state.grants[a, m - settings.n_agents]
