"""The layers of the map that a player sees: visibility and creep."""

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import common_pb2, raw_pb2

from terrarium.engine import codes
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import cropped


def fill_map_state(game: LiveGame, state: raw_pb2.MapState, sees_all: bool) -> None:
    """Creep is shown as it is now wherever the player has been."""
    games = game.sim.games
    width, height = (int(n) for n in game.sim.ground.size[:2])
    visible = np.full(width * height, codes.VISIBLE, np.uint8)
    if game.player and games.visibility.shape[2] and not sees_all:
        visible = games.visibility[0, game.player]
    _fill(state.visibility, cropped(game, visible.reshape(height, width)), 8)
    creep = np.zeros(width * height, np.bool_)
    if games.creep.shape[1] and games.epochs["n_patches"][0, 0]:
        creep = (games.creep[0] > 0) & (visible != codes.HIDDEN)
    _fill(state.creep, cropped(game, creep.reshape(height, width)), 1)


def _fill(image: common_pb2.ImageData, grid: NDArray[np.uint8] | NDArray[np.bool_], n: int) -> None:
    image.bits_per_pixel = n
    image.size.x, image.size.y = grid.shape[1], grid.shape[0]
    image.data = grid.tobytes() if n == 8 else np.packbits(grid).tobytes()
