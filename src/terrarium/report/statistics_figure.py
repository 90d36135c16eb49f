"""Statistics over all scenarios as a picture: intervals, profiles, IQM curves, who is better."""

import string
import textwrap
from collections.abc import Mapping, Sequence

from terrarium.report.aggregate import Aggregate, Statistics
from terrarium.report.curves import AXES, prepare_axes
from terrarium.report.figures import (
    EDGE,
    LINE_COLORS,
    Axes,
    ConstrainedLayoutEngine,
    Figure,
    LineStyle,
    MaxNLocator,
    Rectangle,
    SubFigure,
    draw_curve,
    draw_legend,
    legend_layout,
    line_styles,
    share_axis,
)
from terrarium.report.groups import Group
from terrarium.report.statistics import Estimate, Statistic
from terrarium.report.summary import Curve

_TITLES: Mapping[Statistic, str] = {
    "iqm": "IQM",
    "median": "median",
    "mean": "mean",
    "gap": "optimality gap",
}
_WIDTH = 10.5
_LABEL_SIGNS = 28
_TITLE_SIGNS = 90
_MAX_MATRIX = 12  # labels; the numbers of more would not be readable
_WITH_INTERVALS = 6  # labels up to which the matrix has room for them
_PANEL_TITLE = {"loc": "left", "fontsize": 10.0}


def statistics_figure(groups: Sequence[Group], statistics: Statistics) -> Figure:
    """Three rows: final win rates; profile and IQM curves; who is better than whom."""
    aggregates = statistics.aggregates
    n = len(aggregates)
    styles = {a.label: line_styles(groups)[a.label] for a in aggregates}
    legend = legend_layout(list(styles), _WIDTH)
    has_matrix = 2 <= n <= _MAX_MATRIX
    heights = [0.95 + 0.36 * n, 3.0]
    if has_matrix:
        heights.append(0.85 + 0.42 * n)
    figure = Figure(
        figsize=(_WIDTH, sum(heights) + legend.height + 0.3),
        layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06, hspace=0.04, wspace=0.03),
    )
    title = f"Final test win rate: {statistics.scope}"
    figure.suptitle(title[:_TITLE_SIGNS], x=0.01, ha="left", fontweight="bold", fontsize=11.0)
    rows = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    _draw_intervals(rows[0], statistics, styles)
    _draw_curves(rows[1], aggregates, styles)
    if has_matrix:
        _draw_matrix(rows[2], statistics)
    draw_legend(figure, styles, legend)
    return figure


def _draw_intervals(
    row: SubFigure, statistics: Statistics, styles: Mapping[str, LineStyle]
) -> None:
    """A panel for each statistic, a line for each label."""
    # The median over a single scenario is its mean.
    names = [name for name in _TITLES if name != "median" or len(statistics.scenarios) > 1]
    panels = row.subplots(1, len(names), sharey=True, squeeze=False)[0]
    labels = [_wrapped(aggregate.label) for aggregate in statistics.aggregates]
    for axes, name in zip(panels, names, strict=True):
        for i, aggregate in enumerate(statistics.aggregates):
            _draw_estimate(axes, i, aggregate.final.estimates[name], styles[aggregate.label])
        better = "lower is better" if name == "gap" else ""
        axes.set_title(_TITLES[name], **_PANEL_TITLE)
        axes.set_xlabel(better)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_yticks(range(len(labels)), labels)
        axes.grid(visible=False, axis="y")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.3g} %")
        axes.set_xlim(*_range([a.final.estimates[name] for a in statistics.aggregates]))


def _range(estimates: Sequence[Estimate]) -> tuple[float, float]:
    """What a panel shows: every interval, with some room, and never beyond 0 and 100 %."""
    ends = [end for one in estimates for end in (one.value, one.low, one.high) if end is not None]
    room = max(0.02, 0.08 * (max(ends) - min(ends)))
    return max(-0.01, min(ends) - room), min(1.01, max(ends) + room)


