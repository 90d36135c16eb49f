"""Random valid orders never break the rules, in the mode that checks every index."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
UNIT_TICKS = 10_000_000


@pytest.mark.slow
def test_ten_million_unit_ticks_of_random_orders() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.engine.fuzzing", str(UNIT_TICKS)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr[-3000:]
    assert int(answer.stdout.split()[0]) >= UNIT_TICKS
