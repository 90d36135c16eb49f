"""Records of what players see in whole games: views, what is remembered of the fog, and the cells
that a view shows."""

import numpy as np

# What a unit shows its player, and who sees it; its slot has the same number as the unit's. Rows
# behind those of the units are glimpses: scans, and what the dead still show.
VIEW = np.dtype(
    [
        ("owner", "i8"),  # neutral = it shows nothing
        ("x", "i8"),  # its middle, in half cells: within a cell the middle of the cell
        ("y", "i8"),
        ("reach", "f8"),
        ("over", "?"),  # over cliffs and what blocks the sight
        ("holder", "i8"),  # of a tower: the player who has taken it over; neutral = nobody
        ("until", "i8"),  # of a glimpse: the tick in which it ends
        ("sighted", "i8"),  # bit o: owner o sees the unit; other than UNIT.seen, also untouchable
        ("remembered", "i8"),  # bit o: owner o has a snapshot of it
        ("blips", "i8"),  # bit o: a Sensor Tower of owner o shows that something is there
        ("shown_to", "i8"),  # bit o: the unit has hit units of owner o from the fog
        ("shown_until", "i8"),
    ],
    align=True,
)

VISION = np.dtype([("n_glimpses", "i8")], align=True)

# A structure, a resource or another object that a player has seen and does not see now, as it was.
SNAPSHOT = np.dtype(
    [
        ("number", "i8"),  # of a player's snapshots, from 1 on: none is used twice
        ("tag", "i8"),  # of what was seen
        ("unit", "i8"),  # its slot then
        ("kind", "i8"),
        ("owner", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("face_x", "f8"),
        ("face_y", "f8"),
        ("hp", "f8"),
        ("shield", "f8"),
        ("progress", "f8"),
        ("tick", "i8"),  # when it went out of sight
    ],
    align=True,
)

MEMORY = np.dtype([("n_snapshots", "i8"), ("last_number", "i8")], align=True)

# The cells that a view shows, as bits: their lowest corner, and how many rows there are.
SIGHT_BOX = np.dtype([("left", "i8"), ("bottom", "i8"), ("n_rows", "i8")], align=True)

SIGHT_ROWS = 64
"""a row of bits for each line of cells"""
