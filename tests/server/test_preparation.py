"""What the server loads before a client asks for a game."""

import threading

import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.games.neutral import with_neutral
from terrarium.engine.tables.types_from_facts import compile_rules
from terrarium.server.live_game import RULES
from terrarium.server.process.prepare import Preparation, parts_of_games


def test_stopping_waits_for_the_part_under_way_and_leaves_out_the_others() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), []

    def first() -> None:
        begun.set()
        assert may_end.wait(60)
        done.append("first")

    preparation = Preparation([first, lambda: done.append("second")])
    assert begun.wait(60)
    stopping = threading.Thread(target=preparation.stop)
    stopping.start()
    assert stopping.is_alive()
    while not preparation.is_stopping:
        pass
    may_end.set()
    stopping.join(60)
    assert done == ["first"]


def test_a_part_that_fails_is_logged_and_stops_nobody(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise OSError("no disk")

    Preparation([fails]).join()
    assert "no disk" in caplog.text


def test_the_tables_of_whole_games_are_made_before_a_game_needs_them() -> None:
    for part in parts_of_games():
        part()
    made = compile_rules.cache_info()
    compile_rules(with_neutral(load_ruleset(RULES)))
    assert compile_rules.cache_info().misses == made.misses
