"""What is wrong with a foreign environment, in one line."""

from collections.abc import Iterator
from contextlib import contextmanager

from terrarium.envs.tasks.task import TaskError
from terrarium.errors import TerrariumError


class PettingZooError(TaskError):
    """An environment does what cannot be shown in arrays, or fails."""


@contextmanager
def blaming(env_name: str, deed: str) -> Iterator[None]:
    """Whatever foreign code raises becomes one line that says what it was doing."""
    try:
        yield
    except TerrariumError:
        raise
    # Foreign code may raise anything; a user must learn from which environment it came.
    except Exception as error:
        raise PettingZooError(f"{env_name}: {deed} raised {reason(error)}") from error


def reason(error: Exception) -> str:
    """The kind of an error and the first line of what it says."""
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
