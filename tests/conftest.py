"""Settings of all tests: the same examples every time, one thread for each."""

import gc
import os
import subprocess
import sys

import pytest
from hypothesis import settings

# Fixed examples, because a test must not fail by luck; no deadline, because the first example pays
# for loading the compiled rules.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")

# Networks in tests are small, and every core has a test of its own: a second thread of PyTorch
# would make both ten times slower. Programs that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Python keeps the bytecode of tests and package, whatever the environment says: without it every
# process of the tests, and every program that they start, compiles all modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Where these are set, pytest prints comparisons in full, and megabytes of differing arrays bury the
# names of the tests that failed. Shortened as at home, the names come last and are seen.
for name in ("CI", "BUILD_NUMBER"):
    os.environ.pop(name, None)

# Tables are as wide as the program chooses, not as the terminal of the tests is.
os.environ.pop("COLUMNS", None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files")


@pytest.fixture(scope="session")
def smac_at_tick_0(tmp_path_factory: pytest.TempPathFactory) -> str:
    """SMAC's rules, but battles are seen as they were created, before the first tick."""
    file = tmp_path_factory.mktemp("rules") / "smac_at_tick_0.toml"
    head = 'title = "From tick 0"\nversion = 1\nbase = "smac"\n'
    file.write_text(f"{head}[assumptions]\nopening_ticks = 0\n")
    return str(file)


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let every process begin with slow tests. Otherwise one would be left with them at the end,
    because those who have nothing to do take tests from the end of the other's list."""
    n_processes = getattr(config, "workerinput", {}).get("workercount", 1)
    slow = [item for item in items if item.get_closest_marker("slow")]
    quick = [item for item in items if not item.get_closest_marker("slow")]
    modules = list(dict.fromkeys(item.path for item in slow))  # these share what they set up
    items.clear()
    for k in range(n_processes):
        mine = set(modules[k::n_processes])
        items += [item for item in slow if item.path in mine]
        items += quick[k * len(quick) // n_processes : (k + 1) * len(quick) // n_processes]


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the garbage collector need not visit it
    again and again, half a second each time."""
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown() -> None:
    """A run chooses the threads of PyTorch for its process: the tests after it have one again."""
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before tests are spread over processes, compile both modes once, side by side: otherwise
    every process would compile them for itself."""
    is_worker = hasattr(session.config, "workerinput")
    if is_worker or not session.config.getoption("numprocesses", default=None):
        return
    warm = "from terrarium.cli.warm import Warm; Warm().run()"
    modes = ({}, {"NUMBA_BOUNDSCHECK": "1"})
    compilers = [
        subprocess.Popen(
            [sys.executable, "-c", warm], env={**os.environ, **mode}, stdout=subprocess.DEVNULL
        )
        for mode in modes
    ]
    for compiler in compilers:
        compiler.wait()
