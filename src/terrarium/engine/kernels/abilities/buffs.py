"""Buffs: changes that a unit carries for a time. The same one again only begins anew."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.state import Game

BRIEF_TICKS = 1.5
"""How long the buff of an area stays on a unit that the area no longer touches."""
ENDLESS = 1e30


@kernel
def find_buff(game: Game, u: int, row: int) -> int:
    """The place in which a unit carries a buff; -1 if it does not."""
    for b in range(game.buffs.shape[1]):
        if game.buffs[u, b].row == row:
            return b
    return -1


@kernel
def add_buff(game: Game, v: int, row: int, source: int, owner: int, ticks: float) -> None:
    """Put a buff on a unit, or let it begin anew; `ticks` 0 = as long as the buff says."""
    kind = game.rules.buffs[row]
    if game.rules.types[game.units[v].kind].traits & kind.never:
        return
    b = find_buff(game, v, row)
    fresh = b < 0
    if fresh:
        b = place_for_buff(game, v)
    buff = game.buffs[v, b]
    buff.row, buff.owner = row, owner
    buff.ticks = ticks if ticks > 0.0 else kind.ticks if kind.ticks > 0.0 else ENDLESS
    buff.source, buff.source_tag = source, game.units[source].tag
    if fresh or ticks == 0.0:
        buff.timer, buff.hits_left, buff.absorbs = kind.period, kind.times, kind.absorbs
    if fresh:
        refresh(game, v)


@kernel
def place_for_buff(game: Game, v: int) -> int:
    """An empty place, or that of the buff that would be over first."""
    best = 0
    for b in range(game.buffs.shape[1]):
        if game.buffs[v, b].row < 0:
            return b
        if game.buffs[v, b].ticks < game.buffs[v, best].ticks:
            best = b
    return best


@kernel
def end_buff(game: Game, u: int, row: int) -> None:
    """Take a buff away, if the unit carries it."""
    b = find_buff(game, u, row) if row >= 0 else -1
    if b >= 0:
        game.buffs[u, b].row = codes.NO_ABILITY
        refresh(game, u)


@kernel
def clear_buffs(game: Game, u: int) -> None:
    for b in range(game.buffs.shape[1]):
        game.buffs[u, b].row = -1
