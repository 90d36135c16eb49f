"""Visibility: which cells each player sees, counted by the views that show them.

A view shows a disc of cells, cut by the lines of sight of its cell unless it is over them. When a
unit comes to another cell, only those cells are counted that it shows now and did not before, and
the other way round.
"""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.records import Records
from terrarium.engine.state import Game
from terrarium.engine.tables.sight_lines import SIGHT_CELLS

MOST_SHIFT = 2
"""How many cells two views may be apart for their rows to be compared as numbers."""
SHOWN_TICKS = 48
"""How long a victim sees the unit that hit it from the fog."""
_PRIME = 67
PLACE_OF_BIT = np.full(_PRIME, -1, np.int64)
"""Of a power of 2 its exponent, by its rest: all of them have another one."""
for _k in range(63):
    PLACE_OF_BIT[(1 << _k) % _PRIME] = _k


MOST_REACH, _STEPS = 30, 4


def _half_widths() -> NDArray[np.int16]:
    """How far a disc extends to each side, in half cells, by its reach in steps of a quarter of a
    cell and by the distance of the row from its middle."""
    reach = np.arange(_STEPS * MOST_REACH + 1)[:, None] / _STEPS
    squared = (2.0 * reach + 1.0) ** 2 - np.arange(2 * MOST_REACH + 2) ** 2.0
    return np.sqrt(np.maximum(squared, 0.0)).astype(np.int16)


HALF_WIDTH = _half_widths()


@kernel
def half_width(reach: float, dy: int) -> int:
    """Half the width of a row of a disc."""
    return int(HALF_WIDTH[int(_STEPS * reach), abs(dy)])


@kernel
def is_cell_visible(game: Game, owner: int, cell: int) -> bool:
    """In a whole game: does a player see the ground of a cell now?"""
    return game.visibility[owner, cell] == codes.VISIBLE


@kernel
def is_place_visible(game: Game, owner: int, x: float, y: float) -> bool:
    """Does a player see a cell that a point is in, or one of those that it is between?"""
    width, height = game.ground.size[0], game.ground.size[1]
    high_x, high_y = min(int(x), width - 1), min(int(y), height - 1)
    low_x = high_x - 1 if x == high_x and high_x > 0 else high_x
    low_y = high_y - 1 if y == high_y and high_y > 0 else high_y
    for cy in range(low_y, high_y + 1):
        for cx in range(low_x, high_x + 1):
            if game.visibility[owner, cy * width + cx] == codes.VISIBLE:
                return True
    return False


@kernel
def is_body_visible(game: Game, owner: int, kind: int, x: float, y: float) -> bool:
    """Does a player see where a unit of a type is? Of what stands on the grid, one cell is enough:
    rocks hide what is behind their first cells."""
    footprint = game.rules.types[kind].footprint
    if footprint < 0:
        return is_place_visible(game, owner, x, y)
    shape, width, height = (
        game.rules.footprints[footprint],
        game.ground.size[0],
        game.ground.size[1],
    )
    left, bottom = int(x - 0.5 * shape.width + 0.25), int(y - 0.5 * shape.height + 0.25)
    for cy in range(max(0, bottom), min(height, bottom + shape.height)):
        for cx in range(max(0, left), min(width, left + shape.width)):
            if game.visibility[owner, cy * width + cx] == codes.VISIBLE:
                if shape.taken[cy - bottom] >> (cx - left) & 1:
                    return True
    return False


@kernel
def move_view(game: Game, v: int) -> None:
    """Let a view show what `scratch.wish` says, instead of what it has shown."""
    view, wish, boxes = game.views[v], game.scratch.wish[0], game.scratch.boxes
    if slides(game, v):
        for p in range(1, game.players.shape[0]):
            if is_friend(game, p, view.owner):
                slide(game, v, p)
        view.x, view.y = wish.x, wish.y
        return
    if view.owner != codes.NEUTRAL_OWNER:
        trace(game, view, 0)
    if wish.owner != codes.NEUTRAL_OWNER:
        trace(game, wish, 1)
    both = view.owner == wish.owner and wish.owner != codes.NEUTRAL_OWNER
    if both and abs(boxes[0].left - boxes[1].left) <= MOST_SHIFT:
        drop_shared(game)
    # New cells first: one that both show by different views is never out of sight.
    if wish.owner != codes.NEUTRAL_OWNER:
        count_cells(game, wish.owner, 1, 1)
    if view.owner != codes.NEUTRAL_OWNER:
        count_cells(game, view.owner, 0, -1)
    view.owner, view.x, view.y = wish.owner, wish.x, wish.y
    view.reach, view.over = wish.reach, wish.over


@kernel
def slides(game: Game, v: int) -> bool:
    """Does a view go on by a little, as a whole disc that nothing cuts?"""
    view, wish = game.views[v], game.scratch.wish[0]
    if view.owner != wish.owner or view.owner == codes.NEUTRAL_OWNER or view.over != wish.over:
        return False
    if view.reach != wish.reach or abs(view.x - wish.x) + abs(view.y - wish.y) > 2 * MOST_SHIFT:
        return False
    return is_whole(game, view) and is_whole(game, wish)


