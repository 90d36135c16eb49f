"""Orders: what a player may tell a unit, its queue, and when an order is done."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import add_buff, end_buff
from terrarium.engine.kernels.abilities.cooldowns import pay
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.construction.placement import snapped
from terrarium.engine.kernels.construction.sites import may_construct
from terrarium.engine.kernels.economy.payment import pay_for
from terrarium.engine.kernels.economy.resources import begin_harvest, may_gather, stop_work
from terrarium.engine.kernels.events import note_cast
from terrarium.engine.kernels.movement.places import on_map, standing_point
from terrarium.engine.kernels.orders.building import (
    drop_orders,
    is_same_build,
    may_build,
    wanted_place,
)
from terrarium.engine.kernels.orders.permission import lands, lock_of, may_aim_at, may_order
from terrarium.engine.kernels.owners import is_enemy, is_friend
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy, is_unit, keeps_sight


@kernel
def current_order(game: Game, u: int) -> int:
    """The kind of the order a unit is carrying out."""
    if game.units[u].n_orders == 0:
        return codes.NO_ORDER
    return game.orders[u, 0].kind


@kernel
def forget_target(game: Game, u: int) -> None:
    """Let go of a target; a shot that has been started is not spent (game_rules.md, 3)."""
    me = game.units[u]
    me.target, me.target_tag = codes.NO_UNIT, 0
    me.target_why = codes.TARGET_NONE
    if me.winding:
        me.winding = False
        me.cooldown = 0.0


@kernel
def take_target(game: Game, u: int, v: int, why: int) -> None:
    me = game.units[u]
    if me.target == v and me.target_tag == game.units[v].tag:
        me.target_why = why
        return
    forget_target(game, u)
    me.target, me.target_tag = v, game.units[v].tag
    me.target_why = why
    me.way_tick = 0
    me.stalled = 0


@kernel
def resolve(game: Game, u: int, kind: int, v: int) -> int:
    """What a command comes down to for this unit, or minus the reason why it cannot be obeyed."""
    me = game.units[u]
    row = game.rules.types[me.kind]
    on_unit = 0 <= v < game.clock[0].n_slots and v != u and game.units[v].alive
    if v >= 0 and not (on_unit and is_known(game, me.owner, v)):
        return -codes.CANT_TARGET_THAT_UNIT
    can_attack = on_unit and game.rules.rank[me.kind, game.units[v].column] >= 0
    if has_economy(game) and (row.worker or kind >= codes.GATHER):
        wanted = resolve_work(game, u, kind, v)
        if wanted != codes.NO_ORDER:
            return wanted
    if kind == codes.SMART:
        if can_attack and is_enemy(game, me.owner, game.units[v].owner):
            kind = codes.ATTACK
        else:
            kind = codes.MOVE
    if kind == codes.ATTACK:
        if on_unit:
            return codes.ATTACK if can_attack else -codes.CANT_TARGET_THAT_UNIT
        kind = codes.ATTACK_MOVE
    if kind == codes.HEAL:
        if row.heal_life == 0.0:
            return -codes.NOT_SUPPORTED
        patient = on_unit and is_friend(game, me.owner, game.units[v].owner)
        if not patient or not game.rules.types[game.units[v].kind].biological:
            return -codes.CANT_TARGET_THAT_UNIT
        is_structure = game.rules.types[game.units[v].kind].structure
        return -codes.CANT_TARGET_THAT_UNIT if is_structure else codes.HEAL
    if kind == codes.STOP or kind == codes.HOLD:
        return kind
    if not row.mobile or kind < codes.MOVE or kind > codes.FOLLOW:
        return -codes.NOT_SUPPORTED
    if kind == codes.MOVE or kind == codes.FOLLOW:
        if on_unit:
            return codes.FOLLOW
        return codes.MOVE if kind == codes.MOVE else -codes.CANT_TARGET_THAT_UNIT
    return kind


@kernel
def is_known(game: Game, owner: int, v: int) -> bool:
    """May a player point at a unit: one that it sees, or remembers, or a resource, which maps
    show?"""
    other = game.units[v]
    if other.seen >> owner & 1 or game.rules.types[other.kind].resource != 0:
        return True
    return keeps_sight(game) and game.views[v].remembered >> owner & 1 != 0


@kernel
def resolve_work(game: Game, u: int, kind: int, v: int) -> int:
    """The same for what only workers can do; NO_ORDER = it is something else."""
    me = game.units[u]
    row, cargo = game.rules.types[me.kind], game.workers[u].cargo
    if me.status & codes.HALLUCINATED:
        return -codes.NOT_SUPPORTED if kind >= codes.GATHER else codes.NO_ORDER
    if kind == codes.GATHER:
        if not row.worker:
            return -codes.NOT_SUPPORTED
        return codes.GATHER if v >= 0 and may_gather(game, u, v) else -codes.CANT_TARGET_THAT_UNIT
    if kind == codes.CONSTRUCT:
        return kind if v >= 0 and may_construct(game, u, v) else -codes.CANT_TARGET_THAT_UNIT
    if kind == codes.RETURN_CARGO:
        return codes.RETURN_CARGO if row.worker and cargo > 0.0 else -codes.NOT_SUPPORTED
    if kind == codes.SMART and v >= 0:
        if may_gather(game, u, v):
            return codes.GATHER
        if may_construct(game, u, v):
            return codes.CONSTRUCT
        other = game.units[v]
        if cargo > 0.0 and other.owner == me.owner and game.rules.types[other.kind].townhall:
            return codes.RETURN_CARGO
    return codes.NO_ORDER


@kernel
def judge_order(game: Game, u: int, command: Records) -> int:
    """The order that a command comes down to for a unit, or minus the reason why it is refused."""
    me, kind, v = game.units[u], command.kind, command.target
    if not me.alive or not (abs(command.x) < FURTHEST and abs(command.y) < FURTHEST):
        return -codes.ERROR
    queued = command.queued and me.n_orders > 0
    if kind == codes.CAST:
        answer = may_order(game, u, command.ability, v, queued)
        x, y = on_map(game, command.x, command.y)  # nothing happens beyond the edge of the map
        if answer == codes.SUCCESS and v < 0:
            answer = may_aim_at(game, u, command.ability, x, y)
        kind = kind if answer == codes.SUCCESS else -answer
    elif kind == codes.BUILD:
        answer = order_to_build(game, u, command)
        kind = kind if answer == codes.SUCCESS else -answer
    else:
        kind = resolve(game, u, kind, v)
    if kind > 0 and queued and me.n_orders >= game.orders.shape[1]:
        return -codes.QUEUE_IS_FULL
    return kind


@kernel
def give_order(game: Game, u: int, command: Records) -> int:
    """Give one order to one unit. The answer is one of codes.RESULT_NAMES: unless it is SUCCESS,
    nothing has changed."""
    me, v = game.units[u], command.target
    kind = judge_order(game, u, command)
    if kind < 0:
        return -kind
    queued = command.queued and me.n_orders > 0
    if kind == codes.CAST and not queued and at_once(game, u, command.ability, v):
        x, y = on_map(game, command.x, command.y)
        use_at_once(game, u, command.ability, v, x, y)
        return codes.SUCCESS
    if not queued and is_same_order(game, u, kind, command):
        begin_way(game, u)
        return codes.SUCCESS
    if not queued:
        if kind == codes.GATHER:
            begin_harvest(game, u, v, game.units[v].tag)
        interrupt(game, u, kind)
    if kind == codes.STOP:
        return codes.SUCCESS
    if me.n_orders >= game.orders.shape[1]:
        return codes.QUEUE_IS_FULL
    write_order(game, u, kind, command)
    if kind == codes.BUILD:
        pay_for(game, me.owner, command.ability)
    return codes.SUCCESS


@kernel
def is_same_order(game: Game, u: int, kind: int, command: Records) -> bool:
    """Is it what the unit does already? Such an order is ignored (sc2api.md, 11), but that a walker
    looks for its way anew (fidelity.md)."""
    order, v = game.orders[u, 0], command.target
    if game.units[u].n_orders == 0 or order.kind != kind:
        return False
    if kind == codes.BUILD:
        return is_same_build(game, u, command)
    if kind == codes.GATHER and game.workers[u].phase == codes.RETURNING:
        return False
    if kind in ON_ONE_UNIT:
        return bool(order.tag == game.units[v].tag)
    if kind == codes.MOVE or kind == codes.ATTACK_MOVE or kind == codes.PATROL:
        x, y = wanted_point(game, u, command)
        return bool(order.x == x and order.y == y)
    return kind == codes.HOLD


@kernel
def wanted_point(game: Game, u: int, command: Records) -> tuple[float, float]:
    """Where a command sends a unit: to its point, or to where the unit is that it names."""
    x, y, v = command.x, command.y, command.target
    if v >= 0:
        x, y = game.units[v].x, game.units[v].y
    return standing_point(game, game.units[u].kind, x, y)


@kernel
def order_to_build(game: Game, u: int, command: Records) -> int:
    """Would an order to build be accepted? The one that the unit carries out already always is."""
    v = command.target
    if v >= 0 and not (v < game.clock[0].n_slots and game.units[v].alive):
        return codes.CANT_TARGET_THAT_UNIT
    if v >= 0 and not is_known(game, game.units[u].owner, v):
        return codes.CANT_TARGET_THAT_UNIT
    if has_economy(game) and is_same_build(game, u, command):
        return codes.SUCCESS
    return may_build(game, u, command)


FURTHEST = 1e6
"""No map reaches that far: what lies beyond is not a place, and NaN is not either."""


@kernel
def go_to_point(game: Game, u: int, kind: int, x: float, y: float, queued: bool) -> None:
    """Give an order that is about a place."""
    draft = game.scratch.draft[0]
    draft.kind, draft.ability, draft.target = kind, codes.NO_ABILITY, codes.NO_UNIT
    draft.x, draft.y, draft.queued = x, y, queued
    give_order(game, u, draft)


@kernel
def order_on_unit(game: Game, u: int, kind: int, v: int, queued: bool) -> None:
    """Give an order that is about another unit: to attack it, to follow it, to gather from it."""
    draft = game.scratch.draft[0]
    draft.kind, draft.ability, draft.target = kind, codes.NO_ABILITY, v
    draft.x, draft.y, draft.queued = 0.0, 0.0, queued
    give_order(game, u, draft)


@kernel
def cast_ability(game: Game, u: int, ability: int, v: int, x: float, y: float) -> int:
    """Give the order to use an ability now; the answer is one of codes.RESULT_NAMES."""
    draft = game.scratch.draft[0]
    draft.kind, draft.ability, draft.target = codes.CAST, ability, v
    draft.x, draft.y, draft.queued = x, y, False
    return give_order(game, u, draft)


@kernel
def write_order(game: Game, u: int, kind: int, command: Records) -> None:
    """Append an order that has been accepted to the queue."""
    me, v = game.units[u], command.target
    order = game.orders[u, me.n_orders]
    order.kind, order.target, order.tag = kind, codes.NO_UNIT, 0
    named = kind == codes.CAST or kind == codes.BUILD
    order.ability = command.ability if named else codes.NO_ABILITY
    if kind == codes.CAST:
        aim_order(game, u, command)
    elif kind == codes.BUILD:
        order.x, order.y = wanted_place(game, u, command)
    elif kind == codes.ATTACK or kind == codes.FOLLOW or kind == codes.HEAL:
        order.target, order.tag = v, game.units[v].tag
    elif kind == codes.GATHER or kind == codes.CONSTRUCT:
        order.target, order.tag = v, game.units[v].tag
        order.x, order.y = game.units[v].x, game.units[v].y
    elif kind != codes.HOLD and kind != codes.RETURN_CARGO:
        order.x, order.y = wanted_point(game, u, command)
        order.back_x, order.back_y = me.x, me.y
        if me.n_orders > 0 and game.orders[u, me.n_orders - 1].kind == codes.PATROL:
            order.back_x = game.orders[u, me.n_orders - 1].x
            order.back_y = game.orders[u, me.n_orders - 1].y
    me.n_orders += 1


@kernel
def aim_order(game: Game, u: int, command: Records) -> None:
    """Write what an ability is to be used on: a unit, its place, or a point of the map."""
    order, v = game.orders[u, game.units[u].n_orders], command.target
    order.x, order.y = on_map(game, command.x, command.y)
    aim = game.rules.abilities[command.ability].aim
    if lands(game, command.ability):
        params = game.rules.abilities[command.ability].params
        kind = game.rules.mechanics.morphs[params].becomes
        order.x, order.y = snapped(game, kind, command.x, command.y)
    elif v >= 0 and aim == codes.AIM_POINT:
        order.x, order.y = game.units[v].x, game.units[v].y
    elif v >= 0 and aim != codes.AIM_NONE:
        order.target, order.tag = v, game.units[v].tag
        if game.rules.abilities[command.ability].mechanic == codes.LOAD:
            come(game, v, u)


@kernel
def come(game: Game, v: int, u: int) -> None:
    """Who is to board walks to its carrier."""
    if not game.rules.types[game.units[v].kind].mobile:
        return
    interrupt(game, v, codes.MOVE)
    order = game.orders[v, game.units[v].n_orders]
    order.kind, order.target, order.tag = codes.MOVE, codes.NO_UNIT, 0
    order.ability = codes.NO_ABILITY
    order.x, order.y = game.units[u].x, game.units[u].y
    order.back_x, order.back_y = game.units[v].x, game.units[v].y
    game.units[v].n_orders += 1


@kernel
def at_once(game: Game, u: int, ability: int, v: int) -> bool:
    """Does an ability leave the present order alone? A carrier that is to unload at itself goes on
    its way meanwhile, as measured in the game."""
    row = game.rules.abilities[ability]
    if row.mechanic == codes.UNLOAD and v == u:
        return True
    if row.mechanic == codes.SELF_BUFF or row.mechanic == codes.TOGGLE or row.mechanic == codes.END:
        return True
    return row.flag_bits & codes.RUNS_BESIDE != 0


@kernel
def use_at_once(game: Game, u: int, ability: int, v: int, x: float, y: float) -> None:
    """Switches and buffs of the unit itself act now; what concerns others waits for the tick."""
    me, skill, row = game.units[u], game.skills[u], game.rules.abilities[ability]
    if row.mechanic == codes.END:
        end_ability(game, u, row.of)
    elif row.mechanic == codes.SELF_BUFF or row.mechanic == codes.TOGGLE:
        pay(game, u, ability)
        note_cast(game, u, ability, codes.NO_UNIT)
        add_buff(game, u, row.buff, u, me.owner, 0.0)
    else:
        skill.beside, skill.beside_x, skill.beside_y = ability, x, y
        aimed = v >= 0 and row.aim != codes.AIM_NONE
        on_unit = aimed and row.aim != codes.AIM_POINT
        skill.beside_target = v if on_unit else codes.NO_UNIT
        skill.beside_tag = game.units[v].tag if on_unit else 0
        if aimed:
            skill.beside_x, skill.beside_y = game.units[v].x, game.units[v].y
        refresh(game, u)


@kernel
def end_ability(game: Game, u: int, ability: int) -> None:
    """End what an ability began."""
    skill, row = game.skills[u], game.rules.abilities[ability]
    if skill.cast == ability:
        skill.stops = True
    elif row.mechanic == codes.LOCK_ON:
        k = lock_of(game, u)
        if k >= 0:
            # No hit is left: it ends in this tick.
            game.effects[k].step = game.rules.mechanics.locks[row.params].times
    elif row.mechanic == codes.SUMMON:
        made = u if skill.made_by == ability else skill.made
        if made >= 0:
            game.units[made].hp = 0.0
    else:
        end_buff(game, u, row.buff)


@kernel
def interrupt(game: Game, u: int, kind: int) -> None:
    """Drop what a unit is doing for a new order, but not a shot on the way to another place, nor
    an ability in a phase that no order interrupts: that one is finished first."""
    me, skill = game.units[u], game.skills[u]
    if skill.cast >= 0:
        if game.rules.abilities[skill.cast].locked >> skill.phase & 1:
            drop_orders(game, u, 1 if skill.ordered else 0)
            return
        # The order that asked for it is dropped below: the next one may ask for the same again.
        skill.stops, skill.ordered = True, False
    if (
        skill.unloading >= 0
        and not game.rules.abilities[skill.unloading].flag_bits & codes.CASTS_MOVING
    ):
        skill.unloading = codes.NO_ABILITY
        refresh(game, u)
    old = current_order(game, u)
    if has_economy(game) and kind != codes.GATHER:
        stop_work(game, u)
    if kind != codes.ATTACK_MOVE or old != kind:
        forget_target(game, u)
        me.backswing = 0.0
        me.heal_target = codes.NO_UNIT
    drop_orders(game, u, 0)
    begin_way(game, u)


@kernel
def begin_way(game: Game, u: int) -> None:
    """Let a unit look for its way, with new patience, and be at home where it is."""
    me = game.units[u]
    me.away = False
    me.home_x, me.home_y = me.x, me.y
    me.way_tick = 0
    me.stalled = 0


@kernel
def finish_order(game: Game, u: int) -> None:
    """The first order is done: the next one moves up, or the unit idles where it is."""
    me = game.units[u]
    for q in range(1, me.n_orders):
        done, following = game.orders[u, q - 1], game.orders[u, q]
        done.kind, done.target, done.tag = following.kind, following.target, following.tag
        done.ability = following.ability
        done.x, done.y = following.x, following.y
        done.back_x, done.back_y = following.back_x, following.back_y
    me.n_orders -= 1
    begin_way(game, u)
    me.heal_target = codes.NO_UNIT
    if me.target_why == codes.TARGET_ORDERED:
        forget_target(game, u)


@kernel
def follow_orders(game: Game) -> int:
    """Drop orders whose target is gone and take the target that an attack order names. What all
    units are together, as bits of their status, tells which phases this tick can do without."""
    together = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if not me.alive:
            continue
        together |= me.status
        if me.n_orders > 0:
            # Most orders are about a place, and ask for nothing before they are carried out.
            on_unit = 1 << game.orders[u, 0].kind & ABOUT_UNITS
            if on_unit or me.target_why == codes.TARGET_ORDERED:
                together |= follow_order(game, u)
    return together


ON_ONE_UNIT = (codes.ATTACK, codes.FOLLOW, codes.HEAL, codes.GATHER, codes.CONSTRUCT)
"""Orders that end with the unit that they name."""
ABOUT_UNITS = 1 << codes.ATTACK | 1 << codes.FOLLOW | 1 << codes.HEAL | 1 << codes.CAST


@kernel
def follow_order(game: Game, u: int) -> int:
    """The same for the orders of one unit; a bit if it is about to use an ability."""
    me, together = game.units[u], 0
    while me.n_orders > 0:
        order = game.orders[u, 0]
        kind = order.kind
        on_unit = kind == codes.ATTACK or kind == codes.FOLLOW or kind == codes.HEAL
        if on_unit and not is_followed(game, u):
            finish_order(game, u)
            continue
        if kind == codes.CAST:
            together |= codes.CASTING
            if order.target >= 0 and not is_followed(game, u) and game.skills[u].cast < 0:
                finish_order(game, u)
                continue
        if kind == codes.HEAL:
            patient = game.units[order.target]
            if patient.hp >= patient.hp_max:
                finish_order(game, u)
                continue
            me.heal_target = order.target
        elif kind == codes.ATTACK:
            take_target(game, u, order.target, codes.TARGET_ORDERED)
        elif me.target_why == codes.TARGET_ORDERED:
            forget_target(game, u)
        break
    return together


@kernel
def is_followed(game: Game, u: int) -> bool:
    """Is the unit that the first order names still there, and in sight or remembered?"""
    order = game.orders[u, 0]
    if not is_unit(game, order.target, order.tag):
        return False
    owner = game.units[u].owner
    if game.units[order.target].seen >> owner & 1:
        return True
    return keeps_sight(game) and game.views[order.target].remembered >> owner & 1 != 0
