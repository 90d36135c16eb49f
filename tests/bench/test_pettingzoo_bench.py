"""All sides play the same number of environments of the same task."""

import pytest

from terrarium.bench.pettingzoo_batch import LOOP, PettingZooBenchConfig, bench_pettingzoo
from terrarium.cli.bench import BenchPettingZoo
from terrarium.errors import TerrariumError

pytestmark = pytest.mark.slow


def test_every_side_is_measured_against_the_plain_loop() -> None:
    told: list[str] = []
    result = bench_pettingzoo(PettingZooBenchConfig(envs=2, seconds=0.1), told.append)
    serial, processes, loop = result.rows
    assert (serial.name, loop.name) == ("batch in this process", LOOP)
    assert processes.name.startswith("batch in ")
    assert loop.ratio == 1.0
    for row in result.rows:
        assert row.steps_per_s > 0.0
        assert row.ratio == pytest.approx(row.steps_per_s / loop.steps_per_s)
    assert f"{LOOP}, 15 of 15" in told


def test_the_command_prints_a_row_for_each_side(capsys: pytest.CaptureFixture[str]) -> None:
    BenchPettingZoo("mpe/simple_speaker_listener", envs=1, seconds=0.05).run()
    printed = capsys.readouterr().out
    assert "mpe/simple_speaker_listener, 1 environments" in printed
    assert "batch in this process" in printed
    assert LOOP in printed


def test_odd_settings_are_refused() -> None:
    with pytest.raises(TerrariumError, match='"smac/3m" is no particle environment'):
        PettingZooBenchConfig("smac/3m")
    with pytest.raises(TerrariumError, match=r"envs is 0 and seconds .*; allowed: 1 to 4096"):
        PettingZooBenchConfig(envs=0)
