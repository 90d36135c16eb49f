"""VDN (Sunehag et al. 2018): Q_tot is the sum of per-agent Q-values."""

from dataclasses import dataclass, field
from typing import ClassVar

from torch import nn

from terrarium.marl.algos.team import team_loss
from terrarium.marl.algos.value import Loss, QValues, ValueConfig, ValueLearner
from terrarium.marl.buffers.replay_buffer import ReplayBatch
from terrarium.marl.differ import DifferConfig
from terrarium.marl.nets.mixers import VdnMixer
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class VdnConfig(ValueConfig):
    """Settings of VDN."""

    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Vdn(ValueLearner):
    """Q_tot is the sum of the agents' Q-values."""

    Config = VdnConfig
    fits_many: ClassVar[bool] = True
    has_mixer: ClassVar[bool] = False  # a sum asks for no state
    lacks: ClassVar[dict[str, str]] = {"mixer": "it adds values up, and a sum has no settings"}

    def make_mixer(self) -> nn.Module:
        return VdnMixer()

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents, self.net.hidden_dim)

    def loss(self, rows: ReplayBatch, q_values: QValues) -> Loss:
        return team_loss(self, rows, q_values, self.cfg.differ, self.exchange)
