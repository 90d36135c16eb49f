"""Schedules: what a text means at each share of a run, and what is answered to mistakes."""

import copy
import math
import pickle
import tomllib
from dataclasses import asdict, dataclass

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from terrarium.config import ConfigError, Layer, describe, given, layer_from_words, to_toml
from terrarium.errors import TerrariumError
from terrarium.schedules import Schedule, check_schedule


@dataclass(frozen=True)
class Part:
    """Something with a schedule."""

    rate: Schedule = Schedule("1 -> 0.5")
    """how fast"""


def read(*layers: Layer) -> Part:
    return Part(**given({"part": Part}, layers)["part"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.1", {0.0: 0.1, 0.5: 0.1, 1.0: 0.1}),
        (3, {0.0: 3.0, 1.0: 3.0}),
        (1e-5, {0.0: 1e-5}),
        ("1 -> 0.5", {0.0: 1.0, 0.5: 0.75, 1.0: 0.5}),
        ("1->0.5", {0.5: 0.75}),
        ("  1   ->\n0.5 ", {0.5: 0.75}),
        ("1 -> 0.5 at 10%", {0.05: 0.75, 0.1: 0.5, 0.2: 0.5, 1.0: 0.5}),
        ("1 -> 0.5 at 10 %", {0.05: 0.75, 0.1: 0.5}),
        ("1 -> 0.5 at 0.1", {0.05: 0.75, 0.1: 0.5, 1.0: 0.5}),
        (
            "1 -> 0.5 at 10% -> 0.1 at 50%",
            {0.05: 0.75, 0.1: 0.5, 0.3: 0.3, 0.5: 0.1, 0.9: 0.1},
        ),
        ("0 -> 1 at 20% -> 0", {0.0: 0.0, 0.1: 0.5, 0.2: 1.0, 0.6: 0.5, 1.0: 0.0}),
        ("-1 -> 1 linear", {0.0: -1.0, 0.5: 0.0, 1.0: 1.0}),
        ("1 -> 0.01 exponential", {0.0: 1.0, 0.5: 0.1, 1.0: 0.01}),
        ("1 -> 0 cosine", {0.0: 1.0, 1 / 3: 0.75, 0.5: 0.5, 2 / 3: 0.25, 1.0: 0.0}),
        ("1 -> 0 at 50% cosine -> 4", {0.25: 0.5, 0.5: 0.0, 0.75: 2.0}),
        ("4 -> 1 at 50% exponential", {0.25: 2.0, 0.75: 1.0}),
    ],
    ids=str,
)
def test_a_schedule_means_what_it_says(text: str | float, expected: dict[float, float]) -> None:
    schedule = Schedule(text)
    for share, value in expected.items():
        assert schedule.at(share) == pytest.approx(value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fast", '"fast" is no schedule: "fast" is not a number; write 0.1, 1 -> 0.05 or'),
        ("", '"" is not a number'),
        (math.nan, '"nan" is not a number'),
        (math.inf, '"inf" is not a number'),
        ("1e999", '"1e999" is not a number'),
        (True, '"True" is not a number'),
        ("1 ->", '"" is not of the form 0.05 at 10% cosine'),
        ("1 -> 0.5 at", '"0.5 at" is not of the form'),
        ("1 -> 0.5 at 10% linear cosine", "is not of the form"),
        ("1 at 10% -> 0", '"1 at 10%" is not a number'),
        ("1 -> 0 at 10", '"at 10" is after the end of the run, which is at 100% or 1'),
        ("1 -> 0 at 101%", '"at 101%" is after the end of the run'),
        ("1 -> 0 at soon", '"soon" is not a number'),
        ("1 -> 0 at 0%", '"0 at 0%" must end later than the leg before, and after 0%'),
        ("1 -> 0.5 at 50% -> 0 at 20%", '"0 at 20%" must end later than the leg before'),
        ("1 -> 0.5 -> 0", '"0.5" does not say when it ends'),
        ("1 -> 0.5 cosin", 'unknown shape "cosin". Did you mean "cosine"? Allowed: linear,'),
        ("1 -> 0 exponential", "both ends of an exponential leg must be above 0"),
        ("-1 -> 1 exponential", "both ends of an exponential leg must be above 0"),
    ],
    ids=str,
)
def test_mistakes_get_one_line_with_an_example(text: str, message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        Schedule(text)
    assert message in str(caught.value)
    assert str(caught.value).endswith("or 1 -> 0.05 at 10% -> 0.01 at 50% cosine")
    assert "\n" not in str(caught.value)


@examples(
    st.lists(st.floats(1e-6, 1e6), min_size=2, max_size=5),
    st.sampled_from(["linear", "exponential", "cosine"]),
    st.floats(0.0, 1.0),
)
def test_a_schedule_stays_between_its_corners(
    values: list[float], shape: str, share: float
) -> None:
    first, *others = values
    n = len(others)
    text = " -> ".join([str(first), *(f"{v} at {k / n} {shape}" for k, v in enumerate(others, 1))])
    schedule = Schedule(text)
    assert schedule.values == tuple(values)
    for k, value in enumerate(values):
        assert schedule.at(k / n) == value
    slack = 1.0 + 1e-12  # rounding
    assert min(values) / slack <= schedule.at(share) <= max(values) * slack


def test_a_schedule_is_a_text_that_can_be_copied_and_kept() -> None:
    schedule = Schedule("1 -> 0.5 at 10%")
    assert schedule == "1 -> 0.5 at 10%"
    assert Schedule(0.1) == Schedule("0.1") != Schedule("0.10")
    copies = (
        copy.copy(schedule),
        copy.deepcopy(schedule),
        pickle.loads(pickle.dumps(schedule)),
        asdict(Part(schedule))["rate"],
    )
    for other in copies:
        assert type(other) is Schedule
        assert other == schedule
        assert other.at(0.05) == 0.75


def test_ranges_are_checked_at_every_corner() -> None:
    check_schedule("a.b", Schedule("0 -> 1"), 0.0, 1.0)
    check_schedule("a.b", Schedule("0 -> 1e9"), 0.0)
    with pytest.raises(TerrariumError, match=r"^a\.b is 0 -> 2 at 5% -> 1; allowed: 0 to 1$"):
        check_schedule("a.b", Schedule("0 -> 2 at 5% -> 1"), 0.0, 1.0)
    with pytest.raises(TerrariumError, match=r"^a\.b is 1 -> -1; allowed: 0 or more$"):
        check_schedule("a.b", Schedule("1 -> -1"), 0.0)
    with pytest.raises(TerrariumError, match=r"^a\.b is 0\.5; write Schedule\(0\.5\)$"):
        check_schedule("a.b", 0.5, 0.0)  # type: ignore[arg-type]  # what this is about


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("part.rate=3e-4", "0.0003"),
        ("part.rate=1", "1"),
        ("part.rate=1 -> 0.1", "1 -> 0.1"),
        ('part.rate="1 -> 0.1"', "1 -> 0.1"),
        ("part.rate=1->0.1 at 10%", "1->0.1 at 10%"),
    ],
)
def test_the_command_line_takes_numbers_and_schedules(word: str, text: str) -> None:
    rate = read(layer_from_words([word])).rate
    assert type(rate) is Schedule
    assert rate == text


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("fast", 'x.toml: part.rate: "fast" is no schedule: "fast" is not a number; write'),
        (math.inf, 'x.toml: part.rate: "inf" is no schedule'),
        (True, "x.toml: part.rate is True; it must be a number or text"),
        ([1, 2], "x.toml: part.rate is [1, 2]; it must be a number or text"),
    ],
)
def test_mistakes_name_the_setting_and_where_it_stands(value: object, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(Layer("x.toml", {"part": {"rate": value}}))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("text", ["0.1", "1 -> 0.05 at 10% -> 0.01 exponential", 3e-4, 7])
def test_what_is_written_is_read_back(text: str | float) -> None:
    part = Part(Schedule(text))
    again = read(Layer("x", tomllib.loads(to_toml({"part": asdict(part)}))))
    assert again == part
    assert again.rate.at(0.05) == part.rate.at(0.05)


def test_lists_of_settings_call_it_a_schedule() -> None:
    (setting,) = describe("part", Part)
    assert (setting.kind, setting.default) == ("schedule", '"1 -> 0.5"')
