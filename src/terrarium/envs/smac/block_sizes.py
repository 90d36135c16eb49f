"""The sizes of the blocks of an observation, as SMAC reports them."""

from dataclasses import dataclass

from terrarium.data.battles.scenario import Smac
from terrarium.envs.options import Options
from terrarium.envs.task_info import TaskInfo

N_MOVES, N_PATHING, N_HEIGHTS = 4, 8, 9
N_RELATION = 4
"""What is observed of every other unit: an action's mask or visibility, distance, x, y"""


@dataclass(frozen=True)
class BlockSizes:
    """Moves, enemies and allies as (units, columns of each), and the agent itself."""

    moves: int
    enemies: tuple[int, int]
    allies: tuple[int, int]
    own: int


def block_sizes(smac: Smac, options: Options, info: TaskInfo, drawn: bool) -> BlockSizes:
    """`drawn`: on SMACv2's maps, which count the time step outside of an agent's own block."""
    bits = smac.unit_type_bits
    ally_life, enemy_life = 1 + (smac.ally_race == "Protoss"), 1 + (smac.enemy_race == "Protoss")
    own = ally_life * options.sees_own_health + 2 * (options.obs_own_pos + options.conic_fov)
    return BlockSizes(
        moves=N_MOVES
        + N_PATHING * options.obs_pathing_grid
        + N_HEIGHTS * options.obs_terrain_height,
        enemies=(info.n_enemies, N_RELATION + enemy_life * options.obs_all_health + bits),
        allies=(
            info.n_agents - 1,
            N_RELATION
            + ally_life * options.obs_all_health
            + info.n_actions * options.obs_last_action
            + bits,
        ),
        # Without SMAC's features these blocks stay as they are, but this one loses its own.
        own=bits + own * options.obs_starcraft + (options.obs_timestep_number and not drawn),
    )
