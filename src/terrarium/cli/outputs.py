"""Files that a command writes because their names were given."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

from terrarium.cli.tables import size_text
from terrarium.errors import TerrariumError


def check_output(path: Path) -> None:
    """Before the work is done: it would be a pity to find out afterwards."""
    if path.is_dir():
        raise TerrariumError(f"{path}: this is a folder; give the name of a file in it")
    if not path.parent.is_dir():
        raise TerrariumError(f"{path}: there is no folder {path.parent}; make it first")


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[float], None]]:
    """A bar while it takes time; nothing is left of it afterwards, and nothing goes to a pipe."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def report_file(path: str, size: int) -> None:
    print(f"{path} ({size_text(size)})")
