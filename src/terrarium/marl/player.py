"""A learned policy as a player: evaluated, recorded and watched like the scripted ones."""

import torch

from terrarium.envs.options import Options
from terrarium.envs.players import Actions
from terrarium.envs.vector import VecEnv
from terrarium.marl.algos.ppo import Ppo
from terrarium.marl.batch import look_at
from terrarium.marl.nets.config import views_of


class PolicyPlayer:
    """Chooses the likeliest actions, and remembers what each battle has shown."""

    def __init__(self, algo: Ppo) -> None:
        self._algo = algo
        self._carry = torch.zeros(0)

    @property
    def views(self) -> tuple[str, ...]:
        return views_of(self._algo.net)

    def prepare(self, options: Options) -> Options:
        return options

    def act(self, env: VecEnv) -> Actions:
        shape = (env.n_envs, env.n_agents, self._algo.carry_size)
        if self._carry.shape != shape:
            self._carry = torch.zeros(shape)
        begins = torch.from_numpy(env.episode_steps == 0)
        choice = self._algo.act(look_at(env.now), self._carry, begins, greedy=True)
        self._carry = choice.carry
        return choice.actions.numpy()
