"""Automatic targeting: who looks for enemies, how far, and whom it prefers (game_rules.md, 4)."""

import math

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.combat.aim import pick_weapon, reach_of
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length
from terrarium.engine.kernels.grid import CROWD, members_of, owners_around
from terrarium.engine.kernels.movement.places import standing_point
from terrarium.engine.kernels.orders.orders import current_order, forget_target, take_target
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.kernels.random import toss
from terrarium.engine.scratch import N_MEMBERS
from terrarium.engine.state import Game, is_unit
from terrarium.engine.tables.terrain import BUCKET

FLEE_DISTANCE = 5.0
ZONE_RADIUS = 5.0
"""Of a Liberator in defender mode (areas liberator_zone)."""
LARGEST_RADIUS = 2.75
"""No unit's radius is larger."""
HELD_UP_TICKS = 2
"""A unit that gets nowhere for longer looks for a nearer target, whatever the rules say."""
HELD = -1e30
"""In place of a distance: only a more important target tempts a unit away."""
READY_TICKS = 4.0
"""A weapon that will be ready this soon counts as ready for the choice of a target."""


@kernel
def acquire_targets(game: Game) -> None:
    """Let every unit that may choose a target look for one."""
    scan_ticks = game.rules.assumptions[0].scan_ticks
    turn = game.clock[0].tick % scan_ticks
    if game.rules.assumptions[0].prefers_attackers:
        note_targets(game)
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive:
            continue
        attacker, me.attacker = me.attacker, codes.NO_UNIT
        row = game.rules.types[me.kind]
        if me.passive:
            continue
        if attacker >= 0 and row.response == codes.RESPOND_FLEE:
            flee(game, u, attacker)
        if row.n_weapons == 0 or not may_choose(game, u):
            continue
        if me.status & (codes.DISARMED | codes.HOLDS_FIRE):
            if me.target >= 0:
                forget_target(game, u)
            continue
        had_target = me.target >= 0
        if had_target and not keeps_target(game, u):
            forget_target(game, u)
            if not may_choose(game, u):
                continue  # led too far from its home
        if looks_around(game, u):
            lost = had_target and me.target < 0
            if lost or turn + me.phase == 0 or turn + me.phase == scan_ticks:
                v = best_target(game, u)
                if v < 0:
                    me.noticed_tick = -1
                elif me.target >= 0 or lost or has_reacted(game, u):
                    take_target(game, u, v, codes.TARGET_ACQUIRED)
        if me.target < 0 and attacker >= 0:
            retaliate(game, u, attacker)


@kernel
def looks_around(game: Game, u: int) -> bool:
    """Does a unit look for enemies by itself? Workers only on their way to an attack: by data they
    acquire defensively, and a rush of workers that attack-move fights whoever it meets."""
    if game.rules.types[game.units[u].kind].acquires == codes.ACQUIRE_OFFENSIVE:
        return True
    order = current_order(game, u)
    return order == codes.ATTACK_MOVE or order == codes.PATROL


@kernel
def note_targets(game: Game) -> None:
    """Write down whom every unit attacks before any of them chooses, or the last slots would know
    what the first have chosen in the same tick."""
    for i in range(game.clock[0].n_living):
        me = game.units[game.living[i]]
        aims = is_unit(game, me.target, me.target_tag)
        game.scratch.bodies[game.living[i]].goal = me.target if aims else codes.NO_UNIT


@kernel
def has_reacted(game: Game, u: int) -> bool:
    """Is it long enough ago that an enemy came near a unit which had none near?"""
    me, tick = game.units[u], game.clock[0].tick
    if me.noticed_tick < 0:
        me.noticed_tick = tick
    return tick - me.noticed_tick >= game.rules.assumptions[0].reaction_ticks


@kernel
def may_choose(game: Game, u: int) -> bool:
    """Idle, holding, patrolling and attack-moving units look for targets; so do those who can
    shoot while they move."""
    me = game.units[u]
    order = current_order(game, u)
    if order == codes.MOVE or order == codes.FOLLOW or order == codes.CAST:
        return game.rules.types[me.kind].fires_moving
    if order == codes.NO_ORDER and me.away and me.target < 0:
        # On its way home from a chase that went too far: not before it is near.
        dx, dy = me.home_x - me.x, me.home_y - me.y
        return (
            dx * dx + dy * dy
            <= game.rules.targeting[0].leash_reset * game.rules.targeting[0].leash_reset
        )
    if order >= codes.GATHER:  # so does a worker with work
        return False
    return order != codes.ATTACK and order != codes.HEAL


