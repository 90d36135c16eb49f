"""Same rules, seed and orders give the same bytes, however they are computed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.engine.digests import BATTLES, PLAIN, digests, lone_digests
from tests.engine.scripts import give_random_orders, play

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = Path(__file__).with_name("golden_digests.json")


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    return lone_digests(BATTLES)


# Threads share a batch by places, whatever the battle: one battle is played in every way.
SHARED = [
    *((name, n_envs, threads) for name in BATTLES for n_envs, threads in ((7, 1), (16, 2))),
    *(("smac/2s3z", n_envs, threads) for n_envs, threads in ((2, 2), (7, 2), (16, 1))),
    pytest.param("smac/2s3z", 96, 2, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "n_envs", "threads"), SHARED)
def test_neither_batch_nor_place_nor_threads_matter(
    alone: dict[str, str], name: str, n_envs: int, threads: int
) -> None:
    assert set(digests(name, BATTLES[name], n_envs, threads)) == {alone[name]}


def digests_in_mode(setting: str, *words: str) -> dict[str, str]:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.engine.digests", *words],
        cwd=ROOT,
        env={**os.environ, setting: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, str] = json.loads(answer.stdout)
    return found


def test_bounds_checked_mode_agrees_with_the_compiled_one(alone: dict[str, str]) -> None:
    assert digests_in_mode("NUMBA_BOUNDSCHECK") == alone


@pytest.mark.slow
def test_plain_mode_agrees_with_the_compiled_one() -> None:
    assert digests_in_mode("NUMBA_DISABLE_JIT", "plain") == lone_digests(PLAIN)


def test_battles_are_what_they_were(alone: dict[str, str], update_golden: bool) -> None:
    """A change of behavior must be meant: raise RULES_VERSION and run with --update-golden."""
    if update_golden:
        GOLDEN.write_text(json.dumps(alone, indent=2) + "\n")
    assert json.loads(GOLDEN.read_text()) == alone


def test_other_seeds_give_other_battles() -> None:
    sim = Simulator("smac/3m", 4)
    for _ in range(20):
        sim.step()
    assert len({sim.digest(e) for e in range(4)}) == 4


@pytest.mark.parametrize("name", ["smac/MMM2", "smac/2c_vs_64zg", "smacv2/protoss_10_vs_11"])
def test_a_loaded_game_goes_on_as_if_nothing_had_happened(name: str) -> None:
    seeds = np.arange(3)
    sim = Simulator(name, 3)
    play(sim, seeds, 30)
    save = sim.save()

    def go_on() -> str:
        for step in range(100):
            give_random_orders(sim, seeds, 1000 + step, share=0.05)
            sim.step()
        return sim.digest()

    first = go_on()
    assert first != _digest_of(save, sim)
    sim.load(save)
    assert go_on() == first


def _digest_of(save: object, sim: Simulator) -> str:
    """The digest of a save, without disturbing the game that goes on."""
    present = sim.save()
    sim.load(save)  # type: ignore[arg-type]
    digest = sim.digest()
    sim.load(present)
    return digest


def test_a_branch_equals_its_source_until_it_is_told_otherwise() -> None:
    sim = Simulator("smac/2s3z", 3)
    sim.reset([5, 6, 7])
    sim.step(20)
    sim.branch(0, [1, 2])
    sim.step(20)
    assert sim.digest(0) == sim.digest(1) == sim.digest(2)
    sim.order(2, 0, codes.MOVE, at=(20.0, 20.0))
    sim.step(50)
    assert sim.digest(0) == sim.digest(1) != sim.digest(2)
