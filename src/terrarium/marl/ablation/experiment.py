"""The folder of an ablation: one plan for all time, and one program at a time."""

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from terrarium.errors import TerrariumError
from terrarium.marl.ablation.plan_file import read_plan
from terrarium.marl.ablation.run_plan import AblationPlan

PLAN_FILE = "plan.toml"
_LOCK_FILE = "lock"


def keep_plan(plan: AblationPlan, folder: Path) -> AblationPlan:
    """Write the plan into its folder, or make sure that it is the one that is there."""
    file = folder / PLAN_FILE
    if file.exists():
        before = read_plan(file)
        if difference := plan.difference(before):
            raise TerrariumError(
                f"{folder}: holds another plan: {plan.source} has {difference}. "
                "Choose another folder with --out, or go on with that plan: "
                f"terrarium ablate {file} --out {folder}"
            )
        return before
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(plan.to_toml(), encoding="utf-8")
    except OSError as error:
        raise TerrariumError(
            f"{folder}: the plan cannot be kept there: {error.strerror}; choose another folder"
        ) from None
    return read_plan(file)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[int]:
    """Keep a second program away from the folder; the number of the open lock file.

    Cells inherit it: if their program is killed, the folder is free when the last of them has
    saved and gone.
    """
    try:
        lock = os.open(folder / _LOCK_FILE, os.O_CREAT | os.O_RDWR)
    except OSError as error:
        raise TerrariumError(f"{folder}: cannot be written to: {error.strerror}") from None
    try:
        if sys.platform != "win32":
            import fcntl

            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise TerrariumError(
                    f"{folder}: another program trains these cells now; wait for it, or stop it"
                ) from None
        yield lock
    finally:
        os.close(lock)
