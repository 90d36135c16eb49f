"""What players ask about the ground: where things may stand, and how far it is."""

from typing import Annotated, NamedTuple

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.construction.addons import ADDON_X, ADDON_Y
from terrarium.engine.kernels.construction.placement import (
    as_landing,
    is_known_to,
    may_stand,
    snapped,
)
from terrarium.engine.kernels.economy.warping import may_appear
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.ground.tumors import SPREAD_RANGE
from terrarium.engine.kernels.movement.fields import field_of
from terrarium.engine.kernels.movement.paths import (
    LOOK_AGAIN_CELLS,
    cell_of,
    ends_of_way,
    line_is_clear,
    middle_of,
)
from terrarium.engine.kernels.movement.places import on_map
from terrarium.engine.kernels.movement.portals import choose_guide, next_cell
from terrarium.engine.kernels.vision.sight import is_point_seen
from terrarium.engine.records import Records
from terrarium.engine.state import Game

# A place that a player asks about.
PLACE = np.dtype(
    [
        ("owner", "i8"),
        ("product", "i8"),  # row of Rules.products; -1 = a structure lands there
        ("ability", "i8"),  # by which it lands; -1 = it is a product
        ("unit", "i8"),  # slot of the one that is to make it; -1 = not given
        ("x", "f8"),
        ("y", "f8"),
        ("result", "i8"),  # one of codes.RESULT_NAMES
    ],
    align=True,
)

# A way that a player asks about.
WAY = np.dtype(
    [
        ("owner", "i8"),
        ("walker", "i8"),  # codes.SMALL_WALKER and following
        ("x0", "f8"),
        ("y0", "f8"),
        ("x", "f8"),
        ("y", "f8"),
        ("backward", "?"),  # searched from its end: ways from one point then share their search
        ("length", "f8"),  # 0 = there is no way
    ],
    align=True,
)


WAY_OUT_STEPS = 10
"""of half a cell: the half of any structure"""


class Places(NamedTuple):
    """Places, and whether they are free: points must be finite, and on the map or near it."""

    asked: Annotated[Records, PLACE, "K"]


class Ways(NamedTuple):
    asked: Annotated[Records, WAY, "K"]


@entry
def ask_places(game: Game, places: Places) -> None:
    """Would these be places, as far as the players know?"""
    for k in range(places.asked.shape[0]):
        places.asked[k].result = judge_place(game, places.asked[k])


@kernel
def judge_place(game: Game, place: Records) -> int:
    """Would it be a place? One of codes.RESULT_NAMES."""
    owner, p, u, x, y = place.owner, place.product, place.unit, place.x, place.y
    if p < 0:
        kind = game.rules.mechanics.morphs[game.rules.abilities[place.ability].params].becomes
        return as_landing(may_stand(game, owner, kind, x, y, True))
    product = game.rules.products[p]
    if product.how == codes.HOW_WARP_IN:
        return may_appear(game, owner, p, x, y)
    if product.makes < 0:
        return codes.NOT_SUPPORTED
    if product.how == codes.HOW_ADDON:
        return judge_addon(game, place)
    answer = may_stand(game, owner, product.makes, x, y, True)
    if answer != codes.SUCCESS or product.builder >= 0:
        return answer
    spreads = u >= 0 and game.rules.types[product.makes].settles_as == game.units[u].kind
    if spreads and length(x - game.units[u].x, y - game.units[u].y) > SPREAD_RANGE + NEARLY:
        return codes.TARGET_IS_OUT_OF_RANGE
    seen = is_point_seen(game, owner, x, y)
    return codes.SUCCESS if seen else codes.CANT_SEE_BUILD_LOCATION


@kernel
def judge_addon(game: Game, place: Records) -> int:
    """Is there room for an add-on, and for its producer unless that stands there already?"""
    owner, u, product = place.owner, place.unit, game.rules.products[place.product]
    x, y = snapped(game, product.by, place.x, place.y)
    stays = u >= 0 and not game.rules.types[game.units[u].kind].flying
    if not stays or length(game.units[u].x - x, game.units[u].y - y) > NEARLY:
        answer = may_stand(game, owner, product.by, x, y, True)
        if answer != codes.SUCCESS:
            return answer
    return may_stand(game, owner, product.makes, x + ADDON_X, y + ADDON_Y, True)


