"""RequestAction: what clients have their units do."""

import math

from s2clientprotocol import error_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import raw_origin
from terrarium.server.translate.fixed_point import cut
from terrarium.server.translate.tagged_units import TaggedUnits
from terrarium.server.translate.unit_commands import CommandReader


def take_actions(game: LiveGame, request: api.RequestAction, response: api.ResponseAction) -> None:
    """Turn actions into commands for the next step, and say of each whether it can be done."""
    if game.player == 0:  # who only watches has nothing to command
        response.result.extend(error_pb2.NotSupported for _ in request.actions)
        return
    origin = raw_origin(game)
    units = TaggedUnits(game.sim, game.player, game.n_tags)
    reader = CommandReader(game.sim, game.command_table, units, game.told)
    results: list[int | None] = []
    """None = what the reader decides"""
    for action in request.actions:
        raw = action.action_raw
        what = raw.WhichOneof("action") if action.HasField("action_raw") else None
        if what == "unit_command":
            reader.read(raw.unit_command, origin)
            results.append(None)
        elif what == "toggle_autocast":
            reader.read_autocast(raw.toggle_autocast)
            results.append(None)
        elif what == "camera_move":
            results.append(_move_camera(game, action, origin))
        elif is_about_pictures(action):
            results.append(codes.NOT_SUPPORTED)
        else:  # chat, or nothing at all, which is how some clients wait
            results.append(codes.SUCCESS)
    decided, given = reader.decide()
    if len(given.commands):
        game.give_actions(given)
    for action in request.actions:
        if action.HasField("action_chat"):
            game.say(action.action_chat)
    answers = iter(decided)
    for result in results:
        response.result.append(next(answers) if result is None else result)


def is_about_pictures(action: api.Action) -> bool:
    """Is it an action on feature layers, on rendered pictures or on the user interface?"""
    return (
        action.HasField("action_feature_layer")
        or action.HasField("action_render")
        or action.HasField("action_ui")
    )


def _move_camera(game: LiveGame, action: api.Action, origin: tuple[float, float]) -> int:
    """Look at another part of the map, which holds the middle of the picture."""
    point = action.action_raw.camera_move.center_world_space
    x, y = point.x + origin[0], point.y + origin[1]
    if not (math.isfinite(x) and math.isfinite(y)):
        return codes.ERROR
    height, width = game.sim.ground.size[1], game.sim.ground.size[0]
    x, y = min(max(x, 0.0), float(width)), min(max(y, 0.0), float(height))
    echo = api.Action()
    center = echo.action_raw.camera_move.center_world_space
    center.x, center.y = cut(x - origin[0]), cut(y - origin[1])
    game.move_camera(x, y, echo)
    return codes.SUCCESS
