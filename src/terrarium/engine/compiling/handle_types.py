"""Handles for the compiler: one pointer, whose attributes are arrays made from a table of words."""

import operator
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer_global,
    signature,
)
from numba.extending import infer_getattr, lower_builtin, lower_getattr_generic, register_model
from numba.np import arrayobj

from terrarium.engine.handles import ArrayField, layout_of

# Any: numba has types for none of its parts.

_I64 = ir.IntType(64)


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
        loaded.set_metadata("tbaa", memory_apart(builder.module, "a table"))
        return loaded

    if not isinstance(field, ArrayField):
        return builder.gep(value, [_I64(8 * field.word)])
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


def memory_apart(module: Any, name: str) -> Any:
    """Memory that is apart from that of other names, in the notation of LLVM's alias analysis."""
    kind = module.add_metadata([name, module.add_metadata(["memory"]), _I64(0)])
    return module.add_metadata([kind, kind, _I64(0)])
