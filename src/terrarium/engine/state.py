"""The state of the game: record arrays, environments first. Copying them saves the game."""

from collections.abc import Collection
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.data.vocabulary import UPGRADES
from terrarium.engine.codes import NO_UNIT
from terrarium.engine.economy import (
    ACCOUNT,
    INCOME_TICKS,
    ITEM,
    PATCH,
    POWER_SOURCE,
    PRODUCER,
    QUEUE_SIZE,
    RESOURCE,
    WORKER,
)
from terrarium.engine.jit import inline
from terrarium.engine.land import (
    EPOCHS,
    LAYERS,
    SITE,
    Land,
    Paths,
    portal_capacity,
)
from terrarium.engine.records import Records, records
from terrarium.engine.score import COUNTED, MATCH, SCORE, STANDING
from terrarium.engine.tables.plan import Plan
from terrarium.engine.tables.rules import Rules
from terrarium.engine.tables.terrain import Ground
from terrarium.engine.vision import MEMORY, SIGHT_BOX, SIGHT_ROWS, SNAPSHOT, VIEW, VISION

# Fields that the rules read together are neighbors, eight to a line of the processor's cache.
UNIT = np.dtype(
    [
        # who and where
        ("tag", "i8"),  # unique for the length of a game; 0 = the slot was never used
        ("kind", "i8"),  # row of Rules.types
        ("owner", "i8"),  # player 1 to 16, or neutral: 0
        ("status", "i8"),  # bits of codes.HEALS and following
        ("x", "f8"),
        ("y", "f8"),
        ("target", "i8"),
        ("alive", "?"),
        ("passive", "?"),  # never picks a target itself (SMAC's agents)
        ("winding", "?"),  # a shot has been started
        ("away", "?"),  # is chasing from its home or returning to it
        ("direct", "?"),  # nothing stands between the unit and its goal
        # what others look at
        ("n_orders", "i8"),
        ("phase", "i8"),  # in which ticks it scans: drawn, so that no player scans first
        ("seen", "i8"),  # bit o: owner o sees it and may target it
        ("column", "i8"),  # of the rules' matrices; lifted units have columns of their own
        ("plane", "i8"),
        ("inside", "i8"),  # the carrier that it is in; on board it is not `alive` to the map
        ("hp", "f8"),
        ("hp_max", "f8"),
        # body; what type, upgrades and buffs come to is in stats.py
        ("face_x", "f8"),  # facing as a unit vector: no kernel needs an angle
        ("face_y", "f8"),
        ("speed_x", "f8"),  # distance per tick
        ("speed_y", "f8"),
        ("max_speed", "f8"),  # per tick
        ("accel", "f8"),
        ("stalled", "i8"),  # ticks without getting anywhere
        ("detour", "i8"),  # -1, 1: passes blockers on the right, on the left
        # way
        ("way_x", "f8"),  # next corner of the path
        ("way_y", "f8"),
        ("way_tick", "i8"),  # when to look for the way again
        ("detour_tick", "i8"),
        ("home_x", "f8"),  # where an idle unit returns to after a chase
        ("home_y", "f8"),
        ("heal_target", "i8"),
        ("attacker", "i8"),  # who hurt it, or a friend near it, in the last tick
        # attack
        ("cooldown", "f8"),  # ticks
        ("windup", "f8"),  # ticks until the shot that has been started
        ("backswing", "f8"),
        ("weapon", "i8"),  # row of Rules.weapons of the shot that has been started
        ("target_why", "i8"),
        ("target_tag", "i8"),
        ("aim_x", "f8"),  # facing of the turret
        ("aim_y", "f8"),
        # life
        ("shield", "f8"),
        ("energy", "f8"),
        ("life_ticks", "f8"),  # left to a unit with timed life; 0 = no limit
        ("armor", "f8"),
        ("shield_armor", "f8"),
        ("rate", "f8"),  # of attacks; 1 without buffs and upgrades
        ("range_add", "f8"),
        ("attacker_tag", "i8"),
        ("noticed_tick", "i8"),  # since when an enemy is near a unit without a target; -1 = none is
        ("hurt_tick", "i8"),
        ("hitter", "i8"),  # the unit whose hit came last; its tag and owner
        ("hitter_tag", "i8"),
        ("hitter_owner", "i8"),
        ("help_tick", "i8"),  # when it last called for help
    ],
    align=True,
)

