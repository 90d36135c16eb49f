"""From a fresh base with free resources everything of a race is made by orders alone: cost, time,
producer and requirement of each as in units.json and upgrades.json, to which `tests/data` compares
the facts that are used here."""

import math

import pytest

from terrarium.engine import codes
from terrarium.engine.jit import COMPILED
from tests.engine.economy.tech_tree import ROWS, RULES, SITES, Key, Walk

LOOPS = {"Terran": 22_000, "Protoss": 26_000, "Zerg": 26_000}

pytestmark = pytest.mark.skipif(not COMPILED, reason="a quarter of an hour of game time")


@pytest.fixture(scope="module", params=["Terran", "Protoss", "Zerg"])
def walk(request: pytest.FixtureRequest) -> Walk:
    done = Walk(request.param)
    done.walk(LOOPS[request.param])
    return done


def facts_of(key: Key) -> tuple[float, float, float]:
    """Minerals, gas and loops."""
    producer, product = key
    if product in RULES.upgrades:
        upgrade = RULES.upgrades[product]
        return upgrade.minerals, upgrade.vespene, upgrade.research_loops
    ways = [w for w in RULES.units[product].production if w.by == RULES.units[producer].id]
    assert ways[0].loops is not None
    return ways[0].pays_minerals, ways[0].pays_vespene, ways[0].loops


def test_everything_is_made(walk: Walk) -> None:
    assert walk.missing() == set()
    assert len({product for _, product in walk.done}) > 40


def test_all_of_it_has_its_price(walk: Walk) -> None:
    wrong = {key: paid for key, paid in walk.prices.items() if paid != facts_of(key)[:2]}
    assert not wrong


def test_all_of_it_takes_its_time(walk: Walk) -> None:
    """economy.md, 7: structures N loops from start to end; what is trained or researched N - 1
    after the loop in which it begins, a change of form one less."""
    wrong = {}
    for key, took in walk.done.items():
        how = walk.sim.rules.products["how"][ROWS[key]]
        loops = math.ceil(facts_of(key)[2])
        late = {codes.HOW_MORPH: 2}.get(int(how), 0 if how in SITES else 1)
        if took != loops - late:
            wrong[key] = (took, loops - late)
    assert not wrong


def test_requirements_are_asked_for_first(walk: Walk) -> None:
    """Whatever requires something was refused before that stood, as far as its producer did."""
    assert len(walk.refused) > 10
