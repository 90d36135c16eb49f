"""Traits: what can be asked of a target (data.vocabulary.TRAITS), as it is at the moment."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.owners import is_enemy, is_friend, trait_of
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
    if other.status & codes.HALLUCINATED:
        traits |= codes.IS_HALLUCINATION
    if other.status & codes.UNFINISHED:
        traits |= codes.IS_UNDER_CONSTRUCTION
    traits |= trait_of(game, owner, other.owner)
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
    owner, other = effect.owner, game.units[v].owner
    if who == codes.OWN and other != owner:
        return False
    if who == codes.FRIENDS and not is_friend(game, owner, other):
        return False
    if who == codes.ENEMIES and not is_enemy(game, owner, other):
        return False
    if (who == codes.TARGET_OWNER or who == codes.UNKNOWN_SIDE) and other == owner:
        return False
    traits = traits_now(game, effect.owner, effect.source, v) | codes.IS_VISIBLE
    if traits & codes.IS_STASIS:
        return False
    return fits(traits, row.must_be, row.must_not_be)
