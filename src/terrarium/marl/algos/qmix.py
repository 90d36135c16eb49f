"""QMIX (Rashid et al. 2018): the team's value never falls when that of an agent rises."""

from dataclasses import dataclass, field

from torch import nn

from terrarium.marl.algos.team import team_loss
from terrarium.marl.algos.value import Loss, Reading, ValueConfig, ValueLearner
from terrarium.marl.buffers.replay import ReplayRows
from terrarium.marl.differ import DifferConfig
from terrarium.marl.nets.mixers import MixerConfig, MonotoneMixer
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class QmixConfig(ValueConfig):
    """Settings of QMIX."""

    mixer: MixerConfig = field(default_factory=MixerConfig)
    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Qmix(ValueLearner):
    """Agents whose values a monotone network joins, as the state of the battle says."""

    Config = QmixConfig

    def make_mixer(self) -> nn.Module:
        return MonotoneMixer(self.spec.n_agents, self.spec.state_size, self.cfg.mixer)

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents)

    def loss(self, rows: ReplayRows, reading: Reading) -> Loss:
        return team_loss(self, rows, reading, self.cfg.differ, self.exchange)
