"""Owners: neutral or a player, and what players are to each other."""

from terrarium.engine import codes
from terrarium.engine.jit import inline, kernel
from terrarium.engine.state import Game


@inline
def is_enemy(game: Game, owner: int, other: int) -> bool:
    """Would units of one owner attack units of another by themselves?"""
    return game.players[owner].enemies >> other & 1 != 0


@inline
def is_friend(game: Game, owner: int, other: int) -> bool:
    """Do two owners belong to one player or to allies?"""
    return game.players[owner].friends >> other & 1 != 0


@kernel
def relation_of(game: Game, owner: int, other: int) -> int:
    """What an owner is to another: codes.SELF, ALLY, NEUTRAL or ENEMY."""
    if owner == other:
        return codes.SELF
    if is_friend(game, owner, other):
        return codes.ALLY
    return codes.ENEMY if is_enemy(game, owner, other) else codes.NEUTRAL


@kernel
def trait_of(game: Game, owner: int, other: int) -> int:
    """The relation of two owners as a trait that abilities ask for."""
    relation = relation_of(game, owner, other)
    if relation == codes.SELF:
        return codes.IS_PLAYER
    if relation == codes.ALLY:
        return codes.IS_ALLY
    return codes.IS_ENEMY if relation == codes.ENEMY else codes.IS_NEUTRAL
