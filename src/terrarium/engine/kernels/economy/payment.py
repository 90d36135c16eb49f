"""What products require and cost, and what comes back of it."""

import math

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import Game


@kernel
def meets_requirements(game: Game, owner: int, p: int) -> int:
    """Does a player have the structures and upgrades that a product asks for?"""
    product, player = game.rules.products[p], game.players[owner]
    if player.cheats & codes.NEEDS_NO_TECH:
        return codes.SUCCESS
    if game.accounts[owner].fulfilled & product.needs != product.needs:
        return codes.TECH_REQUIREMENTS_NOT_MET
    if player.techs & product.needs_tech != product.needs_tech:
        return codes.TECH_REQUIREMENTS_NOT_MET
    if product.family >= 0 and player.levels[product.family] < product.level_before:
        return codes.TECH_REQUIREMENTS_NOT_MET
    return codes.SUCCESS


@kernel
def can_pay(game: Game, owner: int, p: int) -> int:
    """Does a player have the resources and the supply that a product takes?"""
    product, player, account = game.rules.products[p], game.players[owner], game.accounts[owner]
    if not player.cheats & codes.PAYS_NOTHING:
        if player.minerals < product.minerals:
            return codes.NOT_ENOUGH_MINERALS
        if player.vespene < product.vespene:
            return codes.NOT_ENOUGH_VESPENE
    # What waits in queues has no supply yet, so it does not count.
    if product.supply > 0.0 and account.supply_used + product.supply > account.supply_cap:
        if not player.cheats & codes.NEEDS_NO_SUPPLY:
            return codes.NOT_ENOUGH_FOOD
    return codes.SUCCESS


@kernel
def energy_price(game: Game, owner: int, energy: float) -> float:
    """What a spell takes of its caster; the cheat that makes all free spares the energy as well."""
    return 0.0 if game.players[owner].cheats & codes.PAYS_NOTHING else energy


@kernel
def pay_for(game: Game, owner: int, p: int) -> None:
    """Take the resources that a product costs."""
    if game.players[owner].cheats & codes.PAYS_NOTHING:
        return
    game.players[owner].minerals -= game.rules.products[p].minerals
    game.players[owner].vespene -= game.rules.products[p].vespene


@kernel
def refund(game: Game, owner: int, p: int, share: float) -> None:
    """Give back a share of what a product has cost, rounded up (sc2api.md, 11)."""
    if game.players[owner].cheats & codes.PAYS_NOTHING:
        return  # it has cost nothing
    game.players[owner].minerals += math.ceil(share * game.rules.products[p].minerals)
    game.players[owner].vespene += math.ceil(share * game.rules.products[p].vespene)
