"""Cargo: Medivacs, Bunkers and their like take units in, let them out, and lose them."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import cargo_of, refresh
from terrarium.engine.kernels.combat.aim import TOUCH
from terrarium.engine.kernels.combat.shots import launch
from terrarium.engine.kernels.combat.weapons import applies
from terrarium.engine.kernels.geometry import edge_distance
from terrarium.engine.kernels.orders.building import drop_orders
from terrarium.engine.kernels.orders.orders import forget_target
from terrarium.engine.kernels.orders.permission import fits_in, is_aboard, shares_cargo
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.kernels.random import COOLDOWN, uniform
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.state import Game


@kernel
def load_into(game: Game, v: int, u: int) -> None:
    """Unit `v` goes on board of carrier `u`: it lives, but is no longer on the map."""
    other, me = game.units[v], game.units[u]
    other.alive, other.inside = False, u
    drop_orders(game, v, 0)
    other.x, other.y = me.x, me.y
    other.speed_x, other.speed_y = 0.0, 0.0
    other.winding = False
    other.target, other.target_why, other.heal_target = (
        codes.NO_UNIT,
        codes.TARGET_NONE,
        codes.NO_UNIT,
    )
    game.skills[u].load += game.rules.types[other.kind].cargo_size
    refresh(game, u)


@kernel
def load_all(game: Game, ability: int, u: int) -> None:
    """Load every unit near the carrier that fits in, as a Command Center does with workers."""
    cargo = game.rules.mechanics.cargo[game.rules.abilities[ability].params]
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        if game.units[v].alive and fits_in(game, u, ability, v):
            if edge_distance(game, game.units[u], game.units[v]) <= cargo.load_radius:
                load_into(game, v, u)


@kernel
def let_out(game: Game, u: int, v: int) -> None:
    """A passenger steps onto free ground next to its carrier."""
    me, other = game.units[u], game.units[v]
    home = other.inside if other.inside >= 0 else u
    other.x, other.y = find_room(game, other.kind, other.owner, me.x, me.y)
    other.alive, other.inside = True, codes.NO_UNIT
    other.home_x, other.home_y, other.away, other.way_tick = other.x, other.y, False, 0
    other.face_x, other.face_y = me.face_x, me.face_y
    other.aim_x, other.aim_y = me.face_x, me.face_y
    game.skills[home].load -= game.rules.types[other.kind].cargo_size
    forget_target(game, v)
    refresh(game, v)
    refresh(game, u)
    if home != u:
        refresh(game, home)


@kernel
def first_passenger(game: Game, u: int) -> int:
    """The passenger that was born first; -1 = the carrier is empty."""
    best = codes.NO_UNIT
    shared = shares_cargo(game, u)
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        if is_aboard(game, v, u, shared):
            if best < 0 or game.units[v].tag < game.units[best].tag:
                best = v
    return best


@kernel
def unload(game: Game, u: int) -> None:
    """One tick of unloading: a passenger each period, on the move or not."""
    skill = game.skills[u]
    cargo = game.rules.mechanics.cargo[game.rules.abilities[skill.unloading].params]
    skill.unload_timer -= 1.0
    if skill.unload_timer > 0.0:
        return
    v = first_passenger(game, u)
    if v >= 0:
        let_out(game, u, v)
        skill.unload_timer = cargo.unload_period
    if first_passenger(game, u) < 0:
        skill.unloading = codes.NO_ABILITY
        refresh(game, u)


@kernel
def leave_wreck(game: Game, u: int) -> None:
    """A carrier dies: its passengers with it, or not."""
    if game.skills[u].load == 0 or hand_over(game, u):
        return
    row = cargo_of(game, game.units[u].kind)
    dies = row < 0 or game.rules.mechanics.cargo[row].dies
    while True:
        v = first_passenger(game, u)
        if v < 0:
            return
        let_out(game, u, v)
        if dies:
            game.units[v].hp = 0.0


@kernel
def hand_over(game: Game, u: int) -> bool:
    """Let another carrier of the player hold the passengers; is there one that shares them?"""
    if not shares_cargo(game, u):
        return False
    for j in range(game.clock[0].n_living):
        w = game.living[j]
        if w == u or not game.units[w].alive or game.units[w].owner != game.units[u].owner:
            continue
        if shares_cargo(game, w) and not game.units[w].status & codes.UNFINISHED:
            for i in range(game.clock[0].n_living):
                v = game.living[i]
                if game.units[v].inside == u and not game.units[v].alive:
                    game.units[v].inside = w
            game.skills[w].load += game.skills[u].load
            game.skills[u].load = 0
            return True
    return False


@kernel
def man_weapons(game: Game) -> None:
    """Let the crews of all carriers from which one can shoot do so."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.units[u].alive and game.units[u].status & codes.MANNED:
            shoot_out(game, u)


@kernel
def shoot_out(game: Game, u: int) -> None:
    """The crew of a Bunker fires from inside, farther than on foot."""
    row = cargo_of(game, game.units[u].kind)
    add = game.rules.mechanics.cargo[row].range_add if row >= 0 else 0.0
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        one = game.units[v]
        if one.inside != u or one.alive or game.rules.types[one.kind].n_weapons == 0:
            continue
        one.cooldown = one.cooldown - 1.0 if one.cooldown > 0.0 else 0.0
        if one.cooldown <= 0.0 and game.rules.types[one.kind].acquires == codes.ACQUIRE_OFFENSIVE:
            shoot_as(game, u, v, add)


@kernel
def shoot_as(game: Game, u: int, v: int, add: float) -> None:
    """A passenger picks the best target in reach of its carrier and shoots."""
    me, one = game.units[u], game.units[v]
    best, best_rank, best_distance, weapon = codes.NO_UNIT, -1, 1e30, -1
    for j in range(game.clock[0].n_living):
        o = game.living[j]
        other = game.units[o]
        if (
            not other.alive
            or not is_enemy(game, me.owner, other.owner)
            or not other.seen >> me.owner & 1
        ):
            continue
        rank = game.rules.rank[one.kind, other.column]
        distance = edge_distance(game, me, other)
        if rank < best_rank or rank < 0 or (rank == best_rank and distance >= best_distance):
            continue
        w = weapon_for(game, v, o, distance, add)
        if w >= 0:
            best, best_rank, best_distance, weapon = o, rank, distance, w
    if best < 0:
        return
    kind, clock = game.rules.weapons[weapon], game.clock[0]
    draw = uniform(clock.seed, clock.tick, one.tag, COOLDOWN)
    noise = kind.jitter_low + (kind.jitter_high - kind.jitter_low) * draw
    one.cooldown += (kind.period + noise) / one.rate
    one.x, one.y = me.x, me.y
    for h in range(kind.first_hit, kind.first_hit + kind.n_hits):
        if game.rules.hits[h].form != codes.BOUNCE and applies(game, h, best, best_distance):
            for _ in range(game.rules.hits[h].count):
                launch(game, v, best, h)


@kernel
def weapon_for(game: Game, v: int, o: int, distance: float, add: float) -> int:
    """The weapon with which a passenger reaches a target from inside; -1 if none does."""
    one, other = game.units[v], game.units[o]
    row = game.rules.types[one.kind]
    for w in range(row.first_weapon, row.first_weapon + row.n_weapons):
        weapon = game.rules.weapons[w]
        if not weapon.planes & other.plane or weapon.range <= TOUCH:
            continue
        if weapon.min_range <= distance <= weapon.range + one.range_add + add:
            return w
    return -1
