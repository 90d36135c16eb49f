"""What the comparison with the real game is asked to do; loads neither the engine nor numba."""

from dataclasses import dataclass
from pathlib import Path

import terrarium
from terrarium.errors import TerrariumError

MAX_EPISODES = 65536
MAX_SEED = 2**62

_BESIDE_THE_PROJECT = Path(terrarium.__file__).resolve().parents[2].parent
RECORDINGS = _BESIDE_THE_PROJECT / "shared" / "data" / "smac_3m_real.npz"
"""Where recordings are looked for without `--recordings`"""


@dataclass(frozen=True)
class FidelityBenchConfig:
    """Which comparisons are made, by which rules, and how precisely."""

    only: tuple[str, ...] = ()
    """names of comparisons; none: all of them"""
    rules: str | None = None
    """rule set or rule-set file that the battles are played by; default: each scenario's own"""
    recordings: str | None = None
    """recorded episodes of 3m (.npz); default: ../shared/data/smac_3m_real.npz, if it is there"""
    episodes: int = 1000
    """battles of each comparison"""
    seed: int = 10000
    """of the first battle"""
    threads: int = 1
    """threads that share a batch"""

    def __post_init__(self) -> None:
        for name, count, high in (
            ("episodes", self.episodes, MAX_EPISODES),
            ("threads", self.threads, 256),
        ):
            if not 1 <= count <= high:
                raise TerrariumError(f"{name} is {count}; allowed are 1 to {high}")
        if not 0 <= self.seed <= MAX_SEED:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED}")

    @property
    def recordings_file(self) -> Path | None:
        """The file that was named, or the one beside the project."""
        if self.recordings is not None:
            return Path(self.recordings)
        return RECORDINGS if RECORDINGS.exists() else None
