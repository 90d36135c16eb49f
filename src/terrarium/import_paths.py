"""Classes that settings name: one of a registry, or `package.module:Class` of your own."""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, TypeVar

from terrarium.errors import TerrariumError, nearest

T = TypeVar("T")
_PATH = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_MODULES = "torch.nn.modules.module"
"""Where `torch.nn.Module` is defined, whose `forward` only says that there is none"""


@dataclass(frozen=True)
class Contract:
    """What a class must have to stand where a setting names it."""

    kind: str
    """what it is: an algorithm, an encoder"""
    needs: tuple[str, ...]
    """what it has to define itself; "select or weigh" is either of them"""
    arguments: tuple[str, ...]
    """of its constructor"""
    written: type[Any]
    """the class that says what it is"""

    @property
    def home(self) -> str:
        """Where the contract is written."""
        return f"{self.written.__module__}.{self.written.__qualname__}"


def is_import_path(name: str) -> bool:
    return ":" in name


def find_class(
    setting: str, name: str, known: Mapping[str, type[T]], contract: Contract
) -> type[T]:
    """The class that a setting names; the current folder is importable."""
    if name in known:
        return known[name]
    if not is_import_path(name):
        raise TerrariumError(
            f'{setting} is "{name}".{nearest(name, known)} Allowed: {", ".join(known)}, '
            f"or package.module:Class of your own"
        )
    found: type[T] = _imported(setting, name)
    _check_contract(name, found, contract)
    return found


def import_from_here(module: str) -> ModuleType:
    """A module that is installed, or lies in the current folder."""
    if os.getcwd() not in sys.path:  # of a program that is installed its own folder stands there
        sys.path.append(os.getcwd())
    return importlib.import_module(module)


def _imported(setting: str, name: str) -> Any:
    if not _PATH.fullmatch(name):
        raise TerrariumError(
            f'{setting} is "{name}"; a class of your own is written package.module:Class, '
            "as in my_lab.nets:Gnn"
        )
    module_name, _, class_name = name.partition(":")
    try:
        module = import_from_here(module_name)
    except Exception as error:  # importing runs foreign code, which may raise anything
        raise TerrariumError(
            f"{setting} is {name}: importing {module_name} raised {type(error).__name__}: {error}. "
            "Is it installed, in this folder or on PYTHONPATH?"
        ) from error
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        classes = [key for key, value in vars(module).items() if inspect.isclass(value)]
        raise TerrariumError(
            f"{setting} is {name}: {module_name} has no class {class_name}."
            f"{nearest(class_name, classes)}"
        )
    return found


def _check_contract(name: str, found: type[Any], contract: Contract) -> None:
    has = partial(_has, found)
    missing = [need for need in contract.needs if not any(map(has, need.split(" or ")))]
    if missing:
        raise TerrariumError(
            f"{name} lacks {missing[0]}: {contract.kind} has {', '.join(contract.needs)}; "
            f"the contract is in {contract.home}"
        )
    try:
        inspect.signature(found).bind(*contract.arguments)
    except (TypeError, ValueError) as error:
        raise TerrariumError(
            f"{name} cannot be made from ({', '.join(contract.arguments)}): {error}; "
            f"the contract is in {contract.home}"
        ) from None


def _has(found: type[Any], need: str) -> bool:
    """Whether a class defines something itself: what a Protocol only declares does not count."""
    for base in found.__mro__:
        if need in vars(base):
            return not getattr(base, "_is_protocol", False) and base.__module__ != _MODULES
    return False
