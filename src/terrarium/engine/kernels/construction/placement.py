"""Placement: where structures can stand, in the words of the game (sc2api.md, 12).

A player who asks is told what the player can know: what is in the fog, and what is hidden and not
detected, does not count. It counts when the structure is begun.
"""

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.ground.creep import creep_at, creep_under
from terrarium.engine.kernels.ground.power import is_powered
from terrarium.engine.kernels.movement.footprints import lowest_cell, stands_in
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.owners import is_friend
from terrarium.engine.kernels.vision.sight import is_point_seen
from terrarium.engine.state import Game, is_placed, keeps_sight

RING = 3
"""Free cells between a townhall and a resource, but at the corners of the ring (maps.md)."""


@entry
def ask_placement(game: Game, owner: int, kind: int, x: float, y: float) -> int:
    """Can a player place a structure at a point, as far as the player knows?"""
    return may_stand(game, owner, kind, x, y, True)


@kernel
def may_stand(game: Game, owner: int, kind: int, x: float, y: float, asked: bool) -> int:
    """Can a structure of a player stand as near to a point as the grid allows? One of
    codes.RESULT_NAMES. `asked`: what the player does not see is left out."""
    footprint = game.rules.types[kind].footprint
    if footprint < 0:
        return codes.NOT_SUPPORTED
    shape = game.rules.footprints[footprint]
    left, bottom = lowest_cell(x, shape.width), lowest_cell(y, shape.height)
    x, y = left + 0.5 * shape.width, bottom + 0.5 * shape.height
    if game.rules.types[kind].resource == codes.VESPENE:
        answer = may_cover(game, owner, x, y, asked)
    else:
        answer = may_take(game, owner, footprint, left, bottom, asked)
        if answer == codes.SUCCESS:
            answer = suits(game, owner, kind, left, bottom, asked)
    if answer == codes.SUCCESS and is_anybody_in_the_way(game, owner, kind, x, y, asked):
        return codes.CANT_BUILD_LOCATION_INVALID
    return answer


@kernel
def may_land(game: Game, u: int, kind: int, x: float, y: float, asked: bool) -> int:
    """Can a flying structure land at a point as a type?"""
    return as_landing(may_stand(game, game.units[u].owner, kind, x, y, asked))


@kernel
def as_landing(answer: int) -> int:
    """What an answer to a placement is called where a structure lands."""
    if answer == codes.CANT_BUILD_TOO_CLOSE_TO_RESOURCES:
        return codes.CANT_LAND_TOO_CLOSE_TO_RESOURCES
    if answer == codes.CANT_BUILD_TOO_CLOSE_TO_CREEP_SOURCE:
        return codes.CANT_LAND_TOO_CLOSE_TO_CREEP_SOURCE
    if answer == codes.SUCCESS or answer == codes.CANT_BUILD_TOO_FAR_FROM_CREEP_SOURCE:
        return answer  # crawlers take root on creep
    return codes.CANT_LAND_LOCATION_INVALID


@kernel
def snapped(game: Game, kind: int, x: float, y: float) -> tuple[float, float]:
    """The middle of a type's footprint as near to a point as the grid allows."""
    shape = game.rules.footprints[game.rules.types[kind].footprint]
    left, bottom = lowest_cell(x, shape.width), lowest_cell(y, shape.height)
    return left + 0.5 * shape.width, bottom + 0.5 * shape.height


@kernel
def may_take(game: Game, owner: int, footprint: int, left: int, bottom: int, asked: bool) -> int:
    """Is there ground to build on under the whole of a footprint, and nothing that stands there?"""
    shape, ground = game.rules.footprints[footprint], game.ground
    inside = left >= ground.playable[0] and bottom >= ground.playable[1]
    inside = inside and left + shape.width <= ground.playable[2]
    if not inside or bottom + shape.height > ground.playable[3]:
        return codes.CANT_FIND_PLACEMENT_LOCATION
    terrace = ground.terrace[bottom * ground.size[0] + left]
    for y in range(bottom, bottom + shape.height):
        for x in range(left, left + shape.width):
            cell = y * ground.size[0] + x
            v = int(game.taken[cell]) - 1
            if ground.terrace[cell] < 0 or ground.terrace[cell] != terrace:
                return codes.CANT_FIND_PLACEMENT_LOCATION
            if v >= 0 and (not asked or is_known_to(game, owner, v)):
                return codes.CANT_FIND_PLACEMENT_LOCATION
    return codes.SUCCESS


