"""Learners whose gradient steps are measured: our QMIX, and a plain one on the same episodes."""

import time
from collections.abc import Callable

import numpy as np
import torch

from terrarium.bench.plain_qmix import PlainBatch, PlainQmix, QmixSizes
from terrarium.config import Layer
from terrarium.envs.tasks.task import EnvSetup
from terrarium.marl.algos.q_learning import Qmix
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from terrarium.marl.settings import resolve


class OwnLearner:
    """QMIX with some agent, and a buffer full of episodes that it has played at random."""

    def __init__(self, name: str, scenario: str, layer: Layer, threads: int) -> None:
        self.name = name
        settings = resolve("qmix", scenario, layer)
        cfg = settings.algo
        game, views = settings.task_of(scenario), Qmix.views(settings.net)
        seeds = np.arange(settings.env.n_envs, dtype=np.uint64)
        env = game.open(len(seeds), seeds, views, EnvSetup(threads))
        runtime = make_runtime(np.random.SeedSequence(0))
        self.learner = Qmix(game.spec(views), settings.net, cfg, runtime)
        collector = Collector(env, cfg.n_steps, self.learner.carry_size)
        n_steps, seconds = 0, 0.0
        store = self.learner.training.store
        while store.replay is None or len(store.replay) < 4 * cfg.replay.batch_size:
            start = time.perf_counter()
            rollout, _ = collector.collect(self.learner.act)
            self.learner.observe(rollout)
            n_steps += rollout.rewards.numel()
            seconds += time.perf_counter() - start
        env.close()
        self.steps_per_s = n_steps / seconds
        # Random play does not depend on the network: these are the same episodes for all.
        ids = torch.arange(cfg.replay.batch_size)
        self.rows = store.replay.rows(ids, torch.ones(len(ids)))

    def update(self) -> None:
        """One gradient step, packing included."""
        self.learner.step(self.rows)


def plain_learner(own: OwnLearner) -> tuple[Callable[[], object], str]:
    """A gradient step of a plain learner on episodes that a learner with vectors has played, and
    the shapes of what both learn from."""
    rows, spec = own.rows, own.learner.spec
    obs = rows.obs
    batch = PlainBatch(
        obs.vector, obs.state, obs.avail, rows.actions, rows.rewards, rows.terminated, rows.filled
    )
    sizes = QmixSizes(spec.n_agents, spec.n_actions, spec.obs_width, spec.state_size)
    n_rows, n_steps = rows.filled.shape
    shapes = (
        f"{n_rows} episodes of up to {n_steps} steps ({int(rows.filled.sum())} played), "
        f"{spec.n_agents} agents, {spec.n_actions} actions, observations of {spec.obs_width}, "
        f"state of {spec.state_size}, 64 numbers remembered, mixer 32 and 64"
    )
    plain = PlainQmix(sizes)
    return lambda: plain.update(batch), shapes
