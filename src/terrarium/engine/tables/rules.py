"""The layout of the rules' tables: what kernels know of types, weapons, hits and abilities."""

from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.records import Records
from terrarium.engine.tables.footprints import FOOTPRINT
from terrarium.engine.tables.mechanics.impact import IMPACT
from terrarium.engine.tables.mechanics.table import mechanic_tables
from terrarium.engine.tables.products import PRODUCT
from terrarium.engine.tables.structures import STRUCTURE

RULES_VERSION = 8
"""Rises with every change of behavior, not of speed. Stored with replays and results."""

SPLASH_RADIUS_LIMIT = 1.25
"""A target of this radius or more takes a siege shell alone."""
NEAR_DISTANCE = 3.0
"""Within it a Spine Crawler's tentacle is slower."""

TYPE = np.dtype(
    [
        ("hp", "f8"),
        ("hp_regen", "f8"),
        ("hp_regen_delay", "f8"),
        ("shields", "f8"),
        ("shield_regen", "f8"),
        ("shield_regen_delay", "f8"),
        ("armor", "f8"),
        ("energy_start", "f8"),
        ("energy_max", "f8"),
        ("energy_regen", "f8"),
        ("radius", "f8"),
        ("separation", "f8"),
        ("inner", "f8"),
        ("room", "f8"),  # radius of the free place that it needs where it appears
        ("layer", "i8"),  # of the ground that its body stays on
        ("classes", "i8"),
        ("speed", "f8"),  # per tick
        ("accel", "f8"),  # per tick and tick
        ("decel", "f8"),
        ("turn_cos", "f8"),
        ("turn_sin", "f8"),
        ("turn_still_cos", "f8"),
        ("turn_still_sin", "f8"),
        ("turret_cos", "f8"),
        ("turret_sin", "f8"),
        ("plane", "i8"),
        ("walker", "i8"),  # layer that its paths are on
        ("flying", "?"),
        ("structure", "?"),
        ("biological", "?"),
        ("mobile", "?"),
        ("has_turret", "?"),
        ("fires_moving", "?"),
        ("explodes", "?"),
        ("acquires", "i8"),
        ("response", "i8"),
        ("first_weapon", "i8"),
        ("n_weapons", "i8"),
        ("scan", "f8"),
        ("top_rank", "i8"),  # the highest rank that any target has
        ("heal_range", "f8"),
        ("heal_scan", "f8"),
        ("heal_life", "f8"),  # per tick
        ("heal_cost", "f8"),
        ("heal_min_energy", "f8"),
        ("life_low", "f8"),
        ("life_high", "f8"),
        ("changes", "?"),  # life, shields or energy come back, or its time runs out
        ("attributes", "i8"),  # bit k: has attribute k of data.vocabulary.ATTRIBUTES
        ("traits", "i8"),  # bit k: is trait k of data.vocabulary.TRAITS, as far as types tell
        ("status", "i8"),  # what its units are by nature: bits of codes.HEALS and following
        ("sight", "f8"),
        ("sees_up", "?"),  # sees over cliffs
        ("detects", "f8"),  # how far
        ("opaque", "?"),  # blocks the sight of units on the ground
        ("capture", "f8"),  # how near a unit that takes a tower over has to be
        ("radar", "f8"),  # how far a Sensor Tower shows that somebody is there
        ("snapshot", "?"),  # players remember it in the fog
        ("cargo_size", "i8"),
        ("cargo_room", "i8"),
        ("repair_ticks", "f8"),  # for all of its life; 0 = cannot be repaired
        ("minerals", "f8"),
        ("vespene", "f8"),
        ("armor_family", "i8"),
        ("armor_step", "f8"),  # for each level
        ("shield_step", "f8"),
        ("shield_family", "i8"),
        ("last_act", "i8"),  # row of the ability whose outcome is the end of its life; -1 = none
        ("shields_itself", "i8"),  # row of the passive ability with a buff; -1 = none
        ("first_change", "i8"),
        ("n_changes", "i8"),
        ("footprint", "i8"),  # row of Rules.footprints; -1 = does not stand on the grid
        ("resource", "i8"),  # what workers gather from it: codes.NO_RESOURCE, MINERALS, VESPENE
        ("contents", "f8"),
        ("per_trip", "f8"),
        ("gather_ticks", "f8"),
        ("pause_ticks", "f8"),
        ("worker", "?"),
        ("own_trip", "f8"),  # minerals that a MULE brings; 0 = what the field gives
        ("own_ticks", "f8"),  # how long it gathers
        ("townhall", "?"),  # takes what workers bring
        ("supply_used", "f8"),
        ("supply_given", "f8"),
        ("ways", "i8"),  # codes.ZERG_WAYS, PROTOSS_WAYS
        ("is_larva", "?"),
        ("breeds", "?"),  # larvae come to it
        ("creep", "f8"),  # radius that it spreads creep to; 0 = it does not
        ("creep_start", "f8"),
        ("creep_ticks", "f8"),  # for a step of one cell
        ("creep_speed", "f8"),  # how much faster it is on creep
        ("needs_creep", "?"),
        ("power", "f8"),  # radius that it gives power to; 0 = it does not
        ("needs_power", "?"),
        ("leaves", "i8"),  # row of Rules.types that comes out when it is destroyed; -1 = none
        ("n_left", "i8"),
        ("stored", "?"),  # is kept for an ability that uses it up, as a nuke is
        ("stores", "?"),  # makes what is kept
        ("hangar", "i8"),  # row of the product that it keeps aboard and sends out; -1 = none
        ("in_hangar", "?"),  # is such a product
        ("becomes_itself", "i8"),  # row of the product that it turns into by itself; -1 = none
        ("settles_as", "i8"),  # row of Rules.types that it becomes when it is finished; -1 = none
        ("quickens_warp_in", "?"),  # a power field near it is a fast one
        ("race", "i8"),  # of data.vocabulary.UNIT_RACES
        ("disguises", "?"),  # takes the look of enemies
        ("look_of", "i8"),  # row of Rules.types that takes this look; -1 = it is none
        ("look", "i8"),  # row of Rules.types that it looks like
        ("look_tech", "i8"),  # where the enemy has this; 0 = always
        ("fulfils", "i8"),  # bit k: is what need k of Rules.products asks for
        ("addon", "?"),
        ("trains", "?"),  # a structure that makes units
        ("hall", "?"),  # a townhall, also one that flies
        ("keeps_in_game", "?"),  # who has none of these has lost
        ("category", "i8"),  # of the score: codes.NO_CATEGORY and following
        ("worth_minerals", "f8"),  # in the score
        ("worth_vespene", "f8"),
        ("reactor", "?"),  # lets its producer make two at a time
    ],
    align=True,
)

