"""Tasks with several teams: groups of runs once more, with what one team earned."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from terrarium.report.groups import RunGroup
from terrarium.report.runs import TrainedRun


def with_teams(groups: Sequence[RunGroup]) -> tuple[RunGroup, ...]:
    """The groups of each scenario, and after them those of its teams."""
    found: list[RunGroup] = []
    for scenario in dict.fromkeys(group.scenario for group in groups):
        members = [group for group in groups if group.scenario == scenario]
        found += [*members, *_by_team(members)]
    return tuple(found)


def wholes(groups: Iterable[RunGroup]) -> list[RunGroup]:
    """The groups without those of teams, which are the same runs again."""
    return [group for group in groups if not group.team]


def _by_team(members: Sequence[RunGroup]) -> Iterator[RunGroup]:
    runs = [run for group in members for run in group.runs]
    if all(_earns_one_return(run) for run in runs):
        return  # teams that always get the same, such as speaker and listener, are one
    for team in dict.fromkeys(team for run in runs for team in run.progress.teams):
        for group in members:
            if all(team in run.progress.teams for run in group.runs):
                own = tuple(_of_team(run, team) for run in group.runs)
                yield replace(group, team=team, runs=own)


def _earns_one_return(run: TrainedRun) -> bool:
    return all(
        # Means over agents and over a team are summed in another order.
        math.isclose(ours, everybody, rel_tol=1e-6, abs_tol=1e-9)
        for scores in run.progress.teams.values()
        for ours, everybody in zip(scores, run.scores, strict=True)
    )


def _of_team(run: TrainedRun, team: str) -> TrainedRun:
    return replace(run, progress=replace(run.progress, scores=run.progress.teams[team], teams={}))
