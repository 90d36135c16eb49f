"""What is known of a unit, as frozen dataclasses. `None` means: the sources do not say."""

from collections.abc import Mapping
from dataclasses import dataclass

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.assumptions import Assumptions
from terrarium.data.facts.buff_facts import Buff, Effect
from terrarium.data.facts.upgrade_facts import Upgrade


@dataclass(frozen=True)
class Missile:
    """One phase of a missile's flight; a later phase takes over from an earlier one."""

    driver: str | None
    """guidance | throw | escort: carried by a unit of its own (`Hit.spawns` says what is left)"""
    start_speed: float | None
    max_speed: float | None
    """`None` for an escort, whose flight is that unit's business"""
    accel: float | None
    escort: str | None
    """the unit that carries the hit, where the driver is an escort"""


@dataclass(frozen=True)
class Zone:
    """A ring of splash: the first zone that contains a victim gives its fraction."""

    radius: float
    fraction: float
    arc_deg: float | None


@dataclass(frozen=True)
class Splash:
    """Damage around the point of impact, next to the full damage on the target."""

    zones: tuple[Zone, ...]
    hits_own: bool
    only: tuple[str, ...]
    """ground | air | structure; empty: anything"""
    same_cliff_level_only: bool


@dataclass(frozen=True)
class Area:
    """Everything within `radius` of the `center` takes the hit in full."""

    radius: float
    center: str
    """self: the attacker | target: the point of impact"""
    hits_own: bool
    only: tuple[str, ...]
    """ground | air | structure; empty: anything"""


@dataclass(frozen=True)
class Line:
    """Damage along a line: from the attacker (Hellion, Lurker) or across the shot (Colossus)."""

    radius: float
    across: bool
    length: float | None
    half_length: float | None
    steps: int | None
    step_length: float | None
    step_loops: float | None
    """from one step to the next"""
    sweep_loops: float | None
    """from the first step to the last, about, where the time of a step is not known"""
    beams: int
    delay_loops: float | None
    """from the moment the line reaches a unit until it is hurt"""
    target_delay_loops: float | None
    """the same for the target, counted from the end of the sweep"""
    same_cliff_level_only: bool | None


@dataclass(frozen=True)
class Cone:
    """Damage in a sector in front of the attacker."""

    radius: float
    arc_deg: float


@dataclass(frozen=True)
class Hit:
    """One hit of an attack, `at_loops` after the damage point."""

    at_loops: float
    damage: float
    bonus: Mapping[str, float]
    bonus_vs_shields: float
    armor_applies: bool
    kind: str
    hits_own: bool
    case: str | None
    """of several hits with a case, the first that holds is dealt"""
    missile: tuple[Missile, ...]
    """phases of the flight; empty: the hit is instant"""
    splash: Splash | None
    area: Area | None
    line: Line | None
    cone: Cone | None
    spawns: str | None


@dataclass(frozen=True)
class UpgradeStep:
    """What one level of an upgrade adds to each hit of a weapon."""

    damage: float
    bonus: Mapping[str, float]
    vs_structures: float


@dataclass(frozen=True)
class Turret:
    """A weapon that turns on its own while the body goes its way."""

    yaw_rate_deg_per_s: float
    yaw_arc_deg: float


@dataclass(frozen=True)
class Weapon:
    """One weapon of a unit; times in game loops, ranges edge to edge."""

    name: str
    api_name: str
    targets: str
    range: float
    min_range: float | None
    range_slop: float
    scan_range: float
    cooldown_loops: float
    cooldown_random_loops: tuple[float, float]
    damage_point_loops: float
    backswing_loops: float
    fire_arc_deg: float
    arc_slop_deg: float
    movement_while_firing: str
    attacks: int
    damage: float | None
    bonus: Mapping[str, float]
    not_structures: bool
    suicide: bool
    """the shot kills the shooter, and its death, however it comes, fires the weapon"""
    starts_off: bool
    """an ability has to switch it on (`BUFF_STATES`: weapon_on)"""
    turret: Turret | None
    hits: tuple[Hit, ...]
    per_upgrade_level: Mapping[str, UpgradeStep]


@dataclass(frozen=True)
class Heal:
    """The Medivac's healing beam; rates per game-second (16 loops)."""

    range: float
    autocast_range: float
    life_per_s: float
    energy_per_life: float
    autocast_min_energy: float
    while_moving: bool


@dataclass(frozen=True)
class Resource:
    """What workers gather from the unit."""

    kind: str
    contents: float
    """at the start; a structure on a geyser has what the geyser had"""
    per_trip: float
    gather_loops: float
    """how long a worker takes, and keeps the others from it"""
    pause_loops: float
    """how long it stays afterwards, when the next one may begin"""


@dataclass(frozen=True)
class Harvest:
    """How a worker gathers that does it in its own way, beside the others: a MULE."""

    minerals: float
    """a trip"""
    loops: float


@dataclass(frozen=True)
class Creep:
    """The disc of creep that a source spreads around itself."""

    radius: float
    start: float
    """the radius that it has at once"""
    loops_per_step: float
    """how long it takes to grow by one ring of cells"""


@dataclass(frozen=True)
class Disguise:
    """A form that looks like an enemy's unit."""

    of: str
    """the unit that takes the form"""
    unit: str
    """the unit that it looks like, for enemies of that race"""
    upgrade: str | None
    """only where the enemy has this upgrade"""


