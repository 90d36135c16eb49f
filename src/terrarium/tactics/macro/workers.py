"""Where workers work: minerals and gas of all bases, and what their energy is for."""

import numpy as np

from terrarium.tactics.macro.game_view import Bools, GameOrderKind, Ints, UnitOrder
from terrarium.tactics.macro.turn import Turn

PER_GEYSER = 3
GAS_RICH, GAS_POOR = 500.0, 200.0
"""gas that is left over: with more than the first, a geyser has one worker until less than the
second"""
PER_FIELD = 2
MOST_MOVED = 4
"""workers that go to another base in one decision"""
SHARE_OF_WAY = 0.6
"""from a townhall to a field, where MULEs come down"""
FEWEST_ON_MINERALS = 8
"""before any of them gathers gas"""


def employ(turn: Turn) -> None:
    """Send idle workers to work, fill geysers, and even out the bases."""
    workers = turn.workers
    if not len(workers) or not len(turn.halls):
        return
    index = _resource_of(turn)
    base = np.where(index >= 0, turn.field_base[index], -1)
    on_minerals = index >= 0
    on_minerals[on_minerals] = (
        turn.catalog.resource[turn.view.resources.kind[index[on_minerals]]] == 1
    )
    counts = np.bincount(base[on_minerals & (base >= 0)], minlength=len(turn.halls))
    room = PER_FIELD * _fields(turn) - counts
    _fill_geysers(turn, on_minerals, room)
    _use_idle(turn, room)
    if (room < -1).any() and (room > 1).any():
        _even_out(turn, base, on_minerals, room)


def _resource_of(turn: Turn) -> Ints:
    """For each worker, which resource it gathers at; -1 = none of those memory."""
    workers, resources = turn.workers, turn.view.resources
    if not len(resources):
        return np.full(len(workers), -1)
    place = np.searchsorted(resources.tag, workers.order_target)
    place = np.minimum(place, len(resources) - 1)
    found = (resources.tag[place] == workers.order_target) & (workers.order == UnitOrder.GATHER)
    return np.where(found, place, -1)


def _fields(turn: Turn) -> Ints:
    """Mineral fields of each townhall."""
    is_mineral = turn.catalog.resource[turn.view.resources.kind] == 1
    base = turn.field_base[is_mineral & (turn.field_base >= 0)]
    return np.asarray(np.bincount(base, minlength=len(turn.halls)))


def _fill_geysers(turn: Turn, on_minerals: Bools, room: Ints) -> None:
    """Three workers for each geyser with a structure, fewer while gas is left over."""
    structures, workers, catalog = turn.structures, turn.workers, turn.catalog
    pumps = structures.where((catalog.resource[structures.kind] == 2) & structures.done)
    n_left = int(on_minerals.sum()) - FEWEST_ON_MINERALS
    memory, gas = turn.memory, turn.view.vespene
    rich = gas > turn.view.minerals and gas > (GAS_POOR if memory.gas_rich else GAS_RICH)
    memory.gas_rich, per_geyser = rich, 1 if rich else PER_GEYSER
    for k in range(len(pumps)):
        tag, place = int(pumps.tag[k]), (pumps.x[k], pumps.y[k])
        here = workers.order_target == tag
        lacks = (per_geyser if pumps.contents[k] > 0 else 0) - int(here.sum())
        if lacks < 0:
            out = np.flatnonzero(here & ~workers.inside)[:-lacks]
            tags = [int(workers.tag[j]) for j in out if turn.is_free(int(workers.tag[j]))]
            _send(turn, tags, int(room.argmax()), room, "enough gas")
        if lacks <= 0 or n_left <= 0:
            continue
        far = np.where(on_minerals, np.hypot(workers.x - place[0], workers.y - place[1]), np.inf)
        nearest = np.argsort(far, kind="stable")[: min(lacks, n_left)]
        tags = [int(workers.tag[j]) for j in nearest if turn.is_free(int(workers.tag[j]))]
        if tags:
            turn.order(GameOrderKind.GATHER, tags, target=tag, why="gas")
            n_left -= len(tags)


def _use_idle(turn: Turn, room: Ints) -> None:
    workers = turn.workers
    idle = np.flatnonzero(workers.order == UnitOrder.IDLE)
    tags = [int(workers.tag[k]) for k in idle if turn.is_free(int(workers.tag[k]))]
    if tags:
        _send(turn, tags, int(room.argmax()), room, "idle")


