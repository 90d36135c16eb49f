"""Train StarCraft II armies without StarCraft II, then take them to the ladder."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from terrarium.envs.adapters.parallel import parallel_env
    from terrarium.envs.make import make, make_game, make_vec

__version__ = "0.1.0"

__all__ = ["__version__", "make", "make_game", "make_vec", "parallel_env"]

# Loaded when they are first asked for: `import terrarium` must not wait for numba.
_HOMES = {
    "make": "terrarium.envs.make",
    "make_game": "terrarium.envs.make",
    "make_vec": "terrarium.envs.make",
    "parallel_env": "terrarium.envs.adapters.parallel",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _register() -> None:
    """Make the scenarios known to `gymnasium.make`, which looks nowhere else."""
    if find_spec("gymnasium") is not None:  # the ladder's machines do without
        import_module("terrarium.envs.adapters.registration").register_scenarios()


_register()
