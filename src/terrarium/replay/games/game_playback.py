"""Plays an exact record of a whole game again, and refuses one that comes out differently."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from terrarium.engine.battle import COMMAND
from terrarium.engine.cheats import CHEAT, cheat, is_sound
from terrarium.engine.handles import handle
from terrarium.engine.kernels.setup.begin import Starts, reset
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import EngineError, Simulator
from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_frames import GameFrames
from terrarium.replay.games.game_record import ExactGameRecord, GameRecord
from terrarium.replay.games.game_sampler import SAMPLE_TICKS, GameSampler
from terrarium.replay.playback import Progress, check_versions
from terrarium.replay.record import checksum


def game_frames_of(
    record: GameRecord,
    name: str | None = None,
    sample_ticks: int = SAMPLE_TICKS,
    progress: Progress | None = None,
) -> GameFrames:
    """The course of a game; `name` is what messages call the record, a file for example."""
    if not isinstance(record, ExactGameRecord):
        return record.frames
    sampler: GameSampler | None = None
    for sim in replay_game(record, name, sample_ticks, progress):
        sampler = sampler or GameSampler(sim, 0)
        sampler.take()
    assert sampler is not None, "a record has at least one check"
    return sampler.frames(record.about)


def replay_game(
    record: ExactGameRecord,
    name: str | None = None,
    every_ticks: int = SAMPLE_TICKS,
    progress: Progress | None = None,
) -> Iterator[Simulator]:
    """The game itself, at its beginning, every so many ticks, and at its end."""
    label = name or f"the record of {record.setup.melee.name}, seed {record.about.seed}"
    check_versions(record.about, label)
    try:
        sim = simulator_of(record)
    except TerrariumError as error:
        raise ReplayError(f"{label}: the engine cannot play it: {error}") from error
    try:
        yield from _play(sim, record, label, every_ticks, progress)
    except EngineError as error:
        raise ReplayError(f"{label}: the engine cannot play it: {error}") from error
    finally:
        sim.close()


def simulator_of(record: ExactGameRecord) -> Simulator:
    """A game at the beginning of the recorded one."""
    setup = record.setup
    n_commands = int(np.unique(record.commands["tick"], return_counts=True)[1].max(initial=0))
    sim = Simulator(
        setup.melee,
        slots=setup.n_slots,
        teams=setup.teams,
        layers=setup.layers,
        max_commands=max(64, n_commands),
    )
    # Not sim.reset, which takes seeds of 63 bits: a file may hold any of 64.
    with np.errstate(over="ignore"):  # random numbers are meant to wrap around
        seeds = np.array([record.about.seed], np.uint64)
        reset(sim.handles, handle(Starts(seeds, np.ones(1, np.bool_))))
    sim.games.clock["fog"] = record.about.fog
    cheats = without_tick(record.cheats, CHEAT)
    if not is_sound(cheats, sim):
        raise ReplayError("a cheat of this record cannot be carried out in its game")
    return sim


def _play(
    sim: Simulator,
    record: ExactGameRecord,
    label: str,
    every_ticks: int,
    progress: Callable[[float], None] | None,
) -> Iterator[Simulator]:
    checks = dict(record.checks.tolist())
    first, last = int(record.checks["tick"][0]), int(record.checks["tick"][-1])
    if first != int(sim.ticks[0]):
        raise ReplayError(f"{label}: it does not begin when the game does; record it again")
    given = {int(tick) for tick in record.commands["tick"]}
    given |= {int(tick) for tick in record.cheats["tick"]}
    left: dict[int, list[int]] = {}
    for tick, owner in record.surrenders.tolist():
        left.setdefault(tick, []).append(owner)
    stops = {*range(first, last, every_ticks), last, *checks, *given, *left}
    for tick in sorted(stops):
        sim.step(tick - int(sim.ticks[0]))
        if tick == last:
            put_in(sim, record, tick)
            _surrender(sim, left.get(tick, []))
        if tick in checks and checksum(sim, 0) != checks[tick]:
            when = f"by tick {tick} of {last}" if tick > first else "at its beginning"
            raise ReplayError(
                f"{label}: the engine plays another game than the recorded one, {when}: the "
                "record was altered, something was changed by hand, or the facts of the rule set "
                "have changed; record the game again"
            )
        if (tick - first) % every_ticks == 0 or tick == last:
            yield sim
        if tick < last:
            _surrender(sim, left.get(tick, []))
        if tick in given and tick < last:
            put_in(sim, record, tick)
        if progress is not None:
            progress((tick - first) / max(1, last - first))


def _surrender(sim: Simulator, owners: list[int]) -> None:
    for owner in owners:
        sim.surrender(0, owner)


def put_in(sim: Simulator, record: ExactGameRecord, tick: int) -> None:
    """Carry out the cheats of a tick, and put its commands where the next step finds them."""
    cheat(sim, 0, cheats_at(record, tick))
    sim.give(0, commands_at(record, tick))


def cheats_at(record: ExactGameRecord, tick: int) -> Records:
    """The cheats of a tick, records of CHEAT."""
    return without_tick(_of_tick(record.cheats, tick), CHEAT)


def commands_at(record: ExactGameRecord, tick: int) -> Records:
    """The commands of a tick, records of COMMAND."""
    return without_tick(_of_tick(record.commands, tick), COMMAND)


def _of_tick(table: Records, tick: int) -> Records:
    first, last = np.searchsorted(table["tick"], [tick, tick + 1])
    return table[first:last]


def without_tick(table: Records, dtype: np.dtype[Any]) -> Records:
    """The rows of a record's table as the engine takes them."""
    rows = records(len(table), dtype)
    for name in table.dtype.names:
        if name != "tick":
            rows[name] = table[name]
    return rows
