"""Births: where a new unit finds room, and how it begins."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.buffs import clear_buffs
from terrarium.engine.kernels.abilities.stats import ALL_PLAYERS, refresh, upgraded
from terrarium.engine.kernels.combat.targeting import SCAN_PERIOD_TICKS
from terrarium.engine.kernels.events import new_event
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.movement.places import fitted, standing_point
from terrarium.engine.kernels.random import LIFETIME, PHASE, bits, uniform
from terrarium.engine.kernels.setup.slots import list_unit, take_slot
from terrarium.engine.state import Game, is_placed

LONG_AGO = -1_000_000
ROOM = 0.05
"""Gap between units that are created on one point."""


def _lattice(reach: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Steps on a square lattice, nearest first; equal ones north, south, east, west."""
    steps = [(i, j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]
    steps.sort(key=lambda step: (step[0] ** 2 + step[1] ** 2, abs(step[0]), -step[1], -step[0]))
    return np.array(steps, np.int64)


LATTICE = _lattice(16)


@kernel
def find_room(game: Game, kind: int, owner: int, x: float, y: float) -> tuple[float, float]:
    """The place nearest to a point where a new unit touches no other."""
    row = game.rules.types[kind]
    x, y = standing_point(game, kind, x, y)
    layer = codes.CLIFF_WALKER if row.walker == codes.CLIFF_WALKER else codes.SMALL_WALKER
    home = game.land.island[layer, cell_of(game, x, y)]
    gap = 2.0 * row.separation + ROOM
    # The pattern of even owners is that of odd ones turned by half a circle: no player has the
    # better formation.
    sign = 1.0 if owner & 1 else -1.0
    playable = game.ground.playable
    for k in range(LATTICE.shape[0]):
        px, py = x + sign * LATTICE[k, 0] * gap, y + sign * LATTICE[k, 1] * gap
        if not (playable[0] <= px < playable[2] and playable[1] <= py < playable[3]):
            continue
        if not row.flying:
            cell = cell_of(game, px, py)
            if not game.land.walkable[layer, cell] or game.land.island[layer, cell] != home:
                continue
            fit_x, fit_y = fitted(game, layer, row.inner, px, py)
            if fit_x != px or fit_y != py:
                continue
        if is_free(game, row.classes, row.separation, px, py):
            return px, py
    return x, y


@kernel
def is_free(game: Game, classes: int, separation: float, x: float, y: float) -> bool:
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        other = game.units[v]
        if not other.alive or not game.rules.types[other.kind].classes & classes:
            continue
        if is_placed(game, v):
            continue  # its footprint is part of the ground
        reach = separation + game.rules.types[other.kind].separation
        dx, dy = other.x - x, other.y - y
        if dx * dx + dy * dy < reach * reach:
            return False
    return True


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
    me.phase = int(bits(clock.seed, 0, me.tag, PHASE) & np.uint64(SCAN_PERIOD_TICKS - 1))
    me.x, me.y = x, y
    face_middle(game, u)
    me.speed_x, me.speed_y = 0.0, 0.0
    me.inside, me.seen, me.hp_max = codes.NO_UNIT, ALL_PLAYERS, row.hp
    clear_skill(game, u, owner)
    refresh(game, u)
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
    me.attacker, me.attacker_tag = codes.NO_UNIT, 0
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
