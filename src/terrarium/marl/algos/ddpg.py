"""Independent DDPG (Lillicrap et al. 2016): each agent with a critic that knows itself only."""

from dataclasses import dataclass

from terrarium.marl.algos.maddpg import Maddpg, MaddpgConfig


@dataclass(frozen=True)
class DdpgConfig(MaddpgConfig):
    """Settings of independent DDPG."""

    critic: str = "local"
    """local: its own agent only; central: reads all observations and actions, which is MADDPG"""


class Ddpg(Maddpg):
    """Independent DDPG: critics read their own agent only; the baseline of MADDPG."""

    Config = DdpgConfig
