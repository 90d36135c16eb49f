"""`terrarium eval`: how good a player is."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from terrarium.cli.players import is_run_word, learned_player, scripted_player
from terrarium.cli.tables import new_table, open_console, print_json
from terrarium.data.battles.scenarios import scenario_names
from terrarium.envs.tasks.task import EnvSetup, EvalRound, Evaluation, Task
from terrarium.errors import TerrariumError

MAX_COUNT = 1_000_000
# The engine has its own MAX_SEED; asking it would load numba.
MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Eval:
    """Measure how often a player wins, or its return, with intervals of 95 %.

    Each episode has its own seed: the same seeds give the same answer.

    A trained run plays its own task, or another one that it fits.

    Example:  terrarium eval kiting smac/3m smac/2s3z --episodes 200
    """

    player: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER|RUN")]
    """random; in battles heuristic (SMAC's own script), kiting, attack_move, tactics; in games
    a computer opponent such as hard-zerg; or a run's folder or checkpoint. Skills of tactics are
    switched so: tactics:no-stim,nearest-yamato"""
    scenarios: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[SCENARIO...]")
    ] = ()
    """scenarios, scenario files, families (smac, smacv2) for all of theirs, or other tasks:
    mpe/simple_spread, pettingzoo:package.module:factory, gym:CartPole-v1, game/simple_64"""
    episodes: int = 1000
    """episodes of each task"""
    seed: int = 0
    """of the first episode; the next one has the next seed"""
    contract: str | None = None
    """of battles: fixed, the default, or exact for every quirk of SMAC"""
    rules: str | None = None
    """of battles: rule set, or a rule-set file; default: each scenario's own"""
    opponent: str | None = None
    """of whole games: who plays the other side; default: hard-random"""
    batch: int = 250
    """episodes that are played side by side; does not change the answer"""
    threads: int | None = None
    """threads that share the work; default: one for each core"""
    json: bool = False
    """print JSON: of one scenario an object, of several a list"""

    def __post_init__(self) -> None:
        for name in ("episodes", "batch", "threads"):
            count = getattr(self, name)
            if count is not None and not 1 <= count <= MAX_COUNT:
                raise TerrariumError(f"{name} is {count}; allowed are 1 to {MAX_COUNT}")
        if not 0 <= self.seed <= MAX_SEED - MAX_COUNT:
            raise TerrariumError(f"seed is {self.seed}; allowed are 0 to {MAX_SEED - MAX_COUNT}")

    def run(self) -> None:
        from terrarium.envs.tasks.registry import find_task

        asked = {"contract": self.contract, "rules": self.rules, "opponent": self.opponent}
        asked = {name: value for name, value in asked.items() if value is not None}
        # Mistakes are told before the first episode begins.
        tasks = [find_task(word, asked) for word in resolve_scenarios(self.scenarios)]
        pairs = self._pairs(tasks, asked)
        work = EnvSetup(threads=self.threads or os.cpu_count() or 1)
        how = EvalRound(self.episodes, self.seed, self.batch, work)
        with _open_progress() as progress:
            rows = [_evaluate(player, task, how, progress) for player, task in pairs]
        if self.json:
            answers = [
                {"player": self.player, **task.conditions, **row.as_json()}
                for (_, task), row in zip(pairs, rows, strict=True)
            ]
            print_json(answers if len(answers) > 1 else answers[0])
            return
        console = open_console(piped_width=120)
        for table in _tables(rows):
            console.print(table)
        told = {name: value for _, task in pairs for name, value in task.conditions.items()}
        words = [f"{name} {value}, " for name, value in told.items() if value is not None]
        console.print(
            f"\n{self.player}, {''.join(words)}seeds {self.seed} to {self.seed + self.episodes - 1}"
        )

    def _pairs(self, tasks: list[Task], asked: dict[str, Any]) -> list[tuple[Any, Task]]:
        """Who plays what: a run plays its own task if none is named."""
        if is_run_word(self.player):
            from terrarium.marl.runtime import use_threads

            if self.threads:
                use_threads(self.threads)
            if not tasks:
                return [learned_player(self.player, None, asked)]
            return [learned_player(self.player, task, asked) for task in tasks]
        if not tasks:
            from terrarium.envs.tasks.registry import kind_of

            scripted_player(self.player, kind_of(""), self.seed)
            raise TerrariumError("eval needs a scenario. See: terrarium list scenarios")
        return [(scripted_player(self.player, type(task), self.seed), task) for task in tasks]


def _evaluate(player: Any, task: Task, how: EvalRound, progress: Progress) -> Evaluation:
    bar = progress.add_task(task.name, total=how.episodes)
    return task.evaluate(player, how, lambda n_done: progress.update(bar, completed=n_done))


def _open_progress() -> Progress:
    """On the other stream than the answer, and only where somebody sees it."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def resolve_scenarios(words: Sequence[str]) -> list[str]:
    """The names that some words mean: a family means all of its own."""
    families = {name.split("/")[0] for name in scenario_names()}
    return [
        name for word in words for name in (scenario_names(word) if word in families else [word])
    ]


def _tables(rows: Sequence[Evaluation]) -> list[Table]:
    """One for tasks that are told by the same columns."""
    tables: dict[tuple[str, ...], Table] = {}
    for row in rows:
        head, *parts = row.table_rows()
        if tuple(head) not in tables:
            table = tables[tuple(head)] = new_table()
            first, *others = head
            table.add_column(first, style="cyan", no_wrap=True)
            for name in others:
                table.add_column(name, justify="right")
        for part in (head, *parts):
            tables[tuple(head)].add_row(*(part.get(name, "") for name in head))
    return list(tables.values())
