"""How a battle begins: an empty game, then the units of a plan with what they have and do."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.abilities.cargo import load_into
from terrarium.engine.kernels.abilities.stats import research
from terrarium.engine.kernels.economy.larvae import count_larvae
from terrarium.engine.kernels.economy.production import keep_accounts
from terrarium.engine.kernels.economy.resources import hold_workers_back
from terrarium.engine.kernels.economy.score import clear_scores, count_made, tally
from terrarium.engine.kernels.ending import begin_match
from terrarium.engine.kernels.ground.surroundings import feel_ground, ways_of_all
from terrarium.engine.kernels.movement.footprints import clear_footprints
from terrarium.engine.kernels.orders.script import opening_orders
from terrarium.engine.kernels.setup.armies import draw_armies
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.kernels.setup.free_places import LATTICE, remember_tried
from terrarium.engine.kernels.setup.placing import begin_structure, stand_at
from terrarium.engine.kernels.setup.slots import clear_slots
from terrarium.engine.kernels.setup.start_places import drawn_place
from terrarium.engine.kernels.setup.teams import draw_teams
from terrarium.engine.kernels.tick import advance
from terrarium.engine.kernels.vision.sight import look
from terrarium.engine.kernels.vision.snapshots import remember_map
from terrarium.engine.kernels.vision.views import clear_views, see
from terrarium.engine.state import Game, has_economy, keeps_sight
from terrarium.engine.tables.plan import ARMIES, TEAMS


@kernel
def clear(game: Game, seed: np.uint64) -> None:
    """An empty game. The cache of paths stays: it knows of which ground it is."""
    for u in range(game.units.shape[0]):
        game.units[u].alive = False
        game.units[u].tag = 0
        game.units[u].n_orders = 0
        game.units[u].inside = codes.NO_UNIT
    for p in range(game.players.shape[0]):
        player = game.players[p]
        player.n_alive, player.n_lost, player.damage_dealt = 0, 0, 0.0
        player.techs, player.nukes, player.cheats = 0, 0, 0
        player.minerals, player.vespene = 0.0, 0.0
        for k in range(player.levels.shape[0]):
            player.levels[k] = 0
    for f in range(game.paths.fields.shape[0]):
        game.paths.fields[f].used = 0
    for leg in range(game.paths.legs.shape[0]):
        game.paths.legs[leg].used = 0
    for p in range(game.accounts.shape[0]):
        account = game.accounts[p]
        account.gathered_minerals = account.gathered_vespene = 0.0
        for k in range(game.income.shape[2]):
            game.income[p, 0, k] = game.income[p, 1, k] = 0
    clear_footprints(game)
    clear_layers(game)
    clock = game.clock[0]
    clock.seed = seed
    clock.tick, clock.n_events = 0, 0
    clock.n_effects, clock.fault, clock.fog = 0, codes.NO_FAULT, False
    clear_slots(game)


@kernel
def clear_layers(game: Game) -> None:
    """No creep, no power, and nothing seen yet, as far as the game keeps these layers."""
    for cell in range(game.creep.shape[0]):
        game.creep[cell] = 0
    for cell in range(game.opaque.shape[0]):
        game.opaque[cell] = game.dim[cell] = 0
    for p in range(game.players.shape[0]):
        for cell in range(game.visibility.shape[1]):
            game.visibility[p, cell] = codes.HIDDEN
        for cell in range(game.watchers.shape[1]):
            game.watchers[p, cell] = 0
    clear_views(game)
    epochs = game.epochs[0]
    epochs.n_patches = epochs.n_power = 0
    epochs.creep += 1
    epochs.power += 1
    epochs.visibility += 1


@kernel
def start(game: Game, seed: np.uint64) -> None:
    """Begin a battle from its seed."""
    clear(game, seed)
    game.clock[0].fog = game.plan.settings[0].fog
    endow(game)
    if game.plan.settings[0].drawn == TEAMS:
        draw_teams(game)
    elif game.plan.settings[0].drawn == ARMIES:
        draw_armies(game)
    else:
        place_groups(game)
    if keeps_sight(game):
        see(game)
        remember_map(game)
    else:
        look(game)
    if has_economy(game):
        hold_workers_back(game)
        keep_accounts(game)
        feel_ground(game, ways_of_all(game))
        count_larvae(game)
        clear_scores(game)
        count_made(game)
        begin_match(game)
        tally(game)


@kernel
def place_groups(game: Game) -> None:
    """Create the units that a scenario lists, and tell them what to do."""
    for k in range(game.plan.entries.shape[0]):
        remember_tried(game, shares_point(game, k))
        for i in range(game.plan.entries[k].count):
            u = place_member(game, k, i)
            prepare(game, k, i, u)
    remember_tried(game, False)
    opening_orders(game, 0)


@kernel
def shares_point(game: Game, k: int) -> bool:
    """Do all units of an entry look for room around one point, and stay where they find it?"""
    entry = game.plan.entries[k]
    is_placed = game.rules.types[entry.kind].footprint >= 0
    return game.plan.groups[entry.group].spacing == 0.0 and entry.carrier < 0 and not is_placed


@kernel
def endow(game: Game) -> None:
    """Relations, supplies and upgrades of the players, before the first unit is there."""
    for owner in range(game.players.shape[0]):
        player, row = game.players[owner], game.plan.players[owner]
        player.friends, player.enemies = row.friends, row.enemies
        player.minerals, player.vespene = row.minerals, row.vespene
        player.nukes = row.nukes
    for k in range(game.plan.grants.shape[0]):
        research(game, game.plan.grants[k].owner, game.plan.grants[k].upgrade)


@kernel
def place_member(game: Game, k: int, i: int) -> int:
    """Create the i-th unit of an entry around the place that its group has in this battle."""
    entry = game.plan.entries[k]
    group = game.plan.groups[entry.group]
    x, y = drawn_place(game, entry.group, game.clock[0].seed)
    if group.spacing > 0.0:
        sign = 1.0 if group.owner & 1 else -1.0
        step = (entry.first + i) % LATTICE.shape[0]
        x += sign * LATTICE[step, 0] * group.spacing
        y += sign * LATTICE[step, 1] * group.spacing
    if has_economy(game) and game.rules.types[entry.kind].footprint >= 0:
        return stand_at(game, entry.kind, group.owner, x, y)  # a map says where
    if game.sites.shape[0] > 0 and game.rules.types[entry.kind].footprint >= 0:
        return begin_structure(game, entry.kind, group.owner, x, y, group.passive)
    return spawn(game, entry.kind, group.owner, x, y, group.passive)


@kernel
def prepare(game: Game, k: int, i: int, u: int) -> None:
    """Wounds, energy and the seat that the i-th unit of an entry begins with."""
    entry = game.plan.entries[k]
    group = game.plan.groups[entry.group]
    me = game.units[u]
    me.hp *= group.hp
    if group.energy >= 0.0:
        me.energy = min(group.energy, game.rules.types[me.kind].energy_max)
    if entry.carrier >= 0:
        load_into(game, u, entry.carrier + i // entry.per_carrier)


@entry
def begin(game: Game, seed: np.uint64) -> None:
    """Begin one battle anew, and let it run for as long as the rules say before it is seen."""
    start(game, seed)
    if game.rules.assumptions[0].opening_ticks > 0:
        advance(game, game.rules.assumptions[0].opening_ticks)


class Starts(NamedTuple):
    """Which games begin anew, and from what."""

    seeds: Annotated[NDArray[np.uint64], "u8", "N"]
    chosen: Annotated[NDArray[np.bool_], "?", "N"]


@entry
def reset(games: Sequence[Game], starts: Starts) -> None:
    """Begin the chosen battles anew."""
    for e in range(starts.chosen.shape[0]):
        if starts.chosen[e]:
            begin(games[e], starts.seeds[e])


@entry
def grant(game: Game, owner: int, upgrade: int) -> None:
    """A player of a running game has an upgrade from now on."""
    research(game, owner, upgrade)


@entry
def create(game: Game, kind: int, owner: int, x: float, y: float, passive: bool) -> int:
    """Add a unit to a running game."""
    return spawn(game, kind, owner, x, y, passive)
