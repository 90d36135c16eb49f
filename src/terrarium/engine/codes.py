"""Small integers with a meaning, shared by the kernels and those who read their arrays.

Where data files use words, the number follows from the word: `code` gives its place in the
vocabulary, `bit` one bit of a mask. Every word of such a vocabulary has one constant here,
but for mechanics of abilities: a new one needs none.
"""

from collections.abc import Iterable

from terrarium.data import vocabulary as words
from terrarium.data.mechanics import MECHANICS


def code(vocabulary: Iterable[str], word: str) -> int:
    """The place of a word in its vocabulary."""
    return list(vocabulary).index(word)


def bit(vocabulary: Iterable[str], word: str) -> int:
    """The bit that stands for a word of a vocabulary."""
    return 1 << code(vocabulary, word)


def bits(vocabulary: Iterable[str], chosen: Iterable[str]) -> int:
    """The bits of several words together."""
    known = list(vocabulary)
    return sum(1 << known.index(word) for word in set(chosen))


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
GATHER = 11  # bring what a field or a geyser holds to a townhall, again and again
RETURN_CARGO = 12  # bring what the unit carries to the nearest townhall
BUILD = 16  # go to a place and begin a structure there: the product that the order names
CONSTRUCT = 17  # work on a structure until it is finished
SWITCH_AUTOCAST = 18  # of the ability that the command names; none: of a change of form
# Commands that are carried out at once, and are no orders of the unit's queue.
PRODUCE = 13  # put the product that the command names as its ability at the end of the queue
CANCEL_LAST = 14  # take the last product out of the queue
RALLY = 15  # where new units go

RALLY_WORKERS = 30  # where new workers go

# What CANCEL_LAST may name as its ability, to give up nothing else. What comes first counts.
CANCELS_ANYTHING = -1
CANCELS_NOTHING, CANCELS_SITE, CANCELS_ADDON, CANCELS_MORPH, CANCELS_ITEM = range(5)

# How a product comes to be: by the words of data files, by research, or out of a larva.
HOW_TRAIN = code(words.WAYS_OF_PRODUCTION, "train")
HOW_BUILD = code(words.WAYS_OF_PRODUCTION, "build")
HOW_BUILD_ON_GEYSER = code(words.WAYS_OF_PRODUCTION, "build_on_geyser")
HOW_ADDON = code(words.WAYS_OF_PRODUCTION, "addon")
HOW_MORPH = code(words.WAYS_OF_PRODUCTION, "morph")
HOW_MORPH_PLACE = code(words.WAYS_OF_PRODUCTION, "morph_place")
HOW_WARP_IN = code(words.WAYS_OF_PRODUCTION, "warp_in")
HOW_MERGE = code(words.WAYS_OF_PRODUCTION, "merge")
HOW_ABILITY = code(words.WAYS_OF_PRODUCTION, "ability")
HOW_AUTOMATIC = code(words.WAYS_OF_PRODUCTION, "automatic")
HOW_RESEARCH = len(words.WAYS_OF_PRODUCTION)
HOW_LARVA = HOW_RESEARCH + 1

# What becomes of the worker that begins a structure.
STAYS, LEAVES, BECOMES_IT = range(3)