@kernel
def is_known_to(game: Game, owner: int, v: int) -> bool:
    """Does a player know what stands on the grid: its own, what maps show, what it sees, and what
    it remembers?"""
    other = game.units[v]
    if other.owner == codes.NEUTRAL_OWNER or is_friend(game, owner, other.owner):
        return True
    if other.seen >> owner & 1:
        return True
    return keeps_sight(game) and game.views[v].remembered >> owner & 1 != 0


@kernel
def geyser_under(game: Game, x: float, y: float) -> int:
    """The geyser whose middle is at a point, whatever stands on it; -1 = there is none."""
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if game.rules.types[other.kind].resource != codes.VESPENE or not other.alive:
            continue
        if other.owner == codes.NEUTRAL_OWNER and abs(other.x - x) + abs(other.y - y) < 0.1:
            return v
    return codes.NO_UNIT


@kernel
def may_cover(game: Game, owner: int, x: float, y: float, asked: bool) -> int:
    """Is there a geyser at a point, on which nothing stands?"""
    v = geyser_under(game, x, y)
    if v < 0:
        return codes.CANT_BUILD_ON_THAT
    w = int(game.taken[cell_of(game, x, y)]) - 1
    if w >= 0 and w != v and (not asked or is_known_to(game, owner, w)):
        return codes.CANT_BUILD_LOCATION_INVALID
    return codes.SUCCESS


@kernel
def suits(game: Game, owner: int, kind: int, left: int, bottom: int, asked: bool) -> int:
    """Do resources, creep and power around allow the structure?"""
    row, wants = game.rules.types[kind], game.rules.structures[kind]
    shape = game.rules.footprints[row.footprint]
    if wants.keeps_off and is_near_resource(game, shape.width, left, bottom):
        return codes.CANT_BUILD_TOO_CLOSE_TO_RESOURCES
    if row.needs_power:
        x, y = left + 0.5 * shape.width, bottom + 0.5 * shape.height
        if not is_powered(game, owner, x, y):
            return codes.CANT_BUILD_TOO_FAR_FROM_BUILD_POWER_SOURCE
    if row.needs_creep and not creep_under(game, left, bottom, shape.width, shape.height):
        return codes.CANT_BUILD_TOO_FAR_FROM_CREEP_SOURCE
    if not wants.shuns_creep:
        return codes.SUCCESS
    for y in range(bottom, bottom + shape.height):
        for x in range(left, left + shape.width):
            if creep_at(game, x + 0.5, y + 0.5):
                if not asked or is_point_seen(game, owner, x + 0.5, y + 0.5):
                    return codes.CANT_BUILD_TOO_CLOSE_TO_CREEP_SOURCE
    return codes.SUCCESS


@kernel
def is_near_resource(game: Game, side: int, left: int, bottom: int) -> bool:
    """Does a townhall come too near to a field or a geyser?"""
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        if not is_placed(game, v) or game.units[v].owner != codes.NEUTRAL_OWNER:
            continue
        if game.rules.types[game.units[v].kind].resource == codes.NO_RESOURCE:
            continue
        site = game.sites[v]
        shape = game.rules.footprints[site.footprint]
        across = max(site.left - left - side, left - site.left - shape.width)
        up = max(site.bottom - bottom - side, bottom - site.bottom - shape.height)
        if across < RING and up < RING and across + up < 2 * RING - 2:
            return True
    return False


@kernel
def is_anybody_in_the_way(
    game: Game, owner: int, kind: int, x: float, y: float, asked: bool
) -> bool:
    """Does somebody stand there who does not make way: only own units do, if they can move?"""
    row = game.rules.types[kind]
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if not game.rules.types[other.kind].classes & row.classes:
            continue
        if not stands_in(game, v, row.footprint, x, y):
            continue
        if is_friend(game, owner, other.owner):
            if not game.rules.types[other.kind].mobile:
                return True
        elif not asked or other.seen >> owner & 1:
            return True
    return False
