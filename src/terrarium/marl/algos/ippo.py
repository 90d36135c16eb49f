"""IPPO (de Witt et al. 2020): independent PPO."""

from terrarium.marl.algos.ppo import Ppo


class Ippo(Ppo):
    """Independent PPO: the critic reads the agent's own observation."""

    central = False
