"""A battle in which both sides use their abilities, for tests that look at them."""

import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.replay.frames import Frames
from terrarium.replay.playback import frames_of
from terrarium.replay.record import Kind, Record, Recorder
from terrarium.replay.record_file import to_bytes

SCENARIO = """
title = "Stim, siege, cloak, EMP, storm, cargo and locks"
terrain = "band"
rules = "lotv-4.10"
limit_steps = 100
fog = true

[upgrades]
ally = [
    "stimpack", "shield_wall", "personal_cloaking", "battlecruiser_enable_specializations",
    "terran_infantry_weapons_level1", "terran_infantry_weapons_level2",
]
enemy = ["psi_storm_tech", "blink_tech", "protoss_shields_level1"]

[[group]]
side = "ally"
at = [11.0, 14.5]
units = { marine = 6 }

[[group]]
side = "ally"
at = [9.5, 11.0]
units = { ghost = 2 }
energy = 120

[[group]]
side = "ally"
at = [8.5, 17.5]
units = { siege_tank = 1, cyclone = 1 }

[[group]]
side = "ally"
at = [7.0, 13.5]
units = { medivac = 1, liberator = 1 }

[[group]]
side = "ally"
at = [7.0, 20.5]
units = { battlecruiser = 1, raven = 1 }
energy = 120

[[group]]
side = "ally"
at = [4.0, 16.0]
units = { orbital_command = 1 }

[[group]]
side = "ally"
at = [12.0, 19.0]
units = { widow_mine = 1 }

[[group]]
side = "enemy"
at = [19.5, 15.5]
units = { stalker = 4, zealot = 3 }

[[group]]
side = "enemy"
at = [23.0, 17.5]
units = { high_templar = 1, sentry = 1 }
energy = 120

[[group]]
side = "enemy"
at = [21.5, 11.5]
units = { ravager = 2 }
"""
N_STEPS = 60


@cache
def scenario() -> Scenario:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drill.toml"
        file.write_text(SCENARIO, encoding="utf-8")
        return load_scenario(file)


def slots(sim: Simulator, unit: str) -> list[int]:
    """Where the units of a type are."""
    units = sim.units[0]
    there = (units["tag"] > 0) & (units["kind"] == sim.rows[unit])
    return [int(u) for u in there.nonzero()[0]]


class Lead:
    """Gives the orders of a step and says why."""

    def __init__(self, sim: Simulator) -> None:
        self._sim = sim
        self._marines, self._ghosts = slots(sim, "marine"), slots(sim, "ghost")
        self._stalkers, self._zealots = slots(sim, "stalker"), slots(sim, "zealot")
        self._one = {
            name: slots(sim, name)[0]
            for name in (
                *("siege_tank", "cyclone", "medivac", "liberator", "battlecruiser", "raven"),
                *("orbital_command", "widow_mine", "high_templar", "sentry"),
            )
        }

    def __call__(self, step: int) -> Mapping[int, str]:
        sim, one = self._sim, self._one
        why: dict[int, str] = {}

        def use(
            slot: int,
            ability: str,
            reason: str = "",
            at: tuple[float, float] = (0.0, 0.0),
            target: int = codes.NO_UNIT,
        ) -> None:
            sim.use(0, slot, ability, at, target)
            why[slot] = reason

        if step == 0:
            use(one["siege_tank"], "siege_mode", "siege: stalkers come from the east")
            use(one["widow_mine"], "burrow_widow_mine", "burrow")
            use(one["liberator"], "liberator_defender_mode", "guard the lane", (15.0, 16.0))
            use(self._ghosts[0], "cloak_ghost", "cloak before they see me")
        if step == 1:
            for u in self._stalkers + self._zealots:
                sim.order(0, u, codes.ATTACK_MOVE, (10.0, 15.0))
            for u in slots(sim, "ravager"):
                use(u, "corrosive_bile", "bile: they stand together", (13.0, 13.0))
            use(one["orbital_command"], "scanner_sweep", "who is there?", (21.0, 16.0))
            use(one["raven"], "auto_turret", "a turret in their way", (13.5, 17.0))
        if step == 2:
            use(one["medivac"], "load_medivac", "save the weak one", target=self._marines[5])
        if step == 4:
            use(one["medivac"], "load_medivac", "and another", target=self._marines[4])
            use(one["battlecruiser"], "yamato", "yamato: most life", target=self._stalkers[0])
        if step == 5:
            for u in self._marines[:4]:
                use(u, "stimpack_marine", "stim, 4 stalkers in reach")
            use(self._ghosts[1], "emp", "emp: shields", (17.0, 16.0))
            use(one["sentry"], "guardian_shield", "marines shoot")
        if step == 7:
            use(one["cyclone"], "lock_on", "lock on", target=self._stalkers[1])
            for u in self._marines[:4]:
                sim.order(0, u, codes.ATTACK_MOVE, (16.0, 16.0))
        if step == 8:
            use(one["high_templar"], "psi_storm", "storm: five marines", (12.0, 14.5))
            use(self._stalkers[2], "blink", "out of the storm", (17.0, 19.0))
        if step == 14:
            use(one["medivac"], "unload_all_medivac", "the storm is over", (9.0, 12.0))
        return why


@cache
def recorded(kind: Kind = "exact") -> Record:
    """The battle, and why it went as it did."""
    sim = Simulator(scenario())
    sim.reset(3)
    recorder, lead = Recorder(sim, kind=kind), Lead(sim)
    for step in range(N_STEPS):
        why = lead(step)
        sim.step()
        recorder.note(why)
    return recorder.record("A drill", "unknown")


@cache
def content(kind: Kind) -> bytes:
    return to_bytes(recorded(kind))


@cache
def frames(kind: Kind = "exact") -> Frames:
    return frames_of(recorded(kind))
