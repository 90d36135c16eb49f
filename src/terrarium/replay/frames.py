"""What a viewer needs of a battle: samples of every unit, missiles, deaths, commands."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.rulesets import load_ruleset
from terrarium.data.scenario import Terrain
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.engine.state import Records

OUTCOMES = ("win", "loss", "draw", "timeout", "unknown")
"""How a battle ended for the allies; `timeout`: the time was up before anybody had won."""

STEP = np.dtype([("n_ticks", "i4"), ("n_commands", "i4")])

GIVEN = np.dtype(
    [
        ("step", "i4"),
        ("slot", "i2"),
        ("kind", "u1"),  # codes.MOVE to codes.HEAL
        ("target", "i2"),  # slot, or NO_UNIT
        ("x", "f8"),
        ("y", "f8"),
        ("queued", "?"),
    ]
)
"""A command that was given before a step."""

SAMPLE = np.dtype(
    [
        ("kind", "u2"),  # row of Frames.types
        ("side", "u1"),
        ("alive", "?"),
        ("attacking", "?"),  # winds up or swings back
        ("fired", "?"),  # since the sample before
        ("healing", "?"),
        ("x", "f4"),
        ("y", "f4"),
        ("facing", "f4"),  # radians, counterclockwise from east
        ("hp", "f4"),
        ("shield", "f4"),
        ("energy", "f4"),
        ("target", "i2"),  # whom it attacks or heals
        ("order", "u1"),
        ("order_target", "i2"),
        ("order_x", "f4"),
        ("order_y", "f4"),
    ]
)

MISSILE = np.dtype(
    [
        ("sample", "i4"),
        ("side", "u1"),
        ("x", "f4"),
        ("y", "f4"),
        ("dx", "f4"),  # until the next sample
        ("dy", "f4"),
    ]
)

DEATH = np.dtype(
    [
        ("tick", "i4"),
        ("slot", "i2"),
        ("kind", "u2"),
        ("side", "u1"),
        ("killer", "i2"),  # slot, or NO_UNIT where nobody in particular did it
        ("x", "f4"),
        ("y", "f4"),
    ]
)


@dataclass(frozen=True)
class About:
    """Which battle it is, and what it was played by."""

    title: str
    outcome: str
    """one of OUTCOMES, as the allies see it"""
    seed: int
    """the engine's, 0 to 2**64 - 1"""
    scenario: str
    scenario_title: str
    scenario_version: int
    ruleset: str
    ruleset_version: int
    rules_version: int
    package_version: str
    n_slots: int


@dataclass(frozen=True)
class UnitType:
    """What is drawn of a unit type."""

    name: str
    radius: float
    hp: float
    shield: float
    energy: float
    reach: float
    """longest range of its weapons, or else of its healing, from the edge of its body"""
    sight: float
    flying: bool


