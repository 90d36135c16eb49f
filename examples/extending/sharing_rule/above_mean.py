"""A sharing rule: experience whose TD error is so many times the mean of its agent's batch."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from terrarium.config import check_settings
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.sharing_rule import SharingRule


@dataclass(frozen=True)
class AboveMeanConfig(ShareConfig):
    """The section `share`, when this rule is chosen: what all rules have, and `times`."""

    times: float = 2.0
    """send experience with a TD error above so many times the mean"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings("share", self, ("times", 0.0 <= self.times <= 1000.0, "0 to 1000"))


class AboveMean(SharingRule):
    """Selects the experience that agents send; receivers, trigger and bandwidth are as for all."""

    Config = AboveMeanConfig

    def __init__(self, cfg: Any, n_agents: int, n_features: int) -> None:
        self.cfg = cfg

    def select(
        self, errors: Tensor, there: Tensor, generator: torch.Generator
    ) -> tuple[Tensor, Tensor]:
        sizes, count = errors.abs(), there.to(errors.dtype)
        mean = (sizes * count).sum((0, 1)) / count.sum((0, 1)).clamp(min=1.0)  # [A]
        return sizes, sizes > self.cfg.times * mean
