"""Learning curves as a picture: for each scenario, the win rate over steps and over minutes."""

import io
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from terrarium.errors import TerrariumError
from terrarium.report.groups import Group
from terrarium.report.summary import Axis, Curve, curve_of
from terrarium.report.table import steps_text

try:
    import matplotlib
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.lines import Line2D
    from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter
except ModuleNotFoundError as error:
    raise TerrariumError(
        f"curves need {error.name}, which is not installed: pip install 'terrarium[marl]'"
    ) from error

TEXT, MUTED, EDGE, GRID = "#22272e", "#5b6570", "#b4bcc4", "#e2e6ea"
# Okabe and Ito (2008): told apart by all kinds of color vision. Without their yellow, which is
# hardly seen on white; with the color of text for their black, which is not seen on a dark page.
LINE_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", TEXT)
_DASHES = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1.2, 2)))
_MAX_COLUMNS = 4
_AXES: tuple[Axis, ...] = ("steps", "minutes")
_AXIS_LABELS = {"steps": "environment steps", "minutes": "minutes of training"}
_DOTS_PER_INCH = 160
_MAX_TITLE = 34
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


def line_styles(groups: Sequence[Group]) -> dict[str, LineStyle]:
    """A style for each label: first all colors, then other dashes."""
    labels = dict.fromkeys(group.label for group in groups)
    n_colors, n_dashes = len(LINE_COLORS), len(_DASHES)
    return {
        label: LineStyle(LINE_COLORS[i % n_colors], _DASHES[i // n_colors % n_dashes])
        for i, label in enumerate(labels)
    }


def n_columns(groups: Sequence[Group]) -> int:
    """How many scenarios stand side by side, so that the last row is not nearly empty."""
    return _even(len({group.scenario for group in groups}), _MAX_COLUMNS)


def png_of(groups: Sequence[Group]) -> bytes:
    """The curves as a picture on white."""
    with _own_style():
        file = io.BytesIO()
        _figure(groups).savefig(file, format="png", dpi=_DOTS_PER_INCH, metadata={"Software": None})
    return file.getvalue()


def svg_of(groups: Sequence[Group], variables: Mapping[str, str]) -> str:
    """The curves as an element of a page, with colors replaced by the page's own variables."""
    with _own_style():
        file = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        _figure(groups).savefig(file, format="svg", transparent=True, metadata=nothing)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    # In a page the names of the formats are known; and every text is also in a comment.
    text = re.sub(r"<!--.*?-->\n?|<metadata>.*?</metadata>\n?", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:xlink)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
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


def _figure(groups: Sequence[Group]) -> Figure:
    scenarios = list(dict.fromkeys(group.scenario for group in groups))
    columns = n_columns(groups)
    blocks = -(-len(scenarios) // columns)
    width = 7.6 if columns == 1 else 3.5 * columns
    legend = _legend_layout(list(line_styles(groups)), width)
    height = 5.0 * blocks + legend.height
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06, hspace=0.04, wspace=0.03)
    figure = Figure(figsize=(width, height), layout=layout)
    grid = figure.subplots(2 * blocks, columns, squeeze=False)
    for i in range(columns * blocks):
        block, column = divmod(i, columns)
        pair = (grid[2 * block, column], grid[2 * block + 1, column])
        if i >= len(scenarios):
            for axes in pair:
                axes.set_axis_off()
            continue
        members = [group for group in groups if group.scenario == scenarios[i]]
        _draw_scenario(pair, members, line_styles(groups), is_left=column == 0)
    _draw_legend(figure, line_styles(groups), legend)
    return figure


def _draw_scenario(
    pair: Sequence[Axes], groups: Sequence[Group], styles: Mapping[str, LineStyle], is_left: bool
) -> None:
    """Both panels of a scenario, one above the other."""
    name = groups[0].scenario
    title = name if len(name) <= _MAX_TITLE else f"{name[: _MAX_TITLE - 1]}…"
    pair[0].set_title(title, loc="left", fontweight="bold", fontsize=10.5)
    for axes, axis in zip(pair, _AXES, strict=True):
        for group in groups:
            _draw_curve(axes, curve_of(group.runs, axis), styles[group.label])
        axes.set_xlabel(_AXIS_LABELS[axis])
        axes.set_ylim(-0.02, 1.02)
        axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0, symbol=" %"))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
        axes.margins(x=0.01)
        number = steps_text if axis == "steps" else "{:,g}".format
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _, number=number: number(x)))
        if axes.get_xlim()[0] < axes.get_xlim()[1]:
            axes.set_xlim(left=0.0)
        if is_left:
            axes.set_ylabel("test win rate")
        else:
            axes.tick_params(labelleft=False)


def _draw_curve(axes: Axes, curve: Curve, style: LineStyle) -> None:
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


@dataclass(frozen=True)
class _Legend:
    labels: list[str]
    n_columns: int
    height: float
    """inches"""


def _legend_layout(labels: Sequence[str], width: float) -> _Legend:
    """As many labels side by side as fit; a long one is broken into lines."""
    n_signs = int(width * 11.5)  # at the size of the legend's letters
    wrap = textwrap.TextWrapper(n_signs - 8, max_lines=_MAX_LABEL_LINES, placeholder=" …")
    wrapped = ["\n".join(wrap.wrap(label)) for label in labels]
    longest = max(len(line) for label in wrapped for line in label.splitlines())
    n_side_by_side = _even(len(labels), max(1, min(4, n_signs // (longest + 8))))
    n_lines = sum(label.count("\n") + 1 for label in wrapped)
    return _Legend(wrapped, n_side_by_side, 0.2 + 0.2 * -(-n_lines // n_side_by_side))


def _even(n_items: int, most: int) -> int:
    """The smallest number of columns, at most `most`, that needs as few rows as `most` does."""
    n_rows = -(-n_items // most)
    return -(-n_items // n_rows)


def _draw_legend(figure: Figure, styles: Mapping[str, LineStyle], layout: _Legend) -> None:
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
