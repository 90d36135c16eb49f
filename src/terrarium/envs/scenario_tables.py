"""What a scenario and its options come to: sizes, names of features, tables for the kernels."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.armies import side_units
from terrarium.data.battles.scenario import Measure, Scenario, Smac, Terrain
from terrarium.data.battles.scenarios import with_rules
from terrarium.data.facts.forms import fighting_value, forms_of
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.engine.records import Records, records
from terrarium.envs.kernels.measures import compile_yardstick
from terrarium.envs.kernels.sight import WALK_UP
from terrarium.envs.kernels.tables import FIRST_TURN, KIND, N_AIMED, N_SELF, SETTINGS, TaskTables
from terrarium.envs.members import n_members, possible_allies
from terrarium.envs.options import Options
from terrarium.envs.schema import (
    FEATURES,
    PAIR_FEATURES,
    SKILL_FEATURES,
    SKILL_PAIR_FEATURES,
)
from terrarium.envs.skills import has_skills, skill_names, slot_table
from terrarium.envs.task_info import TaskInfo
from terrarium.envs.traits import trait_table
from terrarium.errors import TerrariumError

SIGHT_RANGE = 9.0
SHOOT_RANGE = 6.0
BODIES = 1.0
"""With abilities, units see this much beyond what they may shoot at: both have a size"""

# Who sets which type bit: allies, then enemies (reference: SMAC, 4 and 11.1).
_SAME_ON_BOTH_SIDES = {
    "stalkers_and_zealots": ("stalker", "zealot"),
    "colossi_stalkers_zealots": ("colossus", "stalker", "zealot"),
    "MMM": ("marauder", "marine", "medivac"),
    "bane": ("baneling", "zergling"),
    "protoss_gen": ("stalker", "zealot", "colossus"),
    "terran_gen": ("marine", "marauder", "medivac"),
    "zerg_gen": ("zergling", "hydralisk", "baneling"),
}
_REVERSED_FOR_ENEMIES = ("stalkers_and_zealots",)

# What SMAC divides cooldowns by (reference: SMAC, 5); the Medivac shows its energy.
_SMAC_COOLDOWNS = {
    "marine": 15.0,
    "marauder": 25.0,
    "stalker": 35.0,
    "zealot": 22.0,
    "colossus": 24.0,
    "hydralisk": 10.0,
    "zergling": 11.0,
    "baneling": 1.0,
}
_OTHER_COOLDOWN = 15.0

# SMACv2 lists these itself; every other type shoots as far as its weapon does.
_SMACV2_SHOOT_RANGES = {"colossus": 7.0}

# Attributes of a unit that SMACv2 calls otherwise where they are columns of the state.
_STATE_COLUMNS = {"energy/cooldown": "cooldown", "rel_x": "relative_x", "rel_y": "relative_y"}


def smac_of(scenario: Scenario, rules: RuleSet) -> Smac:
    """What SMAC's registry says of a map; for a scenario of one's own, what it would say."""
    if scenario.smac:
        return scenario.smac
    sides = side_units(scenario, rules)
    races = {
        side: "Protoss" if any(rules.units[name].shields for name in names) else "Terran"
        for side, names in sides.items()
    }
    n_types = len(sides["ally"] | sides["enemy"])
    return Smac("own", races["ally"], races["enemy"], n_types if n_types > 1 else 0)


def type_bits(scenario: Scenario, smac: Smac) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names in the order of their type bits, for allies and for enemies, as SMAC has them."""
    if smac.unit_type_bits == 0:
        return (), ()
    names = _SAME_ON_BOTH_SIDES.get(smac.map_type)
    if names is None:
        sides = side_units(scenario, load_ruleset(scenario.rules))
        names = tuple(sorted(sides["ally"] | sides["enemy"]))
    if smac.map_type in _REVERSED_FOR_ENEMIES:
        return names, names[::-1]
    return names, names


def is_measured(measure: Measure) -> bool:
    """Does a battle ask for something else than that all enemies die?"""
    return measure.kind != "win" or bool(measure.only)


def is_healer(unit: Unit) -> bool:
    """Its targets are allies."""
    return unit.heal is not None and not unit.weapons


