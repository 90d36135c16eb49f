"""Object files in this process: linked, and watched for faults."""

import ctypes
from functools import cache
from typing import Any

from llvmlite import binding

FAULT_SYMBOL = "terrarium.fault"
"""A number that checked units set when an index is out of bounds."""
_fault = ctypes.c_int32(0)


@cache
def _engine() -> Any:
    """LLVM's linker and loader for this process."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    binding.add_symbol(FAULT_SYMBOL, ctypes.addressof(_fault))
    # The memory manager keeps the parts of an object together, as their code expects.
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine, use_lmm=True)


def load(symbol: str, code: bytes) -> int:
    """Link a unit into this process; the address of its entry, which other units may now call."""
    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = int(engine.get_function_address(symbol))
    assert address, f"{symbol} is not in its own unit"
    binding.add_symbol(symbol, address)
    return address


def check_fault(symbol: str) -> None:
    """Raise what a checked unit has noticed."""
    if _fault.value:
        _fault.value = 0
        raise IndexError(f"an index is out of bounds in {symbol}")
