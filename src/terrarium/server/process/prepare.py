"""What a process does while its client connects: load what every game needs."""

import logging
import threading
from collections.abc import Callable, Iterable

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.games.neutral import with_neutral
from terrarium.engine.jit import Entry
from terrarium.engine.kernels.movement.repairs import survey
from terrarium.engine.kernels.setup.begin import reset
from terrarium.engine.kernels.tick import step
from terrarium.engine.tables.types_from_facts import compile_rules
from terrarium.server.kernels.listing import list_units
from terrarium.server.live_game import RULES

logger = logging.getLogger(__name__)

Part = Callable[[], object]


class Preparation:
    """Short parts of work in a thread of their own, one after the other.

    All of them only fill caches. They may not run beside a game that begins, which would do the
    same work a second time: `stop` comes before it.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._parts = parts
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="preparation")
        self._thread.start()

    def stop(self) -> None:
        """Finish the part that is under way, and no other."""
        self._stopped.set()
        self.join()

    def join(self) -> None:
        """Wait until all is done."""
        self._thread.join()

    @property
    def is_stopping(self) -> bool:
        return self._stopped.is_set()

    def _run(self) -> None:
        for part in self._parts:
            if self._stopped.is_set():
                return
            try:
                part()
            except Exception:  # the game that needs it will tell its client
                logger.exception("The server could not be prepared.")
                return


def parts_of_games() -> list[Part]:
    """Machine code first: battles need it as well as whole games."""
    code = [load_code(entry) for entry in (survey, reset, step, list_units)]
    return [*code, load_facts, load_tables]


def load_code(entry: object) -> Part:
    """Load the machine code of a kernel, if there is any."""

    def load() -> None:
        if isinstance(entry, Entry):
            entry.load()

    return load


def load_facts() -> RuleSet:
    """Read the facts of whole games."""
    return with_neutral(load_ruleset(RULES))


def load_tables() -> None:
    """Make the engine's tables of them."""
    compile_rules(load_facts())
