"""Which runs belong together, and what to call them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from terrarium.errors import TerrariumError, nearest
from terrarium.report.measures import Score
from terrarium.report.runs import Label, TrainedRun

# What may differ between runs of one group. A revision is no setting, and a commit between two
# seeds is common: such groups get a note instead.
# So do threads: they decide how fast a run is, not what it learns.
_FREE = {"run.seed", "run.folder", "run.threads", "about.created", "about.revision"}
# Told apart always, and shown as themselves.
_OWN_COLUMNS = {"about.algo", "about.scenario"}
_MAX_VALUE = 28


@dataclass(frozen=True)
class RunGroup:
    """Runs of one algorithm on one scenario that count as repetitions of each other."""

    scenario: str
    algo: str
    label: str
    """the algorithm, and the settings in which it differs from the other groups; or a name that
    the runs bring along"""
    settings: Mapping[str, str]
    """those settings in full"""
    runs: tuple[TrainedRun, ...]
    """by seed"""
    team: str = ""
    """whose returns these are; empty: all agents'"""

    @property
    def measure(self) -> Score:
        return self.runs[0].measure

    @property
    def panel(self) -> str:
        """What is drawn in one panel: a scenario, or a team in it."""
        return panel_name(self.scenario, self.team)


def panel_name(scenario: str, team: str) -> str:
    return f"{scenario}: {team}" if team else scenario


@dataclass(frozen=True)
class _Bucket:
    """A group before it has a name: the settings that make it one, and its runs."""

    scenario: str
    algo: str
    label: Label | None
    settings: dict[str, str]
    runs: list[TrainedRun]


def group_runs(runs: Sequence[TrainedRun], by: Sequence[str] = ()) -> tuple[RunGroup, ...]:
    """Put together what differs in nothing but the seed, or in anything but the settings `by`."""
    names = list(by) if by else _setting_names(runs)
    _check_names(by, runs)
    buckets: dict[object, _Bucket] = {}
    for run in sorted(runs, key=lambda run: (run.scenario, run.algo, run.seed, run.path)):
        settings = {name: run.settings[name] for name in names if name in run.settings}
        key = (run.scenario, run.algo, run.label, *settings.items())
        bucket = _Bucket(run.scenario, run.algo, run.label, settings, [])
        buckets.setdefault(key, bucket).runs.append(run)
    _check_measures(runs)
    return tuple(sorted(_named(list(buckets.values()), names), key=_order))


def _named(buckets: Sequence[_Bucket], names: Sequence[str]) -> list[RunGroup]:
    """Give every bucket a name that no other one of its scenario has."""
    telling = [name for name in names if _tells_apart(name, buckets)]
    groups: list[RunGroup] = []
    for bucket in buckets:
        settings = {n: bucket.settings[n] for n in telling if n in bucket.settings}
        # A name that runs bring along needs settings only beside another group of that name.
        alike = [other for other in buckets if other.label == bucket.label]
        shown = {n: settings[n] for n in settings if _tells_apart(n, alike)}
        taken = {group.label for group in groups if group.scenario == bucket.scenario}
        base = bucket.label.name if bucket.label else bucket.algo
        label = _unique(_label(base, shown), taken)
        runs_of = tuple(bucket.runs)
        groups.append(RunGroup(bucket.scenario, bucket.algo, label, settings, runs_of))
    return groups


def _order(group: RunGroup) -> tuple[object, ...]:
    """By scenario; labels with a place in that order, before others by name."""
    label = group.runs[0].label
    return (
        _natural(group.scenario),
        label is None,
        label.place if label else 0,
        _natural(group.label),
    )


def differing_settings(groups: Sequence[RunGroup]) -> dict[str, list[str]]:
    """Every setting that is not the same in all runs: for each group its values, joined."""
    everything = [run.settings for group in groups for run in group.runs]
    names = [
        name
        for name in _setting_names([run for group in groups for run in group.runs])
        if len({settings.get(name) for settings in everything}) > 1
    ]
    return {name: [_values(group, name) for group in groups] for name in names}


def _values(group: RunGroup, name: str) -> str:
    values = {run.settings.get(name, "-") for run in group.runs}
    return ", ".join(sorted(values, key=_natural))


def _setting_names(runs: Iterable[TrainedRun]) -> list[str]:
    names = dict.fromkeys(name for run in runs for name in run.settings)
    return [name for name in names if name not in _FREE | _OWN_COLUMNS]


def _check_names(names: Sequence[str], runs: Sequence[TrainedRun]) -> None:
    allowed = dict.fromkeys(name for run in runs for name in run.settings)
    for name in names:
        if name not in allowed:
            raise TerrariumError(
                f'unknown setting "{name}".{nearest(name, allowed)} '
                "Allowed are the settings in run.toml, such as net.core or run.seed"
            )


def _check_measures(runs: Iterable[TrainedRun]) -> None:
    """Win rates and returns cannot be drawn in one panel."""
    first: dict[str, TrainedRun] = {}
    for run in runs:
        other = first.setdefault(run.scenario, run)
        if other.measure != run.measure:
            raise TerrariumError(
                f"{run.path}: has a {run.measure.name} on {run.scenario}, and {other.path} has a "
                f"{other.measure.name}; compare them apart from each other"
            )


def _tells_apart(name: str, buckets: Sequence[_Bucket]) -> bool:
    """Whether a setting differs between groups that are drawn in one panel.

    Each scenario may have its own number of steps: that needs no name. And what only one of two
    algorithms has (its own options) says no more than the algorithm does.
    """
    for scenario in {bucket.scenario for bucket in buckets}:
        panel = [bucket for bucket in buckets if bucket.scenario == scenario]
        if len({bucket.settings[name] for bucket in panel if name in bucket.settings}) > 1:
            return True
        for algo in {bucket.algo for bucket in panel}:
            if len({name in bucket.settings for bucket in panel if bucket.algo == algo}) > 1:
                return True
    return False


def _label(base: str, settings: Mapping[str, str]) -> str:
    return ", ".join([base, *(f"{name}={_short(value)}" for name, value in settings.items())])


def _short(value: str) -> str:
    if len(value) <= _MAX_VALUE:
        return value
    return "[…]" if value.startswith("[") else f"{value[: _MAX_VALUE - 1]}…"


def _unique(label: str, taken: set[str]) -> str:
    """Two long values may begin alike."""
    number = 2
    name = label
    while name in taken:
        name, number = f"{label} #{number}", number + 1
    return name


def _natural(text: str) -> list[tuple[float, str]]:
    """A sorting key by which 3m comes before 10m, and 0.5 before 0.25 does not."""
    parts = re.split(r"(\d+(?:\.\d+)?(?:e[+-]?\d+)?)", text)
    return [(float(part), part) if i % 2 else (0.0, part) for i, part in enumerate(parts)]
