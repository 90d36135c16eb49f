"""A whole fight: wait, shoot, step back, withdraw, heal, each where it is best."""

from dataclasses import replace

import numpy as np

from terrarium.tactics.focus_fire import Targets, choose_targets
from terrarium.tactics.formation import (
    holds_fire,
    is_off,
    is_quiet,
    line_places,
)
from terrarium.tactics.geometry import centers, places_of
from terrarium.tactics.healing import choose_patients, waiting_places
from terrarium.tactics.kiting import kite
from terrarium.tactics.orders import OrderKind, Orders, no_orders
from terrarium.tactics.relief import hands_over, rests
from terrarium.tactics.spreading import awaits_bursts, spread_out
from terrarium.tactics.view import NOBODY, Bools, Floats, Ints, View
from terrarium.tactics.withdrawal import withdraw


def lead(view: View) -> Orders:
    """Orders for every own unit. What is said later overrules what was said before."""
    targets = choose_targets(view)
    orders = replace(
        no_orders(view),
        kind=np.where(targets.who == NOBODY, OrderKind.STOP, OrderKind.ATTACK),
        target=targets.who,
    )
    orders = _stop(orders, holds_fire(view, targets))
    orders = _kite(view, orders, targets)
    orders = _relieve(view, orders, targets)
    orders = _withdraw(view, orders)
    orders = _form_line(view, orders)
    orders = _spread(view, orders, targets)
    orders = _heal(view, orders)
    return replace(orders, kind=np.where(view.own.alive, orders.kind, OrderKind.NONE))


def _kite(view: View, orders: Orders, targets: Targets) -> Orders:
    steps = kite(view, targets)
    orders = _move(orders, steps.follows, places_of(view.enemy.pos, targets.who))
    return _step(view, orders, steps.runs, steps.heading)


def _relieve(view: View, orders: Orders, targets: Targets) -> Orders:
    stays = orders.kind != OrderKind.MOVE
    orders = _stop(orders, stays & hands_over(view, targets))
    away = 2.0 * view.own.pos - centers(view.enemy.pos, view.enemy.alive)[:, None]
    return _move(orders, rests(view, targets), away)


def _withdraw(view: View, orders: Orders) -> Orders:
    plan = withdraw(view)
    return _step(view, _stop(orders, plan.waits), plan.leaves, plan.heading)


def _form_line(view: View, orders: Orders) -> Orders:
    waits = is_quiet(view)[:, None] & view.own.alive
    place = line_places(view)
    return _move(_stop(orders, waits), waits & is_off(view, place), place)


def _spread(view: View, orders: Orders, targets: Targets) -> Orders:
    waits = awaits_bursts(view) & ~targets.in_reach
    crowded, heading = spread_out(view)
    return _step(view, _stop(orders, waits), waits & crowded, heading)


def _heal(view: View, orders: Orders) -> Orders:
    """Healers heal; one without a patient stays behind the others."""
    healers = (view.own.heals_per_tick > 0.0) & (view.own.period_ticks <= 0.0)
    patient = choose_patients(view)
    place = np.broadcast_to(waiting_places(view)[:, None], view.own.pos.shape)
    orders = _move(_stop(orders, healers), healers & is_off(view, place), place)
    heals = healers & (patient != NOBODY)
    return replace(
        orders,
        kind=np.where(heals, OrderKind.HEAL, orders.kind),
        target=np.where(healers, patient, orders.target),
    )


def _stop(orders: Orders, who: Bools) -> Orders:
    return replace(orders, kind=np.where(who, OrderKind.STOP, orders.kind))


def _move(orders: Orders, who: Bools, point: Floats) -> Orders:
    return replace(
        orders,
        kind=np.where(who, OrderKind.MOVE, orders.kind),
        point=np.where(who[..., None], point, orders.point),
    )


def _step(view: View, orders: Orders, who: Bools, heading: Ints) -> Orders:
    return _move(orders, who, view.own.pos + view.headings[heading])
