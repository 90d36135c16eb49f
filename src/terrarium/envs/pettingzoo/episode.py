"""One environment: dictionaries by agent on one side, rows of arrays on the other."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from terrarium.envs.pettingzoo.errors import PettingZooError, blaming
from terrarium.envs.pettingzoo.observations import ObsCode
from terrarium.envs.pettingzoo.spaces import NOTHING, ActionCode
from terrarium.envs.pettingzoo.spec import PettingZooInfo


class EpisodeRows(NamedTuple):
    """Where one environment writes."""

    obs: NDArray[np.float32]  # [A, O]
    state: NDArray[np.float32]  # [S]
    avail: NDArray[np.bool_]  # [A, K]
    reward: NDArray[np.float64]  # [A]
    terminated: NDArray[np.bool_]  # [A]
    truncated: NDArray[np.bool_]  # [A]
    there: NDArray[np.bool_]  # [A] who takes part from now on


class Episode:
    """Plays episodes of one environment, one after another, and knows who is there."""

    def __init__(self, info: PettingZooInfo, env: Any, rows: EpisodeRows) -> None:
        self.info, self.env, self.rows = info, env, rows
        self.env_name = info.name
        self._agents = list(env.possible_agents)
        if tuple(str(agent) for agent in self._agents) != info.agents:
            raise PettingZooError(
                f"{self.env_name}: its environments have different agents: "
                f"{', '.join(info.agents)}, and {', '.join(map(str, self._agents))}"
            )
        self._places = {agent: a for a, agent in enumerate(self._agents)}
        names = info.agents
        self._spaces = [self._spaces_of(agent) for agent in self._agents]
        self._obs_codes = [
            ObsCode(self.env_name, name, seen)
            for name, (seen, _) in zip(names, self._spaces, strict=True)
        ]
        self._action_codes = [
            ActionCode(self.env_name, name, done)
            for name, (_, done) in zip(names, self._spaces, strict=True)
        ]
        self._check_sizes()
        ends = np.cumsum(info.obs_sizes).tolist()
        self._spans = [(end - size, end) for end, size in zip(ends, info.obs_sizes, strict=True)]
        # In an environment where agents take turns, only the one whose turn it is has a choice.
        turns = isinstance(env, turn_based_aec_to_parallel_wrapper)
        self._turns = env.aec_env if turns else None
        self._present: list[int] = []  # places of those who take part
        self._gone: set[Any] = set()  # done, but still listed by the environment

    def begin(self, seed: int) -> None:
        """Reset the environment and show what its agents see."""
        with blaming(self.env_name, "reset"):
            seen, infos = self.env.reset(seed=seed)
        for a, agent in enumerate(self._agents):
            self._check_spaces(a, agent)
        self._check_known(seen)
        self._gone = set()
        self._clear([])
        self._welcome(seen, infos)
        if not self._present:
            raise PettingZooError(f"{self.env_name}: reset leaves `agents` empty; one is needed")
        self._check_finite()

    def step(self, actions: NDArray[Any]) -> bool:
        """Let everybody act by `actions` [A] or [A, K], and show what comes of it; is it over?"""
        wanted = self._decoded(actions)
        with blaming(self.env_name, "step"):
            seen, rewards, terminations, truncations, infos = self.env.step(wanted)
        self._check_known(seen, rewards, terminations, truncations)
        rows, before = self.rows, self._present
        self._clear(before)
        self._pay(before, rewards)
        done = set()
        for a in before:
            agent = self._agents[a]
            terminated = bool(terminations.get(agent, False))
            truncated = bool(truncations.get(agent, False))
            if terminated or truncated:
                rows.terminated[a], rows.truncated[a] = terminated, truncated
                done.add(agent)
        self._gone = (self._gone | done).intersection(self.env.agents)
        self._welcome(seen, infos)
        for a in set(before).difference(self._present):
            self._say_farewell(a, seen, infos)
        self._check_finite()
        return not self._present

    def _decoded(self, actions: NDArray[Any]) -> dict[Any, Any]:
        """The actions of all agents that the environment lists, in its own form."""
        wanted = {}
        vectors = actions.ndim == 2
        for agent in self.env.agents:
            a = self._places[agent]
            code = self._action_codes[a]
            if agent in self._gone:
                wanted[agent] = code.from_vector(code.idle)
            elif vectors:
                wanted[agent] = code.from_vector(actions[a])
            else:
                wanted[agent] = code.from_index(int(actions[a]))
        return wanted

    def _clear(self, keep: list[int]) -> None:
        """Forget the last step, but what those saw who are to be kept."""
        rows = self.rows
        rows.reward[:] = 0.0
        rows.terminated[:] = False
        rows.truncated[:] = False
        if len(keep) == len(self._agents):
            return
        for a in set(range(len(self._agents))).difference(keep):
            first, last = self._spans[a]
            rows.obs[a] = 0.0
            rows.state[first:last] = 0.0
            self._bar(a)

    def _bar(self, a: int) -> None:
        """An agent that is not there, or whose turn it is not, has nothing to choose."""
        self.rows.avail[a] = False
        self.rows.avail[a, NOTHING] = True

    def _welcome(self, seen: Mapping[Any, Any], infos: Mapping[Any, Any] | None) -> None:
        """Show what everybody sees and may do who takes part from now on."""
        present = []
        for agent in self.env.agents:
            if agent in self._gone:
                continue
            if agent not in self._places:
                self._refuse_stranger(agent)
            if agent not in seen:
                raise PettingZooError(
                    f"{self.env_name}, {agent}: it takes part, but no observation was given for it"
                )
            a = self._places[agent]
            present.append(a)
            self._show(a, seen[agent])
            if self._waits(agent):
                self._bar(a)
                continue
            mask = self._obs_codes[a].mask_in(seen[agent], infos.get(agent) if infos else None)
            self._action_codes[a].write_avail(self.rows.avail[a], mask)
        self._present = present
        self.rows.there[:] = False
        self.rows.there[present] = True

    def _waits(self, agent: Any) -> bool:
        """Whether agents take turns, and it is another one's."""
        return self._turns is not None and agent != self._turns.agent_selection

    def _show(self, a: int, seen: Any) -> None:
        size = self.info.obs_sizes[a]
        first, last = self._spans[a]
        row = self.rows.state[first:last]
        self._obs_codes[a].write(row, seen)
        self.rows.obs[a, :size] = row

    def _say_farewell(self, a: int, seen: Mapping[Any, Any], infos: Mapping[Any, Any]) -> None:
        """An agent has left: its last observation stays for this step.

        If a time limit sent it away, so does what it could do there: learners ask what the moment
        was worth. It is not asked to act.
        """
        agent, rows = self._agents[a], self.rows
        if not (rows.terminated[a] or rows.truncated[a]):
            raise PettingZooError(
                f"{self.env_name}, {agent}: it is no longer in `agents`, but neither terminated "
                "nor truncated; one of the two must be true in the step in which an agent leaves"
            )
        if seen.get(agent) is not None:
            self._show(a, seen[agent])
        if rows.terminated[a]:
            self._bar(a)
        elif seen.get(agent) is not None and not self._waits(agent):
            mask = self._obs_codes[a].mask_in(seen[agent], infos.get(agent) if infos else None)
            self._action_codes[a].write_avail(rows.avail[a], mask)

    def _pay(self, before: list[int], rewards: Mapping[Any, Any]) -> None:
        """Rewards of those who took part; who left earlier has had its last one."""
        for a in before:
            agent = self._agents[a]
            if agent not in rewards:
                raise PettingZooError(
                    f"{self.env_name}, {agent}: it took part, but was given no reward"
                )
            try:
                reward = float(rewards[agent])
            except (TypeError, ValueError):
                reward = math.nan
            if not math.isfinite(reward):
                raise PettingZooError(
                    f"{self.env_name}, {agent}: its reward is {rewards[agent]!r}; a finite number "
                    "is expected"
                )
            self.rows.reward[a] = reward

    def _check_finite(self) -> None:
        # One look at all columns is cheaper than one for each agent.
        if np.isfinite(self.rows.state).all():
            return
        for a, (first, last) in enumerate(self._spans):
            columns = self.rows.state[first:last]
            wrong = np.flatnonzero(~np.isfinite(columns))
            if len(wrong):
                raise PettingZooError(
                    f"{self.env_name}, {self._agents[a]}: its observation holds "
                    f"{columns[wrong[0]]} in column {wrong[0]} of {last - first}; "
                    "finite numbers are expected"
                )

    def _check_known(self, *given: Mapping[Any, Any]) -> None:
        for values in given:
            if not values.keys() <= self._places.keys():
                self._refuse_stranger(next(key for key in values if key not in self._places))

    def _refuse_stranger(self, agent: Any) -> None:
        raise PettingZooError(
            f"{self.env_name}: unknown agent {agent!r}; its possible_agents are "
            f"{', '.join(self.info.agents)}"
        )

    def _spaces_of(self, agent: Any) -> tuple[Any, Any]:
        with blaming(self.env_name, "asking for its spaces"):
            return self.env.observation_space(agent), self.env.action_space(agent)

    def _check_spaces(self, a: int, agent: Any) -> None:
        for known, now in zip(self._spaces[a], self._spaces_of(agent), strict=True):
            # The same object is the usual case, and comparing bounds takes long.
            if now is not known and now != known:
                raise PettingZooError(
                    f"{self.env_name}, {agent}: its space has changed from {known} to {now}; "
                    "spaces must be the same in all episodes"
                )

    def _check_sizes(self) -> None:
        for a, name in enumerate(self.info.agents):
            same_parts = self._action_codes[a].parts == self.info.parts[a]
            if not same_parts or self._obs_codes[a].size != self.info.obs_sizes[a]:
                raise PettingZooError(
                    f"{self.env_name}, {name}: its spaces differ between two environments; spaces "
                    f"must be the same in all: {', '.join(map(str, self._spaces[a]))}"
                )
