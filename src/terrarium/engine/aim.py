"""Which weapon a unit can use against a target from where it stands."""

from terrarium.engine.geometry import edge_distance
from terrarium.engine.jit import kernel
from terrarium.engine.rules import Rules
from terrarium.engine.state import Game


@kernel
def pick_weapon(game: Game, rules: Rules, u: int, v: int) -> int:
    """The first weapon that reaches the target from here; -1 if none does."""
    me, other = game.units[u], game.units[v]
    row, victim = rules.types[me.kind], rules.types[other.kind]
    distance = edge_distance(rules, me, other)
    for w in range(row.first_weapon, row.first_weapon + row.n_weapons):
        weapon = rules.weapons[w]
        if not weapon.planes & victim.plane or (weapon.not_structures and victim.structure):
            continue
        if weapon.min_range <= distance <= weapon.range:
            return w
    return -1