def compile_scenario(
    scenario: Scenario, options: Options, views: tuple[str, ...], autoreset: bool
) -> tuple[TaskTables, TaskInfo]:
    """Tables for the kernels, and the same for people."""
    scenario = with_rules(scenario, options.rules)
    rules = load_ruleset(scenario.rules)
    smac = smac_of(scenario, rules)
    bits = type_bits(scenario, smac)
    n_agents, n_enemies = n_members(scenario)
    if n_agents == 0 or n_enemies == 0:
        raise TerrariumError(
            f"{scenario.name}: {n_agents} allies and {n_enemies} enemies; an environment needs "
            "units on both sides"
        )
    with_healers = smac.map_type in ("MMM", "terran_gen")
    healers = any(is_healer(rules.units[name]) for name in possible_allies(scenario))
    skilled = has_skills(scenario)
    n_directions = options.num_fov_actions if options.conic_fov else 0
    first_target = FIRST_TURN + n_directions + N_SELF * skilled
    # Healers need an action for each ally; SMACv2 goes by the map, even if no team has a healer.
    # SMAC's maps with healers have as many enemies anyway.
    n_targets = max(n_enemies, n_agents) if healers or with_healers else n_enemies
    first_aimed = first_target + n_targets
    rows: dict[str, Any] = {
        "n_agents": n_agents,
        "n_enemies": n_enemies,
        "n_actions": first_aimed + N_AIMED * skilled * (n_agents + n_enemies),
        "first_skill": FIRST_TURN + n_directions,
        "first_target": first_target,
        "n_targets": n_targets,
        "first_aimed": first_aimed,
        "n_directions": n_directions,
        "limit_steps": scenario.limit_steps,
        "ticks_per_step": options.step_mul or scenario.ticks_per_step,
        "move_amount": options.move_amount,
        "exact": options.exact,
        "later": scenario.generator is not None,
        "with_healers": with_healers,
        "skilled": skilled,
        "measured": is_measured(scenario.measure),
        "continuing": options.continuing_episode,
        "autoreset": autoreset,
        "shows_obs": "obs" in views,
        "shows_state": "state" in views,
        "shows_tokens": "tokens" in views,
        "shows_pairs": "pairs" in views,
        "shows_table": "table" in views,
        "type_bits": smac.unit_type_bits,
        "ally_shields": smac.ally_race == "Protoss",
        "enemy_shields": smac.enemy_race == "Protoss",
        "all_health": options.obs_all_health,
        "own_health": options.sees_own_health,
        "last_actions": options.obs_last_action,
        "pathing": options.obs_pathing_grid,
        "heights": options.obs_terrain_height,
        "own_place": options.obs_own_pos,
        "obs_time": options.obs_timestep_number,
        "features": options.obs_starcraft,
        "state_is_obs": options.obs_instead_of_state,
        "state_last_actions": options.state_last_action,
        "state_time": options.state_timestep_number,
        "span_x": scenario.terrain.playable[2] - scenario.terrain.playable[0],
        "span_y": scenario.terrain.playable[3] - scenario.terrain.playable[1],
        "sees_all": options.fully_observable,
        "share_sight": options.prob_obs_enemy,
        "counts_grants": (scenario.generator is not None and options.exact)
        or options.prob_obs_enemy < 1.0,
        "masks_range": options.action_mask,
        "sparse": options.reward_sparse,
        "only_positive": options.reward_only_positive,
        "death_value": options.reward_death_value,
        "win_value": options.reward_win,
        "defeat_value": options.reward_defeat,
        "ally_weight": options.reward_negative_scale,
        "scaled": options.reward_scale,
        "best_return": options.reward_scale_rate,
        "gamma": options.reward_gamma,
        "scripted": options.heuristic_ai,
        "script_walks": options.heuristic_rest,
    }
    names = _feature_names(rows, options)
    for block in ("move", "enemy", "ally", "state_ally", "state_enemy"):
        rows[f"{block}_width"] = len(names[block])
    settings = records(1, SETTINGS)
    settings[0] = tuple(rows[name] for name in SETTINGS.fields or ())
    task = TaskTables(
        settings=settings,
        kinds=_kinds(rules, bits, options, skilled),
        traits=trait_table(rules),
        slots=slot_table(rules),
        yardstick=compile_yardstick(scenario, {name: row for row, name in enumerate(rules.units)}),
        pathing=scenario.terrain.walkable.ravel().astype(np.float32),
        heights=_heights(scenario.terrain, options.exact),
        directions=_directions(n_directions),
    )
    return task, _info(scenario, rows, options, names)


