"""Selections of cases that hold every value of every axis, where the product would say no more."""

from collections.abc import Iterable
from itertools import cycle, product
from typing import Any

import pytest


def in_turn(cases: Iterable[Any], *axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Every case once, with the combinations of the other axes taking turns.

    With more cases than combinations, every combination is met by several cases. For cases that
    do not know of the axes: what breaks a combination breaks it for some of its cases.
    """
    combinations = cycle(list(product(*axes)))
    return [(case, *combination) for case, combination in zip(cases, combinations, strict=False)]


def few_quick(cases: Iterable[Any], every: int = 8) -> list[Any]:
    """All cases, of which the quick selection (`-m "not slow"`) has every eighth."""
    return [
        case if k % every == 0 else pytest.param(*_values(case), marks=pytest.mark.slow)
        for k, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