@dataclass(frozen=True)
class Leaves:
    """The units that a structure leaves when it is destroyed."""

    unit: str
    count: int


@dataclass(frozen=True)
class Footprint:
    """What a structure covers: cells for placement, an outline that blocks ground units."""

    size: tuple[int, int] | None
    ground_block_polygon: tuple[tuple[float, float], ...] | None
    placement: tuple[tuple[int, int], ...] | None = None
    """of its cells, from the lower left, those on which nothing else can be built; `None`: all"""
    blocking: tuple[tuple[int, int], ...] | None = None
    """those that walkers cannot enter; `None`: as far as the outline covers them"""


@dataclass(frozen=True)
class Requirement:
    """What must be there before something can be made."""

    kind: str
    id: int
    name: str


@dataclass(frozen=True)
class Production:
    """One way in which a unit comes to be."""

    by: int
    by_name: str
    ability: int | None
    how: str
    pays_minerals: float
    pays_vespene: float
    pays_energy: float | None
    loops: float | None
    random_extra_loops: tuple[float, float] | None
    gate_cooldown_loops: float | None
    count: int | None
    consumes_producer: bool
    requires: tuple[Requirement, ...]
    via: str | None
    """what the producer is meanwhile: an egg, a cocoon"""
    via_after_loops: tuple[float, float] | None
    """how long it takes until it is that, a whole number drawn anew each time"""
    as_trained: bool
    """timed and refunded like a unit that is trained, though the producer becomes it"""
    by_itself: bool
    """as soon as it can be, unless the producer was this before"""


@dataclass(frozen=True)
class Api:
    """How the game's own interface describes the type."""

    tech_alias: tuple[int, ...]
    unit_alias: int | None
    creation_ability: int | None
    build_time_loops: float | None
    mineral_cost: float | None
    vespene_cost: float | None
    food_required: float | None
    tech_requirement: int | None
    require_attached: bool


@dataclass(frozen=True)
class Unit:
    """Everything the engine, the server and the bot need to know of one unit type."""

    name: str
    api_name: str
    id: int
    agent_copy_of: str | None
    """the unit whose passive ones, SMAC's agents, are of this type"""
    race: str
    kind: str
    api: Api
    hp: float
    hp_regen_per_s: float
    hp_regen_delay_loops: float | None
    armor: float
    shields: float
    shield_regen_per_s: float | None
    shield_regen_delay_loops: float | None
    energy_max: float
    energy_start: float | None
    energy_regen_per_s: float | None
    attributes: tuple[str, ...]
    sight: float
    detection_range: float | None
    radar_range: float | None
    power_radius: float | None
    flying: bool
    targetable_as: tuple[str, ...]
    sees_over_cliffs: bool
    radius: float
    separation_radius: float | None
    inner_radius: float | None
    radius_api: float
    fly_height: float
    footprint: Footprint | None
    addon_offset: tuple[float, float] | None
    creep: Creep | None
    needs_creep: bool
    """stands only on creep"""
    needs_power: bool
    """stands only in the power of a pylon, and works only there"""
    leaves: Leaves | None
    settles_as: str | None
    """what it becomes by itself when it is finished"""
    quickens_warp_in: bool
    """a power field near it is a fast one"""
    disguise: Disguise | None
    """whose look this form of a Changeling has"""
    speed: float
    speed_creep_multiplier: float | None
    acceleration: float | None
    deceleration: float | None
    lateral_acceleration: float | None
    turn_rate_deg_per_s: float | None
    stationary_turn_rate_deg_per_s: float | None
    mover: str | None
    collision: tuple[str, ...]
    mass: float
    cargo_size: int
    cargo_capacity: int
    supply_used: float
    supply_provided: float
    minerals_total: float
    vespene_total: float
    cost_category: str
    repair_loops: float | None
    score_make: float
    score_kill: float
    attack_priority: int
    attack_priority_when_others_near: int | None
    acquires: str
    response_to_attack: str
    flags: tuple[str, ...]
    traits: tuple[str, ...]
    """what filters of abilities ask for and nothing else about the type tells"""
    snapshot_in_fog: bool
    lifetime_loops: tuple[float, float] | None
    weapons: tuple[Weapon, ...]
    heal: Heal | None
    resource: Resource | None
    harvest: Harvest | None
    armor_upgrades_per_level: Mapping[str, float]
    production: tuple[Production, ...]
    abilities_seen: tuple[int, ...]
    command_card: tuple[int, ...]
    blocks_sight: bool = False
    """ground units do not see through it"""
    capture_range: float = 0.0
    """of a neutral tower: how near a unit that takes it over has to be"""

    @property
    def known_as(self) -> str:
        """The name that players know it by: a copy goes by that of the unit it is a copy of."""
        return self.agent_copy_of or self.name


@dataclass(frozen=True)
class Targeting:
    """How far units care for what happens around them."""

    leash_radius: float
    leash_reset_radius: float
    movement_limit: float
    call_for_help_radius: float
    call_for_help_loops: float


@dataclass(frozen=True, eq=False)
class RuleSet:
    """A balance version: all by name, in a fixed order, and a version for replays and results."""

    name: str
    title: str
    version: int
    targeting: Targeting
    assumptions: Assumptions
    units: Mapping[str, Unit]
    abilities: Mapping[str, Ability]
    buffs: Mapping[str, Buff]
    effects: Mapping[str, Effect]
    upgrades: Mapping[str, Upgrade]
