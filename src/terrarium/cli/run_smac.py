"""`terrarium run-smac`: programs that were written for SMAC, without StarCraft II."""

import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import tyro

from terrarium.envs.smac.drop_in import hidden_packages, run_program
from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class RunSmac:
    """Run a Python program written for SMAC or SMACv2 on Terrarium's battles.

    What it imports from smac and smacv2 is Terrarium's; nothing else changes.

    Words after the script are its own. A module is run by -m, as Python does.

    Example:  terrarium run-smac train.py --map 3m
    """

    script: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="SCRIPT")]
    """a Python file"""
    args: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[ARGS ...]")] = ()
    """what the script finds in sys.argv"""
    module: tyro.conf.Suppress[bool] = False
    """the script is the name of a module"""

    @classmethod
    def from_words(cls, words: Sequence[str]) -> "RunSmac":
        """Read the script's name; all that follows belongs to the script."""
        module = words[:1] == ["-m"]
        rest = words[1:] if module else words
        if not rest:
            needed = "-m needs the name of a module" if module else "a script is missing"
            raise TerrariumError(f"{needed}. See: terrarium run-smac --help")
        if rest[0].startswith("-"):
            raise TerrariumError(
                f'unknown option "{rest[0]}" of terrarium run-smac. Allowed: -m, --help; options '
                "of the script come after its name"
            )
        return cls(rest[0], tuple(rest[1:]), module)

    def run(self) -> None:
        if hidden := hidden_packages(self.script, self.module):
            places = ", ".join(f"{name} in {place}" for name, place in hidden.items())
            print(f"terrarium: there is also {places}; this run uses ours", file=sys.stderr)
        logging.getLogger().handlers.clear()  # the program sets up its own
        run_program(self.script, self.args, self.module)
