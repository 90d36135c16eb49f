"""Forced movement: knocked back by a blast, pulled by a Viper."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.movement.places import on_map, standing_point
from terrarium.engine.kernels.setup.free_places import LATTICE, can_stand
from terrarium.engine.state import Game

STEP = 0.25
"""How finely ground for a landing is looked for, up to 4 away."""


@kernel
def be_dragged(game: Game, u: int) -> None:
    """One tick through the air; at the end the unit stands where there is ground."""
    me, skill = game.units[u], game.skills[u]
    me.x, me.y = on_map(game, me.x + skill.drag_x, me.y + skill.drag_y)
    skill.drag_ticks -= 1.0
    if skill.drag_ticks > 0.0:
        return
    skill.drag_ticks = 0.0
    me.x, me.y = landing_point(game, me.kind, me.x, me.y)
    me.home_x, me.home_y, me.away, me.way_tick = me.x, me.y, False, 0
    for b in range(game.buffs.shape[1]):
        row = game.buffs[u, b].row
        # What stunned it for the way has no other end than the arrival.
        if (
            row >= 0
            and game.rules.buffs[row].ticks == 0.0
            and game.rules.buffs[row].status & codes.SILENCED
        ):
            if game.rules.buffs[row].id == 0:
                game.buffs[u, b].row = -1
    refresh(game, u)


@kernel
def landing_point(game: Game, kind: int, x: float, y: float) -> tuple[float, float]:
    """The point nearest to (x, y) where this type can be. In a corner between structures the first
    one found may be too tight for its body."""
    row = game.rules.types[kind]
    x, y = standing_point(game, kind, x, y)
    for k in range(LATTICE.shape[0]):
        px, py = x + LATTICE[k, 0] * STEP, y + LATTICE[k, 1] * STEP
        if can_stand(game, row, px, py):
            return px, py
    return x, y
