"""MATD3 (Ackermann et al. 2019): MADDPG with twin critics, delayed actors and smoothed targets."""

from dataclasses import dataclass

from terrarium.marl.algos.maddpg import Maddpg, MaddpgConfig


@dataclass(frozen=True)
class Matd3Config(MaddpgConfig):
    """Settings of MATD3."""

    twins: bool = True
    """two critics, of which the smaller value counts (TD3)"""
    actor_every: int = 2
    """gradient steps of the critics for one of the actors"""
    target: str = "sample"
    """what target actors choose: greedy, or a sample; of real numbers both are the same"""
    target_noise: float = 0.2
    """on real numbers of target actors, cut at 2.5 times as much"""


class Matd3(Maddpg):
    """Critics that do not believe too much, and actors that wait for them."""

    Config = Matd3Config
