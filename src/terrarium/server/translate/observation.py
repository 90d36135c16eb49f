"""ResponseObservation: what a player sees now, and what happened since the last observation."""

from typing import Any

from s2clientprotocol import sc2api_pb2 as api

from terrarium.games.ending import GameResult
from terrarium.server.live_game import LiveGame


def fill_observation(
    game: LiveGame, request: api.RequestObservation, response: api.ResponseObservation
) -> None:
    """Fill an observation of this client's player."""
    news = game.take_news()
    seen = response.observation
    seen.game_loop = game.loop
    if game.player and game.is_whole_game:
        _fill_player(game, seen.player_common)
    response.actions.extend(news.echoes)
    response.action_errors.extend(news.errors)
    response.chat.extend(news.chat)
    if game.ended:
        for player, result in enumerate(game.results, 1):
            if result != GameResult.UNDECIDED:
                response.player_result.add(player_id=player, result=int(result))


def _fill_player(game: LiveGame, common: Any) -> None:
    purse, account = game.sim.players[0, game.player], game.sim.games.accounts[0, game.player]
    common.player_id = game.player
    common.minerals, common.vespene = int(purse["minerals"]), int(purse["vespene"])
    common.food_used = int(account["supply_used"])
    common.food_cap = int(account["supply_cap"])
