"""Neutral objects of maps as units, so that the rules know them: resources, rocks, towers."""

from dataclasses import replace
from functools import lru_cache

from terrarium.data.facts.layers import Layers
from terrarium.data.facts.production import UnitId
from terrarium.data.facts.unit_facts import Footprint, Resource, RuleSet, Unit
from terrarium.data.facts.units import read_unit
from terrarium.data.maps.objects import ObjectType, object_types
from terrarium.data.tables import Lines, Table

GATHER_LOOPS = {"minerals": 44.576, "vespene": 31.696}
"""how long a worker takes at a resource (game_rules.md, 8)"""
PAUSE_LOOPS = {"minerals": 8.0, "vespene": 0.0}
OLDEST = "lotv-4.10"
"""The rule set whose clients number some objects as no later ones do."""
ENDLESS_LIFE = 10_000.0
"""what the game's interface says of resources"""


@lru_cache(maxsize=16)
def with_neutral(rules: RuleSet) -> RuleSet:
    """A rule set that also has what stands on maps and belongs to nobody."""
    age = -1 if rules.name == OLDEST else 0
    units = {
        kind.name: neutral_unit(kind, kind.api_ids[age])
        for kind in object_types().values()
        if stands(kind)
    }
    return replace(rules, units={**rules.units, **units})


def stands(kind: ObjectType) -> bool:
    """Is it a thing on the ground? Zones that change the speed of units are none."""
    return kind.kind != "zone"


def neutral_unit(kind: ObjectType, number: int) -> Unit:
    """A type of neutral object, in the words of units; `number` is its id."""
    facts = {
        "id": number,
        "race": "Neutral",
        "kind": "structure",
        "hp": kind.hp or ENDLESS_LIFE,
        "armor": kind.armor,
        "attributes": ["Structure"],
        "flags": [] if kind.hp else ["invulnerable"],
        "sight": kind.sight,
        "radius": kind.radius,
        "cost_category": "none",
    }
    table = Layers([Table("maps/objects.toml", facts, Lines(), (kind.name,))])
    unit = read_unit(kind.name, table, {kind.name: UnitId(number, kind.api_name, "structure")})
    shape = kind.shape
    size = (shape.width, shape.height)
    footprint = Footprint(size, shape.outline or None, shape.placement, shape.blocking)
    resource = _resource(kind) if kind.is_resource else None
    return replace(
        unit,
        resource=resource,
        footprint=footprint,
        blocks_sight=kind.blocks_sight,
        capture_range=kind.capture_range,
    )


def _resource(kind: ObjectType) -> Resource:
    return Resource(
        kind=kind.kind,
        contents=float(kind.contents),
        per_trip=float(kind.per_trip),
        gather_loops=GATHER_LOOPS[kind.kind],
        pause_loops=PAUSE_LOOPS[kind.kind],
    )
