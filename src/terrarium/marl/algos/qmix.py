"""QMIX (Rashid et al. 2018): monotonic mixing of per-agent Q-values."""

from dataclasses import dataclass, field

from torch import nn

from terrarium.marl.algos.team import team_loss
from terrarium.marl.algos.value import Loss, QValues, ValueConfig, ValueLearner
from terrarium.marl.buffers.replay_buffer import ReplayBatch
from terrarium.marl.differ import DifferConfig
from terrarium.marl.nets.mixers import MixerConfig, QmixMixer
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class QmixConfig(ValueConfig):
    """Settings of QMIX."""

    mixer: MixerConfig = field(default_factory=MixerConfig)
    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Qmix(ValueLearner):
    """Monotonic mixing network; hypernetworks of the state make its weights."""

    Config = QmixConfig

    def make_mixer(self) -> nn.Module:
        return QmixMixer(self.spec.n_agents, self.spec.state_size, self.cfg.mixer)

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents, self.net.hidden_dim)

    def loss(self, rows: ReplayBatch, q_values: QValues) -> Loss:
        return team_loss(self, rows, q_values, self.cfg.differ, self.exchange)
