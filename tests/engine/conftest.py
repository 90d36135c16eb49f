"""Tests of the rules leave the tables as they found them."""

from collections.abc import Iterator

import pytest

from tests.engine.arena import restore_rules


@pytest.fixture(autouse=True)
def rules_as_they_were() -> Iterator[None]:
    yield
    restore_rules()
