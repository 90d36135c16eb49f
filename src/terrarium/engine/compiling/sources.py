"""What a unit is made of: the kernels that an entry reaches, and a digest of all they depend on."""

import hashlib
import platform
from collections.abc import Iterator
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
    kernels: list[Kernel] = [entry]
    calls: list[Entry] = []
    known = {id(entry)}
    for kernel in kernels:  # grows while it is walked
        for _, value in _named_values(kernel):
            if not isinstance(value, Kernel) or id(value) in known:
                continue
            known.add(id(value))
            if isinstance(value, Entry):
                calls.append(value)
            else:
                kernels.append(value)
    return kernels, calls


def digest_of(entry: Entry) -> str:
    """The key of a unit in the cache.

    It covers what the compiler sees: bytecode, constants, the layout of bundles, numba, mode and
    processor. Paths, comments and code that is not compiled do not count, so clones of one version
    share a cache and edits elsewhere recompile nothing.
    """
    digest = hashlib.sha256(_toolchain().encode())
    kernels, calls = reached_kernels(entry)
    for kernel in kernels:
        digest.update(f"{kernel.name} {kernel.inline}\n".encode())
        _add_code(digest, kernel.function.__code__)
        for name, value in _named_values(kernel):
            digest.update(f"{name}={_described(value)}\n".encode())
    for callee in (entry, *calls):
        args, returns = callee.hints
        digest.update(f"{callee.name}{[_hint(arg) for arg in args]}{_hint(returns)}".encode())
    return digest.hexdigest()[:24]


@cache
def _toolchain() -> str:
    """Everything besides the kernels that decides what the machine code is."""
    machinery = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    parts = (
        version("numba"),
        version("llvmlite"),
        platform.python_version(),
        binding.get_default_triple(),
        binding.get_host_cpu_name(),
        binding.get_host_cpu_features().flatten(),
        CHECKED,
        hashlib.sha256(machinery).hexdigest(),
    )
    return repr(parts)


def _named_values(kernel: Kernel) -> Iterator[tuple[str, Any]]:
    """The global values that a kernel may use, modules resolved to the attributes it may use."""
    names, known = kernel.function.__code__.co_names, kernel.function.__globals__
    for name in names:
        value = known.get(name)
        if isinstance(value, ModuleType):
            for attribute in names:
                if attribute in value.__dict__:
                    yield f"{name}.{attribute}", value.__dict__[attribute]
        elif name in known:
            yield name, value


def _add_code(digest: Any, code: CodeType) -> None:
    digest.update(code.co_code)
    # The first constant is the docstring.
    digest.update(repr((code.co_consts[1:], code.co_names, code.co_varnames)).encode())


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (bool, int, float, str, tuple, np.generic)):
        return f"{type(value).__name__} {value!r}"
    return getattr(value, "__qualname__", type(value).__name__)


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
