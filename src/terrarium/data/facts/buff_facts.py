"""What is known of buffs, of fields on the ground and of the damage they deal, as dataclasses.

`None` means: the sources do not say, or it does not apply.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Ring:
    """A ring around the point of impact."""

    radius: float
    fraction: float


@dataclass(frozen=True)
class Strike:
    """Damage of an ability, a buff or a field; dealt `times` times, `period_loops` apart."""

    name: str
    damage: float
    bonus: Mapping[str, float]
    bonus_vs_shields: float
    armor_applies: bool | None
    rings: tuple[Ring, ...]
    """the first ring that contains a victim gives its fraction; empty: the target or carrier
    alone, or all inside the field"""
    who: str
    """see `vocabulary.SIDES`"""
    only: tuple[str, ...]
    """a victim has to be all of these; see `vocabulary.TRAITS`"""
    never: tuple[str, ...]
    """a victim must be none of these"""
    spares_target: bool
    """it is for those around the target"""
    times: int | None
    """`None`: for as long as the buff or field lasts"""
    period_loops: float | None


@dataclass(frozen=True)
class Buff:
    """A change that a unit carries for a time. Neutral numbers change nothing."""

    name: str
    api_name: str
    id: int | None
    """of the game's interface; `None`: it shows none, or the sources do not name it"""
    never: tuple[str, ...]
    """it has no hold on those who are one of these"""
    lasts: str
    duration_loops: float | None
    speed_multiplier: float
    speed_add: float
    acceleration_multiplier: float
    acceleration_add: float
    attack_rate_multiplier: float
    weapon_range_add: float
    damage_add: Mapping[str, float]
    """against targets of an attribute"""
    first_hit_damage: float
    """added to the first hit, without regard to armor; that hit ends the buff"""
    armor_add: float
    shield_armor_add: float
    damage_taken_add: float
    """to each hit"""
    damage_taken_multiplier: float
    damage_kinds: tuple[str, ...]
    """kinds of hits that the two above speak of; empty: all"""
    damage_from: tuple[str, ...]
    """what an attacker has to be for them to count; empty: anything"""
    absorbs: float
    """damage that it takes in the carrier's place, then it ends"""
    life_add: float
    """life given back in equal parts over the duration"""
    life_max_add: float
    supply_add: float
    work_rate_multiplier: float
    states: tuple[str, ...]
    prevents: tuple[str, ...]
    strikes: tuple[Strike, ...]


@dataclass(frozen=True)
class Effect:
    """A field on the ground, as the game's interface lists them."""

    name: str
    api_name: str
    friendly_name: str
    id: int | None
    """`None`: the game has it, its interface does not list it"""
    radius: float
    api_radius: float | None
    lasts: str
    duration_loops: float | None
    delay_loops: float | None
    """from its beginning until it works"""
    who: str
    only: tuple[str, ...]
    never: tuple[str, ...]
    follows: str | None
    """user | target: it moves along; `None`: it stays where it was put"""
    reveals: bool
    """its owner sees and detects what is inside"""
    buff: str | None
    """what those inside carry"""
    strikes: tuple[Strike, ...]
    then: str | None
    """the field that takes its place at its end"""
