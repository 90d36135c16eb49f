"""One tick of the game: the phases, in their order."""

from collections.abc import Sequence

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.abilities.buff_effects import run_buffs
from terrarium.engine.kernels.abilities.cargo import man_weapons
from terrarium.engine.kernels.abilities.casting import DOING, use_abilities
from terrarium.engine.kernels.abilities.spells import advance_spell
from terrarium.engine.kernels.combat.damage import resolve_hits
from terrarium.engine.kernels.combat.deaths import bury
from terrarium.engine.kernels.combat.healing import choose_patients, heal
from terrarium.engine.kernels.combat.shots import advance_shot
from terrarium.engine.kernels.combat.targeting import acquire_targets
from terrarium.engine.kernels.combat.upkeep import regenerate
from terrarium.engine.kernels.combat.weapons import use_weapons
from terrarium.engine.kernels.construction.construction import construct
from terrarium.engine.kernels.economy.disguises import disguise
from terrarium.engine.kernels.economy.hangars import run_hangars
from terrarium.engine.kernels.economy.harvest import harvest
from terrarium.engine.kernels.economy.larvae import run_larvae
from terrarium.engine.kernels.economy.merging import run_mergers
from terrarium.engine.kernels.economy.production import run_production
from terrarium.engine.kernels.economy.score import count_made, tally
from terrarium.engine.kernels.economy.warping import run_warping
from terrarium.engine.kernels.ending import judge
from terrarium.engine.kernels.grid import CROWD, fill_grid, list_places
from terrarium.engine.kernels.ground.surroundings import feel_ground, ways_of_all
from terrarium.engine.kernels.ground.tumors import settle_tumors
from terrarium.engine.kernels.movement.collision import DRIFT_TICKS, find_pairs, push_apart
from terrarium.engine.kernels.movement.movement import choose_ways, make_steps, settle
from terrarium.engine.kernels.orders.commands import obey_commands
from terrarium.engine.kernels.orders.orders import follow_orders
from terrarium.engine.kernels.orders.script import run_script
from terrarium.engine.kernels.setup.slots import update_living
from terrarium.engine.kernels.vision.sight import look
from terrarium.engine.kernels.vision.views import see
from terrarium.engine.scratch import N_HITS
from terrarium.engine.state import Game, has_economy, is_unit, keeps_sight


@kernel
def tick(game: Game) -> None:
    """Advance one game by one loop."""
    update_living(game)
    run_script(game)
    together = follow_orders(game)
    if not keeps_sight(game) and (game.clock[0].fog or together & codes.CLOAKED):
        look(game)
    if game.clock[0].n_living < CROWD:
        list_places(game)
    else:
        fill_grid(game)
    acquire_targets(game)
    if together & codes.HEALS:
        choose_patients(game)

    anybody_moves = choose_ways(game)
    if anybody_moves or game.clock[0].tick % DRIFT_TICKS == 0:
        find_pairs(game)
        make_steps(game)
        push_apart(game)
        settle(game)

    advance_effects(game)
    use_weapons(game)
    if together & codes.MANNED:
        man_weapons(game)
    if together & DOING:
        use_abilities(game)
    if together & codes.BUFFED:
        run_buffs(game)
    if game.scratch.counts[N_HITS] > 0:
        resolve_hits(game)

    if has_economy(game):
        construct(game)
        harvest(game)
        ways = ways_of_all(game)
        feel_ground(game, ways)
        if ways & codes.ZERG_WAYS:
            settle_tumors(game)
            run_larvae(game)
            disguise(game)
        if ways & codes.PROTOSS_WAYS:
            run_mergers(game)
            run_hangars(game)
        if ways != 0:
            run_warping(game)
        run_production(game)
    if together & codes.HEALS:
        heal(game)
    if regenerate(game):
        bury(game)
    if has_economy(game):
        count_made(game)
        judge(game)
    if keeps_sight(game):
        see(game)
    game.clock[0].tick += 1


@kernel
def advance_effects(game: Game) -> None:
    """Move every effect on by one tick."""
    # Backwards, because the last effect takes the place of one that ends, and new ones of this
    # tick come after them all.
    for k in range(game.clock[0].n_effects - 1, -1, -1):
        effect = game.effects[k]
        if is_unit(game, effect.target, effect.target_tag):
            effect.aim_x = game.units[effect.target].x
            effect.aim_y = game.units[effect.target].y
        if effect.stage < codes.DELAYED:
            advance_shot(game, k)
        else:
            advance_spell(game, k)


@entry
def advance(game: Game, n_ticks: int) -> None:
    """Give the waiting commands to one game and advance it."""
    if game.clock[0].fault != codes.NO_FAULT:
        return
    obey_commands(game)
    for _ in range(n_ticks):
        tick(game)
    if has_economy(game):
        tally(game)


@entry
def step(games: Sequence[Game], n_ticks: int, first: int, last: int) -> None:
    """Advance the games `first` to `last`."""
    for e in range(first, last):
        advance(games[e], n_ticks)
