"""May a unit use an ability, now, on that? The answers are the game's own (codes.RESULT_NAMES)."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.abilities.buffs import find_buff
from terrarium.engine.kernels.abilities.stats import cargo_of, upgraded
from terrarium.engine.kernels.abilities.traits import fits, traits_now
from terrarium.engine.kernels.construction.addons import builds_addon, is_busy
from terrarium.engine.kernels.construction.placement import may_land
from terrarium.engine.kernels.economy.payment import energy_price
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length
from terrarium.engine.kernels.movement.footprints import closes_cells, enemy_stands_in
from terrarium.engine.kernels.vision.sight import is_point_seen
from terrarium.engine.state import Game, has_economy, is_unit, keeps_sight


@kernel
def kit_slot(game: Game, kind: int, ability: int) -> int:
    """The place of an ability in the kit of a type; -1 if the type does not have it."""
    for k in range(game.rules.kit.shape[1]):
        if game.rules.kit[kind, k] == ability and ability >= 0:
            return k
    return -1


@kernel
def may_order(game: Game, u: int, ability: int, v: int, queued: bool) -> int:
    """Whether an order is accepted. What is queued is paid for later, so only its sense counts."""
    answer = has_ability(game, u, ability) if queued else may_use(game, u, ability)
    return may_aim(game, u, ability, v) if answer == codes.SUCCESS else answer


@kernel
def may_use(game: Game, u: int, ability: int) -> int:
    """Would an order to use the ability now be accepted, on a target that it allows?"""
    answer = has_ability(game, u, ability)
    return may_use_now(game, u, ability) if answer == codes.SUCCESS else answer


@kernel
def has_ability(game: Game, u: int, ability: int) -> int:
    """Is it an ability that the unit's type can be ordered to use, with the upgrades for it?"""
    me = game.units[u]
    slot = kit_slot(game, me.kind, ability)
    if slot < 0 or game.rules.abilities[ability].mechanic == codes.PASSIVE:
        return codes.NOT_SUPPORTED
    needs = game.rules.kit_needs[me.kind, slot]
    if game.players[me.owner].cheats & codes.NEEDS_NO_TECH:
        return codes.SUCCESS
    if game.players[me.owner].techs & needs != needs:
        return codes.TECH_REQUIREMENTS_NOT_MET
    if has_economy(game):  # battles have no structures to require
        asked = game.rules.abilities[ability].needs
        if game.accounts[me.owner].fulfilled & asked != asked:
            return codes.TECH_REQUIREMENTS_NOT_MET
    return codes.SUCCESS


@kernel
def may_use_now(game: Game, u: int, ability: int) -> int:
    """Is the unit free for it, has it cooled down, and can it be paid?"""
    if is_withheld(game, u, ability):
        return codes.NOT_SUPPORTED
    answer = can_afford_use(game, u, ability)
    return makes_sense(game, u, ability) if answer == codes.SUCCESS else answer


@kernel
def is_withheld(game: Game, u: int, ability: int) -> bool:
    """Does something that others did to the unit keep it from using an ability?"""
    status, row = game.units[u].status, game.rules.abilities[ability]
    if status & codes.SILENCED and row.mechanic != codes.END:
        return True
    return row.mechanic == codes.TELEPORT and status & codes.GROUNDED != 0


@kernel
def can_afford_use(game: Game, u: int, ability: int) -> int:
    """Has the unit cooled down, and can the price be paid?"""
    me, skill, row = game.units[u], game.skills[u], game.rules.abilities[ability]
    if row.cooldown > 0.0 and skill.ready[row.cooldown_slot] > game.clock[0].tick:
        return codes.COOLDOWN
    if me.energy < energy_price(game, me.owner, row.energy):
        return codes.NOT_ENOUGH_ENERGY
    if row.life > 0.0 and me.hp <= row.life:
        return codes.NOT_ENOUGH_LIFE
    if game.players[me.owner].minerals < row.minerals:
        if not game.players[me.owner].cheats & codes.PAYS_NOTHING:
            return codes.NOT_ENOUGH_MINERALS
    if game.players[me.owner].nukes < row.nukes:
        return codes.TECH_REQUIREMENTS_NOT_MET
    if row.mechanic == codes.LOCK_ON and skill.locks:
        return codes.COOLDOWN
    return codes.SUCCESS


@kernel
def makes_sense(game: Game, u: int, ability: int) -> int:
    """Is there something that the ability could begin or end, and nothing else going on?"""
    skill, row = game.skills[u], game.rules.abilities[ability]
    if row.mechanic == codes.TOGGLE and (row.buff < 0 or find_buff(game, u, row.buff) >= 0):
        return codes.NOT_SUPPORTED
    if row.mechanic == codes.END and not has_begun(game, u, row.of):
        return codes.NOT_SUPPORTED
    if row.mechanic == codes.UNLOAD and is_empty(game, u):
        return codes.NOT_SUPPORTED
    if row.flag_bits & codes.ONLY_WHEN_EMPTY and skill.load > 0:
        return codes.NOT_SUPPORTED
    if row.mechanic == codes.MORPH and has_economy(game):
        if is_busy(game, u) or builds_addon(game, u):
            return codes.NOT_SUPPORTED
    if row.mechanic == codes.MORPH and is_held_down(game, u, row.params):
        return codes.CANT_BUILD_LOCATION_INVALID
    return codes.SUCCESS