# What became of an order: the numbers and names of the game's own ActionResult.
SUCCESS = 1
NOT_SUPPORTED = 2
ERROR = 3
CANT_QUEUE_THAT_ORDER = 4
COOLDOWN = 6
QUEUE_IS_FULL = 7
NOT_ENOUGH_MINERALS = 9
NOT_ENOUGH_VESPENE = 10
NOT_ENOUGH_FOOD = 13
NOT_ENOUGH_LIFE = 15
NOT_ENOUGH_ENERGY = 17
CANT_TARGET_THAT_UNIT = 36
BUILD_TECH_REQUIREMENTS_NOT_MET = 40
CANT_FIND_PLACEMENT_LOCATION = 41
CANT_BUILD_ON_THAT = 42
CANT_BUILD_LOCATION_INVALID = 44
CANT_SEE_BUILD_LOCATION = 45
CANT_BUILD_TOO_CLOSE_TO_CREEP_SOURCE = 46
CANT_BUILD_TOO_CLOSE_TO_RESOURCES = 47
CANT_BUILD_TOO_FAR_FROM_CREEP_SOURCE = 49
CANT_BUILD_TOO_FAR_FROM_BUILD_POWER_SOURCE = 50
CANT_LAND_LOCATION_INVALID = 53
CANT_LAND_TOO_CLOSE_TO_CREEP_SOURCE = 55
CANT_LAND_TOO_CLOSE_TO_RESOURCES = 56
TECH_REQUIREMENTS_NOT_MET = 79
MUST_TARGET_VISIBLE_LOCATION = 84
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
    NOT_ENOUGH_FOOD: "NotEnoughFood",
    NOT_ENOUGH_LIFE: "NotEnoughLife",
    NOT_ENOUGH_ENERGY: "NotEnoughEnergy",
    CANT_TARGET_THAT_UNIT: "CantTargetThatUnit",
    BUILD_TECH_REQUIREMENTS_NOT_MET: "BuildTechRequirementsNotMet",
    CANT_FIND_PLACEMENT_LOCATION: "CantFindPlacementLocation",
    CANT_BUILD_ON_THAT: "CantBuildOnThat",
    CANT_BUILD_LOCATION_INVALID: "CantBuildLocationInvalid",
    CANT_SEE_BUILD_LOCATION: "CantSeeBuildLocation",
    CANT_BUILD_TOO_CLOSE_TO_CREEP_SOURCE: "CantBuildTooCloseToCreepSource",
    CANT_BUILD_TOO_CLOSE_TO_RESOURCES: "CantBuildTooCloseToResources",
    CANT_BUILD_TOO_FAR_FROM_CREEP_SOURCE: "CantBuildTooFarFromCreepSource",
    CANT_BUILD_TOO_FAR_FROM_BUILD_POWER_SOURCE: "CantBuildTooFarFromBuildPowerSource",
    CANT_LAND_LOCATION_INVALID: "CantLandLocationInvalid",
    CANT_LAND_TOO_CLOSE_TO_CREEP_SOURCE: "CantLandTooCloseToCreepSource",
    CANT_LAND_TOO_CLOSE_TO_RESOURCES: "CantLandTooCloseToResources",
    TECH_REQUIREMENTS_NOT_MET: "TechRequirementsNotMet",
    MUST_TARGET_VISIBLE_LOCATION: "MustTargetVisibleLocation",
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
NO_PRODUCT = -1

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
    DRAGGED,  # is moved by another unit
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
    UNFINISHED,  # is being built: it does nothing yet, and fulfils no requirement
    ON_CREEP,
    UNPOWERED,  # needs the power of a pylon, and has none
    SPREADS_CREEP,  # is told to, as overlords are
    HALTED,  # makes nothing
    HALLUCINATED,  # deals no damage, has no armor, and is worth nothing
) = (1 << bit for bit in range(31))
STUNNED = ROOTED | DISARMED | SILENCED

# Where a body is: a bit each, so that a weapon's targets are a mask.
GROUND = bit(words.PLANES, "ground")
AIR = bit(words.PLANES, "air")

# What a weapon's splash may hit.
ONLY_GROUND = bit(words.VICTIMS, "ground")
ONLY_AIR = bit(words.VICTIMS, "air")
ONLY_STRUCTURES = bit(words.VICTIMS, "structure")
NO_STRUCTURES = 1 << len(words.VICTIMS)  # structures take another hit of the weapon instead

# Who owns the choice of a target.
TARGET_NONE = 0
TARGET_ORDERED = 1
TARGET_ACQUIRED = 2

# Willingness to pick targets, and what a unit does when it is hit.
ACQUIRE_OFFENSIVE = code(words.ACQUIRES, "offensive")
ACQUIRE_DEFENSIVE = code(words.ACQUIRES, "defensive")
RESPOND_ACQUIRE = code(words.RESPONSES, "acquire")
RESPOND_FLEE = code(words.RESPONSES, "flee")

# What workers gather.
NO_RESOURCE = 0
MINERALS = 1 + code(words.RESOURCES, "minerals")
VESPENE = 1 + code(words.RESOURCES, "vespene")

# Whose rules of production a type needs, a bit each.
ZERG_WAYS, PROTOSS_WAYS = 1, 2

# Where new units go.
NO_RALLY, RALLY_POINT, RALLY_UNIT = range(3)
OF_UNITS, OF_WORKERS = range(2)

# What a worker does that has an order to gather.
TO_RESOURCE, GATHERING, PAUSING, RETURNING = range(4)

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
DELAYED, SPELL_FLYING, LYING, LOCKED, SUMMONING, BROODING = range(4, 10)

