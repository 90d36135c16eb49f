"""From kernels to an object file: the one use of numba, loaded only when something is compiled.

Numba types each kernel and lowers it to intermediate code. Usually it would also optimize it and
turn it into machine code, together with all that it calls, at each level of the calls anew. Here
the intermediate code is only kept; a unit links what it reaches once, hides everything but its
entry, and is optimized as a whole. A kernel whose annotations say how it is called is lowered
without a look at what it calls, so kernels can be lowered in any order and in any process.
"""

import operator
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
import numba.core.codegen
import numba.core.compiler
import numba.core.compiler_machinery
import numba.core.typed_passes
import numba.core.untyped_passes
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.base import BaseContext
from numba.core.datamodel import models
from numba.core.registry import cpu_target
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_global,
    make_concrete_template,
    signature,
)
from numba.extending import infer_getattr, lower_builtin, lower_getattr_generic, register_model
from numba.np import arrayobj

from terrarium.engine.compiling.objects import FAULT_SYMBOL
from terrarium.engine.handles import ArrayField, layout_of
from terrarium.engine.jit import CHECKED, Entry, Kernel, bundle_of

_config: Any = numba.config
_codegen: Any = numba.core.codegen
_compiler: Any = numba.core.compiler
_machinery: Any = numba.core.compiler_machinery
_typed_passes: Any = numba.core.typed_passes
_untyped_passes: Any = numba.core.untyped_passes
_njit: Any = numba.njit
# Any: numba has types for none of these.

_I64 = ir.IntType(64)


# Handles: one pointer, whose attributes are arrays made from the words of its table.


class HandleType(types.Type):
    """A handle to one bundle."""

    def __init__(self, kind: type) -> None:
        self.layout = layout_of(kind)
        # Types of one name are one type to numba.
        super().__init__(name=f"Handle({kind.__module__}.{kind.__qualname__})")


class HandlesType(types.Type):
    """Handles to several bundles of one kind, which have equal tables in a row."""

    def __init__(self, item: HandleType) -> None:
        self.item = item
        super().__init__(name=f"Handles({item.name})")


@register_model(HandleType)
@register_model(HandlesType)
class _PointerModel(models.OpaqueModel):
    """To the compiler either is one pointer."""


@cache
def handle_type(kind: type) -> HandleType:
    return HandleType(kind)


@cache
def _array_type(dtype: np.dtype[Any], n_axes: int) -> Any:
    return types.Array(numba.from_dtype(dtype), n_axes, "C")


@infer_getattr
class _HandleAttributes(AttributeTemplate):
    key = HandleType

    def generic_resolve(self, handle: HandleType, name: str) -> Any:  # type: ignore[override]
        for field in handle.layout.fields:
            if field.name == name:
                if isinstance(field, ArrayField):
                    return _array_type(field.dtype, field.n_axes)
                return handle_type(field.kind)
        return None


@lower_getattr_generic(HandleType)
def _lower_attribute(context: Any, builder: Any, handle: HandleType, value: Any, name: str) -> Any:
    field = next(field for field in handle.layout.fields if field.name == name)
    never_changes = builder.module.add_metadata([])

    def load(word: int, kind: Any = _I64) -> Any:
        table = builder.bitcast(value, kind.as_pointer())
        loaded = builder.load(builder.gep(table, [_I64(field.word + word)]))
        # Tables are written before the first call, so a kernel need not read them again. Where the
        # optimizer moves a load it forgets that, but not that no kernel writes such memory.
        loaded.set_metadata("invariant.load", never_changes)
        loaded.set_metadata("tbaa", _memory(builder.module, "a table"))
        return loaded

    if not isinstance(field, ArrayField):
        return load(0, cgutils.voidptr_t)
    kind = _array_type(field.dtype, field.n_axes)
    view = arrayobj.make_array(kind)(context, builder)
    shape = [load(1 + axis) for axis in range(field.n_axes)]
    item = _I64(field.dtype.itemsize)
    strides = [item]
    for length in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], length))
    arrayobj.populate_array(
        view,
        data=load(0, view.data.type),
        shape=cgutils.pack_array(builder, shape),
        strides=cgutils.pack_array(builder, strides),
        itemsize=item,
        meminfo=None,
    )
    return view._getvalue()


