"""Machine code: compiled once, shared, and made anew whenever what is kept cannot be used."""

from pathlib import Path

import pytest

from tests.engine.compiling.tiny import ANSWER, RULES, outcome_of, start, use, write_package

N_ENTRIES = 3


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A package and a cache that holds its units."""
    home = tmp_path_factory.mktemp("compiled")
    package, cache = write_package(home / "package"), home / "cache"
    first = use(package, cache)
    assert (first.answer, first.n_compiled) == (ANSWER, N_ENTRIES)
    # Once, because every unit that will be needed is compiled at the first call.
    assert first.said.count("Compiling the rules, once: 3 units") == 1
    assert first.said.count("Compiled in ") == 1
    assert not first.loaded_numba  # other processes have compiled, side by side
    return package, cache


def copied(cache: Path, to: Path) -> Path:
    to.mkdir()
    for file in cache.glob("*.o"):
        (to / file.name).write_bytes(file.read_bytes())
    return to


@pytest.mark.slow
def test_a_clone_elsewhere_compiles_nothing(compiled: tuple[Path, Path], tmp_path: Path) -> None:
    again = use(write_package(tmp_path / "elsewhere"), compiled[1])
    assert (again.answer, again.n_compiled, again.loaded_numba) == (ANSWER, 0, False)
    assert again.said == ""


@pytest.mark.slow
def test_damaged_units_are_compiled_again_with_one_warning(
    compiled: tuple[Path, Path], tmp_path: Path
) -> None:
    package, cache = compiled[0], copied(compiled[1], tmp_path / "cache")
    empty, garbage, half = sorted(cache.glob("*.o"))
    empty.write_bytes(b"")
    garbage.write_bytes(b"garbage" * 99)
    half.write_bytes(half.read_bytes()[: half.stat().st_size // 2])
    (cache / ".writing-1-tiny").write_bytes(b"left by a process that was killed")
    repaired = use(package, cache)
    assert (repaired.answer, repaired.n_compiled) == (ANSWER, N_ENTRIES)
    assert repaired.said.count("is damaged: compiling it again") == 1
    assert use(package, cache).said == ""


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_one_warning(
    compiled: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    outcome = use(compiled[0], tmp_path / "file" / "cache")
    assert (outcome.answer, outcome.n_compiled) == (ANSWER, N_ENTRIES)
    assert outcome.said.count("TERRARIUM_CACHE") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "before",
    [
        "import sys; sys.executable = '/nowhere/python'",
        "from terrarium.engine.compiling import workers; workers._START = 'raise SystemExit(1)'",
    ],
    ids=["cannot start", "ends early"],
)
def test_without_other_processes_this_one_compiles(
    compiled: tuple[Path, Path], before: str, tmp_path: Path
) -> None:
    outcome = use(compiled[0], tmp_path / "cache", before)
    assert (outcome.answer, outcome.loaded_numba) == (ANSWER, True)
    assert "Traceback" not in outcome.said


@pytest.mark.slow
def test_processes_that_start_together_compile_each_unit_once(
    compiled: tuple[Path, Path], tmp_path: Path
) -> None:
    processes = [start(compiled[0], tmp_path / "cache") for _ in range(2)]
    outcomes = [outcome_of(process) for process in processes]
    assert [outcome.answer for outcome in outcomes] == [ANSWER, ANSWER]
    assert sorted(outcome.n_compiled for outcome in outcomes) == [0, N_ENTRIES]


@pytest.mark.slow
@pytest.mark.parametrize("indices", ["range(9)", "range(-1, 1)"])
def test_checked_units_tell_of_an_index_out_of_bounds(tmp_path: Path, indices: str) -> None:
    beyond = RULES.replace("range(world.stock.things.shape[0])", indices)
    package = write_package(tmp_path / "package", beyond)
    process = start(package, tmp_path / "cache", NUMBA_BOUNDSCHECK="1")
    _, said = process.communicate()
    assert "IndexError: an index is out of bounds in tiny.rules.count" in said


@pytest.mark.slow
def test_an_index_out_of_bounds_ends_the_kernels_that_wait(tmp_path: Path) -> None:
    endless = RULES.replace(
        "    return total(world)",
        "    while world.counts[0] > 0:\n        total(world)\n    return total(world)",
    ).replace("range(world.stock.things.shape[0])", "range(9)")
    package = write_package(tmp_path / "package", endless)
    process = start(package, tmp_path / "cache", NUMBA_BOUNDSCHECK="1")
    _, said = process.communicate(timeout=60)
    assert "IndexError" in said
