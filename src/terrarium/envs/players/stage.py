"""Battles for commanders: real orders in, nothing observed. Faster than `VecEnv`, and of any kind
of scenario with groups."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.engine import codes
from terrarium.engine.handles import handle
from terrarium.engine.records import Records
from terrarium.engine.simulator import EngineError, Simulator
from terrarium.engine.tables.plan import ALLY_OWNER
from terrarium.envs.kernels.measures import Scores, compile_yardstick, score_battles


class Stage:
    """`n_envs` battles of one scenario with consecutive seeds, each played once.

    The time of a battle that is over stands still in `score` and `steps`; the batch goes on.
    """

    def __init__(self, scenario: Scenario | str | Path, n_envs: int = 1, threads: int = 1) -> None:
        self.sim = Simulator(scenario, n_envs, threads)
        self.scenario = self.sim.scenario
        self.n_envs = n_envs
        if not self.scenario.groups:
            raise EngineError(f"{self.scenario.name}: a stage needs a scenario with groups")
        self.ticks_per_step = self.scenario.ticks_per_step
        self._yardstick = compile_yardstick(self.scenario, self.sim.rows)
        self.score = np.zeros(n_envs)
        self.steps = np.zeros(n_envs, np.int64)
        self.over = np.zeros(n_envs, np.bool_)
        self.n_agents = 0
        self.member_slots: NDArray[np.int64] = np.zeros((n_envs, 0), np.int64)
        self.reset()

    def reset(self, seed: int = 0) -> None:
        """Begin all battles, with the seeds `seed`, `seed + 1` and so on."""
        self.sim.reset(seed)
        units = self.sim.units[0]
        used = units["tag"] > 0  # passengers are members, too
        ours = np.flatnonzero(used & (units["owner"] == ALLY_OWNER))
        # Whatever is summoned later appears in the free slots, for either player.
        theirs = np.flatnonzero(~(used & (units["owner"] == ALLY_OWNER)))
        self.n_agents = len(ours)
        slots = np.concatenate([ours, theirs])
        self.member_slots = np.broadcast_to(slots, (self.n_envs, len(slots))).copy()
        self.over[:], self.steps[:] = False, 0

    def step_commands(self, commands: Records) -> None:
        """Give each agent its command [N, A], and play one step."""
        given = commands.copy()
        given["owner"], given["unit"] = ALLY_OWNER, self.member_slots[:, : self.n_agents]
        for e, orders in enumerate(given):
            self.sim.give(e, orders[orders["kind"] != codes.NO_ORDER])
        self.sim.step(self.ticks_per_step)
        score = np.zeros(self.n_envs)
        score_battles(self.sim.handles, handle(self._yardstick), handle(Scores(score)))
        self.score = np.where(self.over, self.score, score)
        self.steps += ~self.over
        gone = self.sim.players["n_alive"][:, 1:] <= 0
        # Without enemies there is still a goal to be reached.
        decided = gone[:, 0] if self.scenario.measure.kind == "reach" else gone.any(axis=1)
        self.over |= decided | (self.steps >= self.scenario.limit_steps)

    def close(self) -> None:
        """Let the threads go."""
        self.sim.close()
