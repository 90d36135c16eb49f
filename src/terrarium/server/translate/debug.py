"""RequestDebug: what clients change by cheats."""

import math
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from s2clientprotocol import debug_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine.cheats import CHEAT, MOST_CREATED, MOST_VALUE, SWITCHES, CheatKind
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.ids import engine_tag

RESOURCES = 5000.0
"""what a cheat gives (sc2api.md, 13)"""
GIFTS: Mapping[int, tuple[float, float]] = MappingProxyType(
    {
        debug_pb2.all_resources: (RESOURCES, RESOURCES),
        debug_pb2.minerals: (RESOURCES, 0.0),
        debug_pb2.gas: (0.0, RESOURCES),
    }
)
NEUTRAL_OWNERS = (0, 16)
MOST_KILLED = 4096

Row = tuple[int, int, int, int, int, float, float, float]


def take_debug(game: LiveGame, request: api.RequestDebug) -> None:
    """Turn debug commands into cheats of this client's player, which its next step carries out.

    Drawings are accepted and not shown: there is no picture. The score of a melee cannot be set.
    """
    rows: list[Row] = []
    for command in request.debug:
        which = command.WhichOneof("command")
        if which in _ROWS:
            rows += _ROWS[which](game, getattr(command, which))
        elif which == "end_game":
            wins = command.end_game.end_result == debug_pb2.DebugEndGame.DeclareVictory
            game.give_up(wins)
    if rows:
        game.put_cheats(np.array(rows, CHEAT))


def _game_state(game: LiveGame, state: int) -> Iterator[Row]:
    if state in GIFTS:
        yield (CheatKind.GIVE, game.player, 0, 0, 0, *GIFTS[state], 0.0)
    elif state == debug_pb2.upgrade:
        yield (CheatKind.UPGRADE, game.player, 0, 0, 0, 0.0, 0.0, 0.0)
    elif 1 << state & SWITCHES:  # the numbers of the API are those of the bits
        yield (CheatKind.SWITCH, game.player, 1 << state, 0, 0, 0.0, 0.0, 0.0)


def _create_unit(game: LiveGame, command: debug_pb2.DebugCreateUnit) -> Iterator[Row]:
    owner = 0 if command.owner in NEUTRAL_OWNERS else command.owner
    copies = {number: row for row, number in game.ids.copies.items()}
    row = copies.get(command.unit_type, game.ids.type_rows.get(command.unit_type))
    x, y = command.pos.x, command.pos.y
    if row is None or not 0 <= owner <= game.sim.n_players or not _is_number(x, y):
        return
    quantity = min(max(command.quantity, 1), MOST_CREATED)
    kind = CheatKind.CREATE_PASSIVE if command.unit_type in copies else CheatKind.CREATE
    yield (kind, game.player, row, owner, 0, x, y, quantity)


def _kill_unit(game: LiveGame, command: debug_pb2.DebugKillUnit) -> Iterator[Row]:
    for tag in command.tag[:MOST_KILLED]:
        known = engine_tag(tag) - game.n_tags
        if known > 0:
            yield (CheatKind.KILL, game.player, 0, 0, known, 0.0, 0.0, 0.0)


def _unit_value(game: LiveGame, command: debug_pb2.DebugSetUnitValue) -> Iterator[Row]:
    known, value = engine_tag(command.unit_tag) - game.n_tags, command.value
    if known > 0 and _is_number(value):
        what = command.unit_value
        yield (CheatKind.SET_VITAL, game.player, what, 0, known, 0.0, 0.0, max(0.0, value))


def _is_number(*values: float) -> bool:
    return all(math.isfinite(value) and abs(value) <= MOST_VALUE for value in values)


_ROWS: Mapping[str | None, Callable[[LiveGame, Any], Iterator[Row]]] = MappingProxyType(
    {
        "game_state": _game_state,
        "create_unit": _create_unit,
        "kill_unit": _kill_unit,
        "unit_value": _unit_value,
    }
)
