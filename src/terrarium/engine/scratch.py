"""What a tick needs besides the truth: one set a thread, overwritten by each tick."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.battle import COMMAND, EFFECT, UNIT
from terrarium.engine.codes import NO_UNIT
from terrarium.engine.land import portal_capacity
from terrarium.engine.records import Records, records
from terrarium.engine.tables.terrain import Ground
from terrarium.engine.vision import SIGHT_BOX, SIGHT_ROWS, VIEW

N_PAIRS, N_HITS, N_SHOTS, N_CALLERS, N_PATIENTS, N_CONTACTS, N_SHOVED, N_MEMBERS = range(8)
# Points of both lattices that were tried for the units of one entry, and whether these count.
REMEMBERS_TRIED, N_OWN_TRIED, N_HALF_TRIED = range(8, 11)

BODY = np.dtype(
    [
        # What every pair looks at comes first, to share a line of the processor's cache.
        ("x", "f8"),  # where the unit was when the tick began, later where it wants to be
        ("y", "f8"),
        ("radius", "f8"),
        ("inner", "f8"),  # what must pass through gaps
        ("layer", "i8"),  # which ground it walks on
        ("classes", "i8"),  # collision classes; 0 = out of the way
        ("step", "f8"),  # how far it wants to go
        ("owner", "i8"),
        (
            "first",
            "i8",
        ),  # of its chain of pairs: twice the pair, + 1 if it is the second of the two
        ("ahead", "f8"),  # how far from its edge it must know of others
        ("still", "?"),  # does not want to move
        ("stuck", "?"),  # wants to move and does not get anywhere
        ("anchored", "?"),  # cannot be pushed: attacking, holding, a structure
        ("flying", "?"),
        ("solid", "?"),  # cannot move at all
        ("slips", "?"),  # passes through units of its own player
        ("shoved", "?"),  # is on the list of those that are pushed
        ("dir_x", "f8"),
        ("dir_y", "f8"),
        ("full_step", "f8"),  # how far it would go if nothing were in the way
        ("wish_x", "f8"),  # in which direction
        ("wish_y", "f8"),
        ("push_x", "f8"),
        ("push_y", "f8"),
        ("goal", "i8"),  # whom it runs to: not an obstacle
        ("detour", "i8"),
    ],
    align=True,
)

# A unit, with what most of its neighbors are ruled out by.
SPOT = np.dtype(
    [
        ("unit", "i4"),
        ("owner", "i4"),
        ("x", "f8"),
        ("y", "f8"),
        ("reach", "f8"),  # radius and step
    ],
    align=True,
)

# The columns of a row of buckets that hold units; where none does, the lowest is above the highest.
ROW = np.dtype([("low", "i4"), ("high", "i4")], align=True)

CAMP_BUCKETS = 8
"""A camp is a square of so many buckets a side, of which only is known whose units are there."""

PAIR = np.dtype(
    [
        ("units", "i4", (2,)),
        ("next", "i4", (2,)),  # in the chain of each of the two
        ("dir_x", "f8"),  # from the first to the second, when the tick began
        ("dir_y", "f8"),
        ("distance", "f8"),
    ],
    align=True,
)

# A pair that overlaps after the steps of its bodies, or may do so when others have been pushed.
CONTACT = np.dtype(
    [
        ("u", "i8"),
        ("v", "i8"),
        ("reach", "f8"),  # distance at which the two touch
        ("mine", "f8"),  # the shares of an overlap that u and v give way by
        ("theirs", "f8"),
    ],
    align=True,
)

NEAR = np.dtype(
    [
        ("unit", "i8"),
        ("dir_x", "f8"),
        ("dir_y", "f8"),
        ("distance", "f8"),
        ("reach", "f8"),  # distance at which the two touch
        ("room", "f8"),  # how far one may go in its direction
        ("oncoming", "?"),  # comes from there, and goes around as well
    ],
    align=True,
)

HIT = np.dtype(
    [
        ("target", "i8"),
        ("row", "i8"),  # of Rules.hits
        ("source", "i8"),
        ("source_tag", "i8"),
        ("owner", "i8"),
        ("damage", "f8"),
        ("pure", "f8"),  # damage that no armor takes away
        ("direct", "?"),  # on the target itself, not around it
        ("next", "i8"),
        ("applied", "?"),
    ],
    align=True,
)

SHOT = np.dtype([("unit", "i8"), ("key", "u8")], align=True)


class Scratch(NamedTuple):
    """Room to work in; holds nothing from one tick to the next."""

    bodies: Annotated[Records, BODY, "U"]
    pairs: Annotated[Records, PAIR, "P"]
    contacts: Annotated[Records, CONTACT, "P"]
    shoved: Annotated[NDArray[np.int64], "i8", "U"]  # bodies that are pushed
    near: Annotated[Records, NEAR, "64"]
    hits: Annotated[Records, HIT, "H"]
    first_hit: Annotated[NDArray[np.int64], "i8", "U"]
    shots: Annotated[Records, SHOT, "U"]
    doom: Annotated[NDArray[np.float64], "f8", "U"]  # damage that instant shots of this tick do
    healing: Annotated[NDArray[np.float64], "f8", "U"]  # life that healers offer in this tick
    arrived: Annotated[Records, EFFECT, "1"]  # an effect off the list, whose outcome comes now
    callers: Annotated[NDArray[np.int64], "i8", "U"]  # who calls for help in this tick
    dead: Annotated[NDArray[np.int64], "i8", "U"]  # who died in this round of deaths
    counts: Annotated[
        NDArray[np.int64], "i8", "8"
    ]  # how many pairs, hits, shots, callers, patients, contacts, shoved, members
    # The neighbor grid, and its members in the order of their buckets.
    rows: Annotated[Records, ROW, "rows"]
    cells: Annotated[NDArray[np.int16], "i2", "B"]  # first member of each bucket of a row
    buckets: Annotated[NDArray[np.int32], "i4", "U"]  # of the living; -1 = not on the map
    camps: Annotated[NDArray[np.int64], "i8", "camps"]  # bit o: units of owner o are there
    # Units whose bodies one may touch; later, which of its neighbors it has to go around.
    close: Annotated[NDArray[np.int64], "i8", "U"]
    spots: Annotated[Records, SPOT, "U"]  # of the members of the grid, or of the living
    patients: Annotated[NDArray[np.int64], "i8", "U"]  # who could be healed in this tick
    # Of the path search: over the cells of a window, with a rim of one cell around it.
    window: Annotated[NDArray[np.int64], "i8", "4"]  # left, bottom, width with the rim, cells
    queue: Annotated[NDArray[np.int64], "i8", "2 W"]  # cells that wait, and whether a cell does
    waiting: Annotated[NDArray[np.int64], "i8", "2"]  # where the queue begins, its length
    costs: Annotated[NDArray[np.int64], "i8", "W"]
    exits: Annotated[NDArray[np.uint8], "u1", "W"]
    portals: Annotated[NDArray[np.int64], "i8", "2 P"]  # the same queue, of portals
    # Of vision: what a unit is to show from now on, the cells of that and of what it showed before.
    wish: Annotated[Records, VIEW, "1"]
    boxes: Annotated[Records, SIGHT_BOX, "2"]
    shown: Annotated[NDArray[np.int64], "i8", "2 R"]  # cells as bits, row by row
    detectors: Annotated[NDArray[np.int64], "i8", "U"]
    radars: Annotated[NDArray[np.int64], "i8", "U"]
    n_watching: Annotated[NDArray[np.int64], "i8", "2"]  # how many detectors and radars
    blank: Annotated[Records, UNIT, "1"]  # a slot that was never used
    draft: Annotated[Records, COMMAND, "1"]  # an order that the rules give themselves


def allocate_scratch(n_slots: int, ground: Ground) -> Scratch:
    """Working room for one thread."""
    width, height, across, down = (int(n) for n in ground.size)
    n_window = (width + 2) * (height + 2)
    n_pairs = min(n_slots * (n_slots - 1) // 2 + 1, 64 * n_slots)
    n_hits = max(256, 24 * n_slots)
    return Scratch(
        bodies=records(n_slots, BODY),
        pairs=records(n_pairs, PAIR),
        contacts=records(n_pairs, CONTACT),
        shoved=np.zeros(n_slots, np.int64),
        near=records(64, NEAR),
        hits=records(n_hits, HIT),
        first_hit=np.full(n_slots, NO_UNIT, np.int64),
        shots=records(n_slots, SHOT),
        doom=np.zeros(n_slots),
        healing=np.zeros(n_slots),
        arrived=records(1, EFFECT),
        callers=np.zeros(n_slots, np.int64),
        dead=np.zeros(n_slots, np.int64),
        counts=np.zeros(11, np.int64),
        rows=records(down, ROW),
        cells=np.zeros((across + 1) * down, np.int16),
        buckets=np.zeros(n_slots, np.int32),
        camps=np.zeros((across // CAMP_BUCKETS + 1) * (down // CAMP_BUCKETS + 1), np.int64),
        close=np.zeros(n_slots, np.int64),
        spots=records(n_slots, SPOT),
        patients=np.zeros(n_slots, np.int64),
        window=np.zeros(4, np.int64),
        queue=np.zeros((2, n_window), np.int64),
        waiting=np.zeros(2, np.int64),
        costs=np.zeros(n_window, np.int64),
        exits=np.zeros(n_window, np.uint8),
        portals=np.zeros((2, portal_capacity(ground)), np.int64),
        wish=records(1, VIEW),
        boxes=records(2, SIGHT_BOX),
        shown=np.zeros((2, SIGHT_ROWS), np.int64),
        detectors=np.zeros(n_slots, np.int64),
        radars=np.zeros(n_slots, np.int64),
        n_watching=np.zeros(2, np.int64),
        blank=records(1, UNIT),
        draft=records(1, COMMAND),
    )
