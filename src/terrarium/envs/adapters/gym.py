"""Gymnasium's interface: the whole team is one learner with one action for each of its units."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Dict, MultiDiscrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.adapters.adapting import (
    RENDER_MODES,
    check_render_mode,
    check_unavailable,
    replace_unavailable,
)
from terrarium.envs.options import OptionError, options_for
from terrarium.envs.recording import picture
from terrarium.envs.spaces import mask_box, state_box, team_box
from terrarium.envs.vector import VecEnv

Observation = dict[str, NDArray[Any]] | NDArray[np.float32]
Info = dict[str, Any]


class TeamEnv(gymnasium.Env[Observation, NDArray[np.int64]]):
    """One battle at a time. An action is one number for each agent, of the dead too.

    The observation holds what the agents see, the global state and the action mask; with `central`
    it is the global state alone, and the mask is in `info["action_mask"]`. Who samples from the
    action space does not know the mask: an action that is not available becomes `stop` (of the
    dead: no-op), and `info["n_unavailable"]` counts them. `unavailable="error"` refuses them.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        scenario: Scenario | str | Path,
        *,
        central: bool = False,
        unavailable: str = "stop",
        render_mode: str | None = None,
        **options: Any,  # a border: SMAC's names, checked one by one
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.central = central
        self.unavailable = check_unavailable(unavailable)
        self.vec = _battles(scenario, central, options, autoreset=False)
        self.observation_space = _observation_space(self.vec, central)
        self.action_space = _action_space(self.vec)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin the next battle; a seed starts the series of battles anew. `options` has no use."""
        super().reset(seed=seed)
        self.vec.reset(seed)
        return self._observation(), self._info()

    def step(self, action: ArrayLike) -> tuple[Observation, float, bool, bool, Info]:
        """Play one step."""
        joint = np.asarray(action)[np.newaxis]
        actions, n_unavailable = _allowed(self.vec, joint, self.unavailable)
        self.vec.step(actions)
        return (
            self._observation(),
            float(self.vec.reward[0]),
            bool(self.vec.terminated[0]),
            bool(self.vec.truncated[0]),
            self._info(int(n_unavailable[0])),
        )

    def render(self) -> NDArray[np.uint8] | None:
        """A picture of the battle as it stands, [height, width, 3]."""
        return picture(self.vec) if self.render_mode else None

    def close(self) -> None:
        """Let the engine go."""
        self.vec.close()

    def _observation(self) -> Observation:
        vec = self.vec
        return _observation(vec.obs[0], vec.state[0], vec.avail[0], self.central)

    def _info(self, n_unavailable: int = 0) -> Info:
        outcome = self.vec.outcome
        info: Info = {
            "battle_won": bool(outcome.won[0]),
            "dead_allies": int(outcome.dead_allies[0]),
            "dead_enemies": int(outcome.dead_enemies[0]),
            "n_unavailable": n_unavailable,
        }
        if self.central:
            info["action_mask"] = self.vec.avail[0].astype(np.int8)
        return info


class TeamVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """Many battles at once, one learner each. One that ends begins anew in the same step; what was
    seen at its end is in `infos["final_obs"]` and `infos["final_info"]`."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - as Gymnasium declares it
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    closed = True  # so that no finalizer closes what could not be made

    def __init__(
        self,
        scenario: Scenario | str | Path,
        *,
        num_envs: int = 1,
        threads: int = 1,
        central: bool = False,
        unavailable: str = "stop",
        render_mode: str | None = None,
        **options: Any,  # a border: SMAC's names, checked one by one
    ) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.central = central
        self.unavailable = check_unavailable(unavailable)
        self.vec = _battles(scenario, central, options, n_envs=num_envs, threads=threads)
        self.num_envs = num_envs
        self.single_observation_space = _observation_space(self.vec, central)
        self.single_action_space = _action_space(self.vec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.closed = False

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, Info]:
        """Begin the next battle everywhere, or where `options["reset_mask"]` is true.

        Battle `e` of seed `s` is the one of a `TeamEnv` with the seed `s + e`.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        where = np.ones(self.num_envs, np.bool_)
        if options is not None and "reset_mask" in options:
            where = np.asarray(options["reset_mask"], np.bool_)
        self.vec.reset(seed, where)
        return self._observation(), self._infos(where, np.zeros(self.num_envs, np.int64))

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[Any], NDArray[Any], NDArray[Any], Info]:
        """Play one step of every battle."""
        joint, n_unavailable = _allowed(self.vec, np.asarray(actions), self.unavailable)
        self.vec.step(joint)
        vec = self.vec
        over = vec.terminated | vec.truncated
        infos: Info = {}
        if over.any():
            infos["final_obs"], infos["_final_obs"] = self._final_obs(over), over.copy()
            infos["final_info"] = self._infos(over, n_unavailable, vec.final.avail)
            infos["_final_info"] = over.copy()
        # Of a battle that has just begun, nothing can be told yet.
        infos |= self._infos(np.ones(self.num_envs, np.bool_), np.where(over, 0, n_unavailable))
        for name in ("battle_won", "dead_allies", "dead_enemies"):
            infos[name][over] = 0
        return (
            self._observation(),
            vec.reward.copy(),
            vec.terminated.copy(),
            vec.truncated.copy(),
            infos,
        )

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """A picture of each battle as it stands."""
        if not self.render_mode:
            return None
        return tuple(picture(self.vec, e) for e in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        """Let the threads go."""
        self.vec.close()

    def _observation(self) -> Observation:
        return _observation(self.vec.obs, self.vec.state, self.vec.avail, self.central)

    def _final_obs(self, over: NDArray[np.bool_]) -> NDArray[np.object_]:
        """[N] the last observation of each battle that is over, of the others None"""
        final, found = self.vec.final, np.full(self.num_envs, None, object)
        for e in np.flatnonzero(over):
            found[e] = _observation(final.obs[e], final.state[e], final.avail[e], self.central)
        return found

    def _infos(
        self,
        where: NDArray[np.bool_],
        n_unavailable: NDArray[np.int64],
        avail: NDArray[np.bool_] | None = None,
    ) -> Info:
        """Each value `[N, ...]` with a mask `_name` of the battles that have it, as Gymnasium's."""
        outcome = self.vec.outcome
        values: dict[str, NDArray[Any]] = {
            "battle_won": outcome.won.copy(),
            "dead_allies": outcome.dead_allies.copy(),
            "dead_enemies": outcome.dead_enemies.copy(),
            "n_unavailable": n_unavailable.copy(),
        }
        if self.central:
            values["action_mask"] = (self.vec.avail if avail is None else avail).astype(np.int8)
        infos: Info = {}
        for name, value in values.items():
            value[~where] = 0
            infos[name], infos[f"_{name}"] = value, where.copy()
        return infos