@kernel
def is_held_down(game: Game, u: int, morph: int) -> bool:
    """Does an enemy stand where a form of a structure would close cells, as of a raised depot?"""
    me, kind = game.units[u], game.rules.mechanics.morphs[morph].becomes
    if not closes_cells(game, u, kind):
        return False
    return enemy_stands_in(game, me.owner, game.rules.types[kind].footprint, me.x, me.y)


@kernel
def has_begun(game: Game, u: int, ability: int) -> bool:
    """Is there something of an ability that could be ended?"""
    row, skill = game.rules.abilities[ability], game.skills[u]
    if skill.cast == ability or skill.made_by == ability:
        return True
    if skill.made >= 0 and row.mechanic == codes.SUMMON:
        return True
    if row.mechanic == codes.LOCK_ON:
        return skill.locks
    return row.buff >= 0 and find_buff(game, u, row.buff) >= 0


@kernel
def lock_of(game: Game, u: int) -> int:
    """The effect by which a unit holds its target; -1 = it holds none."""
    for k in range(game.clock[0].n_effects):
        effect = game.effects[k]
        if effect.stage == codes.LOCKED and effect.source == u:
            if effect.source_tag == game.units[u].tag:
                return k
    return -1


@kernel
def may_aim(game: Game, u: int, ability: int, v: int) -> int:
    """Is the target one that the ability can be used on?"""
    me, row = game.units[u], game.rules.abilities[ability]
    if row.aim == codes.AIM_NONE:
        return codes.SUCCESS
    if v < 0:
        return codes.CANT_TARGET_THAT_UNIT if row.aim == codes.AIM_UNIT else codes.SUCCESS
    if v >= game.clock[0].n_slots or not game.units[v].alive:
        return codes.CANT_TARGET_THAT_UNIT
    traits = traits_now(game, me.owner, u, v)
    if not traits & codes.IS_VISIBLE and not sees_resource(game, me.owner, v):
        return codes.CANT_TARGET_THAT_UNIT
    if row.aim == codes.AIM_POINT:
        return codes.SUCCESS  # the unit stands for its place
    if not fits(traits, row.must_be, row.must_not_be):
        return codes.CANT_TARGET_THAT_UNIT
    if row.mechanic == codes.LOAD and not fits_in(game, u, ability, v):
        return codes.CANT_TARGET_THAT_UNIT
    if row.mechanic == codes.REPAIR:
        if (
            game.units[v].hp >= game.units[v].hp_max
            or game.rules.types[game.units[v].kind].repair_ticks == 0.0
        ):
            return codes.CANT_TARGET_THAT_UNIT
    if row.mechanic == codes.LOAD:
        return codes.SUCCESS  # the passenger comes by itself
    if not game.rules.types[me.kind].mobile and not reaches(game, u, ability, v, 0.0):
        return codes.TARGET_IS_OUT_OF_RANGE
    return codes.SUCCESS


@kernel
def sees_resource(game: Game, owner: int, v: int) -> bool:
    """Does a player see a field or a geyser? Nobody can attack them, so `seen` does not say it."""
    if not keeps_sight(game) or game.rules.types[game.units[v].kind].resource == codes.NO_RESOURCE:
        return False
    return game.views[v].sighted >> owner & 1 != 0


@kernel
def may_aim_at(game: Game, u: int, ability: int, x: float, y: float) -> int:
    """Is a point of the map one that the ability can be used at?"""
    if lands(game, ability):
        kind = game.rules.mechanics.morphs[game.rules.abilities[ability].params].becomes
        return may_land(game, u, kind, x, y, True)
    if not game.rules.abilities[ability].flag_bits & codes.NEEDS_VISION:
        return codes.SUCCESS
    seen = is_point_seen(game, game.units[u].owner, x, y)
    return codes.SUCCESS if seen else codes.MUST_TARGET_VISIBLE_LOCATION


@kernel
def lands(game: Game, ability: int) -> bool:
    """Does its user come down on the grid at the chosen point, as a structure?"""
    row = game.rules.abilities[ability]
    if row.mechanic != codes.MORPH or row.aim != codes.AIM_POINT or not has_economy(game):
        return False
    return game.rules.types[game.rules.mechanics.morphs[row.params].becomes].footprint >= 0


