"""A cross-play table as a heat map."""

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from terrarium.report.figures import EDGE, MUTED, TEXT, Axes, Figure, Rectangle, png_of_figure

if TYPE_CHECKING:
    from terrarium.marl.playing.crossplay import CrossTable

CELL, GAP = 1.0, 0.12
"""Sizes of a cell, and of the gap before the means"""
PALE, DEEP = np.array((0.95, 0.97, 0.99)), np.array((0.0, 0.447, 0.698))
"""Of the lowest and of the highest return"""
INCHES_PER_CELL = 1.15
MAX_LABEL = 22
"""Letters of a line"""


def png_of_table(table: "CrossTable") -> bytes:
    """Colors and large numbers are the row's team, small numbers the others."""
    return png_of_figure(lambda: _draw(table))


def _draw(table: "CrossTable") -> Figure:
    n = len(table.names) + 1
    side = INCHES_PER_CELL * n + 0.2
    figure = Figure(figsize=(side + 2.4, 0.85 * side + 1.5), layout="constrained")
    axes = figure.add_subplot()
    at = [i * CELL + (GAP if i == n - 1 else 0.0) for i in range(n)]
    axes.set_xlim(0.0, at[-1] + CELL)
    axes.set_ylim(at[-1] + CELL, 0.0)
    axes.grid(visible=False)
    axes.tick_params(length=0.0, labelcolor=TEXT)
    axes.spines[:].set_visible(False)
    middles = [place + CELL / 2.0 for place in at]
    axes.set_yticks(middles, [_broken(label) for label in (*table.row_labels, "mean")])
    axes.set_xticks(middles, [_broken(label, 14) for label in (*table.column_labels, "mean")])
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(f"who plays {' and '.join(table.others)}", labelpad=8.0)
    axes.set_ylabel(f"who plays {table.team}", labelpad=8.0)
    _draw_cells(axes, table, at)
    below = ", ".join(table.others)
    figure.supxlabel(
        f"{table.scenario}: mean return of {table.team}, small: {below}\n"
        f"{table.episodes} episodes of each pairing, seeds from {table.seed}",
        fontsize=8.5,
        color=MUTED,
    )
    return figure


def _draw_cells(axes: Axes, table: "CrossTable", at: list[float]) -> None:
    returns = {team: table.returns(team) for team in (table.team, *table.others)}
    main = returns[table.team]
    low, high = float(main.min()), float(main.max())
    for row, y in enumerate(at):
        for column, x in enumerate(at):
            value = float(main[row, column])
            share = (value - low) / (high - low) if high > low else 0.0
            color = PALE + share * (DEEP - PALE)
            letters = "white" if share > 0.6 else TEXT
            axes.add_patch(Rectangle((x, y), CELL, CELL, facecolor=color, edgecolor=EDGE, lw=0.6))
            others = " / ".join(f"{returns[team][row, column]:.2f}" for team in table.others)
            for text, height, size in ((f"{value:.2f}", 0.42, 12.0), (others, 0.72, 8.0)):
                axes.text(
                    x + CELL / 2.0,
                    y + height * CELL,
                    text,
                    color=letters,
                    fontsize=size,
                    ha="center",
                    va="center",
                )


def _broken(label: str, width: int = MAX_LABEL) -> str:
    """A long label in several lines; paths have no spaces to break at."""
    return "\n".join(textwrap.wrap(label, width)) or label
