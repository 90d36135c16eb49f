"""The number that a battle reports: how well the allies did what its scenario asks for."""

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.forms import fighting_value, forms_of
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine.jit import entry, kernel
from terrarium.engine.records import Records, records
from terrarium.engine.state import Game
from terrarium.engine.tables.plan import OWNERS

WIN, SAVES, KILLS, REACH, SURVIVES = range(5)
_KINDS = {"win": WIN, "saves": SAVES, "kills": KILLS, "reach": REACH, "survives": SURVIVES}

ROUNDING = 1e-9

TERMS = np.dtype(
    [
        ("kind", "i8"),
        ("owner", "i8"),  # whose units count
        ("total", "f8"),  # their value when the battle begins
        ("x", "f8"),
        ("y", "f8"),
        ("radius", "f8"),  # below 0: anywhere
        ("share", "f8"),
        ("good", "f8"),
    ],
    align=True,
)


class Yardstick(NamedTuple):
    """A scenario's measure, for kernels."""

    terms: Annotated[Records, TERMS, "1"]
    value: Annotated[NDArray[np.float64], "f8", "T"]  # minerals and vespene; 0 = does not count


def compile_yardstick(scenario: Scenario, rows: Mapping[str, int]) -> Yardstick:
    """Turn a scenario's measure into tables."""
    facts, measure = load_ruleset(scenario.rules), scenario.measure
    counted = {form for name in measure.only for form in forms_of(facts, name)} or set(rows)
    value = np.zeros(len(rows))
    for name in counted:
        value[rows[name]] = fighting_value(facts, name)
    side = "enemy" if measure.kind in ("win", "kills") else "ally"
    total = 0.0
    for group in scenario.groups:
        if group.side == side:
            n_carriers = sum(group.units.values())
            total += sum(value[rows[name]] * count for name, count in group.units.items())
            total += sum(
                value[rows[name]] * count * n_carriers for name, count in group.inside.items()
            )
    terms = records(1, TERMS)
    terms[0] = (
        _KINDS[measure.kind],
        OWNERS[side],
        total,
        *(measure.at or (0.0, 0.0)),
        -1.0 if measure.radius is None else measure.radius,
        measure.share,
        measure.good,
    )
    return Yardstick(terms, value)


@kernel
def living_value(game: Game, yardstick: Yardstick) -> float:
    """Value of those that count, live, and are where they should be."""
    terms = yardstick.terms[0]
    value = 0.0
    for u in range(game.clock[0].n_slots):
        unit = game.units[u]
        if unit.owner != terms.owner or not (unit.alive or unit.inside >= 0):
            continue
        place = game.units[unit.inside] if unit.inside >= 0 else unit
        dx, dy = place.x - terms.x, place.y - terms.y
        if terms.radius < 0.0 or dx * dx + dy * dy <= terms.radius * terms.radius:
            value += yardstick.value[unit.kind]
    return value


@kernel
def score(game: Game, yardstick: Yardstick) -> float:
    """From 0 to 1, for the battle as it stands."""
    terms = yardstick.terms[0]
    living = living_value(game, yardstick)
    if terms.kind == WIN:
        return 1.0 if living <= 0.0 else 0.0
    if terms.total <= 0.0:
        return 0.0
    if terms.kind == KILLS:
        return max(0.0, 1.0 - living / terms.total)
    if terms.kind == SURVIVES:
        return 1.0 if living > 0.0 and living >= terms.share * terms.total - ROUNDING else 0.0
    return min(1.0, living / terms.total)


class Scores(NamedTuple):
    """Where the numbers of a batch of battles are written."""

    values: Annotated[NDArray[np.float64], "f8", "N"]


@entry
def score_battles(games: Sequence[Game], yardstick: Yardstick, scores: Scores) -> None:
    """The number of every battle, into `scores`."""
    for e in range(scores.values.shape[0]):
        scores.values[e] = score(games[e], yardstick)