@kernel
def fits_in(game: Game, u: int, ability: int, v: int) -> bool:
    """Can a carrier take a unit in?"""
    me, other = game.units[u], game.units[v]
    cargo = game.rules.mechanics.cargo[game.rules.abilities[ability].params]
    size = game.rules.types[other.kind].cargo_size
    if v == u or other.owner != me.owner or size <= 0 or size > cargo.max_size:
        return False
    if other.status & codes.GROUNDED:
        return False
    if not fits(game.rules.types[other.kind].traits, cargo.must_be, 0):
        return False
    return game.skills[u].load + size <= cargo_room(game, u)


@kernel
def shares_cargo(game: Game, u: int) -> bool:
    """Does a carrier hold what all others like it of the player hold, as a Nydus worm does?"""
    if not has_economy(game):
        return False
    row = cargo_of(game, game.units[u].kind)
    return row >= 0 and game.rules.mechanics.cargo[row].shared


@kernel
def is_aboard(game: Game, v: int, u: int, shared: bool) -> bool:
    """Is `v` a passenger of carrier `u`, or of one that shares with it?"""
    other = game.units[v]
    if other.alive or other.inside < 0:
        return False
    if other.inside == u:
        return True
    return shared and other.owner == game.units[u].owner and shares_cargo(game, other.inside)


@kernel
def is_empty(game: Game, u: int) -> bool:
    """Is there nobody whom a carrier could let out?"""
    if game.skills[u].load > 0:
        return False
    if shares_cargo(game, u):
        for j in range(game.clock[0].n_living):
            if is_aboard(game, game.living[j], u, True):
                return False
    return True


@kernel
def cargo_room(game: Game, u: int) -> int:
    """How much a carrier holds, with the upgrades of its player."""
    row = game.rules.types[game.units[u].kind]
    return int(
        upgraded(
            game, game.skills[u].true_owner, row.first_change, row.n_changes,
            codes.CHANGES_CARGO, float(row.cargo_room),
        )
    )  # fmt: skip


@kernel
def range_of(game: Game, u: int, ability: int) -> float:
    """How far an ability reaches from the edge of its user."""
    row = game.rules.abilities[ability]
    if row.mechanic == codes.UNLOAD:
        return 0.0
    reach = row.range
    if row.mechanic == codes.LOAD:
        reach = game.rules.mechanics.cargo[row.params].load_range
    return upgraded(
        game, game.skills[u].true_owner, row.first_change, row.n_changes,
        codes.CHANGES_RANGE, reach,
    )  # fmt: skip


@kernel
def in_reach(game: Game, u: int, ability: int, v: int, x: float, y: float) -> bool:
    """Is the target near enough? Ranges count from the edge of the user (game_rules.md, 10)."""
    me, row = game.units[u], game.rules.abilities[ability]
    if row.aim == codes.AIM_NONE:
        return True
    if v >= 0:
        return reaches(game, u, ability, v, 0.0)
    distance = length(x - me.x, y - me.y)
    if row.mechanic == codes.UNLOAD:
        return distance <= ARRIVED
    if lands(game, ability):
        return distance <= ABOVE
    return distance - game.rules.types[me.kind].radius <= range_of(game, u, ability) + NEARLY


@kernel
def reaches(game: Game, u: int, ability: int, v: int, slop: float) -> bool:
    """Is a unit within the range of an ability, which may be exceeded by some slop?"""
    reach = range_of(game, u, ability) + slop + NEARLY
    return edge_distance(game, game.units[u], game.units[v]) <= max(reach, contact(game, u, v))


@kernel
def contact(game: Game, u: int, v: int) -> float:
    """How near two units come that touch: bodies keep other distances than ranges count by."""
    one, other = game.rules.types[game.units[u].kind], game.rules.types[game.units[v].kind]
    return one.separation + other.separation - one.radius - other.radius + TOUCHING


TOUCHING = 0.2
"""Slack of those who have to touch their target (range_slop of repair)."""
ABOVE = 0.1
"""So near to its place a structure begins to land."""
ARRIVED = 0.5
"""A carrier lets its passengers out when it is this near to the point."""


@kernel
def still_there(game: Game, owner: int, v: int, tag: int) -> bool:
    """Is the target of an ability alive and in sight?"""
    return is_unit(game, v, tag) and game.units[v].seen >> owner & 1 != 0


class Usable(NamedTuple):
    """Where the answers for a batch of games are written."""

    kit: Annotated[NDArray[np.bool_], "?", "N U K"]  # as Rules.kit, for the type of each unit


@entry
def find_usable(games: Sequence[Game], usable: Usable) -> None:
    """Which abilities of its kit every living unit may be ordered to use now."""
    for e in range(usable.kit.shape[0]):
        game = games[e]
        for u in range(usable.kit.shape[1]):
            me = game.units[u]
            for k in range(usable.kit.shape[2]):
                ability = game.rules.kit[me.kind, k]
                usable.kit[e, u, k] = me.alive and may_use(game, u, ability) == codes.SUCCESS
