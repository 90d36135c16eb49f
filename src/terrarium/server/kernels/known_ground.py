"""Which structures and objects a client's pathing grid shows."""

from terrarium.engine.jit import entry, kernel
from terrarium.engine.state import has_structures, keeps_sight
from terrarium.server.kernels.layouts import ApiView
from terrarium.server.kernels.unit_messages import NEVER_SEEN_TICK
from terrarium.server.kernels.who_sees import is_own_side, is_seen

FACTOR, MODULUS = 1_000_003, 2_147_483_647


@entry
def find_known(view: ApiView) -> int:
    """Mark what stands on the grid and is seen, or has been; a number that changes with it."""
    game, player, known = view.game, view.listing.viewer[0].player, view.listing.known
    summary = 1
    if not has_structures(game):
        return summary
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        known[1 + u] = game.units[u].alive and game.sites[u].placed and is_in_view(view, u)
    if keeps_sight(game) and player > 0:
        for k in range(game.memories[player].n_snapshots):
            snapshot = game.snapshots[player, k]
            if snapshot.tick != NEVER_SEEN_TICK and is_still_there(view, int(player), k):
                known[1 + snapshot.unit] = True
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        if known[1 + u]:
            summary = (summary * FACTOR + int(game.units[u].tag)) % MODULUS
    return (summary * FACTOR + int(game.epochs[0].ground)) % MODULUS


@kernel
def is_in_view(view: ApiView, u: int) -> bool:
    player = view.listing.viewer[0].player
    if player == 0 or is_own_side(view, int(view.game.units[u].owner)):
        return True
    return is_seen(view.game, u, int(player))


@kernel
def is_still_there(view: ApiView, player: int, k: int) -> bool:
    """Does what a snapshot shows still stand on the grid?"""
    snapshot = view.game.snapshots[player, k]
    u = snapshot.unit
    return view.game.units[u].tag == snapshot.tag and view.game.sites[u].placed
