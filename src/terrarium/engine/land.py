"""Ground that changes: layers of each game, what footprints leave of the terrain, paths over it.

`Games` holds the truth: which structures stand on the grid, creep, power, visibility. `Land`
follows from terrain and footprints; `Paths` is a cache of flow fields. Neither is saved: they are
derived again when a game is loaded.
"""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.codes import NO_UNIT
from terrarium.engine.records import Records, records
from terrarium.engine.tables.terrain import NEAR_CELLS, SECTOR_CELLS, Ground, is_one_sector

LAYERS = frozenset({"footprints", "creep", "power", "visibility"})
"""What a game may keep for each cell; a battle keeps none of it."""
N_WALKERS = 3
"""layers of the ground: small and large walkers, cliff-walkers"""
N_SIDES = 4
BORDER_SPOTS = 2 * SECTOR_CELLS
"""A portal is at a multiple of half a cell along the border of two sectors."""
MAX_PORTALS = 2 * SECTOR_CELLS
"""of a sector on its right and upper border: every portal has a border cell of its own"""
MAX_FIELDS = 512
LOOK_AHEAD_CELLS = 32
"""How much of its way a unit looks over for the corner to walk to."""
N_GUIDES = 2048
"""a power of 2; units of an army ask from the same cells one after the other"""
N_TRAILS, FEW_TRAILS = 2048, 64
"""powers of 2; a map of one sector has few"""
UNREACHED = 0xFFFF
"""in 16 bits; ways within a field are shorter (`terrain.COARSE_STEPS`)"""

# A structure on the grid; its slot has the same number as the unit's.
SITE = np.dtype(
    [
        ("placed", "?"),
        ("footprint", "i8"),  # row of Rules.footprints
        ("left", "i8"),  # its lowest cell
        ("bottom", "i8"),
    ],
    align=True,
)

# How often each layer of a game has changed, and what the repair of the ground keeps in mind.
EPOCHS = np.dtype(
    [
        ("ground", "i8"),
        ("creep", "i8"),
        ("power", "i8"),
        ("visibility", "i8"),
        ("n_placed", "i8"),
        ("n_patches", "i8"),  # of creep
        ("n_power", "i8"),  # sources of it
        ("next_island", "i8", (N_WALKERS,)),  # a number that no island has
    ],
    align=True,
)

# Where walkers go from one sector to the next: the middle of a run of open border cells.
PORTAL = np.dtype(
    [
        ("border", "i4"),  # twice the sector on the low side, + 1 if the other one is above it
        ("spot", "i4"),  # half cells along the border
        ("cell", "i4"),  # on the low side, at the portal
        ("beside", "i4"),  # to the second cell at the portal; 0 = it is in the middle of the first
        ("across", "i4"),  # to the cell on the high side
    ],
    align=True,
)

# A cached flow field towards a portal, over one of its two sectors.
LEG = np.dtype(
    [
        ("owner", "i8"),  # place in Paths.leg_at
        ("epoch", "i8"),  # of the ground when it was computed
        ("link_epoch", "i8"),  # the same of its links
        ("used", "i8"),
    ],
    align=True,
)

# A cached flow field towards a cell.
FIELD = np.dtype(
    [
        ("goal", "i8"),
        ("layer", "i8"),
        ("left", "i8"),  # the cells that it covers
        ("bottom", "i8"),
        ("width", "i8"),
        ("height", "i8"),
        ("used", "i8"),
        ("epoch", "i8"),  # of the ground when it was computed, or found unchanged
        ("route_epoch", "i8"),  # the same of the costs from portals to the goal
    ],
    align=True,
)


# A remembered answer: the portal that leads from a cell to the goal of a field.
GUIDE = np.dtype(
    [
        ("field", "i4"),
        ("cell", "i4"),
        ("goal", "i4"),
        ("layer", "i4"),
        ("epoch", "i8"),  # of the ground
        ("portal", "i8"),
    ],
    align=True,
)

# A remembered way: the cells from one on towards a goal, as far as units have looked.
TRAIL = np.dtype(
    [
        ("cell", "i4"),  # where it begins
        ("goal", "i4"),
        ("layer", "i4"),
        ("guide", "i4"),  # what leads on from its last cell, as in `choose_guide`
        ("epoch", "i8"),  # of the ground
        ("n_cells", "i4"),
        ("ends", "?"),  # the way goes no further
        ("cells", "i4", (LOOK_AHEAD_CELLS,)),
    ],
    align=True,
)


