"""Traits: what can be asked of a target (data.vocabulary.TRAITS), as it is at the moment."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.records import Records
from terrarium.engine.state import Game


@kernel
def traits_now(game: Game, owner: int, u: int, v: int) -> int:
    """What unit `v` is to a player, and to its unit `u`."""
    other = game.units[v]
    traits = game.rules.types[other.kind].traits
    if other.status & codes.LIFTED:
        traits = (traits & ~codes.IS_GROUND) | codes.IS_AIR
    if other.energy > 0.0:
        traits |= codes.HAS_ENERGY
    if other.seen >> owner & 1:
        traits |= codes.IS_VISIBLE
    if other.status & codes.UNTOUCHABLE:
        traits |= codes.IS_INVULNERABLE | codes.IS_STASIS
    traits |= codes.IS_PLAYER if other.owner == owner else codes.IS_ENEMY
    if u == v:
        traits |= codes.IS_SELF
    if other.owner != owner:
        traits &= ~codes.IS_WIDOW_MINE_OF_PLAYER
    return traits


@kernel
def fits(traits: int, must_be: int, must_not_be: int) -> bool:
    """Is it everything that it must be, and nothing that it must not?"""
    return traits & must_be == must_be and traits & must_not_be == 0


@kernel
def concerns(game: Game, who: int, row: Records, effect: Records, v: int) -> bool:
    """Is a unit one of those whom an effect is meant for, by the traits that a row of impacts,
    areas or hits asks for? What falls from the sky hits the unseen as well."""
    own = game.units[v].owner == effect.owner
    if who == codes.OWN or who == codes.FRIENDS:
        if not own:
            return False
    elif who != codes.EVERYBODY and own:
        return False
    traits = traits_now(game, effect.owner, effect.source, v) | codes.IS_VISIBLE
    if traits & codes.IS_STASIS:
        return False
    return fits(traits, row.must_be, row.must_not_be)
