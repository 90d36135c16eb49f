"""Casting: an ability from the approach to its finish (game_rules.md, 10).

Approach, preparation, the cast itself, a channel, a finish. The price is paid at the cast.
"""

from terrarium.data.mechanics import MECHANICS as WORDS
from terrarium.engine import codes
from terrarium.engine.compiling.switches import switch
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.autocast import act_by_itself, start_cast
from terrarium.engine.kernels.abilities.buffs import end_buff
from terrarium.engine.kernels.abilities.cargo import unload
from terrarium.engine.kernels.abilities.control import let_go
from terrarium.engine.kernels.abilities.cooldowns import pay, start_cooldown
from terrarium.engine.kernels.abilities.morphs import advance_morph
from terrarium.engine.kernels.abilities.outcomes import arrive_now
from terrarium.engine.kernels.abilities.repair import repair, restore_shields
from terrarium.engine.kernels.abilities.spells import send
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.abilities.summons import await_made
from terrarium.engine.kernels.combat.weapons import add_shot
from terrarium.engine.kernels.events import note_cast, note_order
from terrarium.engine.kernels.movement.dragging import be_dragged
from terrarium.engine.kernels.movement.teleports import jump
from terrarium.engine.kernels.orders.orders import current_order, finish_order
from terrarium.engine.kernels.orders.permission import (
    in_reach,
    may_aim,
    may_aim_at,
    may_use_now,
    reaches,
    still_there,
)
from terrarium.engine.scratch import N_SHOTS
from terrarium.engine.state import Game, is_unit
from terrarium.engine.tables.mechanics.registry import MECHANICS

DOING = codes.CASTING | codes.MORPHING | codes.DRAGGED | codes.JOINED | codes.AUTOCASTS
"""Units with none of these bits have nothing to do with abilities in this tick."""


@kernel
def use_abilities(game: Game) -> None:
    """Advance everything that units do besides walking and shooting.

    Whose cast is due acts in a random order, the same for any order of slots.
    """
    game.scratch.counts[N_SHOTS] = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive or me.hp <= 0.0:
            continue
        ordered = current_order(game, u) == codes.CAST
        if not ordered and not me.status & DOING:
            continue
        if advance(game, u, ordered):
            add_shot(game, u)
    for k in range(game.scratch.counts[N_SHOTS]):
        u = game.scratch.shots[k].unit
        if game.units[u].alive and game.units[u].hp > 0.0:
            act(game, u)


@kernel
def advance(game: Game, u: int, ordered: bool) -> bool:
    """One tick of what a unit is doing; is something of it due?"""
    me, skill = game.units[u], game.skills[u]
    if me.status & codes.MORPHING:
        advance_morph(game, u)
    if me.status & codes.DRAGGED:
        be_dragged(game, u)
    if me.status & codes.JOINED:
        await_made(game, u)
    if skill.unloading >= 0:
        unload(game, u)
    if skill.cast >= 0:
        return go_on(game, u) or skill.beside >= 0
    if ordered and skill.morph < 0:
        begin(game, u)
    elif me.status & codes.AUTOCASTS and not me.status & codes.SILENCED:
        act_by_itself(game, u)
    return skill.beside >= 0 or (skill.cast >= 0 and skill.timer <= 0.0)


@kernel
def begin(game: Game, u: int) -> None:
    """Start the cast that the first order asks for, once the target is in reach."""
    order, skill = game.orders[u, 0], game.skills[u]
    ability, v = order.ability, order.target
    answer = may_use_now(game, u, ability)
    if answer == codes.SUCCESS:
        if v >= 0:
            answer = may_aim(game, u, ability, v)
        else:
            answer = may_aim_at(game, u, ability, order.x, order.y)
    if answer != codes.SUCCESS:
        skill.error = answer
        note_order(game, codes.FAILED, u, ability, answer)
        finish_order(game, u)
        return
    if in_reach(game, u, ability, v, order.x, order.y):
        skill.x, skill.y = order.x, order.y
        start_cast(game, u, ability, v)
        skill.ordered = True


