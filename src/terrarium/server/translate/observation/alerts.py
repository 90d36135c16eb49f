"""Alerts: what the game tells its player once, in the observation in which it happened.

AlertError and TrainError are never raised: whatever failed, the real game was not seen to raise
them.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.observation.alert_memory import AlertMemory
from terrarium.server.translate.observation.client_view import ClientView

AlertValue: TypeAlias = "api.Alert.ValueType"

TOLD = (codes.FINISHED, codes.DIED, codes.CAST_DONE, codes.STARTED)
"""events that may be an alert each"""
QUIET_TICKS = 6300
"""A unit that has not been attacked for so long is told of again: in the real game 6,069 were not
enough, and 6,524 were."""
ALONE = ("mothership",)
"""units with an alert of their own"""
GATES = ("gateway", "warp_gate")
_BY_WAY = {
    codes.HOW_BUILD: api.BuildingComplete,
    codes.HOW_BUILD_ON_GEYSER: api.BuildingComplete,
    codes.HOW_ADDON: api.AddOnComplete,
    codes.HOW_WARP_IN: api.WarpInComplete,
    codes.HOW_MERGE: api.MergeComplete,
    codes.HOW_AUTOMATIC: api.TransformationComplete,
}
"""the alert of a product by the way in which it is made; all others are told by its type"""


class Alerts:
    """What a view of a game is to be told of, beside what it remembers to have been told."""

    def __init__(self, view: ClientView, memory: AlertMemory) -> None:
        sim = view.sim
        self._sim, self._view, self._player, self._memory = sim, view, view.player, memory
        self._alone = {sim.rows[name] for name in ALONE if name in sim.rows}
        self._gates = {sim.rows[name] for name in GATES if name in sim.rows}
        self._nukes = sim.rules.abilities["nukes"] > 0
        n_slots = int(sim.games.clock["n_slots"][0, 0])  # the others have never been used
        self._units = sim.units[0, :n_slots]

    def begin(self) -> None:
        """What is so now is nothing new."""
        self._memory.dry = self._dry_structures()

    def raised(self, events: Records) -> Iterator[AlertValue]:
        """One for each thing that happened since this was asked last."""
        for event in events[np.isin(events["kind"], TOLD)] if len(events) else events:
            kind, owner = int(event["kind"]), int(event["owner"])
            if kind == codes.FINISHED:
                if owner == self._player:
                    yield from self._made(int(event["amount"]))
            elif kind == codes.DIED:
                yield from self._ended(event)
            elif self._view.is_enemy(owner):
                yield from self._warning(event)
        if len(events):
            yield from self._attacks(events)
        yield from self._launches()
        if self._sim.games.producers.shape[1]:
            yield from self._larvae(events)
            yield from self._empty_geysers()

    def _made(self, product: int) -> Iterator[AlertValue]:
        row = self._sim.rules.products[product]
        how, makes = int(row["how"]), int(row["makes"])
        if makes < 0:
            yield api.ResearchComplete if row["family"] < 0 else api.UpgradeComplete
        elif makes in self._gates and int(row["by"]) in self._gates:
            yield api.TransformationComplete
        elif how in _BY_WAY:
            yield _BY_WAY[how]
        elif makes in self._alone:
            yield api.MothershipComplete
        elif how in (codes.HOW_MORPH, codes.HOW_MORPH_PLACE):
            yield api.UpgradeComplete if self._is_terran(makes) else api.MorphComplete
        elif self._sim.rules.types[makes]["stored"]:
            yield api.NukeComplete
        else:
            is_worker = self._sim.rules.types[makes]["worker"]
            alert = api.TrainWorkerComplete if is_worker else api.TrainUnitComplete
            yield from (alert for _ in range(int(row["count"])))

    def _is_terran(self, kind: int) -> bool:
        return self._view.ids.facts.units[self._sim.names[kind]].race == "Terran"

    def _ended(self, event: Records) -> Iterator[AlertValue]:
        row = self._sim.rules.types[event["type"]]
        if event["owner"] == self._player and row["own_trip"] > 0.0 and event["other_tag"] == 0:
            yield api.MULEExpired
        is_field = event["owner"] == codes.NEUTRAL_OWNER and row["resource"] == codes.MINERALS
        if is_field and event["other_owner"] == self._player:
            yield api.MineralsExhausted

    def _warning(self, event: Records) -> Iterator[AlertValue]:
        """What an enemy does that everybody hears of, wherever it is."""
        rules = self._sim.rules
        if event["kind"] == codes.CAST_DONE and self._nukes[event["ability"]]:
            tag = int(event["tag"])
            if tag not in self._memory.nuking:  # it began after the last look as well
                yield api.NuclearLaunchDetected
            self._memory.nuking.add(tag)
        if (
            event["kind"] == codes.STARTED
            and rules.products["makes"][int(event["amount"])] == self._view.worm
        ):
            yield api.NydusWormDetected

    def _launches(self) -> Iterator[AlertValue]:
        """Enemies who have begun to call a nuke down."""
        units = self._units
        skills = self._sim.games.skills[0, : len(units)]
        slots = np.flatnonzero(skills["cast"] >= 0)
        if len(slots):
            some = skills[slots]
            nukes = self._nukes[some["cast"]] & (some["phase"] != codes.APPROACH)
            slots = slots[nukes & units["alive"][slots]]
        now = set(units["tag"][slots].tolist())
        for slot in slots.tolist():
            new = int(units["tag"][slot]) not in self._memory.nuking
            if new and self._view.is_enemy(int(units["owner"][slot])):
                yield api.NuclearLaunchDetected
        self._memory.nuking = now

    def _attacks(self, events: Records) -> Iterator[AlertValue]:
        """Units and structures outside of the screen that have not been attacked for long."""
        hurt = events[(events["kind"] == codes.HURT) & (events["owner"] == self._player)]
        hurt = hurt[hurt["other_owner"] != self._player]
        shown = self._view.are_on_screen(hurt).tolist()
        structures = self._view.tables.types["structure"][hurt["type"]].tolist()
        for tag, tick, is_shown, structure in zip(
            hurt["tag"].tolist(), hurt["tick"].tolist(), shown, structures, strict=True
        ):
            before = self._memory.attacked.get(tag)
            if before is not None or not is_shown:
                self._memory.attacked[tag] = tick
            if not is_shown and (before is None or tick - before > QUIET_TICKS):
                yield api.BuildingUnderAttack if structure else api.UnitUnderAttack

    def _waiting_injects(self) -> dict[int, int]:
        """How many injects the player's hatcheries have before them, by their slots."""
        units = self._units
        waiting = self._sim.games.producers["n_injects"][0, : len(units)]
        slots = np.flatnonzero(waiting > 0)
        slots = slots[units["alive"][slots] & (units["owner"][slots] == self._player)]
        return dict(zip(slots.tolist(), waiting[slots].tolist(), strict=True))

    def _larvae(self, events: Records) -> Iterator[AlertValue]:
        """Injects whose larvae have begun to come."""
        inject = int(self._sim.rules.breeding["inject"][0])
        expected = dict(self._memory.injects)
        cast = events[(events["kind"] == codes.CAST_DONE) & (events["owner"] == self._player)]
        for hatchery in cast["other"][cast["ability"] == inject].tolist() if inject >= 0 else ():
            expected[hatchery] = expected.get(hatchery, 0) + 1
        self._memory.injects = self._waiting_injects()
        for hatchery, n in expected.items():
            if self._units["alive"][hatchery]:
                for _ in range(n - self._memory.injects.get(hatchery, 0)):
                    yield api.LarvaHatched

    def _dry_structures(self) -> set[int]:
        """Tags of the player's structures on geysers that hold nothing any more."""
        if not self._sim.games.producers.shape[1]:
            return set()
        mine = np.flatnonzero(self._units["alive"] & (self._units["owner"] == self._player))
        units = self._units[mine]
        is_gas = self._sim.rules.types["resource"][units["kind"]] == codes.VESPENE
        done = units["status"] & codes.UNFINISHED == 0
        empty = self._sim.games.resources["contents"][0, mine] <= 0.0
        return set(units["tag"][is_gas & done & empty].tolist())

    def _empty_geysers(self) -> Iterator[AlertValue]:
        dry = self._dry_structures()
        yield from (api.VespeneExhausted for _ in dry - self._memory.dry)
        self._memory.dry = dry


def alerts_of(game: LiveGame, view: ClientView, events: Records) -> list[AlertValue]:
    """What a client is told since it was told last."""
    is_first = game.loop < view.alerts.loop or view.alerts.loop < 0
    if is_first:  # it looks for the first time, or an earlier state has been loaded
        view.alerts = AlertMemory()
    alerts = Alerts(view, view.alerts)
    if is_first:
        alerts.begin()
    view.alerts.loop = game.loop
    return list(alerts.raised(events))
