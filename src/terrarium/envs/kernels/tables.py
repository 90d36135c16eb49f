"""The layout of what the kernels of the environments read, remember and write."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.plan import Plan
from terrarium.engine.rules import Rules
from terrarium.engine.state import Records, World
from terrarium.engine.terrain import Ground
from terrarium.envs.kernels.measures import Yardstick

# Actions. After these come the turns of the cone, abilities without a target, SMAC's targets, and
# for each ability with a target all members. Of turns and abilities there may be none.
NO_OP, STOP, NORTH, SOUTH, EAST, WEST, FIRST_TURN = range(7)

N_SELF, N_AIMED = 3, 3
"""Abilities that an agent chooses from, without a target and with one"""

SETTINGS = np.dtype(
    [
        ("n_agents", "i8"),
        ("n_enemies", "i8"),
        ("n_actions", "i8"),
        ("first_skill", "i8"),  # the action that uses the first ability without a target
        ("first_target", "i8"),  # the action that attacks enemy 0, or heals ally 0
        ("n_targets", "i8"),
        ("first_aimed", "i8"),  # the action that uses the first ability with a target on agent 0
        ("n_directions", "i8"),  # of the cone; 0 = agents see all around
        ("limit_steps", "i8"),
        ("ticks_per_step", "i8"),
        ("move_amount", "f8"),
        # contract
        ("exact", "?"),
        ("later", "?"),  # SMACv2 rather than SMAC
        ("with_healers", "?"),  # the map type knows Medivacs
        ("skilled", "?"),  # agents have abilities
        ("measured", "?"),  # by another number than who is left
        ("continuing", "?"),
        ("autoreset", "?"),
        # what is shown
        ("shows_obs", "?"),
        ("shows_state", "?"),
        ("shows_tokens", "?"),
        ("shows_pairs", "?"),
        ("shows_table", "?"),
        # observation
        ("type_bits", "i8"),
        ("ally_shields", "?"),
        ("enemy_shields", "?"),
        ("all_health", "?"),
        ("own_health", "?"),
        ("last_actions", "?"),
        ("pathing", "?"),
        ("heights", "?"),
        ("own_place", "?"),
        ("obs_time", "?"),
        ("features", "?"),  # False leaves the time alone
        ("move_width", "i8"),
        ("enemy_width", "i8"),
        ("ally_width", "i8"),
        # state
        ("state_is_obs", "?"),
        ("state_last_actions", "?"),
        ("state_time", "?"),
        ("state_ally_width", "i8"),
        ("state_enemy_width", "i8"),
        ("span_x", "f8"),  # what positions in the state are divided by
        ("span_y", "f8"),
        # sight
        ("sees_all", "?"),
        ("share_sight", "f8"),  # probability that another agent is granted a sighting
        ("counts_grants", "?"),
        ("masks_range", "?"),
        # reward
        ("sparse", "?"),
        ("only_positive", "?"),
        ("death_value", "f8"),
        ("win_value", "f8"),
        ("defeat_value", "f8"),
        ("ally_weight", "f8"),
        ("scaled", "?"),
        ("best_return", "f8"),
        # script
        ("scripted", "?"),
        ("script_walks", "?"),
    ],
    align=True,
)

KIND = np.dtype(
    [
        ("order", "i8"),  # place of its name in the alphabet: agents are sorted by it
        ("ally_bit", "i8"),
        ("enemy_bit", "i8"),
        ("cooldown", "f8"),  # ticks that the state counts as a full cooldown
        ("full_cooldown", "f8"),  # ticks of the longest cooldown that its weapons have
        ("shows_energy", "?"),  # in place of its cooldown
        ("heals", "?"),  # targets are allies
        ("fights", "?"),
        ("sight", "f8"),
        ("shoot", "f8"),
        ("value", "f8"),  # minerals and vespene
    ],
    align=True,
)

SLOT = np.dtype(
    [
        ("ability", "i8"),  # row of Rules.abilities; -1 = nothing
        ("ends", "i8"),  # row of what is used instead while the ability is on; -1 = nothing
        ("on_own", "?"),  # it makes sense to aim it at one's own side
        ("on_enemies", "?"),
    ],
    align=True,
)

EPISODE = np.dtype(
    [
        ("seed", "u8"),  # of the environment; the battle's follows from it and its number
        ("number", "i8"),  # of battles begun
        ("n_finished", "i8"),
        ("steps", "i8"),
        ("best", "f8"),  # the largest sum of unscaled rewards
        ("total", "f8"),  # sum of rewards so far
        ("over", "?"),
        ("timed_out", "?"),
        ("n_draws", "i8"),  # random actions drawn: each draw has a number
        # of measured battles: the value of both sides and of those that count, when it began
        ("own_value", "f8"),
        ("enemy_value", "f8"),
        ("counted_value", "f8"),
        ("way", "f8"),  # the mean way of those that count to where they have to be
        ("prospect", "f8"),  # how the battle stood after the last step
    ],
    align=True,
)


class Arena(NamedTuple):
    """The engine's part."""

    world: World
    rules: Rules
    ground: Ground
    plan: Plan
    commands: Records  # [N, U]


