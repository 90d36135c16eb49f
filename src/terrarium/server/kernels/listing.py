"""All units that a client is shown, and who is no longer there."""

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.state import has_economy, keeps_sight
from terrarium.server.kernels.harvesters import count_harvesters
from terrarium.server.kernels.layouts import ApiView
from terrarium.server.kernels.unit_messages import put_placeholder, put_snapshot, put_unit
from terrarium.server.kernels.who_sees import UNLISTED, VISIBLE, display_of


@entry
def list_units(view: ApiView) -> int:
    """Write the messages of all units that are shown; how many bytes they are."""
    game, viewer = view.game, view.listing.viewer[0]
    at, player = 0, viewer.player
    if has_economy(game):
        count_harvesters(view, player)
    if keeps_sight(game) and player > 0 and not viewer.sees_all:
        for k in range(game.memories[player].n_snapshots):
            at = put_snapshot(view, at, player, k)
    begin_count(view)
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        display = display_of(view, u)
        if display != UNLISTED:
            at = put_unit(view, at, u, display)
            if view.api.types[game.units[u].kind].radar > 0.0:
                view.listing.counts[0].towers += 1
        if viewer.placeholders and game.units[u].owner == player and game.units[u].alive:
            for q in range(game.units[u].n_orders):
                if game.orders[u, q].kind == codes.BUILD:
                    at = put_placeholder(view, at, u, q)
        note_listed(view, u, display == VISIBLE)
        if game.units[u].owner == player:
            count_own(view, u)
    return at


@kernel
def begin_count(view: ApiView) -> None:
    """Note who was listed and is not there any more; nobody is counted yet."""
    game, listing = view.game, view.listing
    counts, n_gone, n_tags = listing.counts[0], 0, listing.viewer[0].n_tags
    for u in range(game.clock[0].n_slots):
        was, me = listing.listed[u], game.units[u]
        if was.tag > 0 and (n_tags + me.tag != was.tag or not (me.alive or me.inside >= 0)):
            gone = listing.gone[n_gone]
            gone.tag, gone.unit, gone.owner, gone.kind = was.tag, u, was.owner, was.kind
            was.tag = 0
            n_gone += 1
    counts.n_gone = n_gone
    counts.idle_workers = counts.army = counts.warp_gates = counts.larvae = 0
    counts.towers = 0
    counts.food_army = counts.food_workers = 0.0


@kernel
def note_listed(view: ApiView, u: int, shown: bool) -> None:
    """Remember who was seen; who is aboard stays on the list."""
    me, was = view.game.units[u], view.listing.listed[u]
    if shown:
        was.tag = view.listing.viewer[0].n_tags + me.tag
        was.unit, was.owner, was.kind = u, me.owner, me.kind
    elif me.alive:
        was.tag = 0


@kernel
def count_own(view: ApiView, u: int) -> None:
    """Count a unit of the player among its workers, its army and so on."""
    game, me, counts = view.game, view.game.units[u], view.listing.counts[0]
    if not me.alive and me.inside < 0:
        return
    row, kind = game.rules.types[me.kind], view.api.types[me.kind]
    if row.worker:
        counts.food_workers += row.supply_used
        if me.alive and me.n_orders == 0:
            counts.idle_workers += 1
    else:
        counts.food_army += row.supply_used
    if me.status & codes.UNFINISHED:
        return
    counts.army += int(kind.army)
    counts.warp_gates += int(kind.warp_gate)
    counts.larvae += int(row.is_larva)
