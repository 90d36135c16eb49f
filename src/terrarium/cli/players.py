"""Who plays: a scripted player by name, or what a run has learned, on its own task or another."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from terrarium.errors import TerrariumError, nearest

if TYPE_CHECKING:
    from terrarium.envs.tasks.task import Task


def is_run_word(word: str) -> bool:
    """Whether a word is the folder of a run or a checkpoint."""
    return Path(word).is_dir() or word.endswith(".pt")


def scripted_player(word: str, kind: "type[Task]", seed: int) -> Any:
    """A scripted player of a kind of task; runs are allowed too, but this word is none."""
    if kind.players and word.partition(":")[0] not in kind.players:
        raise TerrariumError(
            f'unknown player "{word}".{nearest(word, kind.players)} '
            f"Allowed: {', '.join(kind.players)}, or the folder of a run"
        )
    return kind.player(word, seed)


def learned_player(
    word: str, task: "Task | None" = None, options: dict[str, Any] | None = None
) -> tuple[Any, "Task"]:
    """What a run has learned, and the task that it plays: its own one, or another that it fits."""
    from terrarium.envs.tasks.registry import find_task
    from terrarium.marl.playing.player import PolicyPlayer
    from terrarium.marl.run_folder import load_algo

    algo, settings = load_algo(Path(word))
    own = find_task(settings.scenario, {**settings.task, **(options or {})})
    if task is None or task.name == own.name:
        task = own
    if what := own.differs_from(task):
        raise TerrariumError(
            f"{word}: this run was trained on {own.name}, whose {what} differ from those of "
            f"{task.name}. Let it play where it was trained: leave out {task.name}"
        )
    return PolicyPlayer(algo, settings.task), task
