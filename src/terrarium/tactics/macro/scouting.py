"""What a player finds out of its enemies, and remembers."""

import numpy as np

from terrarium.tactics.macro.game_view import GameOrderKind, UnitOrder
from terrarium.tactics.macro.making import nearest_worker
from terrarium.tactics.macro.turn import Turn

FOUND = 6.0
"""so near to an enemy start, its townhall would be seen"""


def note_enemies(turn: Turn) -> None:
    """Remember structures that are seen, forget those that are gone."""
    known, enemy = turn.known, turn.view.enemy
    is_structure = turn.catalog.is_structure[enemy.kind]
    seen = enemy.where(is_structure)
    tags = seen.tag.tolist()
    for tag, kind, x, y in zip(
        tags, seen.kind.tolist(), seen.x.tolist(), seen.y.tolist(), strict=True
    ):
        known.structures[tag] = (kind, x, y)
    hidden = [tag for tag in known.structures if tag not in set(tags)]
    if hidden:
        places = [known.structures[tag][1:] for tag in hidden]
        in_sight = turn.view.sees(places)
        for tag, gone in zip(hidden, in_sight.tolist(), strict=True):
            if gone:
                del known.structures[tag]
    left = [s for s in known.enemy_starts if s not in known.visited]
    if left:
        for start, in_sight_now in zip(left, turn.view.sees(left).tolist(), strict=True):
            if in_sight_now and not any(
                abs(x - start[0]) < FOUND and abs(y - start[1]) < FOUND
                for _, x, y in known.structures.values()
            ):
                known.visited.add(start)


def scout(turn: Turn) -> None:
    """Send a worker to look at the enemy's start."""
    level, known = turn.level, turn.known
    if not level.scouts_from or turn.loop < level.scouts_from or known.scout < 0:
        return
    left = [s for s in known.enemy_starts if s not in known.visited]
    if not left or known.structures:
        _call_back(turn)
        return
    if known.scout == 0:
        known.scout = nearest_worker(turn, known.home) or -1
    mine = np.flatnonzero(turn.workers.tag == known.scout)
    if not len(mine):
        known.scout = -1
        return
    turn.used.add(known.scout)
    if turn.workers.order[mine[0]] != UnitOrder.MOVE:
        turn.order(GameOrderKind.MOVE, [known.scout], at=left[0], why="scout")


def _call_back(turn: Turn) -> None:
    """The scout has seen enough; its next order is to gather."""
    if turn.known.scout > 0 and (turn.workers.tag == turn.known.scout).any():
        turn.order(GameOrderKind.MOVE, [turn.known.scout], at=turn.known.home, why="scouted")
    turn.known.scout = -1
