"""Queries of placement: what an ability would put down at a point, and whether it can stand."""

import math
from collections.abc import Iterable

from s2clientprotocol import query_pb2

from terrarium.engine import codes
from terrarium.engine.kernels.orders.surveying import PLACE
from terrarium.engine.questions import judge_places
from terrarium.engine.records import records
from terrarium.engine.simulator import BEYOND, Simulator
from terrarium.server.translate.ids import Ids, Meaning
from terrarium.server.translate.tagged_units import TaggedUnits

Put = tuple[int, int]
"""A row of Rules.products, or -1 and a row of Rules.abilities by which a structure lands."""


class PlacementTable:
    """What the abilities of one rule set put down."""

    def __init__(self, sim: Simulator, ids: Ids) -> None:
        self._sim, self._ids = sim, ids
        self._by_ability: dict[int, Put] = {}
        flying = sim.rules.types["flying"]
        # A general ability is that of the type that comes first; add-ons stand beside structures.
        for kind in sorted(range(len(ids.cards)), key=lambda kind: bool(flying[kind])):
            for meaning in ids.cards[kind].values():
                put = self._put(meaning)
                if put is not None:
                    self._by_ability.setdefault(meaning.ability, put)
                    self._by_ability.setdefault(ids.remaps_to(meaning.ability), put)

    def find(self, ability: int, kind: int) -> Put | None:
        """What an ability puts down, used by a type if that is given (else -1); None = nothing."""
        if kind >= 0 and not self._sim.rules.types["flying"][kind]:
            for meaning in self._ids.meanings(kind, ability):
                put = self._put(meaning)
                if put is not None:
                    return put
        return self._by_ability.get(ability)

    def _put(self, meaning: Meaning) -> Put | None:
        rules = self._sim.rules
        if meaning.kind == codes.BUILD:
            return meaning.row, codes.NO_ABILITY
        if meaning.kind == codes.PRODUCE:
            product = rules.products[meaning.row]
            is_put = product["how"] in (codes.HOW_WARP_IN, codes.HOW_BUILD)
            return (meaning.row, codes.NO_ABILITY) if is_put else None
        if meaning.kind != codes.CAST or meaning.target != "point":
            return None
        ability = rules.abilities[meaning.row]
        if ability["mechanic"] != codes.MORPH:
            return None
        becomes = rules.mechanics.morphs["becomes"][ability["params"]]
        lands = rules.types["footprint"][becomes] >= 0
        return (codes.NO_PRODUCT, meaning.row) if lands else None


def answer_placements(
    sim: Simulator,
    table: PlacementTable,
    units: TaggedUnits,
    asked: Iterable[query_pb2.RequestQueryBuildingPlacement],
    origin: tuple[float, float],
) -> list[int]:
    """The game's answer to each, an ActionResult."""
    rows: list[tuple[int, int, int, int, float, float, int]] = []
    where: list[int] = []
    answers: list[int] = []
    for query in asked:
        slot, kind = codes.NO_UNIT, -1
        if query.placing_unit_tag:
            slot = units.slot(query.placing_unit_tag)
            kind = units.kinds.get(slot, -1)
        put = table.find(query.ability_id, kind)
        x, y = query.target_pos.x + origin[0], query.target_pos.y + origin[1]
        if put is None:
            answers.append(codes.NOT_SUPPORTED)
        elif not (math.isfinite(x) and math.isfinite(y)):
            answers.append(codes.CANT_FIND_PLACEMENT_LOCATION)
        else:
            where.append(len(answers))
            answers.append(codes.SUCCESS)
            x, y = min(max(x, -BEYOND), BEYOND), min(max(y, -BEYOND), BEYOND)
            rows.append((units.player, *put, slot, x, y, 0))
    places = records(len(rows), PLACE)
    places[:] = rows
    judge_places(sim, 0, places)
    for k, result in zip(where, places["result"].tolist(), strict=True):
        answers[k] = result
    return answers
