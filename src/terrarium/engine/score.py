"""Records of the melee score (sc2api.md, 8.5) and of how a game ends."""

import numpy as np

CATEGORIES = ("none", "army", "economy", "technology", "upgrade")
"""in the order of the game's API"""
VITALS = ("life", "shields", "energy")
_EACH = (len(CATEGORIES),)
_VITAL = (len(VITALS),)

# One player's score. What `tally` works out from the state is the second half.
SCORE = np.dtype(
    [
        ("idle_production_ticks", "i8"),  # of all finished structures that could make a unit
        ("idle_worker_ticks", "i8"),
        ("total_value_units", "f8"),  # of all that were ever finished
        ("total_value_structures", "f8"),
        ("killed_value_units", "f8"),
        ("killed_value_structures", "f8"),
        ("granted_minerals", "f8"),  # what the player began with, or was given by cheats
        ("granted_vespene", "f8"),
        ("killed_minerals", "f8", _EACH),
        ("killed_vespene", "f8", _EACH),
        ("lost_minerals", "f8", _EACH),
        ("lost_vespene", "f8", _EACH),
        ("friendly_fire_minerals", "f8", _EACH),
        ("friendly_fire_vespene", "f8", _EACH),
        ("total_used_minerals", "f8", _EACH),
        ("total_used_vespene", "f8", _EACH),
        ("total_damage_dealt", "f8", _VITAL),
        ("total_damage_taken", "f8", _VITAL),
        ("total_healed", "f8", _VITAL),
        # As things are: after each step.
        ("score", "f8"),
        ("collected_minerals", "f8"),
        ("collected_vespene", "f8"),
        ("collection_rate_minerals", "f8"),  # per minute
        ("collection_rate_vespene", "f8"),
        ("spent_minerals", "f8"),
        ("spent_vespene", "f8"),
        ("used_minerals", "f8", _EACH),
        ("used_vespene", "f8", _EACH),
        ("in_progress_minerals", "f8", _EACH),  # of what is being made
        ("in_progress_vespene", "f8", _EACH),
        ("food_used", "f8", _EACH),
    ],
    align=True,
)

# As what a unit has been counted among those that were finished; by slot.
COUNTED = np.dtype([("tag", "i8"), ("kind", "i8")], align=True)

# How a player stands in the game.
STANDING = np.dtype(
    [
        ("plays", "?"),  # began with structures
        ("out", "?"),  # has lost all structures, or given up
        ("result", "i8"),  # codes.UNDECIDED, VICTORY, DEFEAT or TIE
        ("n_structures", "i8"),  # that count against defeat
        ("n_townhalls", "i8"),
        ("bare_since", "i8"),  # the tick since which it can have no townhall; -1 = it can
        ("revealed", "?"),
    ],
    align=True,
)

MATCH = np.dtype(
    [
        ("ended", "?"),
        ("active_tick", "i8"),  # when something was last mined, built or destroyed
        ("activity", "f8"),  # a sum that all of these change
        ("warned", "?"),  # that the game will be a tie
    ],
    align=True,
)
