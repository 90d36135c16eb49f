"""What every algorithm promises: available actions only, exact resuming, and that it learns."""

import copy
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

import terrarium
from terrarium.config import layer_from_words
from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.algos import find_algo
from terrarium.marl.algos.algo import Algo
from terrarium.marl.batch import pick
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from terrarium.marl.settings import Settings, from_layers
from terrarium.testing.games import Coordination, SmallGame

FLAT = ("net.encoder=mlp", "net.core=none", "net.hidden_dim=32")
"""The networks for small games"""


def check_algorithm(algo: str, *words: str, n_updates: int = 100) -> None:
    """All of them. `algo` is a name, or package.module:Class; words are settings.

    Within `n_updates` updates two agents have to learn to choose the same of four actions.
    """
    check_available_actions(algo, *words)
    check_resuming(algo, *words)
    paid = train_on_game(Coordination(16), algo, (*FLAT, *words), n_updates, enough=0.95)
    assert paid >= 0.95, f"{algo} was paid {paid:.2f} of 1 in a one-step coordination game"


def settings_for(algo: str, *words: str) -> Settings:
    return from_layers(algo, "smac/3m", [layer_from_words(("env.n_envs=8", *words))])


def make_learner(algo: str, *words: str, seed: int = 1) -> tuple[Any, Collector]:
    """An algorithm, and battles of 3m that it has not played yet."""
    settings = settings_for(algo, *words)
    kind = find_algo(algo)
    env = terrarium.make_vec("smac/3m", 8, seed=5, views=kind.views(settings.net))
    env.reset()
    runtime = make_runtime(np.random.SeedSequence(seed))
    learner = kind(spec_of(env.info), settings.net, settings.algo, runtime)
    return learner, collector_for(learner, env)


def collector_for(learner: Algo, env: Any) -> Collector:
    return Collector(env, learner.n_steps, learner.carry_size, keeps_carries=learner.keeps_carries)


def check_available_actions(algo: str, *words: str) -> None:
    """Only available actions are chosen, the dead do nothing, greedy actions do not vary."""
    learner, collector = make_learner(algo, *words)
    rollout, _ = collector.collect(learner.act)
    for _ in range(200 // learner.n_steps + 1):
        rollout, _ = collector.collect(learner.act)
        avail, acting = rollout.obs.avail[:-1], rollout.obs.acting[:-1]
        assert pick(avail, rollout.actions).all(), f"{algo} chose an unavailable action"
        assert (rollout.actions[~acting] == 0).all(), f"{algo} let the dead act"
    obs, carry, resets = rollout.obs[0], rollout.carry, rollout.resets[0]
    first, *others = [learner.act(obs, carry, resets, greedy=True) for _ in range(3)]
    assert pick(obs.avail, first.actions).all(), f"{algo} is greedy for an unavailable action"
    for other in others:
        assert torch.equal(other.actions, first.actions), f"greedy actions of {algo} vary"


def check_resuming(algo: str, *words: str) -> None:
    """A learner with the state of another one goes on as that does, bit for bit."""
    learner, collector = make_learner(algo, *words)
    play(learner, collector, 0.0)
    other, other_collector = make_learner(algo, *words, seed=2)
    with TemporaryDirectory() as folder:
        saved = learner.save_experience(Path(folder))
        # Copies, as if they came from a file: what one learns must not change the other.
        other.load_state_dict(copy.deepcopy(learner.state_dict()))
        other.load_experience(Path(folder), copy.deepcopy(saved))
        other_collector.load_state_dict(copy.deepcopy(collector.state_dict()))
    first, second = play(learner, collector, 0.5), play(other, other_collector, 0.5)
    assert first.keys() == second.keys(), f"{algo} does not go on as before"
    for name, value in first.items():
        assert np.array_equal(value, second[name], equal_nan=True), (
            f"{name} of {algo} differs after load_state_dict(state_dict())"
        )


def play(learner: Algo, collector: Collector, progress: float) -> dict[str, Any]:
    """Actions and metrics of a dozen rollouts that are learned from."""
    found: dict[str, Any] = {}
    for k in range(12):
        rollout, _ = collector.collect(learner.act)
        found[f"actions of rollout {k}"] = rollout.actions.clone().numpy()
        learner.observe(rollout)
        metrics = learner.update(progress + k / 24)
        found |= {f"{name} of update {k}": value for name, value in metrics.items()}
    return found


def train_on_game(
    game: SmallGame,
    algo: str,
    words: Sequence[str],
    n_updates: int,
    enough: float = 1.1,
    is_greedy: bool = True,
) -> float:
    """The mean return in the end, or once it was high enough twice in a row."""
    settings = settings_for(algo, *words)
    runtime = make_runtime(np.random.SeedSequence(2))
    learner = find_algo(algo)(game.spec, settings.net, settings.algo, runtime)
    collector = collector_for(learner, game)
    exam = collector_for(learner, type(game)(game.n_envs, seed=1))
    paid = 0.0
    for k in range(1, n_updates + 1):
        learner.observe(collector.collect(learner.act)[0])
        learner.update((k - 1) / n_updates)
        if k % 3 == 0 or k == n_updates:
            _, episodes = exam.collect(partial(learner.act, greedy=is_greedy))
            before, paid = paid, float(np.mean(episodes.returns))
            if min(before, paid) >= enough:
                break
    return paid
