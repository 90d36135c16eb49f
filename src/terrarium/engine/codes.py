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
CAST = 10  # use the ability that the order names

# What became of an order: the numbers and names of the game's own ActionResult.
SUCCESS = 1
NOT_SUPPORTED = 2
ERROR = 3
CANT_QUEUE_THAT_ORDER = 4
COOLDOWN = 6
QUEUE_IS_FULL = 7
NOT_ENOUGH_MINERALS = 9
NOT_ENOUGH_VESPENE = 10
NOT_ENOUGH_LIFE = 15
NOT_ENOUGH_ENERGY = 17
CANT_TARGET_THAT_UNIT = 36
CANT_FIND_PLACEMENT_LOCATION = 41
TECH_REQUIREMENTS_NOT_MET = 79
YOU_CANT_CONTROL_THAT_UNIT = 87
COULDNT_REACH_TARGET = 208
TARGET_IS_OUT_OF_RANGE = 209
RESULT_NAMES = {
    0: "",  # there was no order
    SUCCESS: "Success",
    NOT_SUPPORTED: "NotSupported",
    ERROR: "Error",
    CANT_QUEUE_THAT_ORDER: "CantQueueThatOrder",
    COOLDOWN: "Cooldown",
    QUEUE_IS_FULL: "QueueIsFull",
    NOT_ENOUGH_MINERALS: "NotEnoughMinerals",
    NOT_ENOUGH_VESPENE: "NotEnoughVespene",
    NOT_ENOUGH_LIFE: "NotEnoughLife",
    NOT_ENOUGH_ENERGY: "NotEnoughEnergy",
    CANT_TARGET_THAT_UNIT: "CantTargetThatUnit",
    CANT_FIND_PLACEMENT_LOCATION: "CantFindPlacementLocation",
    TECH_REQUIREMENTS_NOT_MET: "TechRequirementsNotMet",
    YOU_CANT_CONTROL_THAT_UNIT: "YouCantControlThatUnit",
    COULDNT_REACH_TARGET: "CouldntReachTarget",
    TARGET_IS_OUT_OF_RANGE: "TargetIsOutOfRange",
}

# Owners of units: neutral, then players 1 to 16. What one owner is to another has the numbers of
# the game's own Alliance.
NEUTRAL_OWNER = 0
SELF, ALLY, NEUTRAL, ENEMY = range(1, 5)

NO_UNIT = -1
NO_ABILITY = -1

# What a unit is or does at the moment, a bit each (UNIT.status). The tick skips what no unit needs.
(
    HEALS,  # its type has a healing beam
    AUTOCASTS,  # its type has an ability that it uses by itself
    BUFFED,  # carries a buff
    CASTING,  # is in a phase of an ability
    MORPHING,  # is becoming another type
    ROOTED,  # cannot move
    DISARMED,  # cannot attack
    SILENCED,  # cannot use abilities
    CLOAKED,  # seen only where the other side detects
    REVEALED,  # cloak does not hide it
    UNTOUCHABLE,  # can be neither targeted nor hurt
    LIFTED,  # counts as air
    HOLDS_FIRE,  # looks for no targets by itself
    WARDED,  # carries a buff that changes the damage it takes
    DRAGGED,  # is moved by somebody else
    MANNED,  # has passengers who shoot
    DETECTS,  # its type detects what is cloaked
    ARMED,  # a weapon that it otherwise has not is on
    JOINED,  # waits for what it summoned
    STARVED,  # gets no energy back
    ZONED,  # shoots only at what stands in its zone
    EMPOWERED,  # carries a buff that changes the damage it deals
    CONTROLLED,  # fights for another side than its own
    GROUNDED,  # can be neither teleported nor loaded
    BLINDED,  # does not detect
) = (1 << bit for bit in range(25))
STUNNED = ROOTED | DISARMED | SILENCED

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

# What a player knows of a cell; the API's visibility values.
HIDDEN, EXPLORED, VISIBLE = range(3)

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
    SPARES_TARGET,
) = range(9)

# Life of an effect: of a weapon's shot, then of an ability.
WAITING, FLYING, SWEEPING, SPREADING = range(4)
DELAYED, SPELL_FLYING, LYING, LOCKED, SUMMONING = range(4, 9)

