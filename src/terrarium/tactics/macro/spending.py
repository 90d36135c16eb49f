"""What a player spends its money on, in the order of need."""

import numpy as np

from terrarium.tactics.macro.making import MakeOutcome, make
from terrarium.tactics.macro.turn import Turn

MOST_SUPPLY = 200.0
WORKER_TICKS = 272
SUPPLY_SLACK, SUPPLY_SHARE = 2.0, 0.12
"""free supply that is wanted: a number, and a share of what is used"""
SPARE_MINERALS = 400.0
"""left over: time for more producers"""
WORKERS_PER_GAS = 7
WORKERS_BEFORE_GAS = 10
GAS_ENOUGH = 300.0
"""left over: no time for more geysers"""
MOST_UNITS_AT_ONCE = 8
FEWEST_FIELDS = 4
"""a base with fewer counts for none"""


def spend(turn: Turn) -> None:
    """Order everything that is due, what is needed most first; what is due and cannot be paid yet
    keeps its money."""
    if not len(turn.halls) and not _halls(turn):
        make(turn, turn.plan.townhalls[0], "the last townhall is gone")
    supply(turn)
    halls = frozenset(turn.plan.townhalls)
    structures(turn, halls)  # a townhall that trains workers without pause could never change
    workers(turn)
    expansions(turn)
    gas(turn)
    structures(turn, frozenset(goal.what for goal in turn.plan.structures) - halls)
    upgrades(turn)
    army(turn)
    producers(turn)


def _halls(turn: Turn) -> int:
    """Townhalls, with those that are ordered. What one of them becomes is no other one."""
    rows = turn.catalog.rows_of(*turn.plan.townhalls)
    return int(turn.there[list(rows)].sum() + turn.making[rows[0]])


def supply(turn: Turn) -> None:
    """More supply before it runs out."""
    plan, view = turn.plan, turn.view
    given = float(turn.catalog.supply_given[turn.catalog.rows[plan.supply]])
    opening = turn.level.opening.get(plan.race, plan.opening)
    if turn.loop < opening.supply:
        return
    row = turn.catalog.rows[plan.supply]
    coming = given * (turn.count(plan.supply) - int(turn.done[row]))
    wanted = SUPPLY_SLACK + SUPPLY_SHARE * view.supply_used
    for _ in range(3):
        if view.supply_cap + coming >= MOST_SUPPLY or turn.supply_left + coming >= wanted:
            return
        if make(turn, plan.supply, "supply") != MakeOutcome.MADE:
            return
        coming += given


def workers(turn: Turn) -> None:
    """Up to the number of the level, and to what the bases feed."""
    target = turn.level.workers_at(turn.plan.race, turn.loop + WORKER_TICKS)
    row = turn.catalog.rows[turn.plan.worker]
    for _ in range(max(1, len(turn.halls)) * 2):
        n = len(turn.workers) + int(turn.making[row])
        if n + 0.5 > target or make(turn, turn.plan.worker, "worker") != MakeOutcome.MADE:
            return


