"""Prices and cooldowns: what an ability takes from its user."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import upgraded
from terrarium.engine.kernels.economy.payment import energy_price
from terrarium.engine.state import Game


@kernel
def start_cooldown(game: Game, u: int, ability: int) -> None:
    """From now on the ability is not ready for a while."""
    row = game.rules.abilities[ability]
    free = game.players[game.units[u].owner].cheats & codes.HAS_NO_COOLDOWNS
    if row.cooldown > 0.0 and not free:
        ticks = upgraded(
            game, game.skills[u].true_owner, row.first_change, row.n_changes,
            codes.CHANGES_COOLDOWN, row.cooldown,
        )  # fmt: skip
        game.skills[u].ready[row.cooldown_slot] = game.clock[0].tick + int(ticks + 0.5)


@kernel
def pay(game: Game, u: int, ability: int) -> None:
    """Take the price at the moment of the cast (game_rules.md, 10)."""
    me, row, player = (
        game.units[u],
        game.rules.abilities[ability],
        game.players[game.units[u].owner],
    )
    me.energy -= energy_price(game, me.owner, row.energy)
    me.hp -= row.life
    if not player.cheats & codes.PAYS_NOTHING:
        player.minerals -= max(row.minerals, 0.0)  # what comes back does so at the end
    player.nukes -= row.nukes
    if row.cooldown_from != codes.FROM_END:
        start_cooldown(game, u, ability)
