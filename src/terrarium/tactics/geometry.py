"""Distances and directions, between armies and over the ground."""

import numpy as np

from terrarium.tactics.view import Bools, Floats, Ints, View


def lengths(way: Floats) -> Floats:
    """[...] of vectors [..., 2]."""
    return np.asarray(np.sqrt((way * way).sum(axis=-1)))


def distances(one: Floats, other: Floats) -> Floats:
    """[N, A, B] between the centers of units at [N, A, 2] and [N, B, 2]."""
    return lengths(one[:, :, None] - other[:, None])


def unit_vectors(way: Floats) -> Floats:
    """The same directions [..., 2] with length 1; what has no length stays without."""
    return np.asarray(way / np.maximum(lengths(way), 1e-9)[..., None])


def centers(pos: Floats, counts: Bools) -> Floats:
    """[N, 2] the mean place of those units [N, U] that count; the origin, if none does."""
    weight = counts[..., None]
    return np.asarray((pos * weight).sum(axis=1) / np.maximum(weight.sum(axis=1), 1))


def of_targets(values: Floats, who: Ints) -> Floats:
    """[N, A] what a table [N, A, E] says of each unit and its target; of enemy 0 for NOBODY."""
    return np.take_along_axis(values, np.maximum(who, 0)[..., None], axis=2)[..., 0]


def places_of(pos: Floats, who: Ints) -> Floats:
    """[N, A, 2] where the targets [N, A] are, given the places [N, U, 2] of their army."""
    return np.take_along_axis(pos, np.maximum(who, 0)[..., None], axis=1)


def step_lengths(view: View) -> Floats:
    """[N, A] how far an own unit gets before the next decision."""
    return view.own.speed * view.step_ticks


def steps_ahead(view: View) -> tuple[Floats, Bools]:
    """Where a step in each heading leads [N, A, K, 2], and whether it is open ground [N, A, K]."""
    step = step_lengths(view)[..., None, None]
    ahead = view.own.pos[:, :, None] + view.headings * step
    return ahead, view.ground.is_open(view.own.layer[..., None], ahead)


def enemy_gaps(view: View) -> Floats:
    """[N, A, E] how far each enemy has to come until it hits an own unit; endless if it never can.

    Walkers go around walls and cliffs.
    """
    gap = distances(view.own.pos, view.enemy.pos)
    around = view.ground.ways(view.own.pos[:, :, None], view.enemy.pos[:, None])
    gap = np.where(view.enemy.is_walker[:, None], np.maximum(gap, around), gap)
    possible = view.own.alive[..., None] & view.enemy.alive[:, None] & (view.enemy_reach > 0.0)
    return np.where(possible, gap - view.enemy_reach, np.inf)


def away_points(view: View, heading: Ints, cells: float = 3.0) -> Floats:
    """[N, A, 2] so far ahead in a heading [N, A]: beyond what a unit walks before it is asked
    again, so that it does not slow down."""
    return view.own.pos + cells * view.headings[heading]


def enemies_within(view: View, reach: Floats | float, counts: Bools | None = None) -> Bools:
    """[N, A, E] enemies in sight that are so near; of those [N, E] that count."""
    near = view.pairs & (view.apart <= reach)
    return near if counts is None else near & counts[:, None]


def nearest_of(view: View, counts: Bools) -> tuple[Ints, Floats]:
    """Of the enemies [N, E] that count, who is the nearest to each own unit [N, A], and how far."""
    apart = np.where(counts[:, None], view.apart, np.inf)
    who = apart.argmin(axis=2)
    far = np.take_along_axis(apart, who[..., None], axis=2)[..., 0]
    return np.where(np.isfinite(far), who, -1), far


def in_hazard(view: View, margin: float = 1.0) -> Bools:
    """[N, A] who stands where something is about to fall, or nearly."""
    edge = view.hazards.radius[:, None] + view.own.radius[..., None] + margin
    near = distances(view.own.pos, view.hazards.pos) <= edge
    return np.asarray((near & (view.hazards.radius > 0.0)[:, None]).any(axis=2))
