"""A comparison as one HTML file that needs nothing but a browser."""

import html
from collections.abc import Iterable, Sequence
from importlib.resources import files

from terrarium.report import final_table
from terrarium.report.aggregate import Statistics
from terrarium.report.curves import curves_figure, n_columns
from terrarium.report.figures import (
    EDGE,
    GRID,
    LINE_COLORS,
    MUTED,
    TEXT,
    element_of_figure,
    line_styles,
)
from terrarium.report.groups import Group, differing_settings
from terrarium.report.runs import TARGET, RunFolder
from terrarium.report.settings import printable
from terrarium.report.statistics import N_RESAMPLES as N_STRATIFIED
from terrarium.report.statistics_figure import statistics_figure
from terrarium.report.summary import BOOTSTRAP_FROM, N_RESAMPLES, Summary
from terrarium.report.table import HEADINGS, N_TEXTS, cells, minutes_text, steps_text

# The drawing's colors, and what they are called in page.css, which has them for dark and light.
_VARIABLES = {TEXT: "--text", MUTED: "--muted", EDGE: "--axis", GRID: "--grid"} | {
    color: f"--line{i}" for i, color in enumerate(LINE_COLORS) if color != TEXT
}
_RUN_HEADINGS = (
    *("run", "seed", "tests", "final", "best", "steps", "time", "ended", "version", "revision"),
    "begun",
)


def page(
    groups: Sequence[Group],
    rows: Sequence[Summary],
    statistics: Statistics,
    notes: Sequence[str],
    title: str = "",
) -> str:
    """The text of the file."""
    scenarios = ", ".join(statistics.scenarios)
    n_runs = sum(len(group.runs) for group in groups)
    counts = f"{_count(n_runs, 'run')} in {_count(len(groups), 'group')}"
    parts = {
        "title": html.escape(f"{printable(title) or f'Comparison on {scenarios}'} - Terrarium"),
        "style": _template("page.css"),
        "heading": html.escape(printable(title) or scenarios),
        "counts": html.escape(f"{counts}, on {scenarios}" if title else counts),
        "curves": element_of_figure(lambda: curves_figure(groups), _VARIABLES),
        "finals": _finals(groups, statistics),
        "statistics": _statistics(groups, statistics),
        "n_stratified": f"{N_STRATIFIED:,}",
        "min_width": str(340 * n_columns(groups)),  # narrower, nobody could read it
        "max_width": str(360 * n_columns(groups) + 440),  # nor need it be larger than the text
        "table": _table(HEADINGS, map(cells, rows), N_TEXTS, _swatches(groups)),
        "notes": _notes(notes),
        "runs": "\n".join(_runs_of(group) for group in groups),
        "settings": _settings(groups),
        "bootstrap_from": str(BOOTSTRAP_FROM),
        "n_resamples": str(N_RESAMPLES),
        "target": f"run.{TARGET}",
    }
    # In one pass, so that a name with {{table}} in it is just a name.
    first, *pieces = _template("page.html").split("{{")
    filled = [first]
    for piece in pieces:
        name, rest = piece.split("}}", 1)
        filled += [parts[name], rest]
    return "".join(filled)


def _template(name: str) -> str:
    return files("terrarium.report").joinpath("template", name).read_text(encoding="utf-8")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    n_words: int,
    marks: Sequence[str] = (),
) -> str:
    """A table of texts, whatever is in them: so many columns of words, then numbers.

    Marks are HTML before the second cell of each row.
    """
    lines = []
    for i, row in enumerate(rows):
        texts = [html.escape(text) for text in row]
        if marks:
            texts[1] = marks[i] + texts[1]
        lines.append(_line("td", texts, n_words))
    head = _line('th scope="col"', [html.escape(text) for text in headings], n_words)
    body = "\n".join(lines)
    return f'<div class="scroll"><table><thead>{head}</thead>\n<tbody>{body}</tbody></table></div>'


def _line(tag: str, texts: Sequence[str], n_words: int) -> str:
    end = tag.split()[0]
    words = "".join(f'<{tag} class="word">{text}</{end}>' for text in texts[:n_words])
    numbers = "".join(f"<{tag}>{text}</{end}>" for text in texts[n_words:])
    return f"<tr>{words}{numbers}</tr>"


def _swatches(groups: Sequence[Group]) -> list[str]:
    """The color of each group, as in the curves."""
    styles = line_styles(groups)
    colors = (_VARIABLES[styles[group.label].color] for group in groups)
    dashed = (styles[group.label].dashes != "-" for group in groups)
    return [
        f'<i class="swatch{" dashed" if is_dashed else ""}" style="color: var({color})"></i>'
        for color, is_dashed in zip(colors, dashed, strict=True)
    ]


def _finals(groups: Sequence[Group], statistics: Statistics) -> str:
    """The table of final win rates with intervals; numbers over all scenarios come first."""
    swatch_of = dict(zip((group.label for group in groups), _swatches(groups), strict=True))
    return _table(
        final_table.HEADINGS,
        (final_table.cells(row, statistics) for row in statistics.finals),
        final_table.N_TEXTS,
        [swatch_of[row.label] for row in statistics.finals],
    )


def _statistics(groups: Sequence[Group], statistics: Statistics) -> str:
    """The picture over all scenarios, and who is better, where there is something to compare."""
    if not statistics.aggregates:
        return ""
    drawing = element_of_figure(
        lambda: statistics_figure(groups, statistics), _VARIABLES, prefix="s-"
    )
    parts = [
        '<figure class="scroll"><div role="img" aria-label="Final win rates with intervals, '
        "performance profiles and IQM curves; the numbers are in the tables of this page"
        f'" style="min-width: 760px">\n{drawing}\n</div></figure>'
    ]
    if statistics.improvements:
        labels = [aggregate.label for aggregate in statistics.aggregates]
        rows = final_table.improvement_matrix(statistics)
        table = _table(["better than →", *labels], rows, n_words=1)
        parts.append(f"<details><summary>Probability of improvement</summary>{table}</details>")
    return "\n".join(parts)


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    return f'<section class="notes"><h2>To keep in mind</h2><ul>{items}</ul></section>'


def _runs_of(group: Group) -> str:
    title = html.escape(f"{group.scenario} · {group.label}")
    table = _table(_RUN_HEADINGS, map(_run_cells, group.runs), n_words=1)
    return f"<h3>{title}</h3>{table}"


def _run_cells(run: RunFolder) -> list[str]:
    def about(key: str) -> str:
        return run.settings.get(f"about.{key}", "-").strip('"')

    return [
        printable(str(run.path)),
        str(run.seed),
        str(len(run.steps)),
        f"{run.win_rates[-1]:.1%}",
        f"{max(run.win_rates):.1%}",
        steps_text(run.progress.last_step),
        minutes_text(run.progress.last_seconds / 60.0),
        _ending(run),
        about("version"),
        about("revision")[:12],
        about("created"),
    ]


def _ending(run: RunFolder) -> str:
    if run.reached_target:
        return "at its target"
    if run.max_steps is None:
        return "-"
    return "early" if run.ended_early else "at its last step"


def _settings(groups: Sequence[Group]) -> str:
    """Everything that is not the same everywhere, also what the labels leave out."""
    differing = differing_settings(groups)
    if not differing:
        return "<p>All runs have the same settings, apart from their seeds.</p>"
    many_scenarios = len({group.scenario for group in groups}) > 1
    names = [
        f"{group.scenario} · {group.label}" if many_scenarios else group.label for group in groups
    ]
    rows = ([name, *values] for name, values in differing.items())
    return _table(["setting", *names], rows, n_words=1 + len(names))
