"""What a player knows of unit types and products, as arrays and recipes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.unit_facts import Production, RuleSet, Unit

_WAYS = ("train", "build", "build_on_geyser", "addon", "morph", "warp_in")
_SUPPORT = ("overseer", "overlord_transport", "queen")
"""army by its cost, but no part of a fighting army"""
LOOPS_PER_S = 16.0


@dataclass(frozen=True)
class Recipe:
    """How one kind of producer makes a product."""

    product: str
    producer: int
    """row of the catalog"""
    how: str
    """one of the words of production, or research"""
    minerals: float
    vespene: float
    supply: float
    ticks: float
    needs: tuple[tuple[str, tuple[int, ...]], ...]
    """names of units that have to be there, with the rows that count as each"""
    attached: tuple[tuple[str, tuple[int, ...]], ...]
    """the same, as add-on of the producer"""
    upgrades: tuple[str, ...]
    """that have to be researched"""


@dataclass(frozen=True)
class Catalog:
    """Unit types by row, arrays [T], and the recipes of products."""

    names: tuple[str, ...]
    rows: Mapping[str, int]
    recipes: Mapping[str, tuple[Recipe, ...]]
    """by product: units and upgrades"""
    cost: NDArray[np.float64]
    """minerals and vespene"""
    supply_given: NDArray[np.float64]
    is_worker: NDArray[np.bool_]
    is_summoned_worker: NDArray[np.bool_]
    """gathers, and costs no supply: MULEs"""
    is_structure: NDArray[np.bool_]
    is_townhall: NDArray[np.bool_]
    is_army: NDArray[np.bool_]
    is_addon: NDArray[np.bool_]
    fights: NDArray[np.bool_]
    """has a weapon, and is no worker"""
    flies: NDArray[np.bool_]
    hits_air: NDArray[np.bool_]
    reach: NDArray[np.float64]
    """of its longest weapon"""
    sight: NDArray[np.float64]
    radius: NDArray[np.float64]
    speed: NDArray[np.float64]
    """cells a tick"""
    size: NDArray[np.int64]
    """side of its footprint in cells; 0 = none"""
    resource: NDArray[np.int64]
    """1 = minerals, 2 = vespene"""

    def rows_of(self, *names: str) -> tuple[int, ...]:
        return tuple(self.rows[name] for name in names if name in self.rows)


@lru_cache(maxsize=8)
def compile_catalog(facts: RuleSet) -> Catalog:
    """The catalog of a rule set; rows are the places of its units."""
    units = list(facts.units.values())
    rows = {unit.name: row for row, unit in enumerate(units)}
    recipes: dict[str, tuple[Recipe, ...]] = {}
    for unit in units:
        found = tuple(_recipes_of(unit, facts, rows))
        if found:
            recipes[unit.name] = found
    for upgrade in facts.upgrades:
        recipes[upgrade] = tuple(_researches(upgrade, facts, rows))
    structure = np.array([unit.kind != "unit" for unit in units])
    worker = np.array(["worker" in unit.flags and unit.supply_used > 0 for unit in units])
    armed = np.array([bool(unit.weapons) for unit in units])
    return Catalog(
        names=tuple(facts.units),
        rows=rows,
        recipes=recipes,
        cost=np.array([unit.minerals_total + unit.vespene_total for unit in units]),
        supply_given=np.array([unit.supply_provided for unit in units]),
        is_worker=worker,
        is_summoned_worker=np.array(["worker" in unit.flags for unit in units]) & ~worker,
        is_structure=structure,
        is_townhall=np.array([_is_townhall(unit) for unit in units]),
        is_army=np.array([_is_army(unit) for unit in units]),
        is_addon=np.array([unit.kind == "addon" for unit in units]),
        fights=armed & ~worker,
        flies=np.array([unit.flying for unit in units]),
        hits_air=np.array([any(w.targets != "ground" for w in unit.weapons) for unit in units]),
        reach=np.array([max((w.range for w in unit.weapons), default=0.0) for unit in units]),
        sight=np.array([unit.sight for unit in units]),
        radius=np.array([unit.radius for unit in units]),
        speed=np.array([unit.speed / LOOPS_PER_S for unit in units]),
        size=np.array([_size(unit) for unit in units]),
        resource=np.array([_resource(unit) for unit in units]),
    )


def _is_townhall(unit: Unit) -> bool:
    """Townhalls are the only structures of their size that give supply."""
    return unit.kind == "structure" and unit.supply_provided > 0 and _size(unit) == 5


def _is_army(unit: Unit) -> bool:
    return unit.kind == "unit" and unit.cost_category == "army" and unit.name not in _SUPPORT


def _size(unit: Unit) -> int:
    if unit.footprint is None or unit.footprint.size is None:
        return 0
    return int(unit.footprint.size[0])


def _resource(unit: Unit) -> int:
    return 0 if unit.resource is None else 1 + ("minerals", "vespene").index(unit.resource.kind)


def _recipes_of(unit: Unit, facts: RuleSet, rows: Mapping[str, int]) -> Iterator[Recipe]:
    by_id = {other.id: other.name for other in facts.units.values()}
    for way in unit.production:
        producer = by_id.get(way.by)
        if producer is None or way.how not in _WAYS or not _costs(way):
            continue  # a change of form that costs nothing is no product
        required = [(by_id[r.id], r.kind) for r in way.requires if r.id in by_id]
        techs = [r.id for r in way.requires if r.kind == "upgrade"]
        yield Recipe(
            product=unit.name,
            producer=rows[producer],
            how=way.how,
            minerals=way.pays_minerals,
            vespene=way.pays_vespene,
            supply=(way.count or 1) * unit.supply_used,
            ticks=way.loops or 0.0,
            needs=tuple((n, _counts_as(n, facts, rows)) for n, kind in required if kind != "addon"),
            attached=tuple(
                (n, _counts_as(n, facts, rows)) for n, kind in required if kind == "addon"
            ),
            upgrades=tuple(u.name for u in facts.upgrades.values() if u.id in techs),
        )


def _costs(way: Production) -> bool:
    return way.pays_minerals + way.pays_vespene > 0


def _counts_as(name: str, facts: RuleSet, rows: Mapping[str, int]) -> tuple[int, ...]:
    """The rows that fulfil a requirement."""
    wanted = facts.units[name].id
    return tuple(
        rows[unit.name]
        for unit in facts.units.values()
        if unit.id == wanted or wanted in unit.api.tech_alias
    )


def _researches(name: str, facts: RuleSet, rows: Mapping[str, int]) -> Iterator[Recipe]:
    upgrade = facts.upgrades[name]
    for producer in upgrade.at:
        if producer in rows:
            yield Recipe(
                product=name,
                producer=rows[producer],
                how="research",
                minerals=upgrade.minerals,
                vespene=upgrade.vespene,
                supply=0.0,
                ticks=upgrade.research_loops,
                needs=tuple((n, _counts_as(n, facts, rows)) for n in upgrade.requires_units),
                attached=(),
                upgrades=upgrade.requires,
            )