@kernel
def go_on(game: Game, u: int) -> bool:
    """Let the present phase run on, or break it off; is it over?"""
    skill = game.skills[u]
    if is_broken(game, u):
        break_off(game, u)
        return False
    if skill.target >= 0 and is_unit(game, skill.target, skill.target_tag):
        skill.x, skill.y = game.units[skill.target].x, game.units[skill.target].y
    skill.timer -= 1.0
    row = game.rules.abilities[skill.cast]
    if row.mechanic == codes.REPAIR or row.mechanic == codes.HEALING:
        return True
    if row.mechanic == codes.TELEPORT and skill.phase == codes.CHANNELING:
        settle = game.rules.mechanics.teleports[row.params].settle
        return skill.timer <= 0.0 or (skill.timer <= settle < skill.timer + 1.0)
    return skill.timer <= 0.0


@kernel
def is_broken(game: Game, u: int) -> bool:
    """Damage, silence, or a target that is gone or too far away, break an ability off."""
    me, skill = game.units[u], game.skills[u]
    row = game.rules.abilities[skill.cast]
    if skill.stops or (me.status & codes.SILENCED and row.mechanic != codes.TELEPORT):
        return True
    if skill.phase > codes.CHANNELING or skill.phase == codes.OUTRO:
        return False
    if row.flag_bits & codes.BROKEN_BY_DAMAGE and me.hurt_tick >= game.clock[0].tick - 1:
        return True
    if skill.target < 0:
        return False
    if skill.phase == codes.CHANNELING and row.flag_bits & codes.TAKES_CONTROL:
        if not is_unit(game, skill.target, skill.target_tag):
            return True
    elif not still_there(game, me.owner, skill.target, skill.target_tag):
        return True
    if row.aim == codes.AIM_NONE:
        return False
    return not reaches(game, u, skill.cast, skill.target, max(row.slop, row.break_range))


@kernel
def break_off(game: Game, u: int) -> None:
    """An ability comes to nothing, or to no more than it has done so far."""
    skill = game.skills[u]
    row = game.rules.abilities[skill.cast]
    before_cast = skill.phase == codes.PREP
    if before_cast and row.flag_bits & codes.SPENDS_COOLDOWN:
        start_cooldown(game, u, skill.cast)
    if skill.phase == codes.CHANNELING and row.flag_bits & codes.REFUNDS_ENERGY:
        game.units[u].energy += row.energy
    if skill.phase == codes.CHANNELING:
        end_channel(game, u)
    end_cast(game, u)


@kernel
def end_channel(game: Game, u: int) -> None:
    """What held only for as long as the channel ends with it."""
    skill = game.skills[u]
    ability = skill.cast
    row = game.rules.abilities[ability]
    if skill.target >= 0 and is_unit(game, skill.target, skill.target_tag):
        end_buff(game, skill.target, row.buff)
        if row.flag_bits & codes.TAKES_CONTROL:
            let_go(game, skill.target)
    end_buff(game, u, row.user_buff)
    for k in range(game.clock[0].n_effects):
        effect = game.effects[k]
        if effect.stage == codes.LYING and effect.ability == ability and effect.source == u:
            if effect.source_tag == game.units[u].tag:
                effect.timer = min(effect.timer, row.fall)
    if row.cooldown_from == codes.FROM_END:
        start_cooldown(game, u, ability)


@kernel
def end_cast(game: Game, u: int) -> None:
    """The unit is free again; an order that asked for the ability is done."""
    skill = game.skills[u]
    ability = skill.cast
    skill.cast, skill.phase, skill.timer = codes.NO_ABILITY, codes.APPROACH, 0.0
    skill.target, skill.target_tag = codes.NO_UNIT, 0
    if skill.ordered and current_order(game, u) == codes.CAST:
        if game.orders[u, 0].ability == ability:
            finish_order(game, u)
    skill.ordered, skill.stops = False, False
    refresh(game, u)


