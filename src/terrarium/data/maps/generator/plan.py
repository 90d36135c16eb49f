"""What a map is going to be: its sites, before any ground is made."""

from dataclasses import dataclass

from terrarium.data.maps.generator.symmetry import Symmetry

MAIN, NATURAL, BASE, GOLD, FIELD = "main", "natural", "base", "gold", "field"
Area = tuple[int, int, int, int]


@dataclass(frozen=True)
class Site:
    """The middle of a region of one level; each has images for the other players."""

    kind: str
    """main | natural | base | gold: with resources | field: without"""
    x: float
    y: float
    level: int
    """0 to 2: 8, 10 or 12 high"""
    reach: int
    """cells: the larger, the more ground belongs to the site"""
    pinned: bool = False
    """a base stands exactly here, wherever its fields would have more closed ground behind"""

    @property
    def radius(self) -> int:
        """Cells around the middle that are open ground whatever comes near."""
        return min(self.reach, 11)


@dataclass(frozen=True)
class MapPlan:
    """The sites of one player, and how the ground between them is shaped."""

    symmetry: Symmetry
    playable: Area
    sites: tuple[Site, ...]
    roughness: int
    """how far noise moves the borders of regions, in half cells"""
    main_cells: int
    """cells of open ground that a main has at least"""

    @property
    def images(self) -> list[tuple[int, float, float]]:
        """Every site and its images: number of the site, x, y."""
        return [
            (number, x, y)
            for number, site in enumerate(self.sites)
            for x, y in self.symmetry.points(site.x, site.y)
        ]
