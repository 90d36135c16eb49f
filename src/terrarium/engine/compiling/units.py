"""Units of machine code: taken from the cache, or built and put there."""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pkgutil import walk_packages

from terrarium.engine.compiling.cache import compiling_alone, prune, read_unit, write_unit
from terrarium.engine.compiling.objects import load
from terrarium.engine.compiling.sources import (
    digest_of,
    parts_of,
    reached_kernels,
    size_of,
    toolchain_digest,
)
from terrarium.engine.compiling.workers import Job, Workers
from terrarium.engine.jit import ENTRIES, Entry

logger = logging.getLogger(__name__)

WORTH_A_WORD = 3
"""Fewer units are compiled in seconds, without a word about it."""
_ADDRESSES: dict[str, int] = {}
_BUILT: dict[str, bytes] = {}
"""What this process has compiled, by the name of the file: it may be that none could be written."""
_loading = threading.RLock()


def entries_in(packages: Iterable[str]) -> list[Entry]:
    """Every entry of some packages, whose modules are imported for it."""
    packages = tuple(packages)
    for package in packages:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            import_module(module.name)
    inside = tuple(f"{package}." for package in packages)
    return [entry for name, entry in ENTRIES.items() if name.startswith(inside)]


def unit_name(entry: Entry) -> str:
    """The file of a unit in the cache."""
    return f"{entry.name}-{digest_of(entry)}.o"


def address_of(entry: Entry) -> int:
    """Where the machine code of an entry is; loads the units that it calls first."""
    with _loading:
        if entry.name not in _ADDRESSES:
            _, calls = reached_kernels(entry)
            for callee in calls:
                address_of(callee)
            _ADDRESSES[entry.name] = load(entry.name, _code_of(entry))
        return _ADDRESSES[entry.name]


def _code_of(entry: Entry) -> bytes:
    code = _kept(entry)
    if code is None:
        _compile_all_for(entry)
        code = _kept(entry)
        assert code is not None
    return code


def _kept(entry: Entry) -> bytes | None:
    name = unit_name(entry)
    return _BUILT[name] if name in _BUILT else read_unit(name)


def _compile_all_for(entry: Entry) -> None:
    """Compile a unit, and side by side with it whatever else will soon be missed."""
    others = [other for other in ENTRIES.values() if other is not entry]
    started = time.monotonic()
    # A warning, because it is for everybody who waits, whether they have set up logging or not.
    n_missing = 1 + sum(_kept(other) is None for other in others)
    if n_missing >= WORTH_A_WORD:
        logger.warning("Compiling the rules, once: %d units, about a minute.", n_missing)
    build_units([entry], others)
    if n_missing >= WORTH_A_WORD:
        logger.warning("Compiled in %.0f s.", time.monotonic() - started)


def build_units(
    needed: Iterable[Entry],
    welcome: Iterable[Entry] = (),
    progress: Callable[[float], None] = lambda share: None,
) -> list[Entry]:
    """Compile the units that are not kept yet, side by side; the entries that were compiled.

    What is only welcome may fail: its own first call will say why. `progress` hears which share
    of the work is done.
    """
    with compiling_alone(toolchain_digest()):
        needed = [entry for entry in needed if _kept(entry) is None]
        wanted = needed + [entry for entry in welcome if _kept(entry) is None]
        parts = _build_side_by_side(wanted, progress)
        for entry in needed:
            if unit_name(entry) not in _BUILT:
                from terrarium.engine.compiling.backend import link, lower

                own = [parts.get(part.name) or lower(part) for part in parts_of(entry)]
                _keep(entry, link(entry, own))
        prune()
    return [entry for entry in wanted if unit_name(entry) in _BUILT]


def _build_side_by_side(
    entries: list[Entry], progress: Callable[[float], None]
) -> dict[str, bytes]:
    """Build units in other processes, as far as that works; intermediate code by its kernel."""
    needs = {entry.name: parts_of(entry) for entry in entries}
    sizes = {part.name: size_of(part) for parts in needs.values() for part in parts}
    weights = {name: sum(sizes[part.name] for part in parts) for name, parts in needs.items()}
    # The largest unit takes longest to link, so its kernels are lowered first.
    lowering: dict[str, Job] = {}
    for entry in sorted(entries, key=lambda entry: weights[entry.name], reverse=True):
        for part in needs[entry.name]:
            lowering.setdefault(part.name, Job(part, weights[entry.name]))
    total = sum(sizes.values()) + sum(weights.values())
    parts: dict[str, bytes] = {}
    unlinked = list(entries)
    work = 0

    def done(job: Job, code: bytes) -> list[Job]:
        """Keep what was made; the answer is the units that can be linked now."""
        nonlocal work
        if job.parts is not None:
            assert isinstance(job.kernel, Entry)
            _keep(job.kernel, code)
            work += weights[job.kernel.name]
        else:
            parts[job.kernel.name] = code
            work += sizes[job.kernel.name]
        progress(work / total)
        ready = [e for e in unlinked if all(part.name in parts for part in needs[e.name])]
        for entry in ready:
            unlinked.remove(entry)
        return [
            Job(e, weights[e.name], [parts[part.name] for part in needs[e.name]]) for e in ready
        ]

    with Workers(entries, len(lowering)) as workers:
        workers.run(lowering.values(), done)
    return parts


def _keep(entry: Entry, code: bytes) -> None:
    name = unit_name(entry)
    _BUILT[name] = code
    write_unit(name, code)
