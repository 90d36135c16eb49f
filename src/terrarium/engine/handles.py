"""Handles: what kernels hold instead of arrays.

A *bundle* is a NamedTuple of arrays and of other bundles, such as `Game` or `Rules`. Kernels get
one handle to it, whose attributes are those of the bundle. To the compiler the handle is one
pointer to a table of addresses and lengths; passing the arrays by value would move hundreds of
words at every call, which doubles the time to compile and halves the speed. Plain mode hands over
the bundle itself.

The fields of a bundle state their layout once, for readers, type checkers and the compiler:

    class Game(NamedTuple):
        units: Annotated[Records, UNIT, "U"]  # an array of UNIT records with one axis
        rules: Rules  # another bundle
        more: Annotated[Any, made]  # one that a function makes when it is asked for
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.jit import COMPILED

Bundle = TypeVar("Bundle")

_WORD = 8


@dataclass(frozen=True)
class ArrayField:
    """An array of a bundle: in the table its address, then the length of each axis."""

    name: str
    dtype: np.dtype[Any]
    n_axes: int
    word: int


@dataclass(frozen=True)
class BundleField:
    """A bundle in a bundle: its table is a part of the other's, so it needs no address to load."""

    name: str
    kind: type
    word: int


@dataclass(frozen=True)
class TableLayout:
    """The table of a bundle: which word means what."""

    name: str
    fields: tuple[ArrayField | BundleField, ...]
    n_words: int


@cache
def layout_of(kind: Any) -> TableLayout:
    """The table that the annotations of a bundle describe."""
    fields: list[ArrayField | BundleField] = []
    word = 0
    for name, hint in get_type_hints(kind, include_extras=True).items():
        if get_origin(hint) is Annotated:
            _, *layout = get_args(hint)
            if len(layout) == 2:
                dtype, axes = layout
                n_axes = len(axes.split())
                fields.append(ArrayField(name, np.dtype(dtype), n_axes, word))
                word += 1 + n_axes
                continue
            hint = layout[0]()  # a function that makes the bundle
        fields.append(BundleField(name, hint, word))
        word += layout_of(hint).n_words
    return TableLayout(kind.__name__, tuple(fields), word)


class Handle:
    """The address of one table, or of the first of several of one kind."""

    def __init__(self, kind: Any, tables: NDArray[np.int64], first: int, keeps: object) -> None:
        self.kind = kind
        self.words = tables[first]
        self.address = self.words.ctypes.data
        self._as_parameter_ = ctypes.c_void_p(self.address)
        self._tables = tables
        self._keeps = keeps  # whatever the table points to must live as long as the table

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, e: int) -> "Handle":
        return Handle(self.kind, self._tables, range(len(self._tables))[e], self._keeps)


def handle(bundle: Bundle) -> Bundle:
    """The handle to one bundle, whose arrays must stay where they are."""
    if not COMPILED:
        return bundle
    kind: Any = type(bundle)
    values = {
        field.name: value[None] if isinstance(value, np.ndarray) else handle(value)
        for field, value in zip(layout_of(kind).fields, cast(tuple[Any, ...], bundle), strict=True)
    }
    return cast(Bundle, Handle(kind, _tables(kind, 1, values), 0, values))


def handles(kind: type[Bundle], n: int, **values: Any) -> Sequence[Bundle]:
    """Handles to `n` bundles of one kind, such as the games of a batch.

    Each array has the axis of the batch first and is cut along it. A bundle among the values is
    shared by all; a sequence of `n` gives each its own.
    """
    if not COMPILED:
        rows = []
        for e in range(n):
            row = {
                name: value[e] if isinstance(value, (np.ndarray, list)) else value
                for name, value in values.items()
            }
            rows.append(kind(**row))
        return rows
    return cast(Sequence[Bundle], Handle(kind, _tables(kind, n, values), 0, values))


def _tables(kind: Any, n: int, values: dict[str, Any]) -> NDArray[np.int64]:
    layout = layout_of(kind)
    assert values.keys() == {field.name for field in layout.fields}, f"fields of {layout.name}"
    tables = np.zeros((n, layout.n_words), np.int64)
    for field in layout.fields:
        value = values[field.name]
        if isinstance(field, BundleField):
            shared = isinstance(value, Handle) and len(value) == 1
            last = field.word + layout_of(field.kind).n_words
            for e in range(n):
                tables[e, field.word : last] = (value if shared else value[e]).words
            continue
        where = f"{layout.name}.{field.name}"
        assert value.shape[0] == n, f"{where} has {value.shape[0]} rows instead of {n}"
        assert value.ndim == field.n_axes + 1, f"{where} has {value.ndim} axes"
        assert value.dtype == field.dtype, f"{where} is {value.dtype}"
        assert value[:1].flags.c_contiguous, f"{where} is not contiguous"
        tables[:, field.word] = value.ctypes.data + value.strides[0] * np.arange(n)
        tables[:, field.word + 1 : field.word + 1 + field.n_axes] = value.shape[1:]
    return tables
