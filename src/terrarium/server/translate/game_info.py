"""ResponseGameInfo: the map, the players and the options in force.

Clients ask for it at every step, so it is kept as bytes until the pathing grid changes.
"""

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import common_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.scenario import Scenario
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import cropped, playable_area, raw_origin
from terrarium.server.translate.observation.client_view import client_view
from terrarium.server.translate.observation.tables import height_grid

MOD_NAMES = tuple(
    f"Mods/{name}.SC2Mod" for name in ("Core", "Liberty", "Swarm", "Void", "VoidMulti")
)
"""what every melee map of the game depends on"""
ALWAYS_TOLD = (
    "raw", "score", "show_cloaked", "raw_affects_selection", "raw_crop_to_playable_area",
    "show_placeholders", "show_burrowed_shadows",
)  # fmt: skip
"""interface options that are there whatever a client asks for"""

_KEPT: "WeakKeyDictionary[LiveGame, tuple[int, bytes]]" = WeakKeyDictionary()


def fill_game_info(game: LiveGame, response: api.ResponseGameInfo) -> None:
    """Fill what a client is told of the game."""
    known = client_view(game).known_ground(game)
    kept = _KEPT.get(game)
    if kept is None or kept[0] != known:
        whole = api.ResponseGameInfo()
        _fill(game, whole)
        kept = _KEPT[game] = (known, whole.SerializeToString())
    response.MergeFromString(kept[1])


def _fill(game: LiveGame, response: api.ResponseGameInfo) -> None:
    response.map_name, response.local_map_path = game.map.title, game.map.file_name
    response.mod_names.extend(MOD_NAMES)
    response.options.CopyFrom(game.options)
    for name in ALWAYS_TOLD:
        setattr(response.options, name, getattr(game.options, name))
    for player, seat in enumerate(game.seats, 1):
        info = response.player_info.add(player_id=player, type=seat.type)
        if seat.plays:
            info.race_requested = seat.race_requested
            if player == game.player or not game.player:
                info.race_actual = seat.race_actual
        if seat.type == api.Computer:
            info.difficulty = seat.difficulty
        if seat.name:
            info.player_name = seat.name
    if game.options.raw:
        _fill_map(game, response.start_raw)


def _fill_map(game: LiveGame, start: raw_pb2.StartRaw) -> None:
    x0, y0, x1, y1 = playable_area(game)
    left, bottom = (int(n) for n in raw_origin(game))
    area = start.playable_area
    area.p0.x, area.p0.y, area.p1.x, area.p1.y = x0 - left, y0 - bottom, x1 - left, y1 - bottom
    pathing, placement, heights = _grids(game)
    shown = cropped(game, _shown_pathing(game, pathing, placement))
    start.map_size.x, start.map_size.y = shown.shape[1], shown.shape[0]
    _fill_bits(start.pathing_grid, shown)
    _fill_bits(start.placement_grid, cropped(game, placement))
    heights = cropped(game, heights)
    start.terrain_height.bits_per_pixel = 8
    start.terrain_height.size.x, start.terrain_height.size.y = shown.shape[1], shown.shape[0]
    start.terrain_height.data = heights.tobytes()
    ground = game.map.ground
    if not isinstance(ground, Scenario):
        for player, (x, y) in enumerate(ground.starts, 1):
            if player != game.player:
                start.start_locations.add(x=x - left, y=y - bottom)


def _grids(game: LiveGame) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.uint8]]:
    """Where the terrain can be walked on and built on, and its heights."""
    ground = game.map.ground
    if not isinstance(ground, Scenario):
        return ground.pathing_grid, ground.placement_grid, ground.terrain_height
    terrain = ground.terrain
    flat = terrain.walkable & (terrain.ramp == 0)
    buildable = flat if terrain.buildable is None else terrain.buildable
    return terrain.walkable, buildable, height_grid(terrain.z)


def _shown_pathing(
    game: LiveGame, pathing: NDArray[np.bool_], placement: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The pathing grid as a player knows it: what it has not seen yet blocks only where the terrain
    allows no building, as in every recorded game."""
    blocked = game.sim.games.blocked[0]
    if not len(blocked):
        return pathing
    known = client_view(game).listing.known
    blocked = blocked.reshape(pathing.shape)
    shown: NDArray[np.bool_] = pathing & ~known[blocked] & (placement | (blocked == 0))
    return shown


def _fill_bits(image: common_pb2.ImageData, grid: NDArray[np.bool_]) -> None:
    image.bits_per_pixel = 1
    image.size.x, image.size.y = grid.shape[1], grid.shape[0]
    image.data = np.packbits(grid).tobytes()
