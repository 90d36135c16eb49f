"""The numbers of the API for what the engine knows by row, and back: types, abilities, tags."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from terrarium.data.api.catalog import ApiAbility, api_abilities
from terrarium.data.battles.agent_copies import agent_copies
from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.forms import agent_type
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.data.games.melee import Melee
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.server.kernels.tags import (
    FIRST_SNAPSHOT_TAG,
    FIRST_TAG,
    SNAPSHOT_MARK,
    TAG_SHIFT,
    UNIT_MARK,
)

Ints = NDArray[np.int64]

SMART = 1
STOP, HOLD, PATROL, MOVE = 3665, 3793, 3795, 3794
ATTACK, GATHER, RETURN = 3674, 3666, 3667
RALLY, RALLY_WORKERS = 3673, 3690
CANCEL, HALT, CANCEL_LAST = 3659, 3660, 3671
BUILD_IN_PROGRESS_CANCEL = 314
MERGE_WITH = 1767
"""to merge into an Archon with the unit that is named"""
GENERAL_ORDERS: Mapping[int, int] = {
    STOP: codes.STOP,
    HOLD: codes.HOLD,
    PATROL: codes.PATROL,
    MOVE: codes.MOVE,
    ATTACK: codes.ATTACK,
    GATHER: codes.GATHER,
    RETURN: codes.RETURN_CARGO,
    RALLY: codes.RALLY,
    RALLY_WORKERS: codes.RALLY_WORKERS,
}
"""what the general abilities that most units share mean to the engine"""
EXACT_ORDERS: Mapping[int, int] = {STOP: 4, HOLD: 18, PATROL: 17, MOVE: 16, ATTACK: 23}
"""the exact ability of units whose command card names no other"""
HEAL_BEAM = 386
SCAN_MOVE = 19
"""how those attack that have no weapon"""
N_ORDER_KINDS = 32


class Scope(IntEnum):
    """What an ability breaks off, where it is one to cancel."""

    NOTHING = 0
    QUEUE = 1
    """the last thing in the queue of a structure"""
    SITE = 2
    """a structure or a unit that is not finished"""
    ADDON = 3
    MORPH = 4
    WORK = 5
    """a worker stops building, or leaves the structure that it builds"""


@dataclass(frozen=True)
class Meaning:
    """What an exact ability is to the engine, for units of one type."""

    ability: int
    """of the API"""
    kind: int
    """of an order: codes.MOVE and following"""
    row: int
    """of Rules.abilities or Rules.products, as the kind says; -1 = none"""
    target: str
    """one of catalog.TARGETS"""
    scope: Scope = Scope.NOTHING


def api_tag(tag: int) -> int:
    """The tag that clients see of a unit of the engine. In a game of several battles tags of the
    engine count on from those before: add `LiveGame.n_tags`."""
    return (FIRST_TAG + tag) << TAG_SHIFT | UNIT_MARK


def snapshot_tag(number: int) -> int:
    """The tag of what a player remembers; numbers are those of SNAPSHOT."""
    return (FIRST_SNAPSHOT_TAG + number) << TAG_SHIFT | SNAPSHOT_MARK


def engine_tag(tag: int) -> int:
    """The unit of the engine that a client means, counted on from earlier battles; 0 = it is no
    tag of a unit."""
    if tag & ((1 << TAG_SHIFT) - 1) != UNIT_MARK:
        return 0
    return max(0, (tag >> TAG_SHIFT) - FIRST_TAG)


def snapshot_number(tag: int) -> int:
    """Which of the snapshots of a player a client means; 0 = none."""
    if tag & ((1 << TAG_SHIFT) - 1) != SNAPSHOT_MARK:
        return 0
    return max(0, (tag >> TAG_SHIFT) - FIRST_SNAPSHOT_TAG)


class Ids:
    """The ids of one game's rules, by row and back."""

    def __init__(self, sim: Simulator) -> None:
        setup = sim.setup
        self.facts: RuleSet = setup.facts if isinstance(setup, Melee) else load_ruleset(setup.rules)
        self._sim, self._api = sim, api_abilities()
        self._units: tuple[Unit, ...] = tuple(self.facts.units.values())
        self.types: Ints = _array(unit.id for unit in self._units)
        """by row of Rules.types"""
        self.type_rows: Mapping[int, int] = {
            unit.id: row for row, unit in reversed(list(enumerate(self._units)))
        }
        self.copies: Mapping[int, int] = self._copies()
        """ids of SMAC's copies, by row of the type: units that never pick a target are of them"""
        self.abilities: Ints = _array(a.id for a in self.facts.abilities.values())
        """by row of Rules.abilities; 0 = it cannot be ordered"""
        self.upgrades: Ints = _array(u.id for u in self.facts.upgrades.values())
        self.buffs: Ints = _array(b.id for b in self.facts.buffs.values())
        self.effects: Ints = _array(f.id for f in self.facts.effects.values())
        """by row of Rules.areas"""
        self.products: Ints = self._products()
        """the ability that makes a product, by row of Rules.products; 0 = it makes itself"""
        self.orders: Ints = self._orders()
        """the exact ability of an order, by row of the type and by kind; 0 = the order names it"""

    def order_ability(self, kind: int, order: int, row: int) -> int:
        """The exact ability that a unit of a type carries out, by the kind of its order and the row
        that it names."""
        if order == codes.CAST:
            return int(self.abilities[row])
        if order == codes.BUILD:
            return int(self.products[row])
        return int(self.orders[kind, order])

    def meanings(self, kind: int, ability: int) -> tuple[Meaning, ...]:
        """What an exact or a general ability may mean for a unit of a type: a general one for each
        exact one that it stands for."""
        card = self.cards[kind]
        if ability in card:
            return (card[ability],)
        return self._general[kind].get(ability, ())

    @cached_property
    def cards(self) -> tuple[Mapping[int, Meaning], ...]:
        """By row of the type: all that its units can be told, by exact ability."""
        made: list[list[Meaning]] = [[] for _ in self._units]
        for p in np.flatnonzero(self.products).tolist():
            product = self._sim.rules.products[p]
            made[int(product["by"])] += self._production(p)
        return tuple(
            {
                meaning.ability: meaning
                for meaning in [*self._common(row), *self._kit(row), *made[row]]
            }
            for row in range(len(self._units))
        )

    @cached_property
    def _general(self) -> tuple[Mapping[int, tuple[Meaning, ...]], ...]:
        general: list[dict[int, tuple[Meaning, ...]]] = []
        for card in self.cards:
            groups: dict[int, tuple[Meaning, ...]] = {}
            for meaning in card.values():
                stands_for = self._api[meaning.ability].remaps_to
                if stands_for is not None:
                    groups[stands_for] = (*groups.get(stands_for, ()), meaning)
            general.append(groups)
        return tuple(general)

    def remaps_to(self, ability: int) -> int:
        """The general ability that stands for an exact one; itself, where none does."""
        entry = self._api.get(ability)
        return entry.remaps_to or ability if entry else ability

    def knows(self, ability: int) -> bool:
        """Is it an ability of the API at all?"""
        return ability in self._api

    def link(self, ability: int) -> str:
        """The name of the command card that an ability belongs to."""
        entry = self._api.get(ability)
        return entry.link if entry else ""

    def is_general(self, ability: int) -> bool:
        """Does an ability only stand for others?"""
        entry = self._api.get(ability)
        return entry is not None and entry.kind == "general"

    def _copies(self) -> Mapping[int, int]:
        setup = self._sim.setup
        copies = agent_copies(setup) if isinstance(setup, Scenario) else {}
        rows = self._sim.rows
        return {rows[agent_type(self.facts, name)]: number for name, number in copies.items()}

    def _products(self) -> Ints:
        abilities = np.zeros(len(self._sim.rules.products) + 1, np.int64)
        by_id = {unit.id: unit for unit in self._units if unit.agent_copy_of is None}
        for unit in self._units:
            for way in unit.production:
                if way.ability and way.by in by_id:
                    abilities[self._sim.product_row(by_id[way.by].name, unit.name)] = way.ability
        for upgrade in self.facts.upgrades.values():
            for producer in upgrade.at:
                abilities[self._sim.product_row(producer, upgrade.name)] = upgrade.ability or 0
        abilities[-1] = 0  # of whatever is no product of these rules
        return abilities

    def _orders(self) -> Ints:
        exact = np.zeros((len(self._units), N_ORDER_KINDS), np.int64)
        for row, unit in enumerate(self._units):
            for general, order in GENERAL_ORDERS.items():
                exact[row, order] = self._exact(unit, general)
            exact[row, codes.ATTACK_MOVE] = exact[row, codes.ATTACK]
            exact[row, codes.FOLLOW] = exact[row, codes.MOVE]
            exact[row, codes.SMART] = SMART
            exact[row, codes.HEAL] = self._heal(row)
        return exact

    def _exact(self, unit: Unit, general: int) -> int:
        """The exact ability on a unit's command card that a general one stands for."""
        if general == ATTACK and not unit.weapons:
            return SCAN_MOVE
        fitting = [a for a in unit.command_card if a in self._api and a != SCAN_MOVE]
        fitting = [a for a in fitting if self._api[a].remaps_to == general]
        return fitting[0] if fitting else EXACT_ORDERS.get(general, 0)

    def _heal(self, row: int) -> int:
        """A beam is an order of its own to the engine, and an ability to the API."""
        if self._units[row].heal is None:
            return 0
        kit = self._sim.rules.kit[row]
        heals = [k for k in kit.tolist() if k >= 0 and self._mechanic(k) == codes.HEALING]
        if heals:
            return int(self.abilities[heals[0]])
        # Rules without abilities know the beam alone.
        return HEAL_BEAM if HEAL_BEAM in self._units[row].command_card else 0

    def _mechanic(self, ability: int) -> int:
        return int(self._sim.rules.abilities["mechanic"][ability])

    def _common(self, row: int) -> Iterator[Meaning]:
        """What has no row in the rules' tables: to move, to gather, to rally, to cancel."""
        unit, exact = self._units[row], self.orders[row]
        yield Meaning(SMART, codes.SMART, codes.NO_ABILITY, "point_or_unit")
        moves = unit.speed > 0.0
        for general, order in GENERAL_ORDERS.items():
            own = {int(exact[order]), EXACT_ORDERS.get(general, 0)} if moves else set()
            for number in (*unit.command_card, *own):
                if number in self._api and self._api[number].remaps_to == general:
                    ability = self._api[number]
                    yield Meaning(number, order, codes.NO_ABILITY, ability.target)
        if moves:
            yield Meaning(SCAN_MOVE, codes.ATTACK_MOVE, codes.NO_ABILITY, "point_or_unit")
        if exact[codes.HEAL] == HEAL_BEAM:
            yield Meaning(HEAL_BEAM, codes.HEAL, codes.NO_ABILITY, self._api[HEAL_BEAM].target)
        for number in unit.command_card:
            ability_or_none = self._api.get(number)
            scope = _scope(ability_or_none) if ability_or_none else Scope.NOTHING
            if scope == Scope.WORK:
                yield Meaning(number, codes.STOP, codes.NO_ABILITY, "none", scope)
            elif scope != Scope.NOTHING:
                yield Meaning(number, codes.CANCEL_LAST, codes.NO_ABILITY, "none", scope)
        if unit.race == "Protoss" and unit.kind == "unit":  # while it is warped in
            scope = Scope.SITE
            number = BUILD_IN_PROGRESS_CANCEL
            yield Meaning(number, codes.CANCEL_LAST, codes.NO_ABILITY, "none", scope)

    def _kit(self, row: int) -> Iterator[Meaning]:
        for ability in self._sim.rules.kit[row].tolist():
            if ability < 0 or self._mechanic(ability) == codes.PASSIVE:
                continue
            number = int(self.abilities[ability])
            if number not in self._api:
                continue
            if number == self.orders[row, codes.HEAL]:
                yield Meaning(number, codes.HEAL, codes.NO_ABILITY, self._api[number].target)
            else:
                yield Meaning(number, codes.CAST, ability, self._api[number].target)

    def _production(self, p: int) -> Iterator[Meaning]:
        product, number = self._sim.rules.products[p], int(self.products[p])
        built = product["builder"] >= 0 or product["how"] == codes.HOW_ADDON
        kind = codes.BUILD if built else codes.PRODUCE
        yield Meaning(number, kind, p, self._api[number].target)
        if product["how"] == codes.HOW_MERGE:
            yield Meaning(MERGE_WITH, kind, p, self._api[MERGE_WITH].target)


def _array(numbers: Iterator[int | None]) -> Ints:
    return np.array([number or 0 for number in numbers], np.int64)


def _scope(ability: ApiAbility) -> Scope:
    """What an ability on a command card breaks off, by its kind."""
    if ability.remaps_to == CANCEL_LAST:
        return Scope.QUEUE
    if ability.remaps_to == HALT:
        return Scope.WORK
    if ability.remaps_to != CANCEL:
        return Scope.NOTHING
    if ability.kind == "construction":
        return Scope.SITE
    if ability.kind == "morph":
        return Scope.MORPH
    return Scope.ADDON if ability.link.endswith("AddOns") else Scope.NOTHING
