"""What a step is worth, and when a battle is over (reference: SMAC, 8).

Rewards are differences of what is observed, not sums of events, because SMAC defines them so: what
regenerates between two steps makes up for what was lost, and what was lost before a step and came
back may be lost again. The hits of a step do not tell that; nor do they tell of life that is lost
without a hit, by a Stimpack or a timed life.
"""

from terrarium.engine.jit import kernel
from terrarium.envs.kernels.sight import lives, member
from terrarium.envs.kernels.tables import Env

DEFEAT, DRAW, WIN, GOING_ON = range(-1, 3)


@kernel
def life_of(env: Env, m: int) -> float:
    """Health and shields, of the living."""
    unit = member(env, m)
    return unit.hp + unit.shield if lives(env, m) else 0.0


@kernel
def loss_of(env: Env, m: int) -> float:
    """How much life a member has lost since it was last asked.

    SMAC takes the difference to the step before, so that what regenerates can be taken twice.
    Fixed, only what falls below the lowest life so far counts: a battle holds each point once.
    """
    before, now = env.state.worth[m], life_of(env, m)
    if now > before and not env.task.settings[0].exact:
        return 0.0
    env.state.worth[m] = now
    return before - now


@kernel
def has_died(env: Env, m: int) -> bool:
    """Has a member died whose death was not counted yet?"""
    if env.state.dead[m] or lives(env, m):
        return False
    env.state.dead[m] = True
    return True


@kernel
def reward_of_step(env: Env) -> float:
    """The reward for what happened in a step, before scaling and without the battle's end."""
    settings = env.task.settings[0]
    hurt, deaths, suffered = 0.0, 0.0, 0.0
    for m in range(env.state.slots.shape[0]):
        if env.state.dead[m]:
            continue
        loss = loss_of(env, m)
        died = has_died(env, m)
        if m >= settings.n_agents:
            hurt += loss
            if died:
                deaths += settings.death_value
        else:
            suffered += settings.ally_weight * loss
            if died and not settings.only_positive:
                deaths -= settings.ally_weight * settings.death_value
    if not settings.only_positive:
        return hurt + deaths - suffered
    if settings.exact and not settings.later:
        return abs(hurt + deaths)
    return max(hurt + deaths, 0.0)


@kernel
def ending(env: Env) -> int:
    """Who has won, if the battle is over. Healers alone cannot win."""
    settings = env.task.settings[0]
    allies, enemies, ally_fighters, enemy_fighters = 0, 0, 0, 0
    for m in range(env.state.slots.shape[0]):
        if not lives(env, m):
            continue
        fights = int(env.task.kinds[member(env, m).kind].fights)
        if m < settings.n_agents:
            allies += 1
            ally_fighters += fights
        else:
            enemies += 1
            enemy_fighters += fights
    if settings.exact:
        # Both armies dead is a defeat where healers count: no living ally can fight.
        if (allies == 0 and enemies > 0) or (settings.with_healers and ally_fighters == 0):
            return DEFEAT
        healers_left = settings.with_healers and enemy_fighters == 0
        if (allies > 0 and enemies == 0) or (healers_left and (settings.later or enemies == 1)):
            return WIN
        return DRAW if allies == 0 else GOING_ON
    if ally_fighters > 0 and enemy_fighters > 0:
        return GOING_ON
    if ally_fighters == enemy_fighters:
        return DRAW
    return WIN if ally_fighters > 0 else DEFEAT


@kernel
def best_sum(env: Env) -> float:
    """What the enemies of a battle that begins are worth: all their life."""
    total = 0.0
    for m in range(env.task.settings[0].n_agents, env.state.slots.shape[0]):
        total += env.state.worth[m]
    return total


@kernel
def n_enemies_of(env: Env) -> int:
    """How many enemies a battle began with."""
    n = 0
    for m in range(env.task.settings[0].n_agents, env.state.slots.shape[0]):
        n += int(env.state.tags[m] >= 0)
    return n
