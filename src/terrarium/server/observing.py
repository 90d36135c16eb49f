"""obs_action: what an observer, or who watches a replay, looks at."""

import math

from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.live_game import LiveGame
from terrarium.server.session import Refused, Session


def observer_action(
    session: Session, request: api.RequestObserverAction, response: api.ResponseObserverAction
) -> None:
    """Carry out actions of an observer at once: they change no game."""
    game = session.playing
    if not game.observes:
        raise Refused("Only observers have observer actions")
    for action in request.actions:
        _look(game, action)


def _look(game: LiveGame, action: api.ObserverAction) -> None:
    if action.HasField("player_perspective"):
        player = action.player_perspective.player_id
        if 0 <= player <= sum(seat.plays for seat in game.seats):
            game.player = player
    elif action.HasField("camera_move"):
        at = action.camera_move.world_pos
        if math.isfinite(at.x) and math.isfinite(at.y):
            width, height = game.size
            game.camera = min(max(at.x, 0.0), width), min(max(at.y, 0.0), height)
