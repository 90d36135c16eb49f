"""Engine throughput: battles of many sizes under a simple script, without observations."""

import os
import platform
import statistics
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import terrarium
from terrarium.data.battles.generated import generate_terrain
from terrarium.data.battles.scenario import Group, Order, Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine import codes
from terrarium.engine.tables.plan import ALLY_OWNER, ENEMY_OWNER
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.engine.simulator import Simulator

MAX_BATCH = 65536
MAX_THREADS = 256

_N_SLICES = 3
_N_SAMPLES = 16
_WARM_UP_STEPS = 3
_AIM_STEPS = 8
_SCALE_SIZES = (100, 200)
_SCALE_MAP = 176
_MARCH_SIZE = 400
_MARCH_STRUCTURES = 40
_MARCH_KINDS = ("supply_depot", "barracks", "engineering_bay", "command_center")
_SCALE_START = 30.0  # in the middle of the plateau where a side of the generated terrain begins
# Twentieths of each army.
_SCALE_ARMIES = {
    "ally": {"marine": 10, "marauder": 4, "siege_tank": 2, "hellion": 2, "medivac": 2},
    "enemy": {"zergling": 9, "roach": 5, "hydralisk": 4, "baneling": 2},
}


@dataclass(frozen=True)
class EngineBenchConfig:
    """What is measured. Every combination of scenario, batch and threads is one row."""

    scenarios: tuple[str, ...] = ("3m", "2s3z", "MMM2", "27m_vs_30m", "2c_vs_64zg")
    """scenarios, or scenario files"""
    batch: tuple[int, ...] = (1, 64, 1024)
    """battles that are advanced together"""
    threads: tuple[int, ...] = (1, 2)
    """threads that share a batch"""
    seconds: float = 2.0
    """time for one row, in three slices; the median counts"""
    scale: bool = False
    """also 100 and 200 units a side on a map of 176 x 176, and 400 between 40 structures"""

    def __post_init__(self) -> None:
        check_counts("batch", self.batch, MAX_BATCH)
        check_counts("threads", self.threads, MAX_THREADS)
        if not 0.0 < self.seconds <= 3600.0:
            raise TerrariumError(f"seconds is {self.seconds:g}; allowed is more than 0, up to 3600")
        if not self.scenarios and not self.scale:
            raise TerrariumError("scenarios needs at least one name. See: terrarium list scenarios")
        for name in self.scenarios:
            load_scenario(name)  # a misspelled one is refused before anything is measured


def check_counts(what: str, counts: tuple[int, ...], high: int) -> None:
    """Refuse an option without numbers, or with one that is out of range."""
    if not counts:
        raise TerrariumError(f"{what} needs at least one number from 1 to {high}")
    for count in counts:
        if not 1 <= count <= high:
            raise TerrariumError(f"{what} is {count}; allowed are 1 to {high}")


@dataclass(frozen=True)
class Machine:
    """Where the numbers come from."""

    cpu: str
    cores: int
    system: str
    python: str
    numpy: str
    numba: str
    terrarium: str
    rules_version: int
    load: float | None
    """how many programs wanted a core in the minute before; `None` where the system does not say"""


@dataclass(frozen=True)
class Throughput:
    """One row: how many decision steps and ticks of all battles together a second holds."""

    scenario: str
    rules: str
    n_units: int
    batch: int
    threads: int
    steps: int
    """decision steps in all, of all battles together"""
    ticks: int
    seconds: float
    steps_per_s: float
    """median of the slices"""
    ticks_per_s: float
    spread: float
    """(fastest - slowest slice) / median"""
    slices_steps_per_s: tuple[float, ...]


@dataclass(frozen=True)
class EngineBench:
    """The result of a run."""

    machine: Machine
    config: EngineBenchConfig
    rows: tuple[Throughput, ...]
    scale: tuple[Throughput, ...]
    cost_of_doubling: float | None
    """time for a tick of the larger of the two `scale` battles, in times of the smaller; at most 2
    if cost grows with the number of units, 4 if with its square"""


