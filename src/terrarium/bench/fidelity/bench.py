"""All comparisons between our battles and the real game, and what a run of them gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from terrarium.bench.engine import Machine, describe_machine
from terrarium.bench.fidelity.comparison import FidelityComparison, FidelitySetting, Row
from terrarium.bench.fidelity.config import FidelityBenchConfig
from terrarium.bench.fidelity.contact import first_contact
from terrarium.bench.fidelity.crowds import crowds
from terrarium.bench.fidelity.formations import formations
from terrarium.bench.fidelity.mirrors import mirrors
from terrarium.bench.fidelity.open_loop import open_loop
from terrarium.bench.fidelity.recordings import load_recordings
from terrarium.bench.fidelity.script_rates import (
    attack_closest,
    both_shoot,
    farther_shoots,
    smac_script,
)
from terrarium.bench.fidelity.targets import target_switches
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.errors import TerrariumError, nearest

COMPARISONS: Mapping[str, FidelityComparison] = {
    "script": FidelityComparison(
        smac_script, ("preferred_targets", "chased_targets", "start_places", "crowding")
    ),
    "farther_shoots": FidelityComparison(farther_shoots, ("preferred_targets",)),
    "both_shoot": FidelityComparison(both_shoot, ("damage", "attack")),
    "attack_closest": FidelityComparison(attack_closest, ("passing others", "crowding")),
    "open_loop": FidelityComparison(
        open_loop, ("preferred_targets", "oncoming_friends", "turning"), needs_recordings=True
    ),
    "switches": FidelityComparison(target_switches, ("preferred_targets",), needs_recordings=True),
    "formations": FidelityComparison(formations, ("start_places", "body_overlap")),
    "first_contact": FidelityComparison(
        first_contact, ("scan_ticks", "attack_ticks", "opening_ticks"), needs_recordings=True
    ),
    "crowds": FidelityComparison(crowds, ("passing others", "crowding")),
    "mirrors": FidelityComparison(mirrors, ("sides",)),
}

NO_RECORDINGS = "no recordings"


@dataclass(frozen=True)
class Result:
    """The rows of one comparison."""

    comparison: str
    tests: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class FidelityBench:
    """The result of a run."""

    machine: Machine
    config: FidelityBenchConfig
    n_recordings: int
    results: tuple[Result, ...]


def bench_fidelity(
    config: FidelityBenchConfig, progress: Callable[[str], None] = lambda text: None
) -> FidelityBench:
    """Make the comparisons that `config` asks for; `progress` is told what comes next."""
    # Mistakes are told before the first battle begins.
    chosen = {name: find_comparison(name) for name in config.only or COMPARISONS}
    if config.rules is not None:
        load_ruleset(config.rules)
    file = config.recordings_file
    recordings = load_recordings(file).first(config.episodes) if file else None
    setting = FidelitySetting(
        config.episodes, config.seed, config.threads, config.rules, recordings
    )
    results = []
    for number, (name, comparison) in enumerate(chosen.items(), start=1):
        progress(f"{number} of {len(chosen)}: {name}")
        if comparison.needs_recordings and recordings is None:
            rows = [Row(NO_RECORDINGS, None, note=NO_RECORDINGS)]
        else:
            rows = comparison.measure(setting)
        results.append(Result(name, comparison.tests, tuple(rows)))
    n_recordings = len(recordings) if recordings else 0
    return FidelityBench(describe_machine(), config, n_recordings, tuple(results))


def find_comparison(name: str) -> FidelityComparison:
    """A comparison by its name."""
    if name not in COMPARISONS:
        raise TerrariumError(
            f'unknown comparison "{name}".{nearest(name, COMPARISONS)} '
            f"Allowed: {', '.join(COMPARISONS)}"
        )
    return COMPARISONS[name]
