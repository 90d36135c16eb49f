"""What is measured when the server is fuzzed, without loading the server."""

from dataclasses import dataclass

from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class FuzzConfig:
    """How the server is fuzzed."""

    messages: int = 100_000
    """how many messages to send"""
    seed: int = 0
    """of the messages; equal seeds make equal messages"""

    def __post_init__(self) -> None:
        if self.messages < 1 or self.seed < 0:
            raise TerrariumError(
                f"messages is {self.messages} and seed {self.seed}; send 1 message or more, and "
                "let the seed be 0 or more"
            )


@dataclass(frozen=True)
class FuzzResult:
    """What became of the messages."""

    messages: int
    answered: int
    """with what the request asks for"""
    refused: int
    """by an error of the protocol"""
    faults: tuple[str, ...]
    """requests that met a mistake of the server"""
    games: int
    """that were begun in between"""
    loops: int
    """that they ran"""
    slowest_ms: float
    slowest: str
    """the kind of request that took longest, by processor time"""
    cpu_seconds: float
    memory_early_mb: float
    """of the process, after a fifth of the messages"""
    memory_late_mb: float
    """at the end"""
