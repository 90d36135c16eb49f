"""The layout of what the kernels of the server read and write."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.records import Records
from terrarium.engine.state import Game

UNIT_BYTES = 1024
"""of the message of one unit at most, with a full queue of orders and of products"""

# What the API says of a type, beside what the rules know. Rows are those of Rules.types.
API_TYPE = np.dtype(
    [
        ("id", "i8"),
        ("agent_id", "i8"),  # of SMAC's agents, who are of types of their own; 0 = there are none
        ("radius", "f8"),
        ("fly_height", "f8"),
        ("detects", "f8"),  # how far; 0 = it does not
        ("radar", "f8"),
        ("cargo_room", "i8"),
        ("shows_room", "?"),  # also while it is empty
        ("structure", "?"),  # it has power or not
        ("armed", "?"),
        ("family", "i8"),  # of the upgrades of its first weapon
        ("burrowed", "?"),
        ("lifetime", "f8"),  # ticks at most; 0 = no limit
        ("facing", "f8"),  # of what never turns; below 0 = it turns
        ("army", "?"),
        ("warp_gate", "?"),
        ("minerals_buff", "i8"),  # of a worker that carries minerals, rich ones, gas
        ("rich_buff", "i8"),
        ("gas_buff", "i8"),
        ("rich_above", "f8"),  # cargo that only a rich field gives
    ],
    align=True,
)

# Who looks, and how.
VIEWER = np.dtype(
    [
        ("player", "i8"),  # 0 = an observer of everything
        ("n_tags", "i8"),  # of units of earlier battles of the game: theirs are not given again
        ("sees_all", "?"),  # this time, without fog
        ("cloaked", "?"),  # undetected units are listed
        ("shadows", "?"),  # and so are burrowed ones that move
        ("placeholders", "?"),  # structures that are ordered
        ("left", "f8"),  # of what is on the screen
        ("right", "f8"),
        ("bottom", "f8"),
        ("top", "f8"),
        ("origin_x", "f8"),  # what coordinates are counted from
        ("origin_y", "f8"),
    ],
    align=True,
)

# What is counted while units are listed: of the player.
COUNTS = np.dtype(
    [
        ("n_gone", "i8"),  # of units that were listed before
        ("idle_workers", "i8"),
        ("army", "i8"),
        ("warp_gates", "i8"),
        ("larvae", "i8"),
        ("towers", "i8"),  # with a radar, of whoever
        ("food_army", "f8"),
        ("food_workers", "f8"),
    ],
    align=True,
)

# A unit that was listed, so that it is noticed when it is not there any more. Its tag counts on
# from earlier battles.
GONE = np.dtype([("tag", "i8"), ("unit", "i8"), ("owner", "i8"), ("kind", "i8")], align=True)


class ApiTables(NamedTuple):
    """The numbers of the API for the rows of one game's rules and map."""

    types: Annotated[Records, API_TYPE, "T"]
    abilities: Annotated[NDArray[np.int64], "i8", "B"]
    products: Annotated[NDArray[np.int64], "i8", "P"]
    orders: Annotated[NDArray[np.int64], "i8", "T 32"]  # by type and kind of order
    buffs: Annotated[NDArray[np.int64], "i8", "F"]
    heights: Annotated[NDArray[np.float64], "f8", "C"]  # z of the ground


class UnitListing(NamedTuple):
    """What one client was shown, and room for what it is shown next."""

    viewer: Annotated[Records, VIEWER, "1"]
    out: Annotated[NDArray[np.uint8], "u1", "N"]
    counts: Annotated[Records, COUNTS, "1"]
    gone: Annotated[Records, GONE, "U"]
    listed: Annotated[Records, GONE, "U"]  # by slot: who was there; tag 0 = nobody
    halls: Annotated[NDArray[np.int64], "i8", "U"]  # finished townhalls of the player
    hall: Annotated[NDArray[np.int64], "i8", "U"]  # of a field: the townhall beside it
    assigned: Annotated[NDArray[np.int64], "i8", "U"]
    ideal: Annotated[NDArray[np.int64], "i8", "U"]
    known: Annotated[NDArray[np.bool_], "?", "1+U"]  # 1 + slot: the pathing grid shows it


class ApiView(NamedTuple):
    """A game as one client looks at it."""

    game: Game
    api: ApiTables
    listing: UnitListing