@infer_global(operator.getitem)
class _HandlesItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        handles, index = args
        if isinstance(handles, HandlesType) and isinstance(index, types.Integer):
            return signature(handles.item, handles, types.int64)
        return None


@lower_builtin(operator.getitem, HandlesType, types.int64)
def _lower_item(_: Any, builder: Any, sig: Any, args: Any) -> Any:
    handles, index = args
    n_bytes = _I64(8 * sig.args[0].item.layout.n_words)
    return builder.gep(handles, [builder.mul(index, n_bytes)])


# Kernels: intermediate code that is kept, and linked by units.


class _KeptLibrary(_codegen.JITCodeLibrary):
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
        state.library = _KeptLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
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


# Numba's lowering, with what kernels need otherwise put in its place while one is lowered.

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
            access.set_metadata("tbaa", _memory(builder.module, name))


def _memory(module: Any, name: str) -> Any:
    """Memory that is apart from that of other names, in the notation of LLVM's alias analysis."""
    kind = module.add_metadata([name, module.add_metadata(["memory"]), _I64(0)])
    return module.add_metadata([kind, kind, _I64(0)])


_REPLACED: tuple[tuple[Any, str, Any], ...] = (
    (types.BaseFunction, "get_call_type", _remembered_call_type),
    (arrayobj, "fix_integer_index", _plain_index),
    (models.BooleanModel, "from_data", _plain_boolean),
    (BaseContext, "unpack_value", _load_apart),
    (BaseContext, "pack_value", _store_apart),
)


@contextmanager
def _lowering_of_kernels() -> Iterator[None]:
    before = [getattr(owner, name) for owner, name, _ in _REPLACED]
    for owner, name, ours in _REPLACED:
        setattr(owner, name, ours)
    try:
        yield
    finally:
        for (owner, name, _), numbas in zip(_REPLACED, before, strict=True):
            setattr(owner, name, numbas)


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


# Entries: a symbol with C's way of calling.

_NUMBERS: dict[Any, Any] = {
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
    np.uint64: types.uint64,
    type(None): types.none,
}


def _type_of(hint: Any) -> Any:
    if hint in _NUMBERS:
        return _NUMBERS[hint]
    kind, several = bundle_of(hint)
    item = handle_type(kind)
    return HandlesType(item) if several else item


def _signature_of(kernel: Kernel) -> Any:
    args, returns = kernel.hints
    return signature(_type_of(returns), *(_type_of(arg) for arg in args))


@cache
def type_of_kernel(kernel: Kernel) -> Any:
    """What a kernel is to others: a symbol that will be there, or what numba makes of its uses."""
    if not isinstance(kernel, Entry) and not kernel.is_declared:
        return dispatcher_of(kernel)._numba_type_
    sig = _signature_of(kernel)

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        """Call the symbol as C would."""
        c_args = [
            context.get_value_as_argument(builder, kind, arg)
            for kind, arg in zip(sig.args, args, strict=True)
        ]
        callee = cgutils.get_or_insert_function(builder.module, _c_type(context, sig), kernel.name)
        return context.get_argument_value(builder, sig.return_type, builder.call(callee, c_args))

    cpu_target.target_context.insert_func_defn([(call, kernel.name, sig.args)])
    return types.Function(make_concrete_template(kernel.name, kernel.name, [sig]))


def _c_type(context: Any, sig: Any) -> Any:
    return ir.FunctionType(
        context.get_argument_type(sig.return_type),
        [context.get_argument_type(arg) for arg in sig.args],
    )


