"""Units that fight for another player: Neural Parasite."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.orders.building import drop_orders
from terrarium.engine.kernels.orders.orders import forget_target
from terrarium.engine.state import Game


@kernel
def take_over(game: Game, v: int, owner: int) -> None:
    """A unit obeys another player; it stays a loss for its own if it dies."""
    change_owner(game, v, owner)


@kernel
def let_go(game: Game, v: int) -> None:
    """A unit obeys its own player again."""
    change_owner(game, v, game.skills[v].true_owner)


@kernel
def change_owner(game: Game, v: int, owner: int) -> None:
    me = game.units[v]
    game.players[me.owner].n_alive -= 1
    game.players[owner].n_alive += 1
    drop_orders(game, v, 0)
    me.owner = owner
    me.home_x, me.home_y, me.away = me.x, me.y, False
    me.heal_target = codes.NO_UNIT
    forget_target(game, v)
    refresh(game, v)
