"""PettingZoo's interface: every agent by its name, until it dies."""

import operator
import secrets
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.spaces import Dict, Discrete
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.adapters.adapting import (
    RENDER_MODES,
    check_render_mode,
    check_unavailable,
    replace_unavailable,
)
from terrarium.envs.kernels.tables import NO_OP
from terrarium.envs.options import OptionError, options_for
from terrarium.envs.recording import picture
from terrarium.envs.spaces import mask_box, observation_box, state_box
from terrarium.envs.vector import EnvError, VecEnv

Observation = dict[str, NDArray[Any]]
Info = dict[str, Any]
Step = tuple[
    dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Info]
]


def parallel_env(name: Scenario | str | Path, **options: Any) -> "BattleParallelEnv":
    """One battle at a time for PettingZoo: `parallel_env("smac/3m", max_cycles=100)`.

    `pettingzoo.utils.parallel_to_aec` turns it into an environment in which agents take turns.
    """
    return BattleParallelEnv(name, **options)


class BattleParallelEnv(ParallelEnv[str, Observation, int]):
    """A battle in which each ally is an agent: `agent_0`, `agent_1`, … in every episode.

    An agent that dies is terminated in that step and leaves `agents`; the others fight on. All who
    began a step get the team's reward for it, those who died in it too. The dead get nothing more,
    so only a survivor's return is the team's; that one is in `infos` as `episode_return`.
    """

    def __init__(
        self,
        name: Scenario | str | Path,
        *,
        max_cycles: int | None = None,
        seed: int | None = None,
        unavailable: str = "error",
        render_mode: str | None = None,
        **options: Any,  # a border: SMAC's names, checked one by one
    ) -> None:
        if max_cycles is not None and max_cycles < 1:
            raise OptionError(f"max_cycles is {max_cycles}; allowed: 1 or more")
        scenario = name if isinstance(name, Scenario) else load_scenario(name)
        self.vec = VecEnv(
            scenario,
            seed=secrets.randbits(32) if seed is None else seed,
            views=("obs", "state"),
            autoreset=False,
            options=options_for(scenario, options),
        )
        self.max_cycles = max_cycles
        self.unavailable = check_unavailable(unavailable)
        self.render_mode = check_render_mode(render_mode)
        self.metadata = {
            "name": f"terrarium_{scenario.name.replace('/', '_')}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": True,
        }
        self.possible_agents = [f"agent_{a}" for a in range(self.vec.n_agents)]
        self.agents: list[str] = []
        n_actions = self.vec.info.n_actions
        # One space for each agent, not one for all: each has random numbers of its own.
        self.observation_spaces = {
            agent: Dict(
                {"observation": observation_box(self.vec), "action_mask": mask_box(n_actions)}
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(n_actions) for agent in self.possible_agents}
        self.state_space = state_box(self.vec)
        self._places = {agent: a for a, agent in enumerate(self.possible_agents)}
        self._units: list[str] = []
        self._return = 0.0

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin the next battle; a seed starts the series of battles anew. `options` has no use."""
        self.vec.reset(seed)
        # PettingZoo wants to see all of them: whom a drawn army lacks leaves after the first step.
        self.agents = list(self.possible_agents)
        self._return = 0.0
        kinds = self.vec.sim.units["kind"][0, self.vec.member_slots[0, : self.vec.n_agents]]
        self._units = [self.vec.sim.names[int(kind)] for kind in kinds]
        return self._observe(self.agents), {agent: self._info(agent) for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Step:
        """Play one step with an action for every living agent."""
        joint, replaced = self._joint(actions)
        self.vec.step(joint)
        outcome = self.vec.outcome
        reward = float(outcome.reward[0])
        self._return += reward
        terminated, truncated = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        over = terminated or truncated
        cut = not over and self.max_cycles is not None and self._steps() >= self.max_cycles
        took_part, died = self.agents, self._dead()
        infos = {agent: self._info(agent) for agent in took_part}
        for agent in took_part:
            if self.unavailable == "stop":
                infos[agent]["unavailable"] = agent in replaced
            if over or cut:
                infos[agent] |= self._ending()
        self.agents = [a for a in took_part if not (over or cut or a in died)]
        return (
            self._observe(took_part),
            dict.fromkeys(took_part, reward),
            {agent: terminated or agent in died for agent in took_part},
            {agent: (truncated or cut) and agent not in died for agent in took_part},
            infos,
        )

    def state(self) -> NDArray[np.float32]:
        """The global state, for training in one place."""
        self.vec.check_started()
        state: NDArray[np.float32] = self.vec.state[0].copy()
        return state

    def render(self) -> NDArray[np.uint8] | None:
        """A picture of the battle as it stands, [height, width, 3]."""
        return picture(self.vec) if self.render_mode else None

    def close(self) -> None:
        """Let the engine go."""
        self.vec.close()

    def _observe(self, agents: list[str]) -> dict[str, Observation]:
        obs = self.vec.obs[0].copy()  # [A, O]
        masks = self.vec.avail[0].astype(np.int8)  # [A, K]
        return {
            agent: {
                "observation": obs[self._places[agent]],
                "action_mask": masks[self._places[agent]],
            }
            for agent in agents
        }

    def _info(self, agent: str) -> Info:
        return {
            "unit_type": self._units[self._places[agent]],
            "dead_allies": int(self.vec.outcome.dead_allies[0]),
            "dead_enemies": int(self.vec.outcome.dead_enemies[0]),
        }

    def _ending(self) -> Info:
        return {
            "battle_won": bool(self.vec.outcome.won[0]),
            "episode_return": self._return,
            "episode_steps": self._steps(),
        }

    def _steps(self) -> int:
        return int(self.vec.episode_steps[0])

    def _dead(self) -> set[str]:
        living = self.vec.living[0, : self.vec.n_agents]  # on board one is alive
        return {
            agent for agent, lives in zip(self.possible_agents, living, strict=True) if not lives
        }

    def _joint(self, actions: dict[str, int]) -> tuple[NDArray[np.int64], set[str]]:
        """The actions [1, A] of all agents, and for whom another one had to be taken."""
        self._check_agents(actions)
        joint = np.full((1, self.vec.n_agents), NO_OP, np.int64)
        for agent, action in actions.items():
            joint[0, self._places[agent]] = self._whole(agent, action)
        if self.unavailable == "error":
            return joint, set()
        allowed, _ = replace_unavailable(self.vec.avail, joint)
        changed = np.flatnonzero(allowed[0] != joint[0])
        return allowed, {self.possible_agents[a] for a in changed}

    def _check_agents(self, actions: dict[str, int]) -> None:
        if not self.agents:
            raise EnvError("no battle is going on: call reset() before the next step")
        for agent in actions:
            if agent not in self._places:
                raise EnvError(
                    f'there is no agent "{agent}"; possible are {", ".join(self.possible_agents)}'
                )
            if agent not in self.agents:
                raise EnvError(f"{agent} is dead and has left; living are {', '.join(self.agents)}")
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise EnvError(
                f"no action for {', '.join(missing)}; all agents in `agents` need one in every step"
            )

    def _whole(self, agent: str, action: int) -> int:
        """The action as a number, if the agent may choose it."""
        n_actions = self.vec.info.n_actions
        try:
            number = operator.index(action)
        except TypeError:
            raise EnvError(f"{agent}: action {action!r} is not a whole number") from None
        if not 0 <= number < n_actions:
            raise EnvError(
                f"{agent}: action {number} does not exist; allowed: 0 to {n_actions - 1}"
            )
        mask = self.vec.avail[0, self._places[agent]]
        scripted = self.vec.options.heuristic_ai  # then the agents' actions are not used
        if self.unavailable == "error" and not scripted and not mask[number]:
            raise EnvError(
                f"{agent}: action {number} ({self.vec.info.action_names[number]}) is not available "
                f"now. Available: {np.flatnonzero(mask).tolist()}. Choose by action_mask of the "
                'observation, or make the environment with unavailable="stop"'
            )
        return number
