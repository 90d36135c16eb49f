"""Deaths: everybody without life dies at once, and leaves what it has to leave."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.cargo import leave_wreck
from terrarium.engine.kernels.abilities.casting import end_channel
from terrarium.engine.kernels.abilities.outcomes import arrive
from terrarium.engine.kernels.combat.damage import add_hit, may_hurt, resolve_hits
from terrarium.engine.kernels.combat.shots import effect_now, new_effect
from terrarium.engine.kernels.economy.score import count_death
from terrarium.engine.kernels.events import note_death
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.movement.footprints import lift_footprint
from terrarium.engine.kernels.orders.building import drop_orders
from terrarium.engine.scratch import N_HITS
from terrarium.engine.state import Game, has_economy

BROOD_TICKS = 8.0
"""from the death of a Zerg structure until its broodlings are there"""


@kernel
def bury(game: Game) -> None:
    """Units without life die at once; explosions may kill more, so repeat until none dies."""
    n_dead = 1
    while n_dead > 0:
        n_dead = 0
        for i in range(game.clock[0].n_living):
            u = game.living[i]
            me = game.units[u]
            if me.alive and me.hp <= 0.0:
                note_death(game, u)
                if has_economy(game):
                    count_death(game, u)
                me.alive, game.clock[0].any_dead = False, True
                me.hp, me.shield = 0.0, 0.0
                drop_orders(game, u, 0)
                me.inside = codes.NO_UNIT
                game.players[me.owner].n_alive -= 1
                game.players[me.owner].n_lost += 1
                game.scratch.dead[n_dead] = u
                n_dead += 1
        # Only now, so that units which die with them are not hurt again.
        for k in range(n_dead):
            leave(game, game.scratch.dead[k])
        if game.scratch.counts[N_HITS] > 0:
            resolve_hits(game)


@kernel
def leave(game: Game, u: int) -> None:
    """What a dying unit leaves: its ground, an explosion, its passengers, the end of what it was
    made for."""
    lift_footprint(game, u)
    me = game.units[u]
    row = game.rules.types[me.kind]
    if has_economy(game) and row.leaves >= 0 and not me.status & codes.UNFINISHED:
        leave_broodlings(game, u)
    if row.explodes:
        explode(game, u)
    leave_wreck(game, u)
    if row.last_act >= 0 and me.life_ticks <= 0.0:
        last = effect_now(game, u, codes.NO_UNIT, me.x, me.y)
        last.ability = row.last_act
        arrive(game, last)
    skill = game.skills[u]
    if skill.cast >= 0 and skill.phase == codes.CHANNELING:
        end_channel(game, u)
    skill.cast = codes.NO_ABILITY


@kernel
def leave_broodlings(game: Game, u: int) -> None:
    """Somewhat later broodlings come out of a Zerg structure (game_rules.md, 9)."""
    k = new_effect(game, u, u, 0, codes.BROODING)
    if k >= 0:
        effect = game.effects[k]
        effect.ability, effect.timer = codes.NO_ABILITY, BROOD_TICKS
        effect.step = game.units[u].kind


@kernel
def explode(game: Game, u: int) -> None:
    """A Baneling's acid falls on every living enemy around it."""
    me = game.units[u]
    row = game.rules.types[me.kind]
    weapon = game.rules.weapons[row.first_weapon]
    acid = effect_now(game, u, codes.NO_UNIT, me.x, me.y)
    for h in range(weapon.first_hit, weapon.first_hit + weapon.n_hits):
        for j in range(game.clock[0].n_living):
            v = game.living[j]
            other = game.units[v]
            if not other.alive or not may_hurt(game, h, me.owner, v, me.x, me.y):
                continue
            dx, dy = other.x - me.x, other.y - me.y
            reach = game.rules.hits[h].radius + game.rules.types[other.kind].radius
            if length(dx, dy) <= reach + NEARLY:
                add_hit(game, v, h, acid, 1.0)
