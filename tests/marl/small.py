"""Every algorithm with settings so small that a test takes no time."""

from typing import Any

import numpy as np

import terrarium
from terrarium.config import layer_from_words
from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.algo import Algo
from terrarium.marl.algos.maddpg import Maddpg
from terrarium.marl.algos.ppo import Ppo
from terrarium.marl.algos.q_learning import QLearner
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.attention import AttentionConfig
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from terrarium.marl.settings import from_layers

VALUE_BASED = [name for name, algo in ALGOS.items() if issubclass(algo, QLearner)]
DDPG_LIKE = [name for name, algo in ALGOS.items() if issubclass(algo, Maddpg)]
PPO_LIKE = [name for name, algo in ALGOS.items() if issubclass(algo, Ppo)]
NET = NetConfig(hidden_dim=16, encoder_config=AttentionConfig(8, 2))


GAME_WORDS = {
    "values": (
        "algo.lr=0.01 -> 0.001",
        "algo.steps_per_update=16",
        "algo.target_update_interval=10",
        "replay.batch_size=32",
        "replay.buffer_size=400",
        "explore.epsilon=1 -> 0.05 at 50%",
    ),
    "ppo": ("algo.lr=0.01 -> 0.001", "algo.n_epochs=4"),
    "ddpg": (
        *("algo.lr=0.003", "algo.critic_lr=0.01", "algo.tau=0.1", "algo.max_grad_norm=10"),
        # Actors must not be sure before their critics are.
        *("algo.steps_per_update=16", "algo.actor_reg=0.05"),
        *("replay.batch_size=32", "replay.buffer_size=400", "replay.chunk_length=0"),
    ),
    # In the games with a memory the state does not tell what was shown: the critic must know, too.
    "critic": ("algo.lr=0.005", "algo.critic_lr=0.005", "algo.recurrent_critic=true"),
}
"""What lets each family of algorithms learn a game in seconds"""


def family(algo: str) -> str:
    if algo in VALUE_BASED:
        return "values"
    if algo in DDPG_LIKE:
        return "ddpg"
    return "ppo" if algo in PPO_LIKE else "critic"


def small_words(algo: str) -> tuple[str, ...]:
    """What to set in a test, as one would type it."""
    if algo in VALUE_BASED:
        return (
            "algo.n_steps=8",
            "algo.steps_per_update=32",
            "replay.buffer_size=64",
            "replay.batch_size=4",
        )
    if algo in DDPG_LIKE:
        return (
            *("algo.n_steps=8", "algo.steps_per_update=32"),
            *("replay.buffer_size=64", "replay.batch_size=4", "replay.chunk_length=8"),
        )
    if algo in PPO_LIKE:
        return ("algo.n_steps=8", "algo.n_epochs=2", "algo.n_minibatches=2")
    return ("algo.n_steps=8", "algo.n_minibatches=2")


def small_config(algo: str, *words: str) -> Any:
    """The settings of an algorithm, of which some words differ."""
    layer = layer_from_words((*small_words(algo), "env.n_envs=8", *words))
    return from_layers(algo, "smac/3m", [layer]).algo


def collector_for(learner: Algo, env: Any) -> Collector:
    return Collector(env, learner.n_steps, learner.carry_size, keeps_carries=learner.keeps_carries)


def made(
    algo: str, *words: str, name: str = "smac/3m", n_envs: int = 8, net: NetConfig = NET
) -> tuple[Any, Collector]:
    """An algorithm, and battles that it has not played yet."""
    env = terrarium.make_vec(name, n_envs, seed=5, views=ALGOS[algo].views(net))
    env.reset()
    runtime = make_runtime(np.random.SeedSequence(1))
    learner = ALGOS[algo](spec_of(env.info), net, small_config(algo, *words), runtime)
    return learner, collector_for(learner, env)
