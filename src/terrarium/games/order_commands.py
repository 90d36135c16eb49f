"""Orders of players as commands of the engine, and its answers as refusals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import Simulator
from terrarium.errors import TerrariumError, nearest
from terrarium.tactics.macro.game_view import GameOrder, GameOrderKind, Refusal

_KINDS = {
    GameOrderKind.MOVE: codes.MOVE,
    GameOrderKind.ATTACK_MOVE: codes.ATTACK_MOVE,
    GameOrderKind.ATTACK: codes.ATTACK,
    GameOrderKind.GATHER: codes.GATHER,
    GameOrderKind.MAKE: codes.PRODUCE,
    GameOrderKind.BUILD: codes.BUILD,
    GameOrderKind.RALLY: codes.RALLY,
    GameOrderKind.USE: codes.CAST,
    GameOrderKind.STOP: codes.STOP,
}


@dataclass(frozen=True)
class Sent:
    """Commands for the next step, with the orders that they came from."""

    commands: Records
    orders: tuple[GameOrder, ...]
    """of each command"""


def to_commands(sim: Simulator, e: int, owner: int, orders: Sequence[GameOrder]) -> Sent:
    """A command for each unit of each order. Units that are not there any more are left out."""
    slots = _slots(sim, e) if orders else {}
    rows = [(order, int(tag)) for order in orders for tag in order.tags if int(tag) in slots]
    commands = records(len(rows), COMMAND)
    for k, (order, tag) in enumerate(rows):
        slot = slots[tag]
        target = slots.get(order.target, codes.NO_UNIT) if order.target else codes.NO_UNIT
        ability = _row(sim, order, int(sim.units["kind"][e, slot]))
        kind = codes.BUILD if _is_addon(sim, order, ability) else _KINDS[order.kind]
        commands[k] = (
            owner, slot, tag, kind, target, order.x, order.y, False, ability, 0,
        )  # fmt: skip
    return Sent(commands, tuple(order for order, _ in rows))


def _is_addon(sim: Simulator, order: GameOrder, row: int) -> bool:
    """Is something to be made that the engine takes as an order to build?"""
    products = sim.rules.products
    if order.kind != GameOrderKind.MAKE or row >= len(products):
        return False
    return bool(products["how"][row] == codes.HOW_ADDON)


def _slots(sim: Simulator, e: int) -> dict[int, int]:
    """Slots by tags, of everything that is there."""
    living = sim.games.living[e, : int(sim.games.clock["n_living"][e, 0])]
    return dict(zip(sim.units["tag"][e][living].tolist(), living.tolist(), strict=True))


def _row(sim: Simulator, order: GameOrder, kind: int) -> int:
    """The row of the product or the ability that an order names."""
    if order.kind in (GameOrderKind.MAKE, GameOrderKind.BUILD):
        if order.what not in sim.rows and order.what not in sim.known.upgrades:
            known = [*sim.rows, *sim.known.upgrades]
            raise TerrariumError(
                f'unknown unit or upgrade "{order.what}".{nearest(order.what, known)}'
            )
        return sim.product_row(sim.names[kind], order.what)
    if order.kind == GameOrderKind.USE:
        if order.what not in sim.known.abilities:
            raise TerrariumError(
                f'unknown ability "{order.what}".{nearest(order.what, sim.known.abilities)} '
                "See: terrarium list abilities"
            )
        return sim.known.abilities[order.what]
    return codes.NO_ABILITY


def refusals(sent: Sent, answers: Records) -> list[Refusal]:
    """Which commands were not taken; `answers` are those to the commands, in order."""
    refused = np.flatnonzero(answers["result"] != codes.SUCCESS)
    return [
        Refusal(
            sent.orders[k], int(answers["tag"][k]), codes.RESULT_NAMES[int(answers["result"][k])]
        )
        for k in refused.tolist()
    ]