WEAPON = np.dtype(
    [
        ("planes", "i8"),
        ("not_structures", "?"),
        ("range", "f8"),
        ("min_range", "f8"),
        ("slop", "f8"),
        ("period", "f8"),
        ("jitter_low", "f8"),
        ("jitter_high", "f8"),
        ("damage_point", "f8"),
        ("backswing", "f8"),
        ("arc_cos", "f8"),
        ("turret", "?"),
        ("firing", "i8"),
        ("suicide", "?"),
        ("instant", "?"),  # its damage falls in the tick of the shot
        ("first_hit", "i8"),
        ("n_hits", "i8"),
    ],
    align=True,
)

# How workers gather: what the sources leave open, fitted to recorded games (docs/fidelity.md).
HARVEST = np.dtype(
    [
        ("search_radius", "f8"),  # how far a worker looks for another field (game_rules.md, 8)
        ("touch", "f8"),  # how near to the outline of a field it gathers
        ("drop", "f8"),  # how near to a townhall, edge to edge, it leaves its cargo
        ("look", "f8"),  # from how far it sees that its field is taken
        ("look_again_ticks", "i8"),  # how often one that waits looks for another field
        ("patience_ticks", "f8"),  # it waits for a field that will be free this soon
        ("notice", "f8"),  # from how far, center to center, others see that it comes back
        ("handover_ticks", "i8"),  # between two workers at one field
        ("slowest", "f8"),  # who brakes gets no slower than that before it is there
        ("first_ticks", "f8"),  # how long after the start of a game workers set out
    ],
    align=True,
)

