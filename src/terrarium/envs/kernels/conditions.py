"""The columns of the entity view that only battles with abilities have."""

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import is_hidden
from terrarium.engine.kernels.orders.permission import cargo_room
from terrarium.engine.records import Records
from terrarium.envs import schema
from terrarium.envs.kernels.sight import is_there, member
from terrarium.envs.kernels.skills import ability_in
from terrarium.envs.kernels.tables import N_AIMED, N_SELF, Env
from terrarium.envs.views import Views

TICKS_PER_S = 16.0
TICKS_PER_MINUTE = 60.0 * TICKS_PER_S
A_LITTLE = 1e-6
"""of a speed or a rate: nothing but rounding"""

Token = NDArray[np.float32]


@kernel
def place_of(env: Env, m: int) -> Records:
    """The unit on the map where a member is: itself, or the carrier that it is in."""
    unit = member(env, m)
    return env.game.units[unit.inside if unit.inside >= 0 else env.state.slots[m]]


@kernel
def show_condition(env: Env, token: Token, m: int, ours: bool) -> None:
    """What a unit is at the moment, where that differs from its type."""
    unit = member(env, m)
    row = env.game.rules.types[unit.kind]
    token[schema.MAX_HEALTH] = unit.hp_max / 200.0
    token[schema.ARMOR] = unit.armor / 5.0
    token[schema.SPEED] = unit.max_speed * TICKS_PER_S / 5.0
    if row.n_weapons > 0:
        token[schema.RANGE] += unit.range_add / 10.0
    token[schema.CASTING] = int(unit.status & codes.CASTING != 0)
    token[schema.MORPHING] = int(unit.status & codes.MORPHING != 0)
    token[schema.HIDDEN] = int(is_hidden(unit))
    token[schema.HASTENED] = int(unit.rate > 1.0 + A_LITTLE)
    token[schema.SLOWED] = int(unit.max_speed < row.speed - A_LITTLE)
    token[schema.DISARMED] = int(unit.status & codes.DISARMED != 0)
    token[schema.ROOTED] = int(unit.status & codes.ROOTED != 0 or not row.mobile)
    token[schema.ON_BOARD] = int(unit.inside >= 0)
    if ours:
        show_secrets(env, token, m)


@kernel
def show_secrets(env: Env, token: Token, m: int) -> None:
    """What only a unit's own player knows of it."""
    game, u = env.game, env.state.slots[m]
    unit, skill = game.units[u], game.skills[u]
    enemies = env.game.players[skill.true_owner].enemies
    token[schema.DETECTED] = int(is_hidden(unit) and unit.seen & enemies != 0)
    if skill.load > 0:
        token[schema.LOAD] = skill.load / max(cargo_room(env.game, u), 1)
    longest = 0
    for k in range(skill.ready.shape[0]):
        longest = max(longest, skill.ready[k] - game.clock[0].tick)
    token[schema.RECHARGE] = longest / TICKS_PER_MINUTE


@kernel
def show_skills(env: Env, views: Views, token: Token, a: int) -> None:
    """Which of its abilities an agent has ready, whether there is a target or not."""
    for s in range(N_SELF):
        token[schema.SKILL + s] = int(views.avail[a, env.task.settings[0].first_skill + s])
    if not is_there(env, a):
        return
    for s in range(N_AIMED):
        ability = ability_in(env, env.state.slots[a], N_SELF + s)
        token[schema.AIM + s] = int(ability >= 0)


@kernel
def count_skill_aims(env: Env, views: Views, a: int) -> None:
    """Count whom one agent may aim its abilities at."""
    settings, table = env.task.settings[0], views.table
    for s in range(N_AIMED):
        for m in range(table.shape[0]):
            if views.avail[a, settings.first_aimed + s * table.shape[0] + m]:
                table[m, schema.AIMABLE + s] += 1.0
