"""`terrarium bench fuzz`: the API server under messages that no client means to send."""

from dataclasses import asdict, dataclass

from rich.console import Console

from terrarium.bench.api_fuzz.config import FuzzConfig
from terrarium.cli.tables import new_table, open_console, print_json
from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class BenchFuzz(FuzzConfig):
    """Send random and mutated messages to the server; its games have to go on.

    Ends with an error if any message met a mistake of the server.

    Example:  terrarium bench fuzz --messages 1000000 --seed 3
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.bench.api_fuzz.fuzz import fuzz  # loads the engine

        with Console(stderr=True).status("") as status:
            result = fuzz(self, lambda sent: status.update(f"{sent:,} of {self.messages:,}"))
        if self.json:
            print_json(asdict(result))
        else:
            table = new_table()
            for name in ("what", "value"):
                table.add_column(name)
            for name, value in asdict(result).items():
                if name != "faults":
                    table.add_row(name.replace("_", " "), _shown(value))
            open_console().print(table)
        if result.faults:
            raise TerrariumError(
                f"{len(result.faults)} messages met a mistake of the server, first: "
                f"{result.faults[0][:2000]}"
            )


def _shown(value: str | int | float) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"
