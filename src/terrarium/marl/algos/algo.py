"""The interface between algorithms, trainer and players."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.encoders import views_of
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime

Metrics = dict[str, float]
ATTRIBUTES = ("spec", "net", "device", "n_steps", "carry_size")
"""What the constructor of an algorithm has to set"""


class Algo(Protocol):
    """An algorithm acts, takes rollouts into a buffer of its own, and learns from them.

    A class of your own inherits from this one. It has to have `Config`, set the `ATTRIBUTES`,
    and define the methods up to `load_state_dict`; what comes after those has a default.
    """

    Config: ClassVar[type[Any]]
    """its settings; dataclasses inside of it are sections of their own, such as `replay`"""

    spec: Spec
    net: NetConfig
    device: torch.device
    n_steps: int
    """steps of every environment between two updates"""
    carry_size: int
    """numbers of recurrent state of each agent"""
    keeps_carries: bool = False
    """whether a rollout must hold the recurrent state before every step, not only the first"""

    def __init__(self, spec: Spec, net: NetConfig, cfg: Any, runtime: Runtime) -> None: ...

    def act(
        self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False
    ) -> PolicyOutput: ...

    def observe(self, rollout: Rollout) -> None:
        """Take what was collected; the rollout is overwritten by the next one."""

    def update(self, progress: float) -> Metrics:
        """Learn; `progress` is the fraction of the run that is done."""

    def state_dict(self) -> dict[str, Any]:
        """All that the next update depends on, but for what `save_experience` writes."""

    def load_state_dict(self, state: dict[str, Any]) -> None: ...

    fits_many: ClassVar[bool] = False
    """whether it goes on in a scenario with other numbers of units, as curricula need it"""
    any_action: ClassVar[bool] = False
    """whether agents may have other actions than one choice: numbers, flags, several choices"""
    needs_team: ClassVar[bool] = False
    """whether it needs one reward for all agents"""
    stochastic: ClassVar[bool] = False
    """whether it also draws actions, from its policy or by its exploration: tests then play them,
    too"""

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        """Parts of the observation that it reads; all others are left empty."""
        return views_of(net)

    @classmethod
    def check(cls, net: NetConfig, cfg: Any, n_envs: int) -> None:
        """Refuse settings that do not fit together, before anything begins."""
        return None  # all of them do

    def teacher(self, progress: float) -> str:
        """The scripted player whose actions it wants in rollouts now; empty: none."""
        return ""

    def without_traces(self) -> AbstractContextManager[None]:
        """While this lasts, acting leaves no trace in what is learned later."""
        return nullcontext()

    def load_weights(self, state: dict[str, Any]) -> None:
        """The networks of a state, to start a new run or to play with."""
        self.load_state_dict(state)

    def save_experience(self, folder: Path) -> dict[str, Any]:
        """Write a replay buffer into a folder; what a checkpoint has to know of it."""
        return {}

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None:
        """Read back what `save_experience` has written."""
        assert not saved, "nothing was written"
