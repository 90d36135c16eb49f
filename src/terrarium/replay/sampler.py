"""Takes samples of a game that somebody else plays."""

import math
import warnings

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER, ENEMY_OWNER
from terrarium.replay.frames import (
    DEATH,
    MISSILE,
    SAMPLE,
    WHY,
    About,
    Frames,
    UnitType,
    side_of,
)
from terrarium.replay.skills import SkillTable
from terrarium.replay.spans import SpanWatcher

_STATUS = {
    "cloaked": codes.CLOAKED,
    "rooted": codes.ROOTED,
    "disarmed": codes.DISARMED,
    "silenced": codes.SILENCED,
    "untouchable": codes.UNTOUCHABLE,
    "lifted": codes.LIFTED,
}
_POINTERS = ("target", "order_target", "inside", "order_skill")
_NO_REASONS = np.zeros(0, WHY)


class Sampler:
    """Follows one game."""

    def __init__(self, sim: Simulator, e: int) -> None:
        self._sim, self._e = sim, e
        self._ticks: list[int] = []
        self._units: list[Records] = []
        self._used: list[NDArray[np.bool_]] = []
        self._missiles: list[Records] = []
        self._deaths: list[tuple[float, ...]] = []
        self._fired = np.zeros(sim.n_slots, np.bool_)
        self._before = sim.units[e].copy()
        self._n_events = int(sim.games.clock["n_events"][e, 0])
        self._skills = SkillTable(sim)
        self._spans = SpanWatcher(sim, e, self._skills)

    def watch(self) -> None:
        """Note who fell and who fired since the last call; each tick, to know the tick."""
        now, before = self._sim.units[self._e], self._before
        # A shot ends a wind-up with the cooldown running; a broken-off one costs nothing.
        running = ~now["winding"] & (now["cooldown"] > 0.0)
        self._fired |= running & (before["winding"] | (now["cooldown"] > before["cooldown"]))
        np.copyto(before, now)
        self._note_deaths()
        self._spans.watch(int(self._sim.ticks[self._e]))

    def _note_deaths(self) -> None:
        events, n_lost = self._sim.events(self._e, self._n_events)
        self._n_events += len(events) + n_lost
        if n_lost:
            warnings.warn(f"{n_lost} events are lost, and deaths with them", stacklevel=3)
        for died in events[events["kind"] == codes.DIED]:
            tick = died["tick"] + 1  # the first one without it
            row = (tick, died["unit"], died["type"], side_of(died["owner"]), died["other"])
            self._deaths.append((*row, died["x"], died["y"]))

    def take(self, sample_ticks: int) -> None:
        """Take a sample; `sample_ticks` is how far away the next one is."""
        self.watch()
        sim, e = self._sim, self._e
        units, orders = sim.units[e], sim.games.orders[e, :, 0]
        sample = np.zeros(sim.n_slots, SAMPLE)
        for name in ("kind", "alive", "x", "y", "hp", "hp_max", "shield", "energy"):
            sample[name] = units[name]
        sample["side"] = side_of(units["owner"])
        sample["alive"] &= units["tag"] > 0
        aboard = lives(units) & ~sample["alive"]
        sample["inside"] = np.where(aboard, units["inside"], codes.NO_UNIT)
        for name, bit in _STATUS.items():
            sample[name] = (units["status"] & bit) > 0
        sample["seen_by_allies"] = (units["seen"] >> ALLY_OWNER & 1) > 0
        sample["seen_by_enemies"] = (units["seen"] >> ENEMY_OWNER & 1) > 0
        sample["facing"] = np.arctan2(units["face_y"], units["face_x"])
        sample["attacking"] = units["winding"] | (units["backswing"] > 0.0)
        sample["fired"], self._fired = self._fired, np.zeros(sim.n_slots, np.bool_)
        sample["healing"] = healing(sim, units)
        sample["target"] = np.where(sample["healing"], units["heal_target"], units["target"])
        ordered = units["n_orders"] > 0
        sample["order"] = np.where(ordered, orders["kind"], codes.NO_ORDER)
        sample["order_target"] = np.where(ordered, orders["target"], codes.NO_UNIT)
        casts = np.flatnonzero(sample["order"] == codes.CAST)
        sample["order_skill"] = codes.NO_ABILITY
        sample["order_skill"][casts] = self._named(orders["ability"][casts])
        for axis in "xy":
            sample[f"order_{axis}"] = np.where(ordered, orders[axis], 0.0)
        _bury(sample)
        self._used.append(units["tag"] > 0)
        self._missiles.append(self._flying(sample_ticks))
        self._units.append(sample)
        self._ticks.append(int(sim.ticks[e]))

    def frames(
        self,
        about: About,
        steps: Records,
        commands: Records,
        whys: Records = _NO_REASONS,
        reasons: tuple[str, ...] = (),
    ) -> Frames:
        """Everything that was sampled."""
        commands = commands.copy()
        commands["ability"] = self._named(commands["ability"])
        units, used = np.stack(self._units), np.stack(self._used)
        deaths = np.array(self._deaths, DEATH)
        rows = np.unique(np.concatenate([units["kind"][used], deaths["kind"]]))
        if not len(rows):
            rows = np.zeros(1, np.uint16)  # nobody was ever there
        units[~used] = _nobody(int(rows[0]))  # what is there is left over from other games
        for table in (units, deaths):
            table["kind"] = np.searchsorted(rows, table["kind"])
        return Frames(
            about=about,
            terrain=self._sim.scenario.terrain,
            types=tuple(unit_type(self._sim, int(row)) for row in rows),
            skills=self._skills.skills,
            reasons=reasons,
            ticks=np.array(self._ticks, np.int64),
            units=units,
            missiles=np.concatenate(self._missiles),
            deaths=deaths,
            spans=self._spans.spans(self._ticks[-1]),
            steps=steps,
            commands=commands,
            whys=whys,
        )

    def _named(self, rows: NDArray[np.int64]) -> list[int]:
        return [self._skills.ability(row) for row in rows.tolist()]

    def _flying(self, sample_ticks: int) -> Records:
        """The missiles of weapons and abilities."""
        world, e = self._sim.games, self._e
        effects = world.effects[e, : int(world.clock["n_effects"][e, 0])]
        flying = effects[np.isin(effects["stage"], (codes.FLYING, codes.SPELL_FLYING))]
        missiles = np.zeros(len(flying), MISSILE)
        missiles["sample"], missiles["side"] = len(self._ticks), side_of(flying["owner"])
        of_weapon = flying["stage"] == codes.FLYING
        missiles["skill"] = self._named(np.where(of_weapon, codes.NO_ABILITY, flying["ability"]))
        way_x, way_y = flying["aim_x"] - flying["x"], flying["aim_y"] - flying["y"]
        # As far as it flies until the next sample, but not beyond its target.
        left = np.hypot(way_x, way_y)
        share = np.minimum(flying["speed"] * sample_ticks / np.maximum(left, 1e-6), 1.0)
        missiles["x"], missiles["y"] = flying["x"], flying["y"]
        missiles["dx"], missiles["dy"] = way_x * share, way_y * share
        return missiles


