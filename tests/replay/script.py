"""A small script that leads battles which tests record."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER, OWNERS

_OWNERS = tuple(OWNERS.values())


def is_over(sim: Simulator) -> bool:
    """Has a side nobody left to fight with, or is the time up?"""
    limit_ticks = sim.scenario.limit_steps * sim.scenario.ticks_per_step
    return int(sim.ticks[0]) >= limit_ticks or not all(n_fighters(sim))


def n_fighters(sim: Simulator) -> list[int]:
    """Living units of each side that have a weapon: as in SMAC, Medivacs alone have lost."""
    units = sim.units[0]
    armed = units["alive"] & (sim.rules.types["n_weapons"][units["kind"]] > 0)
    return [int(armed[units["owner"] == owner].sum()) for owner in _OWNERS]


def lead(sim: Simulator) -> None:
    """Command the passive allies: fighters attack the weakest enemy in range or else the nearest
    one, healers the friend with the worst wound; without a wound they stay with a fighter."""
    units, rules = sim.units[0], sim.rules
    kind, alive, ours = units["kind"], units["alive"], units["owner"] == ALLY_OWNER
    radius, most = rules.types["radius"][kind], rules.types["hp"][kind]
    gap = (
        np.hypot(*(units[axis][:, None] - units[axis] for axis in "xy")) - radius[:, None] - radius
    )
    rank, reach = rules.rank[kind[:, None], kind], rules.reach[kind[:, None], kind]
    possible = alive & ~ours & (rank >= 0)
    # The weakest in range before all others: no unit of the game has a million hit points.
    dislike = np.where(gap <= reach, units["hp"] + units["shield"] - 1e6, gap)
    dislike[~possible] = np.inf
    share = np.where(alive & ours & rules.types["biological"][kind], units["hp"] / most, np.inf)
    fighters = np.flatnonzero(alive & ours & (rules.types["n_weapons"][kind] > 0))
    for u in np.flatnonzero(alive & ours & units["passive"]).tolist():
        if possible[u].any():
            sim.order(0, u, codes.ATTACK, target=int(dislike[u].argmin()))
        elif rules.types["heal_life"][kind[u]] > 0.0 and share.min() < 1.0:
            sim.order(0, u, codes.HEAL, target=int(share.argmin()))
        elif len(fighters):
            sim.order(0, u, codes.FOLLOW, target=int(fighters[0]))


def outcome_word(sim: Simulator) -> str:
    """How a battle that is over ended for the allies, in the words of a record."""
    words = {(True, True): "timeout", (True, False): "win", (False, True): "loss"}
    allies, enemies = n_fighters(sim)
    return words.get((allies > 0, enemies > 0), "draw")
