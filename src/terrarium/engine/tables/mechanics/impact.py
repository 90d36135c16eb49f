"""Impact: what an ability of any mechanic does where it arrives, besides its hits and buff."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.vocabulary import SIDES
from terrarium.engine.codes import code
from terrarium.engine.tables.names import traits

IMPACT = np.dtype(
    [
        ("circle", "f8"),  # radius; 0 = the target alone
        ("who", "i8"),  # whom it concerns in the circle
        ("must_be", "i8"),
        ("must_not_be", "i8"),
        ("heal_life", "f8"),  # at once
        ("drain_shields", "f8"),
        ("drain_energy", "f8"),
        ("drain_all", "?"),  # all energy
        ("damage_per_energy", "f8"),
        ("push", "f8"),  # distance
        ("push_ticks", "f8"),
        ("push_never", "i8"),  # traits of those who stay where they are
    ],
    align=True,
)


def has_impact(ability: Ability) -> bool:
    """Does an ability need a row at all?"""
    heals = ability.restore is not None and ability.restore.life > 0.0
    return bool(ability.circle or ability.drain or ability.push or heals)


def impact_row(ability: Ability) -> dict[str, Any]:
    circle, restore = ability.circle, ability.restore
    drain, push = ability.drain, ability.push
    return {
        "circle": circle.radius if circle else 0.0,
        "who": code(SIDES, circle.who) if circle else 0,
        "must_be": traits(circle.only) if circle else 0,
        "must_not_be": traits(circle.never) if circle else 0,
        "heal_life": restore.life if restore else 0.0,
        "drain_shields": drain.shields if drain else 0.0,
        "drain_energy": drain.energy if drain else 0.0,
        "drain_all": drain.all_energy if drain else False,
        "damage_per_energy": drain.damage_per_energy if drain else 0.0,
        "push": push.distance if push else 0.0,
        "push_ticks": (push.loops or 1.0) if push else 0.0,
        "push_never": traits(push.never) if push else 0,
    }
