"""RequestQuery: ways, abilities and placements."""

import math
from collections import Counter
from collections.abc import Sequence

from s2clientprotocol import query_pb2

from terrarium.engine import codes
from terrarium.engine.kernels.orders.surveying import WAY
from terrarium.engine.questions import measure_ways
from terrarium.engine.records import records
from terrarium.engine.simulator import BEYOND, Simulator
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import raw_origin
from terrarium.server.translate.offers import answer_offers
from terrarium.server.translate.placements import answer_placements
from terrarium.server.translate.tagged_units import TaggedUnits


def answer_queries(
    game: LiveGame, request: query_pb2.RequestQuery, response: query_pb2.ResponseQuery
) -> None:
    """One answer to each question, in order."""
    sim, player, origin = game.sim, game.player, raw_origin(game)
    units = TaggedUnits(sim, player, game.n_tags)
    if request.pathing:
        for distance in answer_ways(sim, units, request.pathing, origin):
            response.pathing.add(distance=distance)
    if request.abilities:
        free = request.ignore_resource_requirements
        offers = answer_offers(sim, game.offer_table, units, request.abilities, free)
        response.abilities.extend(offers)
    if request.placements:
        table = game.placement_table
        for result in answer_placements(sim, table, units, request.placements, origin):
            response.placements.add(result=result)


def answer_ways(
    sim: Simulator,
    units: TaggedUnits,
    asked: Sequence[query_pb2.RequestQueryPathing],
    origin: tuple[float, float],
) -> list[float]:
    """How far it is to each end, for the unit that is named or for one that walks; 0 = there is no
    way."""
    answers = [0.0] * len(asked)
    rows: list[tuple[int, int, float, float, float, float, bool, float]] = []
    where: list[int] = []
    for k, query in enumerate(asked):
        walker = codes.SMALL_WALKER
        if query.unit_tag:
            slot = units.slot(query.unit_tag)
            if slot < 0:
                continue
            unit = sim.units[0, slot]
            walker, x0, y0 = int(sim.rules.types["walker"][unit["kind"]]), unit["x"], unit["y"]
        else:
            x0, y0 = query.start_pos.x + origin[0], query.start_pos.y + origin[1]
        x, y = query.end_pos.x + origin[0], query.end_pos.y + origin[1]
        if all(math.isfinite(c) and abs(c) < BEYOND for c in (x0, y0, x, y)):
            where.append(k)
            rows.append((units.player, walker, x0, y0, x, y, False, 0.0))
    ways = records(len(rows), WAY)
    ways[:] = rows
    starts, ends = Counter((r[2], r[3]) for r in rows), Counter((r[4], r[5]) for r in rows)
    # A search leads from everywhere to one point: the one that more of the questions share.
    ways["backward"] = [starts[r[2], r[3]] > ends[r[4], r[5]] for r in rows]
    measure_ways(sim, 0, ways)
    for k, distance in zip(where, ways["length"].tolist(), strict=True):
        answers[k] = distance
    return answers
