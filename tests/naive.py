"""Naive twins: what kernels and estimators do, once more, as plainly as possible."""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil, cos, hypot, inf, radians, sin

MINIMUM_DAMAGE = 0.5


def take_hit(hp: float, shield: float, damage: float, armor: float) -> tuple[float, float]:
    """Life and shield after one hit (game_rules.md, 2): shields come first and know no armor."""
    damage = max(damage, MINIMUM_DAMAGE)
    if shield >= damage:
        return hp, shield - damage
    through = damage - shield
    if through - armor >= MINIMUM_DAMAGE:
        return hp - (through - armor), 0.0
    return hp - min(through, MINIMUM_DAMAGE), 0.0


def zone_share(distance: float, zones: list[tuple[float, float]]) -> float:
    """What part of a splash falls on somebody whose edge is that far away: the first zone wins."""
    return next((share for radius, share in zones if distance <= radius), 0.0)


def distance_to_line(
    x: float, y: float, from_: tuple[float, float], to: tuple[float, float]
) -> float:
    """How far a point is from a line between two others, by trying a thousand points on it."""
    (x0, y0), (x1, y1) = from_, to
    steps = [i / 1000 for i in range(1001)]
    return min(hypot(x0 + (x1 - x0) * s - x, y0 + (y1 - y0) * s - y) for s in steps)


def distance_to_cone(x: float, y: float, radius: float, arc_deg: float) -> float:
    """How far a point is from a sector around the x-axis, by trying points all over it."""
    half, shares = radians(arc_deg / 2), [i / 40 for i in range(41)]
    return min(
        hypot(radius * r * cos(half * (2 * a - 1)) - x, radius * r * sin(half * (2 * a - 1)) - y)
        for r in shares
        for a in shares
    )


def n_step_return(
    t: int,
    rewards: list[float],
    following: list[float],
    terminated: list[bool],
    over: list[bool],
    discount: float,
    n_step: int,
) -> float:
    """Up to `n_step` rewards from step `t` on, then the value of what followed, if it goes on."""
    total = 0.0
    for k in range(n_step):
        total += discount**k * rewards[t + k]
        if over[t + k] or t + k == len(rewards) - 1 or k == n_step - 1:
            value = 0.0 if terminated[t + k] else following[t + k]
            return total + discount ** (k + 1) * value
    raise AssertionError("at least one step is counted")


def lambda_return(
    t: int,
    rewards: list[float],
    following: list[float],
    terminated: list[bool],
    over: list[bool],
    discount: float,
    trace: float,
) -> float:
    """The forward view: the mean of all n-step returns, each `trace` times as heavy as before.

    What is left of the weights falls to the longest one, which ends with the episode.
    """
    rest = (rewards, following, terminated, over, discount)
    longest = next((k + 1 - t for k in range(t, len(over)) if over[k]), len(over) - t)
    total = trace ** (longest - 1) * n_step_return(t, *rest, longest)
    for n in range(1, longest):
        total += (1.0 - trace) * trace ** (n - 1) * n_step_return(t, *rest, n)
    return total


NEIGHBORS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
"""of a cell, counterclockwise from east"""


def walking_distances(exits: Sequence[int], width: int, goal: int) -> dict[int, float]:
    """How far it is to a cell from every other one that it can be reached from (Dijkstra 1959)."""
    far, heap = {goal: 0.0}, [(0.0, goal)]
    while heap:
        distance, cell = heappop(heap)
        for d, (dx, dy) in enumerate(NEIGHBORS):
            there = cell + dy * width + dx
            on_way = distance + hypot(dx, dy)
            if exits[cell] >> d & 1 and on_way < far.get(there, inf) - 1e-9:
                far[there] = on_way
                heappush(heap, (on_way, there))
    return far


def line_crosses_wall(
    exits: Sequence[int], width: int, start: tuple[float, float], end: tuple[float, float]
) -> bool:
    """Does a straight line leave a cell where its bits of open neighbors do not allow it?

    Cell by cell, with every border that it crosses in exact numbers; through a corner, the step
    is diagonal.
    """
    (x0, y0), (x1, y1) = ((Fraction(x), Fraction(y)) for x, y in (start, end))
    crossed = []
    for a, b, axis in ((x0, x1, 0), (y0, y1, 1)):
        borders = range(int(min(a, b)) + 1, int(max(a, b)) + 1)
        crossed += [((border - a) / (b - a), axis) for border in borders]
    crossed.sort()
    x, y = int(x0), int(y0)
    step = (1 if x1 > x0 else -1, 1 if y1 > y0 else -1)
    while crossed:
        at, axis = crossed.pop(0)
        move = [step[0], 0] if axis == 0 else [0, step[1]]
        if crossed and crossed[0][1] != axis and crossed[0][0] - at <= 1e-9:
            crossed.pop(0)
            move = list(step)
        direction = NEIGHBORS.index((move[0], move[1]))
        if not exits[y * width + x] >> direction & 1:
            return True
        x, y = x + move[0], y + move[1]
    return False


def distance_to_polygon(x: float, y: float, corners: list[tuple[float, float]]) -> float:
    """From a point outside of it, by trying a hundred points on every edge."""
    edges = zip(corners, corners[1:] + corners[:1], strict=True)
    return min(
        hypot(x0 + (x1 - x0) * k / 100 - x, y0 + (y1 - y0) * k / 100 - y)
        for (x0, y0), (x1, y1) in edges
        for k in range(101)
    )


Cell = tuple[int, int]


def visible_cells(
    levels: Sequence[Sequence[int]],
    opaque: set[Cell],
    at: tuple[float, float],
    reach: float,
    over: bool,
) -> set[Cell]:
    """The cells that one unit sees: all whose middle is within its reach and half a cell of the
    middle of its own, and, unless it is over cliffs, to which a line is free. Between cells, it
    sees from each of them."""
    (x0, mine_x), (y0, mine_y) = (_own_cells(c) for c in at)
    return {
        (x, y)
        for y in range(len(levels))
        for x in range(len(levels[0]))
        if hypot(x + 0.5 - x0, y + 0.5 - y0) <= reach + 0.5 + 1e-9
        and (over or any(_sees(levels, opaque, (a, b), (x, y)) for a in mine_x for b in mine_y))
    }


def _own_cells(c: float) -> tuple[float, list[int]]:
    return (c, [int(c) - 1, int(c)]) if c == int(c) else (int(c) + 0.5, [int(c)])


def _sees(levels: Sequence[Sequence[int]], opaque: set[Cell], me: Cell, to: Cell) -> bool:
    """Back from a cell along the line to it: each one before is nearest to the straight line to
    the last."""
    height = levels[me[1]][me[0]]
    dx, dy = to[0] - me[0], to[1] - me[1]
    first = True
    while (dx, dy) != (0, 0):
        cell = me[0] + dx, me[1] + dy
        if levels[cell[1]][cell[0]] > height or (cell in opaque and not first):
            return False
        first, n = False, max(abs(dx), abs(dy))
        # Halves are rounded towards the one who looks.
        dx, dy = (
            (1 if d > 0 else -1) * ceil(Fraction(abs(d) * (n - 1), n) - Fraction(1, 2))
            for d in (dx, dy)
        )
    return True
