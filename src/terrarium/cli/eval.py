"""`terrarium eval`: how often a player wins."""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from terrarium.cli.eval_world import (
    EvalRound,
    as_json,
    evaluate_in_world,
    is_world_run,
    resolve_world_player,
    world_table,
)
from terrarium.cli.tables import new_table, open_console, print_json
from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario, scenario_names, with_rules
from terrarium.errors import TerrariumError, nearest

if TYPE_CHECKING:
    from terrarium.envs.evaluate import Evaluation
    from terrarium.envs.options import Options
    from terrarium.envs.players.players import Commander, Player

MAX_COUNT = 1_000_000
# The engine has its own MAX_SEED; asking it would load numba.
MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class Eval:
    """Measure how often a player wins, with a confidence interval of 95 %.

    Each battle has its own seed: the same seeds give the same answer.

    A trained run plays its own scenario, or any other; in worlds returns count.

    Example:  terrarium eval kiting smac/3m smac/2s3z --episodes 200
    """

    player: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAYER|RUN")]
    """random, heuristic (SMAC's own script), kiting, attack_move, tactics, or a run's folder or
    checkpoint. Skills of tactics are switched after a colon: tactics:no-stim,nearest-yamato"""
    scenarios: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[SCENARIO...]")
    ] = ()
    """scenarios, scenario files, families (smac, smacv2) for all of theirs, or worlds of
    PettingZoo: mpe/simple_spread, pettingzoo:package.module:factory"""
    episodes: int = 1000
    """battles of each scenario"""
    seed: int = 0
    """of the first battle; the next one has the next seed"""
    contract: str = "fixed"
    """fixed, or exact for every quirk of SMAC"""
    rules: str | None = None
    """rule set that the battles are played by, or a rule-set file; None: each scenario's own"""
    batch: int = 250
    """battles that are played side by side; does not change the answer"""
    threads: int | None = None
    """threads that share the work; None: one for each core"""
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
        if is_world_run(self.player) or any(map(_is_world, self.scenarios)):
            self._run_in_worlds()
            return
        scenarios = resolve_scenarios(self.scenarios)
        from terrarium.envs.options import options_for

        # Mistakes are told before the first battle begins.
        player, own_scenario = resolve_player(self.player, self.threads)
        if not scenarios:
            if own_scenario is None:
                raise TerrariumError("eval needs a scenario. See: terrarium list scenarios")
            scenarios = [own_scenario]
        asked = {"contract": self.contract, "rules": self.rules}
        options = [options_for(scenario, asked) for scenario in scenarios]
        with _open_progress() as progress:
            rows = [
                self._evaluate(player, *task, progress)
                for task in zip(scenarios, options, strict=True)
            ]
        if self.json:
            answers = [_as_json(self.player, asked, row) for row in rows]
            print_json(answers if len(answers) > 1 else answers[0])
            return
        console = open_console(piped_width=120)
        console.print(_table(rows))
        console.print(
            f"\n{self.player}, contract {self.contract}, "
            f"{f'rules {self.rules}, ' if self.rules else ''}"
            f"seeds {self.seed} to {self.seed + self.episodes - 1}"
        )

    def _run_in_worlds(self) -> None:
        """Returns instead of wins; worlds have no contract."""
        if self.rules is not None:
            raise TerrariumError(f"--rules {self.rules}: worlds of PettingZoo have no rule sets")
        how = EvalRound(self.episodes, self.seed, self.batch)
        words = self.scenarios or ("",)
        pairs = [resolve_world_player(self.player, w, self.threads, self.seed) for w in words]
        with _open_progress() as progress:
            rows = [evaluate_in_world(player, world, how, progress) for player, world in pairs]
        if self.json:
            answers = [as_json(self.player, row) for row in rows]
            print_json(answers if len(answers) > 1 else answers[0])
            return
        console = open_console(piped_width=120)
        console.print(world_table(rows))
        console.print(f"\n{self.player}, seeds {self.seed} to {self.seed + self.episodes - 1}")

    def _evaluate(
        self,
        player: "Player | Commander",
        scenario: Scenario,
        options: "Options",
        progress: Progress,
    ) -> "Evaluation":
        from terrarium.envs.evaluate import evaluate

        bar = progress.add_task(scenario.name, total=self.episodes)
        return evaluate(
            player,
            scenario,
            episodes=self.episodes,
            seed=self.seed,
            n_envs=self.batch,
            threads=self.threads or os.cpu_count() or 1,
            options=options,
            progress=lambda n_done: progress.update(bar, completed=n_done),
        )


def _is_world(word: str) -> bool:
    from terrarium.envs.pettingzoo.spec import is_pettingzoo

    return is_pettingzoo(word)


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


def resolve_player(
    name: str, threads: int | None = None
) -> tuple["Player | Commander", Scenario | None]:
    """The player that a word on the command line means; a run also has a scenario of its own."""
    from terrarium.envs.players.players import COMMANDERS, PLAYERS, make_player

    if name in PLAYERS or name.split(":")[0] in COMMANDERS:
        return make_player(name), None
    path = Path(name)
    if path.is_dir() or name.endswith(".pt"):
        from terrarium.marl.playing.player import PolicyPlayer
        from terrarium.marl.run_folder import load_algo
        from terrarium.marl.runtime import use_threads

        algo, settings = load_algo(path)
        if threads:
            use_threads(threads)
        own = with_rules(load_scenario(settings.scenario), settings.task.get("rules"))
        return PolicyPlayer(algo, settings.task), own
    raise TerrariumError(
        f'unknown player "{name}".{nearest(name, [*PLAYERS, *COMMANDERS])} '
        f"Allowed: {', '.join([*PLAYERS, *COMMANDERS])}, or the folder of a run"
    )


def resolve_scenarios(words: Sequence[str]) -> list[Scenario]:
    """The scenarios that some words mean: a family means all of its own."""
    families = {name.split("/")[0] for name in scenario_names()}
    names = [
        name for word in words for name in (scenario_names(word) if word in families else [word])
    ]
    return [load_scenario(name) for name in names]


def _as_json(player: str, asked: dict[str, str | None], row: "Evaluation") -> dict[str, Any]:
    rates = {"win_rate": row.win_rate, "interval": row.interval}
    return {"player": player, **asked, **rates, **asdict(row)}


def _table(rows: Sequence["Evaluation"]) -> Table:
    table = new_table()
    table.add_column("scenario", style="cyan", no_wrap=True)
    for name in ("wins", "95 % interval", "battles", "defeats", "draws", "timeouts"):
        table.add_column(name, justify="right")
    for name in ("measure", "return", "steps", "steps/s"):
        table.add_column(name, justify="right")
    for row in rows:
        low, high = row.interval
        table.add_row(
            row.scenario,
            f"{row.win_rate:.1%}",
            f"{low:.1%} - {high:.1%}",
            *(str(count) for count in (row.episodes, row.defeats, row.draws, row.timeouts)),
            f"{row.mean_measure:.3f}",
            f"{row.mean_return:.2f}",
            f"{row.mean_steps:.1f}",
            f"{row.steps_per_s:,.0f}",
        )
    return table