def _even_out(turn: Turn, base: Ints, on_minerals: Bools, room: Ints) -> None:
    """From the fullest base to the one with most room."""
    full, empty = int(room.argmin()), int(room.argmax())
    n = min(-int(room[full]), int(room[empty]), MOST_MOVED)
    there = np.flatnonzero(on_minerals & (base == full))
    tags = [int(turn.workers.tag[k]) for k in there if turn.is_free(int(turn.workers.tag[k]))]
    _send(turn, tags[:n], empty, room, "to another base")


def _send(turn: Turn, tags: list[int], hall: int, room: Ints, why: str) -> None:
    """To a mineral field of a base."""
    resources = turn.view.resources
    is_mineral = turn.catalog.resource[resources.kind] == 1
    fields = np.flatnonzero(is_mineral & (turn.field_base == hall))
    if not len(fields):
        fields = np.flatnonzero(is_mineral)
    if not len(fields) or not tags:
        return
    x, y = turn.halls.x[hall], turn.halls.y[hall]
    far = np.hypot(resources.x[fields] - x, resources.y[fields] - y)
    field = int(fields[int(far.argmin())])
    turn.order(GameOrderKind.GATHER, tags, target=int(resources.tag[field]), why=why)
    room[hall] -= len(tags)


def use_energy(turn: Turn) -> None:
    """MULEs, Chrono Boost, Spawn Larva: whenever there is energy for them."""
    if not turn.level.uses_energy or not len(turn.halls):
        return
    own, catalog = turn.view.own, turn.catalog
    for use in turn.plan.energy:
        if turn.memory.refused.get(use.ability, 0) > turn.loop:
            continue
        ready = (own.kind == catalog.rows[use.unit]) & own.done & (own.energy >= use.energy)
        for k in np.flatnonzero(ready):
            tag, place = int(own.tag[k]), (float(own.x[k]), float(own.y[k]))
            if not turn.is_free(tag):
                continue
            if use.at == "minerals":
                _call_down(turn, tag, use.ability)
            elif target := _energy_target(turn, use.at, place):
                turn.order(GameOrderKind.USE, [tag], use.ability, target=target, why="energy")
    _employ_summoned(turn)


def _call_down(turn: Turn, tag: int, ability: str) -> None:
    """Between a townhall and the fullest of its fields."""
    resources, halls = turn.view.resources, turn.halls
    is_mineral = (turn.catalog.resource[resources.kind] == 1) & (turn.field_base >= 0)
    if not is_mineral.any():
        return
    k = int(np.where(is_mineral, resources.contents, -1.0).argmax())
    hall = int(turn.field_base[k])
    x = halls.x[hall] + SHARE_OF_WAY * (resources.x[k] - halls.x[hall])
    y = halls.y[hall] + SHARE_OF_WAY * (resources.y[k] - halls.y[hall])
    turn.order(GameOrderKind.USE, [tag], ability, at=(float(x), float(y)), why="energy")


def _employ_summoned(turn: Turn) -> None:
    """A MULE gathers at the nearest field."""
    own, resources, catalog = turn.view.own, turn.view.resources, turn.catalog
    idle = catalog.is_summoned_worker[own.kind] & (own.order == UnitOrder.IDLE)
    fields = np.flatnonzero((catalog.resource[resources.kind] == 1) & (turn.field_base >= 0))
    for k in np.flatnonzero(idle) if len(fields) else ():
        far = np.hypot(resources.x[fields] - own.x[k], resources.y[fields] - own.y[k])
        target = int(resources.tag[fields[int(far.argmin())]])
        turn.order(GameOrderKind.GATHER, [int(own.tag[k])], target=target, why="idle")


def _energy_target(turn: Turn, at: str, place: tuple[float, float]) -> int:
    """What an ability is aimed at, by its tag; 0 = there is nothing."""
    halls = turn.halls
    if at == "townhall":
        return int(halls.tag[int(np.hypot(halls.x - place[0], halls.y - place[1]).argmin())])
    busy = turn.structures.where(turn.structures.done & (turn.structures.n_queued > 0))
    free = [int(tag) for tag in busy.tag if tag not in turn.used]
    return free[-1] if free else 0
