"""available_maps, save_map and map_command."""

from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.maps.library import map_names
from terrarium.server.maps.catalog import map_files
from terrarium.server.maps.lookup import find_served_map
from terrarium.server.maps.stubs import BadMapFile
from terrarium.server.session import Refused, Session
from terrarium.server.texts import text_of

MOST_SAVED = 256
MOST_SAVED_BYTES = 64 * 2**20
"""of all maps that clients store together"""


def available_maps(
    session: Session, request: api.RequestAvailableMaps, response: api.ResponseAvailableMaps
) -> None:
    """The maps that can be asked for by their names."""
    response.local_map_paths.extend(map_files())
    response.local_map_paths.extend(sorted(session.saved_maps))
    response.battlenet_map_names.extend(map_names())


def save_map(session: Session, request: api.RequestSaveMap, response: api.ResponseSaveMap) -> None:
    """Keep a map file for games that name its path (PySC2 does so before a game of two clients)."""
    path = text_of(request.map_path)
    if not path or not request.map_data:
        response.error = api.ResponseSaveMap.InvalidMapData
        return
    try:
        known = find_served_map(path, request.map_data) is not None
    except (BadMapFile, OSError):  # or no file can have such a path
        known = False
    if not known:
        response.error = api.ResponseSaveMap.InvalidMapData
        return
    others = {p: data for p, data in session.saved_maps.items() if p != path}
    size = sum(map(len, others.values())) + len(request.map_data)
    if len(others) >= MOST_SAVED or size > MOST_SAVED_BYTES:
        raise Refused("There is no room for another map")
    session.saved_maps[path] = request.map_data


def map_command(
    session: Session, request: api.RequestMapCommand, response: api.ResponseMapCommand
) -> None:
    """Commands run triggers of maps, and the maps here have none that could be asked for."""
    response.error = api.ResponseMapCommand.NoTriggerError
    response.error_details = f'no trigger is called "{text_of(request.trigger_cmd)[:100]}"'
