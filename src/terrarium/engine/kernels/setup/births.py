"""Births: how a new unit begins."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import clear_buffs
from terrarium.engine.kernels.abilities.stats import ALL_PLAYERS, refresh, upgraded
from terrarium.engine.kernels.economy.resources import clear_economy
from terrarium.engine.kernels.events import new_event
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.random import LIFETIME, PHASE, bits, uniform
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.kernels.setup.slots import list_unit, take_slot
from terrarium.engine.kernels.vision.visibility import begin_sight
from terrarium.engine.state import Game, has_economy, keeps_sight

LONG_AGO = -1_000_000


@kernel
def spawn(
    game: Game,
    kind: int,
    owner: int,
    x: float,
    y: float,
    passive: bool,
) -> int:
    """Create a unit near a point; its slot, or -1 and an event if all are taken."""
    u = take_slot(game)
    if u < 0:
        k = new_event(game, codes.SPAWN_REFUSED, codes.NO_UNIT)
        event = game.events[k]
        event.owner, event.type, event.x, event.y = owner, kind, x, y
        return -1
    x, y = find_room(game, kind, owner, x, y)
    row, me, clock = game.rules.types[kind], game.units[u], game.clock[0]
    clock.next_tag += 1
    me.tag, me.kind, me.owner = clock.next_tag, kind, owner
    me.alive, me.passive = True, passive
    scan_ticks = np.uint64(game.rules.assumptions[0].scan_ticks)
    me.phase = int(bits(clock.seed, 0, me.tag, PHASE) % scan_ticks)
    me.x, me.y = x, y
    face_middle(game, u)
    me.speed_x, me.speed_y = 0.0, 0.0
    me.inside, me.seen, me.hp_max = codes.NO_UNIT, ALL_PLAYERS, row.hp
    clear_skill(game, u, owner)
    if has_economy(game):
        clear_economy(game, u)
    refresh(game, u)
    if keeps_sight(game):
        begin_sight(game, u)
    me.hp, me.shield = me.hp_max, row.shields
    me.energy = upgraded(
        game, owner, row.first_change, row.n_changes, codes.CHANGES_ENERGY_START,
        row.energy_start,
    )  # fmt: skip
    draw = uniform(clock.seed, clock.tick, me.tag, LIFETIME)
    me.life_ticks = row.life_low + (row.life_high - row.life_low) * draw
    me.cooldown, me.windup, me.backswing, me.winding = 0.0, 0.0, 0.0, False
    me.weapon = 0
    me.target, me.target_tag, me.target_why = codes.NO_UNIT, 0, codes.TARGET_NONE
    me.attacker, me.attacker_tag, me.noticed_tick = codes.NO_UNIT, 0, -1
    me.hurt_tick, me.help_tick = LONG_AGO, LONG_AGO
    me.hitter, me.hitter_tag, me.hitter_owner = codes.NO_UNIT, 0, codes.NEUTRAL_OWNER
    me.heal_target = codes.NO_UNIT
    me.home_x, me.home_y, me.away = x, y, False
    me.way_x, me.way_y, me.way_tick, me.direct = x, y, 0, True
    me.detour, me.detour_tick, me.stalled, me.n_orders = 0, 0, 0, 0
    game.players[owner].n_alive += 1
    list_unit(game, u)
    new_event(game, codes.BORN, u)
    return u


@kernel
def clear_skill(game: Game, u: int, owner: int) -> None:
    """A new unit uses nothing, carries nothing and has nothing to wait for."""
    skill = game.skills[u]
    skill.cast, skill.phase, skill.timer = codes.NO_ABILITY, codes.APPROACH, 0.0
    skill.target, skill.target_tag, skill.x, skill.y = codes.NO_UNIT, 0, 0.0, 0.0
    skill.stops, skill.ordered, skill.beside = False, False, codes.NO_ABILITY
    skill.beside_target, skill.beside_tag = codes.NO_UNIT, 0
    skill.beside_x, skill.beside_y = 0.0, 0.0
    for k in range(skill.ready.shape[0]):
        skill.ready[k] = 0
    skill.switched, skill.locks, skill.error = 0, False, 0
    skill.morph, skill.morph_timer, skill.zone_x, skill.zone_y = codes.NO_ABILITY, 0.0, 0.0, 0.0
    skill.drag_x, skill.drag_y, skill.drag_ticks = 0.0, 0.0, 0.0
    skill.load, skill.unload_timer, skill.unloading = 0, 0.0, codes.NO_ABILITY
    skill.made, skill.made_tag, skill.made_by = codes.NO_UNIT, 0, codes.NO_ABILITY
    skill.maker, skill.maker_tag = codes.NO_UNIT, 0
    skill.true_owner = owner
    clear_buffs(game, u)


@kernel
def face_middle(game: Game, u: int) -> None:
    """New units look at the middle of the map; there, to the south."""
    me = game.units[u]
    dx, dy = game.ground.size[0] * 0.5 - me.x, game.ground.size[1] * 0.5 - me.y
    distance = length(dx, dy)
    me.face_x, me.face_y = (dx / distance, dy / distance) if distance > 1e-9 else (0.0, -1.0)
    me.aim_x, me.aim_y = me.face_x, me.face_y
