"""One battle under a small script, for people to look at: its course and its outcome."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER, OWNERS

TICKS_PER_S = 16
MOMENT_TICKS = 32
_OWNERS = tuple(OWNERS.values())


@dataclass(frozen=True)
class Moment:
    """A battle at one time: how much of each side is left, and who fell since the moment before."""

    tick: int
    n_alive: Sequence[int]
    life: Sequence[float]
    lost: Sequence[Mapping[str, int]]


def play(sim: Simulator) -> tuple[list[Moment], float]:
    """Play a battle to its end; its course, and how long the engine took."""
    units = sim.units[0]
    full = _life(sim)
    moments: list[Moment] = []
    alive_before = units["alive"].copy()
    engine_s = 0.0
    while True:
        tick = int(sim.ticks[0])
        over = is_over(sim)
        if over or tick >= len(moments) * MOMENT_TICKS:
            share = [now / max(1.0, then) for now, then in zip(_life(sim), full, strict=True)]
            fallen = alive_before & ~units["alive"]
            lost = (units["kind"][fallen & (units["owner"] == owner)] for owner in _OWNERS)
            names = [Counter(sim.names[kind] for kind in kinds) for kinds in lost]
            n_alive = sim.players["n_alive"][0, 1:].tolist()
            moments.append(Moment(tick, n_alive, share, names))
            alive_before = units["alive"].copy()
        if over:
            return moments, engine_s
        lead(sim)
        start = time.perf_counter()
        sim.step()
        engine_s += time.perf_counter() - start


def _life(sim: Simulator) -> list[float]:
    """Life and shields of each side."""
    units = sim.units[0]
    life = (units["hp"] + units["shield"]) * units["alive"]
    return [float(life[units["owner"] == owner].sum()) for owner in _OWNERS]


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


def outcome(sim: Simulator) -> str:
    fighters = n_fighters(sim)
    time_s = sim.ticks[0] / TICKS_PER_S
    if all(fighters):
        return f"Nobody has won when the time is up, after {time_s:.1f} s."
    if not any(fighters):
        return f"Both sides fall together, after {time_s:.1f} s."
    winner = 0 if fighters[0] else 1
    n_left = sim.players["n_alive"][0, _OWNERS[winner]]
    left = f"{n_left} unit{'s' if n_left > 1 else ''}"
    return f"The {('allies', 'enemies')[winner]} win after {time_s:.1f} s with {left} left."
