"""What a player finds out of its enemies, and remembers."""

import numpy as np

from terrarium.tactics.macro.game_view import GameOrderKind, UnitOrder
from terrarium.tactics.macro.making import nearest_worker
from terrarium.tactics.macro.turn import Turn

FOUND = 6.0
"""so near to an enemy start, its townhall would be seen"""


def note_enemies(turn: Turn) -> None:
    """Remember structures that are seen, forget those that are gone."""
    memory, enemy = turn.memory, turn.view.enemy
    is_structure = turn.catalog.is_structure[enemy.kind]
    seen = enemy.where(is_structure)
    tags = seen.tag.tolist()
    for tag, kind, x, y in zip(
        tags, seen.kind.tolist(), seen.x.tolist(), seen.y.tolist(), strict=True
    ):
        memory.structures[tag] = (kind, x, y)
    hidden = [tag for tag in memory.structures if tag not in set(tags)]
    if hidden:
        places = [memory.structures[tag][1:] for tag in hidden]
        in_sight = turn.view.sees(places)
        for tag, gone in zip(hidden, in_sight.tolist(), strict=True):
            if gone:
                del memory.structures[tag]
    left = [s for s in memory.enemy_starts if s not in memory.visited]
    if left:
        for start, in_sight_now in zip(left, turn.view.sees(left).tolist(), strict=True):
            if in_sight_now and not any(
                abs(x - start[0]) < FOUND and abs(y - start[1]) < FOUND
                for _, x, y in memory.structures.values()
            ):
                memory.visited.add(start)


def scout(turn: Turn) -> None:
    """Send a worker to look at the enemy's start."""
    level, memory = turn.level, turn.memory
    if not level.scouts_from or turn.loop < level.scouts_from or memory.scout < 0:
        return
    left = [s for s in memory.enemy_starts if s not in memory.visited]
    if not left or memory.structures:
        _call_back(turn)
        return
    if memory.scout == 0:
        memory.scout = nearest_worker(turn, memory.home) or -1
    mine = np.flatnonzero(turn.workers.tag == memory.scout)
    if not len(mine):
        memory.scout = -1
        return
    turn.used.add(memory.scout)
    if turn.workers.order[mine[0]] != UnitOrder.MOVE:
        turn.order(GameOrderKind.MOVE, [memory.scout], at=left[0], why="scout")


def _call_back(turn: Turn) -> None:
    """The scout has seen enough; its next order is to gather."""
    if turn.memory.scout > 0 and (turn.workers.tag == turn.memory.scout).any():
        turn.order(GameOrderKind.MOVE, [turn.memory.scout], at=turn.memory.home, why="scouted")
    turn.memory.scout = -1
