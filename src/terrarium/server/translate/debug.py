"""RequestDebug: what clients change by cheats."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from s2clientprotocol import debug_pb2

from terrarium.server.translate.ids import engine_tag

if TYPE_CHECKING:
    from terrarium.server.live_game import LiveGame


def debug(game: "LiveGame", player: int, commands: Sequence[debug_pb2.DebugCommand]) -> None:
    """Carry out the debug commands of one player, at the beginning of a step.

    Both servers of a game between two clients do so at the same loop: what comes of it may depend
    on the game's state and on the commands alone.
    """
    for command in commands:
        if command.HasField("kill_unit"):
            _kill(game, [engine_tag(tag) for tag in command.kill_unit.tag])


def _kill(game: "LiveGame", tags: list[int]) -> None:
    units = game.sim.units[0]
    for slot in np.flatnonzero(units["alive"] & np.isin(units["tag"], tags)).tolist():
        game.sim.remove(0, slot)
