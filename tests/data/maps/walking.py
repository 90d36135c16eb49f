"""Who can walk where, cell by cell: the naive version."""

from terrarium.data.battles.scenario import Terrain
from terrarium.data.battles.terrains import height_steps


def joined_cells(terrain: Terrain, by_height: bool = True) -> int:
    """Pairs of open cells side by side between which a walker may pass."""
    step = height_steps(terrain)
    n_pairs = 0
    for axis in (0, 1):
        ahead = [slice(1, None) if axis == k else slice(None) for k in (0, 1)]
        behind = [slice(None, -1) if axis == k else slice(None) for k in (0, 1)]
        both = terrain.walkable[tuple(ahead)] & terrain.walkable[tuple(behind)]
        if by_height:
            both &= abs(step[tuple(ahead)] - step[tuple(behind)]) <= 1
        n_pairs += int(both.sum())
    return n_pairs
