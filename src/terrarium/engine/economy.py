"""Records of whole games: workers, resources, production and accounts; battles have none."""

import numpy as np

# What a worker is about, beside its order; its slot has the same number as the unit's.
WORKER = np.dtype(
    [
        ("phase", "i8"),  # codes.TO_RESOURCE and following, of its order to gather
        ("timer", "f8"),  # ticks left of the phase
        ("cargo", "f8"),
        ("carries", "i8"),  # codes.MINERALS, VESPENE; NO_RESOURCE where the cargo is 0
        ("waits_since", "i8"),  # the tick in which it found its field taken; -1 = it did not
        ("held_up", "i8"),  # ticks without getting on, on its way to a site
        ("slips_until", "i8"),  # the tick up to which it passes through friends on that way
        ("townhall", "i8"),  # townhall that it brings its cargo to
        ("townhall_tag", "i8"),
        ("field", "i8"),  # where it gathered last
        ("field_tag", "i8"),
        ("spot_tag", "i8"),  # of the resource that it has chosen its place at; 0 = none yet
        ("spot_x", "f8"),
        ("spot_y", "f8"),
    ],
    align=True,
)

N_STATIONS = 2
"""where workers gather at one resource: one of them, and beside it a MULE"""

# What a field, a geyser or a structure on one holds, and who gathers there.
RESOURCE = np.dtype(
    [
        ("contents", "f8"),
        ("per_trip", "f8"),
        ("worker", "i8", (N_STATIONS,)),
        ("worker_tag", "i8", (N_STATIONS,)),
        ("free_tick", "i8", (N_STATIONS,)),  # from which the next one may begin
        ("geyser", "i8"),  # that the structure stands on; -1 = none
        ("geyser_tag", "i8"),
        ("n_coming", "i8"),  # workers on their way to it or waiting, in this tick
        ("bidder", "i8", (N_STATIONS,)),  # of those that arrived in this tick, by lot; -1 = none
        ("bid", "u8", (N_STATIONS,)),
    ],
    align=True,
)

N_RALLIES = 2
"""of units and of workers, which differ only for hatcheries"""

# What a structure makes; its slot has the same number as the unit's.
PRODUCER = np.dtype(
    [
        ("made_as", "i8"),  # row of Rules.products that it is built as, or was; -1 = none
        ("progress", "f8"),  # of its construction; 1 = it is finished
        ("left", "f8"),  # ticks of its construction
        ("builder", "i8"),  # the worker that is at work on it
        ("builder_tag", "i8"),
        ("n_items", "i8"),  # in its queue
        ("patch", "i8"),  # of creep around it; -1 = none
        ("rally", "i8", (N_RALLIES,)),  # codes.NO_RALLY, RALLY_POINT, RALLY_UNIT
        ("rally_x", "f8", (N_RALLIES,)),
        ("rally_y", "f8", (N_RALLIES,)),
        ("rally_target", "i8", (N_RALLIES,)),
        ("rally_tag", "i8", (N_RALLIES,)),
        ("total", "f8"),  # ticks that it takes to be warped in
        ("cooldown", "f8"),  # ticks until a warp gate, or a tumor, may be used again
        ("keeps_form", "?"),  # does not become something else by itself any more
        ("seeks", "i8"),  # row of the product that it wants to merge into; -1 = none
        ("spent", "?"),  # a tumor that has made another one
        ("dig_timer", "f8"),  # ticks until a tumor is underground
        ("stocked", "?"),  # has had its first Interceptors
        ("n_aboard", "i8"),  # Interceptors that are in it, and that are out to fight
        ("n_out", "i8"),
        ("n_larvae", "i8"),  # of a hatchery
        ("larva_timer", "f8"),  # ticks until the next; 0 = none is on its way, -1 = none was yet
        ("n_injects", "i8"),  # that wait for their turn, the present one included
        ("inject_timer", "f8"),
        ("brood", "i8"),  # larvae of an inject that still have to appear
        ("brood_timer", "f8"),
    ],
    align=True,
)

# A disc of creep that grows around its source, and recedes when that is gone.
PATCH = np.dtype(
    [
        ("source", "i8"),  # -1 = it is gone
        ("tag", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("radius", "f8"),
        ("timer", "f8"),  # ticks until the next step
    ],
    align=True,
)

# What gives power to the structures of its owner, as the game's interface lists it.
POWER_SOURCE = np.dtype(
    [
        ("unit", "i8"),
        ("tag", "i8"),
        ("owner", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("radius", "f8"),
    ],
    align=True,
)

QUEUE_SIZE = 8
"""with a reactor; without one it is 5"""

ITEM = np.dtype(
    [
        ("product", "i8"),  # row of Rules.products
        ("begun", "?"),  # is being made: its supply is taken
        ("left", "f8"),  # ticks
    ],
    align=True,
)

# What a player of a whole game has besides its purse.
ACCOUNT = np.dtype(
    [
        ("supply_used", "f8"),
        ("supply_cap", "f8"),
        ("fulfilled", "i8"),  # bit k: has what need k of products asks for
        ("gathered_minerals", "f8"),  # since the game began
        ("gathered_vespene", "f8"),
    ],
    align=True,
)

INCOME_TICKS = 240
"""Rates of collection are those of so many ticks (economy.md, 2)."""
