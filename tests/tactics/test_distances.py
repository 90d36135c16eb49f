"""Ways on maps too large for a table of all of them."""

import numpy as np
import pytest
from numpy.typing import NDArray

from terrarium.data.battles.generated import generate_terrain
from terrarium.engine.tables.terrain import compile_ground
from terrarium.tactics.distances import BLOCK, NEAR, AllWays, NearAndFarWays, walking_distances
from tests.naive import walking_distances as plain_search


def exits_of(walkable: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """The steps from each cell to walkable neighbors, but not around the corner of a wall."""
    padded = np.pad(walkable, 1)
    height, width = walkable.shape

    def beside(dx: int, dy: int) -> NDArray[np.bool_]:
        return padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]

    exits = np.zeros(walkable.shape, np.uint8)
    for d, (dx, dy) in enumerate(
        [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
    ):
        free = walkable & beside(dx, dy) & beside(dx, 0) & beside(0, dy)
        exits |= free.astype(np.uint8) << d
    return exits


def wall_across(size: int) -> NDArray[np.uint8]:
    """A wall one cell thick from top to bottom, with a gap in the south."""
    walkable = np.ones((size, size), np.bool_)
    walkable[6:, size // 2] = False
    return exits_of(walkable)


def test_small_maps_have_a_table_and_larger_ones_do_not() -> None:
    assert isinstance(walking_distances(wall_across(44)), AllWays)
    assert isinstance(walking_distances(wall_across(176)), NearAndFarWays)


def test_all_who_play_on_a_small_map_share_its_table() -> None:
    assert walking_distances(wall_across(16)) is walking_distances(wall_across(16))
    assert walking_distances(wall_across(16)) is not walking_distances(wall_across(20))


@pytest.mark.parametrize("size", [64, 97, 176])
def test_a_wall_is_known_on_a_map_of_any_size(size: int) -> None:
    ways = walking_distances(wall_across(size))
    y, left, right = size - 5, size // 2 - 2, size // 2 + 2
    way = ways.between(np.array(y * size + left), np.array(y * size + right))
    # Down to the gap and up again; blocks are counted from middle to middle.
    assert way == pytest.approx(2 * (y - 5), rel=0.1)
    assert way > 2 * (y - 5) - 2 * BLOCK


@pytest.mark.parametrize("seed", [0, 1])
def test_near_ways_are_exact_and_far_ones_nearly(seed: int) -> None:
    ground = compile_ground(generate_terrain(128, seed))
    exits = ground.open[0].reshape(128, 128)
    ways, rng = walking_distances(exits), np.random.default_rng(seed)
    cells = np.flatnonzero(ground.walkable[0])
    for goal in rng.choice(cells, 3):
        shortest = plain_search(ground.open[0], 128, int(goal))
        others = rng.choice(cells, 200)
        found = ways.between(others, np.array(goal))
        exact = np.array([shortest[int(cell)] for cell in others])
        (y0, x0), (y1, x1) = np.divmod(others, 128), np.divmod(goal, 128)
        # A way that leaves the window is longer than to its border.
        near = (np.maximum(abs(x0 - x1), abs(y0 - y1)) <= NEAR) & (exact <= NEAR)
        assert found[near] == pytest.approx(exact[near], abs=1e-3)
        assert (found >= np.hypot(x0 - x1, y0 - y1) - 1e-3).all()
        # From middle to middle, blocks cut corners that cells go around.
        assert (found <= 1.1 * exact + 2 * BLOCK).all()
        assert (found >= 0.8 * exact - 2 * BLOCK).all()


def test_where_no_way_leads_the_straight_line_counts() -> None:
    walkable = np.ones((64, 64), np.bool_)
    walkable[:, 32] = False
    ways = walking_distances(exits_of(walkable))
    for here, there in (((30, 10), (34, 10)), ((5, 10), (60, 10)), ((30, 10), (32, 10))):
        way = ways.between(np.array(here[1] * 64 + here[0]), np.array(there[1] * 64 + there[0]))
        assert way == pytest.approx(there[0] - here[0])


def test_tables_of_pairs_keep_their_shape() -> None:
    ways = walking_distances(wall_across(64))
    here, there = np.arange(6).reshape(2, 3, 1), np.arange(10).reshape(2, 1, 5) + 64
    assert ways.between(here, there).shape == (2, 3, 5)
    assert (ways.between(here, there) == ways.between(there, here)).all()
