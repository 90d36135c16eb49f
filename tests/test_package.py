"""The package as a whole: quick to import, and of one version."""

import subprocess
import sys
import tomllib
from pathlib import Path

import terrarium

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def in_fresh_process(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_first_import_takes_less_than_a_second_and_loads_no_compiler() -> None:
    seconds, loaded = in_fresh_process(
        "import sys, time; start = time.process_time(); import terrarium; "
        "print(time.process_time() - start, 'numba' in sys.modules)"
    ).split()
    assert float(seconds) < 1.0
    assert loaded == "False"


def test_the_command_line_loads_the_compiler_only_when_it_plays() -> None:
    assert in_fresh_process("import sys, terrarium.cli; print('numba' in sys.modules)") == "False"


def test_the_version_is_the_one_that_is_installed() -> None:
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    assert terrarium.__version__ == project["version"]