HIT_ROW = np.dtype(
    [
        ("at", "f8"),
        ("count", "i8"),
        ("form", "i8"),
        ("when", "i8"),
        ("armor_applies", "?"),
        ("hits_own", "?"),
        ("same_level", "?"),
        ("only", "i8"),
        ("shield_bonus", "f8"),
        ("missile_speed", "f8"),  # per tick; 0 = no missile
        ("missile_top", "f8"),
        ("missile_accel", "f8"),
        ("n_zones", "i8"),
        ("zone_radius", "f8", (3,)),
        ("zone_share", "f8", (3,)),
        ("zone_cos", "f8", (3,)),
        ("radius", "f8"),
        ("length", "f8"),
        ("arc_cos", "f8"),
        ("arc_sin", "f8"),
        ("beams", "i8"),
        ("steps", "i8"),
        ("step_ticks", "f8"),
        ("delay", "f8"),
        ("target_delay", "f8"),
        ("spawns", "i8"),
        ("weapon", "i8"),
        ("manner", "i8"),  # codes.RANGED, MELEE, SPLASHED or SPELL
        ("must_be", "i8"),  # traits that victims around the target need, and must not have
        ("must_not_be", "i8"),
        ("family", "i8"),  # whose levels add Rules.damage_step
        ("tech", "i8"),  # bits of the upgrade that adds Rules.damage_extra; 0 = none
        ("buff", "i8"),  # what it puts on its target; -1 = nothing
        ("buff_tech", "i8"),  # bits of the upgrade that it needs for it
    ],
    align=True,
)

TARGETING = np.dtype(
    [("leash", "f8"), ("leash_reset", "f8"), ("help_radius", "f8"), ("help_ticks", "i8")],
    align=True,
)

# How a rule set answers what the sources leave open: data.facts.assumptions.
ASSUMPTIONS = np.dtype(
    [
        ("prefers_attackers", "?"),
        ("places_turn", "?"),  # new units take the nearest place, counter-clockwise from south
        ("keeps_formation", "?"),
        ("friends_pass", "?"),
        ("turning_slows", "?"),
        ("keeps_chasing", "?"),
        ("scan_ticks", "i8"),
        ("reaction_ticks", "i8"),
        ("changes_between_shots", "?"),  # else always
        ("attack_ticks", "i8"),
        ("opening_ticks", "i8"),
    ],
    align=True,
)

# What all abilities have. `params` is the row in the table of the mechanic (tables/mechanics).
ABILITY = np.dtype(
    [
        ("id", "i8"),  # of the game's interface; 0 = it cannot be ordered
        ("mechanic", "i8"),
        ("params", "i8"),  # -1 = the mechanic has no table
        ("impact", "i8"),  # row of Rules.impacts; -1 = none
        ("aim", "i8"),
        ("of", "i8"),  # the ability that it ends or unloads; -1 = none
        ("flag_bits", "i8"),  # of codes.RUNS_BESIDE and following
        # price
        ("energy", "f8"),
        ("life", "f8"),
        ("minerals", "f8"),
        ("nukes", "i8"),
        ("needs", "i8"),  # bits of TYPE.fulfils that something of the player has to have
        ("cooldown", "f8"),
        ("cooldown_slot", "i8"),
        ("cooldown_from", "i8"),
        # time, in ticks
        ("prep", "f8"),
        ("intro", "f8"),
        ("outro", "f8"),
        ("channel", "f8"),
        ("finish", "f8"),
        ("delay", "f8"),
        ("fall", "f8"),
        ("locked", "i8"),  # bit p: no order interrupts phase p
        # reach
        ("range", "f8"),
        ("slop", "f8"),
        ("break_range", "f8"),
        ("autocast", "i8"),
        ("autocast_range", "f8"),
        ("must_be", "i8"),  # traits of the target, a bit each
        ("must_not_be", "i8"),
        # outcome
        ("first_hit", "i8"),
        ("n_hits", "i8"),
        ("buff", "i8"),
        ("user_buff", "i8"),
        ("area", "i8"),
        ("first_change", "i8"),
        ("n_changes", "i8"),
    ],
    align=True,
)

