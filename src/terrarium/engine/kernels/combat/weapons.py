"""The attack cycle: aim, wind up, shoot, cool down (game_rules.md, 3)."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.combat.aim import pick_weapon, reach_of
from terrarium.engine.kernels.combat.damage import damage_on
from terrarium.engine.kernels.combat.shots import launch
from terrarium.engine.kernels.economy.hangars import launch_interceptor
from terrarium.engine.kernels.geometry import edge_distance, length
from terrarium.engine.kernels.orders.orders import forget_target
from terrarium.engine.kernels.random import COOLDOWN, VOLLEY, bits, uniform
from terrarium.engine.scratch import N_SHOTS
from terrarium.engine.state import Game, has_economy, is_unit
from terrarium.engine.tables.rules import NEAR_DISTANCE, SPLASH_RADIUS_LIMIT


@kernel
def use_weapons(game: Game) -> None:
    """Advance every attack; then let those shots fall that are due, in a fair order."""
    game.scratch.counts[N_SHOTS] = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive:
            continue
        game.scratch.doom[u] = 0.0
        if game.rules.types[me.kind].n_weapons == 0:
            continue
        # A fraction of a tick is carried over to the next shot only in a steady rhythm: a weapon
        # that has waited gains nothing.
        me.cooldown = me.cooldown - 1.0 if me.cooldown > 0.0 else 0.0
        me.backswing = max(0.0, me.backswing - 1.0)
        if game.rules.types[me.kind].has_turret:
            aim_turret(game, u)
        if me.target < 0:
            continue
        if me.status & codes.DISARMED:
            if me.winding:
                me.winding, me.cooldown = False, 0.0
            continue
        advance_attack(game, u)
        if me.winding and me.windup <= 0.0:
            add_shot(game, u)
    for k in range(game.scratch.counts[N_SHOTS]):
        shoot(game, game.scratch.shots[k].unit)


@kernel
def advance_attack(game: Game, u: int) -> None:
    """Begin an attack that can begin; break off one that cannot go on."""
    me = game.units[u]
    v = me.target
    if not is_unit(game, v, me.target_tag):
        forget_target(game, u)
        return
    if me.winding:
        weapon = game.rules.weapons[me.weapon]
        if edge_distance(game, me, game.units[v]) > reach_of(me, weapon.range) + weapon.slop:
            me.winding = False
            me.cooldown = 0.0
        else:
            me.windup -= 1.0
        return
    if me.cooldown > 0.0:
        return
    w = pick_weapon(game, u, v)
    if w < 0 or not faces(game, u, v, w):
        return
    weapon = game.rules.weapons[w]
    me.winding = True
    me.weapon = w
    me.windup = weapon.damage_point / me.rate + me.cooldown + game.rules.assumptions[0].attack_ticks
    draw = uniform(game.clock[0].seed, game.clock[0].tick, me.tag, COOLDOWN)
    noise = weapon.jitter_low + (weapon.jitter_high - weapon.jitter_low) * draw
    me.cooldown += (weapon.period + noise) / me.rate


@kernel
def faces(game: Game, u: int, v: int, w: int) -> bool:
    """Does the body, or the turret, point closely enough at the target?"""
    me, other, weapon = game.units[u], game.units[v], game.rules.weapons[w]
    dx, dy = other.x - me.x, other.y - me.y
    distance = length(dx, dy)
    if distance < 1e-9:
        return True
    if weapon.turret:
        return me.aim_x * dx + me.aim_y * dy >= weapon.arc_cos * distance
    return me.face_x * dx + me.face_y * dy >= weapon.arc_cos * distance


@kernel
def aim_turret(game: Game, u: int) -> None:
    """Turn the turret towards the target, or back to the front."""
    me = game.units[u]
    row = game.rules.types[me.kind]
    dx, dy = me.face_x, me.face_y
    if me.target >= 0:
        dx, dy = game.units[me.target].x - me.x, game.units[me.target].y - me.y
        distance = length(dx, dy)
        if distance < 1e-9:
            return
        dx, dy = dx / distance, dy / distance
    if me.aim_x * dx + me.aim_y * dy >= row.turret_cos:
        me.aim_x, me.aim_y = dx, dy
        return
    sin = row.turret_sin if me.aim_x * dy - me.aim_y * dx >= 0.0 else -row.turret_sin
    x = me.aim_x * row.turret_cos - me.aim_y * sin
    y = me.aim_x * sin + me.aim_y * row.turret_cos
    size = length(x, y)
    me.aim_x, me.aim_y = x / size, y / size


@kernel
def add_shot(game: Game, u: int) -> None:
    """Insert a shot, or a cast that is due, into those of this tick at a random place, the same for
    any slot order."""
    key = bits(game.clock[0].seed, game.clock[0].tick, game.units[u].tag, VOLLEY)
    k = game.scratch.counts[N_SHOTS]
    while k > 0 and game.scratch.shots[k - 1].key > key:
        game.scratch.shots[k].unit, game.scratch.shots[k].key = (
            game.scratch.shots[k - 1].unit,
            game.scratch.shots[k - 1].key,
        )
        k -= 1
    game.scratch.shots[k].unit, game.scratch.shots[k].key = u, key
    game.scratch.counts[N_SHOTS] += 1


@kernel
def shoot(game: Game, u: int) -> None:
    """Fire, unless other shots of this tick already kill the target of an instant shot."""
    me = game.units[u]
    v = me.target
    weapon = game.rules.weapons[me.weapon]
    victim = game.units[v]
    me.winding = False
    if weapon.instant and not weapon.suicide:
        if game.scratch.doom[v] >= victim.hp + victim.shield:
            me.cooldown = 0.0
            return
        game.scratch.doom[v] += expected_damage(game, me.weapon, me.owner, v)
    me.backswing = weapon.backswing / me.rate
    if weapon.suicide:
        # The explosion belongs to its death, however it dies.
        me.hp, me.shield = 0.0, 0.0
        return
    if has_economy(game) and game.rules.types[me.kind].hangar >= 0:
        launch_interceptor(game, u, v)
    distance = edge_distance(game, me, game.units[v])
    for h in range(weapon.first_hit, weapon.first_hit + weapon.n_hits):
        hit = game.rules.hits[h]
        if hit.form == codes.BOUNCE or not applies(game, h, v, distance):
            continue
        for _ in range(hit.count):
            launch(game, u, v, h)


@kernel
def applies(game: Game, h: int, v: int, distance: float) -> bool:
    """Some hits are for small targets, for one plane or for one distance only."""
    when = game.rules.hits[h].when
    row = game.rules.types[game.units[v].kind]
    if when == codes.SMALL_TARGET:
        return row.radius < SPLASH_RADIUS_LIMIT
    if when == codes.LARGE_TARGET:
        return row.radius >= SPLASH_RADIUS_LIMIT
    if when == codes.GROUND_TARGET:
        return game.units[v].plane & codes.GROUND != 0
    if when == codes.AIR_TARGET:
        return game.units[v].plane & codes.GROUND == 0
    if when == codes.NEAR_TARGET:
        return distance <= NEAR_DISTANCE
    if when == codes.FAR_TARGET:
        return distance > NEAR_DISTANCE
    return True


@kernel
def expected_damage(game: Game, w: int, owner: int, v: int) -> float:
    """What one volley of an instant weapon takes from its target."""
    weapon, victim = game.rules.weapons[w], game.units[v]
    total = 0.0
    for h in range(weapon.first_hit, weapon.first_hit + weapon.n_hits):
        if applies(game, h, v, 0.0):
            armor = victim.armor if game.rules.hits[h].armor_applies else 0.0
            if victim.shield > 0.0:
                armor = 0.0
            damage = damage_on(game, h, owner, victim.kind)
            total += max(0.5, damage - armor) * game.rules.hits[h].count
    return total
