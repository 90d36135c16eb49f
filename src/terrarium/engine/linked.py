"""Kernels that only kernels call: kept as intermediate code and compiled within their entries.

Numba turns every function into machine code, together with everything that it calls. For kernels
that nobody calls from Python this is work for nothing, at each level of the calls again: without
it the rules compile in about half of the time and memory, to the same code.
"""

from typing import Any

import numba.core.codegen
import numba.core.compiler
import numba.core.compiler_machinery
import numba.core.typed_passes

codegen: Any = numba.core.codegen
compiler: Any = numba.core.compiler
machinery: Any = numba.core.compiler_machinery
typed_passes: Any = numba.core.typed_passes
types: Any = numba.types
# Any: numba has types for none of these.


class _Codegen:
    """The code generator, but for the environment, which belongs to code that is there to run."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def set_env(self, *_: Any) -> None:
        """Kernels neither raise nor call Python, which is what an environment would be for."""


class LinkedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """Code to be linked into the library of an entry."""

    @property
    def codegen(self) -> Any:
        return _Codegen(self._codegen)

    def _optimize_final_module(self) -> None:
        """The entry is optimized as a whole."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        return 0


@machinery.register_pass(mutates_CFG=False, analysis_only=True)
class _KeepLinked(machinery.AnalysisPass):  # type: ignore[misc]
    """Gives a kernel its library before the code generator would give it the usual one."""

    _name = "keep_linked"

    def __init__(self) -> None:
        machinery.AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        name = state.func_id.func_qualname
        state.library = LinkedLibrary(state.targetctx.codegen(), name)
        return False


class LinkedCompiler(compiler.CompilerBase):  # type: ignore[misc]
    """Numba's usual way, but for the library."""

    def define_pipelines(self) -> list[Any]:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_KeepLinked, typed_passes.AnnotateTypes)
        passes.finalize()
        return [passes]


def one_for_all(compiled: Any) -> Any:
    """Let calls with different constants share one version of a kernel.

    Numba types a constant argument by its value and compiles a version for each, with versions of
    everything that those call in turn: a third of all functions, for code that is the same.
    """
    fold = compiled._compiler.fold_argument_types

    def fold_plainly(args: Any, kws: Any) -> Any:
        signature, folded = fold(args, kws)
        return signature, tuple(types.unliteral(arg) for arg in folded)

    compiled._compiler.fold_argument_types = fold_plainly
    return compiled