def _battles(
    scenario: Scenario | str | Path,
    central: bool,
    options: dict[str, Any],
    n_envs: int = 1,
    threads: int = 1,
    autoreset: bool = True,
) -> VecEnv:
    if n_envs < 1:
        raise OptionError(f"num_envs is {n_envs}; allowed: 1 or more")
    chosen = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    return VecEnv(
        chosen,
        n_envs=n_envs,
        threads=threads,
        seed=secrets.randbits(32),  # until a reset brings one
        views=("state",) if central else ("obs", "state"),
        autoreset=autoreset,
        options=options_for(chosen, options),
    )


def _observation_space(vec: VecEnv, central: bool) -> Space[Any]:
    if central:
        return state_box(vec)
    return Dict(
        {
            "obs": team_box(vec),
            "state": state_box(vec),
            "action_mask": mask_box(vec.n_agents, vec.info.n_actions),
        }
    )


def _action_space(vec: VecEnv) -> MultiDiscrete:
    return MultiDiscrete(np.full(vec.n_agents, vec.info.n_actions, np.int64))


def _observation(
    obs: NDArray[np.float32],
    state: NDArray[np.float32],
    avail: NDArray[np.bool_],
    central: bool,
) -> Observation:
    """A copy of what a learner sees: the next step overwrites the views."""
    if central:
        return state.copy()
    return {"obs": obs.copy(), "state": state.copy(), "action_mask": avail.astype(np.int8)}


def _allowed(
    vec: VecEnv, actions: NDArray[Any], unavailable: str
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The actions [N, A] to play, and how many [N] are not those that were wanted."""
    wanted = (vec.n_envs, vec.n_agents)
    vec.check_started()
    if unavailable == "error" or actions.shape != wanted or actions.dtype.kind not in "iu":
        return actions, np.zeros(vec.n_envs, np.int64)  # what is wrong with them, `vec` says
    return replace_unavailable(vec.avail, actions.astype(np.int64))
