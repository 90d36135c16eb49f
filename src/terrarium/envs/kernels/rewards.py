"""What a step is worth, and when a battle is over (reference: SMAC, 8)."""

from terrarium.engine.jit import kernel
from terrarium.envs.kernels.sight import lives, member
from terrarium.envs.kernels.tables import Arena, Book, Task

DEFEAT, DRAW, WIN, GOING_ON = range(-1, 3)


@kernel
def life_of(arena: Arena, book: Book, e: int, m: int) -> float:
    """Health and shields, of the living."""
    unit = member(arena, book, e, m)
    return unit.hp + unit.shield if lives(arena, book, e, m) else 0.0


@kernel
def loss_of(arena: Arena, task: Task, book: Book, e: int, m: int) -> float:
    """How much life a member has lost since it was last asked.

    SMAC takes the difference to the step before, so that what regenerates can be taken twice.
    Fixed, only what falls below the lowest life so far counts: a battle holds each point once.
    """
    before, now = book.worth[e, m], life_of(arena, book, e, m)
    if now > before and not task.settings[0].exact:
        return 0.0
    book.worth[e, m] = now
    return before - now


@kernel
def has_died(arena: Arena, book: Book, e: int, m: int) -> bool:
    """Has a member died whose death was not counted yet?"""
    if book.dead[e, m] or lives(arena, book, e, m):
        return False
    book.dead[e, m] = True
    return True


@kernel
def reward_of_step(arena: Arena, task: Task, book: Book, e: int) -> float:
    """The reward for what happened in a step, before scaling and without the battle's end."""
    settings = task.settings[0]
    hurt, deaths, suffered = 0.0, 0.0, 0.0
    for m in range(book.slots.shape[1]):
        if book.dead[e, m]:
            continue
        loss = loss_of(arena, task, book, e, m)
        died = has_died(arena, book, e, m)
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
def ending(arena: Arena, task: Task, book: Book, e: int) -> int:
    """Who has won, if the battle is over. Healers alone cannot win."""
    settings = task.settings[0]
    allies, enemies, ally_fighters, enemy_fighters = 0, 0, 0, 0
    for m in range(book.slots.shape[1]):
        if not lives(arena, book, e, m):
            continue
        fights = int(task.kinds[member(arena, book, e, m).kind].fights)
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
def best_sum(task: Task, book: Book, e: int) -> float:
    """What the enemies of a battle that begins are worth: all their life."""
    total = 0.0
    for m in range(task.settings[0].n_agents, book.slots.shape[1]):
        total += book.worth[e, m]
    return total


@kernel
def n_enemies_of(task: Task, book: Book, e: int) -> int:
    """How many enemies a battle began with."""
    n = 0
    for m in range(task.settings[0].n_agents, book.slots.shape[1]):
        n += int(book.tags[e, m] >= 0)
    return n