# Events.
(
    BORN,
    DIED,
    HURT,
    REFUSED,
    FAILED,
    CAST_DONE,
    FORM_CHANGED,
    SPAWN_REFUSED,
    STARTED,
    FINISHED,
    CANCELLED,
    GAME_OVER,
    REVEALED_PLAYER,
    STALEMATE_WARNING,
) = range(1, 15)
EVENT_NAMES = {
    BORN: "born",
    DIED: "died",  # by the hand of `other`
    HURT: "hurt",  # by `other`
    REFUSED: "refused",  # an order, when it was given
    FAILED: "failed",  # an order, after it had been accepted
    CAST_DONE: "cast",  # an ability, on `other`
    FORM_CHANGED: "form_changed",
    SPAWN_REFUSED: "spawn_refused",  # there was no slot for a new unit
    STARTED: "started",  # to make a product: its row is the amount
    FINISHED: "finished",
    CANCELLED: "cancelled",
    GAME_OVER: "game_over",  # for a player: the result is the amount
    REVEALED_PLAYER: "revealed",  # a player who can have no townhall
    STALEMATE_WARNING: "stalemate_warning",
}

# How a game ended for a player; the numbers of the game's own Result.
VICTORY, DEFEAT, TIE, UNDECIDED = range(1, 5)

# Categories of the score, in the order of the game's own; upgrades have no word in data files.
NO_CATEGORY, ARMY_CATEGORY, ECONOMY_CATEGORY, TECHNOLOGY_CATEGORY, UPGRADE_CATEGORY = range(5)
LIFE, SHIELDS, ENERGY = range(3)

# Why an environment had to stop.
NO_FAULT, TOO_MANY_EFFECTS, TOO_MANY_HITS, NO_GROUND = range(4)

# Mechanics of abilities that rules other than their own know. (HEAL is an order and BURST the form
# of a hit.)
SELF_BUFF = code(MECHANICS, "self_buff")
TOGGLE = code(MECHANICS, "toggle")
END = code(MECHANICS, "end")
MORPH = code(MECHANICS, "morph")
MISSILE = code(MECHANICS, "missile")
CHANNEL = code(MECHANICS, "channel")
LOCK_ON = code(MECHANICS, "lock_on")
BLAST = code(MECHANICS, "burst")
CHARGE = code(MECHANICS, "charge")
TELEPORT = code(MECHANICS, "teleport")
SUMMON = code(MECHANICS, "summon")
HEALING = code(MECHANICS, "heal")
REPAIR = code(MECHANICS, "repair")
LOAD = code(MECHANICS, "load")
UNLOAD = code(MECHANICS, "unload")
SALVAGE = code(MECHANICS, "salvage")
PASSIVE = code(MECHANICS, "passive")

# Flags of abilities, a bit each.
RUNS_BESIDE = bit(words.ABILITY_FLAGS, "no_order_interruption")
CASTS_MOVING = bit(words.ABILITY_FLAGS, "may_cast_while_moving")
HOLDS_WEAPONS = bit(words.ABILITY_FLAGS, "holds_weapons")
BROKEN_BY_DAMAGE = bit(words.ABILITY_FLAGS, "broken_by_damage")
REFUNDS_ENERGY = bit(words.ABILITY_FLAGS, "refunds_energy")
SPENDS_COOLDOWN = bit(words.ABILITY_FLAGS, "spends_cooldown_when_broken")
NEEDS_VISION = bit(words.ABILITY_FLAGS, "needs_vision")
PULLS_TARGET = bit(words.ABILITY_FLAGS, "pulls_target")
TAKES_CONTROL = bit(words.ABILITY_FLAGS, "takes_control")
BREAKS_FORCE_FIELDS = bit(words.ABILITY_FLAGS, "breaks_force_fields")
ONLY_WHEN_EMPTY = bit(words.ABILITY_FLAGS, "only_when_empty")
KILLS_USER = bit(words.ABILITY_FLAGS, "kills_user")
JOINS_SUMMONED = bit(words.ABILITY_FLAGS, "joins_summoned")

# What an ability is aimed at.
AIM_NONE = code(words.ABILITY_TARGETS, "none")
AIM_UNIT = code(words.ABILITY_TARGETS, "unit")
AIM_POINT = code(words.ABILITY_TARGETS, "point")
AIM_UNIT_OR_POINT = code(words.ABILITY_TARGETS, "unit_or_point")

# Phases of a cast; an ability names those that no order interrupts as bits.
APPROACH, PREP, INTRO, OUTRO, CHANNELING, FINISH = range(6)

# Whether an ability is used by itself.
NEVER_BY_ITSELF = code(words.AUTOCASTS, "never")
BY_ITSELF_IF_TOLD = code(words.AUTOCASTS, "off")
BY_ITSELF = code(words.AUTOCASTS, "on")

