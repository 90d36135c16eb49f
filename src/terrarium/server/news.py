"""What happened in a game since its client looked last."""

from dataclasses import dataclass, field

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine.battle import EVENT
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator


@dataclass
class News:
    """Each observation shows what came since the one before it, once."""

    event_parts: list[Records] = field(default_factory=list)
    echoes: list[api.Action] = field(default_factory=list)
    """actions of the client that were carried out, with the loop"""
    errors: list[api.ActionError] = field(default_factory=list)
    """other errors than the events say"""
    chat: list[api.ChatReceived] = field(default_factory=list)

    @property
    def events(self) -> Records:
        """Events of the engine, in order; their ticks are those of the engine's clock."""
        if not self.event_parts:
            return np.zeros(0, EVENT)
        return np.concatenate(self.event_parts)

    def count_tags_from(self, n_tags: int) -> None:
        """Another battle begins after so many units: tags of events so far lie below its own."""
        for events in self.event_parts:
            events["tag"] -= n_tags


class EventReader:
    """Reads the ring of events before it is overwritten."""

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self._n_read = int(sim.games.clock["n_events"][0, 0])

    def read_into(self, news: News) -> None:
        events, n_lost = self._sim.events(0, self._n_read)
        self._n_read += len(events) + n_lost
        if len(events):
            news.event_parts.append(events.copy())
