"""Fingerprints of games: what decides how they go on, as one number."""

import hashlib

import numpy as np

from terrarium.engine import codes
from terrarium.engine.battle import CLOCK
from terrarium.engine.records import Records
from terrarium.engine.state import Games

_DECISIVE = [name for name in CLOCK.names or () if name != "n_events"]
"""What of the clock decides how a game goes on."""


def digest_of(games: Games, chosen: slice, whole: bool) -> str:
    """A fingerprint of the truth about games; more is known of `whole` ones than of battles."""
    truth = _truth_of_units(games, chosen)
    if whole:
        truth += _truth_of_players(games, chosen)
    n_patches = games.epochs["n_patches"][chosen]  # [N, 1]
    patches = games.patches[chosen]
    truth += (patches[np.arange(patches.shape[1]) < n_patches],)
    summary = hashlib.sha256()
    cheating = bool(games.players["cheats"][chosen].any())
    for array in truth:
        for name in array.dtype.names:  # field by field, without the padding between them
            if name == "cheats" and not cheating:
                continue  # fair games keep the fingerprints that they had before
            summary.update(np.ascontiguousarray(array[name]).tobytes())
    for layer in (games.creep, games.visibility, games.income):
        summary.update(np.ascontiguousarray(layer[chosen]).tobytes())
    return summary.hexdigest()


def _truth_of_units(games: Games, chosen: slice) -> tuple[Records, ...]:
    """What counts of units, what they do and own, and of their players."""
    units, orders, players, effects, clock, skills, buffs = (array[chosen] for array in games[:7])
    n_slots, n_effects = clock["n_slots"], clock["n_effects"]  # [N, 1]
    n_orders = units["n_orders"][..., None]  # [N, U, 1]
    # What lies beyond these counts is left over from before and not part of the truth.
    used = np.arange(units.shape[1]) < n_slots
    economy = games.workers, games.resources, games.producers
    return (
        units[used],
        orders[np.arange(orders.shape[2]) < n_orders],
        players,
        effects[np.arange(effects.shape[1]) < n_effects],
        clock[_DECISIVE],
        skills[used],
        buffs[used],
        games.sites[chosen][games.sites["placed"][chosen]],
        *(array[chosen][used] for array in economy if array.size),
        games.accounts[chosen],
    )


def _truth_of_players(games: Games, chosen: slice) -> tuple[Records, ...]:
    """What whole games know of their players: what they see and remember, score, standing."""
    views, snapshots = games.views[chosen], games.snapshots[chosen]
    n_snapshots = games.memories["n_snapshots"][chosen][..., None]
    return (
        views[views["owner"] != codes.NEUTRAL_OWNER],
        snapshots[np.arange(snapshots.shape[2]) < n_snapshots],
        *(array[chosen] for array in (games.memories, games.scores, games.standings)),
        games.match[chosen],
    )
