"""QPLEX (Wang et al. 2021): any joint value whose best action each agent can find alone."""

from dataclasses import dataclass, field

from torch import nn

from terrarium.marl.algos.team import team_loss
from terrarium.marl.algos.value import Loss, Reading, ValueConfig, ValueLearner
from terrarium.marl.buffers.replay import ReplayRows
from terrarium.marl.differ import DifferConfig
from terrarium.marl.nets.mixers import DuplexMixer, MixerConfig
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class QplexConfig(ValueConfig):
    """Settings of QPLEX."""

    mixer: MixerConfig = field(default_factory=MixerConfig)
    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Qplex(ValueLearner):
    """Agents whose values add up, and whose advantages the state and the joint action weigh."""

    Config = QplexConfig

    def make_mixer(self) -> nn.Module:
        spec = self.spec
        return DuplexMixer(spec.n_agents, spec.n_actions, spec.state_size, self.cfg.mixer)

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents)

    def loss(self, rows: ReplayRows, reading: Reading) -> Loss:
        return team_loss(self, rows, reading, self.cfg.differ, self.exchange)
