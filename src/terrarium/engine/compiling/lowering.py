"""Numba's way from a kernel to intermediate code, with what kernels need otherwise in its place."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
import numba.core.codegen
import numba.core.compiler
import numba.core.compiler_machinery
import numba.core.typed_passes
import numba.core.untyped_passes
from llvmlite import ir
from numba import types
from numba.core.base import BaseContext
from numba.core.datamodel import models
from numba.np import arrayobj

from terrarium.engine.compiling.handle_types import memory_apart
from terrarium.engine.jit import CHECKED, Kernel

_codegen: Any = numba.core.codegen
_compiler: Any = numba.core.compiler
_machinery: Any = numba.core.compiler_machinery
_typed_passes: Any = numba.core.typed_passes
_untyped_passes: Any = numba.core.untyped_passes
_njit: Any = numba.njit
# Any: numba has types for none of these.


# The pipeline: intermediate code that is kept, for units to link.


class KeptLibrary(_codegen.JITCodeLibrary):
    """The code of one kernel, without what it calls."""

    def finalize(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0

    @property
    def codegen(self) -> Any:
        return _NoEnvironment(self._codegen)


class _NoEnvironment:
    """The code generator, but for the environment that numba gives to code that calls Python."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def set_env(self, *_: Any) -> None:
        """Kernels neither raise nor call Python."""


@_machinery.register_pass(mutates_CFG=False, analysis_only=True)
class _KeepCode(_machinery.AnalysisPass):
    """Gives a kernel its library before the code generator would give it the usual one."""

    _name = "keep_code"

    def __init__(self) -> None:
        _machinery.AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        state.library = KeptLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class _KernelCompiler(_compiler.CompilerBase):
    """Of numba's passes, the ones that kernels need.

    The others look for closures, comprehensions, literal loops, array expressions and exceptions,
    which kernels do not have. They took about a fifth of numba's time.
    """

    def define_pipelines(self) -> list[Any]:
        passes = _machinery.PassManager("kernel")
        for step in (
            _untyped_passes.TranslateByteCode,
            _untyped_passes.FixupArgs,
            _untyped_passes.IRProcessing,
            _untyped_passes.ReconstructSSA,
            _typed_passes.NopythonTypeInference,
            _typed_passes.PreLowerStripPhis,
            _KeepCode,
            _typed_passes.IRLegalization,
            _typed_passes.NativeLowering,
            _typed_passes.NoPythonBackend,
        ):
            passes.add_pass(step, "a kernel")
        passes.finalize()
        return [passes]


@cache
def dispatcher_of(kernel: Kernel) -> Any:
    """Numba's object for a kernel."""
    dispatcher = _njit(
        nogil=True,
        error_model="numpy",
        # Kernels allocate nothing, so they need no reference counts; counting (with atomic
        # instructions, on counters that threads share) cost more than half of the time.
        _nrt=False,
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        forceinline=kernel.inline,
        boundscheck=CHECKED,
        pipeline_class=_KernelCompiler,
    )(kernel.function)
    return _one_for_all(dispatcher)


def _one_for_all(dispatcher: Any) -> Any:
    """Let calls with different constants share one version of a kernel.

    Numba types a constant argument by its value and compiles a version for each, with versions of
    everything that those call in turn: a third of all functions, for code that is the same.
    """
    fold = dispatcher._compiler.fold_argument_types

    def fold_plainly(args: Any, kws: Any) -> Any:
        sig, folded = fold(args, kws)
        return sig, tuple(types.unliteral(arg) for arg in folded)

    dispatcher._compiler.fold_argument_types = fold_plainly
    return dispatcher


# What is put in the place of numba's own while a kernel is lowered.

_CALL_TYPES: dict[Any, Any] = {}
_look_up: Any = types.BaseFunction.get_call_type
_load: Any = BaseContext.unpack_value
_store: Any = BaseContext.pack_value


def _remembered_call_type(operation: Any, context: Any, args: Any, kws: Any) -> Any:
    """Look up the type of an operation once, not at each of its uses.

    Numba tries dozens of candidates for each `+`, which is a fifth of its time.
    """
    if kws:
        return _look_up(operation, context, args, kws)
    key = (operation, args)
    if key not in _CALL_TYPES:
        _CALL_TYPES[key] = _look_up(operation, context, args, kws)
    return _CALL_TYPES[key]


def _plain_index(context: Any, builder: Any, kind: Any, index: Any, _: Any) -> Any:
    """Take an index as it is: kernels never count from the end of an array.

    Numba would look at the sign of each index and add the length. The checked mode refuses a
    negative index.
    """
    return context.cast(builder, index, kind, types.intp)


def _plain_boolean(_: Any, builder: Any, byte: Any) -> Any:
    """A byte as a truth, without the branch that numba makes for each."""
    return builder.icmp_unsigned("!=", byte, byte.type(0))


def _load_apart(
    context: Any, builder: Any, item: Any, pointer: Any, align: int | None = None
) -> Any:
    first = len(builder.block.instructions)
    value = _load(context, builder, item, pointer, align)
    _mark_access(builder, first, item, pointer)
    return value


def _store_apart(
    context: Any, builder: Any, item: Any, value: Any, pointer: Any, align: int | None = None
) -> None:
    first = len(builder.block.instructions)
    _store(context, builder, item, value, pointer, align)
    _mark_access(builder, first, item, pointer)


def _mark_access(builder: Any, first: int, item: Any, pointer: Any) -> None:
    """Tell the optimizer that a field of a record is never another field, nor an item of an array.

    Otherwise it would read everything again after each write. No memory has two layouts.
    """
    if isinstance(item, types.Record):
        return  # all of its fields at once
    while isinstance(pointer, ir.CastInstr):
        pointer = pointer.operands[0]
    name = f"an item {item}"
    if isinstance(pointer, ir.GEPInstr) and isinstance(pointer.pointer.type.pointee, ir.ArrayType):
        # A record is an array of bytes to numba: its size and the offset tell fields apart.
        name = f"at {pointer.indices[-1].constant} of {pointer.pointer.type.pointee.count}"
    for access in builder.block.instructions[first:]:
        if isinstance(access, ir.LoadInstr | ir.StoreInstr):
            access.set_metadata("tbaa", memory_apart(builder.module, name))


_REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (types.BaseFunction, "get_call_type", _remembered_call_type),
    (arrayobj, "fix_integer_index", _plain_index),
    (models.BooleanModel, "from_data", _plain_boolean),
    (BaseContext, "unpack_value", _load_apart),
    (BaseContext, "pack_value", _store_apart),
)


@contextmanager
def lowering_of_kernels() -> Iterator[None]:
    before = [getattr(owner, name) for owner, name, _ in _REPLACED]
    for owner, name, ours in _REPLACED:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for (owner, name, _), numbas in zip(_REPLACED, before, strict=True):
            setattr(owner, name, numbas)
