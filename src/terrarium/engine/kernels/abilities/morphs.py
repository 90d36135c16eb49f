"""Changes of form: siege mode, burrowing, landing, Hellbats."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import end_buff
from terrarium.engine.kernels.abilities.stats import refresh, upgraded
from terrarium.engine.kernels.construction.placement import may_land
from terrarium.engine.kernels.events import new_event, note_order
from terrarium.engine.kernels.movement.footprints import change_footprint, closes_cells
from terrarium.engine.kernels.orders.orders import forget_target
from terrarium.engine.kernels.orders.permission import lands
from terrarium.engine.kernels.random import MORPHING, uniform
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.kernels.setup.placing import push_out, settle_on_grid
from terrarium.engine.state import Game


@kernel
def begin_morph(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    """A random delay comes first, then the change itself (game_rules.md, 10)."""
    row, skill, clock = game.rules.abilities[ability], game.skills[u], game.clock[0]
    morph = game.rules.mechanics.morphs[row.params]
    if lands(game, ability) and may_land(game, u, morph.becomes, x, y, False) != codes.SUCCESS:
        fail_to_land(game, u, ability)
        return
    ticks = upgraded(
        game, skill.true_owner, row.first_change, row.n_changes, codes.CHANGES_MORPH, morph.ticks
    )
    draw = uniform(clock.seed, clock.tick, game.units[u].tag, MORPHING)
    skill.morph = ability
    delay = morph.delay_low + (morph.delay_high - morph.delay_low) * draw
    skill.morph_timer = max(ticks, 0.0) + delay
    if row.aim != codes.AIM_NONE:
        skill.zone_x, skill.zone_y = x, y
    forget_target(game, u)
    refresh(game, u)


@kernel
def advance_morph(game: Game, u: int) -> None:
    skill = game.skills[u]
    skill.morph_timer -= 1.0
    if skill.morph_timer > 0.0:
        return
    ability = skill.morph
    morph = game.rules.mechanics.morphs[game.rules.abilities[ability].params]
    skill.morph = codes.NO_ABILITY
    if lands(game, ability):
        land(game, u, ability, morph.becomes)
        return
    become(game, u, morph.becomes)
    if morph.acts_after > morph.ticks:
        game.units[u].cooldown = morph.acts_after - morph.ticks


@kernel
def land(game: Game, u: int, ability: int, kind: int) -> None:
    """A flying structure is down: it stands on the grid, if the ground is still free."""
    me, skill = game.units[u], game.skills[u]
    if may_land(game, u, kind, skill.zone_x, skill.zone_y, False) != codes.SUCCESS:
        fail_to_land(game, u, ability)
        refresh(game, u)
        return
    become(game, u, kind)
    settle_on_grid(game, u, skill.zone_x, skill.zone_y)
    me.home_x, me.home_y, me.way_x, me.way_y = me.x, me.y, me.x, me.y


@kernel
def fail_to_land(game: Game, u: int, ability: int) -> None:
    """Somebody or something stands there by now."""
    game.skills[u].error = codes.CANT_LAND_LOCATION_INVALID
    note_order(game, codes.FAILED, u, ability, codes.CANT_LAND_LOCATION_INVALID)


@kernel
def become(game: Game, u: int, kind: int) -> None:
    """A unit takes another form: same tag, same share of life, other numbers."""
    me, skill = game.units[u], game.skills[u]
    old = game.rules.types[me.kind]
    share = me.hp / max(me.hp_max, 1e-9)
    was_flying = old.flying
    end_toggles(game, u)
    raised = closes_cells(game, u, kind)
    change_footprint(game, u, kind)
    me.kind = kind
    if raised:
        push_out(game, u)
    new = game.rules.types[kind]
    skill.switched = 0
    refresh(game, u)
    me.hp = share * me.hp_max
    me.shield = min(me.shield, new.shields)
    # An Orbital Command begins with energy, as if it were new.
    me.energy = min(me.energy if old.energy_max > 0.0 else new.energy_start, new.energy_max)
    me.cooldown, me.backswing, me.winding, me.weapon = 0.0, 0.0, False, 0
    if was_flying and not new.flying:
        me.alive = False
        me.x, me.y = find_room(game, kind, me.owner, me.x, me.y)
        me.alive = True
    me.speed_x, me.speed_y = 0.0, 0.0
    me.home_x, me.home_y, me.away, me.way_tick = me.x, me.y, False, 0
    if me.life_ticks <= 0.0 and new.life_high > 0.0:
        me.life_ticks = new.life_high
    forget_target(game, u)
    new_event(game, codes.FORM_CHANGED, u)


@kernel
def end_toggles(game: Game, u: int) -> None:
    """What the old form had switched on does not outlive it."""
    kind = game.units[u].kind
    for k in range(game.rules.kit.shape[1]):
        row = game.rules.kit[kind, k]
        if row >= 0 and game.rules.abilities[row].mechanic == codes.TOGGLE:
            end_buff(game, u, game.rules.abilities[row].buff)
