"""Whatever is sent: every answer says where the game is, no mistake of the server shows, and the
game goes on. `terrarium bench fuzz --messages 1000000` sends more."""

import pytest

from terrarium.bench.api_fuzz.config import FuzzConfig
from terrarium.bench.api_fuzz.fuzz import Fuzzing, fuzz
from terrarium.bench.api_fuzz.messages import MessageMaker
from terrarium.errors import TerrariumError
from tests.program import call_program


def test_no_message_breaks_the_server() -> None:
    result = fuzz(FuzzConfig(messages=700, seed=5))
    assert result.faults == ()
    assert result.answered > 100
    assert result.refused > 100
    assert result.loops > 100


def test_equal_seeds_make_equal_messages() -> None:
    one, same, other = MessageMaker(3), MessageMaker(3), MessageMaker(4)
    some = [one.next() for _ in range(50)]
    assert some == [same.next() for _ in range(50)]
    assert some != [other.next() for _ in range(50)]


def test_a_mistake_of_the_server_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    fuzzing = Fuzzing(1)
    monkeypatch.setattr(type(fuzzing._session.playing), "step", lambda *_: 1 // 0)
    for _ in range(60):
        fuzzing.send_next()
    assert any("ZeroDivisionError" in fault for fault in fuzzing.faults)


def test_a_fuzzing_without_messages_is_refused() -> None:
    with pytest.raises(TerrariumError, match="1 message or more"):
        FuzzConfig(messages=0)


def test_the_command_shows_what_became_of_the_messages() -> None:
    answer = call_program("bench", "fuzz", "--messages", "60")
    assert answer.code == 0
    assert "slowest" in answer.out
