"""Records of what players see in whole games: views, and the counts behind visibility."""

import numpy as np

# What a unit shows its player; its slot has the same number as the unit's. Rows behind those of the
# units are glimpses: scans, and what the dead still show.
VIEW = np.dtype(
    [
        ("owner", "i8"),  # neutral = it shows nothing
        ("x", "i8"),  # its middle, in half cells: within a cell the middle of the cell
        ("y", "i8"),
        ("reach", "f8"),
        ("over", "?"),  # over cliffs and what blocks the sight
        ("until", "i8"),  # of a glimpse: the tick in which it ends
        ("shown_to", "i8"),  # bit o: the unit has hit units of owner o from the fog
        ("shown_until", "i8"),
    ],
    align=True,
)

VISION = np.dtype([("n_glimpses", "i8")], align=True)

# The cells that a view shows, as bits: their lowest corner, and how many rows there are.
SIGHT_BOX = np.dtype([("left", "i8"), ("bottom", "i8"), ("n_rows", "i8")], align=True)

SIGHT_ROWS = 64
"""a row of bits for each line of cells"""
