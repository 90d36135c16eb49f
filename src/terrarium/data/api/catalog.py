"""The abilities of the game's API: ids, links, targets, and what they remap to."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from terrarium.data.tables import Table

TARGETS = ("none", "point", "unit", "point_or_unit", "point_or_none")
KINDS = (
    "general", "stop", "move", "attack", "effect", "toggle", "morph", "research", "build", "train",
    "harvest", "rally", "queue", "transport", "warp_in", "warping", "redirect", "construction",
    "merge", "magazine", "augment",
)  # fmt: skip
_KEYS = (
    "index", "button", "kind", "remaps_to", "target", "minimap", "is_building",
    "footprint_radius", "cast_range", "autocast", "instant_placement", "since",
)  # fmt: skip


@dataclass(frozen=True)
class ApiAbility:
    """One command as the API names it."""

    id: int
    link: str
    index: int
    button: str
    kind: str
    remaps_to: int | None
    """the general ability that stands for it"""
    target: str
    minimap: bool
    """may be aimed on the minimap"""
    is_building: bool
    footprint_radius: float | None
    cast_range: float | None
    autocast: bool
    instant_placement: bool
    in_4_10: bool
    """the game's version 4.10 knows it"""


@cache
def api_abilities() -> Mapping[int, ApiAbility]:
    """Every ability that is known, by id."""
    table = Table.read(Path(__file__).parent / "abilities.toml", "api/abilities.toml")
    links = {link: table.table(link) for link in table.values}
    made = [
        _ability(link, int(number), group, group.table(number))
        for link, group in links.items()
        for number in group.values
        if number != "kind"
    ]
    return MappingProxyType({ability.id: ability for ability in made})


def _ability(link: str, number: int, group: Table, entry: Table) -> ApiAbility:
    entry.only(_KEYS)
    return ApiAbility(
        id=number,
        link=link,
        index=entry.integer("index"),
        button=entry.text("button") if entry.has("button") else "",
        kind=(entry if entry.has("kind") else group).choice("kind", KINDS),
        remaps_to=entry.integer("remaps_to") if entry.has("remaps_to") else None,
        target=entry.choice("target", TARGETS) if entry.has("target") else "none",
        minimap=entry.has("minimap"),
        is_building=entry.has("is_building"),
        footprint_radius=_number(entry, "footprint_radius"),
        cast_range=_number(entry, "cast_range"),
        autocast=entry.has("autocast"),
        instant_placement=entry.has("instant_placement"),
        in_4_10=not entry.has("since"),
    )


def _number(entry: Table, key: str) -> float | None:
    return entry.number(key) if entry.has(key) else None
