"""Units that fight for another side: Neural Parasite."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.orders.orders import forget_target
from terrarium.engine.state import Game


@kernel
def take_over(game: Game, v: int, side: int) -> None:
    """A unit obeys another side; it stays a loss for its own if it dies."""
    change_side(game, v, side)


@kernel
def let_go(game: Game, v: int) -> None:
    """A unit obeys its own side again."""
    change_side(game, v, game.skills[v].own_side)


@kernel
def change_side(game: Game, v: int, side: int) -> None:
    me = game.units[v]
    game.players[me.side].n_alive -= 1
    game.players[side].n_alive += 1
    me.side = side
    me.n_orders = 0
    me.home_x, me.home_y, me.away = me.x, me.y, False
    me.heal_target = codes.NO_UNIT
    forget_target(game, v)
    refresh(game, v)
