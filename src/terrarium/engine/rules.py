"""The layout of the rules' tables: what kernels know of types, weapons and hits."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.state import Records

RULES_VERSION = 1
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
        ("classes", "i8"),
        ("walker", "i8"),
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
        ("top_rank", "i8"),  # nobody is a better target than one of this rank
        ("heal_range", "f8"),
        ("heal_scan", "f8"),
        ("heal_life", "f8"),  # per tick
        ("heal_cost", "f8"),
        ("heal_min_energy", "f8"),
        ("life_low", "f8"),
        ("life_high", "f8"),
        ("changes", "?"),  # life, shields or energy come back, or its time runs out
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
    ],
    align=True,
)

TARGETING = np.dtype(
    [("leash", "f8"), ("leash_reset", "f8"), ("help_radius", "f8"), ("help_ticks", "i8")],
    align=True,
)


class Rules(NamedTuple):
    """Static tables: rows of `types` are unit types, and so are both axes of the matrices."""

    targeting: Records  # [1] TARGETING
    types: Records  # [T] TYPE
    weapons: Records  # [W] WEAPON
    hits: Records  # [H] HIT_ROW
    damage: NDArray[np.float64]  # [H, T] before armor
    rank: NDArray[np.int64]  # [T, T] how gladly a type attacks another; -1 = it cannot
    scan: NDArray[np.float64]  # [T, T] how far it looks for it
    reach: NDArray[np.float64]  # [T, T] longest range against it
    too_near: NDArray[np.float64]  # [T, T] below this distance no weapon works
