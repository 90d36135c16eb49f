"""What players know of maps: ways, bases, and room to build."""

from itertools import pairwise

import numpy as np
import pytest

from terrarium.data.maps.library import find_map
from terrarium.tactics.macro.map_knowledge import LINE_ROOM, MapKnowledge, _apart

MAPS = ("simple_64", "two_base", "ladder/1")


@pytest.fixture(params=MAPS)
def ground(request: pytest.FixtureRequest) -> MapKnowledge:
    return MapKnowledge(find_map(request.param))


def test_the_first_site_is_where_one_starts(ground: MapKnowledge) -> None:
    for start in ground.map.starts:
        sites = ground.sites_by_way(start)
        assert sites[0].place == start
        assert len(sites) == len(ground.sites)
        steps = [ground.steps(start, site.place) for site in sites]
        assert steps == sorted(steps)


def test_a_path_is_walked_cell_by_cell(ground: MapKnowledge) -> None:
    start, goal = ground.map.starts[0], ground.map.starts[1]
    path = ground.path(start, goal)
    assert len(path) == ground.steps(start, goal) + 1
    for (ax, ay), (bx, by) in pairwise(path):
        assert abs(ax - bx) + abs(ay - by) == 1.0
        assert ground.walkable[int(by), int(bx)]


def test_a_base_has_room_for_structures_that_do_not_touch(ground: MapKnowledge) -> None:
    """Large structures with add-ons and small ones; the way of workers stays free."""
    site = ground.site_at(*ground.map.starts[0])
    large, small = ground.room(site, 3), ground.room(site, 2)
    assert len(large) >= 5
    assert len(small) >= 8
    taken = np.zeros(ground.walkable.shape, np.int64)
    for x, y in large:
        taken[int(y - 1.5) : int(y + 1.5), int(x - 1.5) : int(x + 1.5)] += 1
        taken[int(y - 1.5) : int(y + 0.5), int(x + 1.5) : int(x + 3.5)] += 1
    for x, y in small:
        taken[int(y - 1) : int(y + 1), int(x - 1) : int(x + 1)] += 1
    assert taken.max() == 1
    assert (ground.map.placement_grid[taken > 0]).all()
    ys, xs = np.nonzero(taken)
    for at in (*site.fields, *site.geysers):
        assert (_apart(xs + 0.5, ys + 0.5, site.place, at) > LINE_ROOM).all()


def test_the_first_pylon_powers_several_places(ground: MapKnowledge) -> None:
    site = ground.site_at(*ground.map.starts[0])
    x, y = ground.power_spots(site)[0]
    near = [p for p in ground.room(site, 3) if np.hypot(p[0] - x, p[1] - y) <= 6.0]
    assert len(near) >= 3
