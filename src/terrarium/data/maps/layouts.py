"""Resources around a townhall: the arrangements of the recorded maps.

Offsets from the townhall's center, as measured in the first observations of AcropolisLE,
AutomatonLE, BerlingradAIE, EphemeronLE, JagannathaAIE and KairosJunctionLE: 88 bases of 8 fields
and 2 geysers, 54 of which are these or their mirror images; the others differ from them in the
place of a field or two, or of a geyser. The gold one is that of AutomatonLE.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from terrarium.data.maps.objects import MapObject

LARGE, SMALL, GAS = "large", "small", "gas"
Spot = tuple[float, float, str]


@dataclass(frozen=True)
class Look:
    """Which types a map uses; they differ in nothing but their picture."""

    large: str = "mineral_field"
    small: str = "mineral_field_750"
    gas: str = "vespene_geyser"


RICH = Look("rich_mineral_field", "rich_mineral_field_750", "vespene_geyser")
LAB = Look("lab_mineral_field", "lab_mineral_field_750", "space_platform_geyser")

# All of them on the right of the townhall; mirrored, they lie on its left or below it.
CORNER: tuple[Spot, ...] = (
    (0.5, 6, LARGE), (1.5, 7, SMALL), (4.5, 6, SMALL), (5.5, 5, LARGE), (6.5, 4, SMALL),
    (6.5, 2, LARGE), (6.5, 0, LARGE), (7.5, 1, SMALL), (-3, 7, GAS), (7, -3, GAS),
)  # fmt: skip
WIDE_CORNER: tuple[Spot, ...] = (
    (-0.5, 6, LARGE), (0.5, 7, SMALL), (2.5, 6, LARGE), (5.5, 5, SMALL), (6.5, 4, SMALL),
    (6.5, 2, LARGE), (6.5, 0, LARGE), (7.5, 1, SMALL), (-4, 7, GAS), (7, -3, GAS),
)  # fmt: skip
ROUND_CORNER: tuple[Spot, ...] = (
    (-0.5, 6, LARGE), (0.5, 7, SMALL), (3.5, 7, SMALL), (4.5, 6, LARGE), (6.5, 4, LARGE),
    (6.5, 0, LARGE), (7.5, 1, SMALL), (7.5, 3, SMALL), (-4, 7, GAS), (7, -3, GAS),
)  # fmt: skip
GAS_BELOW: tuple[Spot, ...] = (
    (-0.5, 6, LARGE), (0.5, 7, SMALL), (2.5, 6, LARGE), (5.5, 5, SMALL), (6.5, 4, SMALL),
    (6.5, 2, LARGE), (6.5, 0, LARGE), (7.5, 1, SMALL), (3, -7, GAS), (7, -3, GAS),
)  # fmt: skip
ABOVE: tuple[Spot, ...] = (
    (-6.5, 4, LARGE), (-5.5, 5, SMALL), (-2.5, 6, LARGE), (-1.5, 7, SMALL), (1.5, 7, SMALL),
    (2.5, 6, LARGE), (5.5, 5, SMALL), (6.5, 4, LARGE), (-7, 1, GAS), (7, 1, GAS),
)  # fmt: skip
BESIDE: tuple[Spot, ...] = (
    (5.5, -5, LARGE), (6.5, -4, SMALL), (6.5, -2, LARGE), (7.5, -1, SMALL), (7.5, 1, SMALL),
    (6.5, 2, LARGE), (6.5, 4, SMALL), (5.5, 5, LARGE), (2, -7, GAS), (2, 7, GAS),
)  # fmt: skip
GOLD: tuple[Spot, ...] = (
    (6.5, -2, LARGE), (6.5, 0, LARGE), (6.5, 3, LARGE), (7.5, -1, SMALL), (7.5, 1, SMALL),
    (7.5, 2, SMALL), (-2, 7, GAS), (2, 7, GAS),
)  # fmt: skip
CORNERS = (CORNER, WIDE_CORNER, ROUND_CORNER)


def place_base(
    x: float,
    y: float,
    layout: Iterable[Spot],
    look: Look,
    flip_x: bool = False,
    flip_y: bool = False,
) -> list[MapObject]:
    """The resources of a base whose townhall belongs on (x, y)."""
    types = {LARGE: look.large, SMALL: look.small, GAS: look.gas}
    sign_x, sign_y = (-1 if flip_x else 1), (-1 if flip_y else 1)
    return [MapObject(types[what], x + sign_x * dx, y + sign_y * dy) for dx, dy, what in layout]