MAX_PLAYERS = 16
N_COOLDOWNS = 4
N_BUFFS = 6
N_FAMILIES = len(UPGRADES)
"""of upgrades with levels"""

SKILL = np.dtype(
    [
        # a cast
        ("cast", "i8"),  # row of Rules.abilities; -1 = none
        ("phase", "i8"),
        ("timer", "f8"),  # ticks left of the phase
        ("target", "i8"),
        ("target_tag", "i8"),
        ("x", "f8"),  # where it is aimed at
        ("y", "f8"),
        ("stops", "?"),  # is to be broken off
        ("ordered", "?"),  # the first order of the queue asked for it
        ("beside", "i8"),  # row of the ability to be used beside the order; -1 = none
        ("beside_target", "i8"),
        ("beside_tag", "i8"),
        ("beside_x", "f8"),
        ("beside_y", "f8"),
        ("ready", "i8", (N_COOLDOWNS,)),  # the tick from which an ability can be used again
        ("switched", "i8"),  # bit k: the player has switched the autocast in slot k of the kit over
        ("locks", "?"),  # holds a target by a lock
        ("error", "i8"),  # why the last order came to nothing after it had been accepted
        # change of form
        ("morph", "i8"),  # row of Rules.abilities; -1 = none
        ("morph_timer", "f8"),
        ("zone_x", "f8"),  # where a Liberator shoots
        ("zone_y", "f8"),
        # forced movement
        ("drag_x", "f8"),
        ("drag_y", "f8"),
        ("drag_ticks", "f8"),
        # cargo
        ("load", "i8"),  # room taken
        ("unload_timer", "f8"),
        ("unloading", "i8"),  # row of the ability that lets passengers out; -1 = none
        # what it made: an Adept's shade, a Disruptor's ball
        ("made", "i8"),
        ("made_tag", "i8"),
        ("made_by", "i8"),  # row of the ability that made this unit; -1 = none
        ("maker", "i8"),
        ("maker_tag", "i8"),
        ("true_owner", "i8"),  # its owner while another player controls it
    ],
    align=True,
)

BUFF = np.dtype(
    [
        ("row", "i8"),  # of Rules.buffs; -1 = nothing
        ("ticks", "f8"),  # left; until something ends it where the buff has no duration
        ("timer", "f8"),  # until its next hit
        ("hits_left", "i8"),
        ("absorbs", "f8"),  # left
        ("owner", "i8"),  # who put it there
        ("source", "i8"),
        ("source_tag", "i8"),
    ],
    align=True,
)