@kernel
def is_whole(game: Game, view: Records) -> bool:
    """Does a view show all of its disc?"""
    if view.over:
        return True
    if not view.x & view.y & 1:
        return False  # it is between cells
    cell = (view.y // 2) * game.ground.size[0] + view.x // 2
    return (
        game.dim[cell] == 0 and (view.reach + 0.5) * (view.reach + 0.5) < game.ground.unseen[cell]
    )


@kernel
def slide(game: Game, v: int, p: int) -> None:
    """Count the cells at the edges of a disc that moved, row by row: those before it, then those
    behind it."""
    view, wish, width = game.views[v], game.scratch.wish[0], game.ground.size[0]
    half = int(2.0 * view.reach + 1.0)
    bottom = max(0, -((half + 1 - min(view.y, wish.y)) // 2))
    top = min(game.ground.size[1] - 1, (max(view.y, wish.y) + half - 1) // 2)
    for y in range(bottom, top + 1):
        old_low, old_high = span(game, view, y, half)
        low, high = span(game, wish, y, half)
        row = y * width
        for cell in range(row + low, row + min(high, old_low)):
            count_cell(game, p, cell, 1)
        for cell in range(row + max(low, old_high), row + high):
            count_cell(game, p, cell, 1)
        for cell in range(row + old_low, row + min(old_high, low)):
            count_cell(game, p, cell, -1)
        for cell in range(row + max(old_low, high), row + old_high):
            count_cell(game, p, cell, -1)


@kernel
def span(game: Game, view: Records, y: int, half: int) -> tuple[int, int]:
    """The first cell of a disc in a row, and the one behind its last."""
    dy = 2 * y + 1 - view.y
    if abs(dy) > half:
        return 0, 0
    w = half_width(view.reach, dy)
    low = max(0, -((w + 1 - view.x) // 2))
    return low, max(low, min(game.ground.size[0], (view.x + w + 1) // 2))


@kernel
def count_cell(game: Game, p: int, cell: int, change: int) -> None:
    """One view more or less shows a cell to a player."""
    game.watchers[p, cell] += change
    if change > 0:
        game.visibility[p, cell] = codes.VISIBLE
    elif game.watchers[p, cell] == 0:
        game.visibility[p, cell] = codes.EXPLORED


@kernel
def hide(game: Game, v: int) -> None:
    """Let a view show nothing any more."""
    view = game.views[v]
    if view.owner != codes.NEUTRAL_OWNER:
        trace(game, view, 0)
        count_cells(game, view.owner, 0, -1)
        view.owner = codes.NEUTRAL_OWNER


@kernel
def trace(game: Game, view: Records, k: int) -> None:
    """Write the cells that a view shows into `scratch.shown[k]`.

    A cell is seen if its middle is within the reach and half a cell: so it is in every cell of the
    recorded games.
    """
    width, height = game.ground.size[0], game.ground.size[1]
    box, rows = game.scratch.boxes[k], game.scratch.shown
    half = int(2.0 * view.reach + 1.0)
    left = (view.x - 1) // 2 - max(SIGHT_CELLS, half // 2 + 1)
    bottom = max(0, -((half + 1 - view.y) // 2))
    top = min(height - 1, (view.y + half - 1) // 2)
    box.left, box.bottom, box.n_rows = left, bottom, top - bottom + 1
    for y in range(bottom, top + 1):
        dy = 2 * y + 1 - view.y
        w = half_width(view.reach, dy)
        low = max(0, -((w + 1 - view.x) // 2))
        high = min(width - 1, (view.x + w - 1) // 2)
        bits = 0
        if low <= high:
            bits = ((1 << (high - low + 1)) - 1) << (low - left)
            if not view.over:
                bits &= free_lines(game, view, y, left)
        rows[k, y - bottom] = bits


@kernel
def free_lines(game: Game, view: Records, y: int, left: int) -> int:
    """The cells of a row to which a line of sight is free; from a corner of cells, those that can
    be seen from any of them."""
    width, height = game.ground.size[0], game.ground.size[1]
    bits = 0
    for cy in range(max(0, (view.y - 1) // 2), min(height - 1, view.y // 2) + 1):
        for cx in range(max(0, (view.x - 1) // 2), min(width - 1, view.x // 2) + 1):
            row = y - cy + SIGHT_CELLS
            if view.reach >= SIGHT_CELLS or game.dim[cy * width + cx] > 0:
                bits |= walked_lines(game, view, y, left, cy * width + cx)
            elif 0 <= row < game.ground.sight.shape[1]:
                line = int(game.ground.sight[cy * width + cx, row])
                bits |= line << (cx - SIGHT_CELLS - left)
    return bits


@kernel
def walked_lines(game: Game, view: Records, y: int, left: int, middle: int) -> int:
    """The same from one cell, for those who see further than the tables go, and where rocks block
    the sight that can be destroyed: every line is walked, from its end."""
    width = game.ground.size[0]
    cx, reach = middle % width, int(view.reach) + 1
    bits = 0
    for x in range(max(0, cx - reach), min(width - 1, cx + reach) + 1):
        if is_line_free(game, middle, x, y):
            bits |= 1 << (x - left)
    return bits


@kernel
def is_line_free(game: Game, middle: int, x: int, y: int) -> bool:
    """Does a unit on the ground of a cell see another one, by the rule of tables/sight_lines?"""
    width, ground = game.ground.size[0], game.ground
    cx, cy = middle % width, middle // width
    dx, dy = x - cx, y - cy
    height = ground.level[middle]
    if ground.level[y * width + x] > height:
        return False
    while True:
        n_steps = max(abs(dx), abs(dy))
        if n_steps <= 1:
            return True
        size_x = (2 * abs(dx) * (n_steps - 1) + n_steps - 1) // (2 * n_steps)
        size_y = (2 * abs(dy) * (n_steps - 1) + n_steps - 1) // (2 * n_steps)
        dx, dy = size_x if dx > 0 else -size_x, size_y if dy > 0 else -size_y
        cell = (cy + dy) * width + cx + dx
        if ground.level[cell] > height or ground.opaque[cell] or game.opaque[cell] > 0:
            return False


@kernel
def drop_shared(game: Game) -> None:
    """Take from two views the cells that both show."""
    before, after, rows = game.scratch.boxes[0], game.scratch.boxes[1], game.scratch.shown
    shift = after.left - before.left
    low = max(before.bottom, after.bottom)
    high = min(before.bottom + before.n_rows, after.bottom + after.n_rows)
    for y in range(low, high):
        old, new = rows[0, y - before.bottom], rows[1, y - after.bottom]
        shared = old & (new << shift) if shift >= 0 else old & (new >> -shift)
        rows[0, y - before.bottom] = old ^ shared
        rows[1, y - after.bottom] = new ^ (shared >> shift if shift >= 0 else shared << -shift)


@kernel
def count_cells(game: Game, owner: int, k: int, change: int) -> None:
    """One view more or less shows the cells of `scratch.shown[k]` to a player and its allies."""
    box = game.scratch.boxes[k]
    for p in range(1, game.players.shape[0]):
        if not is_friend(game, p, owner):
            continue
        for row in range(box.n_rows):
            bits = game.scratch.shown[k, row]
            first = (box.bottom + row) * game.ground.size[0] + box.left
            while bits != 0:
                lowest = bits & -bits
                bits ^= lowest
                cell = first + PLACE_OF_BIT[lowest % _PRIME]
                count_cell(game, p, cell, change)


@kernel
def begin_sight(game: Game, u: int) -> None:
    """Of a new unit only its player and allies know."""
    view, me = game.views[u], game.units[u]
    view.sighted = 1 << me.owner
    for p in range(1, game.players.shape[0]):
        if is_friend(game, p, me.owner):
            view.sighted |= 1 << p
    view.blips, view.remembered, view.shown_to, view.shown_until = 0, 0, 0, 0
    me.seen = view.sighted


@kernel
def show_attacker(game: Game, u: int, owner: int) -> None:
    """A victim sees the unit that hit it from the fog, for some time (game_rules.md, 4)."""
    view = game.views[u]
    view.shown_to |= 1 << owner
    view.shown_until = game.clock[0].tick + SHOWN_TICKS


@kernel
def change_opaque(game: Game, v: int, change: int) -> None:
    """An object that blocks the sight begins or ceases to stand: whoever is near sees other cells
    from now on."""
    site, width = game.sites[v], game.ground.size[0]
    shape = game.rules.footprints[site.footprint]
    for k in range(game.views.shape[0]):
        if is_blocked_view(game, k, v):
            trace(game, game.views[k], 0)
            count_cells(game, game.views[k].owner, 0, -1)
    for y in range(shape.height):
        for x in range(shape.width):
            if shape.closed[y] >> x & 1:
                cell = (site.bottom + y) * width + site.left + x
                game.opaque[cell] = int(game.opaque[cell]) + change
    low, high = max(0, site.left - SIGHT_CELLS), site.left + shape.width + SIGHT_CELLS
    bottom, top = max(0, site.bottom - SIGHT_CELLS), site.bottom + shape.height + SIGHT_CELLS
    for y in range(bottom, min(game.ground.size[1], top)):
        for x in range(low, min(width, high)):
            game.dim[y * width + x] = int(game.dim[y * width + x]) + change
    for k in range(game.views.shape[0]):
        if is_blocked_view(game, k, v):
            trace(game, game.views[k], 0)
            count_cells(game, game.views[k].owner, 0, 1)


@kernel
def is_blocked_view(game: Game, k: int, v: int) -> bool:
    """Might a view show other cells without an object?"""
    view, site = game.views[k], game.sites[v]
    if view.owner == codes.NEUTRAL_OWNER or view.over:
        return False
    shape, reach = game.rules.footprints[site.footprint], view.reach + 2.0
    x, y = 0.5 * view.x, 0.5 * view.y
    return (
        site.left - reach <= x <= site.left + shape.width + reach
        and site.bottom - reach <= y <= site.bottom + shape.height + reach
    )
