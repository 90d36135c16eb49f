"""How mechanics begin at the moment of the cast.

Each kernel has the same arguments: the ability, its user `u`, the unit `v` that it is used on (-1 =
none) and the point. The registry of mechanics (`tables/mechanics/registry.py`) says which is whose.
"""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.areas import lay
from terrarium.engine.kernels.abilities.buffs import add_buff, find_buff
from terrarium.engine.kernels.abilities.cargo import load_all, load_into
from terrarium.engine.kernels.abilities.control import take_over
from terrarium.engine.kernels.abilities.outcomes import arrive_now
from terrarium.engine.kernels.abilities.spells import send
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.abilities.summons import summon
from terrarium.engine.kernels.combat.shots import effect_now
from terrarium.engine.kernels.economy.larvae import inject
from terrarium.engine.kernels.movement.teleports import jump
from terrarium.engine.state import Game, has_economy


@kernel
def buff_user(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    add_buff(game, u, game.rules.abilities[ability].buff, u, game.units[u].owner, 0.0)


@kernel
def fall_upon(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    """Target effects, fields and bursts: now, or after a delay."""
    me, row = game.units[u], game.rules.abilities[ability]
    later = row.delay + row.fall
    if row.aim == codes.AIM_NONE:
        x, y = me.x, me.y
    if row.area >= 0:
        k = lay(game, ability, u, v, x, y)
        if k >= 0 and game.rules.areas[row.area].ticks == 0.0:
            game.effects[k].timer = later
    if later > 0.0:
        send(game, ability, u, v, x, y)
    else:
        arrive_now(game, ability, u, v, x, y)
    if row.flag_bits & codes.KILLS_USER:
        me.hp, me.shield = 0.0, 0.0


@kernel
def fire_missile(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    send(game, ability, u, v, x, y)


@kernel
def begin_lock(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    """The hits of a lock follow one another until it is released (`spells.hold_on`)."""
    send(game, ability, u, v, x, y)
    add_buff(game, v, game.rules.abilities[ability].buff, u, game.units[u].owner, 0.0)
    game.skills[u].locks = True
    refresh(game, u)


@kernel
def begin_channel(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    me, row = game.units[u], game.rules.abilities[ability]
    if v >= 0 and row.buff >= 0:
        add_buff(game, v, row.buff, u, me.owner, 0.0)
        if row.flag_bits & codes.TAKES_CONTROL and find_buff(game, v, row.buff) >= 0:
            take_over(game, v, me.owner)
    if row.user_buff >= 0:
        add_buff(game, u, row.user_buff, u, me.owner, 0.0)
    if row.area >= 0:
        k = lay(game, ability, u, v, x, y)
        if k >= 0 and game.rules.areas[row.area].ticks == 0.0:
            game.effects[k].timer = row.channel + row.fall


@kernel
def begin_teleport(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    """A jump without a channel comes at once; with one, in the midst of it (`next_phase`)."""
    row = game.rules.abilities[ability]
    if row.delay > 0.0:
        send(game, ability, u, codes.NO_UNIT, x, y)
    elif row.channel == 0.0:
        jump(game, ability, u, x, y)


@kernel
def begin_summon(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    row = game.rules.abilities[ability]
    made = game.rules.mechanics.summons[row.params]
    if row.aim == codes.AIM_NONE:
        x, y = game.units[u].x, game.units[u].y
    if has_economy(game) and ability == game.rules.breeding[0].inject:
        inject(game, ability, u, v)
    elif made.ticks > 0.0 or made.missile_speed > 0.0:
        employed = v >= 0 and game.rules.types[made.kind].worker
        send(game, ability, u, v if employed else codes.NO_UNIT, x, y)
    else:
        effect = effect_now(game, u, codes.NO_UNIT, x, y)
        effect.ability = ability
        summon(game, effect)


@kernel
def begin_load(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    if game.rules.abilities[ability].aim == codes.AIM_NONE:
        load_all(game, ability, u)
    elif v >= 0:
        load_into(game, v, u)


@kernel
def begin_unload(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    game.skills[u].unloading, game.skills[u].unload_timer = ability, 0.0
    refresh(game, u)


@kernel
def begin_salvage(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    send(game, ability, u, u, game.units[u].x, game.units[u].y)
