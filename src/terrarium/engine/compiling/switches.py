"""Kernels that choose among others, made from a list of these.

To the compiler a function in a table is a riddle; a chain of comparisons is not. So the chain is
written out as the text of a function, which debuggers and tracebacks show like any other.
"""

import inspect
import linecache
from collections.abc import Callable, Mapping
from typing import Any

from terrarium.engine.jit import kernel


def switch(
    name: str, number: Callable[..., int], cases: Mapping[int, Callable[..., None]]
) -> Callable[..., None]:
    """The kernel, to be called `name` with its module, that calls the case of a number.

    All cases have the same arguments; `number` is a kernel that finds the number from some of them.
    A number without a case does nothing.
    """
    module, _, short = name.rpartition(".")
    functions = {code: _function(case) for code, case in cases.items()}
    first = next(iter(functions.values()))
    args = ", ".join(inspect.signature(first).parameters)
    of = ", ".join(inspect.signature(_function(number)).parameters)
    known: dict[str, Any] = {"__name__": module, "number_of": number}
    lines = [f"def {short}({args}):", f"    number = number_of({of})"]
    for code, function in functions.items():
        assert function.__annotations__ == first.__annotations__, f"arguments of {function}"
        assert known.setdefault(function.__name__, cases[code]) is cases[code], function.__name__
        lines += [
            f"    {'if' if len(lines) == 2 else 'elif'} number == {code}:",
            f"        {function.__name__}({args})",
        ]
    text, file = "\n".join(lines) + "\n", f"<{name}>"
    exec(compile(text, file, "exec"), known)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    made = known[short]
    made.__annotations__ = dict(first.__annotations__)
    return kernel(made)


def _function(of: Any) -> Callable[..., Any]:
    """What was decorated: plain mode leaves it as it is."""
    return getattr(of, "function", of)
