"""Units that fight for another side: Neural Parasite."""

from terrarium.engine import codes
from terrarium.engine.jit import rare
from terrarium.engine.orders import forget_target
from terrarium.engine.rules import Rules
from terrarium.engine.state import Game
from terrarium.engine.stats import refresh


@rare
def take_over(game: Game, rules: Rules, v: int, side: int) -> None:
    """A unit obeys another side; it stays a loss for its own if it dies."""
    change_side(game, rules, v, side)


@rare
def let_go(game: Game, rules: Rules, v: int) -> None:
    """A unit obeys its own side again."""
    change_side(game, rules, v, game.skills[v].own_side)


@rare
def change_side(game: Game, rules: Rules, v: int, side: int) -> None:
    me = game.units[v]
    game.players[me.side].n_alive -= 1
    game.players[side].n_alive += 1
    me.side = side
    me.n_orders = 0
    me.home_x, me.home_y, me.away = me.x, me.y, False
    me.heal_target = codes.NO_UNIT
    forget_target(game, v)
    refresh(game, rules, v)
