"""How units come to be, and what the game's own interface says of them; read from tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from terrarium.data import vocabulary as words
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.unit_facts import Api, Production, Requirement

CONSUMING = ("morph", "morph_place", "merge")
"""ways of production that use the producer up, unless a file says otherwise"""

_API_KEYS = [field.name for field in fields(Api)]
_PRODUCTION_KEYS = [
    field.name for field in fields(Production) if field.name not in {"by", "by_name"}
]


@dataclass(frozen=True)
class UnitId:
    """What another unit's table has to know to mention a unit."""

    id: int
    api_name: str
    kind: str


Roster = Mapping[str, UnitId]


def read_productions(table: Layers, roster: Roster) -> Iterator[Production]:
    """The ways to make a unit; its table `production` has one entry for each producer."""
    for producer, way in table.named_tables("production"):
        table.table("production").unit_name(producer, roster, producer)
        way.only(_PRODUCTION_KEYS)
        how = way.choice_or("how", "train", words.WAYS_OF_PRODUCTION)
        yield Production(
            by=roster[producer].id,
            by_name=roster[producer].api_name,
            ability=way.integer_or_none("ability", 1),
            how=how,
            pays_minerals=way.number_or("pays_minerals", 0.0, 0),
            pays_vespene=way.number_or("pays_vespene", 0.0, 0),
            pays_energy=way.number_or_none("pays_energy", 0),
            loops=way.number_or_none("loops", 0),
            random_extra_loops=way.pair_or_none("random_extra_loops", ordered=True),
            gate_cooldown_loops=way.number_or_none("gate_cooldown_loops", 0),
            count=way.integer_or_none("count", 1),
            consumes_producer=way.boolean_or("consumes_producer", how in CONSUMING),
            requires=tuple(_requirements(way, roster)),
            via=way.unit_name(way.text("via"), roster, "via") if way.has("via") else None,
            via_after_loops=way.pair_or_none("via_after_loops", ordered=True),
            by_itself=way.boolean_or("by_itself", False),
            as_trained=way.boolean_or("as_trained", False),
        )


def _requirements(way: Layers, roster: Roster) -> Iterator[Requirement]:
    """Names of structures and add-ons, or `{ upgrade = 64, name = "Burrow" }`."""
    for entry in way.array("requires") if way.has("requires") else ():
        if not isinstance(entry, dict):
            unit = roster[way.unit_name(entry, roster, "requires")]
            yield Requirement(unit.kind, unit.id, unit.api_name)
        elif (
            set(entry) == {"upgrade", "name"}
            and type(entry["upgrade"]) is int
            and isinstance(entry["name"], str)
        ):
            yield Requirement("upgrade", entry["upgrade"], entry["name"])
        else:
            raise way.error(
                f'{entry!r} is not {{ upgrade = 64, name = "Burrow" }} or a unit', "requires"
            )


def read_api(
    table: Layers, roster: Roster, cost: Mapping[str, Any], production: tuple[Production, ...]
) -> Api:
    """What the game's interface says of a unit.

    Where the table `api` is silent it follows from the cost and the first way of production. 0 is
    the interface's own word for "none".
    """
    api = table.table_or_empty("api")
    api.only(_API_KEYS)
    first = production[0] if production else None
    # The interface has room for one requirement; of units that need two it names neither.
    needed = [each for each in first.requires if each.kind != "upgrade"] if first else []
    required = needed[0] if len(needed) == 1 else None
    attached = required is not None and required.kind == "addon"
    return Api(
        tech_alias=tuple(_unit_id(api, "tech_alias", entry, roster) for entry in _aliases(api)),
        unit_alias=_unit_id_or(api, "unit_alias", None, roster),
        creation_ability=api.integer_or(
            "creation_ability", (first.ability if first else None) or 0, 0
        )
        or None,
        build_time_loops=api.number_or("build_time_loops", _build_time(first), 0),
        mineral_cost=api.number_or("mineral_cost", cost["minerals_total"], 0),
        vespene_cost=api.number_or("vespene_cost", cost["vespene_total"], 0),
        food_required=api.number_or("food_required", cost["supply_used"], 0),
        tech_requirement=_unit_id_or(
            api, "tech_requirement", required.id if required else None, roster
        ),
        require_attached=api.boolean_or("require_attached", attached),
    )


def _build_time(first: Production | None) -> float:
    """The interface adds half of a morph's random extra and keeps three decimals."""
    if first is None or first.loops is None:
        return 0.0
    extra = first.random_extra_loops
    return round(first.loops + (extra[1] / 2 if extra else 0.0), 3)


def _aliases(api: Layers) -> list[Any]:
    return api.array("tech_alias") if api.has("tech_alias") else []


def _unit_id_or(api: Layers, key: str, default: int | None, roster: Roster) -> int | None:
    if not api.has(key):
        return default
    return _unit_id(api, key, api.values[key], roster) or None


def _unit_id(api: Layers, key: str, entry: object, roster: Roster) -> int:
    """The id of a unit given by name, or by number where it is no unit of ours."""
    if type(entry) is int and entry >= 0:
        return entry
    return roster[api.unit_name(entry, roster, key)].id
