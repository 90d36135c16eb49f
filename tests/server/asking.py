"""Requests to a session, and games to ask it about."""

from typing import Any

from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.requests import RULES
from terrarium.server.session import Session

RAW = api.InterfaceOptions(raw=True, score=True)


def ask(session: Session, **parts: Any) -> api.Response:
    """The response to the request that is given by its name: `ask(session, step=...)`."""
    data = session.answer(api.Request(**parts).SerializeToString())
    return api.Response.FromString(data)


def creation(
    map_path: str = "Flat32.SC2Map", seed: int = 1, difficulty: int = api.Hard, **options: Any
) -> api.RequestCreateGame:
    """A game of a participant against a computer opponent."""
    request = api.RequestCreateGame(
        local_map=api.LocalMap(map_path=map_path), random_seed=seed, **options
    )
    request.player_setup.add(type=api.Participant)
    request.player_setup.add(type=api.Computer, race=common_pb2.Zerg, difficulty=difficulty)
    return request


def in_game(**options: Any) -> Session:
    """A session in which a Terran has joined such a game."""
    session = Session(RULES)
    assert not ask(session, create_game=creation(**options)).create_game.HasField("error")
    join = api.RequestJoinGame(race=common_pb2.Terran, options=RAW)
    assert ask(session, join_game=join).join_game.player_id == 1
    return session
