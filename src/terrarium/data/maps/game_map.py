"""A melee map: the ground, where players start, and what stands on it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.checks import check_map
from terrarium.data.maps.grids import Mask, blocked_by, mask_of, taken_by, townhall_blocks
from terrarium.data.maps.objects import MapObject

Place = tuple[float, float]


@dataclass(frozen=True)
class GameMap:
    """Grids are indexed [y, x]; cell (x, y) covers [x, x+1) x [y, y+1). They show the terrain
    alone: neither townhalls nor objects are in them. A map that cannot be played is refused."""

    name: str
    title: str
    playable: tuple[int, int, int, int]
    """x0, y0, x1, y1: nothing is ever outside of it"""
    pathing_grid: Mask
    """ground units may walk here, once rocks and resources are gone"""
    placement_grid: Mask
    """the terrain allows building"""
    terrain_height: NDArray[np.uint8]
    """the game's steps: a height z of the ground is 127 + 8 z"""
    sight_blocker: Mask
    """ground units do not see through these cells"""
    starts: tuple[Place, ...]
    """centers of the townhalls that players begin with"""
    objects: tuple[MapObject, ...]

    def __post_init__(self) -> None:
        for grid in (
            self.pathing_grid,
            self.placement_grid,
            self.terrain_height,
            self.sight_blocker,
        ):
            grid.setflags(write=False)
        check_map(self)

    @property
    def width(self) -> int:
        return int(self.pathing_grid.shape[1])

    @property
    def height(self) -> int:
        return int(self.pathing_grid.shape[0])

    @property
    def resources(self) -> tuple[MapObject, ...]:
        return tuple(o for o in self.objects if o.kind.is_resource)

    def walkable(self) -> Mask:
        """Where ground units may walk at the start of a game, townhalls apart."""
        return self.pathing_grid & ~blocked_by(self.pathing_grid.shape, self.objects)

    def buildable(self) -> Mask:
        """Where structures may stand at the start of a game, townhalls and their ring apart."""
        return self.placement_grid & ~taken_by(self.pathing_grid.shape, self.objects)

    def shown_pathing(
        self, visible: tuple[MapObject, ...], townhalls: tuple[Place, ...] = ()
    ) -> Mask:
        """The pathing grid as the game's API shows it to a player.

        Objects that he sees block. Objects in the fog block only where the terrain allows no
        building, as on ramps: so it is in every cell of the recorded games.
        """
        shape = self.pathing_grid.shape
        shown = self.pathing_grid & ~blocked_by(shape, visible)
        shown &= self.placement_grid | ~blocked_by(shape, self.objects)
        return shown & ~mask_of(shape, (c for at in townhalls for c in townhall_blocks(*at)))
