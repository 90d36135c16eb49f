"""Recorded commands as actions of their player."""

from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.ids import (
    CANCEL_LAST,
    RALLY,
    RALLY_WORKERS,
    SMART,
    Ids,
    api_tag,
)

CUT = 4096.0
"""Points are shown to this part of a cell, as the game keeps them."""
_WITHOUT_PRODUCT = {
    codes.SMART: SMART,
    codes.RALLY: RALLY,
    codes.RALLY_WORKERS: RALLY_WORKERS,
    codes.CANCEL_LAST: CANCEL_LAST,
}


def echo_of(game: LiveGame, command: Records) -> api.Action:
    """A recorded command as an action of its player."""
    action = api.Action(game_loop=game.loop)
    told, tags = action.action_raw.unit_command, game.sim.units["tag"][0]
    told.ability_id = _ability_of(game.sim, game.ids, command)
    told.unit_tags.append(api_tag(game.n_tags + int(tags[int(command["unit"])])))
    told.queue_command = bool(command["queued"])
    target = int(command["target"])
    if target >= 0:
        told.target_unit_tag = api_tag(game.n_tags + int(tags[target]))
    elif command["x"] or command["y"]:
        told.target_world_space_pos.x = int(command["x"] * CUT) / CUT
        told.target_world_space_pos.y = int(command["y"] * CUT) / CUT
    return action


def _ability_of(sim: Simulator, ids: Ids, command: Records) -> int:
    kind, row = int(command["kind"]), int(command["ability"])
    if kind in _WITHOUT_PRODUCT:
        return _WITHOUT_PRODUCT[kind]
    if kind == codes.PRODUCE and 0 <= row < len(ids.products):
        return int(ids.products[row])
    if kind == codes.BUILD and not 0 <= row < len(ids.products):
        return 0
    if kind == codes.CAST and not 0 <= row < len(ids.abilities):
        return 0
    return ids.order_ability(int(sim.units["kind"][0, int(command["unit"])]), kind, row)
