"""RequestAction: what clients have their units do."""

from s2clientprotocol import error_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.live_game import LiveGame


def take_actions(game: LiveGame, request: api.RequestAction, response: api.ResponseAction) -> None:
    """Turn actions into commands for the next step, and say of each whether it can be done."""
    for action in request.actions:
        if action.HasField("action_chat"):
            game.say(action.action_chat)
            response.result.append(error_pb2.Success)
        elif action.ListFields():
            response.result.append(error_pb2.NotSupported)
        else:
            response.result.append(error_pb2.Success)
