"""What buffs do as time passes: they hit, heal, drain, and end."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.combat.damage import add_hit
from terrarium.engine.state import Game


@kernel
def run_buffs(game: Game) -> None:
    """One tick of all buffs."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if me.status & codes.BUFFED and (me.alive or me.inside >= 0):
            run_buffs_of(game, u)


@kernel
def run_buffs_of(game: Game, u: int) -> None:
    me = game.units[u]
    ended = False
    for b in range(game.buffs.shape[1]):
        buff = game.buffs[u, b]
        if buff.row < 0:
            continue
        kind = game.rules.buffs[buff.row]
        if kind.hit >= 0 and me.alive:
            buff.timer -= 1.0
            if buff.timer <= 0.0 and buff.hits_left > 0:
                buff.timer += kind.period
                buff.hits_left -= 1
                add_hit(game, u, kind.hit, buff, 1.0)
        if kind.life_rate != 0.0 and me.hp > 0.0:
            me.hp = min(me.hp_max, me.hp + kind.life_rate)
        if kind.drain > 0.0:
            me.energy = max(0.0, me.energy - kind.drain)
        buff.ticks -= 1.0
        if buff.ticks <= 0.0 or (kind.drain > 0.0 and me.energy <= 0.0):
            buff.row = -1
            ended = True
    if ended:
        refresh(game, u)
