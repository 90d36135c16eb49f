"""What a unit is now: the numbers of its type with its player's upgrades and its buffs applied.

Kernels read these numbers from the unit. They are worked out anew when something changes them, so
that battles without upgrades and buffs pay nothing for those who have them.
"""

from terrarium.engine import codes
from terrarium.engine.battle import MAX_PLAYERS
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.work import changes_form
from terrarium.engine.kernels.ground.creep import creep_at
from terrarium.engine.kernels.ground.power import is_powered
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy

LOWEST_RATE, HIGHEST_RATE = 0.25, 128.0
"""Limits of the rate of attacks (game_rules.md, 2)."""
ALL_PLAYERS = (1 << MAX_PLAYERS + 1) - 1
"""A bit for neutral and for each player."""


@kernel
def refresh(game: Game, u: int) -> None:
    """Work the numbers of one unit out anew."""
    me, skill = game.units[u], game.skills[u]
    row = game.rules.types[me.kind]
    player = game.players[skill.true_owner]
    me.max_speed, me.accel = row.speed, row.accel
    me.hp_max, me.rate, me.range_add = row.hp, 1.0, 0.0
    me.armor = row.armor + row.armor_step * player.levels[row.armor_family]
    me.shield_armor = row.shield_step * player.levels[row.shield_family]
    add_upgrades(game, u)
    me.status = row.status
    if has_economy(game):
        add_ground(game, u)
    add_buffs(game, u)
    if me.status & codes.HALLUCINATED:
        me.armor = me.shield_armor = 0.0
    me.rate = min(max(me.rate, LOWEST_RATE), HIGHEST_RATE)
    me.status |= doings(game, u)
    if me.status & codes.UNFINISHED and game.rules.structures[me.kind].bare:
        me.armor = 0.0
    lifted = me.status & codes.LIFTED != 0
    me.plane = codes.AIR if lifted else row.plane
    me.column = me.kind + (game.rules.types.shape[0] if lifted else 0)
    if me.status & codes.UNTOUCHABLE:
        me.seen = 0
    elif not game.clock[0].fog and not is_hidden(me):
        me.seen = ALL_PLAYERS


@kernel
def add_ground(game: Game, u: int) -> None:
    """What creep and power do to a unit where it is."""
    me = game.units[u]
    row = game.rules.types[me.kind]
    if row.creep_speed != 1.0 and creep_at(game, me.x, me.y):
        me.status |= codes.ON_CREEP
        me.max_speed *= upgraded(
            game, me.owner, row.first_change, row.n_changes, codes.CHANGES_CREEP_SPEED,
            row.creep_speed,
        )  # fmt: skip
    if row.needs_creep and creep_at(game, me.x, me.y):
        me.status |= codes.ON_CREEP
    if row.needs_power and not is_powered(game, me.owner, me.x, me.y):
        me.status |= codes.UNPOWERED | codes.HALTED | codes.STUNNED | codes.BLINDED


@kernel
def is_hidden(unit: Records) -> bool:
    """Does it take a detector to see it?"""
    return unit.status & (codes.CLOAKED | codes.REVEALED) == codes.CLOAKED


@kernel
def add_upgrades(game: Game, u: int) -> None:
    me = game.units[u]
    row = game.rules.types[me.kind]
    owner = game.skills[u].true_owner
    for c in range(row.first_change, row.first_change + row.n_changes):
        field = game.rules.changes[c].field
        if field == codes.CHANGES_HP:
            me.hp_max = changed(game, owner, c, me.hp_max)
        elif field == codes.CHANGES_ARMOR:
            me.armor = changed(game, owner, c, me.armor)
        elif field == codes.CHANGES_SHIELD_ARMOR:
            me.shield_armor = changed(game, owner, c, me.shield_armor)
        elif field == codes.CHANGES_SPEED:
            me.max_speed = changed(game, owner, c, me.max_speed)
        elif field == codes.CHANGES_ACCELERATION:
            me.accel = changed(game, owner, c, me.accel)
        elif field == codes.CHANGES_RANGE:
            me.range_add = changed(game, owner, c, me.range_add)
        elif field == codes.CHANGES_RATE:
            me.rate = changed(game, owner, c, me.rate)


@kernel
def has_upgrade(game: Game, owner: int, c: int) -> bool:
    """Does a player have the upgrade of a change?"""
    change, player = game.rules.changes[c], game.players[owner]
    if change.tech:
        return player.techs & change.tech != 0
    return player.levels[change.family] >= change.level


