"""The attack cycle: aim, wind up, shoot, cool down (game_rules.md, 3)."""

from terrarium.engine import codes
from terrarium.engine.aim import pick_weapon, reach_of
from terrarium.engine.damage import damage_on
from terrarium.engine.effects import launch
from terrarium.engine.geometry import edge_distance, length
from terrarium.engine.jit import kernel, rare
from terrarium.engine.orders import forget_target
from terrarium.engine.random import COOLDOWN, VOLLEY, bits, uniform
from terrarium.engine.rules import NEAR_DISTANCE, SPLASH_RADIUS_LIMIT, Rules
from terrarium.engine.state import N_SHOTS, Game, Scratch, is_unit
from terrarium.engine.terrain import Ground


@kernel
def use_weapons(game: Game, rules: Rules, ground: Ground, scratch: Scratch) -> None:
    """Advance every attack; then let those shots fall that are due, in a fair order."""
    scratch.counts[N_SHOTS] = 0
    for u in range(game.clock[0].n_slots):
        me = game.units[u]
        if not me.alive:
            continue
        scratch.doom[u] = 0.0
        if rules.types[me.kind].n_weapons == 0:
            continue
        # A fraction of a tick is carried over to the next shot only in a steady rhythm: a weapon
        # that has waited gains nothing.
        me.cooldown = me.cooldown - 1.0 if me.cooldown > 0.0 else 0.0
        me.backswing = max(0.0, me.backswing - 1.0)
        if rules.types[me.kind].has_turret:
            aim_turret(game, rules, u)
        if me.target < 0:
            continue
        if me.status & codes.DISARMED:
            if me.winding:
                me.winding, me.cooldown = False, 0.0
            continue
        advance_attack(game, rules, u)
        if me.winding and me.windup <= 0.0:
            add_shot(game, scratch, u)
    for k in range(scratch.counts[N_SHOTS]):
        shoot(game, rules, ground, scratch, scratch.shots[k].unit)


@kernel
def advance_attack(game: Game, rules: Rules, u: int) -> None:
    """Begin an attack that can begin; break off one that cannot go on."""
    me = game.units[u]
    v = me.target
    if not is_unit(game, v, me.target_tag):
        forget_target(game, u)
        return
    if me.winding:
        weapon = rules.weapons[me.weapon]
        if edge_distance(rules, me, game.units[v]) > reach_of(me, weapon.range) + weapon.slop:
            me.winding = False
            me.cooldown = 0.0
        else:
            me.windup -= 1.0
        return
    if me.cooldown > 0.0:
        return
    w = pick_weapon(game, rules, u, v)
    if w < 0 or not faces(game, rules, u, v, w):
        return
    weapon = rules.weapons[w]
    me.winding = True
    me.weapon = w
    me.windup = weapon.damage_point / me.rate + me.cooldown
    draw = uniform(game.clock[0].seed, game.clock[0].tick, me.tag, COOLDOWN)
    noise = weapon.jitter_low + (weapon.jitter_high - weapon.jitter_low) * draw
    me.cooldown += (weapon.period + noise) / me.rate


@kernel
def faces(game: Game, rules: Rules, u: int, v: int, w: int) -> bool:
    """Does the body, or the turret, point closely enough at the target?"""
    me, other, weapon = game.units[u], game.units[v], rules.weapons[w]
    dx, dy = other.x - me.x, other.y - me.y
    distance = length(dx, dy)
    if distance < 1e-9:
        return True
    if weapon.turret:
        return me.aim_x * dx + me.aim_y * dy >= weapon.arc_cos * distance
    return me.face_x * dx + me.face_y * dy >= weapon.arc_cos * distance


@kernel
def aim_turret(game: Game, rules: Rules, u: int) -> None:
    """Turn the turret towards the target, or back to the front."""
    me = game.units[u]
    row = rules.types[me.kind]
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


@rare
def add_shot(game: Game, scratch: Scratch, u: int) -> None:
    """Insert a shot, or a cast that is due, into those of this tick at a random place, the same for
    any slot order."""
    key = bits(game.clock[0].seed, game.clock[0].tick, game.units[u].tag, VOLLEY)
    k = scratch.counts[N_SHOTS]
    while k > 0 and scratch.shots[k - 1].key > key:
        scratch.shots[k].unit, scratch.shots[k].key = (
            scratch.shots[k - 1].unit,
            scratch.shots[k - 1].key,
        )
        k -= 1
    scratch.shots[k].unit, scratch.shots[k].key = u, key
    scratch.counts[N_SHOTS] += 1


@rare
def shoot(game: Game, rules: Rules, ground: Ground, scratch: Scratch, u: int) -> None:
    """Fire, unless an instant shot would go at somebody whom others kill in this very tick."""
    me = game.units[u]
    v = me.target
    weapon = rules.weapons[me.weapon]
    victim = game.units[v]
    me.winding = False
    if weapon.instant and not weapon.suicide:
        if scratch.doom[v] >= victim.hp + victim.shield:
            me.cooldown = 0.0
            return
        scratch.doom[v] += expected_damage(game, rules, me.weapon, me.side, v)
    me.backswing = weapon.backswing / me.rate
    if weapon.suicide:
        # The explosion belongs to its death, however it dies.
        me.hp, me.shield = 0.0, 0.0
        return
    distance = edge_distance(rules, me, game.units[v])
    for h in range(weapon.first_hit, weapon.first_hit + weapon.n_hits):
        hit = rules.hits[h]
        if hit.form == codes.BOUNCE or not applies(game, rules, h, v, distance):
            continue
        for _ in range(hit.count):
            launch(game, rules, ground, scratch, u, v, h)


@kernel
def applies(game: Game, rules: Rules, h: int, v: int, distance: float) -> bool:
    """Some hits are for small targets, for one plane or for one distance only."""
    when = rules.hits[h].when
    row = rules.types[game.units[v].kind]
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
def expected_damage(game: Game, rules: Rules, w: int, side: int, v: int) -> float:
    """What one volley of an instant weapon takes from its target."""
    weapon, victim = rules.weapons[w], game.units[v]
    total = 0.0
    for h in range(weapon.first_hit, weapon.first_hit + weapon.n_hits):
        if applies(game, rules, h, v, 0.0):
            armor = victim.armor if rules.hits[h].armor_applies else 0.0
            if victim.shield > 0.0:
                armor = 0.0
            damage = damage_on(game, rules, h, side, victim.kind)
            total += max(0.5, damage - armor) * rules.hits[h].count
    return total
