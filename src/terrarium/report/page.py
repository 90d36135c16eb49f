"""A comparison as one HTML file that needs nothing but a browser."""

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
    element_of_svg,
    line_styles,
    svg_of_figure,
)
from terrarium.report.groups import RunGroup, differing_settings
from terrarium.report.measures import MEASURES, RETURN, WIN_RATE, Score
from terrarium.report.runs import TARGET, TrainedRun
from terrarium.report.settings import printable
from terrarium.report.statistics import N_RESAMPLES as N_STRATIFIED
from terrarium.report.statistics_figure import statistics_figure
from terrarium.report.summary import BOOTSTRAP_FROM, N_RESAMPLES, Summary
from terrarium.report.table import N_TEXTS, cells, headings, minutes_text, steps_text
from terrarium.report.teams import wholes

# The drawing's colors, and what they are called in page.css, which has them for dark and light.
_VARIABLES = {TEXT: "--text", MUTED: "--muted", EDGE: "--axis", GRID: "--grid"} | {
    color: f"--line{i}" for i, color in enumerate(LINE_COLORS) if color != TEXT
}
_RUN_HEADINGS = (
    *("run", "seed", "tests", "final", "best", "steps", "time", "ended", "version", "revision"),
    "begun",
)

_ABOUT_LEVELS = {
    WIN_RATE: "<b>to 50&nbsp;%</b> and so on: steps and minutes until an evaluation first won that "
    "often, median over runs; (2/3) if only two of three runs did, “-” if fewer than half did.",
    RETURN: "A return is the sum of an agent's rewards in an episode, mean over agents and "
    "episodes; behind a colon stands the team whose agents these are.",
}
_ABOUT_MEANS = {
    WIN_RATE: "<b>mean</b> and <b>median</b> are over scenarios, of the mean over runs; the "
    "<b>optimality gap</b> is what is missing to winning always.",
    RETURN: "Returns of different tasks have no common scale, so there is no number over several "
    "tasks; and no optimum that is known.",
}


@dataclass(frozen=True)
class Drawings:
    """Pictures of a comparison as SVG, drawn once: each is a file, and an element of the page."""

    curves: str
    statistics: str | None
    """None: there is nothing to aggregate"""


def draw_all(groups: Sequence[RunGroup], statistics: Sequence[Statistics]) -> Drawings:
    """Drawing takes most of the time of a comparison: about a second for each picture."""
    curves = svg_of_figure(lambda: curves_figure(groups))
    if not any(scale.aggregates for scale in statistics):
        return Drawings(curves, None)
    return Drawings(curves, svg_of_figure(lambda: statistics_figure(groups, statistics)))


