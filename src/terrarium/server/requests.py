"""Every request that is answered: when it may come, and what fills its response."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from s2clientprotocol import query_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.agent_copies import agent_copies
from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.forms import agent_type
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.data.games.neutral import with_neutral
from terrarium.server.bookmarks import quick_load, quick_save
from terrarium.server.disturbance import disturb
from terrarium.server.live_game import RULES as RULE_SET
from terrarium.server.lobby import (
    create_game,
    join_game,
    leave_game,
    quit_server,
    refuse_pictures,
    restart_game,
    wants_layers,
)
from terrarium.server.maps.map_requests import available_maps, map_command, save_map
from terrarium.server.observing import observer_action
from terrarium.server.realtime import wait_for_loop
from terrarium.server.replays.requests import replay_info, save_replay, start_replay
from terrarium.server.session import (
    ANY,
    ENDED,
    GAME_OVER,
    IN_GAME,
    IN_REPLAY,
    INIT_GAME,
    LAUNCHED,
    PLAYED,
    Refused,
    Rule,
    Session,
)
from terrarium.server.translate.actions import take_actions
from terrarium.server.translate.data_tables import fill_data
from terrarium.server.translate.debug import take_debug
from terrarium.server.translate.game_info import fill_game_info
from terrarium.server.translate.observation.response import fill_observation
from terrarium.server.translate.queries import answer_queries
from terrarium.server.translate.upgraded_units import damage_factor, upgrades_of
from terrarium.server.versions import BASE_BUILD, DATA_VERSION, GAME_VERSION

MAX_STEP = 2**20
"""loops in one request"""


def _ping(session: Session, request: api.RequestPing, response: api.ResponsePing) -> None:
    response.game_version = GAME_VERSION
    response.data_version = DATA_VERSION
    response.data_build = response.base_build = BASE_BUILD


def _observation(
    session: Session, request: api.RequestObservation, response: api.ResponseObservation
) -> None:
    game = session.playing
    if game.realtime:
        wait_for_loop(session, game, request.game_loop)
    fill_observation(game, request, response)


def _game_info(
    session: Session, request: api.RequestGameInfo, response: api.ResponseGameInfo
) -> None:
    game = session.playing
    refuse_pictures(game.options)
    if wants_layers(game.options):
        raise Refused("Feature layers are not served: join with options.raw alone")
    fill_game_info(game, response)


@cache
def _facts() -> RuleSet:
    return with_neutral(load_ruleset(RULE_SET))


def _data(session: Session, request: api.RequestData, response: api.ResponseData) -> None:
    game, facts = session.playing, _facts()
    ground = game.map.ground
    if isinstance(ground, Scenario):
        fill_data(request, response, facts, _copies(ground))
    else:
        owned = upgrades_of(game.sim, game.player, facts)
        factor = damage_factor(game.sim, game.player)
        fill_data(request, response, facts, owned=owned, damage_factor=factor)


def _copies(scenario: Scenario) -> dict[int, Unit]:
    """Types that a map of SMAC has beside those of the game, by id."""
    rules = load_ruleset(scenario.rules)
    copies = agent_copies(scenario)
    return {number: rules.units[agent_type(rules, name)] for name, number in copies.items()}


def _query(
    session: Session, request: query_pb2.RequestQuery, response: query_pb2.ResponseQuery
) -> None:
    answer_queries(session.playing, request, response)


def _action(session: Session, request: api.RequestAction, response: api.ResponseAction) -> None:
    game = session.playing
    if game.observes:
        raise Refused("observers have no actions")
    take_actions(game, request, response)


def _debug(session: Session, request: api.RequestDebug, response: api.ResponseDebug) -> None:
    game = session.playing
    if game.observes:
        raise Refused("observers have no debug commands")
    take_debug(game, request)
    disturb(session, request)


def _step(session: Session, request: api.RequestStep, response: api.ResponseStep) -> None:
    game = session.playing
    if game.realtime:
        raise Refused("Step is not supported in a realtime game: it goes on by itself")
    game.step(min(max(request.count, 1), MAX_STEP))
    session.note_end()
    response.simulation_loop = game.loop


IN_A_GAME = frozenset({IN_GAME})
RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "ping": Rule(_ping, ANY),
        "quit": Rule(quit_server, ANY),
        "create_game": Rule(create_game, ANY),
        "join_game": Rule(join_game, frozenset({LAUNCHED, INIT_GAME})),
        "restart_game": Rule(restart_game, frozenset({IN_GAME, ENDED})),
        "leave_game": Rule(leave_game, frozenset({IN_GAME, IN_REPLAY, ENDED})),
        "quick_save": Rule(quick_save, IN_A_GAME),
        "quick_load": Rule(quick_load, frozenset({IN_GAME, ENDED})),
        "start_replay": Rule(start_replay, ANY),
        "save_replay": Rule(save_replay, ANY),
        "replay_info": Rule(replay_info, ANY),
        "available_maps": Rule(available_maps, ANY),
        "save_map": Rule(save_map, ANY),
        "map_command": Rule(map_command, IN_A_GAME),
        "obs_action": Rule(observer_action, frozenset({IN_GAME, IN_REPLAY})),
        "game_info": Rule(_game_info, PLAYED),
        "observation": Rule(_observation, PLAYED),
        "data": Rule(_data, PLAYED),
        "query": Rule(_query, frozenset({IN_GAME, IN_REPLAY})),
        "action": Rule(_action, IN_A_GAME),
        "debug": Rule(_debug, IN_A_GAME),
        "step": Rule(_step, frozenset({IN_GAME, IN_REPLAY}), GAME_OVER),
    }
)
