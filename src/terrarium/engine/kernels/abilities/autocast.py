"""What units do by themselves: mines, lock-on, charge, force fields that break."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.abilities.traits import fits, traits_now
from terrarium.engine.kernels.geometry import NEARLY, edge_distance
from terrarium.engine.kernels.orders.orders import current_order
from terrarium.engine.kernels.orders.permission import may_use
from terrarium.engine.kernels.owners import is_enemy, is_friend
from terrarium.engine.kernels.random import toss
from terrarium.engine.state import Game

CHARGE_RANGE = 4.0
"""From where a Zealot charges; the sources do not say (docs/fidelity.md)."""
LOOK_TICKS = 2


@kernel
def act_by_itself(game: Game, u: int) -> None:
    """Use the first ability that is switched on, ready, and has a target."""
    me = game.units[u]
    if (game.clock[0].tick + me.phase) % LOOK_TICKS != 0 or me.status & codes.MORPHING:
        return
    for k in range(game.rules.kit.shape[1]):
        ability = game.rules.kit[me.kind, k]
        if ability < 0 or not is_on(game, u, k):
            continue
        if may_use(game, u, ability) != codes.SUCCESS:
            continue
        v = whom(game, u, ability)
        if v >= 0:
            begin_by_itself(game, u, ability, v)
            return


@kernel
def is_on(game: Game, u: int, k: int) -> bool:
    """Is the autocast in a place of the kit on? Players switch it over."""
    autocast = game.rules.abilities[game.rules.kit[game.units[u].kind, k]].autocast
    if autocast == codes.NEVER_BY_ITSELF:
        return False
    switched = game.skills[u].switched >> k & 1 != 0
    return (autocast == codes.BY_ITSELF) != switched


@kernel
def whom(game: Game, u: int, ability: int) -> int:
    """The target that a unit would choose; -1 = none."""
    me, row = game.units[u], game.rules.abilities[ability]
    order = current_order(game, u)
    if row.mechanic == codes.CHARGE:
        v = me.target
        if v < 0 or not game.units[v].alive:
            return codes.NO_UNIT
        gap = edge_distance(game, me, game.units[v])
        return v if 0.5 < gap <= CHARGE_RANGE else codes.NO_UNIT
    if (
        row.mechanic == codes.HEALING
        and game.rules.mechanics.recharges[row.params].shield_rate == 0.0
    ):
        return codes.NO_UNIT  # the Medivac's beam has rules of its own (healing.py)
    if row.mechanic == codes.MORPH:
        return codes.NO_UNIT
    if me.passive or order == codes.MOVE or order == codes.FOLLOW or order == codes.CAST:
        return codes.NO_UNIT
    return nearest_fit(game, u, ability)


@kernel
def nearest_fit(game: Game, u: int, ability: int) -> int:
    """The nearest unit in range on which the ability could be used and has a point."""
    me, row = game.units[u], game.rules.abilities[ability]
    best, best_distance = codes.NO_UNIT, row.autocast_range + NEARLY
    for j in range(game.clock[0].n_living):
        v = game.living[j]
        other = game.units[v]
        if not other.alive or v == u:
            continue
        traits = traits_now(game, me.owner, u, v)
        if not fits(traits, row.must_be, row.must_not_be) or not has_point(game, u, ability, v):
            continue
        distance = edge_distance(game, me, other)
        if distance > best_distance + NEARLY:
            continue
        if best >= 0 and distance > best_distance - NEARLY:
            if not toss(game.clock[0].seed, me.tag, other.tag, game.units[best].tag):
                continue
        best, best_distance = v, distance
    return best


@kernel
def has_point(game: Game, u: int, ability: int, v: int) -> bool:
    me, other, row = game.units[u], game.units[v], game.rules.abilities[ability]
    if row.mechanic == codes.REPAIR:
        return is_friend(game, me.owner, other.owner) and other.hp < other.hp_max
    if row.mechanic == codes.HEALING:
        is_hurt = other.shield < game.rules.types[other.kind].shields
        return is_hurt and is_friend(game, me.owner, other.owner)
    if row.must_be & codes.IS_MASSIVE:
        return not game.rules.types[other.kind].flying
    if row.mechanic == codes.BLAST:
        return is_enemy(game, me.owner, other.owner) and not game.rules.types[other.kind].flying
    return is_enemy(game, me.owner, other.owner)


@kernel
def begin_by_itself(game: Game, u: int, ability: int, v: int) -> None:
    """Begin a cast without an order; a charge only needs its buff, so it runs beside the attack."""
    skill, row = game.skills[u], game.rules.abilities[ability]
    if row.mechanic == codes.CHARGE:
        skill.beside, skill.beside_target, skill.beside_tag = ability, v, game.units[v].tag
        return
    start_cast(game, u, ability, v)


@kernel
def start_cast(game: Game, u: int, ability: int, v: int) -> None:
    """The target is in reach, or the point that the skill holds already: preparation begins."""
    skill, row = game.skills[u], game.rules.abilities[ability]
    skill.cast, skill.phase, skill.ordered = ability, codes.PREP, False
    skill.timer = row.prep + row.intro
    skill.target, skill.target_tag = codes.NO_UNIT, 0
    if v >= 0:
        skill.target, skill.target_tag = v, game.units[v].tag
        skill.x, skill.y = game.units[v].x, game.units[v].y
    game.units[u].winding = False
    refresh(game, u)
