"""Recorded battles that are fought again, seen as one of their players saw them."""

from typing import Any

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine.battle import COMMAND
from terrarium.engine.cheats import CHEAT, is_sound
from terrarium.engine.records import Records
from terrarium.games.ending import GameResult
from terrarium.replay.games.game_playback import without_tick
from terrarium.replay.record import Recorder, checksum
from terrarium.replay.record_file import to_bytes
from terrarium.server.live_game import LiveGame
from terrarium.server.replays.echoes import echo_of
from terrarium.server.replays.saved_battles import SavedBattles
from terrarium.server.rounds import Rounds
from terrarium.server.session import Refused

SHOWN_LOOPS = 8
"""between two moments of a battle that is watched: a step of SMAC"""


class ReplayedBattles(LiveGame):
    """Nobody puts anything in: commands and cheats come from the record, step by step."""

    is_replay = True

    def __init__(self, saved: SavedBattles, player: int, options: api.InterfaceOptions) -> None:
        self._saved = saved
        super().__init__(saved.plan, player, options, observes=True)
        if not is_sound(without_tick(saved.cheats, CHEAT), self.sim):
            raise Refused("A cheat of this replay cannot be carried out in its game")
        commands = saved.commands
        for name in ("unit", "target"):
            if len(commands) and int(commands[name].max()) >= self.sim.n_slots:
                raise Refused("A command of this replay is for nobody")

    def _make_rounds(self) -> Rounds:
        return Rounds(self.sim, self.seed, self._saved.first, self._saved.n_tags)

    def _begin(self) -> None:
        super()._begin()
        self._computers = ()
        self._k, self._step_end = 0, 0

    @property
    def results(self) -> tuple[GameResult, ...]:
        return self._saved.results

    @property
    def ended(self) -> bool:
        return self.loop >= self._step_end and self._k >= len(self._saved.steps)

    def run_to(self, until: int) -> None:
        """Let the battles go on to a loop, or to the end of the record. A new battle begins with a
        whole step."""
        while self.loop < until and not self.ended:
            if self.loop >= self._step_end:
                self._begin_step()
            if self.loop < self._step_end:
                self._run_chunk(min(until, self._step_end) - self.loop)
        total = self._saved.checksum
        if self.ended and total is not None and checksum(self.sim, 0) != total:
            raise Refused("The replay cannot be played on: the engine fights other battles")

    def _begin_step(self) -> None:
        """Put in what the client had put in before a step."""
        assert self._rounds is not None
        k, saved = self._k, self._saved
        self._k, self._step_end = k + 1, self.loop + int(saved.steps["n_loops"][k])
        self._cheat(_of_step(saved.cheats, k, CHEAT))
        commands = _of_step(saved.commands, k, COMMAND)
        self.sim.give(0, commands)
        for command in commands[commands["owner"] == self.player]:
            self._news.echoes.append(echo_of(self, command))
        if self._rounds.is_over:
            self._begin_round(self._rounds, self._step_end)


def _of_step(table: Records, k: int, dtype: np.dtype[Any]) -> Records:
    return without_tick(table[table["tick"] == k], dtype)


def shown_battle(saved: SavedBattles) -> bytes:
    """The record of its last battle that was fought, as anybody can watch it without a server."""
    game = ReplayedBattles(saved, 0, api.InterfaceOptions(raw=True))
    recorder = Recorder(game.sim, 0, "light")
    try:
        while not game.ended:
            game.run_to(game.loop + SHOWN_LOOPS)
            recorder.note()
    finally:
        game.close()
    return to_bytes(recorder.record(saved.plan.map.title))