@kernel
def act(game: Game, u: int) -> None:
    """A phase is over: have its outcome, and go on to the next one."""
    skill = game.skills[u]
    if skill.beside >= 0:
        act_beside(game, u)
    if skill.cast < 0:
        return
    row = game.rules.abilities[skill.cast]
    if row.mechanic == codes.REPAIR:
        if not repair(game, u, skill.target):
            end_cast(game, u)
    elif row.mechanic == codes.HEALING:
        if not restore_shields(game, u, skill.cast, skill.target):
            end_cast(game, u)
    elif skill.timer <= 0.0 or skill.phase == codes.CHANNELING:
        next_phase(game, u)
        while skill.cast >= 0 and skill.timer <= 0.0:  # phases without length follow at once
            next_phase(game, u)


@kernel
def next_phase(game: Game, u: int) -> None:
    skill = game.skills[u]
    ability = skill.cast
    row = game.rules.abilities[ability]
    if skill.phase == codes.PREP:
        pay(game, u, ability)
        v = skill.target if is_unit(game, skill.target, skill.target_tag) else codes.NO_UNIT
        perform(game, ability, u, v, skill.x, skill.y)
        enter(game, u, codes.OUTRO, row.outro)
    elif skill.phase == codes.OUTRO:
        enter(game, u, codes.CHANNELING, row.channel)
    elif skill.phase == codes.CHANNELING:
        if row.mechanic == codes.TELEPORT and skill.timer > 0.0:
            jump(game, ability, u, skill.x, skill.y)
            return  # it still has to settle
        if row.channel > 0.0:
            channel_over(game, u)
        enter(game, u, codes.FINISH, row.finish)
    else:
        end_cast(game, u)


@kernel
def enter(game: Game, u: int, phase: int, ticks: float) -> None:
    game.skills[u].phase, game.skills[u].timer = phase, ticks
    refresh(game, u)


@kernel
def channel_over(game: Game, u: int) -> None:
    """The outcome of a channel that was not broken off."""
    skill, me = game.skills[u], game.units[u]
    row = game.rules.abilities[skill.cast]
    if row.mechanic == codes.CHANNEL:
        gain = game.rules.mechanics.channels[row.params].energy_gain
        me.energy = min(me.energy + gain, game.rules.types[me.kind].energy_max)
    if row.n_hits > 0:
        v = skill.target if is_unit(game, skill.target, skill.target_tag) else codes.NO_UNIT
        if row.fall > 0.0:
            send(game, skill.cast, u, v, skill.x, skill.y)
        else:
            arrive_now(game, skill.cast, u, v, skill.x, skill.y)
    end_channel(game, u)


@kernel
def act_beside(game: Game, u: int) -> None:
    """Use an ability that runs beside the present order."""
    skill = game.skills[u]
    ability, v = skill.beside, skill.beside_target
    x, y = skill.beside_x, skill.beside_y
    skill.beside = codes.NO_ABILITY
    refresh(game, u)
    answer = may_use_now(game, u, ability)
    if answer == codes.SUCCESS and v >= 0:
        there = is_unit(game, v, skill.beside_tag)
        answer = may_aim(game, u, ability, v) if there else codes.CANT_TARGET_THAT_UNIT
    if answer != codes.SUCCESS:
        skill.error = answer
        note_order(game, codes.FAILED, u, ability, answer)
        return
    if v >= 0:
        x, y = game.units[v].x, game.units[v].y
    pay(game, u, ability)
    perform(game, ability, u, v, x, y)


@kernel
def perform(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    """The moment of the cast: each mechanic begins its own way."""
    note_cast(game, u, ability, v)
    begin_mechanic(game, ability, u, v, x, y)


@kernel
def mechanic_of(game: Game, ability: int) -> int:
    return game.rules.abilities[ability].mechanic


begin_mechanic = switch(
    f"{__name__}.begin_mechanic",
    mechanic_of,
    {
        codes.code(WORDS, word): mechanic.begin
        for word, mechanic in MECHANICS.items()
        if mechanic.begin is not None
    },
)
