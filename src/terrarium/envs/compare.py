"""Players side by side on the same battles: the mean of the scenario's measure, with intervals."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.evaluate import Z_95
from terrarium.envs.players.players import Commander, make_player
from terrarium.envs.players.stage import Stage
from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class Mark:
    """What one player achieved."""

    player: str
    scores: NDArray[np.float64]
    """of each battle"""
    good: float
    """from here on a battle counts as won"""
    seconds: float

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def half(self) -> float:
        """of the interval around the mean, with a confidence of 95 %"""
        return half_width(self.scores)

    @property
    def good_rate(self) -> float:
        return float((self.scores >= self.good - 1e-9).mean())


def half_width(values: NDArray[np.float64]) -> float:
    """Half of the 95 % interval of a mean."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    return Z_95 * spread / math.sqrt(len(values))


def margin(one: Mark, other: Mark) -> tuple[float, float]:
    """How much better one is than the other on the same battles, and half of the interval."""
    gain = one.scores - other.scores
    return float(gain.mean()), half_width(gain)


def compare_players(
    scenario: Scenario | str | Path,
    players: Sequence[str],
    n_battles: int = 500,
    seed: int = 0,
    batch: int = 250,
    threads: int = 1,
) -> list[Mark]:
    """Let each player fight the battles of the seeds `seed` to `seed + n_battles - 1`."""
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    if n_battles < 1 or batch < 1:
        raise TerrariumError(f"{n_battles} battles in batches of {batch}: both must be 1 or more")
    commanders = {name: make_player(name) for name in players}
    for name, player in commanders.items():
        if not isinstance(player, Commander):
            raise TerrariumError(f'"{name}" gives no orders; use terrarium eval for it')
    marks = []
    for name in players:
        start = time.perf_counter()
        scores = [
            play(scenario, name, min(batch, n_battles - first), seed + first, threads)
            for first in range(0, n_battles, batch)
        ]
        seconds = time.perf_counter() - start
        marks.append(Mark(name, np.concatenate(scores), scenario.measure.good, seconds))
    return marks


def play(
    scenario: Scenario, name: str, n_battles: int, seed: int, threads: int
) -> NDArray[np.float64]:
    """The scores of one batch."""
    player = make_player(name)
    assert isinstance(player, Commander)
    stage = Stage(scenario, n_battles, threads)
    try:
        stage.reset(seed)
        while not stage.over.all():
            stage.step_commands(player.command(stage))
        return stage.score
    finally:
        stage.close()
