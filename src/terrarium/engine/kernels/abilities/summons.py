"""Summons: new units out of an ability, and what is left when their time is over."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import add_buff, end_buff
from terrarium.engine.kernels.abilities.outcomes import is_force_field
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.economy.calldowns import employ, landing_at
from terrarium.engine.kernels.orders.orders import go_to_point
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy, is_unit


@kernel
def summon(game: Game, effect: Records) -> None:
    """Make the units of an ability at a point; those that run there start at their maker."""
    ability, u, tag, owner = effect.ability, effect.source, effect.source_tag, effect.owner
    x, y, row = effect.aim_x, effect.aim_y, game.rules.abilities[ability]
    what = game.rules.mechanics.summons[row.params]
    kind = what.kind
    runs = game.rules.types[kind].mobile and row.range >= FROM_MAKER and what.ticks == 0.0
    runs = runs and is_unit(game, u, tag)
    from_x, from_y = (game.units[u].x, game.units[u].y) if runs else (x, y)
    on = effect.target if is_unit(game, effect.target, effect.target_tag) else codes.NO_UNIT
    employed = has_economy(game) and game.rules.types[kind].worker
    if employed and on >= 0 and game.rules.types[game.units[on].kind].resource != codes.NO_RESOURCE:
        from_x, from_y = landing_at(game, owner, on)
    for _ in range(what.count):
        made = spawn(game, kind, owner, from_x, from_y, False)
        if made < 0:
            return
        if is_force_field(game, kind):  # others have to make way, not it
            game.units[made].x, game.units[made].y = x, y
        if row.buff >= 0:  # hallucinations, which last as long as what they carry
            add_buff(game, made, row.buff, made, owner, 0.0)
            game.units[made].life_ticks = game.rules.buffs[row.buff].ticks
        game.skills[made].made_by = ability
        game.skills[made].maker, game.skills[made].maker_tag = u, tag
        if runs:
            go_to_point(game, made, codes.MOVE, x, y, False)
        if employed:
            employ(game, made, on)
        if is_unit(game, u, tag) and (row.flag_bits & codes.JOINS_SUMMONED or row.user_buff >= 0):
            game.skills[u].made, game.skills[u].made_tag = made, game.units[made].tag
            if row.user_buff >= 0:
                add_buff(game, u, row.user_buff, u, owner, 0.0)
            refresh(game, u)


FROM_MAKER = 100.0
"""Abilities that reach the whole map send what they make: shades, purification novas, locusts."""


@kernel
def await_made(game: Game, u: int) -> None:
    """When what it made is gone, an Adept appears where its shade was, a Disruptor goes on."""
    skill = game.skills[u]
    made = skill.made
    if is_unit(game, made, skill.made_tag):
        return
    ability = game.skills[made].made_by
    skill.made, skill.made_tag = codes.NO_UNIT, 0
    row = game.rules.abilities[ability]
    end_buff(game, u, row.user_buff)
    shade = game.units[made]
    # A shade that was cancelled or shot has time left on its clock.
    if row.flag_bits & codes.JOINS_SUMMONED and shade.life_ticks <= 0.0:
        me = game.units[u]
        me.x, me.y = find_room(game, me.kind, me.owner, shade.x, shade.y)
        me.home_x, me.home_y, me.way_tick = me.x, me.y, 0
    refresh(game, u)