def lives(units: Records) -> NDArray[np.bool_]:
    """On the map or on board of somebody."""
    lives: NDArray[np.bool_] = (units["alive"] | (units["inside"] >= 0)) & (units["tag"] > 0)
    return lives


def healing(sim: Simulator, units: Records) -> NDArray[np.bool_]:
    """Who has a patient in reach and energy for it."""
    healing = np.zeros(len(units), np.bool_)
    able = units["alive"] & (units["heal_target"] >= 0) & (units["energy"] > 0.0)
    slots = np.flatnonzero(able)
    if not len(slots):
        return healing
    healers, patients = units[slots], units[units["heal_target"][slots]]
    mine, theirs = sim.rules.types[healers["kind"]], sim.rules.types[patients["kind"]]
    apart = np.hypot(healers["x"] - patients["x"], healers["y"] - patients["y"])
    near = apart - mine["radius"] - theirs["radius"] <= mine["heal_range"]
    wounded = patients["alive"] & (patients["hp"] < patients["hp_max"])
    healing[slots] = near & wounded & (mine["heal_life"] > 0.0)
    return healing


def _nobody(kind: int) -> Records:
    """The sample of a slot that was never used."""
    sample = np.zeros(1, SAMPLE)
    sample["kind"] = kind
    for name in _POINTERS:
        sample[name] = codes.NO_UNIT
    return sample


def _bury(sample: Records) -> None:
    """Of the dead stays who they were and where they fell, nothing of what they wanted."""
    dead = ~sample["alive"] & (sample["inside"] < 0)
    for name in SAMPLE.names or ():
        if name not in ("kind", "side", "x", "y", "facing"):
            sample[name][dead] = codes.NO_UNIT if name in _POINTERS else 0


def unit_type(sim: Simulator, row: int) -> UnitType:
    numbers, name = sim.rules.types[row], sim.names[row]
    armed = numbers["n_weapons"] > 0
    reach = float(sim.rules.reach[row].max()) if armed else float(numbers["heal_range"])
    return UnitType(
        name=name,
        radius=float(numbers["radius"]),
        hp=float(numbers["hp"]),
        shield=float(numbers["shields"]),
        energy=float(numbers["energy_max"]),
        reach=reach if math.isfinite(reach) else 0.0,
        sight=float(numbers["sight"]),
        flying=bool(numbers["flying"]),
        burrowed=bool(numbers["traits"] & codes.IS_BURROWED),
        form_of=_mobile_form(sim, row),
        cargo=int(numbers["cargo_room"]),
    )


def _mobile_form(sim: Simulator, row: int) -> str:
    """The type that digs in or plants itself to become this one; "" where there is none."""
    numbers = sim.rules.types[row]
    if numbers["structure"] or (numbers["mobile"] and not numbers["traits"] & codes.IS_BURROWED):
        return ""
    abilities = sim.rules.abilities
    becomes = sim.rules.mechanics.morphs["becomes"][np.maximum(abilities["params"], 0)]
    makers = np.flatnonzero((abilities["mechanic"] == codes.MORPH) & (becomes == row))
    users = np.flatnonzero(np.isin(sim.rules.kit, makers).any(axis=1))
    return sim.names[int(users[0])] if len(users) else ""
