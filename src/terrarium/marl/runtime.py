"""Device, random generators, threads and memory of a run."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

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


def make_runtime(seed: np.random.SeedSequence, device: str = "cpu") -> Runtime:
    weights, later = seed.spawn(2)
    return Runtime(
        device=_checked_device(device),
        weights_seed=_number(weights),
        generator=torch.Generator().manual_seed(_number(later)),
    )


def use_threads(n_threads: int) -> int:
    """Let PyTorch use so many threads, or one for each core; how many that is."""
    affinity = getattr(os, "sched_getaffinity", None)
    n_cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    n_threads = n_threads or n_cores
    torch.set_num_threads(n_threads)
    return n_threads


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
