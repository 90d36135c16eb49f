"""VDN (Sunehag et al. 2018): the team's value is the sum of its agents' values."""

from dataclasses import dataclass, field
from typing import ClassVar

from torch import nn

from terrarium.marl.algos.team import team_loss
from terrarium.marl.algos.value import Loss, Reading, ValueConfig, ValueLearner
from terrarium.marl.buffers.replay import ReplayRows
from terrarium.marl.differ import DifferConfig
from terrarium.marl.nets.mixers import SumMixer
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class VdnConfig(ValueConfig):
    """Settings of VDN."""

    differ: DifferConfig = field(default_factory=DifferConfig)
    share: ShareConfig = field(default_factory=ShareConfig)


class Vdn(ValueLearner):
    """Agents whose values add up to the team's."""

    Config = VdnConfig
    fits_many: ClassVar[bool] = True
    has_mixer: ClassVar[bool] = False  # a sum asks for no state
    lacks: ClassVar[dict[str, str]] = {"mixer": "it adds values up, and a sum has no settings"}

    def make_mixer(self) -> nn.Module:
        return SumMixer()

    def make_exchange(self) -> Exchange:
        return Exchange(self.cfg.share, self.spec.n_agents)

    def loss(self, rows: ReplayRows, reading: Reading) -> Loss:
        return team_loss(self, rows, reading, self.cfg.differ, self.exchange)
