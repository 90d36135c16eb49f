"""Queries of abilities: what the command cards of units offer now."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import query_pb2

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.questions import judge_offers
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import Simulator
from terrarium.server.translate.command_table import CANCELS
from terrarium.server.translate.ids import Ids, Meaning, Scope
from terrarium.server.translate.tagged_units import TaggedUnits
from terrarium.server.translate.unit_commands import builder_at

AIMED = frozenset({"point", "unit", "point_or_unit"})


@dataclass(frozen=True)
class _Card:
    """All that units of a type can be told."""

    commands: Records
    """to be judged, of no unit yet"""
    abilities: tuple[int, ...]
    aimed: tuple[bool, ...]
    halts: NDArray[np.bool_]
    """which of them break building off"""
    undoes: NDArray[np.int64]
    """the product that one gives up, where a type becomes several; -1 = it is no such one"""


class OfferTable:
    """The command cards of one rule set, and the messages that list what they offer."""

    def __init__(self, sim: Simulator, ids: Ids) -> None:
        self._sim, self._ids = sim, ids
        self._cards: dict[int, _Card] = {}
        self._messages: dict[tuple[int, bytes], query_pb2.ResponseQueryAvailableAbilities] = {}

    def card(self, kind: int) -> _Card:
        card = self._cards.get(kind)
        if card is None:
            card = self._cards[kind] = self._make(kind)
        return card

    def message(
        self, kind: int, offered: NDArray[np.bool_]
    ) -> query_pb2.ResponseQueryAvailableAbilities:
        """What is offered to a unit of a type: which parts of its card."""
        key = (kind, offered.tobytes())
        message = self._messages.get(key)
        if message is None:
            card = self.card(kind)
            message = query_pb2.ResponseQueryAvailableAbilities()
            message.unit_type_id = int(self._ids.types[kind])
            for k in np.flatnonzero(offered).tolist():
                message.abilities.add(ability_id=card.abilities[k], requires_point=card.aimed[k])
            self._messages[key] = message
        return message

    def _make(self, kind: int) -> _Card:
        meanings = tuple(self._ids.cards[kind].values())
        commands = records(len(meanings), COMMAND)
        commands["kind"] = [meaning.kind for meaning in meanings]
        commands["ability"] = [_row(meaning) for meaning in meanings]
        return _Card(
            commands,
            tuple(meaning.ability for meaning in meanings),
            tuple(meaning.target in AIMED for meaning in meanings),
            np.array([meaning.scope == Scope.WORK for meaning in meanings], np.bool_),
            np.array([self._undoes(kind, meaning) for meaning in meanings], np.int64),
        )

    def _undoes(self, kind: int, meaning: Meaning) -> int:
        """The change of form whose cancel an ability is."""
        if meaning.scope != Scope.MORPH:
            return codes.NO_PRODUCT
        link = self._ids.link(meaning.ability)
        made = np.flatnonzero(self._sim.rules.products["by"] == kind).tolist()
        return next(
            (p for p in made if self._ids.link(int(self._ids.products[p])) == link),
            codes.NO_PRODUCT,
        )


def _row(meaning: Meaning) -> int:
    return CANCELS[meaning.scope] if meaning.kind == codes.CANCEL_LAST else meaning.row


def answer_offers(
    sim: Simulator,
    table: OfferTable,
    units: TaggedUnits,
    asked: Iterable[query_pb2.RequestQueryAvailableAbilities],
    free: bool,
) -> list[query_pb2.ResponseQueryAvailableAbilities]:
    """What each unit can be told; `free`: whatever it costs."""
    player = units.player
    owners = sim.units["owner"][0]
    tags = [query.unit_tag for query in asked]
    slots = [units.slot(tag) for tag in tags]
    own = [slot for slot in slots if slot >= 0 and owners[slot] == player]
    cards = [table.card(units.kinds[slot]) for slot in own]
    sizes = [len(card.abilities) for card in cards]
    commands = records(sum(sizes), COMMAND)
    if own:
        commands[:] = np.concatenate([card.commands for card in cards])
        commands["owner"], commands["unit"] = player, np.repeat(own, sizes)
    judge_offers(sim, 0, commands, free)
    offered = commands["result"] == codes.SUCCESS
    answers, first = [], 0
    for tag, slot in zip(tags, slots, strict=True):
        answer = query_pb2.ResponseQueryAvailableAbilities()
        if slot >= 0:
            kind = units.kinds[slot]
            mine = np.zeros(0, np.bool_)
            if owners[slot] == player:
                card = table.card(kind)
                mine = offered[first : first + len(card.abilities)]
                first += len(card.abilities)
                if card.halts.any():
                    mine[card.halts] = builder_at(sim, slot) >= 0
                if mine.any() and (card.undoes >= 0).any():
                    now = int(sim.games.items["product"][0, slot, 0])
                    mine &= (card.undoes < 0) | (card.undoes == now)
            answer.CopyFrom(table.message(kind, mine))
        answer.unit_tag = tag
        answers.append(answer)
    return answers
