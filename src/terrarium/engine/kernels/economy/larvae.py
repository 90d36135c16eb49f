"""Larvae: how they come to their hatcheries, and go with them."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import add_buff
from terrarium.engine.kernels.economy.resources import FIRST_LARVA
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.state import Game, is_unit

FEW_LARVAE, MOST_LARVAE = 3, 19
"""Below so many a hatchery makes one by itself; beyond so many an inject brings none
(game_rules.md, 9)."""
LARVA_TICKS = 240.0
INJECT_TICKS, NEXT_INJECT_TICKS = 644.0, 641.0
"""From the cast to the first larva, and from there to the first one of an inject that waited."""
BROOD_TICKS = 4.0
"""from one larva of an inject to the next (economy.md, 8)"""
NEAR_HALL = 10.0
"""A larva without a hatchery joins one so near."""
BELOW = 3.0
APART = 0.7
ROW = 7
"""Where larvae appear: in rows of seven below the hatchery."""


@kernel
def run_larvae(game: Game) -> None:
    """One tick of all hatcheries and their larvae."""
    count_larvae(game)
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if game.rules.types[me.kind].breeds and me.alive and me.hp > 0.0:
            if not me.status & codes.UNFINISHED:
                breed(game, u)
                run_injects(game, u)


@kernel
def count_larvae(game: Game) -> None:
    """Count how many larvae each hatchery has."""
    for i in range(game.clock[0].n_living):
        game.producers[game.living[i]].n_larvae = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.units[u].alive and game.rules.types[game.units[u].kind].is_larva:
            stay_with_hall(game, u)


@kernel
def stay_with_hall(game: Game, u: int) -> None:
    """A larva counts for its hatchery, or dies with it."""
    me, skill = game.units[u], game.skills[u]
    if skill.maker < 0:
        skill.maker = nearest_hall(game, u)
        skill.maker_tag = game.units[skill.maker].tag if skill.maker >= 0 else 0
    if not is_unit(game, skill.maker, skill.maker_tag):
        me.hp = 0.0
    elif me.owner == game.units[skill.maker].owner:
        game.producers[skill.maker].n_larvae += 1


@kernel
def nearest_hall(game: Game, u: int) -> int:
    me, best, best_distance = game.units[u], codes.NO_UNIT, NEAR_HALL
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if other.alive and other.owner == me.owner and game.rules.types[other.kind].breeds:
            distance = length(other.x - me.x, other.y - me.y)
            if distance < best_distance:
                best, best_distance = v, distance
    return best


@kernel
def breed(game: Game, u: int) -> None:
    """The first larva comes at once, others from time to time while there are few."""
    producer = game.producers[u]
    if producer.larva_timer == FIRST_LARVA:
        producer.larva_timer = 0.0
        if producer.n_larvae == 0:
            add_larva(game, u)
    if producer.n_larvae >= FEW_LARVAE:
        producer.larva_timer = 0.0
        return
    if producer.larva_timer <= 0.0:
        producer.larva_timer = LARVA_TICKS
    producer.larva_timer -= 1.0
    if producer.larva_timer <= 0.0:
        add_larva(game, u)


@kernel
def add_larva(game: Game, u: int) -> None:
    """A larva appears below its hatchery."""
    me, producer = game.units[u], game.producers[u]
    column, row = producer.n_larvae % ROW, producer.n_larvae // ROW
    side = 1 if column % 2 == 1 else -1
    x = me.x + APART * side * ((column + 1) // 2)
    v = spawn(game, game.rules.breeding[0].larva, me.owner, x, me.y - BELOW - APART * row, False)
    if v >= 0:
        game.skills[v].maker, game.skills[v].maker_tag = u, me.tag
        producer.n_larvae += 1


@kernel
def inject(game: Game, ability: int, u: int, v: int) -> None:
    """Larvae will come to a hatchery; further injects wait for their turn."""
    producer = game.producers[v]
    producer.n_injects += 1
    if producer.n_injects == 1:
        producer.inject_timer = INJECT_TICKS
        carry_inject(game, ability, u, v)


@kernel
def carry_inject(game: Game, ability: int, u: int, v: int) -> None:
    buff = game.rules.abilities[ability].buff
    if buff >= 0:
        add_buff(game, v, buff, u, game.units[v].owner, game.producers[v].inject_timer)


@kernel
def run_injects(game: Game, u: int) -> None:
    """One tick of the injects of a hatchery."""
    producer = game.producers[u]
    if producer.n_injects > 0:
        producer.inject_timer -= 1.0
        if producer.inject_timer <= 0.0:
            producer.n_injects -= 1
            producer.brood, producer.brood_timer = game.rules.breeding[0].n_injected, 1.0
            if producer.n_injects > 0:
                producer.inject_timer = NEXT_INJECT_TICKS
                carry_inject(game, game.rules.breeding[0].inject, u, u)
    if producer.brood > 0:
        producer.brood_timer -= 1.0
        if producer.brood_timer <= 0.0:
            producer.brood -= 1
            producer.brood_timer = BROOD_TICKS
            if producer.n_larvae < MOST_LARVAE:
                add_larva(game, u)
