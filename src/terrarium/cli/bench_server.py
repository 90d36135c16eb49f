"""`terrarium bench server`: the API server's start and its share of clients' steps."""

from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.table import Table

from terrarium.cli.serve import need_server_packages
from terrarium.cli.tables import new_table, open_console, print_json


@dataclass(frozen=True)
class BenchServer:
    """Measure how fast the API server starts, and its share of the steps of clients.

    Example:  terrarium bench server --map AcropolisLE
    """

    map: str = "AcropolisLE"
    """of the whole game"""
    steps: int = 200
    """of each kind that are measured"""
    json: bool = False
    """print JSON"""

    def run(self) -> None:
        need_server_packages()
        from terrarium.bench.server import ServerBenchConfig, bench_server

        config = ServerBenchConfig(self.map, self.steps)
        with Console(stderr=True).status("") as status:
            result = bench_server(config, lambda text: status.update(f"measuring {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        start = result.startup
        console.print(
            f"listening after {start.listening:.2f} s, first answer after {start.answering:.2f} s, "
            f"create_game {start.create:.2f} s, join_game {start.join:.2f} s"
        )
        console.print()
        console.print(_share_table(result.shares))
        console.print("\nMedians. The client's part is protobuf alone, without its own code.")


def _share_table(shares: Any) -> Table:
    table = new_table()
    table.add_column("game")
    table.add_column("request")
    for name in ("server ms", "client ms", "kB"):
        table.add_column(name, justify="right")
    for share in shares:
        table.add_row(
            share.game,
            share.request,
            f"{share.server_ms:.3f}",
            f"{share.client_ms:.3f}",
            f"{share.kilobytes:.1f}",
        )
    return table
