"""What PPO and COMA share: settings, scheduled coefficients, minibatches of a rollout."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, TypeVar

import torch
from torch import Tensor

from terrarium.config import check_settings
from terrarium.errors import TerrariumError
from terrarium.marl.batch import Obs
from terrarium.marl.nets.critic import CriticConfig
from terrarium.schedules import Schedule, check_schedule

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Batch = TypeVar("Batch", bound=DataclassInstance)

TEACHERS = ("kiting",)
"""Scripted players that can be imitated"""


@dataclass(frozen=True)
class ActorCriticConfig:
    """Settings that PPO and COMA share."""

    lr: Schedule = Schedule("0.001 -> 0.0001")
    """learning rate"""
    n_steps: int = 32
    """rollout length: steps of every environment between two updates"""
    n_minibatches: int = 4
    """minibatches per epoch, each a part of the environments"""
    gamma: float = 0.99
    """discount factor"""
    entropy_coef: Schedule = Schedule("0.01 -> 0.005")
    """entropy bonus coefficient"""
    teacher: str = ""
    """scripted policy to imitate at the start of the run: kiting; empty: none"""
    teacher_coef: float = 1.0
    """coefficient of the imitation loss; decays linearly to 0 at teacher_end"""
    teacher_end: float = 0.3
    """fraction of the run after which the teacher is dropped"""
    critic: CriticConfig = field(default_factory=CriticConfig)
    max_grad_norm: float = 0.5
    """gradient norm limit, of actor and critic separately"""

    def __post_init__(self) -> None:
        check_schedule("algo.lr", self.lr, 0.0, 1.0)
        check_schedule("algo.entropy_coef", self.entropy_coef, 0.0)
        check_settings(
            "algo",
            self,
            ("n_steps", 1 <= self.n_steps <= 10_000, "1 to 10000"),
            ("n_minibatches", 1 <= self.n_minibatches <= 1000, "1 to 1000"),
            ("gamma", 0.0 <= self.gamma <= 1.0, "0 to 1"),
            ("teacher", self.teacher in ("", *TEACHERS), f"none or {', '.join(TEACHERS)}"),
            ("teacher_coef", self.teacher_coef >= 0.0, "0 or more"),
            ("teacher_end", 0.0 <= self.teacher_end <= 1.0, "0 to 1"),
            ("max_grad_norm", self.max_grad_norm > 0.0, "above 0"),
        )

    def teacher_at(self, progress: float) -> str:
        return self.teacher if progress < self.teacher_end else ""

    def teacher_coef_at(self, progress: float) -> float:
        if not self.teacher or not self.teacher_end:
            return 0.0
        decay = max(0.0, 1.0 - progress / self.teacher_end)
        return self.teacher_coef * decay

    def check_envs(self, n_envs: int) -> None:
        if n_envs < self.n_minibatches:
            raise TerrariumError(
                f"algo.n_minibatches is {self.n_minibatches} and env.n_envs {n_envs}: "
                "each minibatch needs an environment"
            )


@dataclass(frozen=True)
class Coefs:
    """Scheduled coefficients of the loss."""

    lr: float
    entropy_coef: float
    teacher_coef: float


def coefs_at(cfg: ActorCriticConfig, progress: float) -> Coefs:
    """Coefficients at this fraction of the run."""
    return Coefs(
        lr=cfg.lr.at(progress),
        entropy_coef=cfg.entropy_coef.at(progress),
        teacher_coef=cfg.teacher_coef_at(progress),
    )


def minibatches(
    batch: "Batch", n_epochs: int, n_minibatches: int, generator: torch.Generator
) -> Iterator["Batch"]:
    """Random parts of a batch [B, ...], epoch by epoch: whole rows, for recurrent networks."""
    columns: list[Tensor | Obs] = [getattr(batch, column.name) for column in fields(batch)]
    some = next(column for column in columns if isinstance(column, Tensor))
    for _ in range(n_epochs):
        order = torch.randperm(len(some), generator=generator).to(some.device)
        for rows in order.chunk(n_minibatches):
            yield type(batch)(*(_rows_of(column, rows) for column in columns))


def _rows_of(column: Tensor | Obs, rows: Tensor) -> Tensor | Obs:
    return column.rows(rows) if isinstance(column, Obs) else column.index_select(0, rows)