class Task(NamedTuple):
    """What a scenario and the options come to. Kinds are rows of the rules' types."""

    settings: Records  # [1] SETTINGS
    kinds: Records  # [T] KIND
    traits: NDArray[np.float32]  # [T, traits] of the entity view
    slots: Records  # [T, N_SELF + N_AIMED] SLOT
    yardstick: Yardstick
    pathing: NDArray[np.float32]  # [cells] 1 = walkable
    heights: NDArray[np.float32]  # [cells]
    directions: NDArray[np.float64]  # [directions, 2] of the cone


class Book(NamedTuple):
    """What the environments remember. Members are the agents, then the enemies."""

    episodes: Records  # [N] EPISODE
    slots: NDArray[np.int64]  # [N, M] where the engine keeps a member
    tags: NDArray[np.int64]  # [N, M] who it is; -1 = this battle has no such member
    worth: NDArray[np.float64]  # [N, M] life for which no reward has been given yet
    dead: NDArray[np.bool_]  # [N, M] its death has been counted
    last_actions: NDArray[np.int64]  # [N, A]; -1 = none yet
    headings: NDArray[np.int64]  # [N, A] direction of the cone
    focus: NDArray[np.int64]  # [N, A] whom SMAC's script has chosen; -1 = nobody
    turns: NDArray[np.int64]  # [N, A] in which order the agents look around
    owners: NDArray[np.int64]  # [N, E] who saw an enemy first; -1 = nobody
    grants: NDArray[np.bool_]  # [N, A, E] who may see it too


class Views(NamedTuple):
    """What learners see. A view that nobody asked for has no columns."""

    obs: NDArray[np.float32]  # [N, A, O]
    state: NDArray[np.float32]  # [N, S]
    avail: NDArray[np.bool_]  # [N, A, K]
    tokens: NDArray[np.float32]  # [N, A, M, F]
    pairs: NDArray[np.float32]  # [N, A, M, R]
    token_mask: NDArray[np.bool_]  # [N, A, M] of tokens and pairs
    table: NDArray[np.float32]  # [N, M, F]
    table_mask: NDArray[np.bool_]  # [N, M]


class Outcome(NamedTuple):
    """What the last step brought; statistics belong to an episode that has ended in it."""

    reward: NDArray[np.float64]  # [N]
    terminated: NDArray[np.bool_]  # [N]
    truncated: NDArray[np.bool_]  # [N]
    won: NDArray[np.bool_]  # [N]
    measure: NDArray[np.float64]  # [N] what the scenario measures, from 0 to 1
    dead_allies: NDArray[np.int64]  # [N]
    dead_enemies: NDArray[np.int64]  # [N]
    episode_return: NDArray[np.float64]  # [N]
    episode_steps: NDArray[np.int64]  # [N]


class Screen(NamedTuple):
    """Everything that a step writes for the learner."""

    now: Views
    final: Views  # of the episodes that have ended, before the next one began
    outcome: Outcome