ORDER = np.dtype(
    [
        ("kind", "i8"),
        ("ability", "i8"),
        ("target", "i8"),
        ("tag", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("back_x", "f8"),  # the other end of a patrol
        ("back_y", "f8"),
    ],
    align=True,
)

COMMAND = np.dtype(
    [
        ("owner", "i8"),  # the player who gives it
        ("unit", "i8"),  # slot
        ("tag", "i8"),  # of the unit that is meant; 0 = the one that is in the slot
        ("kind", "i8"),
        ("target", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("queued", "?"),
        ("ability", "i8"),  # row of Rules.abilities where kind is CAST
        ("result", "i8"),  # what became of it: one of codes.RESULT_NAMES
    ],
    align=True,
)

# How many commands wait for the next step, and how many the last one answered.
INBOX = np.dtype([("n_commands", "i8"), ("n_answers", "i8")], align=True)

EFFECT = np.dtype(
    [
        ("stage", "i8"),
        ("hit", "i8"),  # row of Rules.hits
        ("owner", "i8"),
        ("source", "i8"),
        ("source_tag", "i8"),
        ("target", "i8"),
        ("target_tag", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("aim_x", "f8"),  # last place of the target
        ("aim_y", "f8"),
        ("dir_x", "f8"),
        ("dir_y", "f8"),
        ("speed", "f8"),
        ("timer", "f8"),
        ("step", "i8"),
        ("seen_tag", "i8"),  # whom the glaive has hit before
        ("ability", "i8"),  # row of Rules.abilities; -1 = of a weapon
        ("area", "i8"),  # row of Rules.areas, of what lies on the ground; -1 = nothing does
        ("hit_timer", "f8"),  # ticks until the next hit of an area, or until it begins to work
        ("born", "i8"),  # the tick in which an area began
    ],
    align=True,
)

PLAYER = np.dtype(
    [
        ("friends", "i8"),  # bit o: owner o is this player or an ally
        ("enemies", "i8"),  # bit o: its units attack those of owner o by themselves
        ("n_alive", "i8"),
        ("n_lost", "i8"),
        ("damage_dealt", "f8"),
        ("techs", "i8"),  # bit k: has the upgrade without levels number k
        ("levels", "i8", (N_FAMILIES + 1,)),  # of each family; the last one is always 0
        ("minerals", "f8"),
        ("vespene", "f8"),
        ("nukes", "i8"),
        ("cheats", "i8"),  # bits of codes.SHOWS_MAP and following; games are played without any
    ],
    align=True,
)

CLOCK = np.dtype(
    [
        ("seed", "u8"),
        ("tick", "i8"),
        ("next_tag", "i8"),
        ("n_slots", "i8"),  # slots ever used
        ("n_living", "i8"),  # units on the list of the living
        ("any_dead", "?"),  # units of the list died since it was made
        ("first_free", "i8"),  # of the ring of free slots
        ("n_free", "i8"),
        ("n_events", "i8"),  # written since the game began; the ring holds the last ones
        ("n_effects", "i8"),
        ("fault", "i8"),
        ("fog", "?"),  # players see only what their units see
    ],
    align=True,
)

EVENT = np.dtype(
    [
        ("tick", "i8"),
        ("kind", "i8"),  # codes.BORN and following
        ("unit", "i8"),  # slot of the unit it is about, its tag, owner, type and place
        ("tag", "i8"),
        ("owner", "i8"),
        ("type", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("other", "i8"),  # slot of the unit that did it or had it done to
        ("other_tag", "i8"),
        ("other_owner", "i8"),
        ("ability", "i8"),  # row of Rules.abilities; -1 = none
        ("result", "i8"),  # one of codes.RESULT_NAMES, where an order came to nothing
        ("amount", "f8"),  # life and shields lost
    ],
    align=True,
)


class Games(NamedTuple):
    """The whole truth about `N` games. Layers that a simulator was not asked for have no cells."""

    units: Records  # [N, U] UNIT
    orders: Records  # [N, U, Q] ORDER
    players: Records  # [N, P] PLAYER, by owner: neutral first
    effects: Records  # [N, E] EFFECT
    clock: Records  # [N, 1] CLOCK
    skills: Records  # [N, U] SKILL
    buffs: Records  # [N, U, B] BUFF
    living: NDArray[np.uint32]  # [N, U] slots of units on the map or aboard, by tag
    free: NDArray[np.int64]  # [N, U] ring of slots of dead units
    events: Records  # [N, V] EVENT: a ring
    workers: Records  # [N, U] WORKER, in games with an economy
    resources: Records  # [N, U] RESOURCE, the same
    producers: Records  # [N, U] PRODUCER, the same
    items: Records  # [N, U, QUEUE_SIZE] ITEM, the same
    accounts: Records  # [N, P] ACCOUNT, the same
    income: NDArray[np.int16]  # [N, P, 2, INCOME_TICKS] a ring: brought in each tick, by resource
    sites: Records  # [N, U] SITE
    blocked: NDArray[np.int16]  # [N, C] 1 + slot of the structure that closes a cell; 0 = none
    taken: NDArray[np.int16]  # [N, C] 1 + slot of the structure that stands on it
    creep: NDArray[np.uint16]  # [N, C] how many patches of creep lie there
    patches: Records  # [N, U] PATCH: the first `n_patches` of them
    power: Records  # [N, U] POWER_SOURCE: the first `n_power` of them
    visibility: NDArray[np.uint8]  # [N, P, C] codes.HIDDEN, EXPLORED or VISIBLE
    watchers: NDArray[np.int16]  # [N, P, C] how many views show a cell; of whole games
    opaque: NDArray[np.uint8]  # [N, C] how many objects block the sight through a cell; the same
    dim: NDArray[np.uint8]  # [N, C] how many such objects are as near as units on it may see
    views: Records  # [N, 2 U] VIEW, of units and then of glimpses; of whole games
    vision: Records  # [N, 1] VISION
    snapshots: Records  # [N, P, U] SNAPSHOT, in the order in which they were taken; the same
    memories: Records  # [N, P] MEMORY, the same
    scores: Records  # [N, P] SCORE, the same
    counted: Records  # [N, U] COUNTED, the same
    standings: Records  # [N, P] STANDING, the same
    match: Records  # [N, 1] MATCH
    epochs: Records  # [N, 1] EPOCHS


# What a tick needs besides the truth: one set a thread, overwritten by each tick.
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


class Game(NamedTuple):
    """One game as the kernels see it: its state, and what it is played by."""

    units: Annotated[Records, UNIT, "U"]
    orders: Annotated[Records, ORDER, "U Q"]
    players: Annotated[Records, PLAYER, "P"]
    effects: Annotated[Records, EFFECT, "E"]
    clock: Annotated[Records, CLOCK, "1"]
    skills: Annotated[Records, SKILL, "U"]
    buffs: Annotated[Records, BUFF, "U B"]
    living: Annotated[NDArray[np.uint32], "u4", "U"]
    free: Annotated[NDArray[np.int64], "i8", "U"]
    events: Annotated[Records, EVENT, "V"]
    workers: Annotated[Records, WORKER, "U"]
    resources: Annotated[Records, RESOURCE, "U"]
    producers: Annotated[Records, PRODUCER, "U"]
    items: Annotated[Records, ITEM, "U Q"]
    accounts: Annotated[Records, ACCOUNT, "P"]
    income: Annotated[NDArray[np.int16], "i2", "P 2 I"]
    sites: Annotated[Records, SITE, "U"]
    blocked: Annotated[NDArray[np.int16], "i2", "C"]
    taken: Annotated[NDArray[np.int16], "i2", "C"]
    creep: Annotated[NDArray[np.uint16], "u2", "C"]
    patches: Annotated[Records, PATCH, "U"]
    power: Annotated[Records, POWER_SOURCE, "U"]
    visibility: Annotated[NDArray[np.uint8], "u1", "P C"]
    watchers: Annotated[NDArray[np.int16], "i2", "P C"]
    opaque: Annotated[NDArray[np.uint8], "u1", "C"]
    dim: Annotated[NDArray[np.uint8], "u1", "C"]
    views: Annotated[Records, VIEW, "2U"]
    vision: Annotated[Records, VISION, "1"]
    snapshots: Annotated[Records, SNAPSHOT, "P U"]
    memories: Annotated[Records, MEMORY, "P"]
    scores: Annotated[Records, SCORE, "P"]
    counted: Annotated[Records, COUNTED, "U"]
    standings: Annotated[Records, STANDING, "P"]
    match: Annotated[Records, MATCH, "1"]
    epochs: Annotated[Records, EPOCHS, "1"]
    commands: Annotated[Records, COMMAND, "K"]
    inbox: Annotated[Records, INBOX, "1"]
    rules: Rules
    ground: Ground
    land: Land
    paths: Paths
    plan: Plan
    scratch: Scratch


N_PAIRS, N_HITS, N_SHOTS, N_CALLERS, N_PATIENTS, N_CONTACTS, N_SHOVED, N_MEMBERS = range(8)
# Points of both lattices that were tried for the units of one entry, and whether these count.
REMEMBERS_TRIED, N_OWN_TRIED, N_HALF_TRIED = range(8, 11)


def allocate(
    n_envs: int,
    n_slots: int,
    n_cells: int,
    n_players: int = 2,
    n_queue: int = 8,
    layers: Collection[str] = (),
    economy: bool = False,
) -> Games:
    """Empty games with room for `n_slots` units each, and the layers of the ground asked for."""
    n_effects = max(64, 8 * n_slots)
    n_economy = n_slots if economy else 0
    cells = {name: n_cells if name in layers else 0 for name in LAYERS}
    return Games(
        units=records((n_envs, n_slots), UNIT),
        orders=records((n_envs, n_slots, n_queue), ORDER),
        players=records((n_envs, n_players + 1), PLAYER),
        effects=records((n_envs, n_effects), EFFECT),
        clock=records((n_envs, 1), CLOCK),
        skills=records((n_envs, n_slots), SKILL),
        buffs=records((n_envs, n_slots, N_BUFFS), BUFF),
        living=np.zeros((n_envs, n_slots), np.uint32),
        free=np.zeros((n_envs, n_slots), np.int64),
        events=records((n_envs, max(128, 4 * n_slots)), EVENT),
        workers=records((n_envs, n_economy), WORKER),
        resources=records((n_envs, n_economy), RESOURCE),
        producers=records((n_envs, n_economy), PRODUCER),
        items=records((n_envs, n_economy, QUEUE_SIZE), ITEM),
        accounts=records((n_envs, n_players + 1 if economy else 0), ACCOUNT),
        income=np.zeros((n_envs, n_players + 1, 2, INCOME_TICKS if economy else 0), np.int16),
        sites=records((n_envs, n_slots if cells["footprints"] else 0), SITE),
        blocked=np.zeros((n_envs, cells["footprints"]), np.int16),
        taken=np.zeros((n_envs, cells["footprints"]), np.int16),
        creep=np.zeros((n_envs, cells["creep"]), np.uint16),
        patches=records((n_envs, n_slots if cells["creep"] else 0), PATCH),
        power=records((n_envs, n_slots if cells["power"] else 0), POWER_SOURCE),
        visibility=np.zeros((n_envs, n_players + 1, cells["visibility"]), np.uint8),
        watchers=np.zeros((n_envs, n_players + 1, n_cells if economy else 0), np.int16),
        opaque=np.zeros((n_envs, n_cells if economy else 0), np.uint8),
        dim=np.zeros((n_envs, n_cells if economy else 0), np.uint8),
        views=records((n_envs, 2 * n_economy), VIEW),
        vision=records((n_envs, 1), VISION),
        snapshots=records((n_envs, n_players + 1, n_economy), SNAPSHOT),
        memories=records((n_envs, n_players + 1 if economy else 0), MEMORY),
        scores=records((n_envs, n_players + 1 if economy else 0), SCORE),
        counted=records((n_envs, n_economy), COUNTED),
        standings=records((n_envs, n_players + 1 if economy else 0), STANDING),
        match=records((n_envs, 1), MATCH),
        epochs=records((n_envs, 1), EPOCHS),
    )


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


@inline
def is_unit(game: Game, v: int, tag: int) -> bool:
    """Does slot `v` still hold the living unit that was meant?"""
    return v >= 0 and game.units[v].alive and game.units[v].tag == tag


@inline
def is_placed(game: Game, u: int) -> bool:
    """Does a unit stand on the grid, with a footprint?"""
    return game.sites.shape[0] > 0 and game.sites[u].placed


@inline
def has_economy(game: Game) -> bool:
    """Do workers gather in this game? Battles keep no room for it."""
    return game.workers.shape[0] > 0


@inline
def keeps_creep(game: Game) -> bool:
    """Does this game know of creep?"""
    return game.creep.shape[0] > 0


@inline
def keeps_power(game: Game) -> bool:
    """Does this game know of power?"""
    return game.power.shape[0] > 0


@inline
def keeps_sight(game: Game) -> bool:
    """Is it known of every cell who sees it? In battles, units look for each other instead."""
    return game.views.shape[0] > 0


@inline
def has_structures(game: Game) -> bool:
    """Does anything stand on the grid? Where nothing ever can, the compiler need not look."""
    return game.sites.shape[0] > 0 and game.epochs[0].n_placed > 0
