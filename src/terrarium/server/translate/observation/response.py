"""ResponseObservation: what a player sees now, and what happened since the last observation."""

from s2clientprotocol import sc2api_pb2 as api

from terrarium.games.ending import GameResult
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.observation.client_view import client_view
from terrarium.server.translate.observation.effects import fill_effects, fill_radar
from terrarium.server.translate.observation.happenings import fill_happenings
from terrarium.server.translate.observation.map_state import fill_map_state
from terrarium.server.translate.observation.players import fill_common, fill_player
from terrarium.server.translate.observation.score import fill_score


def fill_observation(
    game: LiveGame, request: api.RequestObservation, response: api.ResponseObservation
) -> None:
    """Fill an observation of this client's player."""
    news, view = game.take_news(), client_view(game)
    seen = response.observation
    seen.game_loop = game.loop
    units = view.look(game, sees_all=request.disable_fog)
    if game.player:
        fill_common(game, view, seen.player_common)
    if game.options.score and game.player and game.is_whole_game:
        fill_score(game, seen.score)
    if game.options.raw:
        raw = seen.raw_data
        fill_player(game, view, raw.player)
        raw.MergeFromString(units)
        fill_map_state(game, raw.map_state, sees_all=request.disable_fog)
        fill_effects(game, view, raw)
        fill_radar(game, view, raw)
    fill_happenings(game, view, news.events, seen)
    response.actions.extend(news.echoes)
    response.action_errors.extend(news.errors)
    response.chat.extend(news.chat)
    if game.ended:
        for player, result in enumerate(game.results, 1):
            if result != GameResult.UNDECIDED:
                response.player_result.add(player_id=player, result=int(result))
