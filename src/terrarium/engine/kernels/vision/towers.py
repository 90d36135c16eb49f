"""Watch towers: whoever stands at one on the ground sees what it sees (game_rules.md, 6)."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.kernels.vision.sight import within
from terrarium.engine.state import Game

CAPTURE_TICKS = 4
"""How often it is looked who stands at a tower."""


@kernel
def capture_towers(game: Game) -> None:
    for i in range(game.clock[0].n_living):
        v = int(game.living[i])
        if game.units[v].alive and game.rules.types[game.units[v].kind].capture > 0.0:
            capture(game, v)


@kernel
def capture(game: Game, v: int) -> None:
    """A tower stays with those who hold it as long as one of them is there; then it goes to those
    who are there alone, and to nobody while two enemies are."""
    holder, comer, contested = game.views[v].holder, codes.NEUTRAL_OWNER, False
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        me = game.units[u]
        if not me.alive or me.owner == codes.NEUTRAL_OWNER or not stands_at(game, u, v):
            continue
        if holder != codes.NEUTRAL_OWNER and is_friend(game, holder, me.owner):
            return
        contested = contested or (
            comer != codes.NEUTRAL_OWNER and not is_friend(game, comer, me.owner)
        )
        comer = me.owner
    game.views[v].holder = codes.NEUTRAL_OWNER if contested else comer


@kernel
def stands_at(game: Game, u: int, v: int) -> bool:
    """Is a unit on the ground of the tower's level, and near enough?"""
    me, tower = game.units[u], game.units[v]
    row = game.rules.types[me.kind]
    if row.flying or not row.mobile or me.status & codes.UNFINISHED:
        return False
    if not within(game, u, v, game.rules.types[tower.kind].capture):
        return False
    level = game.ground.level
    return level[cell_of(game, me.x, me.y)] == level[cell_of(game, tower.x, tower.y)]
