"""The melee score: what players made, lost and destroyed, noted as it happens; and what they have,
worked out after each step (game_rules.md, 11; economy.md, 2)."""

from terrarium.engine import codes
from terrarium.engine.economy import INCOME_TICKS
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.records import Records
from terrarium.engine.state import Game

TICKS_PER_MINUTE = 1344.0
"""at the speed at which games are played"""


@kernel
def clear_scores(game: Game) -> None:
    """Nothing has happened yet."""
    for p in range(game.scores.shape[0]):
        score, player = game.scores[p], game.players[p]
        score.idle_production_ticks = score.idle_worker_ticks = 0
        score.total_value_units = score.total_value_structures = 0.0
        score.killed_value_units = score.killed_value_structures = 0.0
        score.granted_minerals, score.granted_vespene = player.minerals, player.vespene
        for k in range(score.killed_minerals.shape[0]):
            score.killed_minerals[k] = score.killed_vespene[k] = 0.0
            score.lost_minerals[k] = score.lost_vespene[k] = 0.0
            score.friendly_fire_minerals[k] = score.friendly_fire_vespene[k] = 0.0
            score.total_used_minerals[k] = score.total_used_vespene[k] = 0.0
        for k in range(score.total_healed.shape[0]):
            score.total_damage_dealt[k] = score.total_damage_taken[k] = 0.0
            score.total_healed[k] = 0.0
    for u in range(game.counted.shape[0]):
        game.counted[u].tag = 0


@kernel
def count_made(game: Game) -> None:
    """One tick: what is finished since the last one, and who could work and does not."""
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        me, counted = game.units[u], game.counted[u]
        if not me.alive or me.owner == codes.NEUTRAL_OWNER:
            continue
        if me.status & (codes.UNFINISHED | codes.HALLUCINATED):
            continue
        kind = worth_kind(game, u)
        if counted.kind != kind or counted.tag != me.tag:
            count_finished(game, u, kind)
        row = game.rules.types[me.kind]
        if row.worker and me.n_orders == 0:
            game.scores[me.owner].idle_worker_ticks += 1
        elif row.trains and game.producers[u].n_items == 0:
            game.scores[me.owner].idle_production_ticks += 1


@kernel
def worth_kind(game: Game, u: int) -> int:
    """The type by which a unit is valued: an egg or a cocoon is still what it was."""
    me = game.units[u]
    if game.producers[u].n_items > 0 and game.items[u, 0].begun:
        product = game.rules.products[game.items[u, 0].product]
        if product.how == codes.HOW_MORPH or product.how == codes.HOW_LARVA:
            return int(product.by)
    return int(me.kind)


@kernel
def count_finished(game: Game, u: int, kind: int) -> None:
    """A unit is finished, or has become something else: what it is worth more now counts."""
    me, counted, score = game.units[u], game.counted[u], game.scores[game.units[u].owner]
    row = game.rules.types[kind]
    minerals, vespene = row.worth_minerals, row.worth_vespene
    if counted.tag == me.tag:
        before = game.rules.types[counted.kind]
        minerals -= before.worth_minerals
        vespene -= before.worth_vespene
    score.total_used_minerals[row.category] += minerals
    score.total_used_vespene[row.category] += vespene
    if row.structure:
        score.total_value_structures += minerals + vespene
    else:
        score.total_value_units += minerals + vespene
    counted.tag, counted.kind = me.tag, kind


@kernel
def count_death(game: Game, u: int) -> None:
    """A unit died: its player has lost it and what it was making, and whoever hit it last has
    destroyed it."""
    me = game.units[u]
    if me.status & codes.HALLUCINATED:
        return
    row = game.rules.types[worth_kind(game, u)]
    score = game.scores[me.owner]
    add_lost(score, row.category, row.worth_minerals, row.worth_vespene)
    for k in range(game.producers[u].n_items):
        if game.items[u, k].begun:
            product = game.rules.products[game.items[u, k].product]
            add_lost(score, category_of(game, product), product.minerals, product.vespene)
    if me.hurt_tick < game.clock[0].tick - 1 or me.hitter_owner == codes.NEUTRAL_OWNER:
        return
    by = game.scores[me.hitter_owner]
    if is_enemy(game, me.hitter_owner, me.owner):
        by.killed_minerals[row.category] += row.worth_minerals
        by.killed_vespene[row.category] += row.worth_vespene
        if row.structure:
            by.killed_value_structures += row.worth_minerals + row.worth_vespene
        else:
            by.killed_value_units += row.worth_minerals + row.worth_vespene
    else:
        by.friendly_fire_minerals[row.category] += row.worth_minerals
        by.friendly_fire_vespene[row.category] += row.worth_vespene


@kernel
def add_lost(score: Records, category: int, minerals: float, vespene: float) -> None:
    score.lost_minerals[category] += minerals
    score.lost_vespene[category] += vespene


@kernel
def count_cancelled(game: Game, u: int, minerals: float, vespene: float) -> None:
    """A structure under construction was given up: what came back of its price lowers what the
    player has lost, as it does in the game, even below 0."""
    me = game.units[u]
    add_lost(game.scores[me.owner], game.rules.types[me.kind].category, -minerals, -vespene)


