"""A recorded game that is played again, seen as one of its players saw it."""

from collections.abc import Iterator

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine.simulator import Simulator
from terrarium.games.ending import GameResult
from terrarium.replay.games.game_playback import cheats_at, commands_at, simulator_of
from terrarium.replay.record import checksum
from terrarium.server.live_game import LiveGame
from terrarium.server.replays.echoes import echo_of
from terrarium.server.replays.files import SavedGame
from terrarium.server.replays.saved_battles import SavedBattles
from terrarium.server.session import Refused


class ReplayGame(LiveGame):
    """Nobody puts anything in: commands, cheats and surrenders come from the record."""

    is_replay = True

    def __init__(
        self,
        saved: SavedGame,
        player: int,
        options: api.InterfaceOptions,
        disable_fog: bool = False,
        keeps_record: bool = False,
    ) -> None:
        self._saved, self._keeps_record = saved, keeps_record
        super().__init__(saved.plan, player, options, observes=True)
        self.disable_fog = self.disable_fog or disable_fog

    def _make_simulator(self) -> Simulator:
        return simulator_of(self._saved.record)

    def _reset(self) -> None:
        """It begins as the record does, which may know other seeds than games."""

    def _begin(self) -> None:
        super()._begin()
        self._computers = ()  # what they did is in the record
        if not self._keeps_record:
            self.recorder = None
        record = self._saved.record
        self._last_tick = int(record.checks["tick"][-1])
        self._checks = {int(tick): int(value) for tick, value in record.checks.tolist()}
        tables = (record.commands, record.cheats, record.surrenders, record.checks)
        ticks = np.concatenate([table["tick"] for table in tables])
        self._stops = np.unique(ticks)
        if int(record.checks["tick"][0]) != self.first_tick:
            raise Refused("The replay does not begin when its game does")
        self._check()

    @property
    def results(self) -> tuple[GameResult, ...]:
        """Those of the rules; at the end of the record, what it says."""
        if int(self.sim.ticks[0]) >= self._last_tick:
            return self._saved.results
        return tuple(GameResult.UNDECIDED for _ in self._saved.players)

    @property
    def ended(self) -> bool:
        return int(self.sim.ticks[0]) >= self._last_tick

    def run_to(self, until: int) -> None:
        """Let the game run to a loop, or to the end of the record."""
        while self.loop < until and not self.ended:
            tick = int(self.sim.ticks[0])
            self._put_in_recorded(tick)
            k = int(np.searchsorted(self._stops, tick, side="right"))
            target = min(int(self._stops[k]), self.first_tick + until)
            self._run_chunk(target - tick)
            self._check()

    def _put_in_recorded(self, tick: int) -> None:
        record = self._saved.record
        self._cheat(cheats_at(record, tick))
        self.sim.give(0, commands_at(record, tick))
        for owner in record.surrenders["owner"][record.surrenders["tick"] == tick].tolist():
            self.sim.surrender(0, owner)
        given = record.commands[record.commands["tick"] == tick]
        for command in given[given["owner"] == self.player]:
            self._news.echoes.append(echo_of(self, command))

    def _check(self) -> None:
        tick = int(self.sim.ticks[0])
        if tick == self._last_tick:  # what came after the last step belongs to it
            self._put_in_recorded(tick)
        if tick in self._checks and checksum(self.sim, 0) != self._checks[tick]:
            raise Refused(
                f"The replay cannot be played on: the engine plays another game by loop {self.loop}"
            )


def apm_of(saved: SavedGame | SavedBattles) -> Iterator[int]:
    """Commands a minute, of each player."""
    minutes = max(saved.n_loops, 1) / (22.4 * 60.0)
    commands = saved.record.commands if isinstance(saved, SavedGame) else saved.commands
    owners = commands["owner"]
    for player in range(1, len(saved.players) + 1):
        yield round(int((owners == player).sum()) / minutes)
