"""Plays an exact record again through the engine, and refuses one that comes out differently."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.handles import handle
from terrarium.engine.kernels.setup.begin import Starts, reset
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import EngineError, Simulator
from terrarium.engine.tables.plan import OWNERS, n_units
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import Frames
from terrarium.replay.record import ExactRecord, Record, checksum
from terrarium.replay.sampler import Sampler
from terrarium.replay.scenario_text import read_scenario

SAMPLE_TICKS = 2
"""An eleventh of a second at the game's speed: what lies between is interpolated."""
# Longer battles are sampled less often.
MAX_SAMPLES = 60_000
MAX_UNIT_SAMPLES = 2_000_000


class PlayedBy(Protocol):
    """What a record says of the rules that it was played by."""

    @property
    def ruleset(self) -> str: ...

    @property
    def ruleset_version(self) -> int: ...

    @property
    def rules_version(self) -> int: ...

    @property
    def package_version(self) -> str: ...


Progress = Callable[[float], None]
"""Told from time to time which share of the work is done."""


def frames_of(
    record: Record,
    name: str | None = None,
    sample_ticks: int = SAMPLE_TICKS,
    progress: Progress | None = None,
) -> Frames:
    """The samples of a record; `name` is what messages call it, a file for example."""
    if not isinstance(record, ExactRecord):
        return record.frames
    label = name or f"the record of {record.about.scenario}, seed {record.about.seed}"
    n_samples = int(record.steps["n_ticks"].sum()) // sample_ticks
    allowed = min(MAX_SAMPLES, MAX_UNIT_SAMPLES // record.about.n_slots)
    sample_ticks *= 1 + n_samples // allowed
    check_versions(record.about, label)
    sim = _simulator(record, label)
    try:
        sampler = Sampler(sim, 0)
        _check_state(sim, record, 0, label)
        sampler.take(sample_ticks)
        _play(sim, record, sampler, sample_ticks, label, progress)
        return sampler.frames(
            record.about, record.steps, record.commands, record.whys, record.reasons
        )
    except EngineError as error:
        raise ReplayError(f"{label}: the engine cannot play it: {error}") from error
    finally:
        sim.close()


def check_versions(about: PlayedBy, label: str) -> None:
    """Refuse what was recorded under other rules."""
    if about.rules_version != RULES_VERSION:
        raise ReplayError(
            f"{label}: recorded under version {about.rules_version} of the rules, and this is "
            f"version {RULES_VERSION}; replay it with Terrarium {about.package_version}"
        )
    try:
        version = load_ruleset(about.ruleset).version
    except TerrariumError as error:
        raise ReplayError(f"{label}: {error}") from error
    if about.ruleset_version != version:
        raise ReplayError(
            f"{label}: recorded under version {about.ruleset_version} of the rule set "
            f"{about.ruleset}, and this is version {version}; replay it with Terrarium "
            f"{about.package_version}"
        )


def _simulator(record: ExactRecord, label: str) -> Simulator:
    """A game at the beginning of the recorded one."""
    try:
        scenario = read_scenario(record.scenario)
    except (TerrariumError, ValueError, OSError) as error:
        raise ReplayError(f"{label}: its scenario cannot be used: {error}") from error
    _check_scenario(record, scenario, label)
    sim = Simulator(scenario, slots=record.about.n_slots)
    # Not sim.reset, which takes seeds of 63 bits: a file may hold any of 64.
    with np.errstate(over="ignore"):  # random numbers are meant to wrap around
        seeds = np.array([record.about.seed], np.uint64)
        reset(sim.handles, handle(Starts(seeds, np.ones(1, np.bool_))))
    sim.games.clock["fog"] = record.about.fog
    try:
        for owner, upgrades in zip(OWNERS.values(), record.about.upgrades, strict=True):
            for upgrade in upgrades:
                sim.research(0, owner, upgrade)
    except EngineError as error:
        raise ReplayError(f"{label}: {error}") from error
    _check_abilities(sim, record, label)
    return sim


def _check_abilities(sim: Simulator, record: ExactRecord, label: str) -> None:
    """A row that the rules do not have would send the engine out of its tables."""
    highest = int(record.commands["ability"].max(initial=codes.NO_ABILITY))
    if highest >= len(sim.known.abilities):
        raise ReplayError(
            f"{label}: a command uses ability {highest}, and the rule set {record.about.ruleset} "
            f"has {len(sim.known.abilities)}; record the battle again"
        )


def _check_scenario(record: ExactRecord, scenario: Scenario, label: str) -> None:
    about = record.about
    said = (about.scenario_version, about.ruleset)
    if said != (scenario.version, scenario.rules):
        raise ReplayError(
            f"{label}: it names version {said[0]} and rule set {said[1]}, but its scenario is "
            f"of version {scenario.version} and {scenario.rules}; record the battle again"
        )
    if about.n_slots < n_units(scenario):
        raise ReplayError(
            f"{label}: {about.n_slots} slots for {n_units(scenario)} units; record it again"
        )


def _play(
    sim: Simulator,
    record: ExactRecord,
    sampler: Sampler,
    sample_ticks: int,
    label: str,
    progress: Progress | None,
) -> None:
    n_steps, done, first = len(record.steps), 0, 0
    total = int(record.steps["n_ticks"].sum())
    for k, (n_ticks, n_commands) in enumerate(record.steps.tolist()):
        given = record.commands[first : first + n_commands]
        first += n_commands
        _give(sim, given)
        sim.step(0)  # gives the commands; tick by tick after that, to see who falls when
        for _ in range(n_ticks):
            sim.step(1)
            done += 1
            if done % sample_ticks == 0 or done == total:
                sampler.take(sample_ticks)
            else:
                sampler.watch()
        _check_state(sim, record, k + 1, label)
        if progress is not None:
            progress((k + 1) / n_steps)


def _give(sim: Simulator, given: Records) -> None:
    commands = records(len(given), COMMAND)
    for name in ("kind", "ability", "target", "x", "y", "queued"):
        commands[name] = given[name]
    commands["unit"], commands["owner"] = given["slot"], sim.units["owner"][0, given["slot"]]
    sim.give(0, commands)


def _check_state(sim: Simulator, record: ExactRecord, k: int, label: str) -> None:
    if checksum(sim, 0) != int(record.checksums[k]):
        where = f"after step {k} of {len(record.steps)}" if k else "at its beginning"
        raise ReplayError(
            f"{label}: the engine plays another battle than the recorded one, {where}: the record "
            "was altered, units were added by hand, or the facts of the rule set have changed; "
            "record the battle again"
        )
