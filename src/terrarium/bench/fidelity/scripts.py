"""Scripted players that were recorded in the real game, and what became of their battles."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.fidelity.comparison import FidelitySetting
from terrarium.data.battles.scenario import Scenario
from terrarium.engine.records import Records
from terrarium.envs.kernels.tables import EAST, NO_OP, NORTH, SOUTH, STOP, WEST
from terrarium.envs.options import Options, options_for
from terrarium.envs.players.players import Actions, Player
from terrarium.envs.vector import VecEnv


def members(env: VecEnv) -> Records:
    """[N, M] agents, then enemies"""
    return np.take_along_axis(env.sim.units, env.member_slots, axis=1)


def distances(env: VecEnv) -> NDArray[np.float64]:
    """[N, A, K] from each agent to each enemy; the dead are infinitely far away"""
    units, n = members(env), env.n_agents
    own, enemy = units[:, :n], units[:, n:]
    dx = own["x"][:, :, None] - enemy["x"][:, None]
    dy = own["y"][:, :, None] - enemy["y"][:, None]
    away: NDArray[np.float64] = np.hypot(dx, dy)
    return np.where(enemy["alive"][:, None], away, np.inf)


def _or_else(env: VecEnv, wanted: Actions, otherwise: Actions | int) -> Actions:
    """What is wanted where the mask offers it; the dead do nothing."""
    offered = np.take_along_axis(env.avail, wanted[..., None], axis=2)[..., 0]
    return np.where(env.avail[..., NO_OP], NO_OP, np.where(offered, wanted, otherwise))


class _Script:
    """A player that looks at nothing but the state of the engine."""

    views: Sequence[str] = ()

    def prepare(self, options: Options) -> Options:
        return options


class AttackClosest(_Script):
    """Each agent attacks the closest enemy, chosen anew in each step, and walks to it before."""

    def act(self, env: VecEnv) -> Actions:
        units, n = members(env), env.n_agents
        closest = distances(env).argmin(axis=2)
        dx = np.take_along_axis(units["x"][:, n:], closest, axis=1) - units["x"][:, :n]
        dy = np.take_along_axis(units["y"][:, n:], closest, axis=1) - units["y"][:, :n]
        aside, ahead = np.where(dx > 0.0, EAST, WEST), np.where(dy > 0.0, NORTH, SOUTH)
        walk = _or_else(env, np.where(np.abs(dx) > np.abs(dy), aside, ahead), STOP)
        return _or_else(env, env.info.first_target + closest, walk)


class StandAndShoot(_Script):
    """Agents stand; all that reach the only enemy attack it."""

    def act(self, env: VecEnv) -> Actions:
        shoot = np.full((env.n_envs, env.n_agents), env.info.first_target)
        return _or_else(env, shoot, STOP)


class FartherShoots(_Script):
    """Two agents stand; only the one that is farther from the only enemy attacks it."""

    def act(self, env: VecEnv) -> Actions:
        alive = env.living[:, : env.n_agents]
        farther = np.where(alive, distances(env)[:, :, 0], -np.inf).argmax(axis=1)
        shoots = farther[:, None] == np.arange(env.n_agents)  # of two at the same distance, one
        return _or_else(env, np.where(shoots, env.info.first_target, STOP), STOP)


@dataclass(frozen=True)
class Played:
    """One entry for each battle."""

    won: NDArray[np.bool_]
    unhurt: NDArray[np.bool_]
    """no agent lost life or shields"""
    life_taken: NDArray[np.float64]
    """from the enemies, shields apart"""
    returns: NDArray[np.float64]


def open_battles(setting: FidelitySetting, scenario: Scenario) -> VecEnv:
    """As many battles as there are episodes, side by side, with SMAC's contract."""
    return VecEnv(
        scenario,
        n_envs=setting.episodes,
        threads=setting.threads,
        seed=setting.seed,
        views=(),
        autoreset=False,
        options=options_for(scenario, {"contract": "exact"}),
    )


def play_battles(setting: FidelitySetting, name: str, player: Player) -> Played:
    """Let a script fight every battle once."""
    env = open_battles(setting, setting.scenario(name))
    n = env.n_agents
    won, unhurt, over = np.zeros((3, env.n_envs), np.bool_)
    life_taken, returns = np.zeros((2, env.n_envs))
    try:
        env.reset()
        start = members(env).copy()
        while not over.all():
            env.step(player.act(env))
            ended = (env.terminated | env.truncated) & ~over
            units, living = members(env), env.living
            life = np.where(living, units["hp"], 0.0)
            lost = (units["hp"] + units["shield"] < start["hp"] + start["shield"]) | ~living
            won[ended], returns[ended] = env.outcome.won[ended], env.outcome.episode_return[ended]
            unhurt[ended] = ~lost[ended, :n].any(axis=1)
            life_taken[ended] = (start["hp"] - life)[ended, n:].sum(axis=1)
            over |= ended
            if over.any() and not over.all():
                env.reset(where=over)  # played on uncounted: the batch is stepped as a whole
    finally:
        env.close()
    return Played(won, unhurt, life_taken, returns)
