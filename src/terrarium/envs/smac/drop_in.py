"""Runs a program that was written for SMAC or SMACv2: what it imports from there is ours."""

import importlib.util
import os
import runpy
import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import TracebackType

from terrarium.errors import TerrariumError

STAND_INS = str(Path(__file__).parent / "stand_ins")
PACKAGES = ("smac", "smacv2")

_RUNPY = runpy.run_path.__code__.co_filename


def run_program(program: str, args: Sequence[str], is_module: bool = False) -> None:
    """Run a file, or a module, as Python does: as `__main__`, with its own arguments and path."""
    if not is_module and not Path(program).is_file():
        raise TerrariumError(f"{program}: there is no such file")
    sys.path.insert(0, folder_of(program, is_module))
    sys.argv[:] = [program, *args]
    _put_ours_first()
    if is_module and not _exists(program):
        raise TerrariumError(f'there is no module "{program}" to run')
    try:
        if is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except (TerrariumError, MemoryError) as error:
        # The program's own: it gets its traceback, not the one line that a wrong command gets.
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def folder_of(program: str, is_module: bool) -> str:
    """Where a program looks first for what it imports."""
    return str(Path.cwd()) if is_module else os.path.dirname(os.path.realpath(program))


def hidden_packages(program: str, is_module: bool = False) -> dict[str, str]:
    """SMAC's own packages that a program would find if ours were not before them."""
    path = [folder_of(program, is_module), *(place for place in sys.path if place != STAND_INS)]
    specs = {name: PathFinder.find_spec(name, path) for name in PACKAGES}
    return {name: spec.origin for name, spec in specs.items() if spec and spec.origin}


def show_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print a traceback that begins where the program does, as if Python had run it."""
    trace = _from_the_program_on(trace)
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def _put_ours_first() -> None:
    """Let this process, and those that it starts, find our packages before all others."""
    sys.excepthook = show_error
    sys.path.insert(0, STAND_INS)
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([STAND_INS, *([inherited] if inherited else [])])


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError as error:
        # The packages around it are imported on the way, and may miss something themselves.
        if error.name is not None and f"{module}.".startswith(f"{error.name}."):
            return False
        raise


def _from_the_program_on(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback behind the frames that started the program."""
    begun = False
    while trace is not None:
        is_runpy = trace.tb_frame.f_code.co_filename == _RUNPY
        if begun and not is_runpy:
            break
        begun = begun or is_runpy
        trace = trace.tb_next
    return trace
