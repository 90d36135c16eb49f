"""What a player finds out of its enemies, and remembers."""

import numpy as np

from terrarium.tactics.macro.game_view import GameOrderKind, Point, UnitOrder
from terrarium.tactics.macro.hunting import next_target
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
    """Send a worker to look at the enemy's start; later, again and again, at what is nearest."""
    level, memory = turn.level, turn.memory
    if not level.scouts_from or turn.loop < level.scouts_from:
        return
    if memory.scout < 0:
        again = level.scouts_every and turn.loop - memory.scouted >= level.scouts_every
        if not again or not memory.structures:
            return
        memory.scout = 0
    goal = _goal(turn)
    if goal is None:
        _call_back(turn)
        return
    if memory.scout == 0:
        memory.scout = nearest_worker(turn, memory.home) or -1
        memory.scouted = turn.loop
    mine = np.flatnonzero(turn.workers.tag == memory.scout)
    if not len(mine):
        memory.scout = -1
        return
    at = (float(turn.workers.x[mine[0]]), float(turn.workers.y[mine[0]]))
    if abs(at[0] - goal[0]) < FOUND and abs(at[1] - goal[1]) < FOUND:
        _call_back(turn)
        return
    turn.used.add(memory.scout)
    if turn.workers.order[mine[0]] != UnitOrder.MOVE:
        turn.order(GameOrderKind.MOVE, [memory.scout], at=goal, why="scout")


def _goal(turn: Turn) -> Point | None:
    """The first enemy start that nobody has seen; where an enemy is known, its nearest structure,
    before which its army waits."""
    memory = turn.memory
    if memory.structures:
        if memory.scouted and turn.level.scouts_every:
            return next_target(turn, memory.home)
        return None
    return next((s for s in memory.enemy_starts if s not in memory.visited), None)


def _call_back(turn: Turn) -> None:
    """The scout has seen enough; its next order is to gather."""
    if turn.memory.scout > 0 and (turn.workers.tag == turn.memory.scout).any():
        turn.order(GameOrderKind.MOVE, [turn.memory.scout], at=turn.memory.home, why="scouted")
    turn.memory.scout = -1