@kernel
def may_see(game: Game, u: int, v: int) -> bool:
    """Does the player of unit `u` see unit `v`, and may it target it?"""
    return game.units[v].seen >> game.units[u].owner & 1 != 0


@kernel
def in_zone(game: Game, u: int, v: int) -> bool:
    """Does a unit stand in the zone that a Liberator has chosen?"""
    other, skill = game.units[v], game.skills[u]
    distance = length(other.x - skill.zone_x, other.y - skill.zone_y)
    return distance - game.rules.types[other.kind].radius <= ZONE_RADIUS + NEARLY


@kernel
def keeps_target(game: Game, u: int) -> bool:
    """Is the target still there, and not led too far away?"""
    me = game.units[u]
    v = me.target
    if not is_unit(game, v, me.target_tag) or game.rules.rank[me.kind, game.units[v].column] < 0:
        return False
    if not may_see(game, u, v) or (me.status & codes.ZONED and not in_zone(game, u, v)):
        return False
    if game.rules.types[game.units[v].kind].look >= 0:
        return False
    order = current_order(game, u)
    stays = order == codes.HOLD or order == codes.MOVE or order == codes.FOLLOW
    stays = stays or order == codes.CAST
    if stays or not game.rules.types[me.kind].mobile:
        distance = edge_distance(game, me, game.units[v])
        slop = 1.0 if me.winding else 0.0
        if distance > reach_of(me, game.rules.reach[me.kind, game.units[v].column]) + slop:
            return False
        return distance >= game.rules.too_near[me.kind, game.units[v].column]
    if order == codes.NO_ORDER:
        dx, dy = me.home_x - me.x, me.home_y - me.y
        return dx * dx + dy * dy <= game.rules.targeting[0].leash * game.rules.targeting[0].leash
    return True


@kernel
def best_target(game: Game, u: int) -> int:
    """The nearest of the most important enemies in sight; the present one while it is in range."""
    me = game.units[u]
    best, best_rank, best_distance = codes.NO_UNIT, -1, 1e30
    if me.target >= 0:
        target_kind = game.units[me.target].column
        best, best_distance = me.target, edge_distance(game, me, game.units[me.target])
        in_range = best_distance <= reach_of(me, game.rules.reach[me.kind, target_kind])
        if in_range and is_between_choices(game, u):
            return best
        best_rank = importance(game, u, best)
        if in_range:
            if best_rank == highest_importance(game, u):
                return best
            best_distance = HELD
        elif game.rules.assumptions[0].keeps_chasing and not is_held_up(game, u):
            best_distance = HELD
    enemies = game.players[me.owner].enemies
    if game.clock[0].n_living < CROWD:
        for m in range(game.scratch.counts[N_MEMBERS]):
            if enemies >> game.scratch.spots[m].owner & 1:
                v = int(game.scratch.spots[m].unit)
                best, best_rank, best_distance = prefer(game, u, v, best, best_rank, best_distance)
        return best
    sight = (
        game.rules.types[me.kind].scan
        + max(me.range_add, 0.0)
        + game.rules.types[me.kind].radius
        + LARGEST_RADIUS
    )
    if not owners_around(game, me.x, me.y, sight) & enemies:
        return best
    low_x, high_x = int((me.x - sight) / BUCKET), int((me.x + sight) / BUCKET)
    low_y, high_y = int((me.y - sight) / BUCKET), int((me.y + sight) / BUCKET)
    for j in range(max(0, low_y), min(game.ground.size[3] - 1, high_y) + 1):
        first, last = members_of(game, j, low_x, high_x)
        for m in range(first, last):
            if enemies >> game.scratch.spots[m].owner & 1:
                v = int(game.scratch.spots[m].unit)
                best, best_rank, best_distance = prefer(game, u, v, best, best_rank, best_distance)
    return best


@kernel
def is_between_choices(game: Game, u: int) -> bool:
    """Is it too early for a unit to think of another target than the one in range?"""
    me = game.units[u]
    if not game.rules.assumptions[0].changes_between_shots:
        return False
    return me.winding or me.cooldown > READY_TICKS


@kernel
def is_held_up(game: Game, u: int) -> bool:
    """Does a unit not get nearer to its target, because others are in the way?"""
    me = game.units[u]
    return me.stalled > HELD_UP_TICKS or (me.detour != 0 and game.clock[0].tick < me.detour_tick)


