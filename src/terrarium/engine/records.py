"""Record arrays: tables whose rows have named fields, the same to compiled and plain kernels."""

from typing import Any

import numpy as np

from terrarium.engine.jit import COMPILED

Records = Any
"""A structured array: kernels read its fields by name, which NumPy types as Any."""
_TAKEN = frozenset(dir(np.record))


def records(shape: int | tuple[int, ...], dtype: np.dtype[Any]) -> Records:
    """A zeroed record array whose elements have attributes in compiled and in plain mode."""
    clashes = _TAKEN.intersection(dtype.names or ())
    assert not clashes, f"plain mode would read NumPy's own {clashes} instead of the fields"
    array = np.zeros(shape, dtype)
    return array if COMPILED else array.view(np.recarray)