# When the cooldown begins.
FROM_CAST = code(words.COOLDOWN_STARTS, "cast")
FROM_LAUNCH = code(words.COOLDOWN_STARTS, "launch")
FROM_END = code(words.COOLDOWN_STARTS, "end")

# Whom something concerns.
ENEMIES = code(words.SIDES, "enemy")
OWN = code(words.SIDES, "own")
FRIENDS = code(words.SIDES, "friend")
EVERYBODY = code(words.SIDES, "everybody")
TARGET_OWNER = code(words.SIDES, "target_owner")
UNKNOWN_SIDE = code(words.SIDES, "unknown")

# What an area on the ground follows.
FOLLOWS_NOBODY = -1
FOLLOWS_USER = code(words.FOLLOWS, "user")
FOLLOWS_TARGET = code(words.FOLLOWS, "target")

# Manners of damage, a bit each.
RANGED = bit(words.HIT_KINDS, "ranged")
MELEE = bit(words.HIT_KINDS, "melee")
SPLASHED = bit(words.HIT_KINDS, "splash")
SPELL = bit(words.HIT_KINDS, "spell")

# Numbers that upgrades change.
(
    CHANGES_HP,
    CHANGES_ARMOR,
    CHANGES_SHIELD_ARMOR,
    CHANGES_SPEED,
    CHANGES_ACCELERATION,
    CHANGES_ENERGY_START,
    CHANGES_CARGO,
    CHANGES_RANGE,
    CHANGES_RATE,
    CHANGES_COOLDOWN,
    CHANGES_MORPH,
    CHANGES_CIRCLE,
    CHANGES_CREEP_SPEED,
) = range(13)
ADD = code(words.CHANGE_OPS, "add")
SET = code(words.CHANGE_OPS, "set")
MULTIPLY = code(words.CHANGE_OPS, "multiply")

# Traits, a bit each.
IS_AIR = bit(words.TRAITS, "air")
IS_ALLY = bit(words.TRAITS, "ally")
IS_BIOLOGICAL = bit(words.TRAITS, "biological")
IS_BURROWED = bit(words.TRAITS, "burrowed")
CAN_HAVE_ENERGY = bit(words.TRAITS, "can_have_energy")
IS_DESTRUCTIBLE = bit(words.TRAITS, "destructible")
IS_ENEMY = bit(words.TRAITS, "enemy")
IS_FRENZIED = bit(words.TRAITS, "frenzied")
IS_GROUND = bit(words.TRAITS, "ground")
IS_HALLUCINATION = bit(words.TRAITS, "hallucination")
HAS_ENERGY = bit(words.TRAITS, "has_energy")
IS_HEROIC = bit(words.TRAITS, "heroic")
IS_INVULNERABLE = bit(words.TRAITS, "invulnerable")
IS_ITEM = bit(words.TRAITS, "item")
IS_MASSIVE = bit(words.TRAITS, "massive")
IS_MECHANICAL = bit(words.TRAITS, "mechanical")
IS_MECHANICAL_OR_PSIONIC = bit(words.TRAITS, "mechanical_or_psionic")
IS_MISSILE = bit(words.TRAITS, "missile")
IS_NEUTRAL = bit(words.TRAITS, "neutral")
IS_PLAYER = bit(words.TRAITS, "player")
IS_REACTOR = bit(words.TRAITS, "reactor")
IS_SELF = bit(words.TRAITS, "self")
IS_STASIS = bit(words.TRAITS, "stasis")
IS_STRUCTURE = bit(words.TRAITS, "structure")
IS_SUPPLY_DEPOT = bit(words.TRAITS, "supply_depot")
IS_TERRAN = bit(words.TRAITS, "terran")
IS_TOWNHALL = bit(words.TRAITS, "townhall")
IS_UNDER_CONSTRUCTION = bit(words.TRAITS, "under_construction")
IS_VISIBLE = bit(words.TRAITS, "visible")
IS_WIDOW_MINE_OF_PLAYER = bit(words.TRAITS, "widow_mine_of_player")

# Cheats that a player has switched on, a bit each, by the numbers of the API's DebugGameState.
SHOWS_MAP = 1 << 1  # sees all of the map; cloaked units still have to be detected
CONTROLS_ENEMIES = 1 << 2  # may command units of other players
NEEDS_NO_SUPPLY = 1 << 3
PAYS_NOTHING = 1 << 4
IS_UNHURT = 1 << 6  # hits take nothing from its units
HAS_NO_COOLDOWNS = 1 << 9
NEEDS_NO_TECH = 1 << 10
BUILDS_FAST = 1 << 12
