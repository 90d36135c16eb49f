"""What tests of environments share: the zoo by name, and a log of what is shown."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.spec import PettingZooSpec, find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv


def zoo(factory: str, **options: Any) -> PettingZooSpec:
    return find_spec(f"pettingzoo:tests.envs.pettingzoo.zoo:{factory}", options)


def shown(env: PettingZooVecEnv) -> dict[str, NDArray[Any]]:
    """Copies of all that a step may write, of all environments."""
    over = env.outcome.terminated | env.outcome.truncated
    views = {f"now/{name}": array for name, array in env.now._asdict().items()}
    if env.autoreset:
        ended = over.reshape(-1, 1, 1)  # elsewhere it is stale
        views["final/obs"] = env.final.obs * ended
        views["final/avail"] = env.final.avail * ended
        views["final/state"] = env.final.state * ended[:, 0]
    outcome = env.outcome._asdict()
    own = (env.own_reward, env.own_terminated, env.own_truncated, env.episode_returns)
    rest = {f"own/{i}": array for i, array in enumerate((*own, env.episode_steps, env.over))}
    rest["there"] = env.there
    return {name: np.array(array) for name, array in {**views, **outcome, **rest}.items()}


def play(env: PettingZooVecEnv, n_steps: int, seed: int = 0) -> list[dict[str, NDArray[Any]]]:
    """Random steps, and what each one showed."""
    player = RandomPettingZooPlayer(seed)
    log = []
    for _ in range(n_steps):
        env.step(player.act(env))
        log.append(shown(env))
    return log


def assert_same(one: list[dict[str, NDArray[Any]]], other: list[dict[str, NDArray[Any]]]) -> None:
    assert len(one) == len(other)
    for t, (left, right) in enumerate(zip(one, other, strict=True)):
        for name in left:
            assert left[name].tobytes() == right[name].tobytes(), (t, name)
