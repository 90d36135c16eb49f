"""Every structure, unit, morph and upgrade of a race, made in a game by orders alone."""

import pytest

from tests.engine.economy.walks import Walk


@pytest.mark.slow
@pytest.mark.parametrize("race", ["Zerg"])
def test_a_whole_tech_tree(race: str) -> None:
    """Prices, times, requirements and producers are those of units.json and upgrades.json."""
    walk = Walk(race)
    walk.check_units()
    walk.go(limit=60_000)
    assert walk.missing() == []
    assert walk.wrong == []
    assert len(walk.done) >= 70