# Events.
BORN, DIED, HURT, REFUSED, FAILED, CAST_DONE, FORM_CHANGED, SPAWN_REFUSED = range(1, 9)
EVENT_NAMES = {
    BORN: "born",
    DIED: "died",  # by the hand of `other`
    HURT: "hurt",  # by `other`
    REFUSED: "refused",  # an order, when it was given
    FAILED: "failed",  # an order, after it had been accepted
    CAST_DONE: "cast",  # an ability, on `other`
    FORM_CHANGED: "form_changed",
    SPAWN_REFUSED: "spawn_refused",  # there was no slot for a new unit
}

# Why an environment had to stop.
NO_FAULT, TOO_MANY_EFFECTS, TOO_MANY_HITS = range(3)

# Mechanics of abilities, in the order of data.vocabulary.ABILITY_KINDS.
(
    SELF_BUFF,
    TOGGLE,
    END,
    MORPH,
    TARGET_EFFECT,
    MISSILE,
    CHANNEL,
    LOCK_ON,
    FIELD,
    BLAST,
    CHARGE,
    TELEPORT,
    SUMMON,
    HEALING,
    REPAIR,
    LOAD,
    UNLOAD,
    SALVAGE,
    PASSIVE,
) = range(19)

# What an ability is aimed at.
AIM_NONE, AIM_UNIT, AIM_POINT, AIM_UNIT_OR_POINT = range(4)

# Phases of a cast; an ability names those that no order interrupts as bits.
APPROACH, PREP, INTRO, OUTRO, CHANNELING, FINISH = range(6)

# Whether an ability is used by itself.
NEVER_BY_ITSELF, BY_ITSELF_IF_TOLD, BY_ITSELF = range(3)

# When the cooldown begins.
FROM_CAST, FROM_LAUNCH, FROM_END = range(3)

# Whom something concerns, in the order of data.vocabulary.SIDES.
ENEMIES, OWN, FRIENDS, EVERYBODY, TARGET_OWNER, UNKNOWN_SIDE = range(6)

# What an area on the ground follows.
FOLLOWS_NOBODY, FOLLOWS_USER, FOLLOWS_TARGET = range(3)

# Manners of damage, a bit each, in the order of data.vocabulary.HIT_KINDS.
RANGED, MELEE, SPLASHED, SPELL = 1, 2, 4, 8

# Numbers that upgrades change.
(
    CHANGES_HP,
    CHANGES_ARMOR,
    CHANGES_SHIELD_ARMOR,
    CHANGES_SPEED,
    CHANGES_ACCELERATION,
    CHANGES_ENERGY_START,
    CHANGES_ENERGY_REGEN,
    CHANGES_CARGO,
    CHANGES_RANGE,
    CHANGES_RATE,
    CHANGES_COOLDOWN,
    CHANGES_MAX_UNITS,
    CHANGES_MORPH,
    CHANGES_CIRCLE,
) = range(14)
ADD, SET, MULTIPLY = range(3)

# Traits, a bit each, in the order of data.vocabulary.TRAITS.
(
    IS_AIR,
    IS_ALLY,
    IS_BIOLOGICAL,
    IS_BURROWED,
    CAN_HAVE_ENERGY,
    IS_DESTRUCTIBLE,
    IS_ENEMY,
    IS_FRENZIED,
    IS_GROUND,
    IS_HALLUCINATION,
    HAS_ENERGY,
    IS_HEROIC,
    IS_INVULNERABLE,
    IS_ITEM,
    IS_MASSIVE,
    IS_MECHANICAL,
    IS_MECHANICAL_OR_PSIONIC,
    IS_MISSILE,
    IS_NEUTRAL,
    IS_PLAYER,
    IS_SELF,
    IS_STASIS,
    IS_STRUCTURE,
    IS_SUPPLY_DEPOT,
    IS_TERRAN,
    IS_TOWNHALL,
    IS_UNDER_CONSTRUCTION,
    IS_VISIBLE,
    IS_WIDOW_MINE_OF_PLAYER,
) = (1 << bit for bit in range(29))
