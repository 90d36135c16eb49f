"""Learning curves as a picture: for each scenario, what counts over steps and over minutes."""

from collections.abc import Mapping, Sequence

from terrarium.report.figures import (
    Axes,
    ConstrainedLayoutEngine,
    Figure,
    FuncFormatter,
    LineStyle,
    MaxNLocator,
    draw_curve,
    draw_legend,
    even,
    legend_layout,
    line_styles,
    number_axis,
    png_of_figure,
    share_axis,
)
from terrarium.report.groups import RunGroup
from terrarium.report.measures import WIN_RATE, Score
from terrarium.report.summary import Axis, curve_of
from terrarium.report.table import steps_text

_MAX_COLUMNS = 4
AXES: tuple[Axis, ...] = ("steps", "minutes")
AXIS_LABELS = {"steps": "environment steps", "minutes": "minutes of training"}
_MAX_TITLE = 34


def n_columns(groups: Sequence[RunGroup]) -> int:
    """How many panels stand side by side, so that the last row is not nearly empty."""
    return even(len({group.panel for group in groups}), _MAX_COLUMNS)


def png_of(groups: Sequence[RunGroup]) -> bytes:
    """The curves as a picture on white."""
    return png_of_figure(lambda: curves_figure(groups))


def curves_figure(groups: Sequence[RunGroup]) -> Figure:
    """Two panels for each scenario and each of its teams, and a legend below."""
    measures = {group.panel: group.measure for group in groups}
    scenarios = list(measures)
    columns = n_columns(groups)
    blocks = -(-len(scenarios) // columns)
    width = 7.6 if columns == 1 else 3.5 * columns
    legend = legend_layout(list(line_styles(groups)), width)
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
        members = [group for group in groups if group.panel == scenarios[i]]
        # Shares have one scale, which the panel on the left shows.
        beside = [measures[name] for name in scenarios[i - 1 : i + 1]] if column else []
        _draw_scenario(pair, members, line_styles(groups), beside == [WIN_RATE, WIN_RATE])
    draw_legend(figure, line_styles(groups), legend)
    return figure


def _draw_scenario(
    pair: Sequence[Axes], groups: Sequence[RunGroup], styles: Mapping[str, LineStyle], is_bare: bool
) -> None:
    """Both panels of a scenario, one above the other; bare ones have no numbers beside them."""
    name, measure = groups[0].panel, groups[0].measure
    title = name if len(name) <= _MAX_TITLE else f"{name[: _MAX_TITLE - 1]}…"
    pair[0].set_title(title, loc="left", fontweight="bold", fontsize=10.5)
    for axes, axis in zip(pair, AXES, strict=True):
        for group in groups:
            draw_curve(axes, curve_of(group.runs, axis), styles[group.label])
        prepare_axes(axes, axis, measure)
        if is_bare:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel(f"test {measure.name}")


def prepare_axes(axes: Axes, axis: Axis, measure: Score) -> None:
    """Scores upward; steps or minutes to the right, from 0."""
    if measure.is_share:
        share_axis(axes, "y")
    else:
        number_axis(axes, "y")
    axes.set_xlabel(AXIS_LABELS[axis])
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axes.margins(x=0.01)
    number = steps_text if axis == "steps" else "{:,g}".format
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _, number=number: number(x)))
    if axes.get_xlim()[0] < axes.get_xlim()[1]:
        axes.set_xlim(left=0.0)
