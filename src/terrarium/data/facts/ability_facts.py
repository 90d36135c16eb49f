"""What is known of an ability, as frozen dataclasses.

`None` means: the sources do not say, or it does not apply. Times are game loops, rates per
game-second (16 loops), ranges from edge to edge.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from terrarium.data.facts.buff_facts import Strike

ANYWHERE = 500.0
"""the range of an ability that reaches every point of the map"""


@dataclass(frozen=True)
class Circle:
    """Whom the other outcomes of an ability reach around its point of impact."""

    radius: float
    who: str
    only: tuple[str, ...]
    never: tuple[str, ...]


@dataclass(frozen=True)
class Flight:
    """A missile between the cast and the outcome; speeds per game-second."""

    max_speed: float | None
    """`None`: it flies, and the sources do not say how fast"""
    accel: float | None
    lost_after_loops: float | None
    """then it is lost if its target got too far away"""


@dataclass(frozen=True)
class Morph:
    """The user becomes another unit."""

    becomes: str
    loops: float | None
    random_extra_loops: tuple[float, float] | None
    """a delay drawn from this interval comes first"""
    stats_over_loops: tuple[float, float] | None
    """when, within the change, the new unit's numbers begin and cease to fade in"""
    acts_after_loops: float | None
    """from the order to the first moment the new unit can shoot"""
    search_radius: float | None
    """how far it looks for free ground to stand on"""


@dataclass(frozen=True)
class Summon:
    """New units; how long they live is said by `Unit.lifetime_loops`."""

    unit: str
    count: int
    loops: float | None
    """from the cast until they are there"""


@dataclass(frozen=True)
class Teleport:
    """Somebody vanishes and appears elsewhere."""

    distance: float | None
    """at most this far; `None`: as far as the range of the ability"""
    radius: float | None
    """who is taken along: own units around the point, to the user; `None`: the user goes"""
    leave_loops: float | None
    travel_loops: float | None
    settle_loops: float | None
    """while it leaves, travels and settles the user can be neither targeted nor hurt"""


@dataclass(frozen=True)
class Cargo:
    """How a carrier takes units in and lets them out; its room is `Unit.cargo_capacity`."""

    max_units: int
    max_unit_size: int
    load_range: float
    load_all_radius: float | None
    load_period_loops: float | None
    unload_range: float
    unload_period_loops: float | None
    first_unload_loops: float | None
    dies_with_carrier: bool
    weapon_range_add: float
    """passengers shoot, this much farther; 0: they do not shoot"""
    only: tuple[str, ...]
    """passengers have to be all of these"""
    not_units: tuple[str, ...]
    """units that are never taken in"""
    shared: bool
    """all carriers of the player hold the same passengers"""


@dataclass(frozen=True)
class Restore:
    """What somebody gets back; healing by a beam is `Unit.heal` of the user."""

    life: float
    """at once"""
    shields_per_s: float | None
    energy_per_shield: float | None
    cost_fraction: float | None
    """of the target's cost, for all of its life, where this is paid for in minerals and gas"""
    energy_gain: float
    """what the user itself gains"""


@dataclass(frozen=True)
class Drain:
    """What is taken away besides life."""

    shields: float
    energy: float
    all_energy: bool
    damage_per_energy: float
    """life and shields that the target loses for each point of energy it loses"""


@dataclass(frozen=True)
class Push:
    """Units are thrown away from the point of impact."""

    distance: float
    loops: float | None
    never: tuple[str, ...]


@dataclass(frozen=True)
class Ability:
    """One ability: who uses it on what, what it costs, and what comes of it.

    `kind` names the mechanic and with it the outcomes that count. An ability of kind `end` or
    `unload` has none of its own: it works on what the ability `of` began or took in.
    """

    name: str
    id: int | None
    """of the game's interface; `None`: nobody orders it"""
    general_id: int | None
    link: str
    index: int
    race: str
    kind: str
    users: tuple[str, ...]
    target: str
    of: str | None
    energy: float
    energy_per_s: float
    """while it is on, next to the user's regeneration"""
    life: float
    minerals: float
    """negative: they are given back"""
    uses_up: str | None
    """a unit that is spent"""
    cooldown_loops: float
    cooldown_from: str
    cooldown_shared: bool
    """one cooldown for all users of a player"""
    prep_loops: float | None
    cast_intro_loops: float | None
    cast_outro_loops: float | None
    channel_loops: float | None
    finish_loops: float | None
    delay_loops: float | None
    """from the cast to the outcome"""
    fall_loops: float | None
    """from the end of the delay or channel to the impact, for what falls from the sky"""
    uninterruptible: tuple[str, ...]
    flags: tuple[str, ...]
    grants: tuple[str, ...]
    """traits that its users have, of a passive ability"""
    range: float | None
    range_slop: float | None
    break_range: float | None
    """what was begun ends when the target is farther away"""
    autocast: str
    autocast_range: float | None
    must_be: tuple[str, ...]
    must_not_be: tuple[str, ...]
    requires: tuple[str, ...]
    """upgrades"""
    requires_of: Mapping[str, tuple[str, ...]]
    """upgrades that only some of the users need"""
    requires_units: tuple[str, ...]
    """finished structures"""
    flight: Flight | None
    strikes: tuple[Strike, ...]
    circle: Circle | None
    buff: str | None
    """what the outcome puts on the target, on those in the circle, or on the user itself"""
    user_buff: str | None
    """what the user carries while it prepares, channels or recovers"""
    effect: str | None
    """the field that it leaves on the ground"""
    morph: Morph | None
    summon: Summon | None
    teleport: Teleport | None
    cargo: Cargo | None
    restore: Restore | None
    drain: Drain | None
    push: Push | None
    numbers: Mapping[str, float]
    """what only its mechanic asks for, by key (data/mechanics.toml)"""
