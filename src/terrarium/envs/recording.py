"""Records and pictures of an environment's battle, made only on request."""

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.rulesets import ruleset_names
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ENEMY_OWNER
from terrarium.envs.vector import EnvError, VecEnv
from terrarium.replay.frames import GIVEN, STEP, About
from terrarium.replay.pictures.picture import Painter
from terrarium.replay.record import Reasons, Record, Recorder, by_slot, upgrades_of
from terrarium.replay.sampler import Sampler


class BattleLog:
    """The commands of a battle as it is played: little to keep, and all that a record needs."""

    def __init__(self, env: VecEnv, e: int = 0) -> None:
        self._env, self._e = env, e
        self._commands: list[Records] = []
        self._whys: list[dict[int, str] | None] = []

    def begin(self) -> None:
        """A new battle has begun."""
        self._commands.clear()
        self._whys.clear()

    def note(self, why: Reasons | None = None) -> None:
        """A step has been played, and its commands are still there; `why` they were given."""
        self._commands.append(self._env.sim.answers(self._e).copy())
        self._whys.append(by_slot(why) if why else None)

    def record(self, title: str = "", light: bool = False) -> Record:
        """Play the battle again beside the environment, and record it."""
        env, live = self._env, self._env.sim
        env.check_started()
        # A rule-set file is not stored with the orders; what happened can be, as it was seen.
        light = light or env.scenario.rules not in ruleset_names()
        sim = Simulator(env.scenario, slots=live.n_slots)
        try:
            sim.reset(int(live.games.clock["seed"][self._e, 0]))
            recorder = Recorder(sim, kind="light" if light else "exact")
            for commands, why in zip(self._commands, self._whys, strict=True):
                sim.give(0, commands)
                sim.step(env.ticks_per_step)
                recorder.note(why)
            if sim.digest(0) != live.digest(self._e):
                raise EnvError(
                    "the battle was changed from outside, so its orders alone do not make a record"
                )
            return recorder.record(title, self._outcome())
        finally:
            sim.close()

    def _outcome(self) -> str:
        env, e = self._env, self._e
        if not env.over[e]:
            return "unknown"
        if env.outcome.won[e]:
            return "win"
        if env.timed_out[e]:
            return "timeout"
        return "loss" if env.sim.players["n_alive"][e, ENEMY_OWNER] > 0 else "draw"


def picture(env: VecEnv, e: int = 0, width: int = 800) -> NDArray[np.uint8]:
    """What a battle looks like now: [height, width, 3]."""
    env.check_started()
    sampler = Sampler(env.sim, e)
    sampler.take(1)
    about = About(
        title=env.scenario.title,
        outcome="unknown",
        seed=int(env.sim.games.clock["seed"][e, 0]),
        scenario=env.scenario.name,
        scenario_title=env.scenario.title,
        scenario_version=env.scenario.version,
        ruleset=env.scenario.rules,
        ruleset_version=0,
        rules_version=0,
        package_version="",
        n_slots=env.sim.n_slots,
        fog=bool(env.sim.games.clock["fog"][e, 0]),
        upgrades=upgrades_of(env.sim, e),
    )
    frames = sampler.frames(about, np.zeros(0, STEP), np.zeros(0, GIVEN))
    return np.asarray(Painter(frames, width).paint(0).convert("RGB"))
