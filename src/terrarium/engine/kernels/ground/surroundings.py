"""Surroundings: creep and power as they change, and what they do to the units that are there."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.ground.creep import creep_at, run_creep
from terrarium.engine.kernels.ground.power import list_power
from terrarium.engine.state import Game

BURNT_A_TICK = 1.0 / 5.33
"""Life that a Zerg structure off creep loses (game_rules.md, 7)."""


@kernel
def ways_of_all(game: Game) -> int:
    """Whose rules of production this game needs at the moment."""
    ways = 0
    for i in range(game.clock[0].n_living):
        ways |= game.rules.types[game.units[game.living[i]].kind].ways
    return ways


@kernel
def feel_ground(game: Game, ways: int) -> None:
    """One tick of creep and power."""
    if ways & codes.ZERG_WAYS or game.epochs[0].n_patches > 0:
        run_creep(game)
    power_changed = False
    if ways & codes.PROTOSS_WAYS or game.epochs[0].n_power > 0:
        power_changed = list_power(game)
    if ways == 0:
        return  # creep and power are nothing to Terrans
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        row = game.rules.types[me.kind]
        if not me.alive:
            continue
        if row.creep_speed != 1.0 or row.needs_creep:
            if creep_at(game, me.x, me.y) != (me.status & codes.ON_CREEP != 0):
                refresh(game, u)
            if row.needs_creep and not me.status & (codes.ON_CREEP | codes.UNFINISHED):
                me.hp -= BURNT_A_TICK
        if power_changed and row.needs_power:
            refresh(game, u)
