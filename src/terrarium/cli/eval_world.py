"""`terrarium eval` in worlds of PettingZoo: what agents earn there."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.progress import Progress
from rich.table import Table

from terrarium.cli.tables import new_table
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.envs.pettingzoo.evaluate import PettingZooEvaluation
    from terrarium.envs.pettingzoo.players import PettingZooPlayer
    from terrarium.envs.pettingzoo.spec import PettingZooSpec

RANDOM = "random"


@dataclass(frozen=True)
class EvalRound:
    """How many episodes, and which."""

    episodes: int
    seed: int
    batch: int


def is_world_run(name: str) -> bool:
    """Whether a word is a run, or its checkpoint, that learned a world."""
    path = Path(name)
    if not (path.is_dir() or name.endswith(".pt")):
        return False
    from terrarium.envs.pettingzoo.spec import is_pettingzoo
    from terrarium.marl.run_folder import scenario_of

    return is_pettingzoo(scenario_of(path))


def resolve_world_player(
    name: str, word: str = "", threads: int | None = None, seed: int = 0
) -> tuple["PettingZooPlayer", "PettingZooSpec"]:
    """Who plays in which world: a run knows its own, and plays no other one."""
    from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
    from terrarium.envs.pettingzoo.spec import find_spec

    if name == RANDOM:
        return RandomPettingZooPlayer(seed), find_spec(word, {})
    if not is_world_run(name):
        raise TerrariumError(
            f'"{name}" cannot play in {word}; allowed are random and the folder of a run that '
            "learned it"
        )
    from terrarium.marl.playing.player import PolicyPlayer
    from terrarium.marl.run_folder import load_algo
    from terrarium.marl.runtime import use_threads

    algo, settings = load_algo(Path(name))
    if word and find_spec(word, {}).name != settings.scenario:
        raise TerrariumError(
            f"{name} has learned {settings.scenario}, and agents of {word} see and do other things"
        )
    if threads:
        use_threads(threads)
    return PolicyPlayer(algo), find_spec(settings.scenario, settings.task)


def evaluate_in_world(
    player: "PettingZooPlayer", world: "PettingZooSpec", how: EvalRound, progress: Progress
) -> "PettingZooEvaluation":
    from terrarium.envs.pettingzoo.evaluate import evaluate_pettingzoo

    bar = progress.add_task(world.name, total=how.episodes)
    return evaluate_pettingzoo(
        player,
        world,
        episodes=how.episodes,
        seed=how.seed,
        n_envs=how.batch,
        progress=lambda n_done: progress.update(bar, completed=n_done),
    )


def as_json(player: str, row: "PettingZooEvaluation") -> dict[str, Any]:
    return {
        "player": player,
        "scenario": row.scenario,
        "episodes": row.episodes,
        "seed": row.seed,
        "mean_return": row.mean_return,
        "interval": row.interval,
        "by_team": row.by_team(),
        "mean_steps": float(row.steps.mean()),
        "steps_per_s": row.steps_per_s,
    }


def world_table(rows: Sequence["PettingZooEvaluation"]) -> Table:
    """A line for each world, and below it one for each team if there are several."""
    table = new_table()
    table.add_column("world", style="cyan", no_wrap=True)
    for name in ("return", "95 % interval", "episodes", "steps", "steps/s"):
        table.add_column(name, justify="right")
    for row in rows:
        low, high = row.interval
        table.add_row(
            row.scenario,
            f"{row.mean_return:.2f}",
            f"{low:.2f} - {high:.2f}",
            str(row.episodes),
            f"{float(row.steps.mean()):.1f}",
            f"{row.steps_per_s:,.0f}",
        )
        teams = row.by_team()
        for team, mean in teams.items() if len(teams) > 1 else ():
            table.add_row(f"  {team}", f"{mean:.2f}")
    return table