def page(
    groups: Sequence[RunGroup],
    rows: Sequence[Summary],
    scales: Sequence[Statistics],
    notes: Sequence[str],
    title: str = "",
    drawings: Drawings | None = None,
) -> str:
    """The text of the file. Without drawings it makes its own."""
    drawings = drawings or draw_all(groups, scales)
    scenarios = ", ".join(dict.fromkeys(group.scenario for group in groups))
    n_groups, n_runs = len(wholes(groups)), sum(len(group.runs) for group in wholes(groups))
    counts = f"{_count(n_runs, 'run')} in {_count(n_groups, 'group')}"
    measures = [one for one in MEASURES if one in {group.measure for group in groups}]
    what = " and ".join(measure.name for measure in measures)
    parts = {
        "title": html.escape(f"{printable(title) or f'Comparison on {scenarios}'} - Terrarium"),
        "style": _template("page.css"),
        "heading": html.escape(printable(title) or scenarios),
        "counts": html.escape(f"{counts}, on {scenarios}" if title else counts),
        "curves": element_of_svg(drawings.curves, _VARIABLES),
        "what": what,
        "what_are": " and ".join(f"{measure.name}s" for measure in measures),
        "finals": "\n".join(_finals(groups, scales, measure) for measure in measures),
        "statistics": _statistics(drawings, scales, what),
        "n_stratified": f"{N_STRATIFIED:,}",
        "min_width": str(300 * n_columns(groups) + 260),  # in less it could not be read
        "max_width": str(360 * n_columns(groups) + 440),  # nor need it be larger than the text
        "table": "\n".join(_results(groups, rows, measure) for measure in measures),
        "about_levels": "\n".join(_ABOUT_LEVELS[measure] for measure in measures),
        "about_means": "\n".join(_ABOUT_MEANS[measure] for measure in measures),
        "notes": _notes(notes),
        "runs": "\n".join(_runs_of(group) for group in wholes(groups)),
        "settings": _settings(wholes(groups)),
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


def _swatch_of(groups: Sequence[RunGroup]) -> dict[str, str]:
    """The color of each label, as in the curves."""
    return {
        label: f'<i class="swatch{"" if style.dashes == "-" else " dashed"}" '
        f'style="color: var({_VARIABLES[style.color]})"></i>'
        for label, style in line_styles(groups).items()
    }


def _results(groups: Sequence[RunGroup], rows: Sequence[Summary], measure: Score) -> str:
    """The table of a measure: win rates and returns do not share their columns."""
    ours = [row for row in rows if row.measure == measure]
    marks = _swatch_of(groups)
    lines = map(cells, ours)
    return _table(headings(measure), lines, N_TEXTS, [marks[row.group] for row in ours])


def _finals(groups: Sequence[RunGroup], scales: Sequence[Statistics], measure: Score) -> str:
    """The table of final scores with intervals; numbers over all scenarios come first."""
    ours = [(row, one) for one in scales if one.measure == measure for row in one.finals]
    marks = _swatch_of(groups)
    return _table(
        final_table.headings(measure),
        (final_table.cells(row, statistics) for row, statistics in ours),
        final_table.N_TEXTS,
        [marks[row.label] for row, _ in ours],
    )


def _statistics(drawings: Drawings, scales: Sequence[Statistics], what: str) -> str:
    """The picture over all scenarios, and who is better, where there is something to compare."""
    if drawings.statistics is None:
        return ""
    drawing = element_of_svg(drawings.statistics, _VARIABLES, prefix="s-")
    parts = [
        f'<figure class="scroll"><div role="img" aria-label="Final {what} with intervals, '
        "performance profiles and IQM curves; the numbers are in the tables of this page"
        f'" style="min-width: 760px">\n{drawing}\n</div></figure>'
    ]
    for scale in scales:
        if not scale.improvements:
            continue
        labels = [aggregate.label for aggregate in scale.aggregates]
        table = _table(["better than →", *labels], final_table.improvement_matrix(scale), n_words=1)
        of_what = f": {html.escape(scale.scope)}" if len(scales) > 1 else ""
        summary = f"<summary>Probability of improvement{of_what}</summary>"
        parts.append(f"<details>{summary}{table}</details>")
    return "\n".join(parts)


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    return f'<section class="notes"><h2>To keep in mind</h2><ul>{items}</ul></section>'


def _runs_of(group: RunGroup) -> str:
    title = html.escape(f"{group.scenario} · {group.label}")
    table = _table(_RUN_HEADINGS, map(_run_cells, group.runs), n_words=1)
    return f"<h3>{title}</h3>{table}"


def _run_cells(run: TrainedRun) -> list[str]:
    def about(key: str) -> str:
        return run.settings.get(f"about.{key}", "-").strip('"')

    return [
        printable(str(run.path)),
        str(run.seed),
        str(len(run.steps)),
        run.measure.text(run.scores[-1]),
        run.measure.text(max(run.scores)),
        steps_text(run.progress.last_step),
        minutes_text(run.progress.last_seconds / 60.0),
        _ending(run),
        about("version"),
        about("revision")[:12],
        about("created"),
    ]


def _ending(run: TrainedRun) -> str:
    if run.reached_target:
        return "at its target"
    if run.max_steps is None:
        return "-"
    return "early" if run.ended_early else "at its last step"


def _settings(groups: Sequence[RunGroup]) -> str:
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
