"""`terrarium bench game` and `terrarium bench opponents`: whole games."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from terrarium.bench.games.opponents import (
    OpponentBench,
    OpponentBenchConfig,
    bench_opponents,
)
from terrarium.bench.games.speed import GameBench, GameBenchConfig, bench_game
from terrarium.cli.tables import new_table, open_console, print_json

if TYPE_CHECKING:
    from terrarium.bench.games.many_games import BatchRow


@dataclass(frozen=True)
class BenchGame(GameBenchConfig):
    """Measure how many loops a second a whole game of computer opponents plays.

    Example:  terrarium bench game --players hard-terran hard-zerg
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_game(self, lambda text: status.update(f"playing {text}"))
            rows = _bench_batch(self, lambda text: status.update(f"playing {text}"))
        if self.json:
            print_json({**asdict(result), "batch": [asdict(row) for row in rows]})
            return
        console = open_console()
        console.print(_game_table(result))
        console.print(
            f"\n{' against '.join(result.players)} on {self.map}: {result.loops:,} loops in "
            f"{result.seconds:.1f} s, {result.loops_per_s:,.0f} loops/s, "
            f"{result.slowest_loops_per_s:,.0f} in the slowest minute"
        )
        for row in rows:
            console.print(
                f"{self.batch} games without players, {row.threads} "
                f"{'thread' if row.threads == 1 else 'threads'}: {row.loops_per_s:,.0f} loops/s, "
                f"{row.loops_per_s / rows[0].loops_per_s:.2f} times one thread "
                f"(spread {row.spread:.0%})"
            )


def _bench_batch(config: GameBenchConfig, tell: Callable[[str], None]) -> "tuple[BatchRow, ...]":
    if config.batch == 0:
        return ()
    from terrarium.bench.games.many_games import bench_batch  # loads the engine

    return bench_batch(config, config.batch, config.threads, tell)


def _game_table(result: GameBench) -> Table:
    table = new_table()
    for name in ("loop", "loops/s", "scripts", "units", "supply"):
        table.add_column(name, justify="right")
    for minute in result.minutes:
        table.add_row(
            f"{minute.loop:,}",
            f"{minute.loops_per_s:,.0f}",
            f"{minute.scripts_share:.0%}",
            str(minute.n_units),
            " ".join(f"{supply:g}" for supply in minute.supply),
        )
    return table


@dataclass(frozen=True)
class BenchOpponents(OpponentBenchConfig):
    """Measure how computer opponents develop beside recorded games.

    Each level also plays against the one below it.

    Example:  terrarium bench opponents --levels Medium Hard --processes 2
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_opponents(self, lambda text: status.update(f"playing {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        if result.developments:
            console.print(_development_table(result))
        if result.duels:
            console.print(_duel_table(result))
        if result.soak:
            console.print(_soak_table(result))


def _development_table(result: OpponentBench) -> Table:
    table = new_table()
    table.add_column("level", style="cyan", no_wrap=True)
    for name in ("race", "loop", "workers", "recorded", "army", "recorded", "bank"):
        table.add_column(name, justify="right")
    for row in result.developments:
        table.add_row(
            row.level,
            row.race,
            str(row.loop),
            f"{row.workers:g}",
            _beside(row.workers, row.recorded_workers),
            f"{row.army_value:.0f}",
            _beside(row.army_value, row.recorded_army_value),
            f"{row.bank:.0f}",
        )
    return table


def _beside(ours: float, recorded: float | None) -> str:
    """A recorded number, and how far ours is from it."""
    if recorded is None:
        return "-"
    return f"{recorded:.0f} ({(ours - recorded) / recorded:+.0%})"


def _duel_table(result: OpponentBench) -> Table:
    table = new_table()
    table.add_column("level", style="cyan", no_wrap=True)
    for name in ("against", "games", "won", "undecided", "mean loops"):
        table.add_column(name, justify="right")
    for row in result.duels:
        table.add_row(
            row.level,
            row.below,
            str(row.games),
            f"{row.won / row.games:.0%}",
            str(row.undecided),
            f"{row.mean_loops:,.0f}",
        )
    return table


def _soak_table(result: OpponentBench) -> Table:
    table = new_table()
    table.add_column("map", style="cyan", no_wrap=True)
    for name in ("players", "seed", "loops", "looks", "result", "problems"):
        table.add_column(name, justify="right" if name in ("seed", "loops", "looks") else "left")
    for game in result.soak:
        table.add_row(
            game.map,
            " - ".join(game.players),
            str(game.seed),
            f"{game.loops:,}",
            f"{game.looks:,}",
            game.results[0].lower(),
            ", ".join(game.problems) or "none",
        )
    n_ended = sum(game.results[0] != "UNDECIDED" for game in result.soak)
    n_bad = sum(bool(game.problems) for game in result.soak)
    table.caption = f"{n_ended} of {len(result.soak)} games ended, {n_bad} with problems"
    return table
