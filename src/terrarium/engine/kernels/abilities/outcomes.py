"""What comes of an ability where it arrives: on a unit, on all in a circle, on the ground."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import add_buff
from terrarium.engine.kernels.abilities.stats import refresh, upgraded
from terrarium.engine.kernels.abilities.traits import concerns, fits, traits_now
from terrarium.engine.kernels.combat.damage import add_hit, splash_share
from terrarium.engine.kernels.combat.shots import effect_now
from terrarium.engine.kernels.economy.score import count_change
from terrarium.engine.kernels.events import note_hurt
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy, is_unit

PULL_SPEED = 1.0
"""How far an abducted unit is dragged in a tick; the sources do not say (docs/fidelity.md)."""


@kernel
def arrive(game: Game, effect: Records) -> None:
    """An ability has its outcome where it was aimed at, on its target if that is still there."""
    row, x, y = game.rules.abilities[effect.ability], effect.aim_x, effect.aim_y
    v = effect.target if is_unit(game, effect.target, effect.target_tag) else codes.NO_UNIT
    circle = game.rules.impacts[row.impact].circle if row.impact >= 0 else 0.0
    if circle > 0.0:
        impact = game.rules.impacts[row.impact]
        radius = upgraded(
            game, effect.owner, row.first_change, row.n_changes, codes.CHANGES_CIRCLE, circle
        )
        for j in range(game.clock[0].n_living):
            o = game.living[j]
            if game.units[o].alive and touches(game, o, x, y, radius):
                if concerns(game, impact.who, impact, effect, o):
                    befall(game, effect, o)
    elif v >= 0:
        befall(game, effect, v)
    deal_hits(game, effect, v)
    if row.impact >= 0 and game.rules.impacts[row.impact].push > 0.0:
        push_away(game, effect)
    if row.flag_bits & codes.BREAKS_FORCE_FIELDS:
        break_force_fields(game, row.first_hit, x, y)


@kernel
def arrive_now(game: Game, ability: int, u: int, v: int, x: float, y: float) -> None:
    """An ability has its outcome without a way between."""
    effect = effect_now(game, u, v, x, y)
    effect.ability = ability
    arrive(game, effect)


@kernel
def touches(game: Game, o: int, x: float, y: float, radius: float) -> bool:
    """Does a circle touch a unit?"""
    other = game.units[o]
    reach = radius + game.rules.types[other.kind].radius
    return length(other.x - x, other.y - y) <= reach + NEARLY


@kernel
def deal_hits(game: Game, effect: Records, v: int) -> None:
    """Deal the hits of an ability: on its target, or around a point."""
    row = game.rules.abilities[effect.ability]
    for h in range(row.first_hit, row.first_hit + row.n_hits):
        hit = game.rules.hits[h]
        if hit.form == codes.SINGLE:
            if v >= 0:
                add_hit(game, v, h, effect, 1.0)
            continue
        who = codes.EVERYBODY if hit.hits_own else codes.ENEMIES
        for j in range(game.clock[0].n_living):
            o = game.living[j]
            if not game.units[o].alive or (o == v and hit.when == codes.SPARES_TARGET):
                continue
            if not concerns(game, who, hit, effect, o):
                continue
            share = splash_share(game, h, effect.source, o, effect.aim_x, effect.aim_y)
            if share > 0.0:
                add_hit(game, o, h, effect, share)


@kernel
def befall(game: Game, effect: Records, v: int) -> None:
    """What an ability does to one unit besides its hits."""
    row, other = game.rules.abilities[effect.ability], game.units[v]
    if row.impact >= 0:
        life, shield, energy = other.hp, other.shield, other.energy
        affect(game, effect, v)
        if has_economy(game):
            count_change(game, effect.owner, v, life, shield, energy)
    if row.buff >= 0:
        add_buff(game, v, row.buff, effect.source, effect.owner, 0.0)
    if row.flag_bits & codes.PULLS_TARGET:
        if not game.rules.types[other.kind].traits & codes.IS_FRENZIED:
            pull(game, effect.source, v)


@kernel
def affect(game: Game, effect: Records, v: int) -> None:
    """What the impact of an ability takes from one unit, or gives to it, at once."""
    row = game.rules.impacts[game.rules.abilities[effect.ability].impact]
    other, owner = game.units[v], effect.owner
    if row.drain_all:
        hurt = other.energy * row.damage_per_energy
        other.energy = 0.0
        absorbed = min(other.shield, hurt)
        other.shield -= absorbed
        other.hp -= hurt - absorbed
        other.hurt_tick = game.clock[0].tick
        note_hurt(game, v, effect.source, effect.source_tag, owner, hurt)
        if is_enemy(game, owner, other.owner):
            game.players[owner].damage_dealt += hurt
    if row.drain_energy > 0.0:
        other.energy = max(0.0, other.energy - row.drain_energy)
    if row.drain_shields > 0.0:
        taken = min(other.shield, row.drain_shields)
        other.shield -= taken
        if taken > 0.0:
            other.hurt_tick = game.clock[0].tick
            note_hurt(game, v, effect.source, effect.source_tag, owner, taken)
            if is_enemy(game, owner, other.owner):
                game.players[owner].damage_dealt += taken
    if row.heal_life > 0.0 and other.hp > 0.0:
        other.hp = min(other.hp_max, other.hp + row.heal_life)


@kernel
def pull(game: Game, u: int, v: int) -> None:
    """Drag a unit to the one who caught it."""
    me, other = game.units[u], game.units[v]
    gap = game.rules.types[me.kind].radius + game.rules.types[other.kind].radius
    dx, dy = me.x - other.x, me.y - other.y
    distance = length(dx, dy)
    way = max(0.0, distance - gap)
    if way > 0.0:
        drag(game, v, dx / distance * way, dy / distance * way, way / PULL_SPEED)


@kernel
def drag(game: Game, v: int, dx: float, dy: float, ticks: float) -> None:
    """Move a unit by (dx, dy) within some ticks, whatever it wants."""
    skill = game.skills[v]
    n = max(1.0, float(int(ticks + 0.5)))
    skill.drag_x, skill.drag_y, skill.drag_ticks = dx / n, dy / n, n
    refresh(game, v)


@kernel
def push_away(game: Game, effect: Records) -> None:
    """Throw those whom the blast reached away from its center."""
    row, x, y = game.rules.abilities[effect.ability], effect.aim_x, effect.aim_y
    impact, hit = game.rules.impacts[row.impact], game.rules.hits[row.first_hit]
    stays = impact.push_never | codes.IS_STRUCTURE | codes.IS_FRENZIED | codes.IS_STASIS
    for j in range(game.clock[0].n_living):
        o = game.living[j]
        other = game.units[o]
        if not other.alive or not touches(game, o, x, y, hit.zone_radius[0]):
            continue
        traits = traits_now(game, effect.owner, effect.source, o) | codes.IS_VISIBLE
        if not fits(traits, hit.must_be, stays):
            continue
        dx, dy = other.x - x, other.y - y
        distance = length(dx, dy)
        if distance > 1e-9:
            dx, dy = dx / distance * impact.push, dy / distance * impact.push
            drag(game, o, dx, dy, impact.push_ticks)


@kernel
def break_force_fields(game: Game, h: int, x: float, y: float) -> None:
    """A Corrosive Bile destroys the force fields that it hits."""
    for j in range(game.clock[0].n_living):
        o = game.living[j]
        other = game.units[o]
        if (
            other.alive
            and game.rules.types[other.kind].n_weapons == 0
            and is_force_field(game, other.kind)
        ):
            if touches(game, o, x, y, game.rules.hits[h].zone_radius[0]):
                other.hp = 0.0


@kernel
def is_force_field(game: Game, kind: int) -> bool:
    """A type that bursts when a massive unit is near: nothing else has such an ability."""
    for k in range(game.rules.kit.shape[1]):
        row = game.rules.kit[kind, k]
        if row >= 0 and game.rules.abilities[row].mechanic == codes.BLAST:
            if game.rules.abilities[row].must_be & codes.IS_MASSIVE:
                return True
    return False