@kernel
def count_damage(game: Game, owner: int, v: int, vital: int, amount: float) -> None:
    """A hit of a player took some of a unit's life, shields or energy."""
    victim = game.units[v].owner
    game.scores[victim].total_damage_taken[vital] += amount
    if is_enemy(game, owner, victim):
        game.scores[owner].total_damage_dealt[vital] += amount


@kernel
def count_change(game: Game, owner: int, v: int, life: float, shield: float, energy: float) -> None:
    """An ability of a player took or gave what a unit has less or more than it had before."""
    other = game.units[v]
    if other.hp > life:
        game.scores[owner].total_healed[codes.LIFE] += other.hp - life
    else:
        count_damage(game, owner, v, codes.LIFE, life - max(0.0, other.hp))
    count_damage(game, owner, v, codes.SHIELDS, shield - other.shield)
    count_damage(game, owner, v, codes.ENERGY, energy - other.energy)


@kernel
def category_of(game: Game, product: Records) -> int:
    """In which category the price of a product is counted."""
    if product.makes < 0:
        return codes.UPGRADE_CATEGORY
    return int(game.rules.types[product.makes].category)


@kernel
def tally(game: Game) -> None:
    """What all players have and are making now."""
    for p in range(game.scores.shape[0]):
        clear_tally(game, p)
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        me = game.units[u]
        if (me.alive or me.inside >= 0) and me.owner != codes.NEUTRAL_OWNER:
            tally_unit(game, u)
    for k in range(game.rules.upgrades.shape[0]):
        upgrade = game.rules.upgrades[k]
        for p in range(1, game.scores.shape[0]):
            player, score = game.players[p], game.scores[p]
            has = player.techs & upgrade.tech != 0
            if upgrade.tech == 0:
                has = player.levels[upgrade.family] >= upgrade.level
            if has:
                score.used_minerals[codes.UPGRADE_CATEGORY] += upgrade.minerals
                score.used_vespene[codes.UPGRADE_CATEGORY] += upgrade.vespene
    for p in range(1, game.scores.shape[0]):
        sum_up(game, p)


@kernel
def clear_tally(game: Game, p: int) -> None:
    score = game.scores[p]
    for k in range(score.used_minerals.shape[0]):
        score.used_minerals[k] = score.used_vespene[k] = score.food_used[k] = 0.0
        score.in_progress_minerals[k] = score.in_progress_vespene[k] = 0.0


@kernel
def tally_unit(game: Game, u: int) -> None:
    """A unit, and what is being made in it; what only waits in its queue appears nowhere."""
    me, score = game.units[u], game.scores[game.units[u].owner]
    if me.status & codes.HALLUCINATED:
        return
    row = game.rules.types[worth_kind(game, u)]
    if me.status & codes.UNFINISHED:
        score.in_progress_minerals[row.category] += row.worth_minerals
        score.in_progress_vespene[row.category] += row.worth_vespene
    else:
        score.used_minerals[row.category] += row.worth_minerals
        score.used_vespene[row.category] += row.worth_vespene
    score.food_used[row.category] += game.rules.types[me.kind].supply_used
    for k in range(game.producers[u].n_items):
        if game.items[u, k].begun:
            product = game.rules.products[game.items[u, k].product]
            category = category_of(game, product)
            score.in_progress_minerals[category] += product.minerals
            score.in_progress_vespene[category] += product.vespene
            score.food_used[category] += product.supply


@kernel
def sum_up(game: Game, p: int) -> None:
    """The numbers of one player that follow from others."""
    score, account, player = game.scores[p], game.accounts[p], game.players[p]
    score.collected_minerals = account.gathered_minerals
    score.collected_vespene = account.gathered_vespene
    score.spent_minerals = score.granted_minerals + account.gathered_minerals - player.minerals
    score.spent_vespene = score.granted_vespene + account.gathered_vespene - player.vespene
    score.collection_rate_minerals = collection_rate(game, p, 0)
    score.collection_rate_vespene = collection_rate(game, p, 1)
    # Upgrades are never lost, so all that were ever made are there.
    score.total_used_minerals[codes.UPGRADE_CATEGORY] = score.used_minerals[codes.UPGRADE_CATEGORY]
    score.total_used_vespene[codes.UPGRADE_CATEGORY] = score.used_vespene[codes.UPGRADE_CATEGORY]
    score.score = player.minerals + player.vespene
    for k in range(codes.UPGRADE_CATEGORY):
        score.score += score.used_minerals[k] + score.used_vespene[k]
        score.score += score.in_progress_minerals[k] + score.in_progress_vespene[k]


@kernel
def collection_rate(game: Game, p: int, resource: int) -> float:
    """What was brought in during the last 240 loops, for a minute."""
    brought = 0
    for k in range(INCOME_TICKS):
        brought += game.income[p, resource, k]
    ticks = min(INCOME_TICKS, game.clock[0].tick)
    return TICKS_PER_MINUTE * brought / ticks if ticks > 0 else 0.0
