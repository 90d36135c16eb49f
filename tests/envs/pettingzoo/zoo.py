"""Small environments of PettingZoo for tests: every kind of space, every way to come, go and fail.

Where an agent acts outside of its space or its mask, they fail.
"""

import copy
import os
import time
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

LIMIT = 6
REAL = spaces.Box(-np.inf, np.inf, (3,), np.float32)


class Toy(ParallelEnv):
    """Draws observations from its spaces and pays for actions, a little at random."""

    metadata = {"name": "toy"}  # noqa: RUF012  as PettingZoo has it

    def __init__(self, seen: list[Any], done: list[Any], max_cycles: int = LIMIT) -> None:
        self.possible_agents = [f"toy_{i}" for i in range(len(done))]
        # Copies: spaces draw from a state of their own, which threads must not share.
        seen, done = copy.deepcopy(seen), copy.deepcopy(done)
        self._seen = dict(zip(self.possible_agents, seen, strict=True))
        self._done = dict(zip(self.possible_agents, done, strict=True))
        self.agents: list[str] = []
        self.max_cycles = max_cycles
        self.t = 0
        self.rng = np.random.default_rng(0)
        self.given: dict[str, Any] = {}
        self.screen: tuple[str | None, str | None] = (None, None)

    def observation_space(self, agent: str) -> Any:
        return self._seen[agent]

    def action_space(self, agent: str) -> Any:
        return self._done[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.rng, self.t = np.random.default_rng(seed), 0
        self.agents = self.listed()
        return self.looks(self.agents), self.infos()

    def step(self, actions: dict[str, Any]) -> Any:
        assert set(actions) == set(self.agents), actions
        for agent, action in actions.items():
            assert self._done[agent].contains(action), (agent, action)
        self.given = actions
        self.t += 1
        before = self.agents
        self.agents = self.listed()
        paid = {agent: self.pay(agent, actions[agent]) for agent in before}
        ended = {agent: self.ended(agent) for agent in before}
        cut = {agent: self.cut(agent) for agent in before}
        return self.looks(sorted({*before, *self.agents})), paid, ended, cut, self.infos()

    def listed(self) -> list[str]:
        return [] if self.t >= self.max_cycles else list(self.possible_agents)

    def ended(self, agent: str) -> bool:
        return False

    def cut(self, agent: str) -> bool:
        return self.t >= self.max_cycles

    def looks(self, agents: list[str]) -> dict[str, Any]:
        return {agent: self.look(agent) for agent in agents}

    def look(self, agent: str) -> Any:
        space = self._seen[agent]
        space.seed(int(self.rng.integers(2**31)))
        return space.sample()

    def infos(self) -> dict[str, Any]:
        return {agent: {} for agent in self.agents}

    def pay(self, agent: str, action: Any) -> float:
        worth = float(spaces.flatten(self._done[agent], action).sum())
        return worth + float(self.rng.normal())


def every_kind(max_cycles: int = LIMIT) -> Toy:
    """Each agent acts in, and sees, another kind of space."""
    done = [
        spaces.Discrete(4, start=-2),
        spaces.MultiDiscrete([3, 2, 4], start=[0, 5, -1]),
        spaces.MultiDiscrete(np.array([[2, 3], [3, 2]])),
        spaces.MultiBinary(3),
        spaces.MultiBinary((2, 2)),
        spaces.Box(np.array([-3.0, 0.5]), np.array([7.0, 0.75]), dtype=np.float64),
        spaces.Box(0, 255, (2, 2), np.uint8),
        spaces.Box(2.0, 2.0, (1,), np.float32),
    ]
    seen = [
        spaces.Box(-5.0, 3.0, (2, 2), np.float32),
        spaces.Discrete(5, start=3),
        spaces.MultiDiscrete([2, 4]),
        spaces.MultiBinary((2, 3)),
        spaces.Dict({"far": REAL, "near": spaces.Discrete(3)}),
        spaces.Tuple((spaces.Box(0, 255, (2,), np.uint8), spaces.MultiBinary(2))),
        spaces.Dict({"in": spaces.Dict({"it": spaces.Box(0.0, 1.0, (1,))})}),
        spaces.Box(np.array([-1.0, -np.inf]), np.array([3.0, np.inf]), dtype=np.float64),
    ]
    return Toy(seen, done, max_cycles)


def plain(n: int = 3, max_cycles: int = LIMIT) -> Toy:
    """Discrete actions of different numbers, unbounded observations."""
    return Toy([REAL] * n, [spaces.Discrete(2 + i) for i in range(n)], max_cycles)


def with_window(render_mode: str | None = None) -> Toy:
    """Notes which screen it would have had."""
    env = plain()
    env.screen = (render_mode, os.environ.get("SDL_VIDEODRIVER"))
    return env


class Masked(Toy):
    """Masks in the observation of toy_0 and in the info of toy_1; at times toy_1 has no choice."""

    def __init__(self, wide: bool) -> None:
        done: Any = spaces.MultiDiscrete([3, 2]) if wide else spaces.Discrete(5)
        with_mask = spaces.Dict({"observation": REAL, "action_mask": spaces.MultiBinary(5)})
        super().__init__([with_mask, REAL], [done, done])
        self._wide = wide

    def mask(self, agent: str) -> Any:
        first, second = np.zeros(3, np.int8), np.zeros(2, np.int8)
        if agent == "toy_1" and self.t % 3 == 2:
            return (first, second)
        first[self.t % 3], second[:] = 1, (1, self.t % 2)
        return (first, second)

    def look(self, agent: str) -> Any:
        seen = super().look(agent)
        if agent == "toy_0":
            return {"observation": seen["observation"], "action_mask": np.hstack(self.mask(agent))}
        return seen

    def infos(self) -> dict[str, Any]:
        mask: Any = self.mask("toy_1")
        return {"toy_1": {"action_mask": mask if self._wide else np.hstack(mask)}}

    def step(self, actions: dict[str, Any]) -> Any:
        for agent, action in actions.items():
            masks = self.mask(agent)
            if np.hstack(masks).any():
                picks = action if self._wide else [action]
                allowed = masks if self._wide else [np.hstack(masks)]
                assert all(mask[pick] for mask, pick in zip(allowed, picks, strict=True))
        return super().step(actions)


def masked() -> Toy:
    return Masked(wide=False)


def masked_in_parts() -> Toy:
    return Masked(wide=True)


class Crowd(Toy):
    """toy_1 is terminated in step 2, toy_2 truncated in step 3; toy_3 comes in step 2, toy_1 comes
    back in step 4; the rest is cut off."""

    def __init__(self, keeps_the_done: bool = False, is_silent: bool = False) -> None:
        super().__init__([REAL] * 4, [spaces.Discrete(3)] * 4)
        self._keeps, self._silent = keeps_the_done, is_silent

    def listed(self) -> list[str]:
        there = {"toy_0": True, "toy_1": self.t < 2 or self.t >= 4, "toy_2": self.t < 3}
        if self._keeps:  # a done agent is listed for one step more
            there |= {"toy_1": self.t != 3, "toy_2": self.t < 4}
        there["toy_3"] = self.t >= 2
        return [agent for agent in super().listed() if there[agent]]

    def ended(self, agent: str) -> bool:
        return agent == "toy_1" and self.t in (2, 3)

    def cut(self, agent: str) -> bool:
        return super().cut(agent) or (agent == "toy_2" and self.t >= 3)

    def looks(self, agents: list[str]) -> dict[str, Any]:
        if self._silent:  # who leaves is told nothing
            agents = self.agents
        return super().looks(agents)


def crowd() -> Toy:
    return Crowd()


def crowd_that_keeps_the_done() -> Toy:
    return Crowd(keeps_the_done=True)


def crowd_that_is_silent() -> Toy:
    return Crowd(is_silent=True)


class Decided(Toy):
    """Ends by termination of all."""

    def ended(self, agent: str) -> bool:
        return self.t >= self.max_cycles

    def cut(self, agent: str) -> bool:
        return False


def decided() -> Toy:
    return Decided([REAL] * 2, [spaces.Discrete(2)] * 2)


class Faulty(Toy):
    """Does in step 2 what its fault says."""

    def __init__(self, fault: str) -> None:
        super().__init__([REAL] * 2, [spaces.Discrete(2)] * 2)
        self.fault = fault
        self.n_resets = 0

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        self.n_resets += 1
        if self.fault == "grows" and self.n_resets == 2:
            self._seen["toy_1"] = spaces.Box(-1.0, 1.0, (4,))
        if self.fault == "acts otherwise" and self.n_resets == 2:
            self._done["toy_1"] = spaces.Discrete(3)
        if self.fault == "forgets":
            seed = None
        if self.fault == "is empty":
            self.max_cycles = 0
        return super().reset(seed, options)

    def step(self, actions: dict[str, Any]) -> Any:
        seen, paid, ended, cut, infos = super().step(actions)
        if self.t == 2:
            self.spoil(seen, paid)
        return seen, paid, ended, cut, infos

    def spoil(self, seen: dict[str, Any], paid: dict[str, Any]) -> None:
        if self.fault == "dies":
            os._exit(7)
        if self.fault == "sleeps":
            time.sleep(0.8)
        if self.fault == "raises":
            raise ValueError("the floor\nis gone")
        if self.fault == "vanishes":
            self.agents = ["toy_0"]
        if self.fault == "is paid in words":
            paid["toy_1"] = "much"
        spoiled = {
            "sees nan": np.array([0.0, np.nan, 0.0], np.float32),
            "sees too much": np.array([0.0, 1e39, 0.0]),
            "sees more": np.zeros(5, np.float32),
            "sees words": np.array(["a", "b", "c"]),
        }
        if self.fault in spoiled:
            seen["toy_1"] = spoiled[self.fault]
        if self.fault == "is paid inf":
            paid["toy_1"] = np.inf
        if self.fault == "is not paid":
            del paid["toy_1"]
        if self.fault == "is blind":
            del seen["toy_1"]
        if self.fault == "sees a stranger":
            seen["nobody_7"] = np.zeros(3, np.float32)


def faulty(fault: str) -> Toy:
    return Faulty(fault)


def forgetful(**options: Any) -> Toy:
    return Faulty("forgets", **options)


ONLY_ONE = plain()


def always_the_same() -> Toy:
    return ONLY_ONE


def odd_actions(kind: str) -> Toy:
    odd = {
        "unbounded": spaces.Box(-np.inf, np.inf, (2,)),
        "dict": spaces.Dict({"a": spaces.Discrete(2)}),
        "text": spaces.Text(5),
    }
    return Toy([REAL] * 2, [spaces.Discrete(2), odd[kind]])


def odd_observations(kind: str) -> Toy:
    odd = {"text": spaces.Text(5), "sequence": spaces.Sequence(spaces.Discrete(2))}
    return Toy([REAL, spaces.Tuple((REAL, odd[kind]))], [spaces.Discrete(2)] * 2)


def bad_mask(kind: str) -> Toy:
    masks = {"short": np.ones(2), "odd": np.full(3, 2), "box": np.ones(2)}

    class BadMask(Toy):
        def infos(self) -> dict[str, Any]:
            return {"toy_0": {"action_mask": masks[kind]}}

    space = spaces.Box(0.0, 1.0, (2,)) if kind == "box" else spaces.Discrete(3)
    return BadMask([REAL], [space])


def without_possible_agents() -> Toy:
    env = plain()
    del env.possible_agents
    return env


def no_environment() -> int:
    return 7


def needs_more(size: int) -> Toy:
    return plain(size)


class Turns(AECEnv):
    """Two count in turns, without masks; whoever says 10 or more has won."""

    metadata = {"name": "turns"}  # noqa: RUF012  as PettingZoo has it

    def __init__(self) -> None:
        self.possible_agents = ["a_0", "b_0"]
        self.render_mode = None

    def observation_space(self, agent: str) -> Any:
        return spaces.Box(0.0, 20.0, (1,), np.float32)

    def action_space(self, agent: str) -> Any:
        return spaces.Discrete(3, start=1)

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        self.agents = self.possible_agents[:]
        self.count, self.agent_selection = 0, "a_0"
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Any] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> Any:
        return np.array([self.count], np.float32)

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self.count += int(action)
        if self.count >= 10:
            self.rewards = dict.fromkeys(self.agents, -1.0)
            self.rewards[self.agent_selection] = 1.0
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = "b_0" if self.agent_selection == "a_0" else "a_0"


def turns() -> Turns:
    return Turns()
