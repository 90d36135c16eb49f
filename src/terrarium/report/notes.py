"""What a reader must know before trusting the numbers of a comparison."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from terrarium.report.aggregate import left_out
from terrarium.report.groups import RunGroup, differing_settings
from terrarium.report.runs import TrainedRun
from terrarium.report.summary import curve_of
from terrarium.report.teams import wholes


def notes_on(groups: Sequence[RunGroup]) -> tuple[str, ...]:
    """One sentence for each oddity of each group."""
    found = []
    for group in wholes(groups):
        found += [f"{group.scenario}, {group.label}: {text}." for text in _oddities(group)]
    found += [
        f"{label}: has no runs on some of the scenarios, so it is in no number over all of them."
        for label in left_out(wholes(groups))
    ]
    found += [
        f"{scenario}: each team met the opponents of its own run, so its return says as much about "
        "them as about itself."
        for scenario in dict.fromkeys(group.scenario for group in groups if group.team)
    ]
    tasks = {group.scenario for group in groups if not group.measure.is_share}
    if tasks and len({group.scenario for group in groups}) > 1:
        found.append(
            "Returns have no common scale, so each such task stands for itself and is in no "
            "number over several scenarios."
        )
    return tuple(found)


def _oddities(group: RunGroup) -> Iterator[str]:
    runs = group.runs
    held = [run for run in runs if run.reached_target]
    if held and len(runs) > 1:
        yield f"{_which(held)} ended at the target and {_is(held)} held at the last win rate"
    unfinished = [run for run in runs if run.ended_early and not run.reached_target]
    if unfinished and any(run.max_steps is not None for run in unfinished):
        until = "; the curve of the group ends with the first of them" if len(runs) > 1 else ""
        yield f"{_which(unfinished)} ended before run.max_steps{until}"
    torn = [run for run in runs if run.progress.is_torn]
    if torn:
        yield f"the metrics of {_which(torn)} end in half a line, which is ignored"
    resumed = [run for run in runs if run.progress.is_resumed]
    if resumed:
        yield f"{_which(resumed)} went back to a checkpoint; what was done twice counts once"
    if len(curve_of(runs, "steps").x) == 0:
        yield "one run ended before another was first evaluated, so there is no common curve"
    yield from _mixtures(group)


def _mixtures(group: RunGroup) -> Iterator[str]:
    """Runs that are put together although they are not repetitions with another seed."""
    mixed = list(differing_settings([group]))
    if mixed:
        yield f"its runs differ in {', '.join(mixed)} and are put together nevertheless"
    elif repeated := [seed for seed, n in Counter(run.seed for run in group.runs).items() if n > 1]:
        yield f"seed {_list(repeated)} occurs more than once, which makes the spread look smaller"
    revisions = {run.settings.get("about.revision") for run in group.runs}
    if len(revisions) > 1:
        yield f"its runs come from {len(revisions)} revisions of the program"
    threads = {run.settings.get("run.threads") for run in group.runs}
    if len(threads) > 1:
        yield "its runs had different numbers of threads, so their minutes do not compare"


def _which(runs: Sequence[TrainedRun]) -> str:
    return f"the run{'s' if len(runs) > 1 else ''} with seed {_list(run.seed for run in runs)}"


def _is(runs: Sequence[TrainedRun]) -> str:
    return "are" if len(runs) > 1 else "is"


def _list(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
