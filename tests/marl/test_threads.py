"""Threads of PyTorch must not spin while they wait: it stalls training on a busy machine."""

import os
import subprocess
import sys

import pytest

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
