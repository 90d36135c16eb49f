"""IPPO (de Witt et al. 2020): PPO whose critic knows what the agent sees."""

from terrarium.marl.algos.ppo import Ppo


class Ippo(Ppo):
    """Each agent learns as if it were alone."""

    central = False
