"""The neighbor grid: the living in square buckets, row by row, for searches among many units.

Buckets of a row follow each other in memory, and so do their members: a search reads one piece of
`spots` for each row that it crosses. Only the columns of a row that hold units are counted.
"""

from terrarium.engine.jit import kernel
from terrarium.engine.scratch import CAMP_BUCKETS, N_MEMBERS
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import BUCKET

CROWD = 48
"""From this many units on, neighbors are looked up in the grid."""


@kernel
def list_places(game: Game) -> None:
    """Put the places of the living side by side: few need no grid."""
    n_members = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me, spot = game.units[u], game.scratch.spots[n_members]
        if me.alive:
            spot.unit, spot.owner = u, me.owner
            spot.x, spot.y = me.x, me.y
            n_members += 1
    game.scratch.counts[N_MEMBERS] = n_members


@kernel
def fill_grid(game: Game) -> None:
    """Sort the living into buckets, by counting."""
    across, scratch = game.ground.size[2], game.scratch
    span_rows(game)
    for i in range(game.clock[0].n_living):
        if scratch.buckets[i] >= 0:
            scratch.cells[scratch.buckets[i]] += 1
    n_members = 0
    for j in range(game.ground.size[3]):
        row = scratch.rows[j]
        for b in range(j * (across + 1) + row.low, j * (across + 1) + row.high + 1):
            n_members += int(scratch.cells[b])
            scratch.cells[b] = n_members
        if row.low <= row.high:
            scratch.cells[j * (across + 1) + row.high + 1] = n_members
    scratch.counts[N_MEMBERS] = n_members
    # Fill from the back, so that each start ends up at its bucket's first member.
    for i in range(game.clock[0].n_living - 1, -1, -1):
        b = scratch.buckets[i]
        if b >= 0:
            scratch.cells[b] -= 1
            spot, u = scratch.spots[scratch.cells[b]], game.living[i]
            spot.unit, spot.owner = u, game.units[u].owner
            spot.x, spot.y = game.units[u].x, game.units[u].y


@kernel
def span_rows(game: Game) -> None:
    """Note the bucket of each unit, which columns of each row hold units, and who camps where."""
    across, down, scratch = game.ground.size[2], game.ground.size[3], game.scratch
    for j in range(down):
        scratch.rows[j].low, scratch.rows[j].high = across, -1
    for k in range(scratch.camps.shape[0]):
        scratch.camps[k] = 0
    for i in range(game.clock[0].n_living):
        me = game.units[game.living[i]]
        scratch.buckets[i] = -1
        if me.alive:
            column, j = int(me.x / BUCKET), int(me.y / BUCKET)
            scratch.buckets[i] = j * (across + 1) + column
            row = scratch.rows[j]
            row.low, row.high = min(row.low, column), max(row.high, column)
            scratch.camps[camp_of(game, column, j)] |= 1 << me.owner
    for j in range(down):
        row = scratch.rows[j]
        for b in range(j * (across + 1) + row.low, j * (across + 1) + row.high + 1):
            scratch.cells[b] = 0


@kernel
def members_of(game: Game, j: int, low: int, high: int) -> tuple[int, int]:
    """The members of a row from one column to another: the first one, and one behind the last."""
    row, start = game.scratch.rows[j], j * (game.ground.size[2] + 1)
    low, high = max(low, row.low), min(high, row.high)
    if low > high:
        return 0, 0
    return int(game.scratch.cells[start + low]), int(game.scratch.cells[start + high + 1])


@kernel
def camp_of(game: Game, column: int, j: int) -> int:
    """The square of many buckets that a bucket lies in."""
    return j // CAMP_BUCKETS * (game.ground.size[2] // CAMP_BUCKETS + 1) + column // CAMP_BUCKETS


@kernel
def owners_around(game: Game, x: float, y: float, reach: float) -> int:
    """A bit for each owner that may have units in a square: for all who have, and perhaps more."""
    across, down = game.ground.size[2], game.ground.size[3]
    low = max(0, int((x - reach) / BUCKET))
    high = min(across - 1, int((x + reach) / BUCKET))
    first = camp_of(game, 0, max(0, int((y - reach) / BUCKET)))
    last = camp_of(game, 0, min(down - 1, int((y + reach) / BUCKET)))
    owners = 0
    for start in range(first, last + 1, across // CAMP_BUCKETS + 1):
        for k in range(start + low // CAMP_BUCKETS, start + high // CAMP_BUCKETS + 1):
            owners |= game.scratch.camps[k]
    return owners
