"""QTRAN-base (Son et al. 2019): a joint Q-network that per-agent Q-values are fitted to."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from terrarium.errors import TerrariumError
from terrarium.marl.algos.mixers import QtranJointQ
from terrarium.marl.algos.q_learning import (
    Loss,
    QLearner,
    QLearningConfig,
    QValues,
    error_of_rows,
    mean_square,
)
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay_batch import ReplayBatch


@dataclass(frozen=True)
class QtranConfig(QLearningConfig):
    """Settings of QTRAN."""

    opt_coef: float = 1.0
    """coefficient of L_opt: greedy joint actions"""
    nopt_coef: float = 0.1
    """coefficient of L_nopt: joint actions that were taken"""
    joint_hidden_dim: int = 64
    """hidden units of the joint Q and V networks"""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, fine, allowed in (
            ("opt_coef", self.opt_coef >= 0.0, "0 or more"),
            ("nopt_coef", self.nopt_coef >= 0.0, "0 or more"),
            ("joint_hidden_dim", 1 <= self.joint_hidden_dim <= 4096, "1 to 4096"),
        ):
            if not fine:
                raise TerrariumError(f"algo.{name} is {getattr(self, name)}; allowed: {allowed}")
        if self.opt_coef == 0.0:
            raise TerrariumError(
                "algo.opt_coef is 0: nothing would tie what agents encode best to the joint "
                "value that is learned; set it above 0, as the default 1"
            )


class Qtran(QLearner):
    """Joint Q-network; per-agent Q-values are constrained to have its greedy actions."""

    Config = QtranConfig
    lacks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("mixer", "differ", "share"),
        "it has a joint value of its own that leads the agents, who have no errors alone",
    )

    def make_mixer(self) -> nn.Module:
        spec, n_features = self.spec, self.net.hidden_dim
        return QtranJointQ(
            spec.n_agents, spec.n_actions, n_features, spec.state_size, self.cfg.joint_hidden_dim
        )

    def loss(self, rows: ReplayBatch, q_values: QValues) -> Loss:
        online, state = self.online.mixer, rows.obs.state
        assert isinstance(online, QtranJointQ)
        features, now = q_values.features[:, :-1], state[:, :-1]
        joint = online(features, rows.actions, now)  # [R, L]
        with torch.no_grad():
            later = self.target.mixer(q_values.next_features, q_values.next_actions, state[:, 1:])
            targets = self.targets(rows, later)
            greedy = q_values.q[:, :-1].argmax(-1)  # [R, L, A]
            best_joint = online(features, greedy, now)
        offset = online.offset(now)  # [R, L]
        errors = joint - targets
        best = q_values.best.sum(-1) - best_joint + offset  # must be 0
        other = (q_values.taken.sum(-1) - joint.detach() + offset).clamp(max=0.0)  # 0 or more
        total = (
            mean_square(errors, rows)
            + self.cfg.opt_coef * mean_square(best, rows)
            + self.cfg.nopt_coef * mean_square(other, rows)
        )
        metrics = {
            "td_error": masked_mean(errors.detach().abs(), rows.filled),
            "q_taken": masked_mean(joint.detach(), rows.filled),
        }
        return Loss(total, error_of_rows(errors, rows), metrics)