BUFF_ROW = np.dtype(
    [
        ("id", "i8"),
        ("ticks", "f8"),  # 0 = until something ends it
        ("never", "i8"),  # traits it has no hold on
        ("status", "i8"),
        ("speed_mult", "f8"),
        ("speed_add", "f8"),  # per tick
        ("accel_mult", "f8"),
        ("accel_add", "f8"),
        ("rate", "f8"),
        ("work", "f8"),  # how fast a structure makes what it makes
        ("range_add", "f8"),
        ("damage_add", "f8"),  # against targets with one of `damage_vs`
        ("damage_vs", "i8"),
        ("first_hit_damage", "f8"),
        ("armor_add", "f8"),
        ("shield_armor_add", "f8"),
        ("taken_add", "f8"),
        ("taken_mult", "f8"),
        ("taken_manners", "i8"),
        ("taken_from", "i8"),  # traits the attacker needs for it
        ("absorbs", "f8"),
        ("life_rate", "f8"),  # per tick
        ("drain", "f8"),  # energy per tick; without any, it ends
        ("hp_add", "f8"),
        ("supply", "f8"),
        ("hit", "i8"),  # row of Rules.hits; -1 = none
        ("times", "i8"),
        ("period", "f8"),
        ("first_change", "i8"),
        ("n_changes", "i8"),
    ],
    align=True,
)

AREA = np.dtype(
    [
        ("id", "i8"),
        ("radius", "f8"),
        ("ticks", "f8"),  # 0 = until something ends it
        ("delay", "f8"),
        ("who", "i8"),
        ("must_be", "i8"),
        ("must_not_be", "i8"),
        ("follows", "i8"),
        ("reveals", "?"),
        ("buff", "i8"),
        ("hit", "i8"),  # row of Rules.hits; -1 = none
        ("times", "i8"),  # 0 = as long as it lasts
        ("period", "f8"),
        ("then", "i8"),
    ],
    align=True,
)

CHANGE = np.dtype(
    [
        ("tech", "i8"),  # bits of the upgrade; 0 = a level of `family`
        ("family", "i8"),
        ("level", "i8"),
        ("field", "i8"),
        ("op", "i8"),
        ("value", "f8"),
    ],
    align=True,
)

UPGRADE = np.dtype(
    [("tech", "i8"), ("family", "i8"), ("level", "i8"), ("minerals", "f8"), ("vespene", "f8")],
    align=True,
)


# How larvae come to hatcheries.
BREEDING = np.dtype(
    [
        ("larva", "i8"),  # row of Rules.types; -1 = this rule set has none
        ("inject", "i8"),  # row of the ability that brings more; -1 = none
        ("n_injected", "i8"),
    ],
    align=True,
)


class Rules(NamedTuple):
    """Static tables: rows of `types` are unit types, and so are both axes of the matrices, whose
    second half of columns stands for the same types lifted into the air."""

    targeting: Annotated[Records, TARGETING, "1"]
    assumptions: Annotated[Records, ASSUMPTIONS, "1"]
    harvest: Annotated[Records, HARVEST, "1"]
    breeding: Annotated[Records, BREEDING, "1"]
    products: Annotated[Records, PRODUCT, "products"]
    types: Annotated[Records, TYPE, "T"]
    weapons: Annotated[Records, WEAPON, "W"]
    hits: Annotated[Records, HIT_ROW, "H"]
    damage: Annotated[NDArray[np.float64], "f8", "H T"]  # before armor
    damage_step: Annotated[NDArray[np.float64], "f8", "H T"]  # with each level of the family
    damage_extra: Annotated[NDArray[np.float64], "f8", "H T"]  # more with the hit's upgrade
    rank: Annotated[NDArray[np.int64], "i8", "T 2T"]  # how gladly it attacks; -1 = it cannot
    scan: Annotated[NDArray[np.float64], "f8", "T 2T"]  # how far it looks for it
    reach: Annotated[NDArray[np.float64], "f8", "T 2T"]  # longest range against it
    too_near: Annotated[NDArray[np.float64], "f8", "T 2T"]  # below it no weapon works
    abilities: Annotated[Records, ABILITY, "B"]
    impacts: Annotated[Records, IMPACT, "I"]
    mechanics: Annotated[Any, mechanic_tables]  # the tables of the mechanics of abilities
    buffs: Annotated[Records, BUFF_ROW, "F"]
    areas: Annotated[Records, AREA, "A"]
    changes: Annotated[Records, CHANGE, "C"]
    upgrades: Annotated[Records, UPGRADE, "G"]
    kit: Annotated[NDArray[np.int64], "i8", "T K"]  # abilities that a type has; -1 = no more
    kit_needs: Annotated[NDArray[np.int64], "i8", "T K"]  # upgrades that it needs, a bit each
    footprints: Annotated[Records, FOOTPRINT, "P"]
    structures: Annotated[Records, STRUCTURE, "T"]  # what types ask of the place they stand on
