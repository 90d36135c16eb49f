"""Optimizers of PyTorch that leave its compiler alone.

Decorators of their methods import `torch._dynamo`, two seconds of every process that learns, only
to say that these methods are not to be compiled. Nothing is compiled here, and the methods below
the decorators compute the same.
"""

import inspect
from typing import Any, TypeVar

import torch

Kind = TypeVar("Kind", bound=torch.optim.Optimizer)
_DECORATED = ("add_param_group", "zero_grad", "state_dict", "load_state_dict")


def _without_compiler(kind: type[Kind]) -> type[Kind]:
    methods: dict[str, Any] = {name: inspect.unwrap(getattr(kind, name)) for name in _DECORATED}
    methods["step"] = torch.no_grad()(inspect.unwrap(kind.step))  # as its decorator does
    return type(kind.__name__, (kind,), methods)


Adam = _without_compiler(torch.optim.Adam)
RMSprop = _without_compiler(torch.optim.RMSprop)
