"""One table said in several files: a unit, then the differences that rule sets put on top."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from terrarium.data.tables import FactsError, Lines, Table
from terrarium.errors import nearest

# Beyond 2**53 a float no longer holds every whole number; nothing in the game comes near.
_LARGEST = 2.0**53
_NO_LINES = Lines()


class Layers(Table):
    """Tables laid over each other; every error names the file and line that said it last.

    Nested tables merge, everything else is replaced. A layer may take back what the layers below
    it say with `remove = ["key"]`.
    """

    def __init__(self, layers: Sequence[Table]) -> None:
        super().__init__(layers[-1].file, {}, _NO_LINES, layers[-1].path)
        self.layers = tuple(layers)
        self._said_by: dict[str, list[Table]] = {}
        for height, layer in enumerate(layers):
            if height > 0:
                self._remove(layer)
            for key, value in layer.values.items():
                if height == 0 or key != "remove":
                    self.values[key] = value
                    self._said_by.setdefault(key, []).append(layer)

    def _remove(self, layer: Table) -> None:
        for key in layer.array("remove") if layer.has("remove") else ():
            if not isinstance(key, str) or key not in self.values:
                guess = nearest(str(key), self.values)
                raise layer.error(f"{key!r} is not there to be removed.{guess}", "remove")
            del self.values[key], self._said_by[key]

    def _origin(self, keys: tuple[str | int, ...]) -> Table:
        said_by = self._said_by.get(str(keys[0])) if keys else None
        return said_by[-1] if said_by else self.layers[-1]

    def line(self, *keys: str | int) -> int:
        return self._origin(keys).line(*keys)

    def error(self, message: str, *keys: str | int) -> FactsError:
        return self._origin(keys).error(message, *keys)

    def _get(self, key: str, kinds: tuple[type, ...], wanted: str) -> Any:
        value = super()._get(key, kinds, wanted)
        if isinstance(value, int | float):
            self._check_size(value, key)
        return value

    def _check_size(self, value: float, key: str) -> None:
        # Written so that NaN, which compares false with everything, is refused as well.
        if not -_LARGEST <= value <= _LARGEST:
            raise self.error(f"{value!r} is not a number that the game could hold", key)

    def table(self, key: str) -> "Layers":
        self._get(key, (dict,), "a table")
        parts = (layer for layer in self._said_by[key] if isinstance(layer.values[key], dict))
        return Layers([layer.table(key) for layer in parts])

    def table_or_empty(self, key: str) -> "Layers":
        return (
            self.table(key)
            if self.has(key)
            else Layers([Table(self.file, {}, _NO_LINES, self.path)])
        )

    def named_tables(self, key: str) -> Iterator[tuple[str, "Layers"]]:
        """The tables inside the table `key`, in the order of their first mention."""
        if self.has(key):
            outer = self.table(key)
            for name in outer.values:
                yield name, outer.table(name)

    def tables(self, key: str) -> Iterator["Layers"]:
        self.array(key)
        for table in self._said_by[key][-1].tables(key):
            yield Layers([table])

    def numbers(self, key: str, length: int | None = None) -> tuple[float, ...]:
        for value in self.array(key):
            if isinstance(value, int | float):
                self._check_size(value, key)
        return super().numbers(key, length)

    def number_or(
        self, key: str, default: float, low: float | None = None, high: float | None = None
    ) -> float:
        return self.number(key, low, high) if self.has(key) else default

    def number_or_none(self, key: str, low: float | None = None) -> float | None:
        return self.number(key, low) if self.has(key) else None

    def integer_or(self, key: str, default: int, low: int) -> int:
        return self.integer(key, low) if self.has(key) else default

    def integer_or_none(self, key: str, low: int) -> int | None:
        return self.integer(key, low) if self.has(key) else None

    def boolean_or(self, key: str, default: bool) -> bool:
        return self.boolean(key) if self.has(key) else default

    def choice_or(self, key: str, default: str, allowed: Iterable[str]) -> str:
        return self.choice(key, allowed) if self.has(key) else default

    def pair_or_none(self, key: str, ordered: bool = False) -> tuple[float, float] | None:
        """Two numbers; with `ordered`, from the lower to the higher."""
        if not self.has(key):
            return None
        first, second = self.numbers(key, 2)
        if ordered and first > second:
            raise self.error(f"{[first, second]} does not go from low to high", key)
        return first, second

    def integers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers without repetition, 0 or more; empty if not stated."""
        values = self.array(key) if self.has(key) else []
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < _LARGEST:
                raise self.error(f"{value!r} is not a whole number of 0 or more", key)
        self._check_repetition(key, values)
        return tuple(values)

    def words(self, key: str, default: Iterable[str], allowed: Iterable[str]) -> tuple[str, ...]:
        """A list of words of a vocabulary, each at most once."""
        if not self.has(key):
            return tuple(default)
        values, allowed = self.array(key), list(allowed)
        for value in values:
            if value not in allowed:
                guess = nearest(str(value), allowed)
                raise self.error(
                    f"unknown value {value!r}.{guess} Allowed: {', '.join(allowed)}", key
                )
        self._check_repetition(key, values)
        return tuple(values)

    def unit_name(self, value: object, known: Collection[str], *keys: str | int) -> str:
        """`value` if it is the name of a unit; else an error at `keys`."""
        if not isinstance(value, str):
            raise self.error(f"{value!r} is not the name of a unit", *keys)
        if value not in known:
            raise self.error(
                f'unknown unit "{value}".{nearest(value, known)} See: terrarium list units', *keys
            )
        return value

    def _check_repetition(self, key: str, values: list[Any]) -> None:
        for index, value in enumerate(values):
            if value in values[:index]:
                raise self.error(f"{value!r} is there twice", key)

    def amounts(self, key: str, allowed: Iterable[str]) -> dict[str, float]:
        """A table from words of a vocabulary to numbers of 0 or more; empty if not stated."""
        if not self.has(key):
            return {}
        table = self.table(key)
        table.only(allowed)
        return {word: table.number(word, 0) for word in table.values}
