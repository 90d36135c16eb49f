"""Creep: discs that grow around their sources ring by ring, and recede when these are gone.

Each cell counts the patches that lie on it, so that a step of one patch touches its own ring only.
"""

from terrarium.engine import codes
from terrarium.engine.jit import inline, kernel
from terrarium.engine.state import Game, keeps_creep

STEP = 1.0
"""of the radius, in cells"""
RECEDING_TICKS = 64.0
"""for a step back (game_rules.md, 9)"""


@inline
def creep_at(game: Game, x: float, y: float) -> bool:
    """Is there creep at a point?"""
    if not keeps_creep(game):
        return False
    width, height = game.ground.size[0], game.ground.size[1]
    inside = 0.0 <= x < width and 0.0 <= y < height
    return inside and game.creep[int(y) * width + int(x)] > 0


@kernel
def creep_under(game: Game, left: int, bottom: int, width: int, height: int) -> bool:
    """Is there creep on all cells of a footprint?"""
    for y in range(bottom, bottom + height):
        for x in range(left, left + width):
            if not creep_at(game, x + 0.5, y + 0.5):
                return False
    return True


@kernel
def spreads_creep(game: Game, u: int) -> bool:
    """Is a unit a source of creep now? Overlords have to be told to, and stand still."""
    me = game.units[u]
    row = game.rules.types[me.kind]
    if row.creep == 0.0 or not me.alive or me.status & codes.UNFINISHED:
        return False
    if row.mobile:
        return me.status & codes.SPREADS_CREEP != 0 and me.speed_x == 0.0 and me.speed_y == 0.0
    return True


@kernel
def run_creep(game: Game) -> None:
    """One tick of all patches; new sources begin new ones."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.rules.types[game.units[u].kind].creep > 0.0:
            if game.producers[u].patch < 0 and spreads_creep(game, u):
                begin_patch(game, u)
    k = 0
    while k < game.epochs[0].n_patches:
        advance_patch(game, k)
        if game.patches[k].radius < 0.0:
            remove_patch(game, k)
        else:
            k += 1


@kernel
def begin_patch(game: Game, u: int) -> None:
    """A new source has some creep at once."""
    me, k = game.units[u], game.epochs[0].n_patches
    if k >= game.patches.shape[0]:
        return  # it waits until another patch is gone
    patch, row = game.patches[k], game.rules.types[me.kind]
    patch.source, patch.tag, patch.x, patch.y = u, me.tag, me.x, me.y
    patch.radius, patch.timer = -1.0, row.creep_ticks
    game.epochs[0].n_patches += 1
    game.producers[u].patch = k
    resize_patch(game, k, row.creep_start)


@kernel
def advance_patch(game: Game, k: int) -> None:
    """Let a patch grow by a ring when its time has come, or recede if its source is gone."""
    patch = game.patches[k]
    u = patch.source
    if u >= 0 and not (game.units[u].tag == patch.tag and spreads_creep(game, u)):
        if game.units[u].tag == patch.tag:
            game.producers[u].patch = codes.NO_UNIT
        patch.source, patch.timer = codes.NO_UNIT, RECEDING_TICKS
    goal, ticks = -1.0, RECEDING_TICKS
    if patch.source >= 0:
        row = game.rules.types[game.units[u].kind]
        goal, ticks = row.creep, row.creep_ticks
        if patch.radius >= goal:
            patch.timer = ticks
            return
    patch.timer -= 1.0
    if patch.timer <= 0.0:
        patch.timer += ticks
        grown = min(goal, patch.radius + STEP)
        resize_patch(game, k, grown if patch.source >= 0 else patch.radius - STEP)


@kernel
def remove_patch(game: Game, k: int) -> None:
    """Forget a patch that is gone; the last one takes its place."""
    game.epochs[0].n_patches -= 1
    last, here = game.patches[game.epochs[0].n_patches], game.patches[k]
    here.source, here.tag, here.x, here.y = last.source, last.tag, last.x, last.y
    here.radius, here.timer = last.radius, last.timer
    here_moved = k < game.epochs[0].n_patches and here.source >= 0
    if here_moved and game.units[here.source].tag == here.tag:
        game.producers[here.source].patch = k


@kernel
def resize_patch(game: Game, k: int, radius: float) -> None:
    """Count a patch in or out on the cells by which its disc changes. Creep lies where one can
    walk, on the cells whose middle is inside."""
    patch, width, height = game.patches[k], game.ground.size[0], game.ground.size[1]
    old = patch.radius * patch.radius if patch.radius >= 0.0 else -1.0
    new = radius * radius if radius >= 0.0 else -1.0
    reach = max(patch.radius, radius) + 1.0
    for y in range(max(0, int(patch.y - reach)), min(height, int(patch.y + reach) + 1)):
        for x in range(max(0, int(patch.x - reach)), min(width, int(patch.x + reach) + 1)):
            dx, dy = x + 0.5 - patch.x, y + 0.5 - patch.y
            far = dx * dx + dy * dy
            cell = y * width + x
            if (far <= old) != (far <= new) and game.ground.walkable[codes.SMALL_WALKER, cell]:
                count = int(game.creep[cell])
                game.creep[cell] = count + 1 if far <= new else count - 1
    patch.radius = radius
    game.epochs[0].creep += 1
