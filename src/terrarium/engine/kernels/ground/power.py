"""Power: the fields of pylons and phasing warp prisms, which Protoss structures need."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.state import Game

NO_POWER, SLOW_FIELD, FAST_FIELD = range(3)
"""What units can be warped in by."""


@kernel
def is_powered(game: Game, owner: int, x: float, y: float) -> bool:
    """Does a player have power at a point, as at the middle of a structure?"""
    for k in range(game.epochs[0].n_power):
        if game.power[k].owner == owner and reaches(game, k, x, y):
            return True
    return False


@kernel
def reaches(game: Game, k: int, x: float, y: float) -> bool:
    source = game.power[k]
    dx, dy = source.x - x, source.y - y
    return dx * dx + dy * dy <= source.radius * source.radius + NEARLY


@kernel
def field_at(game: Game, owner: int, x: float, y: float) -> int:
    """The best power field of a player at a point."""
    best = NO_POWER
    for k in range(game.epochs[0].n_power):
        if game.power[k].owner == owner and reaches(game, k, x, y):
            best = max(best, FAST_FIELD if is_fast(game, k) else SLOW_FIELD)
    return best


@kernel
def is_fast(game: Game, k: int) -> bool:
    """Is it the field of a Warp Prism, or of a pylon near a nexus or gateway?"""
    source = game.power[k]
    if game.rules.types[game.units[source.unit].kind].flying:
        return True
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if me.alive and me.owner == source.owner and not me.status & codes.UNFINISHED:
            if game.rules.types[me.kind].quickens_warp_in and reaches(game, k, me.x, me.y):
                return True
    return False


@kernel
def list_power(game: Game) -> bool:
    """List what gives power now; has anything changed?"""
    n, epochs = 0, game.epochs[0]
    changed = False
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        radius = game.rules.types[me.kind].power
        if radius == 0.0 or not me.alive or me.status & codes.UNFINISHED:
            continue
        source = game.power[n]
        same = n < epochs.n_power and source.tag == me.tag and source.owner == me.owner
        same = same and source.unit == u and source.radius == radius
        if not same or source.x != me.x or source.y != me.y:
            changed = True
            source.unit, source.tag, source.owner = u, me.tag, me.owner
            source.x, source.y, source.radius = me.x, me.y, radius
        n += 1
    if n != epochs.n_power or changed:
        epochs.n_power = n
        epochs.power += 1
        return True
    return False
