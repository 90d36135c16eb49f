"""Environments show the same bytes compiled, plain and bounds-checked."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.envs.shown import CASES, shown

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", [pytest.param("NUMBA_DISABLE_JIT", marks=pytest.mark.slow), "NUMBA_BOUNDSCHECK"]
)
def test_plain_and_bounds_checked_mode_agree_with_the_compiled_one(setting: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.envs.shown"],
        cwd=ROOT,
        env={**os.environ, setting: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(answer.stdout) == {case: shown(case) for case in CASES}
