"""`terrarium bench economy`: recorded games played back, and what workers bring."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from terrarium.bench.economy.config import EconomyBenchConfig
from terrarium.cli.tables import new_table, open_console, print_json

if TYPE_CHECKING:
    from terrarium.bench.economy.playback import Gathered
    from terrarium.bench.economy.summary import RaceSummary


@dataclass(frozen=True)
class BenchEconomy(EconomyBenchConfig):
    """Play recorded games back, and compare the minerals that workers bring.

    Structures, births, losses and gas are the record's; walks are ours.

    Example:  terrarium bench economy --games games.json --maps captures
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.bench.economy.summary import bench_economy, summarize  # loads the engine

        with Console(stderr=True).status("") as status:
            rows = bench_economy(self, lambda text: status.update(f"playing {text}"))
        summaries = summarize(rows)
        if self.json:
            print_json(
                {
                    "players": [{**asdict(row), "error": row.error} for row in rows],
                    "races": [asdict(summary) for summary in summaries],
                }
            )
            return
        console = open_console(piped_width=120)
        console.print(_players(rows, self.loops))
        console.print()
        console.print(_races(summaries))


def _players(rows: "list[Gathered]", loops: tuple[int, ...]) -> Table:
    table = new_table()
    for name in ("game", "map", "player"):
        table.add_column(name, style="cyan" if name == "game" else "", no_wrap=True)
    for loop in loops:
        table.add_column(f"loop {loop:,}", justify="right", no_wrap=True)
    found = {(row.game, row.owner, row.loop): row for row in rows}
    for game, owner in dict.fromkeys((row.game, row.owner) for row in rows):
        mine = [found.get((game, owner, loop)) for loop in loops]
        first = next(row for row in mine if row is not None)
        table.add_row(
            game,
            first.map,
            f"{owner} {first.race}",
            *(f"{r.ours:,.0f} / {r.recorded:,.0f} {r.error:+.1%}" if r else "-" for r in mine),
        )
    return table


def _races(summaries: "list[RaceSummary]") -> Table:
    table = new_table()
    table.add_column("race", style="cyan")
    for name in ("loop", "players", "mean error", "deviation", "within 6 %"):
        table.add_column(name, justify="right")
    for each in summaries:
        table.add_row(
            each.race,
            f"{each.loop:,}",
            str(each.n_players),
            f"{each.mean:+.1%}",
            f"{each.deviation:.1%}",
            str(each.n_near),
        )
    return table
