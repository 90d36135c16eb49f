"""Threads of PyTorch: waiting ones sleep, and there are as many as make updates fast."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
import torch

from terrarium.marl.runtime import ThreadChoice

_PROGRAM = """
import os, sys
import terrarium.cli
import terrarium.marl
assert "torch" not in sys.modules, "OpenMP would have read its settings already"
import torch
print(os.environ["OMP_WAIT_POLICY"], os.environ["KMP_BLOCKTIME"])
"""


@pytest.mark.parametrize("chosen", [{}, {"OMP_WAIT_POLICY": "ACTIVE", "KMP_BLOCKTIME": "7"}])
def test_waiting_threads_sleep_unless_a_user_says_otherwise(chosen: dict[str, str]) -> None:
    clean = {k: v for k, v in os.environ.items() if k not in ("OMP_WAIT_POLICY", "KMP_BLOCKTIME")}
    said = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env={**clean, **chosen},
        capture_output=True,
        text=True,
        check=True,
    )
    expected = [chosen.get("OMP_WAIT_POLICY", "PASSIVE"), chosen.get("KMP_BLOCKTIME", "0")]
    assert said.stdout.split() == expected


@pytest.fixture
def same_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def chosen(n_cores: int, seconds: dict[int, tuple[float, float]]) -> ThreadChoice:
    """A choice that has seen updates of so many seconds of collecting and of a gradient step."""
    choice = ThreadChoice(0, n_cores)
    for k in range(100):
        if choice.is_made:
            return choice
        collect, step = seconds[choice.current]
        hiccup = 50.0 if k == 0 else 0.0  # the first update of all takes long
        n = 10 + k % 3
        choice.note(collect + hiccup, n * step, n)
    raise AssertionError("no choice was made")


@pytest.mark.parametrize(
    ("n_cores", "seconds", "expected"),
    [
        (1, {}, 1),
        (2, {1: (1.0, 0.1), 2: (0.9, 0.06)}, 2),
        (2, {1: (1.0, 0.1), 2: (0.98, 0.095)}, 1),  # not worth a core
        (2, {1: (1.0, 0.1), 2: (9.0, 0.9)}, 1),  # somebody else has the other core
        (6, {1: (1.0, 0.1), 2: (0.6, 0.06), 4: (0.4, 0.03), 6: (0.4, 0.03)}, 4),
    ],
)
def test_the_fastest_threads_are_taken(
    n_cores: int, seconds: dict[int, tuple[float, float]], expected: int
) -> None:
    choice = chosen(n_cores, seconds)
    assert choice.current == expected
    resumed = ThreadChoice(0, 1)  # on another machine
    resumed.load_state_dict(choice.state_dict())
    assert resumed.current == expected


def test_a_fixed_number_is_not_measured(same_threads: None) -> None:
    choice = ThreadChoice(3, 2)
    choice.note(1.0, 1.0, 1.0)
    assert choice.is_made
    assert choice.apply() == 3 == torch.get_num_threads()


def test_updates_without_a_gradient_step_say_nothing() -> None:
    choice = ThreadChoice(0, 2)
    for _ in range(10):
        choice.note(1.0, 0.0, 0.0)
    assert not choice.is_made
    assert choice.current == 1
