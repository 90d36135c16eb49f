"""Damage that is close in time and place is one fight."""

import numpy as np

from terrarium.engine.battle import EVENT
from terrarium.replay.games.fights import PAUSE_TICKS, FightFinder


def hurt(finder: FightFinder, tick: int, x: float, y: float, owner: int = 1) -> None:
    """A unit of 50 minerals falls."""
    event = np.zeros(1, EVENT)
    event["x"], event["y"], event["owner"] = x, y, owner
    finder.note(tick // 4, tick, event, np.array([50.0]), np.array([50.0]))


def test_two_places_at_once_are_two_fights() -> None:
    finder = FightFinder(2)
    for tick in range(400, 800, 40):
        hurt(finder, tick, 30.0, 30.0)
        hurt(finder, tick, 90.0, 90.0, owner=2)
    first, second = finder.fights()
    assert (first.x, first.y, first.lost) == (30.0, 30.0, (500.0, 0.0))
    assert (second.x, second.y, second.lost) == (90.0, 90.0, (0.0, 500.0))
    assert (first.first, first.last) == (100, 190)


def test_a_fight_is_over_after_a_pause() -> None:
    finder = FightFinder(2)
    for begin in (400, 400 + 100 + PAUSE_TICKS + 1):
        for tick in range(begin, begin + 101, 20):
            hurt(finder, tick, 30.0, 30.0)
    assert [(f.first * 4, f.last * 4) for f in finder.fights()] == [(400, 500), (680, 780)]


def test_a_fight_moves_with_those_who_fight() -> None:
    finder = FightFinder(2)
    for k in range(60):
        hurt(finder, 400 + 10 * k, 30.0 + k, 30.0)
    (fight,) = finder.fights()
    assert fight.lost == (3000.0, 0.0)


def test_fights_that_meet_become_one() -> None:
    finder = FightFinder(2)
    for k in range(30):
        hurt(finder, 400 + 10 * k, 20.0 + k, 30.0)
        hurt(finder, 400 + 10 * k, 80.0 - k, 30.0, owner=2)
    (fight,) = finder.fights()
    assert fight.lost == (1500.0, 1500.0)
    assert 45.0 < fight.x < 55.0


def test_a_skirmish_is_no_fight() -> None:
    finder = FightFinder(2)
    hurt(finder, 400, 30.0, 30.0)
    assert [len(finder.fights())] == [1]
    finder = FightFinder(2)
    event = np.zeros(1, EVENT)
    event["owner"] = 1
    finder.note(1, 4, event, np.array([20.0]), np.array([0.0]))
    assert finder.fights() == ()
