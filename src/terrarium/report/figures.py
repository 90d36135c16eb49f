"""What all pictures of a report share: the style, the colors, the legend, the file formats."""

import io
import re
import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from terrarium.errors import TerrariumError
from terrarium.report.groups import RunGroup
from terrarium.report.summary import Curve

try:  # all that reports use of matplotlib, so that its absence is said in one place
    import matplotlib
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
    from matplotlib.figure import SubFigure as SubFigure
    from matplotlib.layout_engine import ConstrainedLayoutEngine as ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle as Rectangle
    from matplotlib.ticker import FuncFormatter as FuncFormatter
    from matplotlib.ticker import MaxNLocator as MaxNLocator
    from matplotlib.ticker import PercentFormatter
except ModuleNotFoundError as error:
    raise TerrariumError(
        f"curves need {error.name}, which is not installed: pip install 'terrarium-sc2[marl]'"
    ) from error

TEXT, MUTED, EDGE, GRID = "#22272e", "#5b6570", "#b4bcc4", "#e2e6ea"
# Okabe and Ito (2008): told apart by all kinds of color vision. Without their yellow, which is
# hardly seen on white; with the color of text for their black, which is not seen on a dark page.
LINE_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", TEXT)
_DASHES = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
_DOTS_PER_INCH = 160
_MAX_LABEL_LINES = 3
_STYLE: Mapping[Any, Any] = {
    "font.family": "DejaVu Sans",  # it comes with matplotlib: the same picture everywhere
    "font.size": 9.5,
    "text.color": TEXT,
    "text.parse_math": False,  # a dollar in a name is a dollar
    "axes.labelcolor": MUTED,
    "axes.edgecolor": EDGE,
    "axes.linewidth": 0.8,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "svg.fonttype": "path",  # the browser's fonts have other widths
    "svg.hashsalt": "terrarium",  # the same runs give the same file
}


@dataclass(frozen=True)
class LineStyle:
    """How a group is drawn, in every panel alike."""

    color: str
    dashes: Any


def line_styles(groups: Sequence[RunGroup]) -> dict[str, LineStyle]:
    """A style for each label: first all colors, then other dashes."""
    labels = dict.fromkeys(group.label for group in groups)
    n_colors, n_dashes = len(LINE_COLORS), len(_DASHES)
    return {
        label: LineStyle(LINE_COLORS[i % n_colors], _DASHES[i // n_colors % n_dashes])
        for i, label in enumerate(labels)
    }


def png_of_figure(draw: Callable[[], Figure]) -> bytes:
    """A figure as a picture on white."""
    with _own_style():
        file = io.BytesIO()
        draw().savefig(file, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    return file.getvalue()


def svg_of_figure(draw: Callable[[], Figure]) -> str:
    """A figure as a file for papers: it can be enlarged without end."""
    with _own_style():
        file = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        draw().savefig(file, format="svg", metadata=nothing)
    return file.getvalue()


def element_of_svg(text: str, variables: Mapping[str, str], prefix: str = "") -> str:
    """A figure's SVG as an element of a page, with colors replaced by the page's own variables.

    The prefix keeps the names inside of two drawings of one page apart.
    """
    text = text[text.index("<svg") :]
    # Nothing but backgrounds is white, and the page has its own, light or dark.
    text = text.replace("fill: #ffffff", "fill: none")
    # In a page the names of the formats are known; and every text is also in a comment.
    text = re.sub(r"<!--.*?-->\n?|<metadata>.*?</metadata>\n?", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{prefix}", text)
    for color, variable in variables.items():
        text = text.replace(color, f"var({variable})")
    return text


@contextmanager
def _own_style() -> Iterator[None]:
    """Our style for the time of a drawing, whatever the user's matplotlibrc says."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes; it is no reason to complain.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def draw_curve(axes: Axes, curve: Curve, style: LineStyle) -> None:
    """A line with its band."""
    if curve.band is not None:
        axes.fill_between(curve.x, *curve.band, color=style.color, alpha=0.18, linewidth=0.0)
    axes.plot(
        curve.x,
        curve.mean,
        color=style.color,
        linestyle=style.dashes,
        linewidth=1.8,
        solid_capstyle="round",
        # A line of one point is not seen.
        marker="o" if len(curve.x) == 1 else None,
        clip_on=False,
    )


def share_axis(axes: Axes, which: str) -> None:
    """An axis from 0 to 100 %."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    (axes.set_ylim if which == "y" else axes.set_xlim)(-0.02, 1.02)
    axis.set_ticks([0.0, 0.25, 0.5, 0.75, 1.0])
    axis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))


def number_axis(axes: Axes, which: str, n_numbers: int = 5) -> None:
    """An axis of any numbers, with room for what is drawn."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_locator(MaxNLocator(nbins=n_numbers, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.6g}"))


@dataclass(frozen=True)
class Legend:
    """The labels below a picture, and the room that they take."""

    labels: list[str]
    n_columns: int
    height: float
    """inches"""


def legend_layout(labels: Sequence[str], width: float) -> Legend:
    """As many labels side by side as fit; a long one is broken into lines."""
    n_signs = int(width * 11.5)  # at the size of the legend's letters
    wrap = textwrap.TextWrapper(n_signs - 8, max_lines=_MAX_LABEL_LINES, placeholder=" …")
    wrapped = ["\n".join(wrap.wrap(label)) for label in labels]
    longest = max(len(line) for label in wrapped for line in label.splitlines())
    n_side_by_side = even(len(labels), max(1, min(4, n_signs // (longest + 8))))
    n_lines = sum(label.count("\n") + 1 for label in wrapped)
    return Legend(wrapped, n_side_by_side, 0.2 + 0.2 * -(-n_lines // n_side_by_side))


def even(n_items: int, most: int) -> int:
    """The smallest number of columns, at most `most`, that needs as few rows as `most` does."""
    n_rows = -(-n_items // most)
    return -(-n_items // n_rows)


def draw_legend(figure: Figure, styles: Mapping[str, LineStyle], layout: Legend) -> None:
    """Below everything, from the left."""
    handles = [
        Line2D([], [], color=style.color, linestyle=style.dashes, linewidth=2.2)
        for style in styles.values()
    ]
    figure.legend(
        handles,
        layout.labels,
        loc="outside lower left",
        ncols=layout.n_columns,
        frameon=False,
        handlelength=2.6,
        columnspacing=2.0,
    )
