"""Record arrays: tables whose rows have named fields, the same to compiled and plain kernels."""

from functools import cache
from operator import itemgetter
from typing import Any

import numpy as np

from terrarium.engine.jit import COMPILED

Records = Any
"""A structured array: kernels read its fields by name, which NumPy types as Any."""
_TAKEN = frozenset(dir(np.void))


def records(shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> Records:
    """A zeroed record array whose elements have attributes in compiled and in plain mode."""
    clashes = _TAKEN.intersection(dtype.names or ())
    assert not clashes, f"plain mode would read NumPy's own {clashes} instead of the fields"
    return np.zeros(shape, dtype if COMPILED else _with_attributes(dtype))


@cache
def _with_attributes(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The same layout, for rows whose fields are attributes.

    Not NumPy's `recarray`, which looks up each field in Python: plain mode would take five times
    as long.
    """
    fields = {name: property(itemgetter(name), _setter(name)) for name in dtype.names or ()}
    return np.dtype((type("Row", (np.void,), fields), dtype))


def _setter(name: str) -> Any:
    def set_field(row: np.void, value: Any) -> None:
        row[name] = value

    return set_field
