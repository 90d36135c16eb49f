"""Columns of 16-bit numbers as bytes: what light records and pages store.

Every column is a table [rows, length]. Along a row the differences are stored, modulo 2**16, and
their low bytes before their high bytes: that is what compression likes best. `viewer/columns.js`
reads the same.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

HIGHEST = 65_535

Column = NDArray[np.uint16]
Columns = dict[str, Column]
Layout = Sequence[tuple[str, int, int]]
"""Name, rows and length of every column, in their order."""


def pack(columns: Iterable[Column]) -> bytes:
    """All columns one after the other."""
    parts = []
    for column in columns:
        change = np.diff(column, axis=1, prepend=np.uint16(0))
        parts += [(change & 255).astype(np.uint8).tobytes(), (change >> 8).astype(np.uint8)]
    return b"".join(bytes(part) for part in parts)


def unpack(raw: bytes, layout: Layout) -> Columns:
    """The columns of `pack`; `raw` has `packed_size` bytes."""
    columns, at = {}, 0
    for name, rows, length in layout:
        n = rows * length
        low, high = (np.frombuffer(raw, np.uint8, n, at + part * n) for part in (0, 1))
        change = (low.astype(np.uint16) | high.astype(np.uint16) << 8).reshape(rows, length)
        columns[name] = np.cumsum(change, axis=1, dtype=np.uint16)
        at += 2 * n
    return columns


def packed_size(layout: Layout) -> int:
    return sum(2 * rows * length for _, rows, length in layout)