def bench_engine(
    config: EngineBenchConfig, progress: Callable[[str], None] | None = None
) -> EngineBench:
    """Measure everything that `config` asks for; `progress` is told what comes next."""
    tell = progress or (lambda text: None)
    machine = describe_machine()
    cases = [
        (load_scenario(name), batch, threads)
        for name in config.scenarios
        for batch in config.batch
        for threads in config.threads
        if threads <= batch or threads == min(config.threads)
    ]
    rows = []
    for number, (scenario, batch, threads) in enumerate(cases, start=1):
        tell(f"{number} of {len(cases)}: {scenario.name}, batch {batch}, threads {threads}")
        rows.append(_measure_batch(scenario, batch, threads, config.seconds))
    scale = []
    for n_units in _SCALE_SIZES if config.scale else ():
        tell(f"{n_units} against {n_units} units")
        scale.append(_measure_whole_battles(scale_scenario(n_units)))
    if config.scale:
        tell(f"{_MARCH_SIZE} units between {_MARCH_STRUCTURES} structures")
        scale.append(_measure_march())
    return EngineBench(
        machine=machine,
        config=config,
        rows=tuple(rows),
        scale=tuple(scale),
        cost_of_doubling=scale[0].ticks_per_s / scale[1].ticks_per_s if scale else None,
    )


def describe_machine() -> Machine:
    """The processor, and the versions of all that has a say in speed and in results."""
    from terrarium.engine.tables.rules import RULES_VERSION

    return Machine(
        cpu=_cpu_name(),
        cores=os.cpu_count() or 1,
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        python=platform.python_version(),
        numpy=version("numpy"),
        numba=version("numba"),
        terrarium=terrarium.__version__,
        rules_version=RULES_VERSION,
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    )


def _cpu_name() -> str:
    """The processor's name as its seller writes it, where the system knows it."""
    if platform.system() == "Darwin":
        asked = ["sysctl", "-n", "machdep.cpu.brand_string"]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        return answer.stdout.strip() or platform.machine()
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        key, _, name = line.partition(":")
        if key.strip() == "model name":
            return name.strip()
    return platform.processor() or platform.machine()


def scale_scenario(n_units: int) -> Scenario:
    """A battle of `n_units` a side across a generated map; a multiple of 20."""
    if n_units < 20 or n_units % 20:
        raise TerrariumError(f"{n_units} units a side; allowed are multiples of 20")
    return _on_large_map(
        f"{n_units} against {n_units}",
        f"{n_units} Terran against {n_units} Zerg units on a generated map",
        (_army("ally", n_units), _army("enemy", n_units)),
    )


def march_scenario() -> Scenario:
    """One army crosses the generated map."""
    return _on_large_map(
        f"{_MARCH_SIZE} between {_MARCH_STRUCTURES} structures",
        f"{_MARCH_SIZE} Terran units cross a generated map",
        (_army("ally", _MARCH_SIZE),),
    )


