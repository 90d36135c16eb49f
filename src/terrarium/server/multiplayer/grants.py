"""Grants: how far a client lets the game run, and what its player puts in before, as bytes."""

import struct
import zlib
from dataclasses import dataclass

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.cheats import CHEAT, is_sound
from terrarium.engine.kernels.orders.orders import FURTHEST
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import Simulator
from terrarium.server.inputs import Inputs
from terrarium.server.live_game import MAX_CHATS, MAX_CHEATS, MAX_COMMANDS
from terrarium.server.multiplayer.frames import PeerError

_HEAD = struct.Struct("<BqqqQBBIII")
_WIRE_COMMAND = np.dtype(
    [(name, "u1" if COMMAND[name] == np.dtype("?") else COMMAND[name].newbyteorder("<"))
     for name in COMMAND.names or ()]
)  # fmt: skip
_WIRE_CHEAT = np.dtype([(name, CHEAT[name].newbyteorder("<")) for name in CHEAT.names or ()])
FURTHEST_LOOP = 2**40
MAX_CHAT_BYTES = 64 * 1024
N_ORDERS = 64
NO_CHECK = -1


@dataclass
class Grant:
    """One client says: up to there the game may run; this happens before."""

    client: int
    """by the places of clients in the game, the host's first"""
    since: int
    """the loop that its grant before this one went to"""
    until: int
    inputs: Inputs
    check_loop: int = NO_CHECK
    """a loop at which the client's server has compared its game"""
    check: int = 0


def pack_grant(grant: Grant) -> bytes:
    """As bytes."""
    inputs = grant.inputs
    commands, cheats = inputs.all_commands(), inputs.all_cheats()
    chat = b"".join(
        struct.pack("<BI", said.channel, len(text := said.message.encode())) + text
        for said in inputs.chat
    )
    head = _HEAD.pack(
        grant.client, grant.since, grant.until, grant.check_loop, grant.check,
        inputs.gives_up, inputs.wins, len(commands), len(cheats), len(chat),
    )  # fmt: skip
    return head + _bytes_of(commands, _WIRE_COMMAND) + _bytes_of(cheats, _WIRE_CHEAT) + chat


def _bytes_of(table: Records, wire: np.dtype[np.void]) -> bytes:
    rows = np.zeros(len(table), wire)
    for name in wire.names or ():
        rows[name] = table[name]
    return rows.tobytes()


def unpack_grant(payload: bytes, sim: Simulator, player: int) -> Grant:
    """Read what `pack_grant` wrote, for the player of the client that sent it; nothing in it may
    be what no server sends."""
    if len(payload) < _HEAD.size:
        raise PeerError("a grant ends too early")
    client, since, until, check_loop, check, gives_up, wins, n_commands, n_cheats, n_chat = (
        _HEAD.unpack_from(payload)
    )
    sizes = n_commands * _WIRE_COMMAND.itemsize, n_cheats * _WIRE_CHEAT.itemsize, n_chat
    if n_commands > MAX_COMMANDS or n_cheats > MAX_CHEATS or n_chat > MAX_CHAT_BYTES:
        raise PeerError("a grant holds more than a client may put in")
    if len(payload) != _HEAD.size + sum(sizes):
        raise PeerError("a grant does not have the size that it states")
    if not 0 <= since < until <= FURTHEST_LOOP or gives_up > 1 or wins > 1:
        raise PeerError("a grant says what no server says")
    at = _HEAD.size
    commands = _read_commands(payload[at : at + sizes[0]], sim, player)
    at += sizes[0]
    cheats = _read_cheats(payload[at : at + sizes[1]], sim, player)
    at += sizes[1]
    inputs = Inputs(
        commands=[commands],
        cheats=[cheats],
        chat=_read_chat(payload[at:]),
        gives_up=bool(gives_up),
        wins=bool(wins),
    )
    return Grant(client, since, until, inputs, check_loop, check)


def _read_commands(content: bytes, sim: Simulator, player: int) -> Records:
    rows = np.frombuffer(content, _WIRE_COMMAND)
    if len(rows):
        for name, low, high in (
            ("unit", 0, sim.n_slots - 1),
            ("tag", 0, 2**62),
            ("kind", 0, N_ORDERS - 1),
            ("target", codes.NO_UNIT, sim.n_slots - 1),
            ("ability", codes.NO_ABILITY, 2**15 - 1),
            ("queued", 0, 1),
        ):
            if not (low <= rows[name].min() and rows[name].max() <= high):
                raise PeerError(f"{name} of a command is outside {low} to {high}")
        for axis in "xy":
            # Written so that NaN, which compares false with everything, is refused as well.
            if not (np.abs(rows[axis]) < FURTHEST).all():
                raise PeerError("a command leads to a point that is no place")
    commands = records(len(rows), COMMAND)
    for name in COMMAND.names or ():
        commands[name] = rows[name]
    commands["owner"], commands["result"] = player, 0
    return commands


def _read_cheats(content: bytes, sim: Simulator, player: int) -> Records:
    rows = np.frombuffer(content, _WIRE_CHEAT)
    cheats = np.zeros(len(rows), CHEAT)
    for name in CHEAT.names or ():
        cheats[name] = rows[name]
    cheats["player"] = player
    if not is_sound(cheats, sim):
        raise PeerError("a cheat cannot be carried out in this game")
    return cheats


def _read_chat(content: bytes) -> list[api.ActionChat]:
    said: list[api.ActionChat] = []
    at = 0
    while at < len(content):
        if len(said) >= MAX_CHATS or at + 5 > len(content):
            raise PeerError("a grant holds no messages of players")
        channel, length = struct.unpack_from("<BI", content, at)
        at += 5
        if channel not in api.ActionChat.Channel.values() or at + length > len(content):
            raise PeerError("a grant holds no messages of players")
        try:
            message = content[at : at + length].decode()
        except UnicodeDecodeError as error:
            raise PeerError("a message of a player is no text") from error
        said.append(api.ActionChat(channel=channel, message=message))
        at += length
    return said


def check_value(sim: Simulator) -> int:
    """A number that two servers of one game agree about, if they compute the same."""
    clock = sim.games.clock[0, 0]
    units = sim.units[0][: int(clock["n_slots"])]
    value = 0
    for table, names in (
        (units, ("tag", "kind", "owner", "x", "y", "hp", "shield", "energy")),
        (sim.players[0], ("minerals", "vespene", "techs", "cheats")),
        (clock, ("tick", "next_tag", "n_effects")),
    ):
        for name in names:
            value = zlib.crc32(np.ascontiguousarray(table[name]).tobytes(), value)
    return value
