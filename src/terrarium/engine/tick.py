"""One tick of the game: the phases, in their order. Abilities and economy will join the list."""

from terrarium.engine import codes
from terrarium.engine.collision import DRIFT_TICKS, find_pairs, push_apart
from terrarium.engine.damage import resolve_hits
from terrarium.engine.effects import advance_effects
from terrarium.engine.healing import choose_patients, heal
from terrarium.engine.jit import entry, kernel
from terrarium.engine.lifecycle import bury
from terrarium.engine.movement import choose_ways, make_steps, settle, steer
from terrarium.engine.orders import apply_commands, follow_orders
from terrarium.engine.rules import Rules
from terrarium.engine.setup import Plan, run_trigger
from terrarium.engine.state import N_HITS, Game, Records, Scratch, World, game_of
from terrarium.engine.targeting import CROWD, acquire_targets, fill_grid
from terrarium.engine.terrain import Ground
from terrarium.engine.upkeep import regenerate
from terrarium.engine.weapons import use_weapons


@kernel
def tick(game: Game, rules: Rules, ground: Ground, plan: Plan, scratch: Scratch) -> None:
    """Advance one game by one loop."""
    run_trigger(game, rules, ground, plan)
    anybody_heals = follow_orders(game, rules)
    if game.clock[0].n_slots >= CROWD:
        fill_grid(game, ground, scratch)
    acquire_targets(game, rules, ground, scratch)
    if anybody_heals:
        choose_patients(game, rules)

    anybody_moves = choose_ways(game, rules, ground, scratch)
    if anybody_moves or game.clock[0].tick % DRIFT_TICKS == 0:
        find_pairs(game, ground, scratch)
        steer(game, scratch)
        make_steps(game, rules, scratch)
        push_apart(game, ground, scratch)
        settle(game, ground, scratch)

    advance_effects(game, rules, ground, scratch)
    use_weapons(game, rules, ground, scratch)
    if scratch.counts[N_HITS] > 0:
        resolve_hits(game, rules, scratch)

    if anybody_heals:
        heal(game, rules, scratch)
    if regenerate(game, rules):
        bury(game, rules, ground, scratch)
    game.clock[0].tick += 1


@entry
def step(
    world: World,
    rules: Rules,
    ground: Ground,
    plan: Plan,
    scratch: Scratch,
    commands: Records,
    n_ticks: int,
    first: int,
    last: int,
) -> None:
    """Give the waiting commands and advance the games `first` to `last`: the one way in."""
    for e in range(first, last):
        game = game_of(world, e)
        if game.clock[0].fault != codes.NO_FAULT:
            continue
        apply_commands(game, rules, ground, commands[e])
        for _ in range(n_ticks):
            tick(game, rules, ground, plan, scratch)
