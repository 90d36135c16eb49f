"""Snapshots: structures and neutral objects as players saw them last, in the fog."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.vision.visibility import is_body_visible
from terrarium.engine.state import Game


@kernel
def clear_snapshots(game: Game) -> None:
    for p in range(game.memories.shape[0]):
        game.memories[p].n_snapshots = game.memories[p].last_number = 0


@kernel
def remember_map(game: Game) -> None:
    """When a game begins, players know what stands on the map and belongs to no player (sc2api.md,
    8.3)."""
    for i in range(game.clock[0].n_living):
        v = int(game.living[i])
        if game.units[v].owner == codes.NEUTRAL_OWNER:
            change_sight(game, v, -1, game.views[v].sighted)


@kernel
def change_sight(game: Game, v: int, before: int, now: int) -> None:
    """Who saw a unit before and does not now, remembers it; who sees it, need not."""
    if before == now or not game.rules.types[game.units[v].kind].snapshot:
        return
    for p in range(1, game.players.shape[0]):
        if now >> p & 1 and not before >> p & 1:
            forget_unit(game, p, v)
        elif before >> p & 1 and not now >> p & 1:
            remember(game, p, v)


@kernel
def remember(game: Game, p: int, v: int) -> None:
    """Keep a snapshot of a unit for a player."""
    memory, other = game.memories[p], game.units[v]
    if memory.n_snapshots >= game.snapshots.shape[1]:
        forget(game, p, 0)  # of a thousand, one more or less: the oldest of them goes
    snapshot = game.snapshots[p, memory.n_snapshots]
    memory.n_snapshots += 1
    memory.last_number += 1
    snapshot.number, snapshot.tag, snapshot.unit = memory.last_number, other.tag, v
    snapshot.kind, snapshot.owner = other.kind, other.owner
    snapshot.x, snapshot.y = other.x, other.y
    snapshot.face_x, snapshot.face_y = other.face_x, other.face_y
    snapshot.hp, snapshot.shield = other.hp, other.shield
    snapshot.progress = game.producers[v].progress
    snapshot.tick = game.clock[0].tick
    game.views[v].remembered |= 1 << p


@kernel
def forget_unit(game: Game, p: int, v: int) -> None:
    """Drop the snapshot that a player has of a unit, if there is one."""
    tag = game.units[v].tag
    for k in range(game.memories[p].n_snapshots):
        if game.snapshots[p, k].tag == tag:
            forget(game, p, k)
            return


@kernel
def forget(game: Game, p: int, k: int) -> None:
    """Drop a snapshot; the others stay in the order in which they were taken."""
    memory, gone = game.memories[p], game.snapshots[p, k]
    if game.units[gone.unit].tag == gone.tag:
        game.views[gone.unit].remembered &= ~(1 << p)
    memory.n_snapshots -= 1
    for j in range(k, memory.n_snapshots):
        old, after = game.snapshots[p, j], game.snapshots[p, j + 1]
        old.number, old.tag, old.unit = after.number, after.tag, after.unit
        old.kind, old.owner, old.x, old.y = after.kind, after.owner, after.x, after.y
        old.face_x, old.face_y = after.face_x, after.face_y
        old.hp, old.shield = after.hp, after.shield
        old.progress, old.tick = after.progress, after.tick


@kernel
def forget_gone(game: Game) -> None:
    """A player who sees the place of a snapshot, and nothing there, drops it."""
    for p in range(1, game.memories.shape[0]):
        k = 0
        while k < game.memories[p].n_snapshots:
            snapshot = game.snapshots[p, k]
            if is_body_visible(game, p, snapshot.kind, snapshot.x, snapshot.y):
                forget(game, p, k)
            else:
                k += 1
