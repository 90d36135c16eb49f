"""How much memory a run keeps of what it plays, and what to set if that is too much."""

from dataclasses import fields
from typing import Any

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.algos.actor_critic import ActorCriticConfig
from terrarium.marl.algos.per_team import TeamsConfig
from terrarium.marl.batch import Obs
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.buffers.replay_buffer import replay_buffer_bytes
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.cores import make_core


def kept_bytes(cfg: Any, spec: Spec, net: NetConfig, obs: Obs, n_envs: int) -> int:
    """Bytes of a replay buffer, or of a rollout; `obs` [1, ...] is that of one environment."""
    if isinstance(cfg, TeamsConfig):
        return sum(kept_bytes(team.cfg, spec, net, obs, n_envs) for team in cfg.teams)
    if isinstance(cfg, ActorCriticConfig):
        return cfg.n_steps * n_envs * obs.n_bytes
    carry_size = make_core(net).carry_size
    return sum(
        replay_buffer_bytes(replay, spec, obs, carry_size, n_envs) for replay in _replays(cfg)
    )


def how_to_keep_less(cfg: Any, fraction: float) -> str:
    """What to set so that a run keeps no more than this fraction of it."""
    if isinstance(cfg, TeamsConfig):
        return "Set a smaller replay.buffer_size for each team, such as " + " ".join(
            f"{team.name}_replay.buffer_size=10000" for team in cfg.teams
        )
    if isinstance(cfg, ActorCriticConfig):
        n_steps = max(1, int(0.8 * fraction * cfg.n_steps))
        return f"algo.n_steps={n_steps} and fewer environments fit"
    for replay in _replays(cfg):
        fits = int(0.8 * fraction * replay.buffer_size)
        if fits > replay.batch_size:
            return f"replay.buffer_size={fits} fits"
    return "replay.chunk_length=16 keeps stretches of episodes"


def _replays(cfg: Any) -> list[ReplayConfig]:
    values = [getattr(cfg, field.name) for field in fields(cfg)]
    return [value for value in values if isinstance(value, ReplayConfig)]
