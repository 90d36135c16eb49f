"""From kernels to an object file: the one use of numba, loaded only when something is compiled.

Numba types each kernel and lowers it to intermediate code. Usually it would also optimize it and
turn it into machine code, together with all that it calls, at each level of the calls anew. Here
the intermediate code is only kept; a unit links what it reaches once, hides everything but its
entry, and is optimized as a whole. A kernel whose annotations say how it is called is lowered
without a look at what it calls, so kernels can be lowered in any order and in any process.
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.core.typing.templates import make_concrete_template, signature

from terrarium.engine.compiling.handle_types import HandlesType, handle_type
from terrarium.engine.compiling.lowering import KeptLibrary, dispatcher_of, lowering_of_kernels
from terrarium.engine.compiling.objects import FAULT_SYMBOL
from terrarium.engine.jit import CHECKED, Entry, Kernel, bundle_of

_config: Any = numba.config  # Any: numba has no types for it.

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
        answer = builder.call(callee, c_args)
        if CHECKED:  # an index out of bounds ends the kernels that wait for it, too
            fault = builder.load(_fault(builder.module))
            with builder.if_then(builder.icmp_unsigned("!=", fault, fault.type(0)), likely=False):
                context.call_conv._return_errcode_raw(builder, fault)
        return context.get_argument_value(builder, sig.return_type, answer)

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
    with lowering_of_kernels():
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
        with builder.if_then(status.is_error, likely=False):
            builder.store(status.code, _fault(module))
    answer = context.cast(builder, answer, returned, sig.return_type)
    builder.ret(context.get_value_as_argument(builder, sig.return_type, answer))
    return module


def _fault(module: Any) -> Any:
    """The number that tells of an index out of bounds, in checked units."""
    known = module.globals.get(FAULT_SYMBOL)
    return known or ir.GlobalVariable(module, ir.IntType(32), FAULT_SYMBOL)


def _reached_libraries(first: Any) -> list[Any]:
    """The modules of a kernel and of everything it calls."""
    libraries, known = [first], {first}
    modules = []
    for library in libraries:  # grows while it is walked
        if isinstance(library, KeptLibrary):
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
