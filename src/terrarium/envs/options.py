"""SMAC's options, with SMAC's names and defaults, and the choice of the contract."""

import math
from dataclasses import dataclass, fields
from typing import Any

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import with_rules
from terrarium.errors import TerrariumError, nearest

CONTRACTS = ("fixed", "exact")

VIEWS = ("obs", "state", "tokens", "pairs", "table")
"""What a vector environment can show: SMAC's vectors, and the entity view."""

SMACV2_PUBLISHED = {"obs_own_pos": True, "use_unit_ranges": True}
"""Where SMACv2's published configurations differ from the defaults of its constructor."""

WITH_ABILITIES = {"use_unit_ranges": True}
"""In battles with abilities, units see as far as they do in the game."""


class OptionError(TerrariumError):
    """An option of an environment that does not exist or has a value that is not allowed."""


@dataclass(frozen=True)
class Options:
    """What a user may choose about observations, actions and rewards."""

    contract: str = "fixed"
    """exact: SMAC number by number; fixed: without the quirks that hurt (docs/smac.md)"""
    rules: str | None = None
    """rule set that battles are played by, or a rule-set file; None: the scenario's own"""
    step_mul: int | None = None
    """ticks of one step; None: what the scenario says, 8 in SMAC"""
    move_amount: float = 2.0
    """length of a move order; a step is too short to complete one of 2"""
    continuing_episode: bool = False
    """tell in `info` that an episode ended by the time limit (fixed always tells)"""
    obs_all_health: bool = True
    """observe the health of others (and then one's own)"""
    obs_own_health: bool = True
    """observe one's own health"""
    obs_last_action: bool = False
    """observe the last actions of visible allies"""
    obs_pathing_grid: bool = False
    """observe whether eight points around are walkable"""
    obs_terrain_height: bool = False
    """observe the height of nine points around"""
    obs_instead_of_state: bool = False
    """the state is all observations, one after the other"""
    obs_timestep_number: bool = False
    """observe the share of the time limit that has passed"""
    state_last_action: bool = True
    """the state holds everybody's last action"""
    state_timestep_number: bool = False
    """the state holds the share of the time limit that has passed"""
    reward_sparse: bool = False
    """1 for a win, -1 for a defeat, nothing on the way"""
    reward_only_positive: bool = True
    """leave out what the allies suffer"""
    reward_death_value: float = 10.0
    """for each enemy that dies"""
    reward_win: float = 200.0
    """for a won battle"""
    reward_defeat: float = 0.0
    """for a lost battle"""
    reward_negative_scale: float = 0.5
    """weight of what the allies suffer"""
    reward_scale: bool = True
    """divide rewards, so that the best return is `reward_scale_rate`"""
    reward_scale_rate: float = 20.0
    """the best return; in measured battles what the measure 1 is worth"""
    reward_gamma: float = 0.99
    """discount of the prospect that steps of measured battles are paid by; training sets algo.gamma
    if it is not given"""
    heuristic_ai: bool = False
    """SMAC's script plays instead of the agents"""
    heuristic_rest: bool = False
    """the script walks to targets that the mask does not offer, instead of attacking them"""
    obs_own_pos: bool = False
    """of SMACv2: observe one's own place on the map"""
    obs_starcraft: bool = True
    """of SMACv2: False leaves nothing to observe but the time"""
    conic_fov: bool = False
    """of SMACv2: agents see a cone, and have actions that turn it"""
    num_fov_actions: int = 12
    """of SMACv2: directions of the cone"""
    use_unit_ranges: bool = False
    """of SMACv2: sight and shooting range of each unit type instead of 9 and 6"""
    min_attack_range: float = 2.0
    """of SMACv2: with unit ranges, shooting ranges are at least this long"""
    fully_observable: bool = False
    """of SMACv2: agents see the whole map"""
    prob_obs_enemy: float = 1.0
    """of SMACv2: how likely an agent also sees what another one saw first"""
    action_mask: bool = True
    """of SMACv2: False offers every living target, near or far"""
    kill_unit_step_mul: int = 2
    """of SMACv2: accepted, without effect: nothing has to be killed before a battle begins"""

    def __post_init__(self) -> None:
        for field in fields(self):
            self._check_type(field.name, field.type, getattr(self, field.name))
        if self.contract not in CONTRACTS:
            raise OptionError(
                f'contract is "{self.contract}".{nearest(self.contract, CONTRACTS)} '
                f"Allowed: {', '.join(CONTRACTS)}"
            )
        self._check("step_mul", self.step_mul is None or 1 <= self.step_mul <= 1000, "1 to 1000")
        self._check("move_amount", 0.0 < self.move_amount <= 100.0, "above 0, up to 100")
        self._check("num_fov_actions", 2 <= self.num_fov_actions <= 360, "2 to 360")
        self._check("min_attack_range", 0.0 <= self.min_attack_range <= 100.0, "0 to 100")
        self._check("prob_obs_enemy", 0.0 <= self.prob_obs_enemy <= 1.0, "0 to 1")
        self._check("reward_gamma", 0.0 <= self.reward_gamma <= 1.0, "0 to 1")
        self._check("reward_scale_rate", self.reward_scale_rate > 0.0, "above 0")

    @property
    def exact(self) -> bool:
        return self.contract == "exact"

    @property
    def sees_own_health(self) -> bool:
        return self.obs_own_health or self.obs_all_health

    def _check(self, name: str, fine: bool, allowed: str) -> None:
        if not fine:
            raise OptionError(f"{name} is {getattr(self, name)}; allowed: {allowed}")

    @staticmethod
    def _check_type(name: str, wanted: Any, value: object) -> None:
        if wanted is bool:
            fine = isinstance(value, bool)
        elif wanted in (str, str | None):
            fine = isinstance(value, str) or (value is None and wanted is not str)
        elif wanted is float:
            fine = (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and math.isfinite(value)
            )
        else:
            fine = isinstance(value, int) and not isinstance(value, bool)
            fine = fine or (value is None and wanted is not int)
        if not fine:
            kinds: dict[Any, str] = {bool: "True or False", float: "a finite number"}
            kinds |= {str: "a text", str | None: "a text"}
            kind = kinds.get(wanted, "a whole number")
            raise OptionError(f"{name} is {value!r}; it must be {kind}")


def options_for(scenario: Scenario, given: dict[str, Any]) -> Options:
    """The options of an environment: a family's published settings, then what the user gives."""
    from terrarium.envs.skills import has_skills  # the command line reads this file without numba

    known = [field.name for field in fields(Options)]
    for name in given:
        if name not in known:
            raise OptionError(
                f'unknown option "{name}".{nearest(name, known)} Allowed: {", ".join(known)}'
            )
    published = SMACV2_PUBLISHED if scenario.generator else {}
    if has_skills(with_rules(scenario, Options(**given).rules)):
        published = {**published, **WITH_ABILITIES}
    return Options(**{**published, **given})
