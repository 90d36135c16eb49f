"""quick_save and quick_load: one place of a game that its client can come back to."""

import copy
from dataclasses import dataclass
from typing import Any

from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine.simulator import Save
from terrarium.server.live_game import LiveGame
from terrarium.server.session import IN_GAME, Refused, Session


@dataclass(frozen=True, eq=False)
class Bookmark:
    """The game, and what Python keeps beside it."""

    game: LiveGame
    save: Save
    minds: Any


def quick_save(
    session: Session, request: api.RequestQuickSave, response: api.ResponseQuickSave
) -> None:
    """Remember the game as it is."""
    game = _alone(session)
    session.bookmark = Bookmark(game, game.sim.save(), copied(game, game.minds))


def quick_load(
    session: Session, request: api.RequestQuickLoad, response: api.ResponseQuickLoad
) -> None:
    """Go on from what was remembered last; loops are counted from 0 again (sc2api.md, 14)."""
    game, mark = _alone(session), session.bookmark
    if mark is None or mark.game is not game:
        raise Refused("There is no quick save of this game")
    game.sim.load(mark.save)
    game.go_on_from(copied(game, mark.minds))
    session.status = IN_GAME


def _alone(session: Session) -> LiveGame:
    game = session.playing
    if game.pace is not None:
        raise Refused("A game between several clients has no quick save")
    return game


def copied(game: LiveGame, minds: Any) -> Any:
    """A deep copy, but for what never changes, or is saved by itself."""
    shared = (game.sim, game.sim.setup, *game.known_ground)
    return copy.deepcopy(minds, {id(thing): thing for thing in shared})