def gas(turn: Turn) -> None:
    """One geyser at the opening's loop, more as workers allow."""
    plan = turn.plan
    opening = turn.level.opening.get(plan.race, plan.opening)
    if turn.loop < opening.gas * turn.level.slowdown:
        return
    if turn.vespene > GAS_ENOUGH:
        return
    wanted = max(1, (turn.n_workers - WORKERS_BEFORE_GAS) // WORKERS_PER_GAS)
    wanted = min(wanted, 2 * max(1, len(turn.halls)))
    coming = sum(turn.count(name) for name in plan.gas) - sum(
        int(turn.done[turn.catalog.rows[name]]) for name in plan.gas
    )
    if sum(turn.count(name) for name in plan.gas) < wanted and not coming:
        make(turn, plan.gas[0], "gas")


def structures(turn: Turn, kinds: frozenset[str]) -> None:
    """What the plan wants of some kinds by now; of each kind one after the other."""
    plan = turn.plan
    opening = turn.level.opening.get(plan.race, plan.opening)
    tried: set[str] = set()
    for goal in plan.structures:
        first = goal.what == plan.producer and goal.count == 1
        loop = opening.production if first else goal.loop
        if turn.loop < loop * turn.level.slowdown or goal.what in tried or goal.what not in kinds:
            continue
        if goal.what in turn.plan.townhalls and not _can_become(turn, goal.what):
            continue
        if turn.count(goal.what) + _successors(turn, goal.what) < goal.count:
            tried.add(goal.what)
            make(turn, goal.what, "plan")


def _can_become(turn: Turn, what: str) -> bool:
    """Is there a townhall for it? Another one is not built for that."""
    return any(turn.there[recipe.producer] for recipe in turn.catalog.recipes[what])


def _successors(turn: Turn, what: str) -> int:
    """Townhalls that have become more than what was wanted: a Hive is also a Lair."""
    halls = turn.plan.townhalls
    if what not in halls:
        return 0
    later = halls[halls.index(what) + 1 :]
    return sum(turn.count(name) for name in later)


def expansions(turn: Turn) -> None:
    """More bases by the level's loops, and new ones for those that are mined out."""
    due = turn.level.expansions[turn.plan.race]
    shift = turn.plan.expansion_shift
    wanted = 1 + sum(turn.loop >= loop * shift for loop in due)
    fields = turn.field_base[turn.catalog.resource[turn.view.resources.kind] == 1]
    counts = np.bincount(fields[fields >= 0], minlength=len(turn.halls))
    spent = int((counts < FEWEST_FIELDS).sum()) if turn.loop > 0 else 0
    if _halls(turn) < min(wanted + spent, len(turn.memory.sites)):
        make(turn, turn.plan.townhalls[0], "expansion")


def upgrades(turn: Turn) -> None:
    """The next upgrades of the plan."""
    level = turn.level
    if not level.upgrades_from or turn.loop < level.upgrades_from:
        return
    n_open = 0
    for name in turn.plan.upgrades:
        if name in turn.view.upgrades or name in turn.view.researching:
            continue
        make(turn, name, "upgrade")
        n_open += 1
        if n_open == 2:
            return


def army(turn: Turn) -> None:
    """Units of the plan by their shares, up to the level's army."""
    catalog, level, plan = turn.catalog, turn.level, turn.plan
    shares = [s for s in plan.army if turn.loop >= s.loop * level.slowdown]
    total = sum(s.weight for s in shares)
    closed: set[str] = set()
    for _ in range(MOST_UNITS_AT_ONCE):
        value = turn.army_value_now()
        lacking = [
            (value * s.weight / total - turn.count(s.unit) * catalog.cost[catalog.rows[s.unit]], k)
            for k, s in enumerate(shares)
            if s.unit not in closed
        ]
        if not lacking:
            return
        unit = shares[max(lacking, key=lambda e: (e[0], -e[1]))[1]].unit
        recipe = catalog.recipes[unit][0]
        cost = recipe.minerals + recipe.vespene
        allowed = level.army_at(plan.race, turn.loop + recipe.ticks)
        if value + cost / 2.0 > allowed or make_unit(turn, unit) != MakeOutcome.MADE:
            closed.add(unit)


def make_unit(turn: Turn, unit: str) -> MakeOutcome:
    """A unit that cannot be made yet must not keep money from others."""
    minerals, vespene = turn.minerals, turn.vespene
    outcome = make(turn, unit, "army")
    if outcome == MakeOutcome.POOR and turn.vespene < 0.0:
        turn.minerals, turn.vespene = minerals, vespene  # waits for gas: others may be made
    return outcome


def producers(turn: Turn) -> None:
    """More of what makes the army, while money is left over and the army is too small."""
    if turn.minerals < SPARE_MINERALS or not len(turn.halls):
        return
    allowed = turn.level.army_at(turn.plan.race, turn.loop + WORKER_TICKS * 4)
    if turn.army_value_now() + SPARE_MINERALS > allowed:
        return
    for name, n in turn.plan.producers.items():
        row = turn.catalog.rows[name]
        busy = turn.count(name) > 0 and turn.done[row] == turn.count(name)
        if busy and turn.count(name) < n * len(turn.halls):
            make(turn, name, "more producers")
            return
