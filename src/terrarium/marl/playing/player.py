"""A learned policy as a player: evaluated, recorded and watched like the scripted ones.

Needs torch and NumPy only, so that it also plays where there is no engine.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from terrarium.envs.views import Views
from terrarium.marl.algos.algo import Algo
from terrarium.marl.batch import obs_from_views
from terrarium.marl.nets.encoders import views_of
from terrarium.marl.playing.policy import load_policy

if TYPE_CHECKING:
    from terrarium.envs.options import Options


class Episodes(Protocol):
    """Many episodes at once, as far as a policy has to know them."""

    n_envs: int
    n_agents: int

    @property
    def now(self) -> Views:
        """what is seen"""

    @property
    def episode_steps(self) -> NDArray[np.int64]:
        """[N] of the episodes that are going on"""


class PolicyPlayer:
    """Chooses the likeliest actions, or draws them, and remembers what each battle has shown."""

    def __init__(
        self, algo: Algo, task: Mapping[str, Any] | None = None, greedy: bool = True
    ) -> None:
        self._algo, self._task, self._greedy = algo, dict(task or {}), greedy
        self._carry = torch.zeros(0)

    @property
    def views(self) -> tuple[str, ...]:
        return views_of(self._algo.net)

    def prepare(self, options: "Options") -> "Options":
        """What it was trained with decides what it can read; a rule set that is asked for stays."""
        asked = {} if options.rules is None else {"rules": options.rules}
        return replace(options, **{**self._task, **asked})

    def act(self, env: Episodes) -> NDArray[Any]:
        """[N, A] indices, or [N, A, K] vectors"""
        device = self._algo.device
        shape = (env.n_envs, env.n_agents, self._algo.carry_size)
        if self._carry.shape != shape:
            self._carry = torch.zeros(shape, device=device)
        begins = torch.from_numpy(env.episode_steps == 0).to(device)
        choice = self._algo.act(
            obs_from_views(env.now).to(device), self._carry, begins, self._greedy
        )
        self._carry = choice.carry
        return choice.actions.cpu().numpy()


def load_player(file: Path) -> PolicyPlayer:
    """The player that a checkpoint holds, for the task that it was trained on."""
    algo, settings = load_policy(file)
    return PolicyPlayer(algo, settings.values.get("task"))
