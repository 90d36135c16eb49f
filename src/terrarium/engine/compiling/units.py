"""Units of machine code: taken from the cache, or built and put there."""

from terrarium.engine.compiling.objects import load, read_object, write_object
from terrarium.engine.compiling.sources import digest_of, reached_kernels
from terrarium.engine.jit import Entry

_ADDRESSES: dict[str, int] = {}


def address_of(entry: Entry) -> int:
    """Where the machine code of an entry is; loads the units that it calls first."""
    if entry.name not in _ADDRESSES:
        _, calls = reached_kernels(entry)
        for callee in calls:
            address_of(callee)
        name = f"{entry.name}-{digest_of(entry)}.o"
        code = read_object(name)
        if code is None:
            from terrarium.engine.compiling.backend import build

            code = build(entry)
            write_object(name, code)
        _ADDRESSES[entry.name] = load(entry.name, code)
    return _ADDRESSES[entry.name]
