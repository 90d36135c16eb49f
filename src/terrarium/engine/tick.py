"""One tick of the game: the phases, in their order. The economy will join the list."""

from terrarium.engine import codes
from terrarium.engine.buff_effects import run_buffs
from terrarium.engine.cargo import man_weapons
from terrarium.engine.casting import DOING, use_abilities
from terrarium.engine.collision import DRIFT_TICKS, find_pairs, push_apart
from terrarium.engine.damage import resolve_hits
from terrarium.engine.deaths import bury
from terrarium.engine.effects import advance_shot
from terrarium.engine.healing import choose_patients, heal
from terrarium.engine.jit import entry, kernel
from terrarium.engine.movement import choose_ways, make_steps, settle, steer
from terrarium.engine.orders import apply_commands, follow_orders
from terrarium.engine.plan import Plan
from terrarium.engine.rules import Rules
from terrarium.engine.script import run_script
from terrarium.engine.spells import advance_spell
from terrarium.engine.state import N_HITS, Game, Records, Scratch, World, game_of, is_unit
from terrarium.engine.targeting import CROWD, acquire_targets, fill_grid
from terrarium.engine.terrain import Ground
from terrarium.engine.upkeep import regenerate
from terrarium.engine.vision import look
from terrarium.engine.weapons import use_weapons


@kernel
def tick(game: Game, rules: Rules, ground: Ground, plan: Plan, scratch: Scratch) -> None:
    """Advance one game by one loop."""
    run_script(game, rules, ground, plan)
    together = follow_orders(game)
    if game.clock[0].fog or together & codes.CLOAKED:
        look(game, rules, ground)
    if game.clock[0].n_slots >= CROWD:
        fill_grid(game, ground, scratch)
    acquire_targets(game, rules, ground, scratch)
    if together & codes.HEALS:
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
    if together & codes.MANNED:
        man_weapons(game, rules, ground, scratch)
    if together & DOING:
        use_abilities(game, rules, ground, scratch)
    if together & codes.BUFFED:
        run_buffs(game, rules, scratch)
    if scratch.counts[N_HITS] > 0:
        resolve_hits(game, rules, scratch)

    if together & codes.HEALS:
        heal(game, rules, scratch)
    if regenerate(game, rules):
        bury(game, rules, ground, scratch)
    game.clock[0].tick += 1


@kernel
def advance_effects(game: Game, rules: Rules, ground: Ground, scratch: Scratch) -> None:
    """Move every effect on by one tick."""
    # Backwards, because the last effect takes the place of one that ends, and new ones of this
    # tick come after them all.
    for k in range(game.clock[0].n_effects - 1, -1, -1):
        effect = game.effects[k]
        if is_unit(game, effect.target, effect.target_tag):
            effect.aim_x = game.units[effect.target].x
            effect.aim_y = game.units[effect.target].y
        if effect.stage < codes.DELAYED:
            advance_shot(game, rules, ground, scratch, k)
        else:
            advance_spell(game, rules, ground, scratch, k)


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
