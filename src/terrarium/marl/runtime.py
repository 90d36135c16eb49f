"""Device, random generators, threads and memory of a run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
import torch

from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class Runtime:
    """A device, a seed for new weights, and a generator for everything that is drawn later."""

    device: torch.device
    weights_seed: int
    generator: torch.Generator

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """New weights are drawn from PyTorch's global generator: seed it, and put it back."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.weights_seed)
            yield

    @contextmanager
    def drawing(self, seed: int) -> Iterator[None]:
        """Draw from a seed for a while, and then go on as if nothing had been drawn."""
        state = self.generator.get_state()
        self.generator.manual_seed(seed)
        try:
            yield
        finally:
            self.generator.set_state(state)


def make_runtime(seed: np.random.SeedSequence, device: str = "cpu") -> Runtime:
    weights, later = seed.spawn(2)
    return Runtime(
        device=_checked_device(device),
        weights_seed=_number(weights),
        generator=torch.Generator().manual_seed(_number(later)),
    )


def n_cores() -> int:
    """Cores that this program may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def use_threads(n_threads: int) -> int:
    """Let PyTorch use so many threads, or one for each core; how many that is."""
    n_threads = n_threads or n_cores()
    torch.set_num_threads(n_threads)
    return n_threads


class ThreadChoice:
    """PyTorch's threads: so many, or, with 0, those with which updates have been fastest.

    Each number is tried in turn in the first updates. Where tensors are small, or other programs
    have the cores, one thread is the fastest; more of them have to be worth it.
    """

    ROUNDS = 3
    GAIN = 0.9
    """share of the time of fewer threads that more of them may take at most"""

    def __init__(self, n_threads: int, n_cores: int) -> None:
        powers = [2**k for k in range(n_cores.bit_length()) if 2**k < n_cores]
        self.candidates = [n_threads] if n_threads else [*powers, n_cores]
        self.times: list[list[tuple[float, float, float]]] = [[] for _ in self.candidates]
        """of each update: seconds of collecting, seconds of a gradient step, gradient steps"""

    @property
    def is_made(self) -> bool:
        return len(self.candidates) == 1 or all(len(t) >= self.ROUNDS for t in self.times)

    @property
    def current(self) -> int:
        """The one to use in the next update."""
        if not self.is_made:
            tried = [len(times) for times in self.times]
            return self.candidates[tried.index(min(tried))]
        best, seconds = 0, self._seconds()
        for k in range(1, len(seconds)):
            if seconds[k] < self.GAIN * seconds[best]:
                best = k
        return self.candidates[best]

    def _seconds(self) -> list[float]:
        """Of an update with each number, had all had as many gradient steps."""
        if len(self.candidates) == 1:
            return [0.0]
        mean_n = fmean(n for times in self.times for *_, n in times)
        return [
            median(collect for collect, *_ in times) + mean_n * median(step for _, step, _ in times)
            for times in self.times
        ]

    def apply(self) -> int:
        """Let PyTorch use them; how many they are."""
        torch.set_num_threads(self.current)
        return self.current

    def note(self, collect_s: float, learn_s: float, n_updates: float) -> None:
        """What an update took with the current number; without a gradient step it says nothing."""
        if not self.is_made and n_updates:
            at = self.candidates.index(self.current)
            self.times[at].append((collect_s, learn_s / n_updates, n_updates))

    def state_dict(self) -> dict[str, Any]:
        return {"candidates": self.candidates, "times": self.times}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """A resumed run goes on with the threads that it had: others round differently."""
        self.candidates = state["candidates"]
        self.times = [[tuple(one) for one in times] for times in state["times"]]


def free_memory() -> int:
    """Bytes that a program may still take on this machine, or in this container."""
    free = [2**63]
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        table = dict(line.split(":", 1) for line in lines)
        free.append(1024 * int(table["MemAvailable"].split()[0]))
    except (OSError, ValueError, KeyError):  # not on Linux: all that there is
        if hasattr(os, "sysconf"):
            free.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    group = Path("/sys/fs/cgroup")
    try:
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        free.append(limit - int((group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no limit, or none of this kind
        pass
    return min(free)


def _number(seed: np.random.SeedSequence) -> int:
    return int(seed.generate_state(1, np.uint64)[0] >> np.uint64(1))


def _checked_device(name: str) -> torch.device:
    """Refuse what this machine does not have before a network is built."""
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        said = str(error).splitlines()[0][:120]
        raise TerrariumError(f'device "{name}" cannot be used here: {said}') from None
    return device
