"""Where the sectors of a larger map are open to each other: the list of its portals."""

from terrarium.engine.jit import entry, kernel
from terrarium.engine.state import Game

PORTAL_CELLS = 6
"""Longer runs of open border cells are divided: ways lead through the middle of a portal."""


@entry
def find_portals(game: Game) -> None:
    """List the portals of every layer, border by border."""
    n_sectors = game.land.changed.shape[0]
    if n_sectors == 1:
        return
    for layer in range(game.land.open.shape[0]):
        game.land.first_portal[layer, 0] = 0
        for border in range(2 * n_sectors):
            game.land.first_portal[layer, border + 1] = game.land.first_portal[layer, border]
            find_runs(game, layer, border)


@kernel
def find_runs(game: Game, layer: int, border: int) -> None:
    """Divide the open cells along a border into runs within which both sides are connected."""
    ground, width = game.ground, game.ground.size[0]
    n_columns, n_rows = ground.column_edge.shape[0] - 1, ground.row_edge.shape[0] - 1
    column, row = border // 2 % n_columns, border // 2 // n_columns
    upwards = border % 2
    if (row if upwards else column) + 1 == (n_rows if upwards else n_columns):
        return  # the border of the map
    if upwards:
        start = (ground.row_edge[row + 1] - 1) * width + ground.column_edge[column]
        length = ground.column_edge[column + 1] - ground.column_edge[column]
        along, across, crosses, goes_on = 1, width, 4, 1
    else:
        start = ground.row_edge[row] * width + ground.column_edge[column + 1] - 1
        length = ground.row_edge[row + 1] - ground.row_edge[row]
        along, across, crosses, goes_on = width, 1, 1, 4
    run = 0
    for k in range(length):
        cell = start + k * along
        if not game.land.open[layer, cell] & crosses:
            continue
        run += 1
        is_last = k + 1 == length or not game.land.open[layer, cell + along] & crosses
        connected = game.land.open[layer, cell] & game.land.open[layer, cell + across] & goes_on
        if is_last or not connected:
            divide_run(game, layer, border, cell - (run - 1) * along, k + 1 - run, run)
            run = 0


@kernel
def divide_run(game: Game, layer: int, border: int, cell: int, k: int, n_cells: int) -> None:
    """Add the portals of a run of open cells, the first of which is the k-th of the border.

    Their middles are counted in half cells from the middle of the run, and rounded towards it: seen
    from the other end of the map, they are the same.
    """
    along = 1 if border % 2 else game.ground.size[0]
    n_portals = -(-n_cells // PORTAL_CELLS)
    for i in range(n_portals):
        ahead = 2 * i + 1 - n_portals
        aside = abs(ahead) * n_cells // n_portals
        middle = n_cells + (aside if ahead > 0 else -aside)  # in half cells from the run's end
        p = game.land.first_portal[layer, border + 1]
        portal = game.land.portals[layer, p]
        portal.border, portal.spot = border, 2 * k + middle
        portal.cell = cell + (middle - 1) // 2 * along
        portal.beside = 0 if middle % 2 else along
        portal.across = game.ground.size[0] if border % 2 else 1
        game.land.first_portal[layer, border + 1] = p + 1
