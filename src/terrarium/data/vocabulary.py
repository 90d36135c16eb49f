"""The words that data files may use where a word has a meaning to the rules.

Where a word needs an explanation, the vocabulary is a dict from the word to its meaning.
"""

RACES = ("Terran", "Zerg", "Protoss")
UNIT_RACES = (*RACES, "Neutral")
KINDS = ("unit", "structure", "addon")
ATTRIBUTES = (
    "Light",
    "Armored",
    "Biological",
    "Mechanical",
    "Psionic",
    "Massive",
    "Structure",
    "Heroic",
)
FLAGS = (
    "worker",
    "army",
    "always_a_threat",
    "permanently_cloaked",
    "buried",
    "invulnerable",
    "untargetable",
    "unselectable",
    "uncommandable",
    "counts_against_defeat",
    "no_armor_while_constructing",
    "town_alert",
    "no_score",
)
PLANES = ("ground", "air")
MOVERS = ("ground", "air", "cliff_jumper", "cliff_walker", "creep_only", "burrowed")
COLLISION_CLASSES = (
    "ground",
    "small",
    "flying",
    "flying_escort",
    "structure",
    "force_field",
    "burrow",
    "roach_burrow",
    "locust",
    "locust_force_field",
    "colossus",
    "creep_tumor",
    "disruptor_phased",
    "larva",
    "phased",
)
COST_CATEGORIES = ("army", "economy", "technology", "none")
ACQUIRES = ("offensive", "defensive")
RESOURCES = ("minerals", "vespene")
RESPONSES = ("acquire", "flee")
WAYS_OF_PRODUCTION = (
    "train",
    "build",
    "build_on_geyser",
    "addon",
    "morph",
    "morph_place",
    "warp_in",
    "merge",
    "ability",
    "automatic",
)

TARGETS = ("any", "ground", "air")
MOVEMENT_WHILE_FIRING = ("stops", "may glide while slowing", "full", "strafing runs")
HIT_KINDS = ("ranged", "melee", "splash", "spell")
HIT_CASES = (
    "alternating launcher",
    "ground target",
    "lowered supply depot",
    "target radius < 1.25",
    "target radius >= 1.25",
    "target within 3",
    "otherwise",
)
DRIVERS = ("guidance", "throw", "escort")
CENTERS = ("self", "target")
VICTIMS = ("ground", "air", "structure")
UPGRADES = (
    "TerranInfantryWeapons",
    "TerranVehicleWeapons",
    "TerranShipWeapons",
    "TerranInfantryArmors",
    "TerranVehicleAndShipArmors",
    "TerranBuildingArmor",
    "ZergMeleeWeapons",
    "ZergMissileWeapons",
    "ZergFlyerWeapons",
    "ZergGroundArmors",
    "ZergFlyerArmors",
    "ProtossGroundWeapons",
    "ProtossAirWeapons",
    "ProtossGroundArmors",
    "ProtossAirArmors",
    "ProtossShields",
)

ABILITY_TARGETS = ("none", "unit", "point", "unit_or_point")
ABILITY_PHASES = ("approach", "prep", "cast", "channel", "finish")
ABILITY_FLAGS = {
    "no_order_interruption": "runs beside the current order",
    "may_cast_while_moving": "the user need not stand still",
    "holds_weapons": "the user does not shoot meanwhile, though it need not stand still",
    "broken_by_damage": "any damage to the user ends it",
    "refunds_energy": "the energy comes back when it is broken",
    "spends_cooldown_when_broken": "the cooldown begins even if it is broken off",
    "needs_vision": "the chosen point has to be visible",
    "pulls_target": "the target is dragged to the user",
    "takes_control": "the target fights for the user's side meanwhile",
    "breaks_force_fields": "force fields in its area are destroyed",
    "only_when_empty": "nobody may be inside",
    "kills_user": "the user dies of it",
    "joins_summoned": "the user appears where the unit it summoned is at the end of its life",
}
AUTOCASTS = {
    "never": "only when ordered",
    "off": "by itself once a player switches that on",
    "on": "by itself unless a player switches that off",
}
COOLDOWN_STARTS = ("cast", "launch", "end")
SIDES = {
    "enemy": "enemies of the user",
    "own": "units of the user's player",
    "friend": "own and allied units",
    "everybody": "whoever is there",
    "target_owner": "units of the player who owns the target",
    "unknown": "the sources do not say",
}
# Some are attributes, some are states: all can be asked of a target. As the game's filters name
# them, but for the underscores.
TRAITS = (
    "air",
    "ally",
    "biological",
    "burrowed",
    "can_have_energy",
    "destructible",
    "enemy",
    "frenzied",
    "ground",
    "hallucination",
    "has_energy",
    "heroic",
    "invulnerable",
    "item",
    "massive",
    "mechanical",
    "mechanical_or_psionic",
    "missile",
    "neutral",
    "player",
    "reactor",
    "self",
    "stasis",
    "structure",
    "supply_depot",
    "terran",
    "townhall",
    "under_construction",
    "visible",
    "widow_mine_of_player",
)
TYPE_TRAITS = ("reactor", "supply_depot", "townhall", "widow_mine_of_player")
"""traits that nothing else about a type tells, so that its table has to"""
LASTS = {
    "timed": "for `duration_loops`",
    "until_ended": "until something else ends it",
    "unknown": "the sources do not say",
}
BUFF_STATES = {
    "cloaked": "seen only by detectors",
    "revealed": "seen and detected by the other side",
    "decloaked": "cloak does not hide it",
    "lifted": "counts as air",
    "stasis": "can be neither targeted nor hurt",
    "stunned": "can do nothing",
    "controlled": "fights for somebody else",
    "holds_fire": "looks for no targets by itself",
    "weapon_on": "has a weapon that it otherwise has not",
    "locked_on": "is held by a lock",
    "channeling": "is bound by a channel",
    "spreads_creep": "drops creep while it stands still",
    "hallucination": "deals no damage, has no armor, is worth nothing and cannot work",
    "injected": "larvae will come",
    "carries_minerals": "has minerals to bring home",
    "carries_rich_minerals": "has rich minerals to bring home",
    "carries_gas": "has gas to bring home",
}
BUFF_PREVENTS = (
    "move",
    "attack",
    "abilities",
    "teleport",
    "load",
    "detection",
    "production",
    "energy_regeneration",
)
FOLLOWS = ("user", "target")
CHANGE_OPS = ("add", "set", "multiply")
# What an upgrade may change: fields of `facts.Unit`, `facts.Weapon`, `ability_facts.Ability` and
# `buff_facts.Buff`; the rest is explained here.
UNIT_CHANGES = (
    "hp",
    "armor",
    "shield_armor",  # not a field: 0 without upgrades
    "speed",
    "speed_creep_multiplier",
    "acceleration",
    "energy_start",
    "energy_regen_per_s",
    "cargo_capacity",
)
WEAPON_CHANGES = (
    "range",
    "scan_range",
    "damage",
    "damage_vs_structures",  # the hit that only structures take
    "bonus",  # needs an attribute
    "attack_rate_multiplier",  # not a field: 1 without upgrades; the cooldown is divided by it
    "line.steps",
)
ABILITY_CHANGES = (
    "range",
    "cooldown_loops",
    "max_units",  # of the cargo
    "morph_loops",
    "damage",  # of the strike that is named
    "bonus",  # of that strike, needs an attribute
    "circle_radius",
)
BUFF_CHANGES = ("speed_multiplier", "acceleration_multiplier")