@dataclass(frozen=True, eq=False)
class Frames:
    """A battle in samples; the first one is its beginning, the last one its end."""

    about: About
    terrain: Terrain
    types: tuple[UnitType, ...]
    ticks: NDArray[np.int64]  # [T] when each sample was taken
    units: Records  # [T, U] SAMPLE
    missiles: Records  # [M] MISSILE, in the order of their samples
    deaths: Records  # [D] DEATH, in their order
    steps: Records  # [S] STEP
    commands: Records  # [C] GIVEN, in the order of their steps

    def strength(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Life with shields, and the number of the living: [T, side] each."""
        units = self.units
        life = (units["hp"].astype(np.float64) + units["shield"]) * units["alive"]  # [T, U]
        mine = [units["side"] == side for side in (0, 1)]
        return (
            np.stack([(life * own).sum(axis=1) for own in mine], axis=1),
            np.stack([(units["alive"] & own).sum(axis=1) for own in mine], axis=1),
        )

    def step_ticks(self) -> NDArray[np.int64]:
        """[S + 1] the tick at which each step begins, and the last one ends."""
        ends: NDArray[np.int64] = np.cumsum(self.steps["n_ticks"], dtype=np.int64)
        return np.concatenate([np.zeros(1, np.int64), ends])


class Sampler:
    """Takes samples of one game while somebody else plays it."""

    def __init__(self, sim: Simulator, e: int) -> None:
        self._sim, self._e = sim, e
        self._ticks: list[int] = []
        self._units: list[Records] = []
        self._used: list[NDArray[np.bool_]] = []
        self._missiles: list[Records] = []
        self._deaths: list[tuple[float, ...]] = []
        self._fired = np.zeros(sim.n_slots, np.bool_)
        self._before = sim.units[e].copy()

    def watch(self) -> None:
        """Note who fell and who fired since the last call; each tick, to know the tick."""
        now, before = self._sim.units[self._e], self._before
        # A shot ends a wind-up with the cooldown running; a broken-off one costs nothing.
        running = ~now["winding"] & (now["cooldown"] > 0.0)
        self._fired |= running & (before["winding"] | (now["cooldown"] > before["cooldown"]))
        # A slot that somebody else has taken meanwhile had a death in it, too.
        fallen = before["alive"] & (~now["alive"] | (now["tag"] != before["tag"]))
        tick = int(self._sim.ticks[self._e])
        for u in np.flatnonzero(fallen).tolist():
            same = now["tag"][u] == before["tag"][u]
            last = now[u] if same else before[u]
            killer = int(now["attacker"][u]) if same else codes.NO_UNIT
            row = (tick, u, last["kind"], last["side"], killer, last["x"], last["y"])
            self._deaths.append(row)
        np.copyto(before, now)

    def take(self, sample_ticks: int) -> None:
        """Take a sample; `sample_ticks` is how far away the next one is."""
        self.watch()
        sim, e = self._sim, self._e
        units, orders = sim.units[e], sim.world.orders[e, :, 0]
        sample = np.zeros(sim.n_slots, SAMPLE)
        for name in ("kind", "side", "alive", "x", "y", "hp", "shield", "energy"):
            sample[name] = units[name]
        sample["alive"] &= units["tag"] > 0
        sample["facing"] = np.arctan2(units["face_y"], units["face_x"])
        sample["attacking"] = units["winding"] | (units["backswing"] > 0.0)
        sample["fired"], self._fired = self._fired, np.zeros(sim.n_slots, np.bool_)
        sample["healing"] = _healing(sim, units)
        sample["target"] = np.where(sample["healing"], units["heal_target"], units["target"])
        ordered = units["n_orders"] > 0
        sample["order"] = np.where(ordered, orders["kind"], codes.NO_ORDER)
        sample["order_target"] = np.where(ordered, orders["target"], codes.NO_UNIT)
        for axis in "xy":
            sample[f"order_{axis}"] = np.where(ordered, orders[axis], 0.0)
        _bury(sample)
        self._used.append(units["tag"] > 0)
        self._missiles.append(_missiles(sim, e, len(self._ticks), sample_ticks))
        self._units.append(sample)
        self._ticks.append(int(sim.ticks[e]))

    def frames(self, about: About, steps: Records, commands: Records) -> Frames:
        """Everything that was sampled."""
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
            types=tuple(_unit_type(self._sim, int(row)) for row in rows),
            ticks=np.array(self._ticks, np.int64),
            units=units,
            missiles=np.concatenate(self._missiles),
            deaths=deaths,
            steps=steps,
            commands=commands,
        )


def _healing(sim: Simulator, units: Records) -> NDArray[np.bool_]:
    """Who has a patient in reach and energy for it."""
    patients = units[units["heal_target"]]
    mine, theirs = sim.rules.types[units["kind"]], sim.rules.types[patients["kind"]]
    apart = np.hypot(units["x"] - patients["x"], units["y"] - patients["y"])
    near = apart - mine["radius"] - theirs["radius"] <= mine["heal_range"]
    able = (units["heal_target"] >= 0) & (mine["heal_life"] > 0.0) & (units["energy"] > 0.0)
    wounded = patients["alive"] & (patients["hp"] < theirs["hp"])
    healing: NDArray[np.bool_] = units["alive"] & able & wounded & near
    return healing


def _nobody(kind: int) -> Records:
    """The sample of a slot that was never used."""
    sample = np.zeros(1, SAMPLE)
    sample["kind"] = kind
    sample["target"] = sample["order_target"] = codes.NO_UNIT
    return sample


def _bury(sample: Records) -> None:
    """Of the dead stays who they were and where they fell, nothing of what they wanted."""
    dead = ~sample["alive"]
    for name in SAMPLE.names or ():
        if name not in ("kind", "side", "x", "y", "facing"):
            sample[name][dead] = codes.NO_UNIT if name in ("target", "order_target") else 0


def _missiles(sim: Simulator, e: int, sample: int, sample_ticks: int) -> Records:
    effects = sim.world.effects[e, : int(sim.world.clock["n_effects"][e, 0])]
    flying = effects[effects["stage"] == codes.FLYING]
    missiles = np.zeros(len(flying), MISSILE)
    missiles["sample"], missiles["side"] = sample, flying["side"]
    way_x, way_y = flying["aim_x"] - flying["x"], flying["aim_y"] - flying["y"]
    # As far as it flies until the next sample, but not beyond its target.
    left = np.hypot(way_x, way_y)
    share = np.minimum(flying["speed"] * sample_ticks / np.maximum(left, 1e-6), 1.0)
    missiles["x"], missiles["y"] = flying["x"], flying["y"]
    missiles["dx"], missiles["dy"] = way_x * share, way_y * share
    return missiles


def _unit_type(sim: Simulator, row: int) -> UnitType:
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
        sight=float(load_ruleset(sim.scenario.rules).units[name].sight),
        flying=bool(numbers["flying"]),
    )
