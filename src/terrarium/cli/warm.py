"""`terrarium warm`: compile everything before it is needed."""

import time
from dataclasses import dataclass

from terrarium.cli.outputs import progress_bar
from terrarium.cli.tables import print_json, size_text
from terrarium.errors import TerrariumError

PACKAGES = ("terrarium.engine.kernels", "terrarium.envs.kernels", "terrarium.server.kernels")
"""Where compiled code lives."""


@dataclass(frozen=True)
class Warm:
    """Compile the rules and the environments, so that the first use need not wait.

    Useful in a Docker image or a CI job; otherwise the first use does the same.

    Example:  terrarium warm
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.engine.jit import CHECKED, COMPILED

        if not COMPILED:
            raise TerrariumError("NUMBA_DISABLE_JIT is set: nothing is compiled in this mode")
        from terrarium.engine.compiling.cache import bytes_of, cache_folder
        from terrarium.engine.compiling.units import build_units, entries_in, unit_name

        started = time.monotonic()
        entries = entries_in(PACKAGES)
        with progress_bar("compiling") as show:
            built = build_units(entries, progress=show)
        seconds = time.monotonic() - started
        folder, size = cache_folder(), bytes_of([unit_name(entry) for entry in entries])
        if self.json:
            print_json(
                {
                    "folder": str(folder),
                    "mode": "checked" if CHECKED else "compiled",
                    "units": len(entries),
                    "compiled": len(built),
                    "seconds": round(seconds, 2),
                    "bytes": size,
                }
            )
            return
        if built:
            print(f"Compiled {len(built)} of {len(entries)} units in {seconds:.0f} s.")
        else:
            print(f"All {len(entries)} units are compiled already.")
        print(f"{folder} ({size_text(size)})")
