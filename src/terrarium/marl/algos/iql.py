"""IQL (Tan 1993; Tampuu et al. 2017): independent Q-learning."""

from dataclasses import dataclass, field
from typing import ClassVar

import torch

from terrarium.marl.algos.value import (
    Loss,
    QValues,
    ValueConfig,
    ValueLearner,
    error_of_rows,
    mean_square,
)
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay_buffer import ReplayBatch
from terrarium.marl.differ import IndividualExperience
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange
from terrarium.marl.sharing.loss import shared_loss


@dataclass(frozen=True)
class IqlConfig(ValueConfig):
    """Settings of IQL."""

    share: ShareConfig = field(default_factory=ShareConfig)


class Iql(ValueLearner):
    """Independent Q-learning: each agent has its own TD error."""

    Config = IqlConfig
    fits_many: ClassVar[bool] = True
    needs_team: ClassVar[bool] = False
    has_mixer: ClassVar[bool] = False
    lacks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("mixer", "differ"), "it joins nothing: each agent learns from the team's reward alone"
    )

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents, self.net.hidden_dim)

    def loss(self, rows: ReplayBatch, q_values: QValues) -> Loss:
        targets = self.agent_targets(rows, q_values.next_taken)  # [R, L, A]
        errors = (q_values.taken - targets) * rows.own.there
        # The team's reward goes on after an agent's death, so only the team's end is an end. What
        # a return of more than one step knows beyond the next value is part of the reward that a
        # receiver gets: with one network for all, it learns of it just what the sender did.
        alone = IndividualExperience(
            errors=errors.detach(),
            rewards=targets - self.cfg.gamma * q_values.next_taken,
            ends=rows.own.terminated.expand_as(errors),
            there=rows.obs.acting[:, :-1] & rows.own.there & rows.filled.unsqueeze(-1),
            importance=torch.ones_like(errors),
        )
        # Shared losses are sums over agents, so this one has to be, too.
        loss = mean_square(errors, rows) * errors.shape[-1]
        loss, metrics = shared_loss(self, rows, q_values.features, alone, loss)
        metrics |= {
            "td_error": masked_mean(errors.detach().abs().mean(-1), rows.filled),
            "q_taken": masked_mean(q_values.taken.detach().mean(-1), rows.filled),
        }
        return Loss(loss, error_of_rows(errors, rows), metrics)