@kernel
def importance(game: Game, u: int, v: int) -> int:
    """How gladly a unit attacks another one: by its class, and where the rules say so, those that
    attack it before others of the class."""
    rank = game.rules.rank[game.units[u].kind, game.units[v].column]
    if rank < 0 or not game.rules.assumptions[0].prefers_attackers:
        return rank
    return 2 * rank + int(attacks(game, v, u))


@kernel
def highest_importance_of(game: Game, u: int, v: int) -> int:
    """The same, where it is not yet known whether a weapon of the other one reaches the unit."""
    rank = game.rules.rank[game.units[u].kind, game.units[v].column]
    if rank < 0 or not game.rules.assumptions[0].prefers_attackers:
        return rank
    return 2 * rank + int(game.scratch.bodies[v].goal == u)


@kernel
def highest_importance(game: Game, u: int) -> int:
    """Of all targets that a unit could have."""
    rank = game.rules.types[game.units[u].kind].top_rank
    return 2 * rank + 1 if game.rules.assumptions[0].prefers_attackers else rank


@kernel
def attacks(game: Game, v: int, u: int) -> bool:
    """Does a unit attack another one? Walking up to it does not count."""
    return game.scratch.bodies[v].goal == u and pick_weapon(game, v, u) >= 0


@kernel
def prefer(
    game: Game, u: int, v: int, best: int, best_rank: int, best_distance: float
) -> tuple[int, int, float]:
    """Compare a candidate with the best so far: importance, then distance, then a fair coin."""
    me, other = game.units[u], game.units[v]
    rank = highest_importance_of(game, u, v)
    if rank < best_rank or rank < 0 or v == me.target:
        return best, best_rank, best_distance
    if rank == best_rank and best_distance == HELD:
        return best, best_rank, best_distance
    limit = game.rules.scan[me.kind, other.column] + max(me.range_add, 0.0)
    if current_order(game, u) == codes.HOLD or not game.rules.types[me.kind].mobile:
        limit = reach_of(me, game.rules.reach[me.kind, other.column])
    radii = game.rules.types[me.kind].radius + game.rules.types[other.kind].radius
    dx, dy = other.x - me.x, other.y - me.y
    squared = dx * dx + dy * dy
    if squared > (limit + radii) * (limit + radii):
        return best, best_rank, best_distance
    if not may_see(game, u, v) or (me.status & codes.ZONED and not in_zone(game, u, v)):
        return best, best_rank, best_distance
    if game.rules.types[other.kind].look >= 0:
        return best, best_rank, best_distance  # is taken for a friend
    rank = importance(game, u, v)
    if rank < best_rank:
        return best, best_rank, best_distance
    distance = math.sqrt(squared) - radii
    too_near = max(0.0, distance) < game.rules.too_near[me.kind, other.column]
    if too_near and not game.rules.types[me.kind].mobile:
        return best, best_rank, best_distance
    if rank > best_rank or distance < best_distance - NEARLY:
        return v, rank, distance
    if distance < best_distance + NEARLY:
        if toss(game.clock[0].seed, me.tag, other.tag, game.units[best].tag):
            return v, rank, distance
    return best, best_rank, best_distance


@kernel
def retaliate(game: Game, u: int, v: int) -> None:
    """Target the unit that hit it, or hit a friend nearby, at any distance."""
    me = game.units[u]
    if game.rules.types[me.kind].response != codes.RESPOND_ACQUIRE:
        return
    if not is_unit(game, v, me.attacker_tag) or not is_enemy(game, me.owner, game.units[v].owner):
        return
    if game.rules.rank[me.kind, game.units[v].column] < 0 or not may_see(game, u, v):
        return
    if me.status & codes.ZONED and not in_zone(game, u, v):
        return
    order = current_order(game, u)
    if order == codes.NO_ORDER or order == codes.ATTACK_MOVE or order == codes.PATROL:
        if game.rules.types[me.kind].mobile:
            take_target(game, u, v, codes.TARGET_ACQUIRED)


@kernel
def flee(game: Game, u: int, v: int) -> None:
    """Workers, overlords and their like run a little when they have nothing else to do."""
    me = game.units[u]
    if me.n_orders > 0 or not game.rules.types[me.kind].mobile:
        return
    dx, dy = me.x - game.units[v].x, me.y - game.units[v].y
    distance = length(dx, dy)
    if distance < 1e-9:
        return
    order = game.orders[u, 0]
    order.kind, order.target, order.tag = codes.MOVE, codes.NO_UNIT, 0
    order.x, order.y = standing_point(
        game,
        me.kind,
        me.x + dx / distance * FLEE_DISTANCE,
        me.y + dy / distance * FLEE_DISTANCE,
    )
    me.n_orders = 1
    me.way_tick = 0