def _army(side: str, n_units: int) -> Group:
    """Units in a corner of the map that attack-move to the opposite one."""
    near, far = (_SCALE_START, _SCALE_START), (_SCALE_MAP - _SCALE_START, _SCALE_MAP - _SCALE_START)
    start, goal = (near, far) if side == "ally" else (far, near)
    return Group(
        side=side,
        at=start,
        units={name: share * n_units // 20 for name, share in _SCALE_ARMIES[side].items()},
        passive=False,
        order=Order(kind="attack_move", at=goal, to=None, side=None),
    )


def _on_large_map(name: str, title: str, groups: tuple[Group, ...]) -> Scenario:
    return Scenario(
        name=name,
        title=title,
        version=1,
        terrain=generate_terrain(_SCALE_MAP, 0),
        rules="lotv-4.10",
        # March and fight; after it the survivors stand in each other's start and cost nothing.
        limit_steps=125,
        ticks_per_step=8,
        groups=groups,
        generator=None,
        smac=None,
    )


class _Battles:
    """A batch of battles without end: allies attack-move to where an enemy lives, whoever is done
    begins anew."""

    def __init__(self, scenario: Scenario, batch: int, threads: int) -> None:
        # numba loads only when something is measured: `--help` must not wait for it.
        from terrarium.engine.battle import COMMAND
        from terrarium.engine.simulator import Simulator
        from terrarium.engine.tables.plan import unit_names

        self.sim: Simulator = Simulator(scenario, batch, threads)
        self._limit_ticks = scenario.limit_steps * scenario.ticks_per_step
        self._is_armed = self.sim.rules.types["n_weapons"] > 0  # [unit types]
        self._all_armed = all(self._is_armed[self.sim.rows[n]] for n in unit_names(scenario))
        n_allies = int((self.sim.units["owner"][0] == ALLY_OWNER).sum())
        self.orders = np.zeros((batch, n_allies), COMMAND)  # [N, A]
        self.orders["kind"], self.orders["target"] = codes.ATTACK_MOVE, codes.NO_UNIT
        self.orders["owner"] = ALLY_OWNER
        self.begin()

    def begin(self) -> None:
        """All battles from their first tick."""
        self._next_seed, self._n_steps = 0, 0
        self.reset(np.ones(self.sim.n_envs, np.bool_))
        self.orders["unit"] = np.nonzero(self.sim.units["owner"] == ALLY_OWNER)[1].reshape(
            self.orders.shape
        )

    def step(self) -> NDArray[np.bool_]:
        """One decision of every ally and what follows from it; which battles ended with it."""
        if self._n_steps % _AIM_STEPS == 0 and self.orders.size:
            self._aim()
        self._n_steps += 1
        n_orders = self.orders.shape[1]
        self.sim.commands[:, :n_orders] = self.orders
        self.sim.inbox["n_commands"] = n_orders
        self.sim.step()
        done = self._over() | (self.sim.ticks >= self._limit_ticks)
        if done.any():
            self.reset(done)
        return done

    def _aim(self) -> None:
        """Point the orders at a living enemy. At the enemy's start alone, survivors of both sides
        would walk past each other, and a third of the measured time would be spent standing."""
        units = self.sim.units
        games = np.arange(self.sim.n_envs)
        enemy = (units["alive"] & (units["owner"] == ENEMY_OWNER)).argmax(axis=1)  # [N]
        for axis in ("x", "y"):
            self.orders[axis] = units[axis][games, enemy][:, None]

    def _over(self) -> NDArray[np.bool_]:
        """Where a side has nobody left who can fight: as in SMAC, Medivacs alone have lost."""
        over: NDArray[np.bool_]
        if self._all_armed:
            over = (self.sim.players["n_alive"][:, 1:] == 0).any(axis=1)
            return over
        units = self.sim.units
        armed = units["alive"] & self._is_armed[units["kind"]]  # [N, U]
        ally = units["owner"] == ALLY_OWNER
        over = ~((armed & ally).any(axis=1) & (armed & ~ally).any(axis=1))
        return over

    def reset(self, where: NDArray[np.bool_]) -> None:
        """Begin some battles anew."""
        self.sim.reset(self._next_seed, where)
        self._next_seed += self.sim.n_envs
        # SMAC's agents never pick a target; here attack-move has to find them some.
        self.sim.units["passive"][where] = False


def _spread_out(battles: _Battles) -> None:
    """Put the battles at different points of their course: all together they would march first
    and fight later, and a short measurement would see only the march."""
    n_envs = battles.sim.n_envs
    samples = _Battles(battles.sim.scenario, min(n_envs, _N_SAMPLES), 1)
    n_samples = samples.sim.n_envs
    lengths = np.zeros(n_samples, np.int64)
    n_steps = 0
    while not lengths.all():
        n_steps += 1
        lengths[samples.step() & (lengths == 0)] = n_steps
    samples.begin()
    source = np.arange(n_envs) % n_samples
    share = (np.arange(n_envs) + 0.5) / n_envs
    starts_at = (share * lengths[source]).astype(np.int64)
    for step in range(int(starts_at.max()) + 1):
        for e in np.flatnonzero(starts_at == step):
            for array, sample in zip(battles.sim.games, samples.sim.games, strict=True):
                array[e] = sample[source[e]]
        samples.step()
    samples.sim.close()


def _measure_batch(scenario: Scenario, batch: int, threads: int, seconds: float) -> Throughput:
    battles = _Battles(scenario, batch, threads)
    _spread_out(battles)
    for _ in range(_WARM_UP_STEPS):
        battles.step()
    slices = []
    for _ in range(_N_SLICES):
        n_steps, start = 0, time.perf_counter()
        elapsed = 0.0
        while elapsed < seconds / _N_SLICES:
            battles.step()
            n_steps += batch
            elapsed = time.perf_counter() - start
        slices.append((n_steps, elapsed))
    battles.sim.close()
    return _throughput(battles.sim, threads, slices)


def _measure_whole_battles(scenario: Scenario) -> Throughput:
    """A slice is one battle from beginning to end; only its opening orders are given."""
    battles = _Battles(scenario, 1, 1)
    battles.orders = battles.orders[:, :0]
    battles.step()
    slices = []
    for _ in range(_N_SLICES):
        battles.reset(np.ones(1, np.bool_))
        n_steps, start = 1, time.perf_counter()
        while not battles.step().all():
            n_steps += 1
        slices.append((n_steps, time.perf_counter() - start))
    battles.sim.close()
    return _throughput(battles.sim, 1, slices)


def _measure_march() -> Throughput:
    """A slice is one march of an army between structures at places of its own."""
    from terrarium.engine.simulator import Simulator

    scenario = march_scenario()
    sim = Simulator(scenario, slots=_MARCH_SIZE + _MARCH_STRUCTURES, layers=("footprints",))
    slices = []
    for seed in range(_N_SLICES + 1):
        sim.reset(seed)
        _scatter_structures(sim, np.random.default_rng(seed))
        start = time.perf_counter()
        for _ in range(scenario.limit_steps):
            sim.step()
        slices.append((scenario.limit_steps, time.perf_counter() - start))
    sim.close()
    return _throughput(sim, 1, slices[1:])  # the first one loads the machine code


def _scatter_structures(sim: "Simulator", draws: np.random.Generator) -> None:
    """Put structures wherever chance finds flat and free ground."""
    from terrarium.engine.simulator import EngineError

    n_placed = 0
    while n_placed < _MARCH_STRUCTURES:
        x, y = draws.uniform(0.0, _SCALE_MAP, 2)
        try:
            sim.place(0, _MARCH_KINDS[n_placed % len(_MARCH_KINDS)], ALLY_OWNER, x, y)
        except EngineError:
            continue  # a cliff, a ramp, or ground that is taken
        n_placed += 1


def _throughput(sim: "Simulator", threads: int, slices: list[tuple[int, float]]) -> Throughput:
    rates = [n_steps / elapsed for n_steps, elapsed in slices]
    median = statistics.median(rates)
    n_steps = sum(steps for steps, _ in slices)
    return Throughput(
        scenario=sim.scenario.name,
        rules=sim.scenario.rules,
        n_units=sim.n_slots,
        batch=sim.n_envs,
        threads=threads,
        steps=n_steps,
        ticks=n_steps * sim.scenario.ticks_per_step,
        seconds=sum(elapsed for _, elapsed in slices),
        steps_per_s=median,
        ticks_per_s=median * sim.scenario.ticks_per_step,
        spread=(max(rates) - min(rates)) / median,
        slices_steps_per_s=tuple(rates),
    )
