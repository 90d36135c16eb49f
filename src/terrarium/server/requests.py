"""Every request that is answered: when it may come, and what fills its response."""

from collections.abc import Mapping
from types import MappingProxyType

from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.session import ANY, QUIT, Rule, Session
from terrarium.server.versions import BASE_BUILD, DATA_VERSION, GAME_VERSION


def _ping(session: Session, request: api.RequestPing, response: api.ResponsePing) -> None:
    response.game_version = GAME_VERSION
    response.data_version = DATA_VERSION
    response.data_build = response.base_build = BASE_BUILD


def _quit(session: Session, request: api.RequestQuit, response: api.ResponseQuit) -> None:
    session.status = QUIT
    session.when_quit()


RULES: Mapping[str, Rule] = MappingProxyType({"ping": Rule(_ping, ANY), "quit": Rule(_quit, ANY)})
