"""The interface between algorithms, trainer and players."""

from pathlib import Path
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from terrarium.marl.batch import Obs
from terrarium.marl.nets.config import NetConfig, Spec
from terrarium.marl.rollout import PolicyOutput, Rollout
from terrarium.marl.runtime import Runtime

Metrics = dict[str, float]


class Algo(Protocol):
    """An algorithm acts, stores rollouts in its own buffer, and learns from them."""

    Config: ClassVar[type[Any]]
    """its settings; dataclasses inside of it are sections of their own, such as `replay`"""
    lacks: ClassVar[dict[str, str]]
    """sections of other algorithms that would make no sense here, and why"""
    fits_many: ClassVar[bool]
    """whether it goes on in a scenario with other numbers of units, as curricula need it"""
    any_action: ClassVar[bool]
    """whether agents may have other actions than one choice: numbers, flags, several choices"""
    needs_team: ClassVar[bool]
    """whether it learns for all agents together, so that they must want the same"""
    stochastic: ClassVar[bool]
    """whether its policy is a distribution: tests then also play actions that are drawn from it"""
    spec: Spec
    net: NetConfig

    def __init__(self, spec: Spec, net: NetConfig, cfg: Any, runtime: Runtime) -> None: ...

    @classmethod
    def views(cls, net: NetConfig) -> tuple[str, ...]:
        """What the environment has to show while it learns."""

    @classmethod
    def check(cls, net: NetConfig, cfg: Any, n_envs: int) -> None:
        """Refuse settings that make no sense together, before anything begins."""

    @classmethod
    def memory(cls, spec: Spec, net: NetConfig, cfg: Any, obs: Obs, n_envs: int) -> int:
        """Bytes that it will keep of what was collected; `obs` is that of one environment."""

    @classmethod
    def smaller(cls, cfg: Any, share: float) -> str:
        """What to set so that it keeps no more than this share of that."""

    @property
    def n_steps(self) -> int:
        """Steps of every environment between two updates."""

    @property
    def keeps_carries(self) -> bool:
        """Whether it has to know what was remembered before every step, not only the first."""

    @property
    def carry_size(self) -> int:
        """Numbers that it remembers of each agent."""

    @property
    def device(self) -> torch.device: ...

    def teacher(self, progress: float) -> str:
        """The scripted player whose advice it wants at this share of the run; nobody: ""."""

    def act(
        self, obs: Obs, carry: Tensor, resets: Tensor, greedy: bool = False
    ) -> PolicyOutput: ...

    def observe(self, rollout: Rollout) -> None:
        """Take what was collected; the rollout is overwritten by the next one."""

    def update(self, progress: float) -> Metrics:
        """Learn; `progress` is the share of the run that is done."""

    def save_experience(self, folder: Path) -> dict[str, Any]:
        """Write what is kept into a folder; what a checkpoint has to know of it."""

    def load_experience(self, folder: Path, saved: dict[str, Any]) -> None: ...

    def state_dict(self) -> dict[str, Any]:
        """All but what is kept."""

    def load_state_dict(self, state: dict[str, Any]) -> None: ...

    def load_weights(self, state: dict[str, Any]) -> None:
        """What was learned, to begin something new with."""
