"""Naive twins: what kernels do, once more, as plainly as possible."""

from math import cos, hypot, radians, sin

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
