"""RequestQuery: ways, abilities and placements."""

from s2clientprotocol import query_pb2

from terrarium.server.live_game import LiveGame


def answer_queries(
    game: LiveGame, request: query_pb2.RequestQuery, response: query_pb2.ResponseQuery
) -> None:
    """One answer to each question, in order."""
    for _ in request.pathing:
        response.pathing.add(distance=0.0)
    for asked in request.abilities:
        response.abilities.add(unit_tag=asked.unit_tag)
    for _ in request.placements:
        response.placements.add(result=2)
