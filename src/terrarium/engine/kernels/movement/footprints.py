"""Footprints: structures that stand on the grid, close its cells and are walked around."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.resources import come_out
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.kernels.movement.repairs import repair, survey
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.kernels.vision.visibility import change_opaque
from terrarium.engine.state import Game, has_economy, is_placed, is_unit, keeps_sight


@kernel
def lowest_cell(middle: float, n_cells: int) -> int:
    """Where a footprint of so many cells begins: odd ones have their middle in a cell, even ones on
    a corner (sc2api.md, 20)."""
    return int(middle - 0.5 * (n_cells - 1) + 64.0) - 64  # rounds down below 0, too


@kernel
def has_space(game: Game, footprint: int, left: int, bottom: int) -> bool:
    """Is there flat, free ground to build on under the whole of a footprint?"""
    shape, ground = game.rules.footprints[footprint], game.ground
    if left < ground.playable[0] or bottom < ground.playable[1]:
        return False
    if left + shape.width > ground.playable[2] or bottom + shape.height > ground.playable[3]:
        return False
    terrace = ground.terrace[bottom * ground.size[0] + left]
    if terrace < 0:
        return False
    for y in range(bottom, bottom + shape.height):
        for x in range(left, left + shape.width):
            cell = y * ground.size[0] + x
            if ground.terrace[cell] != terrace or game.taken[cell]:
                return False
    return True


@kernel
def stands_in(game: Game, v: int, footprint: int, x: float, y: float) -> bool:
    """Does a body on the ground overlap a footprint whose middle is at (x, y)?"""
    other, shape = game.units[v], game.rules.footprints[footprint]
    row = game.rules.types[other.kind]
    if not other.alive or row.walker == codes.FLYER or row.is_larva or is_placed(game, v):
        return False
    reach = row.inner if row.mobile else row.separation
    dx = max(abs(other.x - x) - 0.5 * shape.width, 0.0)
    dy = max(abs(other.y - y) - 0.5 * shape.height, 0.0)
    return dx * dx + dy * dy < reach * reach - NEARLY


@kernel
def enemy_stands_in(game: Game, owner: int, footprint: int, x: float, y: float) -> bool:
    """Does an enemy on the ground keep a player from closing a footprint?"""
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        if is_enemy(game, owner, game.units[v].owner) and stands_in(game, v, footprint, x, y):
            return True
    return False


@kernel
def closes_cells(game: Game, u: int, kind: int) -> bool:
    """Would a structure on the grid close other cells than now as this type?"""
    footprint = game.rules.types[kind].footprint
    if not is_placed(game, u) or footprint < 0:
        return False
    old, new = game.rules.footprints[game.sites[u].footprint], game.rules.footprints[footprint]
    if old.width != new.width or old.height != new.height:
        return True
    for y in range(old.height):
        if old.closed[y] != new.closed[y]:
            return True
    return False


@kernel
def put_footprint(game: Game, u: int) -> None:
    """Let a unit stand on the grid where it is: from now on walkers go around it."""
    me, site = game.units[u], game.sites[u]
    shape = game.rules.footprints[game.rules.types[me.kind].footprint]
    site.footprint = game.rules.types[me.kind].footprint
    site.left, site.bottom = lowest_cell(me.x, shape.width), lowest_cell(me.y, shape.height)
    me.x, me.y = site.left + 0.5 * shape.width, site.bottom + 0.5 * shape.height
    me.home_x, me.home_y = me.x, me.y
    site.placed = True
    game.epochs[0].n_placed += 1
    mark_cells(game, u, u + 1)
    if keeps_sight(game) and game.rules.types[me.kind].opaque:
        change_opaque(game, u, 1)


@kernel
def lift_footprint(game: Game, u: int) -> None:
    """Take a unit off the grid, if it stands there: its cells are free again."""
    if not is_placed(game, u):
        return
    game.sites[u].placed = False
    game.epochs[0].n_placed -= 1
    mark_cells(game, u, 0)
    if keeps_sight(game) and game.rules.types[game.units[u].kind].opaque:
        change_opaque(game, u, -1)
    if has_economy(game) and game.resources[u].geyser >= 0:
        uncover_geyser(game, u)


@kernel
def geyser_at(game: Game, x: float, y: float) -> int:
    """The geyser whose middle is at a point, and on which nothing stands; -1 = there is none."""
    if not has_economy(game):
        return codes.NO_UNIT
    v = int(game.taken[int(y) * game.ground.size[0] + int(x)]) - 1
    if v < 0 or game.units[v].owner != codes.NEUTRAL_OWNER:
        return codes.NO_UNIT
    other = game.units[v]
    is_geyser = game.rules.types[other.kind].resource == codes.VESPENE
    return v if is_geyser and abs(other.x - x) + abs(other.y - y) < NEARLY else codes.NO_UNIT


@kernel
def cover_geyser(game: Game, u: int, v: int) -> None:
    """A structure on a geyser holds what is in it."""
    mine, its = game.resources[u], game.resources[v]
    mine.geyser, mine.geyser_tag = v, game.units[v].tag
    mine.contents, mine.per_trip = its.contents, its.per_trip


@kernel
def uncover_geyser(game: Game, u: int) -> None:
    """The structure on a geyser goes: what is left is in the geyser, which others can build on, and
    who is inside comes out."""
    for i in range(game.clock[0].n_living):
        if game.units[game.living[i]].inside == u:
            come_out(game, game.living[i])
    v, tag = game.resources[u].geyser, game.resources[u].geyser_tag
    game.resources[u].geyser = codes.NO_UNIT
    if is_unit(game, v, tag):
        game.resources[v].contents = game.resources[u].contents
        mark_cells(game, v, v + 1)


@kernel
def change_footprint(game: Game, u: int, kind: int) -> None:
    """Keep the footprint of a unit on the grid true when it takes another form."""
    if not is_placed(game, u):
        return
    footprint = game.rules.types[kind].footprint
    if footprint >= 0 and not closes_cells(game, u, kind):
        game.sites[u].footprint = footprint
        return
    lift_footprint(game, u)
    game.units[u].kind = kind
    if footprint >= 0:
        put_footprint(game, u)


@kernel
def mark_cells(game: Game, u: int, owner: int) -> None:
    """Note whose the cells under a structure are, and repair the ground around it."""
    site, width = game.sites[u], game.ground.size[0]
    shape = game.rules.footprints[site.footprint]
    for y in range(shape.height):
        for x in range(shape.width):
            cell = (site.bottom + y) * width + site.left + x
            if shape.taken[y] >> x & 1:
                # What goes leaves the cells to another one that stands on them, as on a geyser.
                if owner != 0 or game.taken[cell] == u + 1:
                    game.taken[cell] = owner
            if shape.closed[y] >> x & 1:
                if owner != 0 or game.blocked[cell] == u + 1:
                    game.blocked[cell] = owner
    right, top = site.left + shape.width, site.bottom + shape.height
    repair(game, site.left, site.bottom, right, top)


@kernel
def clear_footprints(game: Game) -> None:
    """Take everything off the grid."""
    if game.epochs[0].n_placed == 0:
        return
    for u in range(game.sites.shape[0]):
        game.sites[u].placed = False
    for cell in range(game.taken.shape[0]):
        game.taken[cell] = game.blocked[cell] = 0
    game.epochs[0].n_placed = 0
    survey(game)
