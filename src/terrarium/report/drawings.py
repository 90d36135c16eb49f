"""The pictures of a comparison as SVG, drawn once: each is a file, and an element of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from terrarium.report.aggregate import Statistics
from terrarium.report.curves import curves_figure
from terrarium.report.figures import svg_of_figure
from terrarium.report.groups import RunGroup
from terrarium.report.statistics_figure import statistics_figure


@dataclass(frozen=True)
class Drawings:
    """Texts of SVG files."""

    curves: str
    statistics: str | None
    """None: there is nothing to aggregate"""


def draw_all(groups: Sequence[RunGroup], statistics: Sequence[Statistics]) -> Drawings:
    """Drawing takes most of the time of a comparison: about a second for each picture."""
    curves = svg_of_figure(lambda: curves_figure(groups))
    if not any(scale.aggregates for scale in statistics):
        return Drawings(curves, None)
    return Drawings(curves, svg_of_figure(lambda: statistics_figure(groups, statistics)))
