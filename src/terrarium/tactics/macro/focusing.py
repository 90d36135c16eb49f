"""Focus fire for whole games: units in a fight shoot at the weakest enemy in their reach."""

import numpy as np

from terrarium.tactics.macro.game_view import GameOrderKind
from terrarium.tactics.macro.turn import Turn

MARGIN = 0.5
"""cells beyond the reach of a weapon that count as in reach"""
MOST_ON_ONE = 8
"""units that shoot at one enemy"""
SHORT = 2.0
"""Units with a shorter reach choose for themselves"""


def focus(turn: Turn) -> None:
    """Send shots where they kill."""
    enemy, army, catalog = turn.view.enemy, turn.army, turn.catalog
    targets = enemy.where(catalog.fights[enemy.kind] & ~catalog.is_structure[enemy.kind])
    shooters = army.where(catalog.reach[army.kind] > SHORT)
    if not len(targets) or not len(shooters):
        return
    apart = np.hypot(shooters.x[:, None] - targets.x[None], shooters.y[:, None] - targets.y[None])
    room = catalog.radius[shooters.kind][:, None] + catalog.radius[targets.kind][None]
    in_reach = apart - room <= catalog.reach[shooters.kind][:, None] + MARGIN
    flies = catalog.flies[targets.kind]
    in_reach &= ~flies[None] | catalog.hits_air[shooters.kind][:, None]
    rest = np.ones(len(shooters), np.bool_)
    for j in np.argsort(targets.life, kind="stable"):
        who = np.flatnonzero(in_reach[:, j] & rest)[:MOST_ON_ONE]
        if len(who) < 2:
            continue
        rest[who] = False
        tags = shooters.tag[who].tolist()
        turn.order(GameOrderKind.ATTACK, tags, target=int(targets.tag[j]), why="focus")
        for tag in tags:
            turn.memory.goals.pop(tag, None)
