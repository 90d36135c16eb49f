"""MAPPO (Yu et al. 2022): PPO whose critic knows the whole battle."""

from terrarium.marl.algos.ppo import Ppo


class Mappo(Ppo):
    """The critic sees the global table or state, from each agent's own place in it."""

    central = True
