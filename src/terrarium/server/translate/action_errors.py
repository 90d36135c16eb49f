"""What became of actions after they had been answered."""

from collections.abc import Iterator

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.server.translate.ids import Ids, api_tag
from terrarium.server.translate.unit_commands import NO_ECHO, GivenActions


def carried_out(given: GivenActions, answers: Records) -> list[api.Action]:
    """The echoes of actions that some unit carries out. What earlier actions of a request have left
    no room or resources for is dropped, and nothing tells of it."""
    done = np.zeros(len(given.echoes), np.bool_)
    shown = given.actions != NO_ECHO
    done[given.actions[shown & (answers["result"] == codes.SUCCESS)]] = True
    return [given.echoes[k] for k in np.flatnonzero(done).tolist()]


def failures(ids: Ids, player: int, n_tags: int, events: Records) -> Iterator[api.ActionError]:
    """The errors of orders that came to nothing after they had been accepted; `n_tags`: of earlier
    battles."""
    failed = (events["kind"] == codes.FAILED) & (events["owner"] == player)
    for event in events[failed & (events["result"] > codes.SUCCESS)]:
        row = int(event["ability"])
        if row == codes.NO_ABILITY:  # it is about a product
            ability = int(ids.products[int(event["amount"])])
        else:
            ability = int(ids.abilities[row])
        yield api.ActionError(
            unit_tag=api_tag(n_tags + int(event["tag"])),
            ability_id=ability,
            result=event["result"],
        )
