"""What is wrong with a world that somebody else made, in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from terrarium.errors import TerrariumError


class WorldError(TerrariumError):
    """A world does what cannot be shown in arrays, or fails."""


@contextmanager
def blaming(world: str, deed: str) -> Iterator[None]:
    """Whatever foreign code raises becomes one line that says what it was doing."""
    try:
        yield
    except TerrariumError:
        raise
    # Foreign code may raise anything; a user must learn from which world it came.
    except Exception as error:
        raise WorldError(f"{world}: {deed} raised {reason(error)}") from error


def reason(error: Exception) -> str:
    """The kind of an error and the first line of what it says."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
