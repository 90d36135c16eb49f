"""Weighted QMIX (Rashid et al. 2020), optimistically: overestimated actions count less."""

from dataclasses import dataclass

from terrarium.config import check_settings
from terrarium.marl.algos.q_learning import (
    Loss,
    Qmix,
    QmixConfig,
    QValues,
    error_of_rows,
    team_targets,
)
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay_batch import ReplayBatch


@dataclass(frozen=True)
class WeightedQmixConfig(QmixConfig):
    """QMIX's settings, and one more: algo.overestimated_weight."""

    overestimated_weight: float = 0.5
    """weight of squared TD errors where Q_tot is above its target"""

    def __post_init__(self) -> None:
        super().__post_init__()
        fine = 0.0 <= self.overestimated_weight <= 1.0
        check_settings("algo", self, ("overestimated_weight", fine, "0 to 1"))


class WeightedQmix(Qmix):
    """QMIX whose loss counts overestimated joint actions less."""

    Config = WeightedQmixConfig

    def loss(self, batch: ReplayBatch, q: QValues) -> Loss:
        state = batch.obs.state[:, :-1]  # [R, L, S]
        q_tot = self.online.mixer(q.taken, q.best, batch.actions, state)  # [R, L]
        td_errors = q_tot - team_targets(batch, q, self.target, self.cfg)  # [R, L]
        over = td_errors.detach() > 0.0
        weights = 1.0 - (1.0 - self.cfg.overestimated_weight) * over.to(td_errors.dtype)
        total = masked_mean(weights * td_errors.square(), batch.filled)
        metrics = {
            "td_error": masked_mean(td_errors.detach().abs(), batch.filled),
            "overestimated": masked_mean(over.to(td_errors.dtype), batch.filled),
        }
        return Loss(total, error_of_rows(td_errors, batch), metrics)
