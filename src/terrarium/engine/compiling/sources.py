"""What a unit is made of: the kernels that an entry reaches, and a digest of all they depend on."""

import hashlib
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
from llvmlite import binding

from terrarium.engine.handles import ArrayField, layout_of
from terrarium.engine.jit import CHECKED, Entry, Kernel, bundle_of


def reached_kernels(entry: Entry) -> tuple[list[Kernel], list[Entry]]:
    """The kernels of a unit, and the entries of other units that it calls."""
    kernels, calls = _walk(entry, lambda kernel: not isinstance(kernel, Entry))
    return kernels, [callee for callee in calls if isinstance(callee, Entry)]


def _walk(first: Kernel, goes_on: Callable[[Kernel], bool]) -> tuple[list[Kernel], list[Kernel]]:
    """The kernels that one reaches, and those at which the walk ends."""
    kernels: list[Kernel] = [first]
    ends: list[Kernel] = []
    known = {id(first)}
    for kernel in kernels:  # grows while it is walked
        for _, value in _named_values(kernel):
            if isinstance(value, Kernel) and id(value) not in known:
                known.add(id(value))
                (kernels if goes_on(value) else ends).append(value)
    return kernels, ends


def parts_of(entry: Entry) -> list[Kernel]:
    """What a unit is linked from: the entry, and the kernels that compile by themselves."""
    return [kernel for kernel in reached_kernels(entry)[0] if kernel is entry or kernel.is_declared]


def size_of(part: Kernel) -> int:
    """Bytes of bytecode that are compiled with a part: its own, and of kernels not declared."""
    kernels, _ = _walk(
        part, lambda kernel: not isinstance(kernel, Entry) and not kernel.is_declared
    )
    return sum(len(kernel.function.__code__.co_code) for kernel in kernels)


def digest_of(entry: Entry) -> str:
    """The key of a unit in the cache.

    It covers what the compiler sees: bytecode, constants, the layout of bundles, numba, mode and
    processor. Paths, comments and code that is not compiled do not count, so clones of one version
    share a cache and edits elsewhere recompile nothing.
    """
    digest = hashlib.sha256(toolchain_digest().encode())
    kernels, calls = reached_kernels(entry)
    for kernel in kernels:
        digest.update(f"{kernel.name} {kernel.inline}\n".encode())
        digest.update(_code(kernel.function.__code__, kernel.function.__doc__).encode())
        digest.update(_described(kernel.function.__defaults__).encode())
        for name, value in _named_values(kernel):
            digest.update(f"{name}={_described(value)}\n".encode())
    declared = [kernel for kernel in kernels if kernel is entry or kernel.is_declared]
    for callee in (*declared, *calls):
        args, returns = callee.hints
        quoted = ", ".join(_quoted_hint(arg) for arg in args)
        digest.update(f"{callee.name}[{quoted}]{_hint(returns)}".encode())
    return digest.hexdigest()[:24]


# The modules that decide what numba makes of a kernel.
BACKEND = ("backend.py", "handle_types.py", "lowering.py")

_WITHOUT_EFFECT = {"NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER", "NUMBA_CACHE_DIR"}


@cache
def toolchain_digest() -> str:
    """Everything besides the kernels that decides what the machine code is."""
    settings = {
        name: value
        for name, value in sorted(os.environ.items())
        if name.startswith("NUMBA_") and name not in _WITHOUT_EFFECT
    }
    parts = (
        version("numba"),
        version("llvmlite"),
        np.__version__,
        platform.python_version(),
        binding.get_default_triple(),
        # Code for a processor that was named is the same wherever it is made.
        os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name(),
        os.environ.get("NUMBA_CPU_FEATURES", binding.get_host_cpu_features().flatten()),
        CHECKED,
        settings,
        [Path(__file__).with_name(name).read_bytes() for name in BACKEND],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:24]


def _named_values(kernel: Kernel) -> Iterator[tuple[str, Any]]:
    """The values outside of a kernel that it may use; of modules, the attributes it may use."""
    function = kernel.function
    yield from _attributes("", function.__globals__, _names(function.__code__), set())
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    yield from ((name, cell.cell_contents) for name, cell in cells)


def _attributes(
    prefix: str, known: Mapping[str, Any], names: list[str], passed: set[int]
) -> Iterator[tuple[str, Any]]:
    for name in names:
        if name not in known:
            continue
        value = known[name]
        if not isinstance(value, ModuleType):
            yield prefix + name, value
        elif id(value) not in passed:  # modules may name each other in a circle
            yield from _attributes(f"{prefix}{name}.", vars(value), names, passed | {id(value)})


def _names(code: CodeType) -> list[str]:
    """The names that code may look up, with those of functions inside it."""
    names = list(code.co_names)
    for const in code.co_consts:
        if isinstance(const, CodeType):
            names += _names(const)
    return names


def _code(code: CodeType, doc: str | None) -> str:
    """Bytecode and constants, without the lines and the file that they come from."""
    consts = code.co_consts
    if doc is not None and consts and consts[0] == doc:
        consts = consts[1:]
    parts = (
        code.co_code,
        code.co_exceptiontable,
        code.co_argcount,
        code.co_flags,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        [_described(const) for const in consts],
    )
    return repr(parts)


def _described(value: Any) -> str:
    """A value, as far as the compiler can see it: the same text means the same code."""
    if isinstance(value, Kernel):
        return f"{type(value).__name__} {value.name}"
    if isinstance(value, CodeType):
        return _code(value, None)
    if isinstance(value, np.ndarray):
        return f"{_dtype(value.dtype)}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, (tuple, list, frozenset)):
        items = [_described(item) for item in value]
        return f"{kind}{sorted(items) if isinstance(value, frozenset) else items}"
    if isinstance(value, (bool, int, float, str, bytes, np.generic, np.dtype, type(None))):
        return f"{kind} {value!r}"
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', kind)}"


@cache
def _quoted_hint(hint: Any) -> str:
    """The same as it stands in a list: a game has thousands of letters, and every kernel one."""
    return repr(_hint(hint))


@cache
def _hint(hint: Any) -> str:
    """An annotation, with the layout of the bundle that it names."""
    kind, _ = bundle_of(hint)
    if not hasattr(kind, "_fields"):
        return str(hint)
    return f"{hint} {_layout(kind)}"


@cache
def _layout(kind: type) -> str:
    parts = [
        (field.name, _dtype(field.dtype), field.n_axes)
        if isinstance(field, ArrayField)
        else (field.name, _layout(field.kind))
        for field in layout_of(kind).fields
    ]
    return repr(parts)


def _dtype(dtype: np.dtype[Any]) -> str:
    return repr((dtype.descr, dtype.itemsize, dtype.alignment))
