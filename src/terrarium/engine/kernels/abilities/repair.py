"""Repair by workers, shields by batteries: a little each tick, for a price."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import Game, has_economy, is_unit


@kernel
def repair(game: Game, u: int, v: int) -> bool:
    """One tick of repair: all of the life in `repair_ticks` of the target, for a share of its cost;
    is there more to do? (game_rules.md, 7)"""
    me, skill = game.units[u], game.skills[u]
    if not is_unit(game, v, skill.target_tag):
        return False
    other, row = game.units[v], game.rules.types[game.units[v].kind]
    need = other.hp_max - other.hp
    if need <= 0.0 or row.repair_ticks <= 0.0 or other.hp <= 0.0:
        return False
    player = game.players[me.owner]
    share = game.rules.mechanics.repairs[game.rules.abilities[skill.cast].params].cost_share
    given = min(need, other.hp_max / row.repair_ticks)
    part = share * given / other.hp_max
    if player.cheats & codes.PAYS_NOTHING:
        part = 0.0
    if player.minerals < part * row.minerals:
        skill.error = codes.NOT_ENOUGH_MINERALS
        return False
    if player.vespene < part * row.vespene:
        skill.error = codes.NOT_ENOUGH_VESPENE
        return False
    player.minerals -= part * row.minerals
    player.vespene -= part * row.vespene
    other.hp = min(other.hp_max, other.hp + given)
    if has_economy(game):
        game.scores[other.owner].total_healed[codes.LIFE] += given
    return other.hp < other.hp_max


@kernel
def restore_shields(game: Game, u: int, ability: int, v: int) -> bool:
    """One tick of a Shield Battery; is there more to do?"""
    me, row = game.units[u], game.rules.mechanics.recharges[game.rules.abilities[ability].params]
    if not is_unit(game, v, game.skills[u].target_tag):
        return False
    other = game.units[v]
    need = game.rules.types[other.kind].shields - other.shield
    given = min(row.shield_rate, need, me.energy / max(row.energy_per_shield, 1e-9))
    if given <= 0.0:
        return False
    other.shield += given
    if has_economy(game):
        game.scores[other.owner].total_healed[codes.SHIELDS] += given
    me.energy -= given * row.energy_per_shield
    return need > given
