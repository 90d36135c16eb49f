"""What one player puts into a game between two steps."""

from dataclasses import dataclass, field

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine.battle import COMMAND
from terrarium.engine.cheats import CHEAT
from terrarium.engine.records import Records, records
from terrarium.server.translate.unit_commands import GivenActions


@dataclass
class Inputs:
    """Of one player, for the next step."""

    commands: list[Records] = field(default_factory=list)
    """lists of COMMAND, in order"""
    echoes: list[api.Action] = field(default_factory=list)
    """what its next observation shows of them"""
    actions: list[tuple[int, GivenActions]] = field(default_factory=list)
    """which of the commands belong to actions: where those of a request begin"""
    camera: tuple[float, float] | None = None
    """where it is moved to"""
    cheats: list[Records] = field(default_factory=list)
    """lists of CHEAT, in order"""
    chat: list[api.ActionChat] = field(default_factory=list)
    gives_up: bool = False
    wins: bool = False
    """declares itself the winner, by a debug command"""

    @property
    def n_commands(self) -> int:
        return sum(len(some) for some in self.commands)

    def all_commands(self) -> Records:
        """In one list."""
        together = records(self.n_commands, COMMAND)
        first = 0
        for some in self.commands:
            together[first : first + len(some)] = some
            first += len(some)
        return together

    def all_cheats(self) -> Records:
        """In one list."""
        return np.concatenate([np.zeros(0, CHEAT), *self.cheats])
