"""Same bytes of a whole game, however it is computed, and when it is saved in the midst of it."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.engine.economy import busy_game
from tests.engine.test_same_bytes import ROOT


def digest_in_mode(setting: str, n_ticks: int) -> str:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.engine.economy.busy_game", str(n_ticks)],
        cwd=ROOT,
        env={**os.environ, setting: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return str(json.loads(answer.stdout))


def test_the_game_is_a_busy_one() -> None:
    sim = busy_game.new_game()
    busy_game.play(sim, 300)
    names = [sim.names[k] for k in sim.units["kind"][0][sim.units["alive"][0]]]
    for unit in ("egg", "zealot", "archon", "ravager", "warp_gate", "interceptor"):
        assert unit in names, unit
    assert "gateway" not in names
    busy_game.play(sim, busy_game.LONG)
    names = [sim.names[k] for k in sim.units["kind"][0][sim.units["alive"][0]]]
    assert "creep_tumor_burrowed" in names
    assert names.count("zergling") >= 4


def test_neither_batch_nor_threads_matter() -> None:
    alone = busy_game.lone_digest(busy_game.LONG)
    sim = busy_game.new_game(3, 2)
    busy_game.play(sim, busy_game.LONG)
    sims = [sim.games.units[e] for e in range(3)]
    assert all((one == sims[0]).all() for one in sims)
    single = busy_game.new_game()
    busy_game.play(single, busy_game.LONG)
    assert single.digest() == alone


@pytest.mark.parametrize("at", [20, 100, 650])
def test_a_game_that_is_saved_amid_all_this_goes_on_alike(at: int) -> None:
    sim = busy_game.new_game()
    made = busy_game.play(sim, at)
    save = sim.save()
    busy_game.play(sim, at + 60, at, made)
    meant = sim.digest()
    other = busy_game.new_game()
    other.load(save)
    busy_game.play(other, at + 60, at, made)
    assert other.digest() == meant


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "n_ticks"),
    [("NUMBA_BOUNDSCHECK", busy_game.LONG), ("NUMBA_DISABLE_JIT", busy_game.SHORT)],
)
def test_other_modes_agree_with_the_compiled_one(setting: str, n_ticks: int) -> None:
    assert digest_in_mode(setting, n_ticks) == busy_game.lone_digest(n_ticks)


def test_no_side_is_favored() -> None:
    """Two equal Zerg players on mirrored starts have the same larvae, eggs and creep."""
    sim = busy_game.new_game(races=("Zerg", "Zerg"))
    for _ in range(60):
        for u in range(300):
            if sim.units["alive"][0, u] and sim.names[sim.units["kind"][0, u]] == "larva":
                sim.produce(0, u, "drone")
        sim.step(10)
    minerals = sim.games.accounts["gathered_minerals"][0]
    assert abs(minerals[1] - minerals[2]) <= 25.0
    kinds = sim.units["kind"][0]
    counts = [
        np.bincount(kinds[sim.units["alive"][0] & (sim.units["owner"][0] == owner)], minlength=300)
        for owner in (1, 2)
    ]
    assert abs(counts[0] - counts[1]).sum() <= 2
    creep = sim.games.creep[0].reshape(int(sim.ground.size[1]), int(sim.ground.size[0]))
    assert ((creep > 0) == (creep[::-1, ::-1] > 0)).all()
