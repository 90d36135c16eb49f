"""Which weapon a unit can use against a target from where it stands."""

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import edge_distance
from terrarium.engine.records import Records
from terrarium.engine.state import Game, keeps_sight

TOUCH = 0.1


@kernel
def reach_of(me: Records, range_: float) -> float:
    """A range with what upgrades and buffs do to it; a blinded unit still hits what it touches."""
    return range_ if me.range_add == 0.0 else max(range_ + me.range_add, min(range_, TOUCH))


@kernel
def pick_weapon(game: Game, u: int, v: int) -> int:
    """The first weapon that reaches the target from here; -1 if none does."""
    me, other = game.units[u], game.units[v]
    if keeps_sight(game) and not other.seen >> me.owner & 1:
        return -1  # a remembered structure, or one up a cliff, has to be seen first
    row = game.rules.types[me.kind]
    structure = game.rules.types[other.kind].structure
    distance = edge_distance(game, me, other)
    for w in range(row.first_weapon, row.first_weapon + row.n_weapons):
        weapon = game.rules.weapons[w]
        if not weapon.planes & other.plane or (weapon.not_structures and structure):
            continue
        if weapon.min_range <= distance <= reach_of(me, weapon.range):
            return w
    return -1
