"""Areas on the ground: storms, scans, clouds, shields that move with their owner."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import BRIEF_TICKS, add_buff
from terrarium.engine.kernels.abilities.outcomes import touches
from terrarium.engine.kernels.abilities.traits import concerns
from terrarium.engine.kernels.combat.damage import add_hit
from terrarium.engine.kernels.combat.shots import drop_effect, new_effect
from terrarium.engine.kernels.vision.views import glimpse, half_cell
from terrarium.engine.kernels.vision.visibility import MOST_REACH
from terrarium.engine.state import Game, is_unit, keeps_sight

ENDLESS = 1e30


@kernel
def lay(game: Game, ability: int, u: int, v: int, x: float, y: float) -> int:
    """Put the area of an ability on the ground; the effect it got, or -1."""
    k = new_effect(game, u, v if v >= 0 else u, 0, codes.LYING)
    if k < 0:
        return -1
    area = game.rules.abilities[ability].area
    row, effect = game.rules.areas[area], game.effects[k]
    effect.area, effect.ability = area, ability
    effect.x, effect.y, effect.aim_x, effect.aim_y = x, y, x, y
    effect.timer = row.ticks + row.delay if row.ticks > 0.0 else ENDLESS
    effect.hit_timer, effect.born = row.delay, game.clock[0].tick
    if row.reveals and keeps_sight(game):
        show_area(game, k)
    return k


@kernel
def show_area(game: Game, k: int) -> None:
    """A scan shows what is in it, over all cliffs."""
    effect, wish = game.effects[k], game.scratch.wish[0]
    wish.owner, wish.x, wish.y = effect.owner, half_cell(effect.x), half_cell(effect.y)
    wish.reach, wish.over = min(game.rules.areas[effect.area].radius, MOST_REACH), True
    glimpse(game, effect.timer)


@kernel
def lie(game: Game, k: int) -> None:
    """One tick of an area: it follows, it works on those inside, it ends."""
    effect = game.effects[k]
    area = game.rules.areas[effect.area]
    if area.follows == codes.FOLLOWS_USER:
        if not is_unit(game, effect.source, effect.source_tag):
            drop_effect(game, k)
            return
        effect.x, effect.y = game.units[effect.source].x, game.units[effect.source].y
    elif area.follows == codes.FOLLOWS_TARGET:
        effect.x, effect.y = effect.aim_x, effect.aim_y
    effect.hit_timer -= 1.0
    works = effect.timer <= area.ticks or area.ticks == 0.0
    if works:
        hits_now = area.hit >= 0 and effect.hit_timer < 0.0
        if hits_now:
            hits_now = area.times == 0 or effect.step < area.times
            effect.step += 1
            effect.hit_timer += area.period
        if area.buff >= 0 or hits_now:
            work(game, k, hits_now)
    effect.timer -= 1.0
    if effect.timer <= 0.0:
        if area.then >= 0:
            effect.area = area.then
            effect.timer = game.rules.areas[area.then].ticks
        else:
            drop_effect(game, k)


@kernel
def work(game: Game, k: int, hits_now: bool) -> None:
    """What an area does to the units inside."""
    effect = game.effects[k]
    area = game.rules.areas[effect.area]
    for j in range(game.clock[0].n_living):
        o = game.living[j]
        if not game.units[o].alive or not touches(game, o, effect.x, effect.y, area.radius):
            continue
        if not concerns(game, area.who, area, effect, o):
            continue
        if hits_now and not hit_by_another(game, k, o):
            add_hit(game, o, area.hit, effect, 1.0)
        if area.buff >= 0:
            add_buff(game, o, area.buff, effect.source, effect.owner, BRIEF_TICKS)


@kernel
def hit_by_another(game: Game, k: int, o: int) -> bool:
    """Areas of one kind over each other do not add up: the first that touches a unit hits it."""
    area = game.effects[k].area
    for j in range(game.clock[0].n_effects):
        other = game.effects[j]
        if j == k or other.stage != codes.LYING or other.area != area:
            continue
        older = other.born < game.effects[k].born or (
            other.born == game.effects[k].born and other.source_tag < game.effects[k].source_tag
        )
        row = game.rules.areas[area]
        if older and row.ticks > 0.0 and touches(game, o, other.x, other.y, row.radius):
            return True
    return False
