"""IQL (Tan 1993; Tampuu et al. 2017): each agent learns as if it were alone."""

from dataclasses import dataclass, field
from typing import ClassVar

from terrarium.marl.algos.team import shared_loss
from terrarium.marl.algos.value import (
    Loss,
    Reading,
    ValueConfig,
    ValueLearner,
    error_of_rows,
    mean_square,
)
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay import ReplayRows
from terrarium.marl.differ import Experiences
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class IqlConfig(ValueConfig):
    """Settings of IQL."""

    share: ShareConfig = field(default_factory=ShareConfig)


class Iql(ValueLearner):
    """Each agent learns what its own actions are worth to the team."""

    Config = IqlConfig
    fits_many: ClassVar[bool] = True
    needs_team: ClassVar[bool] = False
    has_mixer: ClassVar[bool] = False
    lacks: ClassVar[dict[str, str]] = dict.fromkeys(
        ("mixer", "differ"), "it joins nothing: each agent learns from the team's reward alone"
    )

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents)

    def loss(self, rows: ReplayRows, reading: Reading) -> Loss:
        goals = self.own_goals(rows, reading.next_taken)  # [R, L, A]
        errors = (reading.taken - goals) * rows.own.there
        # The team's reward goes on after an agent's death, so only the team's end is an end. What
        # a return of more than one step knows beyond the next value is part of the reward that a
        # receiver gets: with one network for all, it learns of it just what the sender did.
        alone = Experiences(
            errors=errors.detach(),
            rewards=goals - self.cfg.gamma * reading.next_taken,
            ends=rows.own.terminated.expand_as(errors),
            there=rows.look.acting[:, :-1] & rows.own.there & rows.filled.unsqueeze(-1),
        )
        received, metrics = shared_loss(self, rows, reading, alone, self.exchange)
        # Shared losses are sums over agents, so this one has to be, too.
        loss = mean_square(errors, rows) * errors.shape[-1] + received
        metrics |= {
            "td_error": masked_mean(errors.detach().abs().mean(-1), rows.filled),
            "q_taken": masked_mean(reading.taken.detach().mean(-1), rows.filled),
        }
        return Loss(loss, error_of_rows(errors, rows), metrics)
