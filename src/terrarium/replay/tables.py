"""Tables of records as bytes: column by column, little-endian."""

import numpy as np

from terrarium.engine.records import Records
from terrarium.replay.files import damaged


def table_bytes(table: Records) -> bytes:
    """All columns of a table one after the other."""
    columns = (table[name] for name in table.dtype.names)
    return b"".join(c.astype(c.dtype.newbyteorder("<")).tobytes() for c in columns)


def table_of(raw: bytes, dtype: np.dtype[np.void], n: int, at: int) -> tuple[Records, int]:
    """A table from its columns, and where the next one begins."""
    table = np.zeros(n, dtype)
    for name in dtype.names or ():
        kind = dtype[name].newbyteorder("<")
        column = np.frombuffer(raw, np.uint8 if kind.kind == "b" else kind, n, at)
        if kind.kind == "b" and n and column.max() > 1:
            raise damaged(f"{name} is neither true nor false")
        table[name] = column
        at += n * kind.itemsize
    return table, at
