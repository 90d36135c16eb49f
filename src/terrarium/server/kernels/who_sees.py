"""Which units a client is shown, and as what."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import is_hidden
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.owners import relation_of
from terrarium.engine.kernels.vision.visibility import is_body_visible
from terrarium.engine.state import Game, keeps_sight
from terrarium.server.kernels.layouts import ApiView

# The numbers of the API: DisplayType, with one of our own, and CloakState.
UNLISTED, VISIBLE, SNAPSHOT, HIDDEN, PLACEHOLDER, BLIP = range(6)
CLOAK_UNKNOWN, CLOAKED, CLOAK_DETECTED, NOT_CLOAKED, CLOAKED_ALLIED = range(5)
CREEPING = 1e-6
"""Cells a tick: what is slower stands."""


@kernel
def alliance(view: ApiView, owner: int) -> int:
    """What an owner is to who looks; to an observer of everything all players are allies."""
    player = view.listing.viewer[0].player
    if owner == codes.NEUTRAL_OWNER:
        return codes.NEUTRAL
    return codes.ALLY if player == 0 else relation_of(view.game, player, owner)


@kernel
def is_own_side(view: ApiView, owner: int) -> bool:
    relation = alliance(view, owner)
    return relation == codes.SELF or relation == codes.ALLY


@kernel
def display_of(view: ApiView, u: int) -> int:
    """As what a unit is listed."""
    game, viewer, me = view.game, view.listing.viewer[0], view.game.units[u]
    if not me.alive:
        return UNLISTED
    if viewer.player == 0 or is_own_side(view, int(me.owner)) or is_seen(game, u, viewer.player):
        return VISIBLE
    if viewer.sees_all:
        return HIDDEN
    if me.owner == codes.NEUTRAL_OWNER:
        return UNLISTED  # a snapshot stands for it
    if is_hidden(me) and is_place_in_sight(game, u, viewer.player):
        if view.api.types[me.kind].burrowed:
            moves = length(me.speed_x, me.speed_y) > CREEPING
            return HIDDEN if viewer.shadows and moves else UNLISTED
        return HIDDEN if viewer.cloaked else UNLISTED
    if keeps_sight(game) and game.views[u].blips >> viewer.player & 1:
        return BLIP
    return UNLISTED


@kernel
def is_seen(game: Game, u: int, player: int) -> bool:
    """Does a player see a unit, also one that cannot be targeted?"""
    if keeps_sight(game):
        return game.views[u].sighted >> player & 1 != 0
    me = game.units[u]
    if me.seen >> player & 1:
        return True
    untouchable = me.status & codes.UNTOUCHABLE != 0
    return untouchable and not game.clock[0].fog and not is_hidden(me)


@kernel
def is_place_in_sight(game: Game, u: int, player: int) -> bool:
    """Would a player see a unit if it was not hidden?"""
    me = game.units[u]
    if not game.clock[0].fog:
        return True
    return keeps_sight(game) and is_body_visible(game, player, int(me.kind), me.x, me.y)


@kernel
def cloak_of(view: ApiView, u: int, display: int) -> int:
    """The state of a unit's cloak, as far as who looks knows it."""
    me = view.game.units[u]
    if display == VISIBLE:
        if not me.status & codes.CLOAKED or view.api.types[me.kind].burrowed:
            return NOT_CLOAKED  # to burrow is no cloak, as measured in the game
        return CLOAKED_ALLIED if is_own_side(view, int(me.owner)) else CLOAK_DETECTED
    return CLOAKED if display == HIDDEN and is_hidden(me) else CLOAK_UNKNOWN


@kernel
def is_on_screen(view: ApiView, x: float, y: float) -> bool:
    viewer = view.listing.viewer[0]
    return viewer.left <= x <= viewer.right and viewer.bottom <= y <= viewer.top