@entry
def ask_ways(game: Game, ways: Ways) -> None:
    """How far is it, for those who walk and for those who fly?"""
    for k in range(ways.asked.shape[0]):
        way = ways.asked[k]
        way.x0, way.y0 = on_map(game, way.x0, way.y0)
        way.x, way.y = on_map(game, way.x, way.y)
        if way.walker == codes.FLYER or is_straight(game, way):
            way.length = length(way.x - way.x0, way.y - way.y0)
        else:
            way.length = length_around(game, way)


@kernel
def is_straight(game: Game, way: Records) -> bool:
    """Can both ends be walked on, with nothing between them?"""
    layer = way.walker
    if not game.land.walkable[layer, cell_of(game, way.x0, way.y0)]:
        return False
    if not game.land.walkable[layer, cell_of(game, way.x, way.y)]:
        return False
    return line_is_clear(game, layer, way.x0, way.y0, way.x, way.y)


@kernel
def length_around(game: Game, way: Records) -> float:
    """The length of a way around obstacles; 0 = it does not lead there."""
    layer, end = way.walker, cell_of(game, way.x, way.y)
    cell, goal = ends_of_way(game, layer, way.x0, way.y0, way.x, way.y)
    if cell < 0 or goal < 0 or (goal != end and not is_hidden_goal(game, way, end)):
        return 0.0
    from_x, from_y, to_x, to_y = way.x0, way.y0, way.x, way.y
    beside = 0.0  # from ends that cannot be walked on to where the way begins and ends
    if cell != cell_of(game, way.x0, way.y0):
        from_x, from_y = middle_of(game, way_out(game, layer, cell, way.x0, way.y0, goal))
        beside += length(from_x - way.x0, from_y - way.y0)
    if goal != end:
        to_x, to_y = middle_of(game, way_out(game, layer, goal, way.x, way.y, cell))
        beside += length(to_x - way.x, to_y - way.y)
    if way.backward:
        return beside + walk(game, layer, to_x, to_y, from_x, from_y)
    return beside + walk(game, layer, from_x, from_y, to_x, to_y)


@kernel
def way_out(game: Game, layer: int, near: int, x: float, y: float, to: int) -> int:
    """The cell where one leaves a structure who goes from a point in it to a cell: in a straight
    line if that soon leads to open ground, else the nearest one."""
    to_x, to_y = middle_of(game, to)
    distance = max(length(to_x - x, to_y - y), NEARLY)
    for k in range(1, WAY_OUT_STEPS + 1):
        step = min(0.5 * k / distance, 1.0)
        cell = cell_of(game, x + step * (to_x - x), y + step * (to_y - y))
        if game.land.walkable[layer, cell]:
            return cell if game.land.island[layer, cell] == game.land.island[layer, near] else near
        if not game.ground.walkable[layer, cell]:
            return near
    return near


@kernel
def is_hidden_goal(game: Game, way: Records, cell: int) -> bool:
    """Is a cell closed only by a structure that the player does not know of?"""
    if game.blocked.shape[0] == 0 or not game.ground.walkable[way.walker, cell]:
        return False
    v = int(game.blocked[cell]) - 1
    return v >= 0 and not is_known_to(game, way.owner, v)


@kernel
def walk(game: Game, layer: int, x0: float, y0: float, x: float, y: float) -> float:
    """The length of the way between two points that can be walked on, in straight lines from
    corner to corner."""
    width, goal = game.ground.size[0], cell_of(game, x, y)
    f, guide, leg, n_steps = field_of(game, layer, goal), 0, 0, 0
    at_x, at_y = int(x0), int(y0)
    corner_x, corner_y, last_x, last_y, total = x0, y0, x0, y0, 0.0
    while at_y * width + at_x != goal:
        if n_steps % LOOK_AGAIN_CELLS == 0:  # as walkers do
            guide, leg = choose_guide(game, f, at_x, at_y)
        before_x, before_y = at_x, at_y
        guide, leg, at_x, at_y = next_cell(game, f, guide, leg, at_x, at_y)
        if at_x == before_x and at_y == before_y:
            return 0.0
        n_steps += 1
        next_x, next_y = at_x + 0.5, at_y + 0.5
        if at_y * width + at_x == goal:
            next_x, next_y = x, y
        if not line_is_clear(game, layer, corner_x, corner_y, next_x, next_y):
            total += length(last_x - corner_x, last_y - corner_y)
            corner_x, corner_y = last_x, last_y
        last_x, last_y = next_x, next_y
    return total + length(last_x - corner_x, last_y - corner_y)
