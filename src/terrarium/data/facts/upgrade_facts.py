"""What is known of an upgrade, as frozen dataclasses."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """One number of something that an upgrade changes."""

    of: str
    """unit | weapon | ability | buff: the table in which the field is found"""
    names: tuple[str, ...]
    """the things; for a weapon, the units that carry it"""
    weapon: str | None
    strike: str | None
    field: str
    attribute: str | None
    """of a bonus against it"""
    op: str
    value: float


@dataclass(frozen=True)
class Upgrade:
    """A research: where, for how much, and what it changes.

    What it allows is said by `Ability.requires`. A level of a family (weapons, armor) changes what
    the units say of that family: these changes are derived.
    """

    name: str
    api_name: str
    id: int | None
    race: str
    family: str | None
    level: int | None
    at: tuple[str, ...]
    ability: int | None
    general_ability: int | None
    minerals: float
    vespene: float
    research_loops: float
    requires: tuple[str, ...]
    """other upgrades"""
    requires_units: tuple[str, ...]
    weapon_buff: str | None
    """what hits of the weapons of `weapon_buff_of` put on their targets from then on"""
    weapon_buff_of: tuple[str, ...]
    changes: tuple[Change, ...]