def _draw_estimate(axes: Axes, line: int, estimate: Estimate, style: LineStyle) -> None:
    """A thick bar for the interval, and a stroke for the value."""
    if estimate.low is not None and estimate.high is not None:
        width = estimate.high - estimate.low
        axes.barh(line, width, 0.56, left=estimate.low, color=style.color, alpha=0.35, lw=0.0)
    axes.plot([estimate.value] * 2, [line - 0.28, line + 0.28], color=style.color, linewidth=2.4)


def _draw_curves(
    row: SubFigure, aggregates: Sequence[Aggregate], styles: Mapping[str, LineStyle]
) -> None:
    """The profile, the IQM over steps, the IQM over minutes."""
    profile_axes, *curve_axes = row.subplots(1, 3)
    for aggregate in aggregates:
        profile = aggregate.profile
        curve = Curve(profile.levels, profile.shares, profile.band)
        draw_curve(profile_axes, curve, styles[aggregate.label])
    for which in ("x", "y"):
        share_axis(profile_axes, which)
    profile_axes.set_title("performance profile", **_PANEL_TITLE)
    profile_axes.set_xlabel("final win rate τ")
    profile_axes.set_ylabel("share of runs above τ")
    titles = ("sample efficiency", "wall time")
    for axes, axis, title in zip(curve_axes, AXES, titles, strict=True):
        for aggregate in aggregates:
            draw_curve(axes, aggregate.curves[axis], styles[aggregate.label])
        prepare_axes(axes, axis)
        axes.set_title(title, **_PANEL_TITLE)
        axes.set_ylabel("IQM of the test win rate")


def _draw_matrix(row: SubFigure, statistics: Statistics) -> None:
    """How likely the label of a row is better than that of a column."""
    labels = [aggregate.label for aggregate in statistics.aggregates]
    n = len(labels)
    share = min(0.9, 0.13 * n if n <= _WITH_INTERVALS else 0.07 * n)
    axes, rest = row.subplots(1, 2, width_ratios=[share, 1.0 - share])
    rest.set_axis_off()
    for one in statistics.improvements:
        place = (labels.index(one.over), labels.index(one.label))
        _draw_cell(axes, place, one.probability, n <= _WITH_INTERVALS)
    letters = string.ascii_uppercase[:n]
    axes.set_xlim(-0.5, n - 0.5)
    axes.set_ylim(n - 0.5, -0.5)
    axes.set_xticks(range(n), letters)
    axes.set_yticks(
        range(n), [f"{_wrapped(label)}  {a}" for label, a in zip(labels, letters, strict=True)]
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0.0)
    axes.grid(visible=False)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title("how likely the row beats the column", **_PANEL_TITLE)


def _draw_cell(
    axes: Axes, place: tuple[int, int], probability: Estimate, with_interval: bool
) -> None:
    """Blue if the row is ahead, orange if it is behind, gray if neither; strong if it is sure."""
    x, y = place
    lead = probability.value - 0.5
    color = EDGE if lead == 0.0 else LINE_COLORS[0] if lead > 0.0 else LINE_COLORS[1]
    cell = Rectangle(
        (x - 0.47, y - 0.46), 0.94, 0.92, facecolor=color, alpha=0.08 + abs(lead), linewidth=0.0
    )
    axes.add_patch(cell)
    low, high = probability.low, probability.high
    with_interval = with_interval and low is not None and high is not None
    height = y - 0.17 if with_interval else y
    axes.text(x, height, f"{probability.value:.0%}", ha="center", va="center", fontsize=9.0)
    if with_interval:
        text = f"{100 * (low or 0.0):.0f} to {100 * (high or 0.0):.0f}"
        axes.text(x, y + 0.22, text, ha="center", va="center", fontsize=6.8)


def _wrapped(label: str) -> str:
    """A label beside an axis: two lines at most."""
    wrap = textwrap.TextWrapper(_LABEL_SIGNS, max_lines=2, placeholder=" …")
    return "\n".join(wrap.wrap(label))
