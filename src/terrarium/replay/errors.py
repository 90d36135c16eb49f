"""The one error of this package."""

from terrarium.errors import TerrariumError


class ReplayError(TerrariumError):
    """A battle cannot be recorded, read, replayed or shown; the message says what to do next."""
