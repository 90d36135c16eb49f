"""Abilities of agents: which of them the mask offers, and on whom; what using one means."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.kernels.orders.orders import resolve
from terrarium.engine.kernels.orders.permission import may_aim, may_aim_at, may_use, range_of
from terrarium.engine.records import Records
from terrarium.envs.kernels.sight import distance_between, is_there, is_visible, member
from terrarium.envs.kernels.tables import EAST, N_AIMED, N_SELF, NORTH, SOUTH, WEST, Env
from terrarium.envs.views import Views

APPROACH = 6.0
"""How far beyond its range an ability is offered: the unit walks up before it uses it"""


@kernel
def engine_takes(env: Env, a: int, m: int, heals: bool) -> bool:
    """Does agent `a` see a member, and would the engine take the order to attack or heal it?"""
    me, you = member(env, a), member(env, m)
    distance = distance_between(env, a, m)
    if m == a or heals != (you.owner == me.owner):
        return False
    if not is_visible(env, a, m, distance):
        return False
    order = codes.HEAL if heals else codes.ATTACK
    return resolve(env.game, env.state.slots[a], order, env.state.slots[m]) == order


@kernel
def mask_skills(env: Env, views: Views, a: int) -> None:
    """Which abilities agent `a` may use now, and where its unit's form lets it go."""
    settings = env.task.settings[0]
    mask_moves(env, views, a)
    u = env.state.slots[a]
    for s in range(N_SELF):
        ready = ability_in(env, u, s) >= 0
        views.avail[a, settings.first_skill + s] = ready
    for s in range(N_AIMED):
        ability = ability_in(env, u, N_SELF + s)
        if ability >= 0:
            mask_aims(env, views, a, s, ability)


@kernel
def mask_aims(env: Env, views: Views, a: int, s: int, ability: int) -> None:
    """On whom agent `a` may use the ability in its aimed slot `s`."""
    settings, n_members = env.task.settings[0], env.state.slots.shape[0]
    kind = member(env, a).kind
    slot = env.task.slots[kind, N_SELF + s]
    reach = range_of(env.game, env.state.slots[a], ability) + NEARLY
    boards = (
        env.game.rules.abilities[ability].mechanic == codes.LOAD
    )  # the passenger comes by itself
    if boards or env.game.rules.types[kind].mobile:
        reach += APPROACH
    for m in range(n_members):
        fits = slot.on_own if m < settings.n_agents else slot.on_enemies
        if fits and is_there(env, m):
            offered = may_use_on(env, a, m, ability, reach)
            views.avail[a, settings.first_aimed + s * n_members + m] = offered


@kernel
def mask_moves(env: Env, views: Views, a: int) -> None:
    """Flyers go wherever the map is, and what has put down roots goes nowhere."""
    me = member(env, a)
    row, playable = env.game.rules.types[me.kind], env.game.ground.playable
    if not row.mobile:
        for action in range(NORTH, WEST + 1):
            views.avail[a, action] = False
    elif row.flying:
        ahead = env.task.settings[0].move_amount * 0.5
        views.avail[a, NORTH] = me.y + ahead < playable[3]
        views.avail[a, SOUTH] = me.y - ahead >= playable[1]
        views.avail[a, EAST] = me.x + ahead < playable[2]
        views.avail[a, WEST] = me.x - ahead >= playable[0]


@kernel
def ability_in(env: Env, u: int, s: int) -> int:
    """The ability that slot `s` of a unit stands for at the moment; -1 = none is ready."""
    slot = env.task.slots[env.game.units[u].kind, s]
    if may_use(env.game, u, slot.ability) == codes.SUCCESS:
        return slot.ability
    ends = may_use(env.game, u, slot.ends) == codes.SUCCESS
    return slot.ends if ends else codes.NO_ABILITY


@kernel
def may_use_on(env: Env, a: int, m: int, ability: int, reach: float) -> bool:
    """Is a member, or its place, something that agent `a` may aim an ability at from here?"""
    me, you = member(env, a), member(env, m)
    row = env.game.rules.abilities[ability]
    distance = distance_between(env, a, m)
    if m == a:
        if row.mechanic == codes.TELEPORT:
            return False  # it is there already
    elif not is_visible(env, a, m, distance):
        return False
    gap = distance - env.game.rules.types[me.kind].radius
    if row.aim == codes.AIM_POINT:
        u = env.state.slots[a]
        return gap <= reach and may_aim_at(env.game, u, ability, you.x, you.y) == codes.SUCCESS
    if gap - env.game.rules.types[you.kind].radius > reach:
        return False
    return may_aim(env.game, env.state.slots[a], ability, env.state.slots[m]) == codes.SUCCESS


@kernel
def aim_of(env: Env, action: int) -> int:
    """The member that an action with an aimed ability names."""
    return (action - env.task.settings[0].first_aimed) % env.state.slots.shape[0]


@kernel
def use_skill(env: Env, order: Records, a: int, action: int) -> None:
    """Write the command to use an ability."""
    settings = env.task.settings[0]
    game, u, n_members = env.game, env.state.slots[a], env.state.slots.shape[0]
    aimed = action >= settings.first_aimed
    s = action - settings.first_skill
    if aimed:
        s = N_SELF + (action - settings.first_aimed) // n_members
    ability = ability_in(env, u, s)
    if ability < 0:
        return
    order.kind, order.ability = codes.CAST, ability
    if aimed:
        v = env.state.slots[aim_of(env, action)]
        order.x, order.y = game.units[v].x, game.units[v].y
        if env.game.rules.abilities[ability].aim != codes.AIM_POINT:
            order.target = v
