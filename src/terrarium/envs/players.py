"""Scripted players: baselines for any scenario, by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from terrarium.data.scenario import Scenario
from terrarium.envs.kernels.tables import NO_OP, NORTH, STOP
from terrarium.envs.options import Options, options_for
from terrarium.envs.recording import BattleLog
from terrarium.envs.tactical_view import HEADINGS, Tables, compile_tables, view_of
from terrarium.envs.vector import VecEnv
from terrarium.replay.record import Record
from terrarium.tactics.geometry import steps_ahead
from terrarium.tactics.skirmish import lead
from terrarium.tactics.view import Floats, OrderKind, Orders, View

STRAIGHT = 0.01
"""Of two moves that shorten a way by as many cells, the straighter one is better"""

Actions = NDArray[np.int64]
"""[N, A]"""


class Player(Protocol):
    """Somebody who chooses the actions of all agents in a batch of battles."""

    @property
    def views(self) -> Sequence[str]:
        """which views of the environment it looks at"""

    def prepare(self, options: Options) -> Options:
        """The options of the environment that it plays in, given those that the user wants."""

    def act(self, env: VecEnv) -> Actions:
        """One action for each agent, given where the battles stand."""


class RandomPlayer:
    """Any available action, all equally likely."""

    views = ()

    def prepare(self, options: Options) -> Options:
        return options

    def act(self, env: VecEnv) -> Actions:
        return env.sample_actions()


class HeuristicPlayer:
    """SMAC's own script: each unit attacks the nearest enemy until it is dead."""

    views = ()

    def prepare(self, options: Options) -> Options:
        return replace(options, heuristic_ai=True)

    def act(self, env: VecEnv) -> Actions:
        return env.actions  # the environment overwrites them


class KitingPlayer:
    """Focused fire, steps back from those with a shorter reach, and healing.

    Like SMAC's script it sees the whole map; unlike it, it chooses only what the mask offers.
    """

    views = ()

    def __init__(self) -> None:
        self._env: VecEnv | None = None
        self._tables: Tables | None = None

    def prepare(self, options: Options) -> Options:
        return options

    def act(self, env: VecEnv) -> Actions:
        if self._tables is None or self._env is not env:
            self._env, self._tables = env, compile_tables(env)
        view = view_of(env, self._tables)
        return to_actions(env, view, lead(view))


def to_actions(env: VecEnv, view: View, orders: Orders) -> Actions:
    """SMAC's actions that come nearest to the orders, of those that are available.

    A target that the mask does not offer is walked to.
    """
    first = env.info.first_target
    aims = (orders.kind == OrderKind.ATTACK) | (orders.kind == OrderKind.HEAL)
    action = np.where(aims, first + orders.target, STOP)
    action = np.where(action < env.info.n_actions, action, STOP)
    offered = np.take_along_axis(env.avail, action[..., None], axis=2)[..., 0]
    heals = orders.kind == OrderKind.HEAL
    at = np.maximum(orders.target, 0)[..., None]
    goal = np.where(
        heals[..., None],
        np.take_along_axis(view.own.pos, np.minimum(at, env.n_agents - 1), axis=1),
        np.take_along_axis(view.enemy.pos, np.minimum(at, env.info.n_enemies - 1), axis=1),
    )
    goal = np.where((orders.kind == OrderKind.MOVE)[..., None], orders.point, goal)
    walks = (orders.kind == OrderKind.MOVE) | (aims & ~offered)
    action = np.where(walks, _best_move(env, view, goal), action)
    return np.where(env.avail[..., NO_OP], NO_OP, action)


def _best_move(env: VecEnv, view: View, goal: Floats) -> Actions:
    """The available move that leads farthest towards a goal [N, A, 2]; to stop, if none does."""
    gain = (goal - view.own.pos) @ HEADINGS.T  # [N, A, 4]
    # Where a wall is in the way, whoever walks follows the shortest way around it.
    then = view.ground.ways(steps_ahead(view)[0], goal[:, :, None])
    shorter = view.ground.ways(view.own.pos, goal)[..., None] - then
    walks_around = view.own.is_walker & view.ground.is_around(view.own.pos, goal)
    gain = np.where(walks_around[..., None], shorter + STRAIGHT * gain, gain)
    gain = np.where(env.avail[..., NORTH : NORTH + len(HEADINGS)], gain, -np.inf)
    return np.where(gain.max(axis=2) > 0.0, NORTH + gain.argmax(axis=2), STOP)


PLAYERS: Mapping[str, Callable[[], Player]] = {
    "random": RandomPlayer,
    "heuristic": HeuristicPlayer,
    "kiting": KitingPlayer,
}


def record_battle(
    player: Player,
    scenario: Scenario,
    seed: int,
    title: str = "",
    options: Options | None = None,
) -> Record:
    """Let a player fight the first battle of a seed, and record it."""
    options = player.prepare(options_for(scenario, {}) if options is None else options)
    env = VecEnv(scenario, seed=seed, views=player.views, autoreset=False, options=options)
    try:
        env.reset()
        log = BattleLog(env)
        while not env.over[0]:
            env.step(player.act(env))
            log.note()
        return log.record(title)
    finally:
        env.close()
