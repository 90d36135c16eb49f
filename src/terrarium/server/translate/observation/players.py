"""What a player owns: purse, supply, counts, upgrades, power, and where its camera is."""

import numpy as np
from s2clientprotocol import raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import raw_origin
from terrarium.server.translate.ids import api_tag
from terrarium.server.translate.observation.client_view import ClientView


def fill_common(game: LiveGame, view: ClientView, common: api.PlayerCommon) -> None:
    """Supply is shown without halves, rounded down."""
    purse, counts = game.sim.players[0, game.player], view.listing.counts[0]
    common.player_id = game.player
    common.minerals, common.vespene = int(purse["minerals"]), int(purse["vespene"])
    used = cap = counts["food_army"] + counts["food_workers"]
    if game.is_whole_game:
        account = game.sim.games.accounts[0, game.player]
        used, cap = account["supply_used"], account["supply_cap"]
    common.food_cap, common.food_used = int(cap), int(used)
    common.food_army = int(counts["food_army"])
    common.food_workers = int(counts["food_workers"])
    common.idle_worker_count = int(counts["idle_workers"])
    common.army_count = int(counts["army"])
    common.warp_gate_count = int(counts["warp_gates"])
    if counts["larvae"]:
        common.larva_count = int(counts["larvae"])


def fill_player(game: LiveGame, view: ClientView, player: raw_pb2.PlayerRaw) -> None:
    x0, y0 = raw_origin(game)
    player.camera.x, player.camera.y = game.camera[0] - x0, game.camera[1] - y0
    if not game.player:
        return
    player.upgrade_ids.extend(_upgrades(game, view))
    n_power = int(game.sim.games.epochs["n_power"][0, 0])
    for source in game.sim.games.power[0, :n_power]:
        if source["owner"] == game.player:
            shown = player.power_sources.add(
                radius=float(source["radius"]), tag=api_tag(game.n_tags + int(source["tag"]))
            )
            x, y = float(source["x"]), float(source["y"])
            shown.pos.x, shown.pos.y, shown.pos.z = x - x0, y - y0, view.height_at(x, y)


def _upgrades(game: LiveGame, view: ClientView) -> list[int]:
    """The ids of what the player has, in order."""
    state, table = game.sim.players[0, game.player], game.sim.rules.upgrades
    if not state["techs"] and not state["levels"].any():
        return []
    single = (table["tech"] != 0) & (state["techs"] & table["tech"] != 0)
    leveled = (table["tech"] == 0) & (state["levels"][table["family"]] >= table["level"])
    ids = view.ids.upgrades[np.flatnonzero(single | leveled)]
    return sorted(ids[ids > 0].tolist())
