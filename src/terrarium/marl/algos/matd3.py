"""MATD3 (Ackermann et al. 2019): MADDPG with twin critics, delayed actors and smoothed targets."""

from dataclasses import dataclass

from terrarium.marl.algos.maddpg import Maddpg, MaddpgConfig


@dataclass(frozen=True)
class Matd3Config(MaddpgConfig):
    """Settings of MATD3."""

    twin_critics: bool = True
    """two critics, the smaller value is the target (TD3)"""
    policy_delay: int = 2
    """critic updates per actor update"""
    target_action: str = "sample"
    """action of the target actors: greedy or sample; the same for continuous actions"""
    target_policy_noise: float = 0.2
    """target policy smoothing: noise on continuous target actions, clipped at 2.5 times this"""


class Matd3(Maddpg):
    """MADDPG with twin critics, delayed policy updates and target policy smoothing."""

    Config = Matd3Config
