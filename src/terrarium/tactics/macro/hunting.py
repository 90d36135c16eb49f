"""Where an army goes: the next structure that is known, the next start, the rest of the map."""

import numpy as np

from terrarium.tactics.macro.game_view import GameOrderKind, Point, UnitColumns, UnitOrder
from terrarium.tactics.macro.turn import Turn

SEARCH_STEP = 14
"""cells between the points that are searched"""


def next_target(turn: Turn, at: Point) -> Point | None:
    """The nearest enemy structure that is known, or a start that was not seen yet."""
    memory = turn.memory
    places = [(x, y) for _, x, y in memory.structures.values()]
    if not places:
        places = [s for s in memory.enemy_starts if s not in memory.visited]
    if not places:
        return None
    return min(places, key=lambda p: ((p[0] - at[0]) ** 2 + (p[1] - at[1]) ** 2, p))


def search_points(turn: Turn, units: UnitColumns) -> None:
    """Nothing is known: spread over all sites, then over the whole map."""
    idle = np.flatnonzero(units.order == UnitOrder.IDLE)
    if not len(idle):
        return
    sites = [site.place for site in reversed(turn.memory.sites)]
    x0, y0, x1, y1 = turn.ground.map.playable
    grid = [
        (x + 0.5, y + 0.5)
        for y in range(y0 + SEARCH_STEP // 2, y1, SEARCH_STEP)
        for x in range(x0 + SEARCH_STEP // 2, x1, SEARCH_STEP)
        if turn.ground.walkable[y, x]
    ]
    points = sites + grid
    for k in idle:
        tag = int(units.tag[k])
        # Each unit takes another share of the points, and another one of them each time.
        step = (tag * 7 + turn.loop // max(1, int(turn.level.decision_ticks))) % len(points)
        turn.order(GameOrderKind.ATTACK_MOVE, [tag], at=points[step], why="search")
        turn.memory.goals.pop(tag, None)
