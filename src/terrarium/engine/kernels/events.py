"""Events: what happened in a game, in order, for those who watch it."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import Game


@kernel
def new_event(game: Game, kind: int, u: int) -> int:
    """Write an event about a unit over the oldest one; its row, for what else there is to say."""
    clock = game.clock[0]
    k = clock.n_events % game.events.shape[0]
    clock.n_events += 1
    event = game.events[k]
    event.tick, event.kind, event.unit = clock.tick, kind, u
    if u >= 0:
        me = game.units[u]
        event.tag, event.owner, event.type = me.tag, me.owner, me.kind
        event.x, event.y = me.x, me.y
    else:
        event.tag, event.owner, event.type, event.x, event.y = 0, 0, 0, 0.0, 0.0
    event.other, event.other_tag, event.other_owner = codes.NO_UNIT, 0, codes.NEUTRAL_OWNER
    event.ability, event.result, event.amount = codes.NO_ABILITY, 0, 0.0
    return k


@kernel
def note_hurt(game: Game, v: int, source: int, tag: int, owner: int, amount: float) -> None:
    """A hit took life or shields; a victim that dies of it was killed by its source."""
    victim = game.units[v]
    victim.hitter, victim.hitter_tag, victim.hitter_owner = source, tag, owner
    if amount > 0.0:
        event = game.events[new_event(game, codes.HURT, v)]
        event.other, event.other_tag, event.other_owner = source, tag, owner
        event.amount = amount


@kernel
def note_death(game: Game, u: int) -> None:
    """A unit died, by the hit that came last if any did in this tick or the one before."""
    me = game.units[u]
    event = game.events[new_event(game, codes.DIED, u)]
    if me.hurt_tick >= game.clock[0].tick - 1:
        event.other, event.other_tag = me.hitter, me.hitter_tag
        event.other_owner = me.hitter_owner


@kernel
def note_order(game: Game, kind: int, u: int, ability: int, result: int) -> None:
    """An order was refused when it was given, or failed after it had been accepted."""
    event = game.events[new_event(game, kind, u)]
    event.ability, event.result = ability, result


@kernel
def note_cast(game: Game, u: int, ability: int, v: int) -> None:
    """A unit used an ability, on another unit unless `v` is -1."""
    event = game.events[new_event(game, codes.CAST_DONE, u)]
    event.ability = ability
    if v >= 0:
        event.other, event.other_tag = v, game.units[v].tag
        event.other_owner = game.units[v].owner
