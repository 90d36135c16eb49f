"""Selections of cases that hold every value of every axis, where the product would say no more."""

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any


def in_turn(cases: Iterable[Any], *axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Every case once, with the combinations of the other axes taking turns.

    With more cases than combinations, every combination is met by several cases. For cases that
    do not know of the axes: what breaks a combination breaks it for some of its cases.
    """
    combinations = cycle(list(product(*axes)))
    return [(case, *combination) for case, combination in zip(cases, combinations, strict=False)]
