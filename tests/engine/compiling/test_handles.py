"""Handles: the table of a bundle, as machine code reads it."""

from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from terrarium.engine.handles import Handle, handle, handles, layout_of
from terrarium.engine.jit import COMPILED


class Inner(NamedTuple):
    rows: Annotated[NDArray[np.int64], "i8", "A B"]


class Outer(NamedTuple):
    own: Inner
    shared: Inner
    last: Annotated[NDArray[np.float64], "f8", "C"]


def test_tables_of_bundles_follow_each_other() -> None:
    words = {field.name: field.word for field in layout_of(Outer).fields}
    assert words == {"own": 0, "shared": 3, "last": 6}
    assert layout_of(Outer).n_words == 8


@pytest.mark.skipif(not COMPILED, reason="plain mode hands over the bundles themselves")
def test_a_table_holds_those_of_its_bundles() -> None:
    own, shared = np.zeros((2, 3, 4), np.int64), np.zeros((5, 6), np.int64)
    last = np.zeros((2, 7))
    outer = handles(
        Outer, 2, own=handles(Inner, 2, rows=own), shared=handle(Inner(shared)), last=last
    )
    for e in range(2):
        item = outer[e]
        assert isinstance(item, Handle)
        assert item.words.tolist() == [
            own[e].ctypes.data,
            3,
            4,
            shared.ctypes.data,
            5,
            6,
            last[e].ctypes.data,
            7,
        ]
