"""Statistics over all scenarios as a picture: intervals, profiles, IQM curves, who is better."""

import string
import textwrap
from collections.abc import Mapping, Sequence

from terrarium.report.aggregate import Statistics
from terrarium.report.curves import AXES, prepare_axes
from terrarium.report.figures import (
    EDGE,
    LINE_COLORS,
    Axes,
    ConstrainedLayoutEngine,
    Figure,
    LineStyle,
    Rectangle,
    SubFigure,
    draw_curve,
    draw_legend,
    legend_layout,
    line_styles,
    number_axis,
    share_axis,
)
from terrarium.report.groups import RunGroup
from terrarium.report.measures import Score
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


def statistics_figure(groups: Sequence[RunGroup], scales: Sequence[Statistics]) -> Figure:
    """A block for all win rates and for each other task or team, one below the other."""
    scales = [scale for scale in scales if scale.aggregates]
    labels = {aggregate.label for scale in scales for aggregate in scale.aggregates}
    styles = {name: style for name, style in line_styles(groups).items() if name in labels}
    legend = legend_layout(list(styles), _WIDTH)
    heights = [sum(_heights(len(scale.aggregates))) + 0.3 for scale in scales]
    figure = Figure(
        figsize=(_WIDTH, sum(heights) + legend.height),
        layout=ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.06, hspace=0.04, wspace=0.03),
    )
    blocks = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    for block, scale in zip(blocks, scales, strict=True):
        _draw_block(block, scale, styles)
    draw_legend(figure, styles, legend)
    return figure


def _heights(n_labels: int) -> list[float]:
    """Of the rows of a block, in inches; the last one is not there for one label or very many."""
    heights = [0.95 + 0.36 * n_labels, 3.0]
    return [*heights, 0.85 + 0.42 * n_labels] if 2 <= n_labels <= _MAX_MATRIX else heights


def _draw_block(block: SubFigure, statistics: Statistics, styles: Mapping[str, LineStyle]) -> None:
    """Three rows: final scores; profile and IQM curves; who is better than whom."""
    title = f"Final test {statistics.measure.name}: {statistics.scope}"
    block.suptitle(title[:_TITLE_SIGNS], x=0.01, ha="left", fontweight="bold", fontsize=11.0)
    heights = _heights(len(statistics.aggregates))
    rows = block.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    _draw_intervals(rows[0], statistics, styles)
    _draw_curves(rows[1], statistics, styles)
    if len(rows) == 3:
        _draw_matrix(rows[2], statistics)


def _draw_intervals(
    row: SubFigure, statistics: Statistics, styles: Mapping[str, LineStyle]
) -> None:
    """A panel for each statistic, a line for each label."""
    aggregates, measure = statistics.aggregates, statistics.measure
    # The median over a single scenario is its mean.
    known = [name for name in _TITLES if name in aggregates[0].final.estimates]
    names = [name for name in known if name != "median" or len(statistics.scenarios) > 1]
    panels = row.subplots(1, len(names), sharey=True, squeeze=False)[0]
    labels = [_wrapped(aggregate.label) for aggregate in aggregates]
    for axes, name in zip(panels, names, strict=True):
        for i, aggregate in enumerate(aggregates):
            _draw_estimate(axes, i, aggregate.final.estimates[name], styles[aggregate.label])
        better = "lower is better" if name == "gap" else ""
        axes.set_title(_TITLES[name], **_PANEL_TITLE)
        axes.set_xlabel(better)
        axes.set_ylim(len(labels) - 0.5, -0.5)
        axes.set_yticks(range(len(labels)), labels)
        axes.grid(visible=False, axis="y")
        number_axis(axes, "x", n_numbers=4)
        if measure.is_share:
            axes.xaxis.set_major_formatter(lambda x, _: f"{100 * x:.3g} %")
        axes.set_xlim(*_range([a.final.estimates[name] for a in aggregates], measure))


def _range(estimates: Sequence[Estimate], measure: Score) -> tuple[float, float]:
    """What a panel shows: every interval, with some room, and no share beyond 0 and 100 %."""
    ends = [end for one in estimates for end in (one.value, one.low, one.high) if end is not None]
    if not measure.is_share:
        room = 0.08 * (max(ends) - min(ends)) or 0.08 * abs(ends[0]) or 1.0
        return min(ends) - room, max(ends) + room
    room = max(0.02, 0.08 * (max(ends) - min(ends)))
    return max(-0.01, min(ends) - room), min(1.01, max(ends) + room)


def _draw_estimate(axes: Axes, line: int, estimate: Estimate, style: LineStyle) -> None:
    """A thick bar for the interval, and a stroke for the value."""
    if estimate.low is not None and estimate.high is not None:
        width = estimate.high - estimate.low
        axes.barh(line, width, 0.56, left=estimate.low, color=style.color, alpha=0.35, lw=0.0)
    axes.plot([estimate.value] * 2, [line - 0.28, line + 0.28], color=style.color, linewidth=2.4)


def _draw_curves(row: SubFigure, statistics: Statistics, styles: Mapping[str, LineStyle]) -> None:
    """The profile, the IQM over steps, the IQM over minutes."""
    aggregates, measure = statistics.aggregates, statistics.measure
    profile_axes, *curve_axes = row.subplots(1, 3)
    for aggregate in aggregates:
        profile = aggregate.profile
        curve = Curve(profile.levels, profile.shares, profile.band)
        draw_curve(profile_axes, curve, styles[aggregate.label])
    share_axis(profile_axes, "y")
    if measure.is_share:
        share_axis(profile_axes, "x")
    else:
        number_axis(profile_axes, "x")
        profile_axes.margins(x=0.01)
    profile_axes.set_title("performance profile", **_PANEL_TITLE)
    profile_axes.set_xlabel(f"final {measure.name} τ")
    profile_axes.set_ylabel("share of runs above τ")
    titles = ("sample efficiency", "wall time")
    for axes, axis, title in zip(curve_axes, AXES, titles, strict=True):
        for aggregate in aggregates:
            draw_curve(axes, aggregate.curves[axis], styles[aggregate.label])
        prepare_axes(axes, axis, measure)
        axes.set_title(title, **_PANEL_TITLE)
        axes.set_ylabel(f"IQM of the test {measure.name}")


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
