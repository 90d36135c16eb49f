"""Abilities under way: missiles, delayed outcomes, locks, and units that are about to appear."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.areas import lie
from terrarium.engine.kernels.abilities.buffs import end_buff
from terrarium.engine.kernels.abilities.cooldowns import start_cooldown
from terrarium.engine.kernels.abilities.outcomes import arrive
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.abilities.summons import summon
from terrarium.engine.kernels.combat.damage import add_hit
from terrarium.engine.kernels.combat.shots import drop_effect, new_effect, take_effect
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length
from terrarium.engine.kernels.movement.teleports import recall
from terrarium.engine.kernels.orders.permission import still_there
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.records import Records
from terrarium.engine.state import Game, is_unit


@kernel
def stage_of(mechanic: int) -> int:
    """In what way the outcome of a mechanic is under way."""
    if mechanic == codes.MISSILE:
        return codes.SPELL_FLYING
    if mechanic == codes.LOCK_ON:
        return codes.LOCKED
    return codes.SUMMONING if mechanic == codes.SUMMON else codes.DELAYED


@kernel
def send(game: Game, ability: int, u: int, v: int, x: float, y: float) -> int:
    """Let the outcome of an ability be on its way; the effect it got, or -1."""
    row = game.rules.abilities[ability]
    stage = stage_of(row.mechanic)
    k = new_effect(game, u, v if v >= 0 else u, 0, stage)
    if k < 0:
        return -1
    effect = game.effects[k]
    effect.ability = ability
    if v < 0:
        effect.target, effect.target_tag = codes.NO_UNIT, 0
        effect.aim_x, effect.aim_y = x, y
    if stage == codes.SPELL_FLYING:
        effect.speed = game.rules.mechanics.missiles[row.params].speed
    elif stage == codes.DELAYED:
        effect.timer = row.delay + row.fall
    elif stage == codes.SUMMONING:
        made = game.rules.mechanics.summons[row.params]
        effect.timer = made.ticks
        if made.missile_speed > 0.0:
            way = length(effect.aim_x - effect.x, effect.aim_y - effect.y)
            effect.timer += way / made.missile_speed
    return k


@kernel
def advance_spell(game: Game, k: int) -> None:
    """Move one effect of an ability on by one tick."""
    stage = game.effects[k].stage
    if stage == codes.LYING:
        lie(game, k)
    elif stage == codes.SPELL_FLYING:
        fly_on(game, k)
    elif stage == codes.LOCKED:
        hold_on(game, k)
    else:
        effect = game.effects[k]
        effect.timer -= 1.0
        if effect.timer > 0.0:
            return
        arrived = take_effect(game, k)
        ability, u, v = arrived.ability, arrived.source, arrived.target
        if stage == codes.BROODING:
            come_out_of(game, arrived)
        elif stage == codes.SUMMONING:
            summon(game, arrived)
        elif game.rules.abilities[ability].mechanic == codes.SALVAGE:
            if is_unit(game, v, arrived.target_tag):
                salvage(game, ability, v)
        elif game.rules.abilities[ability].mechanic == codes.TELEPORT:
            if is_unit(game, u, arrived.source_tag):
                recall(game, ability, u, arrived.aim_x, arrived.aim_y)
        else:
            arrive(game, arrived)


@kernel
def come_out_of(game: Game, effect: Records) -> None:
    """Units appear where a structure of the type that the effect names has stood."""
    row = game.rules.types[effect.step]
    for _ in range(row.n_left):
        spawn(game, row.leaves, effect.owner, effect.x, effect.y, False)


@kernel
def salvage(game: Game, ability: int, v: int) -> None:
    """A structure has been taken apart: part of its price comes back."""
    game.players[game.units[v].owner].minerals -= game.rules.abilities[ability].minerals
    game.units[v].hp = 0.0


@kernel
def fly_on(game: Game, k: int) -> None:
    """A missile of an ability flies to its target, or to where that was last."""
    missile = game.effects[k]
    row = game.rules.mechanics.missiles[game.rules.abilities[missile.ability].params]
    v = missile.target if is_unit(game, missile.target, missile.target_tag) else codes.NO_UNIT
    dx, dy = missile.aim_x - missile.x, missile.aim_y - missile.y
    distance = length(dx, dy)
    rest = distance - (game.rules.types[game.units[v].kind].radius if v >= 0 else 0.0)
    missile.timer += 1.0
    if rest > missile.speed:
        missile.dir_x, missile.dir_y = dx / distance, dy / distance
        missile.x += missile.dir_x * missile.speed
        missile.y += missile.dir_y * missile.speed
        missile.speed += row.accel
        if row.lost_after > 0.0 and missile.timer > row.lost_after:
            drop_effect(game, k)
        return
    arrive(game, take_effect(game, k))


@kernel
def hold_on(game: Game, k: int) -> None:
    """A Cyclone hits whom it has locked on, for as long as it sees and reaches it."""
    lock = game.effects[k]
    row = game.rules.abilities[lock.ability]
    rhythm = game.rules.mechanics.locks[row.params]
    u, v = lock.source, lock.target
    holds = is_unit(game, u, lock.source_tag) and still_there(game, lock.owner, v, lock.target_tag)
    if holds:
        far = edge_distance(game, game.units[u], game.units[v]) > row.break_range + NEARLY
        holds = not far and not game.units[u].status & codes.SILENCED and lock.step < rhythm.times
    if not holds:
        release(game, k)
        return
    lock.timer -= 1.0
    if lock.timer <= 0.0:
        lock.timer += rhythm.period
        lock.step += 1
        add_hit(game, v, row.first_hit, lock, 1.0)


@kernel
def release(game: Game, k: int) -> None:
    """A lock ends, and only now its cooldown begins."""
    lock = game.effects[k]
    ability, u, v = lock.ability, lock.source, lock.target
    row = game.rules.abilities[ability]
    if is_unit(game, v, lock.target_tag):
        end_buff(game, v, row.buff)
    if is_unit(game, u, lock.source_tag):
        game.skills[u].locks = False
        refresh(game, u)
        start_cooldown(game, u, ability)
    drop_effect(game, k)
