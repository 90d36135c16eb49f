"""How kernels are compiled: two decorators, and the modes in which they run.

A *kernel* is a rule; only kernels call it. An *entry* is a kernel that Python calls too. Each entry
becomes one unit of machine code together with the kernels it reaches, up to the next entry: that
one is called, not copied, so the rules are compiled once. Units are kept in a cache
(`compiling.cache`); numba is loaded only when there is something to compile.

Three modes give the same results: compiled; NUMBA_DISABLE_JIT=1, plain Python for a debugger;
NUMBA_BOUNDSCHECK=1, compiled with every index checked.
"""

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def _is_set(name: str) -> bool:
    return os.environ.get(name, "0") not in ("", "0")


COMPILED = not _is_set("NUMBA_DISABLE_JIT")
"""False when NUMBA_DISABLE_JIT=1 runs the kernels as plain Python, for a debugger."""
CHECKED = COMPILED and _is_set("NUMBA_BOUNDSCHECK")
"""True when NUMBA_BOUNDSCHECK=1 checks every index."""


class Kernel:
    """A rule to be compiled within the units that reach it."""

    def __init__(self, function: Callable[..., Any], inline: bool) -> None:
        self.__doc__ = function.__doc__
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.function = function
        self.inline = inline

    @cached_property
    def hints(self) -> tuple[tuple[Any, ...], Any]:
        """Types of the arguments and of the answer, as annotated."""
        hints = get_type_hints(self.function, include_extras=True)
        returns = hints.pop("return")
        return tuple(hints.values()), returns

    @cached_property
    def is_declared(self) -> bool:
        """Whether its annotations alone say how it is called: then it compiles by itself."""
        code = self.function.__code__
        if self.function.__defaults__ or code.co_freevars or "<locals>" in self.name:
            return False
        if len(self.function.__annotations__) != code.co_argcount + 1:
            return False
        args, returns = self.hints
        return all(_is_plain(hint) for hint in (*args, returns))

    @cached_property
    def _numba_type_(self) -> Any:
        """What numba takes this object for when another kernel names it."""
        from terrarium.engine.compiling.backend import type_of_kernel

        return type_of_kernel(self)


ENTRIES: dict[str, "Entry"] = {}
"""The entries of the modules that this process has imported."""


class Entry(Kernel):
    """A kernel with a unit of its own: Python and other units call it; its symbol is its name."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, inline=False)
        ENTRIES[self.name] = self

    def __call__(self, *args: Any) -> Any:
        answer = self._native(*args)
        if CHECKED:
            from terrarium.engine.compiling.objects import check_fault

            check_fault(self.name)
        return answer

    def load(self) -> None:
        """Have the machine code at hand, before the first call needs it."""
        _ = self._native

    @cached_property
    def _native(self) -> Any:
        """The machine code, compiled or loaded when it is first called."""
        from terrarium.engine.compiling.units import address_of

        args, returns = self.hints
        prototype = ctypes.CFUNCTYPE(
            _C_TYPES.get(returns), *(_C_TYPES.get(a, ctypes.c_void_p) for a in args)
        )
        return prototype(address_of(self))


_C_TYPES: dict[Any, Any] = {
    int: ctypes.c_int64,
    float: ctypes.c_double,
    bool: ctypes.c_bool,
    np.uint64: ctypes.c_uint64,
}
"""Of everything else, entries take the address."""


def bundle_of(hint: Any) -> tuple[type, bool]:
    """The kind of bundle that an argument is annotated with, and whether it is a sequence."""
    if get_origin(hint) is Sequence:
        return get_args(hint)[0], True
    return hint, False


def _is_plain(hint: Any) -> bool:
    return hint in _C_TYPES or hint is type(None) or hasattr(bundle_of(hint)[0], "_fields")


def kernel(function: Function) -> Function:
    """Compile a rule. No exceptions, objects or allocations inside; guard every denominator, and
    never count from the end of an array: compiled code would read what lies before it."""
    return Kernel(function, inline=False) if COMPILED else function  # type: ignore[return-value]


def inline(function: Function) -> Function:
    """Compile a rule as part of each kernel that calls it: for a few lines in the hottest loops."""
    return Kernel(function, inline=True) if COMPILED else function  # type: ignore[return-value]


def entry(function: Function) -> Function:
    """Compile a way in from Python; its arguments are handles and numbers."""
    return Entry(function) if COMPILED else function  # type: ignore[return-value]
