"""ResponseGameInfo: the map, the players and the options in force."""

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import common_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.maps.game_map import GameMap
from terrarium.server.live_game import LiveGame


def fill_game_info(game: LiveGame, response: api.ResponseGameInfo) -> None:
    """Fill what a client is told of the game."""
    response.map_name, response.local_map_path = game.map.title, game.map.file_name
    response.options.CopyFrom(game.options)
    for player, seat in enumerate(game.seats, 1):
        info = response.player_info.add(player_id=player, type=seat.type)
        info.race_requested = seat.race_requested
        if player == game.player:
            info.race_actual = seat.race_actual
        if seat.type == api.Computer:
            info.difficulty = seat.difficulty
        if seat.name:
            info.player_name = seat.name
    ground = game.map.ground
    if isinstance(ground, GameMap):
        _fill_map(game, ground, response.start_raw)


def _fill_map(game: LiveGame, ground: GameMap, start: raw_pb2.StartRaw) -> None:
    start.map_size.x, start.map_size.y = ground.width, ground.height
    start.playable_area.p0.x, start.playable_area.p0.y = ground.playable[:2]
    start.playable_area.p1.x, start.playable_area.p1.y = ground.playable[2:]
    _fill_bits(start.pathing_grid, ground.pathing_grid)
    _fill_bits(start.placement_grid, ground.placement_grid)
    start.terrain_height.bits_per_pixel = 8
    start.terrain_height.size.x, start.terrain_height.size.y = ground.width, ground.height
    start.terrain_height.data = ground.terrain_height.tobytes()
    for player, (x, y) in enumerate(ground.starts, 1):
        if player != game.player:
            start.start_locations.add(x=x, y=y)


def _fill_bits(image: common_pb2.ImageData, grid: NDArray[np.bool_]) -> None:
    image.bits_per_pixel = 1
    image.size.x, image.size.y = grid.shape[1], grid.shape[0]
    image.data = np.packbits(grid).tobytes()
