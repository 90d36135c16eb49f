"""What a player spends its money on, in the order of need."""

import math

import numpy as np

from terrarium.data.opponents.plans import ArmyShare
from terrarium.tactics.macro.making import LARVA, MakeOutcome, go_on_building, make
from terrarium.tactics.macro.turn import Turn

MOST_SUPPLY = 200.0
WORKER_TICKS = 272
SUPPLY_SLACK, SUPPLY_SHARE = 2.0, 0.12
"""free supply that is wanted: a number, and a share of what is used"""
SPARE_MINERALS = 400.0
"""left over: time for more producers"""
RICH_MINERALS = 800.0
"""left over: one producer more than the bases feed, and one more at a time, for each so many"""
LARVAE_MINERALS = 550.0
"""left over: one more townhall, for its larvae"""
WORKERS_PER_GAS = 7
WORKERS_BEFORE_GAS = 10
GAS_ENOUGH = 300.0
"""left over: no time for more geysers"""
MOST_UNITS_AT_ONCE = 8
ENOUGH_LARVAE = 2
"""so many that nobody uses: time for larger armies, not for more townhalls"""
SAVED_TICKS = 1000
"""of its rate, that a level with a limited one can spend on an army at once"""
AHEAD_TICKS = 3000
"""how long before an army is due a good player has what makes it"""
HURRY_TICKS = 1500
"""how much earlier than scheduled an army grows when the enemy's is large"""
ARMY_SLACK = 1.25
"""more of an army than what the enemy's takes"""
FLYING_SHARE = 0.25
"""of the enemy's army, from which on a player adapts to it"""
FEWEST_FIELDS = 4
"""a base with fewer counts for none"""


def spend(turn: Turn) -> None:
    """Order everything that is due, what is needed most first; what is due and cannot be paid yet
    keeps its money."""
    if not len(turn.halls) and not _halls(turn):
        make(turn, turn.plan.townhalls[0], "the last townhall is gone")
    go_on_building(turn)
    supply(turn)
    if _is_outnumbered(turn):
        army(turn)
    halls = frozenset(turn.plan.townhalls)
    structures(turn, halls)  # a townhall that trains workers without pause could never change
    workers(turn)
    expansions(turn)
    gas(turn)
    structures(turn, frozenset(goal.what for goal in turn.plan.structures) - halls)
    upgrades(turn)
    army(turn)
    producers(turn)


def _is_outnumbered(turn: Turn) -> bool:
    """Has the enemy a larger army, as far as it is known?"""
    if not turn.enemy_army.value:
        return False
    return turn.army_value_now() < turn.level.army_ratio * turn.enemy_army.value


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


def _may_expand(turn: Turn) -> bool:
    """May there be more townhalls than the level has bases by now? Not before its second one."""
    due = turn.level.expansions[turn.plan.race]
    return bool(due) and turn.loop >= due[0] and turn.minerals >= LARVAE_MINERALS


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
    """Units of the plan by their shares, up to the level's army, or to what the enemy's army
    takes."""
    catalog = turn.catalog
    shares, budget = _shares(turn), _army_budget(turn)
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
        fits = value + cost / 2.0 <= _most_army(turn, recipe.ticks) and cost <= budget
        if fits and make_unit(turn, unit) == MakeOutcome.MADE:
            budget -= cost
            turn.memory.army_budget -= cost
        else:
            closed.add(unit)


def _army_budget(turn: Turn) -> float:
    """What may be spent on army units now: weaker levels replace a lost army slowly, however much
    money is left over."""
    memory = turn.memory
    rate = turn.level.army_rate * turn.level.late_growth(turn.loop)
    if not rate:
        return math.inf
    grown = memory.army_budget + rate * (turn.loop - memory.budget_loop)
    memory.army_budget, memory.budget_loop = min(grown, rate * SAVED_TICKS), turn.loop
    return memory.army_budget


def _most_army(turn: Turn, ticks: float) -> float:
    """The value of an army that is wanted some ticks from now."""
    loop = turn.loop + ticks
    scheduled, later = turn.army_at(loop), turn.army_at(loop + HURRY_TICKS)
    return max(scheduled, min(later, ARMY_SLACK * turn.level.army_ratio * turn.enemy_army.value))


def _shares(turn: Turn) -> list[ArmyShare]:
    """Of the units that the plan has by now; those that hit flyers count more, the more of the
    enemy's army flies."""
    plan, catalog = turn.plan, turn.catalog
    shares = [s for s in plan.army if turn.loop >= s.loop * turn.level.slowdown]
    enemy = turn.enemy_army
    if not turn.level.adapts or enemy.flying < FLYING_SHARE * enemy.value or not enemy.flying:
        return shares
    flying = enemy.flying / enemy.value
    total = sum(s.weight for s in shares)
    weights = {
        s.unit: s.weight if catalog.hits_air[catalog.rows[s.unit]] else (1.0 - flying) * s.weight
        for s in shares
    }
    weights[plan.anti_air] = weights.get(plan.anti_air, 0.0) + flying * total
    return [ArmyShare(unit, weight, 0.0) for unit, weight in weights.items()]


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
    ahead = AHEAD_TICKS if turn.level.army_ratio else WORKER_TICKS * 4
    if turn.army_value_now() + SPARE_MINERALS > _most_army(turn, ahead):
        return
    if turn.there[turn.catalog.rows[LARVA]] >= ENOUGH_LARVAE:
        return
    rich = int(turn.minerals / RICH_MINERALS)
    for name, n in turn.plan.producers.items():
        row = turn.catalog.rows[name]
        there, done, most = turn.count(name), int(turn.done[row]), n * len(turn.halls) + rich
        if name in turn.plan.townhalls:  # makes larvae, whatever it has become
            there, done, most = _halls(turn), len(turn.halls), n if _may_expand(turn) else 0
        if 0 < there < most and there - done <= rich:
            make(turn, name, "more producers")
            return
