"""MAPPO (Yu et al. 2022): PPO with a centralized critic."""

from terrarium.marl.algos.ppo import Ppo


class Mappo(Ppo):
    """PPO with a centralized critic: it reads the global state, from each agent's row."""

    central = True