def _kinds(
    rules: RuleSet, bits: tuple[tuple[str, ...], tuple[str, ...]], options: Options, skilled: bool
) -> Records:
    kinds = records(len(rules.units), KIND)
    ally_bits, enemy_bits = bits
    if not options.exact:
        enemy_bits = ally_bits
    alphabet = sorted(rules.units)
    for row, (name, unit) in enumerate(rules.units.items()):
        full = max(
            (w.cooldown_loops + w.cooldown_random_loops[1] for w in unit.weapons), default=1.0
        )
        sight, shoot = _ranges(unit, options, skilled)
        kinds[row] = (
            alphabet.index(name),
            _bit(rules, ally_bits, name),
            _bit(rules, enemy_bits, name),
            _SMAC_COOLDOWNS.get(unit.known_as, _OTHER_COOLDOWN)
            if options.exact
            else max(full, 1.0),
            max(full, 1.0),
            is_healer(unit),
            is_healer(unit),
            # What has abilities may fight with these alone: then all must die.
            skilled or bool(unit.weapons),
            sight,
            shoot,
            fighting_value(rules, name),
        )
    return kinds


def _bit(rules: RuleSet, bits: tuple[str, ...], name: str) -> int:
    """The type bit of a unit in any of its forms; -1 = none."""
    if name in bits:
        return bits.index(name)
    return next((bits.index(form) for form in sorted(forms_of(rules, name)) if form in bits), -1)


def _ranges(unit: Unit, options: Options, skilled: bool) -> tuple[float, float]:
    """How far a unit sees, and how far it may aim."""
    weapon = max((w.range for w in unit.weapons), default=0.0)
    reach = max(weapon, unit.heal.range if unit.heal else 0.0)
    if skilled:
        # Sides share what they see, so that a Siege Tank shoots farther than it sees itself.
        shoot = reach + unit.radius + WALK_UP
        sight = unit.sight if options.use_unit_ranges else SIGHT_RANGE
        return max(sight, shoot + BODIES), shoot
    if not options.use_unit_ranges:
        return SIGHT_RANGE, SHOOT_RANGE
    reach = _SMACV2_SHOOT_RANGES.get(unit.known_as, reach)
    return unit.sight, max(reach, options.min_attack_range)


def _heights(terrain: Terrain, exact: bool) -> NDArray[np.float32]:
    """Heights as the game's bytes / 255. Where a map does not tell, its lowest ground counts."""
    known = terrain.z[np.isfinite(terrain.z)]
    z = np.where(np.isfinite(terrain.z), terrain.z, known.min() if known.size else 0.0)
    heights = np.clip(np.round(z * 8.0 + 127.0), 0.0, 255.0) / 255.0
    if exact:
        heights = heights[::-1]  # SMAC turns this grid over, but not the one of pathing
    return np.ascontiguousarray(heights.ravel(), np.float32)


def _directions(n: int) -> NDArray[np.float64]:
    # In the order of SMACv2's operations: its last bits decide what is on the edge of a cone.
    angles = [2.0 * math.pi * (i / n) for i in range(n)]
    return np.array([[math.cos(t), math.sin(t)] for t in angles], np.float64).reshape(n, 2)


def _column(side: str, k: int, name: str) -> str:
    """SMACv2's name of the column with an attribute of unit `k` of a side."""
    attribute, _, number = name.rpartition("_")
    if attribute == "type":
        return f"{side}_unit_type_{k}_bit_{number}"
    if attribute == "last_action":
        return f"{side}_last_action_{k}_action_{number}"
    return f"{side}_{_STATE_COLUMNS.get(name, name)}_{k}"


