"""Throughput of the vector environment: alone, or in one run with a peer."""

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import terrarium
from terrarium.bench.engine import (
    MAX_BATCH,
    MAX_THREADS,
    Machine,
    check_counts,
    describe_machine,
)
from terrarium.bench.peers import Peer, PeerInfo, Slice, smax_command
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.envs.options import VIEWS
from terrarium.errors import TerrariumError, nearest

if TYPE_CHECKING:
    from terrarium.envs.vector import VecEnv

STEPS_PER_CALL = 16
"""As SMAX has it: both sides play so many steps before they come back to Python"""

_PEER_VIEWS = ("obs", "state")
_PEER_FAMILY = "smac/"
_SEARCH_SECONDS = 1.0
_LONGEST_CALL_SECONDS = 10.0
# Battles begin together. Two episodes of random length put them at different points of their
# course; otherwise a short slice would see only the march, or only the fight.
_WARM_UP_EPISODES = 2
_WARM_UP_LIMIT_STEPS = 400


@dataclass(frozen=True)
class EnvBenchConfig:
    """What is measured. Every scenario is one row."""

    scenarios: tuple[str, ...] = ("3m", "2s3z", "27m_vs_30m")
    """scenarios, or scenario files"""
    batch: tuple[int, ...] = (256, 1024)
    """battles that are advanced together; of several, the fastest counts"""
    threads: int = field(default_factory=lambda: os.cpu_count() or 1)
    """threads that share a batch"""
    views: tuple[str, ...] = ("obs", "state")
    """what is produced for the agents in each step: obs, state, tokens, pairs, table"""
    seconds: float = 10.0
    """time for each side of a row, shared by its slices"""
    slices: int = 5
    """how often the sides take turns; the medians count"""
    vs: Literal["none", "smax"] = "none"
    """whom to compare with"""
    peer_batch: tuple[int, ...] = (64, 256, 1024, 4096)
    """battles that the peer advances together; of several, its fastest counts"""
    peer_python: str = ""
    """the peer's Python; TERRARIUM_SMAX_PYTHON, or .venv-smax beside .venv, if not given"""

    def __post_init__(self) -> None:
        check_counts("batch", self.batch, MAX_BATCH)
        check_counts("threads", (self.threads,), MAX_THREADS)
        check_counts("peer-batch", self.peer_batch, MAX_BATCH)
        if not 0.0 < self.seconds <= 3600.0:
            raise TerrariumError(f"seconds is {self.seconds:g}; allowed is more than 0, up to 3600")
        if not 3 <= self.slices <= 1000:
            raise TerrariumError(f"slices is {self.slices}; allowed are 3 to 1000")
        self._check_views()
        if not self.scenarios:
            raise TerrariumError("scenarios needs at least one name. See: terrarium list scenarios")
        for name in self.scenarios:
            load_scenario(name)  # a misspelled one is refused before anything is measured

    def _check_views(self) -> None:
        if not self.views:
            raise TerrariumError(f"views needs at least one of: {', '.join(VIEWS)}")
        for view in self.views:
            if view not in VIEWS:
                raise TerrariumError(
                    f'unknown view "{view}".{nearest(view, VIEWS)} Allowed: {", ".join(VIEWS)}'
                )
        if self.vs != "none" and set(self.views) != set(_PEER_VIEWS):
            raise TerrariumError(
                f"views is {' '.join(self.views)}; allowed with --vs {self.vs}, where both sides "
                f"produce the same: {' '.join(_PEER_VIEWS)}"
            )


@dataclass(frozen=True)
class Rate:
    """How fast one side plays one scenario."""

    batch: int
    steps: int
    """in all slices, of all battles together; a step is one decision of all agents of a battle"""
    seconds: float
    steps_per_s: float
    """median of the slices"""
    spread: float
    """(fastest - slowest slice) / median"""
    episode_steps: float | None
    """mean length of an episode; `None` if none ended"""
    slices_steps_per_s: tuple[float, ...]
    tried_steps_per_s: dict[int, float]
    """by batch, in the short search for the fastest"""


@dataclass(frozen=True)
class EnvBenchRow:
    """One scenario."""

    scenario: str
    ours: Rate
    peer: Rate | None
    ratio: float | None
    """our median in times of the peer's"""


@dataclass(frozen=True)
class EnvBenchResult:
    """The result of a run."""

    machine: Machine
    peer: PeerInfo | None
    config: EnvBenchConfig
    rows: tuple[EnvBenchRow, ...]


class _Side(Protocol):
    """Who plays a batch of battles at a time."""

    name: str
    batches: tuple[int, ...]
    """the batches to choose from"""
    steps_per_call: int
    """the least that can be played, for each battle"""

    def set_up(self, scenario: str, batch: int) -> None: ...

    def play(self, seconds: float) -> Slice: ...


