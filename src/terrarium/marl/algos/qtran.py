"""QTRAN-base (Son et al. 2019): a joint Q-network that per-agent Q-values are fitted to."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from terrarium.config import check_settings
from terrarium.errors import TerrariumError
from terrarium.marl.algos.mixers import QtranJointQ
from terrarium.marl.algos.q_learning import (
    Loss,
    QLearner,
    QLearningConfig,
    QValues,
    check_hindsight,
    mean_square,
    td_loss,
    td_targets,
)
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.net_config import NetConfig
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class QtranConfig(QLearningConfig):
    """Settings of QTRAN."""

    opt_coef: float = 1.0
    """coefficient of L_opt: greedy joint actions"""
    nopt_coef: float = 0.1
    """coefficient of L_nopt: joint actions that were taken"""
    joint_embed_dim: int = 64
    """width of the joint Q and V networks"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_settings(
            "algo",
            self,
            ("opt_coef", self.opt_coef >= 0.0, "0 or more"),
            ("nopt_coef", self.nopt_coef >= 0.0, "0 or more"),
            ("joint_embed_dim", 1 <= self.joint_embed_dim <= 4096, "1 to 4096"),
        )
        if self.opt_coef == 0.0:
            raise TerrariumError(
                "algo.opt_coef is 0: nothing would tie what agents encode best to the joint "
                "value that is learned; set it above 0, as the default 1"
            )


class Qtran(QLearner):
    """Joint Q-network; per-agent Q-values are constrained to have its greedy actions."""

    Config = QtranConfig

    @classmethod
    def check(cls, net: NetConfig, cfg: Any, n_envs: int) -> None:
        check_hindsight(cfg.replay)

    def make_exchange(self) -> Exchange:
        return Exchange(ShareConfig(), self.spec.n_agents, self.net.n_features)

    def make_mixer(self) -> nn.Module:
        spec, n_features = self.spec, self.net.n_features
        return QtranJointQ(
            spec.n_agents, spec.n_actions, n_features, spec.state_size, self.cfg.joint_embed_dim
        )

    def loss(self, batch: ReplayBatch, q: QValues) -> Loss:
        return qtran_loss(batch, q, self.online.mixer, self.target.mixer, self.cfg)


def qtran_loss(
    batch: ReplayBatch, q: QValues, online: nn.Module, target: nn.Module, cfg: QtranConfig
) -> Loss:
    """L_td + opt_coef L_opt + nopt_coef L_nopt, by the online and the target joint network."""
    assert isinstance(online, QtranJointQ)
    state, features = batch.obs.state[:, :-1], q.features[:, :-1]
    joint = online(features, batch.actions, state)  # [R, L]
    with torch.no_grad():
        next_joint = target(q.next_features, q.next_actions, batch.obs.state[:, 1:])  # [R, L]
        over = batch.last.T
        targets = td_targets(batch.rewards.T, next_joint, batch.terminated.T, over, cfg)
        greedy = q.q[:, :-1].argmax(-1)  # [R, L, A]
        greedy_joint = online(features, greedy, state)  # [R, L]
    value = online.offset(state)  # [R, L]
    td = td_loss(batch, joint, targets)
    opt = q.best.sum(-1) - greedy_joint + value  # [R, L] has to be 0
    nopt = (q.taken.sum(-1) - joint.detach() + value).clamp(max=0.0)  # [R, L] has to be 0 or more
    total = (
        td.total + cfg.opt_coef * mean_square(opt, batch) + cfg.nopt_coef * mean_square(nopt, batch)
    )
    return Loss(total, td.errors, td.metrics)
