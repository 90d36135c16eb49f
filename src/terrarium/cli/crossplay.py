"""`terrarium crossplay`: teams of some runs play against those of others."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from terrarium.cli.outputs import check_output, progress_bar, report_file
from terrarium.cli.tables import new_table, open_console, print_json
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.envs.tasks.task import MeanReturn
    from terrarium.marl.playing.crossplay import CrossTable, Entrants

MAX_COUNT = 1_000_000
# The engine has its own MAX_SEED; asking it would load numba.
MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Crossplay:
    """Let a team of each run play against the other teams of each run.

    Rows are who plays the team, columns who plays the others; returns are means.

    Every pairing plays the same episodes. The runs must have learned the same task.

    Example:  terrarium crossplay runs/a runs/b random --team adversary
    """

    players: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN... [random]")
    ]
    """folders or checkpoints of runs, and random for whoever has learned nothing"""
    episodes: int = 500
    """of each pairing"""
    seed: int = 0
    """of the first episode; the next one has the next seed"""
    team: str = ""
    """whom the rows play; default: the first team of the task"""
    batch: int = 64
    """episodes that are played side by side; does not change the answer"""
    json: bool = False
    """print JSON instead of the table"""
    csv: str = ""
    """also write a line for each pairing and team into this file"""
    png: str = ""
    """also draw the table as a heat map into this file"""

    def __post_init__(self) -> None:
        for name in ("episodes", "batch"):
            count = getattr(self, name)
            if not 1 <= count <= MAX_COUNT:
                raise TerrariumError(f"{name} is {count}; allowed are 1 to {MAX_COUNT}")
        if not 0 <= self.seed <= MAX_SEED - MAX_COUNT:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED - MAX_COUNT}")

    def run(self) -> None:
        from terrarium.envs.tasks.task import EvalRound
        from terrarium.marl.playing.crossplay import cross_play, find_entrants

        for file in filter(None, (self.csv, self.png)):
            check_output(Path(file))
        if self.png:
            import terrarium.cli.crossplay_picture  # noqa: F401  says now if matplotlib is missing
        entrants = find_entrants(self.players, self.seed)
        how = EvalRound(self.episodes, self.seed, self.batch)
        with progress_bar(entrants.task.name) as tell:
            table = cross_play(entrants, self.team, how, tell)
        if self.json:
            print_json(as_json(entrants, table))
        else:
            _print(entrants, table)
        self._write_files(table)

    def _write_files(self, table: "CrossTable") -> None:
        """Those whose names were given; with JSON nothing else may be printed."""
        try:
            if self.csv:
                with Path(self.csv).open("w", encoding="utf-8", newline="") as file:
                    csv.writer(file).writerows([CSV_HEAD, *csv_rows(table)])
            if self.png:
                from terrarium.cli.crossplay_picture import png_of_table

                Path(self.png).write_bytes(png_of_table(table))
        except OSError as error:
            raise TerrariumError(f"{error.filename}: cannot be written: {error.strerror}") from None
        for name in filter(None, (self.csv, self.png) if not self.json else ()):
            report_file(name, Path(name).stat().st_size)


CSV_HEAD = (
    *("row", "column", "row_player", "column_player"),
    *("team", "mean_return", "low", "high", "episodes", "mean_steps"),
)


def csv_rows(table: "CrossTable") -> list[tuple[Any, ...]]:
    """One for each pairing and team; what is not known is empty."""
    from terrarium.marl.playing.crossplay import finite

    return [
        (
            *(table.row_labels[pairing.row], table.column_labels[pairing.column]),
            *(table.names[pairing.row], table.names[pairing.column]),
            *(team, earned.mean, finite(earned.low), finite(earned.high)),
            *(table.episodes, pairing.mean_steps),
        )
        for pairing in table.pairings
        for team, earned in pairing.earned.items()
    ]


def as_json(entrants: "Entrants", table: "CrossTable") -> dict[str, Any]:
    returns = table.returns(table.team)
    return {
        "scenario": table.scenario,
        "team": table.team,
        "others": table.others,
        "episodes": table.episodes,
        "seed": table.seed,
        "players": [
            {"name": one.name, "algos": dict(one.algos), "row": row, "column": column}
            for one, row, column in zip(
                entrants.contestants, table.row_labels, table.column_labels, strict=True
            )
        ],
        "pairings": [
            {
                "row": pairing.row,
                "column": pairing.column,
                "returns": {team: _json_of(earned) for team, earned in pairing.earned.items()},
                "mean_steps": pairing.mean_steps,
            }
            for pairing in table.pairings
        ],
        "row_means": returns[:-1, -1].tolist(),
        "column_means": returns[-1, :-1].tolist(),
        "notes": entrants.notes,
    }


def _json_of(earned: "MeanReturn") -> Mapping[str, Any]:
    from terrarium.marl.playing.crossplay import finite

    return {"mean": earned.mean, "interval": (finite(earned.low), finite(earned.high))}


def _print(entrants: "Entrants", table: "CrossTable") -> None:
    console = open_console(piped_width=max(120, 20 * (len(table.names) + 2)))
    console.print(cross_table(table))
    _print_key(console, table)
    for note in entrants.notes:
        console.print(f"note: {note}")


def cross_table(table: "CrossTable") -> Table:
    """Each cell: the row's team, and below it the others."""
    shown = new_table()
    shown.add_column(f"{table.team} \\ {', '.join(table.others)}", style="cyan", no_wrap=True)
    for label in (*table.column_labels, "mean"):
        shown.add_column(label, justify="right")
    n, teams = len(table.names), (table.team, *table.others)
    returns = {team: table.returns(team) for team in teams}
    for row, label in enumerate((*table.row_labels, "mean")):
        cells = []
        for column in range(n + 1):
            if row < n and column < n:
                earned = table.at(row, column).earned
                lines = [f"{earned[team].mean:.2f} ± {earned[team].half:.2f}" for team in teams]
            else:
                lines = [f"{returns[team][row, column]:.2f}" for team in teams]
            cells.append(Text(lines[0]).append("\n" + "\n".join(lines[1:]), style="dim"))
        shown.add_row(label, *cells, end_section=row == n - 1)
    return shown


def _print_key(console: Console, table: "CrossTable") -> None:
    others = ", then ".join(table.others)
    console.print(
        f"\n{table.scenario}: mean return of an agent of {table.team}, which the row plays, and "
        f"below it of {others}, which the column plays"
    )
    console.print(
        f"± 95 % interval, {table.episodes} episodes of each pairing, "
        f"seeds {table.seed} to {table.seed + table.episodes - 1}"
    )
