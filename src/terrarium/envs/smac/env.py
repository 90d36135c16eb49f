"""SMAC's own interface over the engine: change one import, and code written for SMAC runs."""

import operator
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.agent_copies import agent_copies
from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine.records import Records
from terrarium.envs.options import VIEWS, OptionError, options_for
from terrarium.envs.recording import BattleLog, picture
from terrarium.envs.scenario_tables import smac_of
from terrarium.envs.smac.block_sizes import block_sizes
from terrarium.envs.vector import EnvError, VecEnv
from terrarium.replay.record import Record
from terrarium.replay.record_file import save_record

DIFFICULTY = "7"
_GAME_VERSIONS = ("latest", "4.6.2", "4.6.2.69232", "4.10", "4.10.0", "4.10.0.75689")


@dataclass(frozen=True)
class Point:
    """A place on the map."""

    x: float
    y: float


@dataclass(frozen=True)
class UnitView:
    """A unit as SMAC's users know it, at the moment of asking; if it is dead, without health and
    otherwise as it was after the last step that it lived to see."""

    tag: int
    unit_type: int
    name: str
    pos: Point
    health: float
    health_max: float
    shield: float
    shield_max: float
    energy: float
    weapon_cooldown: float


class StarCraft2Env:
    """One battle at a time, with SMAC's methods, option names and numbers.

    Made by hand it keeps SMAC's contract to the number (`contract="exact"`), quirks included;
    `terrarium.make` repairs those that hurt (`contract="fixed"`, see docs/smac.md).
    """

    def __init__(
        self,
        map_name: Scenario | str | Path = "8m",
        *,
        difficulty: str = DIFFICULTY,
        game_version: str | None = None,
        seed: int | None = None,
        contract: str = "exact",
        replay_dir: str = "",
        replay_prefix: str = "",
        window_size_x: int = 1920,
        window_size_y: int = 1200,
        debug: bool = False,
        **options: Any,  # a border: SMAC's names, checked one by one
    ) -> None:
        _check_game(difficulty, game_version)
        scenario = map_name if isinstance(map_name, Scenario) else load_scenario(map_name)
        chosen = options_for(scenario, {"contract": contract, **options})
        self._seed = secrets.randbits(32) if seed is None else seed
        self.vec = VecEnv(
            scenario,
            seed=self._seed,
            views=VIEWS,
            autoreset=False,
            options=chosen,
        )
        info = self.vec.info
        self.map_name = scenario.name.split("/")[-1]
        self.options = chosen
        self.n_agents, self.n_enemies = info.n_agents, info.n_enemies
        self.n_actions, self.episode_limit = info.n_actions, info.limit_steps
        self.n_actions_no_attack = info.first_target
        self.battles_won = self.battles_game = self.timeouts = self.force_restarts = 0
        self.replay_dir, self.replay_prefix = replay_dir, replay_prefix
        self.debug, self.window_size = debug, (window_size_x, window_size_y)
        rules = load_ruleset(self.vec.scenario.rules)
        smac = smac_of(scenario, rules)
        self.unit_type_bits = smac.unit_type_bits
        self._blocks = block_sizes(smac, chosen, info, scenario.generator is not None)
        self._units = tuple(rules.units.values())
        self._ids = {name: unit.id for name, unit in rules.units.items()}
        self._agent_ids: Mapping[str, int] = agent_copies(self.vec.scenario) if chosen.exact else {}
        self._look = 0
        """of the vector environment: the last that somebody asked for"""
        self._fallen: dict[int, Records] = {}
        """of the dead, their record when they were last observed"""
        self._n_dead = 0
        self._log = BattleLog(self.vec)

    @property
    def max_reward(self) -> float:
        """The largest sum of unscaled rewards."""
        return float(self.vec.max_reward[0])

    @property
    def agents(self) -> dict[int, UnitView]:
        """The allies by their id; there are none before the first battle."""
        return {a: self._unit(a) for a in range(self.n_agents)} if self.vec.n_looks else {}

    @property
    def enemies(self) -> dict[int, UnitView]:
        """The enemies by their id: action `n_actions_no_attack + id` attacks one."""
        first = self.n_agents
        return {k: self._unit(first + k) for k in range(self.n_enemies)} if self.vec.n_looks else {}

    def reset(self) -> tuple[list[NDArray[np.float32]], NDArray[np.float32]]:
        """Begin the next battle; observations of all agents, and the state."""
        self.vec.reset()
        self._fallen.clear()
        self._n_dead = 0
        self._log.begin()
        return self.get_obs(), self.get_state()

    def step(self, actions: Iterable[Any]) -> tuple[float, bool, dict[str, Any]]:
        """Play one step: reward, whether the episode is over, and SMAC's info.

        Where the time limit cut the battle off, `info["episode_limit"]` is there: always in the
        fixed contract, with `continuing_episode` in the exact one.
        """
        before = self.vec.sim.units[0].tobytes()  # far faster than a copy of records
        self.vec.step(self._joint(actions))
        self._note_the_fallen(before)
        self._log.note()
        if self.options.heuristic_ai and isinstance(actions, list | np.ndarray):
            for a, action in enumerate(self.vec.actions[0].tolist()):
                actions[a] = action  # as SMAC does
        outcome = self.vec.outcome
        over = bool(outcome.terminated[0] or outcome.truncated[0])
        won = bool(outcome.won[0])
        info: dict[str, Any] = {
            "battle_won": won,
            "dead_allies": int(outcome.dead_allies[0]),
            "dead_enemies": int(outcome.dead_enemies[0]),
        }
        if outcome.truncated[0]:
            info["episode_limit"] = True
        if over:
            self.battles_game += 1
            self.battles_won += won
            self.timeouts += bool(self.vec.timed_out[0])
        return float(outcome.reward[0]), over, info

    def get_obs(self) -> list[NDArray[np.float32]]:
        """The observations of all agents; SMACv2's depend on who has looked (docs/smac.md)."""
        return self._observations(range(self.n_agents), self.options.fully_observable)

    def get_obs_agent(self, agent_id: int, fully_observable: bool = False) -> NDArray[np.float32]:
        """The observation of one agent. In the exact contract, as in SMACv2, the option
        `fully_observable` does not count here, only the argument."""
        by_option = self.options.fully_observable and not self.options.exact
        return self._observations((agent_id,), fully_observable or by_option)[0]

    def get_state(self) -> NDArray[np.float32]:
        """The global state."""
        if self.options.obs_instead_of_state:
            return np.concatenate(self.get_obs())
        state: NDArray[np.float32] = self.vec.state[0].copy()
        return state

    def get_state_dict(self) -> dict[str, NDArray[np.float32]]:
        """The global state in parts: rows of allies and enemies, last actions, time."""
        if self.options.obs_instead_of_state:
            raise EnvError("get_state_dict needs obs_instead_of_state=False")
        info, state = self.vec.info, self.get_state()
        widths = {
            "allies": (self.n_agents, len(info.agent_features)),
            "enemies": (self.n_enemies, len(info.enemy_features)),
        }
        if self.options.state_last_action:
            widths["last_action"] = (self.n_agents, self.n_actions)
        parts, at = {}, 0
        for name, shape in widths.items():
            size = shape[0] * shape[1]
            parts[name] = state[at : at + size].reshape(shape)
            at += size
        if self.options.state_timestep_number:
            parts["timestep"] = state[at]
        return parts

    def get_avail_actions(self) -> list[list[int]]:
        """For each agent, 1 for each action that may be chosen."""
        return [self.get_avail_agent_actions(a) for a in range(self.n_agents)]

    def get_avail_agent_actions(self, agent_id: int) -> list[int]:
        """1 for each action that an agent may choose."""
        mask: list[int] = self.vec.avail[0, agent_id].astype(int).tolist()
        return mask

    def get_obs_size(self) -> int:
        """What SMAC reports; exact observations with a time step are one longer, as SMAC's are."""
        return self.vec.info.obs_size

    def get_state_size(self) -> int:
        """What SMAC reports; where observations are the state, their reported size counts."""
        if self.options.obs_instead_of_state:
            return self.get_obs_size() * self.n_agents
        return self.vec.info.state_size

    def get_obs_move_feats_size(self) -> int:
        """How many columns tell where an agent may move, and what is around it."""
        return self._blocks.moves

    def get_obs_enemy_feats_size(self) -> tuple[int, int]:
        """Enemies, and columns of each."""
        return self._blocks.enemies

    def get_obs_ally_feats_size(self) -> tuple[int, int]:
        """Other agents, and columns of each."""
        return self._blocks.allies

    def get_obs_own_feats_size(self) -> int:
        """How many columns tell of the agent itself."""
        return self._blocks.own

    def get_obs_ally_capability_size(self) -> int:
        """How many columns of another agent are its capabilities: its type bits."""
        return self.unit_type_bits

    def get_ally_num_attributes(self) -> int:
        """Columns of each agent in the state."""
        return len(self.vec.info.agent_features)

    def get_enemy_num_attributes(self) -> int:
        """Columns of each enemy in the state."""
        return len(self.vec.info.enemy_features)

    def get_obs_feature_names(self) -> list[str]:
        """SMACv2's names of the columns of an observation, with agent 0's numbers of the allies."""
        return list(self.vec.info.obs_features)

    def get_state_feature_names(self) -> list[str]:
        """SMACv2's names of the columns of the state."""
        return list(self.vec.info.state_features)

    def get_cap_size(self) -> int:
        """The length of an agent's capabilities, which are its type bits."""
        return self.unit_type_bits

    def get_capabilities(self) -> NDArray[np.float32]:
        """The capabilities of all agents, one after the other."""
        return np.concatenate([self.get_capabilities_agent(a) for a in range(self.n_agents)])

    def get_capabilities_agent(self, agent_id: int) -> NDArray[np.float32]:
        """The capabilities of one agent, dead or alive, as in SMACv2."""
        self.vec.check_started()
        capabilities = np.zeros(self.get_cap_size(), np.float32)
        bit = int(self.vec.kinds[self._row(agent_id)]["ally_bit"])
        if bit >= 0:
            capabilities[bit] = 1.0
        return capabilities

    def get_total_actions(self) -> int:
        return self.n_actions

    def get_env_info(self) -> dict[str, Any]:
        """Sizes and names that learners ask for first."""
        info = self.vec.info
        capabilities = {"cap_shape": self.get_cap_size()} if self.vec.scenario.generator else {}
        return {
            "state_shape": self.get_state_size(),
            "obs_shape": self.get_obs_size(),
            **capabilities,
            "n_actions": info.n_actions,
            "n_agents": info.n_agents,
            "episode_limit": info.limit_steps,
            "agent_features": list(info.agent_features),
            "enemy_features": list(info.enemy_features),
        }

    def get_stats(self) -> dict[str, float]:
        """Counts over all battles that have ended."""
        return {
            "battles_won": self.battles_won,
            "battles_game": self.battles_game,
            "battles_draw": self.timeouts,
            "win_rate": self.battles_won / max(self.battles_game, 1),
            "timeouts": self.timeouts,
            "restarts": self.force_restarts,
        }

    def get_visibility_matrix(self) -> NDArray[np.bool_]:
        """[agents, agents + enemies] who sees whom; no unit sees itself."""
        seen: NDArray[np.bool_] = self.vec.visibility()[0]
        return seen

    def get_unit_types(self) -> list[int]:
        """The type ids of the agents, exact ones those of copies, then of the enemies."""
        self.vec.check_started()
        return [unit.unit_type for unit in (*self.agents.values(), *self.enemies.values())]

    def get_unit_by_id(self, agent_id: int) -> UnitView:
        return self._unit(agent_id)

    def unit_sight_range(self, agent_id: int) -> float:
        return float(self.vec.kinds[self._row(agent_id)]["sight"])

    def unit_shoot_range(self, agent_id: int) -> float:
        return float(self.vec.kinds[self._row(agent_id)]["shoot"])

    def seed(self) -> int:
        """The seed that all battles of this environment follow from."""
        return self._seed

    def record(self, title: str = "") -> Record:
        """The battle so far, as a record that `terrarium watch` shows."""
        return self._log.record(title)

    def save_replay(self) -> str:
        """Write the battle so far to `replay_dir`; where it is. Watch it: terrarium watch FILE."""
        prefix = self.replay_prefix or self.map_name
        path = Path(self.replay_dir or ".") / f"{prefix}_{self.battles_game}.terrarium"
        save_record(self.record(), path)
        return str(path)

    def render(self, mode: str = "rgb_array") -> NDArray[np.uint8]:
        """A picture of the battle as it stands, [height, width, 3]."""
        if mode != "rgb_array":
            raise EnvError(
                f'render mode "{mode}"; there is "rgb_array", and `save_replay` with '
                "`terrarium watch` for a page in the browser"
            )
        return picture(self.vec)

    def full_restart(self) -> None:
        """What SMAC does when the game has crashed: count it, and begin the next battle."""
        self.force_restarts += 1
        self.reset()

    def close(self) -> None:
        self.vec.close()

    def _observations(
        self, agents: Sequence[int], fully_observable: bool
    ) -> list[NDArray[np.float32]]:
        """What agents observe. In SMACv2 they look around when they are asked: all of them in the
        drawn order, which is what the views show after a step, or those who are asked."""
        vec, all_asked = self.vec, len(agents) == self.n_agents
        vec.check_started()
        first = self._look != vec.n_looks
        self._look = vec.n_looks
        as_shown = fully_observable == self.options.fully_observable
        if as_shown and (not vec.looks_anew or (first and all_asked)):
            return [vec.obs[0, a].copy() for a in agents]
        rows = {}
        for a in vec.turns[0].tolist() if all_asked else agents:
            rows[a] = vec.ask(a, fully_observable, first)[0].copy()
            first = False
        return [rows[a] for a in agents]

    def _note_the_fallen(self, before: bytes) -> None:
        """Keep the records that members who have died in this step had before it."""
        outcome, vec = self.vec.outcome, self.vec
        n_dead = int(outcome.dead_allies[0] + outcome.dead_enemies[0])
        if n_dead == self._n_dead:
            return
        self._n_dead = n_dead
        units = np.frombuffer(before, vec.sim.units.dtype)
        for m in np.flatnonzero(~vec.living[0]).tolist():
            self._fallen.setdefault(m, units[vec.member_slots[0, m]])

    def _record(self, m: int) -> Records:
        """A member of the battle as it is, or if it is dead as it was last observed."""
        if m in self._fallen:
            return self._fallen[m]
        return self.vec.sim.units[0, self.vec.member_slots[0, m]]

    def _row(self, m: int) -> int:
        return int(self._record(m)["kind"])

    def _unit(self, m: int) -> UnitView:
        self.vec.check_started()
        unit = self._record(m)
        facts = self._units[int(unit["kind"])]
        name = facts.known_as
        copy_ids = self._agent_ids if m < self.n_agents else {}
        alive = bool(self.vec.living[0, m])
        return UnitView(
            tag=int(unit["tag"]),
            unit_type=copy_ids.get(name, self._ids[name]),
            name=name,
            pos=Point(float(unit["x"]), float(unit["y"])),
            health=float(unit["hp"]) if alive else 0.0,
            health_max=facts.hp,
            shield=float(unit["shield"]),
            shield_max=facts.shields,
            energy=float(unit["energy"]),
            # Below 0 the engine keeps the rest of a tick, which the game does not show.
            weapon_cooldown=max(float(unit["cooldown"]), 0.0),
        )

    def _joint(self, actions: Iterable[Any]) -> NDArray[np.int64]:
        """One row of whole numbers from a list, an array or a tensor."""
        try:
            joint = [_whole(action) for action in actions]
        except (TypeError, ValueError):
            raise EnvError(
                f"actions are {actions!r}; needed is one whole number for each of the "
                f"{self.n_agents} agents"
            ) from None
        if len(joint) != self.n_agents:
            raise EnvError(
                f"{len(joint)} actions for {self.n_agents} agents; the dead need one too: 0, no-op"
            )
        word = np.iinfo(np.int64)  # what it cannot hold is refused like other wrong numbers
        return np.array([[min(max(action, word.min), word.max) for action in joint]], np.int64)


def _whole(action: Any) -> int:
    """A whole number, or the one in a row of one: as `int`, but no fractions are cut off."""
    try:
        return operator.index(action)
    except TypeError:
        return operator.index(np.asarray(action).item())


def _check_game(difficulty: str, game_version: str | None) -> None:
    if str(difficulty) != DIFFICULTY:
        raise OptionError(
            f'difficulty is "{difficulty}"; the enemy follows its map\'s orders as at '
            f'"{DIFFICULTY}", which is the only one there is'
        )
    if game_version is not None and game_version not in _GAME_VERSIONS:
        raise OptionError(
            f'game_version is "{game_version}"; the rules are those of '
            f"{', '.join(_GAME_VERSIONS)}, which are the same in SMAC's battles"
        )
