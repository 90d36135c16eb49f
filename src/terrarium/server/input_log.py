"""What a client has put into a game of battles, so that they can be fought again."""

from dataclasses import dataclass, field

import numpy as np

from terrarium.engine.records import Records
from terrarium.server.inputs import Inputs

MAX_LOOPS = 60_000
"""that are kept: of longer games the last battles"""


@dataclass
class LoggedBattle:
    """One battle of a game, and the steps in which its client played it."""

    number: int
    """of the battles of its game"""
    n_tags: int
    """of units of earlier battles"""
    steps: list[int] = field(default_factory=list)
    """how many loops each of them had"""
    commands: list[Records] = field(default_factory=list)
    """of each step, records of COMMAND"""
    cheats: list[Records] = field(default_factory=list)
    """of each step, records of CHEAT"""

    n_loops: int = 0
    """altogether"""


class InputLog:
    """The battles of one game, the present one last."""

    def __init__(self) -> None:
        self.battles: list[LoggedBattle] = []
        self.is_whole = True
        """False once the present battle has become longer than what is kept"""

    def begin(self, number: int, n_tags: int) -> None:
        """Another battle has begun, with the step that was noted last."""
        self.battles.append(LoggedBattle(number, n_tags))
        self.is_whole = True
        while len(self.battles) > 1 and sum(b.n_loops for b in self.battles) > MAX_LOOPS:
            del self.battles[0]

    def note(self, n_loops: int, inputs: Inputs) -> None:
        """Note a step that is about to be made."""
        battle = self.battles[-1]
        if battle.n_loops + n_loops > MAX_LOOPS:
            self.battles, self.is_whole = [LoggedBattle(battle.number, battle.n_tags)], False
        if self.is_whole:
            battle.steps.append(n_loops)
            battle.n_loops += n_loops
            battle.commands.append(inputs.all_commands())
            battle.cheats.append(np.array(inputs.all_cheats()))
