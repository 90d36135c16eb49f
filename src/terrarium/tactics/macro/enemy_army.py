"""What a player knows of the armies of its enemies: what it sees, and what it saw lately."""

from collections.abc import Iterable

from terrarium.tactics.macro.game_view import UnitColumns
from terrarium.tactics.macro.turn import KnownArmy, Sighting, Turn

REMEMBERED_TICKS = 3000
"""how long an army counts that nobody sees any more"""


def note_army(turn: Turn) -> None:
    """Remember units that fight; forget those that are gone from where they were, and old ones."""
    memory, loop = turn.memory, turn.loop
    seen = _fighting_units(turn)
    worth = turn.catalog.cost[seen.kind] * seen.life / seen.life_max.clip(1.0)
    now = {
        tag: Sighting(loop, value, flies, (x, y))
        for tag, value, flies, x, y in zip(
            seen.tag.tolist(),
            worth.tolist(),
            turn.catalog.flies[seen.kind].tolist(),
            seen.x.tolist(),
            seen.y.tolist(),
            strict=True,
        )
    }
    hidden = [
        (tag, sighting)
        for tag, sighting in memory.army.items()
        if tag not in now and loop - sighting.loop < REMEMBERED_TICKS
    ]
    if hidden:
        in_sight = turn.view.sees([sighting.place for _, sighting in hidden]).tolist()
        now |= {
            tag: sighting
            for (tag, sighting), gone in zip(hidden, in_sight, strict=True)
            if not gone
        }
    memory.army = now
    turn.enemy_army = _sum_up(now.values())


def _sum_up(army: Iterable[Sighting]) -> KnownArmy:
    value = flying = 0.0
    for sighting in army:
        value += sighting.value
        flying += sighting.value if sighting.flies else 0.0
    return KnownArmy(value, flying)


def _fighting_units(turn: Turn) -> UnitColumns:
    enemy, catalog = turn.view.enemy, turn.catalog
    return enemy.where(catalog.fights[enemy.kind] & ~catalog.is_structure[enemy.kind])
