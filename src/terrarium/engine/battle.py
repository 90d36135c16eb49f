"""The records of a battle: units, their orders and buffs, effects, players, events."""

import numpy as np

from terrarium.data.vocabulary import UPGRADES

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