class _Ours:
    """Our side: random available actions, drawn in compiled code."""

    name = "terrarium"
    steps_per_call = STEPS_PER_CALL

    def __init__(self, config: EnvBenchConfig) -> None:
        self.batches = config.batch
        self._threads, self._views = config.threads, config.views
        self._env: VecEnv | None = None
        self._batch = 0

    def set_up(self, scenario: str, batch: int) -> None:
        self.close()
        threads = min(self._threads, batch)
        self._env = terrarium.make_vec(
            scenario, n_envs=batch, threads=threads, seed=0, views=self._views
        )
        self._batch = batch
        self._env.reset()

    def play(self, seconds: float) -> Slice:
        env = self._env
        assert env is not None
        n_calls, n_episodes = 0, 0
        start = time.perf_counter()
        elapsed = 0.0
        while n_calls == 0 or elapsed < seconds:
            n_episodes += env.play_randomly(STEPS_PER_CALL)
            n_calls += 1
            elapsed = time.perf_counter() - start
        return Slice(n_calls * STEPS_PER_CALL * self._batch, elapsed, n_episodes)

    def close(self) -> None:
        if self._env is not None:
            self._env.close()
            self._env = None


class _Smax:
    """The peer's side: the same, in a process of its own."""

    name = "SMAX"

    def __init__(self, config: EnvBenchConfig, peer: Peer) -> None:
        self.batches = config.peer_batch
        self.steps_per_call = peer.info.steps_per_call
        self._peer = peer

    def set_up(self, scenario: str, batch: int) -> None:
        self._peer.set_up(scenario.removeprefix(_PEER_FAMILY), batch)

    def play(self, seconds: float) -> Slice:
        return self._peer.play(seconds)


def bench_env(
    config: EnvBenchConfig, progress: Callable[[str], None] | None = None
) -> EnvBenchResult:
    """Measure everything that `config` asks for; `progress` is told what comes next."""
    tell = progress or (lambda text: None)
    machine = describe_machine()
    with contextlib.ExitStack() as stack:
        sides: list[_Side] = []
        info = None
        if config.vs == "smax":
            tell("SMAX, which starts")
            peer = stack.enter_context(Peer(smax_command(config.peer_python)))
            info = peer.info
            _check_scenarios(config.scenarios, info)
            sides.append(_Smax(config, peer))
        ours = stack.enter_context(contextlib.closing(_Ours(config)))
        rows = tuple(_measure(config, name, [ours, *sides], tell) for name in config.scenarios)
    return EnvBenchResult(machine, info, config, rows)


def _check_scenarios(names: Sequence[str], info: PeerInfo) -> None:
    for name in names:
        full = load_scenario(name).name
        if not full.startswith(_PEER_FAMILY) or full[len(_PEER_FAMILY) :] not in info.scenarios:
            shared = [_PEER_FAMILY + peers for peers in info.scenarios]
            allowed = ", ".join(sorted(set(shared) & set(scenario_names("smac"))))
            raise TerrariumError(f'SMAX has no scenario "{full}". Allowed are: {allowed}')


def _measure(
    config: EnvBenchConfig, name: str, sides: Sequence[_Side], tell: Callable[[str], None]
) -> EnvBenchRow:
    """Let the sides play one scenario in turns, each in the batch that suits it best."""
    # A user's scenario is found by its file alone.
    scenario = name if name.endswith(".toml") else load_scenario(name).name
    chosen = [_set_up_fastest(side, scenario, tell) for side in sides]
    slices: list[list[Slice]] = [[] for _ in sides]
    for turn in range(config.slices):
        for side, played in zip(sides, slices, strict=True):
            tell(f"{scenario}, {side.name}, slice {turn + 1} of {config.slices}")
            played.append(side.play(config.seconds / config.slices))
    ours, *others = (_rate(*of, played) for of, played in zip(chosen, slices, strict=True))
    peer = others[0] if others else None
    ratio = ours.steps_per_s / peer.steps_per_s if peer else None
    return EnvBenchRow(scenario=scenario, ours=ours, peer=peer, ratio=ratio)


def _set_up_fastest(
    side: _Side, scenario: str, tell: Callable[[str], None]
) -> tuple[int, dict[int, float]]:
    """Leave `side` in the midst of battles, in its fastest batch; that, and steps/s of all."""
    tried: dict[int, float] = {}
    for batch in sorted(set(side.batches)):
        n_steps = batch * side.steps_per_call
        if tried and n_steps > _LONGEST_CALL_SECONDS * max(tried.values()):
            break
        tell(f"{scenario}, {side.name}, batch {batch}")
        side.set_up(scenario, batch)
        side.play(0.0)
        played = side.play(_SEARCH_SECONDS if len(set(side.batches)) > 1 else 0.0)
        tried[batch] = played.steps / played.seconds
    fastest = max(tried, key=lambda batch: tried[batch])
    tell(f"{scenario}, {side.name}, warm-up")
    side.set_up(scenario, fastest)
    n_steps, n_episodes = 0, 0
    while n_episodes < _WARM_UP_EPISODES * fastest and n_steps < _WARM_UP_LIMIT_STEPS * fastest:
        played = side.play(0.0)
        n_steps += played.steps
        n_episodes += played.episodes
    return fastest, tried


def _rate(batch: int, tried: dict[int, float], slices: Sequence[Slice]) -> Rate:
    rates = [played.steps / played.seconds for played in slices]
    median = statistics.median(rates)
    n_steps = sum(played.steps for played in slices)
    n_episodes = sum(played.episodes for played in slices)
    return Rate(
        batch=batch,
        steps=n_steps,
        seconds=sum(played.seconds for played in slices),
        steps_per_s=median,
        spread=(max(rates) - min(rates)) / median,
        # Episodes cut off by the beginning and by the end of the measurement cancel out.
        episode_steps=n_steps / n_episodes if n_episodes else None,
        slices_steps_per_s=tuple(rates),
        tried_steps_per_s=tried,
    )
