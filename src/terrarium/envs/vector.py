"""Many battles at once: everything a learner sees, in arrays that each step overwrites."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario, with_rules
from terrarium.engine.battle import COMMAND
from terrarium.engine.handles import handle, handles
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import MAX_SEED, Simulator, quiet_wraparound
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.envs.arrays import empty_output, empty_state, empty_views
from terrarium.envs.kernels.actions import first_refused, sample_all_actions
from terrarium.envs.kernels.episodes import (
    Selection,
    begin_episodes,
    observe_envs,
    play_randomly,
    step_envs,
)
from terrarium.envs.kernels.observation import Sight, observe_one, see_members
from terrarium.envs.kernels.tables import EPISODE, Env, EpisodeState, TaskTables
from terrarium.envs.options import VIEWS, Options, options_for
from terrarium.envs.scenario_tables import compile_scenario
from terrarium.envs.views import StepOutput, Views
from terrarium.errors import TerrariumError, nearest


class EnvError(TerrariumError):
    """An environment was used in a way that it cannot answer."""


class VecEnv:
    """`n_envs` battles of one scenario that are stepped together.

    All arrays are preallocated, have environments first, and are overwritten by `reset` and
    `step`: copy what must last. A battle that ends begins anew in the same step (`autoreset`); what
    was seen at its end is in `final`.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path,
        n_envs: int = 1,
        threads: int = 1,
        seed: int | ArrayLike = 0,
        views: Sequence[str] = VIEWS,
        autoreset: bool = True,
        options: Options | None = None,
    ) -> None:
        if not isinstance(scenario, Scenario):
            scenario = load_scenario(scenario)
        self.options = options_for(scenario, {}) if options is None else options
        self.scenario = scenario = with_rules(scenario, self.options.rules)
        self.views = _checked_views(views, self.options)
        self._task, self.info = compile_scenario(scenario, self.options, self.views, autoreset)
        self.sim = Simulator(scenario, n_envs=n_envs, threads=threads)
        self.n_envs, self.n_agents = n_envs, self.info.n_agents
        self.autoreset = autoreset
        self._state = empty_state(n_envs, self.info, self.options.exact)
        self._now = empty_views(n_envs, self.info, self.views)
        self._final = empty_views(n_envs if autoreset else 0, self.info, self.views)
        self._output = empty_output(n_envs)
        self._actions = np.zeros((n_envs, self.n_agents), np.int64)
        self._orders = records((n_envs, self.n_agents), COMMAND)
        self._envs = self._handles(self._task, self._now)
        self._onlookers: dict[bool, tuple[NDArray[np.float32], Sequence[Env]]] = {}
        self.n_looks = 0
        """how often the views have been filled"""
        self._seeds = self._checked_seeds(seed)
        self._started = False
        self._forget_episodes()

    @property
    def obs(self) -> NDArray[np.float32]:
        """[N, A, O] SMAC's observations"""
        return self._now.obs

    @property
    def state(self) -> NDArray[np.float32]:
        """[N, S] SMAC's global state"""
        return self._now.state

    @property
    def avail(self) -> NDArray[np.bool_]:
        """[N, A, K] the actions that may be chosen"""
        return self._now.avail

    @property
    def tokens(self) -> NDArray[np.float32]:
        """[N, A, M, F] what each agent sees of every member: agents, then enemies"""
        return self._now.tokens

    @property
    def pairs(self) -> NDArray[np.float32]:
        """[N, A, M, R] of the tokens, what only the observer knows; the rest is in the table"""
        return self._now.pairs

    @property
    def token_mask(self) -> NDArray[np.bool_]:
        """[N, A, M] whom it sees, itself included"""
        return self._now.token_mask

    @property
    def table(self) -> NDArray[np.float32]:
        """[N, M, F] everything about every member"""
        return self._now.table

    @property
    def table_mask(self) -> NDArray[np.bool_]:
        """[N, M] who is alive"""
        return self._now.table_mask

    @property
    def reward(self) -> NDArray[np.float64]:
        """[N] of the last step, the same for all agents of a battle"""
        return self._output.reward

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """[N] the battle has been decided"""
        return self._output.terminated

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """[N] the time limit cut the battle off"""
        return self._output.truncated

    @property
    def action_columns(self) -> int:
        """Actions are indices: they have no columns"""
        return 0

    @property
    def own_reward(self) -> NDArray[np.float64]:
        """[N, 1] what each agent earns: all alike"""
        return self._output.reward[:, None]

    @property
    def own_terminated(self) -> NDArray[np.bool_]:
        """[N, 1] whose battle has been decided: to the dead, the team's goes on"""
        return self._output.terminated[:, None]

    @property
    def there(self) -> NDArray[np.bool_]:
        """[N, 1] who belongs to the battle: all, dead or alive"""
        return np.ones((self.n_envs, 1), np.bool_)

    @property
    def outcome(self) -> StepOutput:
        """Reward, endings and statistics of episodes; the latter are valid where one has ended"""
        return self._output

    @property
    def now(self) -> Views:
        """All views of the battles as they stand"""
        return self._now

    @property
    def final(self) -> Views:
        """The views at the end of the episodes that ended in the last step; other rows are stale"""
        return self._final

    @property
    def max_reward(self) -> NDArray[np.float64]:
        """[N] the largest sum of unscaled rewards"""
        best: NDArray[np.float64] = self._state.episode["best"][:, 0]
        return best

    @property
    def episode_steps(self) -> NDArray[np.int64]:
        """[N] steps of the battles that are going on"""
        steps: NDArray[np.int64] = self._state.episode["steps"][:, 0]
        return steps

    @property
    def over(self) -> NDArray[np.bool_]:
        """[N] the battle is over, and without autoreset waits for a reset"""
        over: NDArray[np.bool_] = self._state.episode["over"][:, 0]
        return over

    @property
    def timed_out(self) -> NDArray[np.bool_]:
        """[N] the time limit ended the last episode that has ended"""
        timed_out: NDArray[np.bool_] = self._state.episode["timed_out"][:, 0]
        return timed_out

    @property
    def ticks_per_step(self) -> int:
        """How many ticks of the engine one step lasts"""
        return int(self._task.settings["ticks_per_step"][0])

    @property
    def looks_anew(self) -> bool:
        """SMACv2's exact contract: what agents observe depends on who has looked before (`ask`)"""
        settings = self._task.settings[0]
        return bool(settings["exact"] and settings["counts_grants"])

    @property
    def actions(self) -> NDArray[np.int64]:
        """[N, A] the actions of the last step; SMAC's script writes its own here"""
        return self._actions

    @property
    def kinds(self) -> Records:
        """[T] what the environment knows of each unit type: type bits, sight, shooting range"""
        return self._task.kinds

    @property
    def living(self) -> NDArray[np.bool_]:
        """[N, M] who is alive, on the map or on board of another unit"""
        units = np.take_along_axis(self.sim.units, self._state.slots, axis=1)
        known = units["tag"] == self._state.tags
        living: NDArray[np.bool_] = known & (units["alive"] | (units["inside"] >= 0))
        return living

    @property
    def member_slots(self) -> NDArray[np.int64]:
        """[N, M] in which slot of the engine each agent, then each enemy, is"""
        return self._state.slots

    @property
    def turns(self) -> NDArray[np.int64]:
        """[N, A] in which order the agents looked around"""
        return self._state.turns

    def reset(self, seed: int | ArrayLike | None = None, where: ArrayLike | None = None) -> None:
        """Begin the next battle of all environments, or of those that are true in `where`.

        A seed starts the series of battles anew: environment `e` of seed `s` plays the battles of a
        single environment with the seed `s + e`.
        """
        chosen = np.ones(self.n_envs, np.bool_)
        if where is not None:
            chosen = np.array(where, np.bool_)
            if chosen.shape != (self.n_envs,):
                raise EnvError(f"where has shape {chosen.shape} instead of ({self.n_envs},)")
            if not self._started and not chosen.all():
                raise EnvError("the first reset must begin every battle: call reset() first")
        if seed is not None:
            self._seeds = np.where(chosen, self._checked_seeds(seed), self._seeds)
            self._forget_episodes(chosen)

        choice = handle(Selection(chosen))
        self.sim.spread(lambda first, last: begin_episodes(self._envs, choice, first, last))
        self.sim.check_faults()
        for array in self._output:
            array[chosen] = 0
        self._started = True
        self.n_looks += 1

    def step(self, actions: ArrayLike) -> None:
        """Play one step of every battle. `actions` [N, A] must be available."""
        self._check_ready()
        self._take(actions)
        self._play(ordered=False)

    def step_commands(self, commands: Records) -> None:
        """Play one step with orders of the engine in place of actions, for scripted players.

        `commands` [N, A] are records of `engine.battle.COMMAND`: targets are slots of the engine
        (`member_slots`), abilities rows of its rules. What became of each is in `sim.commands`.
        """
        self._check_ready()
        given = np.asarray(commands)
        if given.shape != self._orders.shape or given.dtype != COMMAND:
            raise EnvError(
                f"commands are {given.dtype} of shape {given.shape}; {self.info.name} with "
                f"{self.n_envs} environments takes records of COMMAND, {self._orders.shape}"
            )
        if ((given["target"] < -1) | (given["target"] >= self.sim.n_slots)).any():
            raise EnvError(f"a target is no slot: allowed are -1 to {self.sim.n_slots - 1}")
        self._orders[...] = given
        self._actions[...] = -1
        self._play(ordered=True)

    def _play(self, ordered: bool) -> None:
        """One step, with what has been taken."""
        self.sim.spread(lambda first, last: step_envs(self._envs, ordered, first, last))
        self.sim.check_faults()
        self.n_looks += 1

    def sample_actions(self) -> NDArray[np.int64]:
        """[N, A] one available action for each agent, all equally likely; overwritten each time."""
        self.check_started()

        self.sim.spread(lambda first, last: sample_all_actions(self._envs, first, last))
        return self._actions

    def play_randomly(self, n_steps: int) -> int:
        """Sample and step, `n_steps` times, without coming back to Python in between; how many
        episodes ended. Views and outcome are those of the last step."""
        self._check_ready()
        if not self.autoreset or n_steps < 1:
            raise EnvError("random play needs autoreset and one step or more")
        before = int(self._state.episode["n_finished"].sum())

        self.sim.spread(lambda first, last: play_randomly(self._envs, n_steps, first, last))
        self.sim.check_faults()
        self.n_looks += n_steps
        return int(self._state.episode["n_finished"].sum()) - before

    def refresh(self) -> None:
        """Look again, after the state of `sim` was changed from outside."""
        self.check_started()

        self.sim.spread(lambda first, last: observe_envs(self._envs, first, last))
        self.n_looks += 1

    def ask(self, a: int, fully_observable: bool, first: bool) -> NDArray[np.float32]:
        """[N, O] what agent `a` observes when it is asked by itself. In SMACv2's exact contract it
        looks around then: the first to be asked since the views were filled as if none had, later
        ones know what those before them have sighted. `fully_observable` replaces the option;
        overwritten each time."""
        self.check_started()
        if not 0 <= a < self.n_agents:
            raise EnvError(f"agent {a}: agents are 0 to {self.n_agents - 1}")
        if fully_observable not in self._onlookers:
            settings = self._task.settings.copy()
            settings["sees_all"] = fully_observable
            obs = np.zeros_like(self._now.obs)
            task, views = self._task._replace(settings=settings), self._now._replace(obs=obs)
            self._onlookers[fully_observable] = obs, self._handles(task, views)
        obs, envs = self._onlookers[fully_observable]
        with quiet_wraparound():
            observe_one(envs, self.n_envs, a, first)
        return obs[:, a]

    def save(self) -> dict[str, NDArray[np.uint8]]:
        """Everything that the next steps depend on, as bytes: the battles and what was seen."""
        arrays = {name: _bytes_of(array).copy() for name, array in self._memory().items()}
        return {"stamp": self._stamp(), **arrays}

    def load(self, saved: Mapping[str, NDArray[np.uint8]]) -> None:
        """Continue from `save`, to the bit as if nothing had happened since."""
        mine = self.save()
        fits = {name: array.shape for name, array in saved.items()} == {
            name: array.shape for name, array in mine.items()
        }
        if not fits or not np.array_equal(saved["stamp"], mine["stamp"]):
            raise EnvError(
                "this save is of another scenario, rules version, set of options, or views, or of "
                f"another number of environments than {self.info.name} with {self.n_envs}"
            )
        for name, array in self._memory().items():
            _bytes_of(array)[...] = saved[name]
        self.sim.survey()
        self._started = True
        self.n_looks += 1

    def _memory(self) -> dict[str, NDArray[Any]]:
        """The arrays that change, by name."""
        parts: dict[str, Any] = {
            "games": self.sim.games,
            "state": self._state,
            "now": self._now,
            "final": self._final,
            "output": self._output,
        }
        arrays = {
            f"{part}/{name}": array
            for part, values in parts.items()
            for name, array in values._asdict().items()
        }
        return {"actions": self._actions, **arrays}

    def _stamp(self) -> NDArray[np.uint8]:
        """What a save belongs to."""
        scenario = (self.scenario.name, self.scenario.version, self.scenario.rules, RULES_VERSION)
        setting = f"{scenario} {self.options} {self.views} {self.autoreset}"
        return np.frombuffer(hashlib.sha256(setting.encode()).digest(), np.uint8).copy()

    def visibility(self) -> NDArray[np.bool_]:
        """[N, A, M] which living agents see which other living members now"""
        self.check_started()
        seen = np.zeros((self.n_envs, self.n_agents, self.info.n_tokens), np.bool_)
        see_members(self._envs, handles(Sight, self.n_envs, seen=seen), self.n_envs)
        return seen

    def abandon(self) -> None:
        """Give up the battles that are going on, and begin new ones."""
        self.reset()

    def close(self) -> None:
        """Let the threads go."""
        self.sim.close()

    def _take(self, actions: ArrayLike) -> None:
        """Copy the actions to where the kernels find them, if they are allowed."""
        given = np.asarray(actions)
        if given.shape != self._actions.shape:
            raise EnvError(
                f"actions have shape {given.shape}; {self.info.name} with {self.n_envs} "
                f"environments takes {self._actions.shape}: one whole number for each agent"
            )
        if given.dtype.kind not in "iu":
            raise EnvError(f"actions are {given.dtype}; they must be whole numbers")
        if given is not self._actions:
            self._actions[...] = given
        if self.options.heuristic_ai:
            return  # the script overwrites them
        at = first_refused(self._envs, self.n_envs)
        if at >= 0:
            self._refuse(*divmod(int(at), self.n_agents))

    def _refuse(self, e: int, a: int) -> None:
        action = int(self._actions[e, a])
        allowed = np.flatnonzero(self.avail[e, a]).tolist()
        name = ""
        if 0 <= action < self.info.n_actions:
            name = f" ({self.info.action_names[action]})"
        where = f"environment {e}, agent {a}" if self.n_envs > 1 else f"agent {a}"
        raise EnvError(
            f"{where}: action {action}{name} is not available now. Available: {allowed}. "
            "Choose by the mask: get_avail_actions(), or avail of the vector environment"
        )

    def check_started(self) -> None:
        """Refuse to tell about battles that have not begun."""
        if not self._started:
            raise EnvError("no battle has begun: call reset() first")

    def _check_ready(self) -> None:
        self.check_started()
        if not self.autoreset and self.over.any():
            raise EnvError("the battle is over: call reset() before the next step")

    def _checked_seeds(self, seed: int | ArrayLike) -> NDArray[np.uint64]:
        seeds = np.asarray(seed)
        if seeds.dtype.kind not in "iu" or seeds.size == 0 or seeds.min() < 0:
            raise EnvError(f"seed {seed!r} is not a whole number from 0 to {MAX_SEED}")
        if seeds.ndim == 0:
            return np.uint64(int(seeds)) + np.arange(self.n_envs, dtype=np.uint64)
        if seeds.shape != (self.n_envs,):
            raise EnvError(f"{seeds.size} seeds for {self.n_envs} environments")
        return seeds.astype(np.uint64)

    def _forget_episodes(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """Start each series of battles from its seed."""
        episodes = self._state.episode[:, 0]
        where = slice(None) if chosen is None else chosen
        episodes[where] = np.zeros((), EPISODE)
        episodes["seed"] = self._seeds
        best = self.info.n_enemies * self.options.reward_death_value + self.options.reward_win
        episodes["best"][where] = best

    def _handles(self, task: TaskTables, views: Views) -> Sequence[Env]:
        """The environments as their kernels see them."""
        n = self.n_envs
        now = handles(Views, n, **views._asdict())
        columns = {name: array[:, None] for name, array in self._output._asdict().items()}
        return handles(
            Env,
            n,
            game=self.sim.handles,
            task=handle(task),
            state=handles(EpisodeState, n, **self._state._asdict()),
            actions=self._actions,
            orders=self._orders,
            now=now,
            # Without autoreset nothing is written there.
            final=handles(Views, n, **self._final._asdict()) if self.autoreset else now,
            output=handles(StepOutput, n, **columns),
        )


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


def _checked_views(views: Sequence[str], options: Options) -> tuple[str, ...]:
    for view in views:
        if view not in VIEWS:
            raise EnvError(
                f'unknown view "{view}".{nearest(str(view), VIEWS)} Allowed: {", ".join(VIEWS)}'
            )
    needs_obs = options.obs_instead_of_state and "state" in views and "obs" not in views
    return ("obs", *views) if needs_obs else tuple(views)
