"""How a battle begins: an empty game, then the units of a plan with what they have and do."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.armies import draw_armies
from terrarium.engine.cargo import load_into
from terrarium.engine.jit import entry, rare
from terrarium.engine.lifecycle import LATTICE, spawn
from terrarium.engine.plan import ARMIES, TEAMS, Plan
from terrarium.engine.rules import Rules
from terrarium.engine.script import opening_orders
from terrarium.engine.start_places import drawn_place
from terrarium.engine.state import Game, World, game_of
from terrarium.engine.stats import research
from terrarium.engine.teams import draw_teams
from terrarium.engine.terrain import Ground
from terrarium.engine.vision import look


@rare
def clear(game: Game, seed: np.uint64) -> None:
    """An empty game. The cache of ways stays: it depends on the terrain alone."""
    for u in range(game.units.shape[0]):
        game.units[u].alive = False
        game.units[u].tag = 0
        game.units[u].n_orders = 0
        game.units[u].inside = codes.NO_UNIT
    for p in range(game.players.shape[0]):
        player = game.players[p]
        player.n_alive, player.n_lost, player.damage_dealt = 0, 0, 0.0
        player.techs, player.nukes = 0, 0
        player.minerals, player.vespene = 0.0, 0.0
        for k in range(player.levels.shape[0]):
            player.levels[k] = 0
    for f in range(game.fields.shape[0]):
        game.fields[f].used = 0
    clock = game.clock[0]
    clock.seed = seed
    clock.tick, clock.next_tag, clock.n_slots = 0, 0, 0
    clock.n_effects, clock.fault, clock.fog = 0, codes.NO_FAULT, False


@rare
def start(game: Game, rules: Rules, ground: Ground, plan: Plan, seed: np.uint64) -> None:
    """Begin a battle from its seed."""
    clear(game, seed)
    game.clock[0].fog = plan.settings[0].fog
    endow(game, rules, plan)
    if plan.settings[0].drawn == TEAMS:
        draw_teams(game, rules, ground, plan)
    elif plan.settings[0].drawn == ARMIES:
        draw_armies(game, rules, ground, plan)
    else:
        place_groups(game, rules, ground, plan)
    look(game, rules, ground)


@rare
def place_groups(game: Game, rules: Rules, ground: Ground, plan: Plan) -> None:
    """Create the units that a scenario lists, and tell them what to do."""
    for k in range(plan.entries.shape[0]):
        for i in range(plan.entries[k].count):
            u = place_member(game, rules, ground, plan, k, i)
            prepare(game, rules, plan, k, i, u)
    opening_orders(game, rules, ground, plan, 0)


@rare
def endow(game: Game, rules: Rules, plan: Plan) -> None:
    """What the sides own before the first unit is there: supplies and upgrades."""
    for side in range(2):
        player, stock = game.players[side], plan.stocks[side]
        player.minerals, player.vespene = stock.minerals, stock.vespene
        player.nukes = stock.nukes
    for k in range(plan.grants.shape[0]):
        research(game, rules, plan.grants[k].side, plan.grants[k].upgrade)


@rare
def place_member(game: Game, rules: Rules, ground: Ground, plan: Plan, k: int, i: int) -> int:
    """Create the i-th unit of an entry around the place that its group has in this battle."""
    entry = plan.entries[k]
    group = plan.groups[entry.group]
    x, y = drawn_place(ground, plan, entry.group, game.clock[0].seed)
    if group.spacing > 0.0:
        sign = 1.0 if group.side == 0 else -1.0
        step = (entry.first + i) % LATTICE.shape[0]
        x += sign * LATTICE[step, 0] * group.spacing
        y += sign * LATTICE[step, 1] * group.spacing
    return spawn(game, rules, ground, entry.kind, group.side, x, y, group.passive)


@rare
def prepare(game: Game, rules: Rules, plan: Plan, k: int, i: int, u: int) -> None:
    """Wounds, energy and the seat that the i-th unit of an entry begins with."""
    entry = plan.entries[k]
    group = plan.groups[entry.group]
    me = game.units[u]
    me.hp *= group.hp
    if group.energy >= 0.0:
        me.energy = min(group.energy, rules.types[me.kind].energy_max)
    if entry.carrier >= 0:
        load_into(game, rules, u, entry.carrier + i // entry.per_carrier)


@entry
def begin(world: World, rules: Rules, ground: Ground, plan: Plan, e: int, seed: np.uint64) -> None:
    """Begin one battle anew."""
    start(game_of(world, e), rules, ground, plan, seed)


@entry
def reset(
    world: World,
    rules: Rules,
    ground: Ground,
    plan: Plan,
    seeds: np.ndarray[tuple[int], np.dtype[np.uint64]],
    chosen: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> None:
    """Begin the chosen battles anew."""
    for e in range(world.units.shape[0]):
        if chosen[e]:
            begin(world, rules, ground, plan, e, seeds[e])


@entry
def grant(world: World, rules: Rules, e: int, side: int, upgrade: int) -> None:
    """A side of a running game has an upgrade from now on."""
    research(game_of(world, e), rules, side, upgrade)


@entry
def create(
    world: World,
    rules: Rules,
    ground: Ground,
    e: int,
    kind: int,
    side: int,
    x: float,
    y: float,
    passive: bool,
) -> int:
    """Add a unit to a running game."""
    return spawn(game_of(world, e), rules, ground, kind, side, x, y, passive)