def _feature_names(rows: dict[str, Any], options: Options) -> dict[str, list[str]]:
    """The columns of each block of the observation and of the state, in their order."""
    types = [f"type_{i}" for i in range(rows["type_bits"])]
    place = ["distance", "relative_x", "relative_y"]
    life = ["health"]
    ally_life = life + ["shield"] * bool(rows["ally_shields"])
    enemy_life = life + ["shield"] * bool(rows["enemy_shields"])
    looks = ["fov_x", "fov_y"] * bool(rows["n_directions"])
    actions = [f"last_action_{i}" for i in range(rows["n_actions"])]
    names = {
        "move": [f"move_action_{way}" for way in ("north", "south", "east", "west")]
        + [f"pathing_grid_{i}" for i in range(8)] * options.obs_pathing_grid
        + [f"terrain_height_{i}" for i in range(9)] * options.obs_terrain_height,
        "enemy": ["shootable", *place, *(enemy_life * options.obs_all_health), *types],
        "ally": ["visible", *place, *(ally_life * options.obs_all_health), *types]
        + actions * options.obs_last_action,
        "own": ally_life * options.sees_own_health
        + ["pos_x", "pos_y"] * options.obs_own_pos
        + looks
        + [f"unit_type_bit_{i}" for i in range(rows["type_bits"])],
        "state_ally": [
            *("health", "energy/cooldown", "rel_x", "rel_y"),
            *ally_life[1:],
            *looks,
            *types,
        ],
        "state_enemy": ["health", "rel_x", "rel_y", *enemy_life[1:], *types],
    }
    if not options.obs_starcraft:
        names.update(move=[], enemy=[], ally=[], own=[])
    return names


def _info(
    scenario: Scenario, rows: dict[str, Any], options: Options, names: dict[str, list[str]]
) -> TaskInfo:
    n_agents, n_enemies = rows["n_agents"], rows["n_enemies"]
    time = ["timestep"] * options.obs_timestep_number
    # SMAC keeps a place for the time and then appends it: one number more than it says.
    spare = ["nothing"] * (options.obs_timestep_number and options.exact and not rows["later"])
    obs = [
        *names["move"],
        *(_column("enemy", k, name) for k in range(n_enemies) for name in names["enemy"]),
        *(_column("ally", k, name) for k in range(1, n_agents) for name in names["ally"]),
        *(f"own_{name}" for name in names["own"]),
        *spare,
        *time,
    ]
    state = [
        *(_column("ally", k, name) for k in range(n_agents) for name in names["state_ally"]),
        *(_column("enemy", k, name) for k in range(n_enemies) for name in names["state_enemy"]),
    ]
    if options.state_last_action:
        actions = [f"last_action_{i}" for i in range(rows["n_actions"])]
        state += [_column("ally", a, name) for a in range(n_agents) for name in actions]
    state += ["timestep"] * options.state_timestep_number
    if options.obs_instead_of_state:
        state = [f"agent_{a}_{name}" for a in range(n_agents) for name in obs]
    skilled = rows["skilled"]
    return TaskInfo(
        name=scenario.name,
        n_agents=n_agents,
        n_enemies=n_enemies,
        n_actions=rows["n_actions"],
        first_target=rows["first_target"],
        n_targets=rows["n_targets"],
        n_self=N_SELF * skilled,
        n_aimed=N_AIMED * skilled,
        obs_size=len(obs) - len(spare),
        obs_width=len(obs),
        state_size=len(state),
        limit_steps=scenario.limit_steps,
        obs_features=tuple(obs),
        state_features=tuple(state),
        action_names=tuple(_action_names(scenario, rows)),
        agent_features=tuple(names["state_ally"]),
        enemy_features=tuple(names["state_enemy"]),
        n_tokens=n_agents + n_enemies,
        token_features=(*FEATURES, *(SKILL_FEATURES if skilled else ())),
        pair_features=(*PAIR_FEATURES, *(SKILL_PAIR_FEATURES if skilled else ())),
    )


def _action_names(scenario: Scenario, rows: dict[str, Any]) -> list[str]:
    names = ["no-op", "stop", "north", "south", "east", "west"]
    names += [f"look {i}" for i in range(rows["n_directions"])]
    targets = [f"target {k}" for k in range(rows["n_targets"])]
    if not rows["skilled"]:
        return names + targets
    members = [f"agent {a}" for a in range(rows["n_agents"])]
    members += [f"enemy {k}" for k in range(rows["n_enemies"])]
    itself, aimed = skill_names(scenario)
    return names + itself + targets + [f"{name} -> {who}" for name in aimed for who in members]
