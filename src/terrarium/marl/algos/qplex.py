"""QPLEX (Wang et al. 2021): duplex dueling mixing, complete for the IGM condition."""

from dataclasses import dataclass, field

from torch import nn

from terrarium.marl.algos.team import team_loss
from terrarium.marl.algos.value import Loss, QValues, ValueConfig, ValueLearner
from terrarium.marl.buffers.replay_buffer import ReplayBatch
from terrarium.marl.differ import DifferConfig
from terrarium.marl.nets.mixers import MixerConfig, QplexMixer
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class QplexConfig(ValueConfig):
    """Settings of QPLEX."""

    mixer: MixerConfig = field(default_factory=MixerConfig)
    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Qplex(ValueLearner):
    """Duplex dueling mixer: advantages weighted by attention over state and joint action."""

    Config = QplexConfig

    def make_mixer(self) -> nn.Module:
        spec = self.spec
        return QplexMixer(spec.n_agents, spec.n_actions, spec.state_size, self.cfg.mixer)

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents, self.net.hidden_dim)

    def loss(self, rows: ReplayBatch, q_values: QValues) -> Loss:
        return team_loss(self, rows, q_values, self.cfg.differ, self.exchange)