class Land(NamedTuple):
    """The ground as footprints leave it. Without room for footprints, all games share one."""

    open: Annotated[NDArray[np.uint8], "u1", "layers C"]  # as in Ground
    room: Annotated[NDArray[np.uint8], "u1", "layers C"]
    walkable: Annotated[NDArray[np.bool_], "?", "layers C"]
    island: Annotated[NDArray[np.int32], "i4", "layers C"]
    convex: Annotated[NDArray[np.bool_], "?", "layers"]
    changed: Annotated[NDArray[np.int64], "i8", "S"]  # epoch of the last change in a sector
    portals: Annotated[Records, PORTAL, "layers P"]  # border by border
    first_portal: Annotated[NDArray[np.int32], "i4", "layers 2S+1"]  # of each border


class Paths(NamedTuple):
    """A cache of flow fields: results do not depend on what is in it."""

    fields: Annotated[Records, FIELD, "F"]
    field_at: Annotated[NDArray[np.int16], "i2", "layers C"]  # 1 + row of a goal; 0 = never had one
    ways: Annotated[NDArray[np.uint8], "u1", "F K"]  # 1 + the direction to go; 0 = none
    near: Annotated[NDArray[np.uint16], "u2", "F K"]  # cost to the goal; of larger maps
    route: Annotated[NDArray[np.int32], "i4", "F P"]  # cost from each portal to the goal
    legs: Annotated[Records, LEG, "L"]
    leg_ways: Annotated[NDArray[np.uint8], "u1", "L K"]
    leg_costs: Annotated[NDArray[np.uint16], "u2", "L K"]
    links: Annotated[NDArray[np.int32], "i4", "L 2P"]  # cost to each portal of the sector
    leg_at: Annotated[NDArray[np.int32], "i4", "layers S spots"]  # 1 + row; 0 = never computed
    guides: Annotated[Records, GUIDE, "G"]  # by field and cell; later ones overwrite
    trails: Annotated[Records, TRAIL, "T"]  # by goal and cell; later ones overwrite


def shared_land(ground: Ground) -> Land:
    """Land that never changes: the terrain itself."""
    n_sectors, n_portals = n_sectors_of(ground), portal_capacity(ground)
    return Land(
        open=ground.open,
        room=ground.room,
        walkable=ground.walkable,
        island=ground.island,
        convex=ground.convex,
        changed=np.zeros(n_sectors, np.int64),
        portals=records((N_WALKERS, n_portals), PORTAL),
        first_portal=np.zeros((N_WALKERS, 2 * n_sectors + 1), np.int32),
    )


def allocate_land(ground: Ground, n_envs: int) -> Land:
    """Land of each game's own, still without footprints."""
    shared = shared_land(ground)
    copies = {name: np.repeat(array[None], n_envs, 0) for name, array in shared._asdict().items()}
    copies["portals"] = records((n_envs, *shared.portals.shape), PORTAL)
    return Land(**copies)


def allocate_paths(ground: Ground, n_envs: int, n_slots: int) -> Paths:
    """Empty caches. On a larger map each unit may have a goal of its own."""
    n_sectors, n_portals = n_sectors_of(ground), portal_capacity(ground)
    n_cells = ground.open.shape[1]
    one = is_one_sector(ground)
    n_fields = 8 if one else min(MAX_FIELDS, max(32, n_slots))
    n_ways = n_cells if one else (2 * NEAR_CELLS + 1) ** 2
    n_legs = 0 if one else N_WALKERS * n_portals // 4  # more than a map usually has; all see it
    leg_cells = 0 if one else SECTOR_CELLS**2
    paths = Paths(
        fields=records((n_envs, n_fields), FIELD),
        field_at=np.zeros((n_envs, N_WALKERS, n_cells), np.int16),
        ways=np.zeros((n_envs, n_fields, n_ways), np.uint8),
        near=np.zeros((n_envs, n_fields, 0 if one else n_ways), np.uint16),
        route=np.zeros((n_envs, n_fields, n_portals), np.int32),
        legs=records((n_envs, n_legs), LEG),
        leg_ways=np.zeros((n_envs, n_legs, leg_cells), np.uint8),
        leg_costs=np.zeros((n_envs, n_legs, leg_cells), np.uint16),
        links=np.zeros((n_envs, n_legs, 2 * MAX_PORTALS), np.int32),
        leg_at=np.zeros(
            (n_envs, N_WALKERS, 0 if one else n_sectors, N_SIDES * BORDER_SPOTS), np.int32
        ),
        guides=records((n_envs, 0 if one else N_GUIDES), GUIDE),
        trails=records((n_envs, FEW_TRAILS if one else N_TRAILS), TRAIL),
    )
    paths.guides["field"] = NO_UNIT
    paths.trails["cell"] = NO_UNIT
    paths.fields["goal"] = NO_UNIT
    paths.legs["owner"] = NO_UNIT
    return paths


def n_sectors_of(ground: Ground) -> int:
    return (len(ground.column_edge) - 1) * (len(ground.row_edge) - 1)


def portal_capacity(ground: Ground) -> int:
    """How many portals there can be, whatever is built."""
    return 0 if is_one_sector(ground) else MAX_PORTALS * n_sectors_of(ground)
