"""The layout of what the kernels of the environments read, remember and write."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.battle import COMMAND, UNIT
from terrarium.engine.records import Records
from terrarium.engine.state import Game
from terrarium.envs.kernels.measures import Yardstick
from terrarium.envs.views import StepOutput, Views

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
        ("gamma", "f8"),  # of what steps of a measured battle are worth
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
        ("on_own", "?"),  # it makes sense to aim it at one's own player
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
        ("best", "f8"),  # the largest sum of unscaled rewards; 1 where a battle is measured
        ("total", "f8"),  # sum of rewards so far
        ("over", "?"),
        ("timed_out", "?"),
        ("n_draws", "i8"),  # random actions drawn: each draw has a number
        # of measured battles: the value of both players and of those that count, when it began
        ("own_value", "f8"),
        ("enemy_value", "f8"),
        ("counted_value", "f8"),
        ("way", "f8"),  # the mean way of those that count to where they have to be
        ("prospect", "f8"),  # how the battle stood after the last step
    ],
    align=True,
)


class TaskTables(NamedTuple):
    """What a scenario and the options come to. Kinds are rows of the rules' types."""

    settings: Annotated[Records, SETTINGS, "1"]
    kinds: Annotated[Records, KIND, "T"]
    traits: Annotated[NDArray[np.float32], "f4", "T traits"]  # of the entity view
    slots: Annotated[Records, SLOT, "T skills"]  # N_SELF abilities, then N_AIMED
    yardstick: Yardstick
    pathing: Annotated[NDArray[np.float32], "f4", "C"]  # 1 = walkable terrain
    heights: Annotated[NDArray[np.float32], "f4", "C"]
    directions: Annotated[NDArray[np.float64], "f8", "directions 2"]  # of the cone


class EpisodeState(NamedTuple):
    """What an environment remembers. Members are the agents, then the enemies."""

    episode: Annotated[Records, EPISODE, "1"]
    slots: Annotated[NDArray[np.int64], "i8", "M"]  # where the engine keeps a member
    tags: Annotated[NDArray[np.int64], "i8", "M"]  # which unit; -1 = there is no such member
    worth: Annotated[NDArray[np.float64], "f8", "M"]  # life that has not been rewarded yet
    dead: Annotated[NDArray[np.bool_], "?", "M"]  # its death has been counted
    places: Annotated[NDArray[np.float64], "f8", "M 2"]  # where a member was last observed
    last_actions: Annotated[NDArray[np.int64], "i8", "A"]  # -1 = none yet
    headings: Annotated[NDArray[np.int64], "i8", "A"]  # direction of the cone
    focus: Annotated[NDArray[np.int64], "i8", "A"]  # target of SMAC's script; -1 = none
    turns: Annotated[NDArray[np.int64], "i8", "A"]  # in which order the agents look around
    sighters: Annotated[NDArray[np.int64], "i8", "E"]  # the first agent that saw it; -1 = none
    grants: Annotated[NDArray[np.bool_], "?", "A E"]  # which agents may see it too
    fresh: Annotated[NDArray[np.bool_], "?", "E"]  # it was sighted in the last look
    told: Annotated[Records, UNIT, "T"]  # members as clients of the game read them; exact only


class Env(NamedTuple):
    """One environment as its kernels see it."""

    game: Game
    task: TaskTables
    state: EpisodeState
    actions: Annotated[NDArray[np.int64], "i8", "A"]
    orders: Annotated[Records, COMMAND, "A"]  # commands that are given in place of actions
    now: Views
    final: Views  # of an episode that has ended, before the next one began
    output: StepOutput
