"""Small integers with a meaning, shared by the kernels and those who read their arrays."""

# Orders. SMART is resolved to one of the others when it is given.
NO_ORDER = 0
MOVE = 1
ATTACK = 2
ATTACK_MOVE = 3
STOP = 4
HOLD = 5
PATROL = 6
FOLLOW = 7
SMART = 8
HEAL = 9

NO_UNIT = -1

# Where a body is: a bit each, so that a weapon's targets are a mask.
GROUND = 1
AIR = 2

# What a weapon's splash may hit.
ONLY_GROUND = 1
ONLY_AIR = 2
ONLY_STRUCTURES = 4
NO_STRUCTURES = 8

# Who owns the choice of a target.
TARGET_NONE = 0
TARGET_ORDERED = 1
TARGET_ACQUIRED = 2

# Willingness to pick targets, and what a unit does when it is hit.
ACQUIRE_DEFENSIVE, ACQUIRE_OFFENSIVE = 0, 1
RESPOND_ACQUIRE, RESPOND_FLEE = 0, 1

# How a unit walks: ground units by two sizes of gap, cliff-walkers, and air.
SMALL_WALKER, LARGE_WALKER, CLIFF_WALKER, FLYER = 0, 1, 2, 3

# What a weapon does to its owner's movement.
FIRES_STANDING, FIRES_GLIDING, FIRES_MOVING = 0, 1, 2

# Forms of a hit.
SINGLE, SPLASH, BURST, LINE, SWEEP, CONE, BOUNCE, SPINES = range(8)

# When a hit of a weapon applies.
(
    ALWAYS,
    SMALL_TARGET,
    LARGE_TARGET,
    GROUND_TARGET,
    AIR_TARGET,
    NEAR_TARGET,
    FAR_TARGET,
    NEVER,
) = range(8)

# Life of an effect.
WAITING, FLYING, SWEEPING, SPREADING = range(4)

# Why an environment had to stop.
NO_FAULT, TOO_MANY_EFFECTS, TOO_MANY_HITS, TOO_MANY_UNITS = range(4)
