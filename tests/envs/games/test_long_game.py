"""A game of ten minutes is the same to the byte in every mode, and after it was saved."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.building import ROOT
from tests.envs.games import long_game

PLAIN_LOOPS = 4
"""The plain mode goes on from the state of each minute for so long."""


def in_mode(setting: str, *options: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.envs.games.long_game", *options],
        cwd=ROOT,
        env={**os.environ, setting: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return list(json.loads(done.stdout))


def test_a_saved_game_goes_on_alike_in_the_middle_of_everything(tmp_path: Path) -> None:
    minutes = long_game.digests(3 * long_game.MINUTE, tmp_path)
    assert len(minutes) == len(set(minutes)) == 3
    assert long_game.digests(2 * long_game.MINUTE) == minutes[:2]
    env = long_game.new_game(2 * long_game.MINUTE)
    while not env.over:
        env.step()
    env.sim.step(40)
    save = tmp_path / f"{2 * long_game.MINUTE}.npz"
    assert long_game.go_on(long_game.new_game().sim, save, 40) == env.sim.digest()


@pytest.mark.slow
def test_ten_minutes_are_the_same_in_every_mode(tmp_path: Path) -> None:
    minutes = long_game.digests(long_game.LOOPS, tmp_path)
    assert len(minutes) == 10
    assert in_mode("NUMBA_BOUNDSCHECK") == minutes
    meant = [
        long_game.go_on(long_game.new_game().sim, tmp_path / f"{k}.npz", PLAIN_LOOPS)
        for k in range(long_game.MINUTE, long_game.LOOPS + 1, long_game.MINUTE)
    ]
    options = ("--saves", str(tmp_path), "--loops", str(PLAIN_LOOPS))
    assert in_mode("NUMBA_DISABLE_JIT", *options) == meant
