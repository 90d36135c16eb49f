"""Makes products of all kinds: finds a producer, and first what is missing."""

from enum import Enum

import numpy as np

from terrarium.tactics.macro.catalog import Recipe
from terrarium.tactics.macro.game_view import GameOrderKind, UnitOrder
from terrarium.tactics.macro.placement import claim, find_place
from terrarium.tactics.macro.turn import Turn

LARVA = "larva"
MAX_DEPTH = 4
"""of requirements of requirements"""


class MakeOutcome(Enum):
    """What became of the wish for a product."""

    MADE = 0
    POOR = 1
    """money is kept for it from now on"""
    BLOCKED = 2
    """something else has to come first"""
    PREPARED = 3
    """what it requires was ordered"""


def make(turn: Turn, product: str, why: str, depth: int = 0) -> MakeOutcome:
    """Order a product, or the first thing that is missing for it."""
    if depth > MAX_DEPTH or turn.memory.refused.get(product, 0) > turn.loop:
        return MakeOutcome.BLOCKED
    missing: str | None = None
    ready = False
    for recipe in turn.catalog.recipes[product]:
        if recipe.how == "warp_in":
            continue
        need = _missing(turn, recipe)
        if need is None:
            ready, outcome = True, _make_by(turn, recipe, why)
            if outcome != MakeOutcome.BLOCKED:
                return outcome
        missing = missing or need
    if ready or not missing:
        return MakeOutcome.BLOCKED
    outcome = make(turn, missing, f"for {product}", depth + 1)
    return MakeOutcome.PREPARED if outcome == MakeOutcome.MADE else outcome


def _missing(turn: Turn, recipe: Recipe) -> str | None:
    """What has to be made first: its name; '' where waiting is enough; None where all is there."""
    catalog = turn.catalog
    if not turn.there[recipe.producer]:
        producer = catalog.names[recipe.producer]
        waits = turn.making[recipe.producer] or producer in (LARVA, turn.plan.worker)
        return "" if waits or producer not in catalog.recipes else producer
    for name, rows in recipe.needs:
        if not turn.done_any(rows):
            return "" if turn.count_any(rows) else name
    if any(upgrade not in turn.view.upgrades for upgrade in recipe.upgrades):
        waits = turn.view.researching.intersection(recipe.upgrades)
        return "" if waits else recipe.upgrades[0]
    for name, rows in recipe.attached:
        if not any(kind in rows for kind in turn.addons.values()):
            own = f"{catalog.names[recipe.producer]}_{name}"
            return "" if own not in catalog.rows or turn.count(own) else own
    return None


def _make_by(turn: Turn, recipe: Recipe, why: str) -> MakeOutcome:
    builds = recipe.how in ("build", "build_on_geyser")
    tag = 0 if builds else free_producer(turn, recipe)
    if not builds and not tag:
        return MakeOutcome.BLOCKED
    if recipe.supply > turn.supply_left:
        return MakeOutcome.BLOCKED
    if not turn.can_pay(recipe):
        turn.pay(recipe)
        return MakeOutcome.POOR
    if builds:
        return _build(turn, recipe, why)
    turn.pay(recipe)
    turn.supply_left -= recipe.supply
    turn.order(GameOrderKind.MAKE, [tag], recipe.product, why=why)
    if recipe.product in turn.catalog.rows:
        turn.making[turn.catalog.rows[recipe.product]] += 1
    return MakeOutcome.MADE


def free_producer(turn: Turn, recipe: Recipe) -> int:
    """The tag of a producer that has nothing to do; 0 = there is none."""
    own, catalog = turn.view.own, turn.catalog
    takes = (own.kind == recipe.producer) & own.done & (own.n_queued <= 1)
    rows = {row for _, group in recipe.attached for row in group}
    for k in np.flatnonzero(takes):
        tag = int(own.tag[k])
        if not turn.is_free(tag):
            continue
        addon = turn.addons.get(tag, 0) if catalog.is_structure[recipe.producer] else 0
        if addon < 0 or (recipe.how == "addon" and addon):
            continue  # is building an add-on, or has one
        if rows and addon not in rows:
            continue
        has_reactor = addon > 0 and catalog.names[addon].endswith("reactor")
        if own.n_queued[k] == 0 or (has_reactor and recipe.how == "train"):
            return tag
    return 0


def _build(turn: Turn, recipe: Recipe, why: str) -> MakeOutcome:
    found = find_place(turn, recipe.product)
    if found is None:
        return MakeOutcome.BLOCKED
    place, geyser = found
    worker = nearest_worker(turn, place)
    if not worker:
        return MakeOutcome.BLOCKED
    claim(turn, place)
    turn.pay(recipe)
    turn.making[turn.catalog.rows[recipe.product]] += 1
    turn.order(GameOrderKind.BUILD, [worker], recipe.product, place, geyser, why)
    return MakeOutcome.MADE


def nearest_worker(turn: Turn, place: tuple[float, float]) -> int:
    """The tag of a worker that gathers, or has nothing to do; 0 = there is none."""
    workers = turn.workers
    free = (workers.order == UnitOrder.GATHER) | (workers.order == UnitOrder.IDLE)
    free &= ~workers.inside
    far = np.hypot(workers.x - place[0], workers.y - place[1])
    far[~free] = np.inf
    for k in np.argsort(far, kind="stable"):
        if np.isinf(far[k]):
            return 0
        if turn.is_free(int(workers.tag[k])):
            return int(workers.tag[k])
    return 0


def go_on_building(turn: Turn) -> None:
    """A worker for each structure whose builder is gone; those of Terran wait for one."""
    if turn.plan.race != "Terran":
        return
    structures, workers = turn.structures, turn.workers
    begun = structures.where(~structures.done & ~turn.catalog.is_addon[structures.kind])
    builders = set(workers.order_target[workers.order == UnitOrder.BUILD].tolist())
    for k, tag in enumerate(begun.tag.tolist()):
        if tag in builders:
            continue
        worker = nearest_worker(turn, (float(begun.x[k]), float(begun.y[k])))
        if worker:
            turn.order(GameOrderKind.CONSTRUCT, [worker], target=tag, why="go on building")
