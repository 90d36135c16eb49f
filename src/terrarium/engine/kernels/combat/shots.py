"""Effects between the shot and the hit: missiles in flight, delayed hits, beams and spines."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.combat.damage import add_hit, deal_hit, may_hurt
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.kernels.random import toss
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.records import Records
from terrarium.engine.state import Game, is_unit


@kernel
def new_effect(game: Game, u: int, v: int, h: int, stage: int) -> int:
    """Room for one more effect of unit `u` on unit `v`; -1, and a fault, if there is none."""
    k = game.clock[0].n_effects
    if k >= game.effects.shape[0]:
        game.clock[0].fault = codes.TOO_MANY_EFFECTS
        return -1
    game.clock[0].n_effects = k + 1
    me, other, effect = game.units[u], game.units[v], game.effects[k]
    effect.stage, effect.hit, effect.owner = stage, h, me.owner
    effect.source, effect.source_tag = u, me.tag
    effect.target, effect.target_tag = v, other.tag
    effect.x, effect.y = me.x, me.y
    effect.aim_x, effect.aim_y = other.x, other.y
    dx, dy = other.x - me.x, other.y - me.y
    distance = length(dx, dy)
    if distance > 1e-9:
        effect.dir_x, effect.dir_y = dx / distance, dy / distance
    else:
        effect.dir_x, effect.dir_y = me.face_x, me.face_y
    effect.speed, effect.timer = 0.0, 0.0
    effect.step, effect.seen_tag = 0, 0
    effect.ability, effect.area = codes.NO_ABILITY, codes.NO_ABILITY
    effect.hit_timer, effect.born = 0.0, 0
    return k


@kernel
def drop_effect(game: Game, k: int) -> None:
    """The last effect takes the place of one that is over."""
    game.clock[0].n_effects -= 1
    last = game.clock[0].n_effects
    if k != last:
        game.effects[k] = game.effects[last]


@kernel
def take_effect(game: Game, k: int) -> Records:
    """Take an effect off the list for its outcome: a copy, which the next one overwrites."""
    game.scratch.arrived[0] = game.effects[k]
    drop_effect(game, k)
    return game.scratch.arrived[0]


@kernel
def effect_now(game: Game, u: int, v: int, x: float, y: float) -> Records:
    """An effect of unit `u` on unit `v`, or at (x, y), that needs no time: it is on no list."""
    me, effect = game.units[u], game.scratch.arrived[0]
    effect.source, effect.source_tag, effect.owner = u, me.tag, me.owner
    effect.target, effect.target_tag = v, game.units[v].tag if v >= 0 else 0
    effect.aim_x, effect.aim_y = x, y
    return effect


@kernel
def launch(game: Game, u: int, v: int, h: int) -> None:
    """Send one hit of an attack on its way: at once, after a delay, or by missile."""
    hit = game.rules.hits[h]
    if hit.at > 0.0:
        k = new_effect(game, u, v, h, codes.WAITING)
        if k >= 0:
            game.effects[k].timer = hit.at
        return
    release(game, u, v, h)


@kernel
def release(game: Game, u: int, v: int, h: int) -> None:
    """The moment a hit leaves its source."""
    hit = game.rules.hits[h]
    me, other = game.units[u], game.units[v]
    if hit.form == codes.SWEEP:
        for beam in range(hit.beams):
            k = new_effect(game, u, v, h, codes.SWEEPING)
            if k >= 0 and beam == 1:  # the second beam sweeps against the first
                game.effects[k].dir_x = -game.effects[k].dir_x
                game.effects[k].dir_y = -game.effects[k].dir_y
    elif hit.form == codes.SPINES:
        new_effect(game, u, v, h, codes.SPREADING)
    elif hit.missile_speed > 0.0:
        k = new_effect(game, u, v, h, codes.FLYING)
        if k >= 0:
            missile = game.effects[k]
            muzzle = game.rules.types[me.kind].radius
            missile.x += missile.dir_x * muzzle
            missile.y += missile.dir_y * muzzle
            missile.speed = hit.missile_speed
    else:
        shot = effect_now(game, u, v, other.x, other.y)
        shot.hit = h
        land(game, shot, v)


@kernel
def land(game: Game, shot: Records, v: int) -> None:
    """A shot arrives, on unit `v` if that still lives: it hurts, and a Brood Lord's leaves a
    Broodling there."""
    deal_hit(game, shot, v)
    spawns = game.rules.hits[shot.hit].spawns
    if spawns >= 0:
        spawn(game, spawns, shot.owner, shot.aim_x, shot.aim_y, False)


@kernel
def advance_shot(game: Game, k: int) -> None:
    """Move one effect of a weapon on by one tick."""
    stage = game.effects[k].stage
    if stage == codes.FLYING:
        fly(game, k)
    elif stage == codes.WAITING:
        wait(game, k)
    elif stage == codes.SWEEPING:
        sweep(game, k)
    else:
        spread(game, k)


@kernel
def fly(game: Game, k: int) -> None:
    """Missiles home and never miss; without a target they fly to its last place."""
    missile = game.effects[k]
    hit = game.rules.hits[missile.hit]
    v = missile.target
    alive = is_unit(game, v, missile.target_tag)
    dx, dy = missile.aim_x - missile.x, missile.aim_y - missile.y
    distance = length(dx, dy)
    rest = distance - (game.rules.types[game.units[v].kind].radius if alive else 0.0)
    if rest > missile.speed:
        missile.dir_x, missile.dir_y = dx / distance, dy / distance
        missile.x += missile.dir_x * missile.speed
        missile.y += missile.dir_y * missile.speed
        missile.speed = min(hit.missile_top, missile.speed + hit.missile_accel)
        return
    shot = take_effect(game, k)
    land(game, shot, v if alive else codes.NO_UNIT)
    following, weapon = shot.hit + 1, game.rules.weapons[hit.weapon]
    if following < weapon.first_hit + weapon.n_hits:
        if game.rules.hits[following].form == codes.BOUNCE:
            bounce(game, shot, following)


@kernel
def bounce(game: Game, shot: Records, h: int) -> None:
    """A glaive goes on to the nearest enemy near the last one that it has not hit yet."""
    last, before, owner = shot.target, shot.seen_tag, shot.owner
    x, y = shot.aim_x, shot.aim_y
    best, best_distance = codes.NO_UNIT, game.rules.hits[h].radius
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        other = game.units[v]
        if not other.alive or v == last or other.tag == before:
            continue
        if not is_enemy(game, owner, other.owner):
            continue
        dx, dy = other.x - x, other.y - y
        distance = length(dx, dy) - game.rules.types[other.kind].radius
        if distance > best_distance - NEARLY and best >= 0:
            equal = distance < best_distance + NEARLY
            if not equal or not toss(game.clock[0].seed, before, other.tag, game.units[best].tag):
                continue
        if distance < best_distance + NEARLY:
            best, best_distance = v, distance
    if best < 0:
        return
    k = new_effect(game, shot.source, best, h, codes.FLYING)
    if k >= 0:
        game.effects[k].x, game.effects[k].y = x, y
        game.effects[k].owner = owner
        game.effects[k].speed = game.rules.hits[h].missile_speed
        game.effects[k].seen_tag = game.units[last].tag


@kernel
def wait(game: Game, k: int) -> None:
    """A delayed hit lands, or a delayed missile leaves, if its target is still there."""
    effect = game.effects[k]
    effect.timer -= 1.0
    if effect.timer > 0.0:
        return
    shot = take_effect(game, k)
    h, u, v, tag = shot.hit, shot.source, shot.target, shot.source_tag
    target_alive = is_unit(game, v, shot.target_tag)
    # Who shoots from inside a Bunker lives as well.
    source_alive = game.units[u].tag == tag and (game.units[u].alive or game.units[u].inside >= 0)
    if game.rules.hits[h].form == codes.SWEEP and shot.step:
        if target_alive:
            add_hit(game, v, h, shot, 1.0)
    elif game.rules.hits[h].missile_speed > 0.0:
        if source_alive and target_alive:
            release(game, u, v, h)
    elif target_alive and source_alive:
        land(game, shot, v)


@kernel
def sweep(game: Game, k: int) -> None:
    """A Colossus beam runs across the shot; whom a sample point touches is hit a little later."""
    hit = game.rules.hits[game.effects[k].hit]
    beam = game.effects[k]
    if beam.step == 0 and beam.timer == 0.0:
        # The line stays where the shot was aimed at.
        beam.x, beam.y = beam.aim_x, beam.aim_y
    beam.timer += 1.0
    first = beam.step
    last = min(hit.steps, int(beam.timer / hit.step_ticks) + 1)
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        if v == beam.target or not game.units[v].alive:
            continue
        if may_hurt(game, beam.hit, beam.owner, v, beam.x, beam.y):
            j = sample_that_hits(game, beam, v)
            if first <= j < last:
                mark(game, beam, v, hit.delay)
    beam.step = last
    if last < hit.steps:
        return
    if is_unit(game, beam.target, beam.target_tag):
        mark(game, beam, beam.target, hit.target_delay)
    drop_effect(game, k)


@kernel
def sample_that_hits(game: Game, beam: Records, v: int) -> int:
    """The number of the sample point next to a unit, if it touches it; otherwise -1."""
    hit, other = game.rules.hits[beam.hit], game.units[v]
    # The line is at right angles to the shot: its direction is (-dir_y, dir_x).
    dx, dy = other.x - beam.x, other.y - beam.y
    along = -dx * beam.dir_y + dy * beam.dir_x
    gap = 2.0 * hit.length / (hit.steps - 1)
    j = min(max(int((along + hit.length) / gap + 0.5), 0), hit.steps - 1)
    at = j * gap - hit.length
    px, py = dx + at * beam.dir_y, dy - at * beam.dir_x
    return j if length(px, py) <= hit.radius + game.rules.types[other.kind].radius + NEARLY else -1


@kernel
def mark(game: Game, beam: Records, v: int, delay: float) -> None:
    """Let the beam's damage fall on a unit after a delay."""
    u, source_tag, owner = beam.source, beam.source_tag, beam.owner
    k = new_effect(game, u, v, beam.hit, codes.WAITING)
    if k >= 0:
        game.effects[k].timer = delay
        game.effects[k].step = 1
        game.effects[k].owner = owner
        game.effects[k].source_tag = source_tag


@kernel
def spread(game: Game, k: int) -> None:
    """Lurker spines run out from the attacker, a step at a time, and hit whom they reach."""
    spines = game.effects[k]
    hit = game.rules.hits[spines.hit]
    while spines.step < hit.steps and spines.timer >= spines.step * hit.step_ticks:
        spines.step += 1
        for j in range(game.clock[0].n_living):
            v = game.living[j]
            other = game.units[v]
            if not other.alive:
                continue
            if not may_hurt(game, spines.hit, spines.owner, v, spines.x, spines.y):
                continue
            dx, dy = other.x - spines.x, other.y - spines.y
            along = dx * spines.dir_x + dy * spines.dir_y
            nearest = min(max(int(along + 0.5), 1), hit.steps)
            if nearest != spines.step:
                continue
            px, py = dx - nearest * spines.dir_x, dy - nearest * spines.dir_y
            if length(px, py) <= hit.radius + game.rules.types[other.kind].radius + NEARLY:
                add_hit(game, v, spines.hit, spines, 1.0)
    spines.timer += 1.0
    if spines.step >= hit.steps:
        drop_effect(game, k)
