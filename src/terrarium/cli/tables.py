"""How every command prints: consoles, tables, JSON."""

import json as json_format
import os
import sys
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

TICKS_PER_S = 16  # of game time, in which the facts are written; asking the engine loads numba


def open_console(piped_width: int = 200) -> Console:
    """Where tables go. A pipe has no width: rows of a list stay on one line there."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else piped_width
    return Console(width=width, markup=False, highlight=False)


def print_json(value: object) -> None:
    print(json_format.dumps(value, indent=2))


def print_rows(rows: list[dict[str, Any]], json: bool) -> None:
    if json:
        print_json(rows)
        return
    table = new_table()
    for name, value in rows[0].items():
        table.add_column(name, justify="right" if isinstance(value, int) else "left")
    for row in rows:
        cells = (army_text(v) if isinstance(v, Mapping) else str(v) for v in row.values())
        table.add_row(*cells)
    table.columns[0].style, table.columns[0].no_wrap = "cyan", True
    open_console().print(table)


def new_table(title: str | None = None, gap: int = 2) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),
    )


def army_text(army: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in army.items())


def size_text(size: int) -> str:
    """The size of a file, or of what is kept in memory."""
    for unit, name in ((1e9, "GB"), (1e6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1e3:.1f} kB"
