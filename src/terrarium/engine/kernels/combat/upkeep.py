"""What happens by itself: shields, life and energy come back, timed lives run out."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import Game


@kernel
def regenerate(game: Game) -> bool:
    """One tick of regeneration (game_rules.md, 7); dying units get nothing. Is any
    unit dying?"""
    tick = game.clock[0].tick
    dying = False
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive:
            continue
        if me.hp <= 0.0:
            dying = True
            continue
        row = game.rules.types[me.kind]
        if not row.changes or me.status & codes.UNFINISHED:
            continue
        unhurt = tick - me.hurt_tick
        if row.hp_regen > 0.0 and me.hp < me.hp_max and unhurt >= row.hp_regen_delay:
            me.hp = min(me.hp_max, me.hp + row.hp_regen)
        if me.shield < row.shields and unhurt >= row.shield_regen_delay:
            me.shield = min(row.shields, me.shield + row.shield_regen)
        if me.energy < row.energy_max and not me.status & codes.STARVED:
            me.energy = min(row.energy_max, me.energy + row.energy_regen)
        if me.life_ticks > 0.0:
            me.life_ticks -= 1.0
            if me.life_ticks <= 0.0:
                me.hp = 0.0
                dying = True
    return dying
