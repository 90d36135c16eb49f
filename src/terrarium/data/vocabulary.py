"""The words that unit and rule-set files may use where a word has a meaning to the rules."""

RACES = ("Terran", "Zerg", "Protoss")
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
