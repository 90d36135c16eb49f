"""The units that clients name by tags."""

from collections.abc import Iterable

import numpy as np

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.server.translate.ids import api_tag, engine_tag, snapshot_number


class TaggedUnits:
    """Slots of one game by the tags of its API, as they are at one moment."""

    def __init__(self, sim: Simulator, player: int, n_tags: int) -> None:
        """`n_tags`: of units of earlier battles of the game."""
        living = sim.games.living[0, : int(sim.games.clock["n_living"][0, 0])]
        living = living[sim.units["alive"][0, living]]
        tags = sim.units["tag"][0, living].tolist()
        slots = living.tolist()
        self._slots: dict[int, int] = dict(zip(tags, slots, strict=True))
        kinds = sim.units["kind"][0, living].tolist()
        self.kinds: dict[int, int] = dict(zip(slots, kinds, strict=True))
        """rows of Rules.types, by slot"""
        self.own_tags: dict[int, int] = dict(zip(slots, tags, strict=True))
        """those of the engine, by slot"""
        self.tags: dict[int, int] = {
            slot: api_tag(n_tags + tag) for slot, tag in zip(slots, tags, strict=True)
        }
        """those that clients see, by slot"""
        self.player = player
        self._sim, self._n_tags = sim, n_tags

    def slot(self, tag: int) -> int:
        """The slot of a unit on the map; -1 = there is none with that tag."""
        return self._slots.get(engine_tag(tag) - self._n_tags, codes.NO_UNIT)

    def slots(self, tags: Iterable[int]) -> list[int]:
        """Those of them that are on the map, each once, in order."""
        found = (self.slot(tag) for tag in tags)
        return [slot for slot in dict.fromkeys(found) if slot >= 0]

    def target(self, tag: int) -> int:
        """The same for what a command is aimed at, which may be a copy that the player remembers
        of something in the fog."""
        slot = self.slot(tag)
        number = snapshot_number(tag)
        if slot >= 0 or number == 0 or self._sim.games.memories.shape[1] == 0:
            return slot
        n_snapshots = int(self._sim.games.memories["n_snapshots"][0, self.player])
        snapshots = self._sim.games.snapshots[0, self.player, :n_snapshots]
        found = np.flatnonzero(snapshots["number"] == number)
        if not len(found):
            return codes.NO_UNIT
        return self._slots.get(int(snapshots["tag"][found[0]]), codes.NO_UNIT)