def lower(kernel: Kernel) -> bytes:
    """The intermediate code of an entry or of a declared kernel, in which it is the only symbol."""
    sig = _signature_of(kernel)
    dispatcher = dispatcher_of(kernel)
    with _lowering_of_kernels():
        dispatcher.compile(sig.args)
    compiled = dispatcher.overloads[sig.args]
    module = binding.parse_assembly(str(_gate(kernel, sig, compiled)))
    for library in _reached_libraries(compiled.library):
        module.link_in(library, preserve=True)
    _hide_all_but(kernel.name, module)
    return bytes(module.as_bitcode())


def link(entry: Entry, parts: Iterable[bytes]) -> bytes:
    """The object file of a unit, from the intermediate code of its kernels."""
    codegen = dispatcher_of(entry).targetctx.codegen()
    module = binding.parse_assembly("")
    module.triple, module.data_layout = codegen._llvm_module.triple, codegen._data_layout
    for part in parts:
        module.link_in(binding.parse_bitcode(part))
    _hide_all_but(entry.name, module)
    _optimize(codegen, module)
    _check_symbols(entry, module)
    return bytes(_machine(codegen).emit_object(module))


@cache
def _machine(codegen: Any) -> Any:
    """Numba's processor, but for objects whose parts lie near each other.

    Code that may be anywhere needs an instruction for each address of a constant or function.
    """
    options = {"opt": _config.OPT}
    codegen._customize_tm_options(options)
    options |= {"reloc": "pic", "codemodel": "small"}
    return binding.Target.from_triple(binding.get_process_triple()).create_target_machine(**options)


def _hide_all_but(symbol: str, module: Any) -> None:
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.linkage = binding.Linkage.internal


def _gate(kernel: Kernel, sig: Any, compiled: Any) -> Any:
    """The function that others call: numba's way of calling behind C's."""
    context = compiled.target_context
    module = compiled.library.create_ir_module(kernel.name)
    function = ir.Function(module, _c_type(context, sig), kernel.name)
    if kernel.inline:
        function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block())
    callee = context.declare_function(module, compiled.fndesc)
    args = [
        context.get_argument_value(builder, kind, arg)
        for kind, arg in zip(sig.args, function.args, strict=True)
    ]
    returned = compiled.signature.return_type
    status, answer = context.call_conv.call_function(builder, callee, returned, sig.args, args)
    if CHECKED:
        note = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.IntType(32)]), FAULT_SYMBOL)
        with builder.if_then(status.is_error, likely=False):
            builder.call(note, [status.code])
    answer = context.cast(builder, answer, returned, sig.return_type)
    builder.ret(context.get_value_as_argument(builder, sig.return_type, answer))
    return module


def _reached_libraries(first: Any) -> list[Any]:
    """The modules of a kernel and of everything it calls."""
    libraries, known = [first], {first}
    modules = []
    for library in libraries:  # grows while it is walked
        if isinstance(library, _KeptLibrary):
            modules.append(library._final_module)
            for callee in library._linking_libraries:
                if callee not in known:
                    known.add(callee)
                    libraries.append(callee)
        else:
            modules.append(library._get_module_for_linking())
    return modules


def _optimize(codegen: Any, module: Any) -> None:
    manager, builder = codegen._module_pass_manager(loop_vectorize=False, slp_vectorize=False)
    manager.run(module, builder)


_KNOWN_SYMBOLS = {
    FAULT_SYMBOL,
    "sqrt",
    "sin",
    "cos",
    "tan",
    "atan",
    "atan2",
    "exp",
    "log",
    "floor",
    "ceil",
    "fmod",
}


def _check_symbols(entry: Entry, module: Any) -> None:
    """A unit may need other units and C's mathematics: nothing else is there when it is loaded."""
    from terrarium.engine.compiling.sources import reached_kernels

    known = _KNOWN_SYMBOLS | {callee.name for callee in reached_kernels(entry)[1]}
    missing = [
        function.name
        for function in module.functions
        if function.is_declaration
        and not function.name.startswith("llvm.")
        and function.name not in known
    ]
    assert not missing, f"{entry.name} calls {missing}, which a kernel cannot"
