"""Ravens: stop the most dangerous machine, soften the crowd, and leave a turret."""

import numpy as np

from terrarium.tactics.geometry import distances, nearest_of, unit_vectors
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View
from terrarium.tactics.yamato import share_out

MATRIX, MISSILE, TURRET = "interference_matrix", "anti_armor_missile", "auto_turret"
MATRIX_VALUE = 250.0
CROWD = 4
CROWD_RADIUS = 2.88
TURRET_NEAR = 7.0


def raven(view: View) -> list[Wish]:
    """Matrix first, then the missile, then turrets."""
    enemy, wishes = view.enemy, []
    reach = view.own.radius[..., None] + enemy.radius[:, None] + 0.5
    if view.may(MATRIX).any():
        machine = view.kinds.is_mechanical[enemy.kind] | view.kinds.is_psionic[enemy.kind]
        fits = enemy.alive & machine & ~view.kinds.is_structure[enemy.kind]
        value = np.where(fits & (enemy.period_ticks > 0.0), view.kinds.value[enemy.kind], 0.0)
        value = np.where(value >= MATRIX_VALUE, value, 0.0)
        near = view.may(MATRIX)[..., None] & (view.apart <= reach + view.ranges[MATRIX])
        target = share_out(view, np.where(near, value[:, None], 0.0), MATRIX)
        wishes.append(
            Wish(target != NOBODY, OrderKind.CAST, "matrix: the most dangerous machine",
                 target=target, ability=MATRIX)
        )  # fmt: skip
    if view.may(MISSILE).any():
        crowd = (distances(enemy.pos, enemy.pos) <= CROWD_RADIUS) & enemy.alive[:, None]
        count = np.where(enemy.alive, crowd.sum(axis=2), 0)
        count = np.where(count >= CROWD, count, 0).astype(np.float64)
        near = view.may(MISSILE)[..., None] & (view.apart <= reach + view.ranges[MISSILE])
        target = share_out(view, np.where(near, count[:, None], 0.0), MISSILE)
        first = np.cumsum(target != NOBODY, axis=1) == 1  # one for a crowd
        wishes.append(
            Wish((target != NOBODY) & first, OrderKind.CAST, "missile: into the crowd",
                 target=target, ability=MISSILE)
        )  # fmt: skip
    if view.may(TURRET).any():
        who, far = nearest_of(view, enemy.alive & ~enemy.is_air)
        place = np.take_along_axis(enemy.pos, np.maximum(who, 0)[..., None], axis=1)
        point = view.own.pos + 1.5 * unit_vectors(place - view.own.pos)
        wishes.append(
            Wish(view.may(TURRET) & (far <= TURRET_NEAR), OrderKind.CAST,
                 "turret: where they come", point=point, ability=TURRET)
        )  # fmt: skip
    return wishes
