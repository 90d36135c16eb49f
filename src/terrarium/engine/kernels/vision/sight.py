"""Vision: whom each player sees, through fog, cliffs and cloak (game_rules.md, 6)."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import ALL_PLAYERS, is_hidden
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.kernels.vision.visibility import is_cell_visible
from terrarium.engine.state import Game, keeps_sight

LOOK_TICKS = 2
"""Sight is worked out anew every so many ticks."""


@kernel
def look(game: Game) -> None:
    """Work out for every unit which players see it."""
    if game.clock[0].tick % LOOK_TICKS != 0:
        return
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        other = game.units[v]
        if not other.alive:
            continue
        if other.status & codes.UNTOUCHABLE:
            other.seen = 0
            continue
        hidden = is_hidden(other)
        if not game.clock[0].fog and not hidden:
            other.seen = ALL_PLAYERS
            continue
        seen = 1 << other.owner | 1 << game.skills[v].true_owner
        for owner in range(1, game.players.shape[0]):
            if not seen >> owner & 1 and is_seen(game, v, owner, hidden):
                seen |= 1 << owner
        other.seen = seen


@kernel
def is_seen(game: Game, v: int, owner: int, hidden: bool) -> bool:
    """Does a player see a unit of another one? What is hidden must also be detected."""
    other = game.units[v]
    detected = not hidden or in_scan(game, owner, other.x, other.y)
    sighted = not game.clock[0].fog or (hidden and detected)
    if not sighted and in_scan(game, owner, other.x, other.y):
        return True
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive or not is_friend(game, owner, me.owner):
            continue
        if not detected and me.status & (codes.DETECTS | codes.BLINDED) == codes.DETECTS:
            detected = within(game, u, v, game.rules.types[me.kind].detects)
        if not sighted and within(game, u, v, game.rules.types[me.kind].sight):
            sighted = sees_up(game, u, v)
        if sighted and detected:
            return True
    return False


@kernel
def within(game: Game, u: int, v: int, reach: float) -> bool:
    """From center to center."""
    dx, dy = game.units[u].x - game.units[v].x, game.units[u].y - game.units[v].y
    return dx * dx + dy * dy <= reach * reach + NEARLY


@kernel
def sees_up(game: Game, u: int, v: int) -> bool:
    """Ground units see their own and lower levels only; air units are seen by everybody."""
    me, other = game.units[u], game.units[v]
    if game.rules.types[me.kind].sees_up or game.rules.types[other.kind].flying:
        return True
    own, its = cell_of(game, me.x, me.y), cell_of(game, other.x, other.y)
    return game.ground.level[own] >= game.ground.level[its]


@kernel
def in_scan(game: Game, owner: int, x: float, y: float) -> bool:
    """Is a point in an area of a player that reveals what is in it, like a Scanner Sweep?"""
    for k in range(game.clock[0].n_effects):
        effect = game.effects[k]
        if (
            effect.stage != codes.LYING
            or not is_friend(game, owner, effect.owner)
            or effect.area < 0
        ):
            continue
        area = game.rules.areas[effect.area]
        if area.reveals:
            dx, dy = effect.x - x, effect.y - y
            if dx * dx + dy * dy <= area.radius * area.radius + NEARLY:
                return True
    return False


@kernel
def is_point_seen(game: Game, owner: int, x: float, y: float) -> bool:
    """Does a player see the ground at a point?"""
    if keeps_sight(game):
        return is_cell_visible(game, owner, cell_of(game, x, y))
    if not game.clock[0].fog or in_scan(game, owner, x, y):
        return True
    level = game.ground.level[cell_of(game, x, y)]
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive or not is_friend(game, owner, me.owner):
            continue
        row = game.rules.types[me.kind]
        dx, dy = me.x - x, me.y - y
        if dx * dx + dy * dy > row.sight * row.sight + NEARLY:
            continue
        if row.sees_up or game.ground.level[cell_of(game, me.x, me.y)] >= level:
            return True
    return False
