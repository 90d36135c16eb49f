"""Random armies of equal cost. Every draw is a hash of the battle's seed, never a stream."""

import numpy as np

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import research
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.kernels.random import TEAM, uniform
from terrarium.engine.kernels.setup.births import clear_skill, spawn
from terrarium.engine.kernels.setup.slots import clear_slots, free_slot, take_slot
from terrarium.engine.kernels.setup.start_places import drawn_place
from terrarium.engine.state import Game
from terrarium.engine.tables.army_tables import NONE, ArmyTables

_ATTEMPTS = 32
"""Then a battle is fought even if a unit in it cannot be attacked."""


@kernel
def draw_armies(game: Game) -> None:
    """Draw the armies of players 1 and 2 until each unit can be attacked by one of the other's."""
    for attempt in range(_ATTEMPTS):
        clear_slots(game)
        for owner in (1, 2):
            draw_army(game, owner, attempt)
        if everybody_has_an_opponent(game) or attempt == _ATTEMPTS - 1:
            for owner in (1, 2):
                draw_upgrades(game, game.plan.armies, owner, attempt)
            return


@kernel
def draw_army(game: Game, owner: int, attempt: int) -> None:
    """Units of one race until nothing more can be paid for; each player has slots of its own."""
    tables, seed = game.plan.armies, game.clock[0].seed
    max_units = tables.terms[0].max_units
    race = draw_race(tables, seed, owner, attempt)
    left = army_value(tables, seed, owner, attempt)
    x, y = drawn_place(game, owner - 1, seed)
    game.players[owner].n_alive = 0
    for i in range(max_units):
        draw = army_draw(seed, owner, attempt, i)
        m = draw_recruit(tables, race, left, draw)
        if m == NONE:
            slot = take_slot(game)
            game.units[slot] = game.scratch.blank[0]
            game.units[slot].owner, game.units[slot].inside = owner, NONE
            clear_skill(game, slot, owner)
            free_slot(game, slot)
        else:
            left -= tables.recruits[m].cost
            spawn(game, tables.recruits[m].kind, owner, x, y, False)


@kernel
def army_draw(seed: np.uint64, owner: int, attempt: int, key: int) -> float:
    """A number from 0 to 1 for one choice of one player's army."""
    return uniform(seed, 2 * attempt + owner - 1, key, TEAM)


@kernel
def draw_race(tables: ArmyTables, seed: np.uint64, owner: int, attempt: int) -> int:
    n_races = 0
    while n_races < tables.races.shape[1] and tables.races[owner - 1, n_races] != NONE:
        n_races += 1
    draw = army_draw(seed, owner, attempt, tables.terms[0].max_units)
    return tables.races[owner - 1, int(draw * n_races)]


@kernel
def army_value(tables: ArmyTables, seed: np.uint64, owner: int, attempt: int) -> float:
    """What a player may spend: both players' budgets come from one draw."""
    terms = tables.terms[0]
    draw = uniform(seed, 2 * attempt, terms.max_units + 1, TEAM)
    value = terms.least_value + (terms.most_value - terms.least_value) * draw
    return value * terms.handicap if owner == 2 else value


@kernel
def draw_recruit(tables: ArmyTables, race: int, left: float, draw: float) -> int:
    """A type of a race that `left` pays for, by weight; NONE if there is none."""
    total = 0.0
    for m in range(tables.recruits.shape[0]):
        recruit = tables.recruits[m]
        if recruit.race == race and recruit.cost <= left:
            total += recruit.weight
    mark, chosen = draw * total, NONE
    for m in range(tables.recruits.shape[0]):
        recruit = tables.recruits[m]
        if recruit.race == race and recruit.cost <= left and mark >= 0.0:
            chosen = m
            mark -= recruit.weight
    return chosen


@kernel
def draw_upgrades(game: Game, tables: ArmyTables, owner: int, attempt: int) -> None:
    """Each upgrade that a unit of a player could use, by chance; a level after the one below."""
    for r in range(tables.research.shape[0]):
        if is_wanted(game, tables, owner, r) and is_granted(game, tables, owner, attempt, r):
            research(game, owner, tables.research[r].upgrade)


@kernel
def is_wanted(game: Game, tables: ArmyTables, owner: int, r: int) -> bool:
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if me.alive and me.owner == owner and tables.useful[r, me.kind]:
            return True
    return False


@kernel
def is_granted(game: Game, tables: ArmyTables, owner: int, attempt: int, r: int) -> bool:
    """Did a player draw an upgrade and every level below it?"""
    terms = tables.terms[0]
    while r != NONE:
        key = terms.max_units + 2 + r
        if army_draw(game.clock[0].seed, owner, attempt, key) >= terms.upgrade_chance:
            return False
        r = tables.research[r].needs
    return True


@kernel
def everybody_has_an_opponent(game: Game) -> bool:
    """Is there, for each unit, a unit of the other player that can attack it?"""
    n_living = game.clock[0].n_living
    for i in range(n_living):
        u = game.living[i]
        me = game.units[u]
        found = not me.alive
        for j in range(n_living):
            v = game.living[j]
            other = game.units[v]
            if (
                other.alive
                and is_enemy(game, other.owner, me.owner)
                and game.rules.rank[other.kind, me.column] >= 0
            ):
                found = True
                break
        if not found:
            return False
    return True
