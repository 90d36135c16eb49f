"""Independent DDPG (Lillicrap et al. 2016): each agent with a critic that knows itself only."""

from dataclasses import dataclass

from terrarium.marl.algos.maddpg import Maddpg, MaddpgConfig


@dataclass(frozen=True)
class DdpgConfig(MaddpgConfig):
    """Settings of independent DDPG."""

    critic: str = "local"
    """local: knows its own agent only; central: knows what all see and do, which is MADDPG"""


class Ddpg(Maddpg):
    """Each agent learns as if it were alone: the baseline of MADDPG."""

    Config = DdpgConfig
