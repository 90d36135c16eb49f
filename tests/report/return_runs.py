"""Runs on tasks where nothing is won: their evaluations have returns and no win rate."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.report.folders import write_lines, write_run

SPREAD, TAG = "mpe/simple_spread", "mpe/simple_tag"


def write_return_run(
    folder: Path,
    returns: Sequence[float],
    teams: Mapping[str, Sequence[float]] | None = None,
    scenario: str = SPREAD,
    **settings: Any,
) -> Path:
    """Write a run with an evaluation every 1000 steps."""
    last = 1000 * (len(returns) - 1)
    about = {"about__scenario": scenario, "about__algo": "maddpg", "run__max_steps": last}
    write_run(folder, **(about | settings))
    lines = []
    for i, value in enumerate(returns):
        line = {"step": 1000 * i, "seconds": 6.0 * i, "scenario": scenario, "test/return": value}
        line |= {f"test/return/{team}": own[i] for team, own in (teams or {}).items()}
        lines += [
            line,
            {"step": 1000 * i, "seconds": 6.0 * i, "scenario": scenario, "learn/q_taken": 1},
        ]
    write_lines(folder, lines)
    return folder
