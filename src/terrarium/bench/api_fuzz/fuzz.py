"""Sends messages to a session, and watches what becomes of it and of its game."""

import time
from collections.abc import Callable
from pathlib import Path

from s2clientprotocol import sc2api_pb2 as api

from terrarium.bench.api_fuzz.config import FuzzConfig, FuzzResult
from terrarium.bench.api_fuzz.messages import MessageMaker
from terrarium.server.requests import RULES
from terrarium.server.session import IN_GAME, QUIT, Session
from terrarium.server.translate.ids import api_tag

REPLAY_LOOPS = 32
PATIENCE = 40
"""messages without a game, until one is begun"""
MOST_MESSAGES = 3000
"""with one game, until another is begun: units are created and killed all the time"""
EARLY = 5
"""Memory is compared from this part of the messages on: before, caches fill."""


class Fuzzing:
    """One session under fire."""

    def __init__(self, seed: int) -> None:
        self._maker = MessageMaker(seed)
        self._session = self._new_session()
        self.answered = self.refused = self.games = self.loops = 0
        self.faults: list[str] = []
        self.slowest = (0.0, "")
        self._idle = self._age = 0
        self._maker.replay = self._make_replay()

    def _new_session(self) -> Session:
        session = Session(RULES)
        session.has_client = lambda: False  # whoever would wait for something gives up at once
        return session

    def send_next(self) -> None:
        """One message, after what keeps a game going."""
        session = self._session
        if session.status == QUIT:
            session = self._session = self._new_session()
        self._idle = 0 if session.status == IN_GAME else self._idle + 1
        self._age += 1
        if self._idle > PATIENCE or self._age > MOST_MESSAGES:
            self._begin_game()
        self.send(self._maker.next())

    def send(self, data: bytes) -> api.Response:
        """Send a message, and look at the answer."""
        session = self._session
        before, begun = session.n_faults, time.process_time()
        loop = session.game.loop if session.game is not None else 0
        response: api.Response = api.Response.FromString(session.answer(data))
        took = time.process_time() - begun
        if took > self.slowest[0]:
            self.slowest = (took, response.WhichOneof("response") or "an error")
        assert response.HasField("status"), "every answer says where the game is"
        if session.n_faults > before:
            self.faults.append(f"{response.error[-1]}: {data.hex()}")
        if response.error:
            self.refused += 1
        else:
            self.answered += 1
        if session.game is not None:
            self.loops += max(0, session.game.loop - loop)
        return response

    def _begin_game(self) -> None:
        self._idle = self._age = 0
        self.games += 1
        for data in self._maker.opening():
            response = self.send(data)
            assert not response.error, f"no game can be begun any more: {response}"
        alive = self._session.playing.sim.units[0]
        tags = [api_tag(int(tag)) for tag in alive["tag"][alive["alive"]][:60]]
        self._maker.tags = [*tags, 0, 1, 2**64 - 1]

    def _make_replay(self) -> bytes:
        while True:
            self._begin_game()
            self.send(api.Request(step=api.RequestStep(count=REPLAY_LOOPS)).SerializeToString())
            wanted = api.Request(save_replay=api.RequestSaveReplay())
            data = self.send(wanted.SerializeToString()).save_replay.data
            if data:
                return data

    def goes_on(self) -> bool:
        """Can a game still be played?"""
        self._begin_game()
        step = api.Request(step=api.RequestStep(count=8)).SerializeToString()
        return not self.send(step).error


def fuzz(cfg: FuzzConfig, progress: Callable[[int], None] = lambda sent: None) -> FuzzResult:
    """Send messages; what became of them."""
    begun = time.process_time()
    fuzzing, early = Fuzzing(cfg.seed), 0.0
    for sent in range(cfg.messages):
        fuzzing.send_next()
        if sent == cfg.messages // EARLY:
            early = memory_mb()
        if sent % 1000 == 0:
            progress(sent)
    assert fuzzing.goes_on(), "no game can be played any more"
    return FuzzResult(
        messages=cfg.messages,
        answered=fuzzing.answered,
        refused=fuzzing.refused,
        faults=tuple(fuzzing.faults),
        games=fuzzing.games,
        loops=fuzzing.loops,
        slowest_ms=1000.0 * fuzzing.slowest[0],
        slowest=fuzzing.slowest[1],
        cpu_seconds=time.process_time() - begun,
        memory_early_mb=early,
        memory_late_mb=memory_mb(),
    )


def memory_mb() -> float:
    """Of this process, now; 0 where the system does not say it this way."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    lines = status.read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
