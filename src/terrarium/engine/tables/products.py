"""Everything that is made: units, structures, add-ons, paid morphs and upgrades, as rows."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from terrarium.data import vocabulary as words
from terrarium.data.facts.unit_facts import Production, RuleSet, Unit
from terrarium.engine import codes
from terrarium.engine.records import Records, records
from terrarium.engine.tables.names import RowNames, family_of, record

NONE = -1
PRODUCT = np.dtype(
    [
        ("how", "i8"),  # codes.HOW_TRAIN and following
        ("builder", "i8"),  # codes.STAYS, LEAVES, BECOMES_IT; -1 = no worker builds it
        ("by", "i8"),  # row of Rules.types that makes it
        ("makes", "i8"),  # row of Rules.types; -1 = it is an upgrade
        ("upgrade", "i8"),  # row of Rules.upgrades; -1 = it is a unit
        ("count", "i8"),
        ("minerals", "f8"),
        ("vespene", "f8"),
        ("supply", "f8"),  # of all of them together
        ("ticks", "f8"),
        ("via", "i8"),  # row of Rules.types that the producer is meanwhile; -1 = it stays itself
        ("via_low", "i8"),  # ticks until it is that, a whole number from low to high
        ("via_high", "i8"),
        ("via_ticks", "f8"),  # from then on
        ("gate_ticks", "f8"),  # how long a warp gate has to wait afterwards
        ("energy", "f8"),  # of the producer
        ("by_itself", "?"),
        ("refund", "f8"),  # share of the price that comes back
        ("needs", "i8"),  # bit k: something of the player has to fulfil need k
        ("attached", "i8"),  # the same, by an add-on of the producer
        ("needs_tech", "i8"),  # upgrades without levels, bits of PLAYER.techs
        ("family", "i8"),  # of an upgrade with levels, and the level before it
        ("level_before", "i8"),
    ],
    align=True,
)


class Needs(NamedTuple):
    """What products require of other units, each of them a bit."""

    bits: Mapping[str, int]
    """by the names of units"""

    def of(self, unit: Unit, facts: RuleSet) -> int:
        """The needs that a finished unit fulfils: as itself, and as what it counts as."""
        known_as = {unit.id, *unit.api.tech_alias}
        return sum(bit for name, bit in self.bits.items() if facts.units[name].id in known_as)


def find_needs(facts: RuleSet) -> Needs:
    by_id = {unit.id: unit.name for unit in facts.units.values()}
    ways = (way for unit in facts.units.values() for way in unit.production)
    wanted = {by_id.get(r.id) for way in ways for r in way.requires if r.kind != "upgrade"}
    wanted |= {name for upgrade in facts.upgrades.values() for name in upgrade.requires_units}
    wanted |= {name for ability in facts.abilities.values() for name in ability.requires_units}
    names = [name for name in facts.units if name in wanted]
    assert len(names) < 63, "the needs of products are the bits of one number"
    return Needs({name: 1 << k for k, name in enumerate(names)})


def compile_products(
    facts: RuleSet, names: RowNames, needs: Needs
) -> tuple[Records, dict[tuple[str, str], int]]:
    """The rows, and which is which by producer and product."""
    rows = [*_made(facts, names, needs), *_researched(facts, names, needs)]
    table = records(max(1, len(rows)), PRODUCT)
    table["by"] = NONE
    for k, (_, values) in enumerate(rows):
        table[k] = record(PRODUCT, values)
    return table, {key: k for k, (key, _) in enumerate(rows)}


Row = tuple[tuple[str, str], dict[str, Any]]


def _how(way: Production, producer: Unit, unit: Unit, facts: RuleSet) -> int | None:
    """By which of codes.HOW_TRAIN and following a unit is made; None = by an ability, which has a
    row of its own, or by itself."""
    known = way.ability in {ability.id for ability in facts.abilities.values()}
    if way.how == "automatic" or (known and way.how in ("ability", "morph", "morph_place")):
        return None
    if way.how == "ability":  # a queen's tumor, which is built like anything else
        return codes.HOW_BUILD if unit.kind == "structure" else None
    if producer.mover == LARVA_MOVER:
        return codes.HOW_LARVA
    return codes.code(words.WAYS_OF_PRODUCTION, way.how)


def _made(facts: RuleSet, names: RowNames, needs: Needs) -> Iterator[Row]:
    by_id = {unit.id: unit for unit in facts.units.values()}
    for unit in facts.units.values():
        for way in unit.production:
            producer = by_id.get(way.by)
            how = _how(way, producer, unit, facts) if producer else None
            if producer is None or how is None:
                continue
            required = [(r, by_id.get(r.id)) for r in way.requires]
            addons = [u.name for r, u in required if u and r.kind == "addon"]
            others = [u.name for r, u in required if u and r.kind not in ("addon", "upgrade")]
            techs = [r.id for r in way.requires if r.kind == "upgrade"]
            count = way.count or 1
            yield (
                (producer.name, unit.name),
                {
                    "how": how,
                    "builder": _builder(how, producer),
                    "by": names.types[producer.name],
                    "makes": names.types[unit.name],
                    "upgrade": NONE,
                    "count": count,
                    "minerals": way.pays_minerals,
                    "vespene": way.pays_vespene,
                    "supply": count * unit.supply_used - _supply_before(how, producer),
                    "ticks": way.loops or 0.0,
                    **_via(how, way, names),
                    "needs": sum(needs.bits[name] for name in others),
                    "attached": sum(needs.bits[name] for name in addons),
                    "needs_tech": _techs(facts, names, techs),
                    "family": NONE,
                    "level_before": 0,
                },
            )


LARVA_MOVER = "creep_only"
"""how larvae move, and nothing else"""
IN_WORK = (codes.HOW_TRAIN, codes.HOW_RESEARCH, codes.HOW_LARVA)
"""what gives all of its price back; of the rest it is three quarters (game_rules.md, 9)"""


def _supply_before(how: int, producer: Unit) -> float:
    """What the producer has taken already that becomes the product."""
    return {codes.HOW_MORPH: 1, codes.HOW_MERGE: 2}.get(how, 0) * producer.supply_used


def _via(how: int, way: Production, names: RowNames) -> dict[str, Any]:
    """Eggs take all of the time, what becomes something else one loop less (economy.md, 7)."""
    loops = way.loops or 0.0
    trained = how in IN_WORK or way.as_trained
    low, high = way.via_after_loops or (0.0, 0.0)
    return {
        "via": names.types.get(way.via or "", NONE),
        "via_low": int(low),
        "via_high": int(high),
        "via_ticks": loops if trained else ceil(loops) - 1.0,
        "refund": 1.0 if trained else 0.75,
        "gate_ticks": way.gate_cooldown_loops or 0.0,
        "energy": way.pays_energy or 0.0,
        "by_itself": way.by_itself,
    }


def _builder(how: int, producer: Unit) -> int:
    """What becomes of the worker that begins a structure (game_rules.md, 9)."""
    if how not in (codes.HOW_BUILD, codes.HOW_BUILD_ON_GEYSER):
        return NONE
    if "worker" not in producer.flags:
        return codes.LEAVES if producer.speed else NONE
    manners = {"Terran": codes.STAYS, "Protoss": codes.LEAVES, "Zerg": codes.BECOMES_IT}
    return manners[producer.race]


def _techs(facts: RuleSet, names: RowNames, ids: list[int]) -> int:
    return sum(names.techs[u.name] for u in facts.upgrades.values() if u.id in ids)


def _researched(facts: RuleSet, names: RowNames, needs: Needs) -> Iterator[Row]:
    for upgrade in facts.upgrades.values():
        for producer in upgrade.at:
            if producer not in names.types:
                continue
            single = [name for name in upgrade.requires if name in names.techs]
            yield (
                (producer, upgrade.name),
                {
                    "how": codes.HOW_RESEARCH,
                    "builder": NONE,
                    "by": names.types[producer],
                    "makes": NONE,
                    "upgrade": names.upgrades[upgrade.name],
                    "count": 1,
                    "minerals": upgrade.minerals,
                    "vespene": upgrade.vespene,
                    "supply": 0.0,
                    "ticks": upgrade.research_loops,
                    "via": NONE,
                    "via_low": 0,
                    "via_high": 0,
                    "via_ticks": upgrade.research_loops,
                    "refund": 1.0,
                    "gate_ticks": 0.0,
                    "energy": 0.0,
                    "by_itself": False,
                    "needs": sum(needs.bits.get(name, 0) for name in upgrade.requires_units),
                    "attached": 0,
                    "needs_tech": sum(names.techs[name] for name in single),
                    "family": family_of(upgrade.family) if upgrade.family else NONE,
                    "level_before": (upgrade.level or 1) - 1,
                },
            )