@kernel
def changed(game: Game, owner: int, c: int, value: float) -> float:
    """A number with one change applied, if the player has its upgrade."""
    change = game.rules.changes[c]
    if not has_upgrade(game, owner, c):
        return value
    if change.op == codes.ADD:
        return value + change.value
    return change.value if change.op == codes.SET else value * change.value


@kernel
def upgraded(game: Game, owner: int, first: int, n: int, field: int, value: float) -> float:
    """A number of an ability or buff with all changes of a player applied."""
    for c in range(first, first + n):
        if game.rules.changes[c].field == field:
            value = changed(game, owner, c, value)
    return value


@kernel
def add_buffs(game: Game, u: int) -> None:
    me, owner = game.units[u], game.skills[u].true_owner
    carried = 0
    speed_add = 0.0
    for b in range(game.buffs.shape[1]):
        if game.buffs[u, b].row < 0:
            continue
        buff = game.rules.buffs[game.buffs[u, b].row]
        carried |= buff.status
        me.max_speed *= upgraded(
            game, owner, buff.first_change, buff.n_changes, codes.CHANGES_SPEED,
            buff.speed_mult,
        )  # fmt: skip
        speed_add += buff.speed_add
        me.accel = me.accel * buff.accel_mult + buff.accel_add
        me.rate *= buff.rate
        me.range_add += buff.range_add
        me.armor += buff.armor_add
        me.shield_armor += buff.shield_armor_add
        me.hp_max += buff.hp_add
    me.max_speed = max(0.0, me.max_speed + speed_add)
    if carried & codes.ARMED:
        me.status &= ~codes.DISARMED  # before the buffs that forbid it
    me.status |= carried


@kernel
def doings(game: Game, u: int) -> int:
    """What follows from what a unit is doing."""
    skill = game.skills[u]
    status = 0
    if skill.cast >= 0:
        row = game.rules.abilities[skill.cast]
        status |= codes.CASTING
        if not row.flag_bits & codes.CASTS_MOVING:
            status |= codes.ROOTED | codes.DISARMED
        if row.flag_bits & codes.HOLDS_WEAPONS:
            status |= codes.DISARMED
        if row.mechanic == codes.TELEPORT and skill.phase == codes.CHANNELING:
            status |= codes.UNTOUCHABLE | codes.ROOTED
    if skill.locks:
        status |= codes.DISARMED
    if skill.morph >= 0:
        status |= codes.MORPHING | codes.STUNNED
    if skill.drag_ticks > 0.0:
        status |= codes.DRAGGED | codes.ROOTED
    if skill.beside >= 0 or skill.unloading >= 0:
        status |= codes.CASTING
    if skill.load > 0 and passengers_shoot(game, game.units[u].kind):
        status |= codes.MANNED
    if skill.made >= 0:
        status |= codes.JOINED
    if has_economy(game) and changes_form(game, u):
        if not game.rules.types[game.units[u].kind].structure:
            status |= codes.STUNNED
    if has_economy(game) and game.producers[u].progress < 1.0:
        status |= codes.UNFINISHED | codes.STUNNED | codes.STARVED | codes.BLINDED
    return status


@kernel
def passengers_shoot(game: Game, kind: int) -> bool:
    row = cargo_of(game, kind)
    return row >= 0 and game.rules.mechanics.cargo[row].shoots


@kernel
def cargo_of(game: Game, kind: int) -> int:
    """The row of Rules.cargo by which a type carries others; -1 = it does not."""
    for k in range(game.rules.kit.shape[1]):
        ability = game.rules.kit[kind, k]
        if ability >= 0 and game.rules.abilities[ability].mechanic == codes.LOAD:
            return game.rules.abilities[ability].params
    return -1


@kernel
def research(game: Game, owner: int, upgrade: int) -> None:
    """A player has an upgrade from now on; units that gain life by it have it at once."""
    row, player = game.rules.upgrades[upgrade], game.players[owner]
    if row.tech:
        player.techs |= row.tech
    else:
        player.levels[row.family] = max(player.levels[row.family], row.level)
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if (me.alive or me.inside >= 0) and game.skills[u].true_owner == owner:
            before = me.hp_max
            refresh(game, u)
            me.hp += max(0.0, me.hp_max - before)
