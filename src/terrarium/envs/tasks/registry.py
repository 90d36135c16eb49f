"""Which kind of task a word means."""

from collections.abc import Mapping
from typing import Any

from terrarium.envs.pettingzoo.single_agent import SINGLE
from terrarium.envs.pettingzoo.spec import FOREIGN, PARTICLES
from terrarium.envs.tasks.battles import BattleTask
from terrarium.envs.tasks.games import PREFIX as GAMES
from terrarium.envs.tasks.games import GameTask
from terrarium.envs.tasks.pettingzoo_tasks import GymnasiumTask, PettingZooTask
from terrarium.envs.tasks.task import Task

KINDS: dict[str, type[Task]] = {
    PARTICLES: PettingZooTask,
    FOREIGN: PettingZooTask,
    SINGLE: GymnasiumTask,
    GAMES: GameTask,
}
"""By the beginning of the word; all other words are scenarios"""


def kind_of(word: str) -> type[Task]:
    """The kind of task that a word means."""
    return next((kind for prefix, kind in KINDS.items() if word.startswith(prefix)), BattleTask)


def find_task(word: str, options: Mapping[str, Any] | None = None) -> Task:
    """The task that a word means, with options of its own."""
    return kind_of(word).find(word, options or {})
