"""The state of the game: record arrays, environments first. Copying them saves the game."""

from collections.abc import Collection
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.battle import (
    BUFF,
    CLOCK,
    COMMAND,
    EFFECT,
    EVENT,
    INBOX,
    N_BUFFS,
    ORDER,
    PLAYER,
    SKILL,
    UNIT,
)
from terrarium.engine.economy import (
    ACCOUNT,
    INCOME_TICKS,
    ITEM,
    PATCH,
    POWER_SOURCE,
    PRODUCER,
    QUEUE_SIZE,
    RESOURCE,
    WORKER,
)
from terrarium.engine.jit import inline
from terrarium.engine.land import EPOCHS, LAYERS, SITE, Land, Paths
from terrarium.engine.records import Records, records
from terrarium.engine.score import COUNTED, MATCH, SCORE, STANDING
from terrarium.engine.scratch import Scratch
from terrarium.engine.tables.plan import Plan
from terrarium.engine.tables.rules import Rules
from terrarium.engine.tables.terrain import Ground
from terrarium.engine.vision import MEMORY, SNAPSHOT, VIEW, VISION


class Games(NamedTuple):
    """The whole truth about `N` games. Layers that a simulator was not asked for have no cells."""

    units: Records  # [N, U] UNIT
    orders: Records  # [N, U, Q] ORDER
    players: Records  # [N, P] PLAYER, by owner: neutral first
    effects: Records  # [N, E] EFFECT
    clock: Records  # [N, 1] CLOCK
    skills: Records  # [N, U] SKILL
    buffs: Records  # [N, U, B] BUFF
    living: NDArray[np.uint32]  # [N, U] slots of units on the map or aboard, by tag
    free: NDArray[np.int64]  # [N, U] ring of slots of dead units
    events: Records  # [N, V] EVENT: a ring
    workers: Records  # [N, U] WORKER, in games with an economy
    resources: Records  # [N, U] RESOURCE, the same
    producers: Records  # [N, U] PRODUCER, the same
    items: Records  # [N, U, QUEUE_SIZE] ITEM, the same
    accounts: Records  # [N, P] ACCOUNT, the same
    income: NDArray[np.int16]  # [N, P, 2, INCOME_TICKS] a ring: brought in each tick, by resource
    sites: Records  # [N, U] SITE
    blocked: NDArray[np.int16]  # [N, C] 1 + slot of the structure that closes a cell; 0 = none
    taken: NDArray[np.int16]  # [N, C] 1 + slot of the structure that stands on it
    creep: NDArray[np.uint16]  # [N, C] how many patches of creep lie there
    patches: Records  # [N, U] PATCH: the first `n_patches` of them
    power: Records  # [N, U] POWER_SOURCE: the first `n_power` of them
    visibility: NDArray[np.uint8]  # [N, P, C] codes.HIDDEN, EXPLORED or VISIBLE
    watchers: NDArray[np.int16]  # [N, P, C] how many views show a cell; of whole games
    opaque: NDArray[np.uint8]  # [N, C] how many objects block the sight through a cell; the same
    dim: NDArray[np.uint8]  # [N, C] how many such objects are as near as units on it may see
    views: Records  # [N, 2 U] VIEW, of units and then of glimpses; of whole games
    vision: Records  # [N, 1] VISION
    snapshots: Records  # [N, P, U] SNAPSHOT, in the order in which they were taken; the same
    memories: Records  # [N, P] MEMORY, the same
    scores: Records  # [N, P] SCORE, the same
    counted: Records  # [N, U] COUNTED, the same
    standings: Records  # [N, P] STANDING, the same
    match: Records  # [N, 1] MATCH
    epochs: Records  # [N, 1] EPOCHS


class Game(NamedTuple):
    """One game as the kernels see it: its state, and what it is played by."""

    units: Annotated[Records, UNIT, "U"]
    orders: Annotated[Records, ORDER, "U Q"]
    players: Annotated[Records, PLAYER, "P"]
    effects: Annotated[Records, EFFECT, "E"]
    clock: Annotated[Records, CLOCK, "1"]
    skills: Annotated[Records, SKILL, "U"]
    buffs: Annotated[Records, BUFF, "U B"]
    living: Annotated[NDArray[np.uint32], "u4", "U"]
    free: Annotated[NDArray[np.int64], "i8", "U"]
    events: Annotated[Records, EVENT, "V"]
    workers: Annotated[Records, WORKER, "U"]
    resources: Annotated[Records, RESOURCE, "U"]
    producers: Annotated[Records, PRODUCER, "U"]
    items: Annotated[Records, ITEM, "U Q"]
    accounts: Annotated[Records, ACCOUNT, "P"]
    income: Annotated[NDArray[np.int16], "i2", "P 2 I"]
    sites: Annotated[Records, SITE, "U"]
    blocked: Annotated[NDArray[np.int16], "i2", "C"]
    taken: Annotated[NDArray[np.int16], "i2", "C"]
    creep: Annotated[NDArray[np.uint16], "u2", "C"]
    patches: Annotated[Records, PATCH, "U"]
    power: Annotated[Records, POWER_SOURCE, "U"]
    visibility: Annotated[NDArray[np.uint8], "u1", "P C"]
    watchers: Annotated[NDArray[np.int16], "i2", "P C"]
    opaque: Annotated[NDArray[np.uint8], "u1", "C"]
    dim: Annotated[NDArray[np.uint8], "u1", "C"]
    views: Annotated[Records, VIEW, "2U"]
    vision: Annotated[Records, VISION, "1"]
    snapshots: Annotated[Records, SNAPSHOT, "P U"]
    memories: Annotated[Records, MEMORY, "P"]
    scores: Annotated[Records, SCORE, "P"]
    counted: Annotated[Records, COUNTED, "U"]
    standings: Annotated[Records, STANDING, "P"]
    match: Annotated[Records, MATCH, "1"]
    epochs: Annotated[Records, EPOCHS, "1"]
    commands: Annotated[Records, COMMAND, "K"]
    inbox: Annotated[Records, INBOX, "1"]
    rules: Rules
    ground: Ground
    land: Land
    paths: Paths
    plan: Plan
    scratch: Scratch


def allocate(
    n_envs: int,
    n_slots: int,
    n_cells: int,
    n_players: int = 2,
    n_queue: int = 8,
    layers: Collection[str] = (),
    economy: bool = False,
) -> Games:
    """Empty games with room for `n_slots` units each, and the layers of the ground asked for."""
    n_effects = max(64, 8 * n_slots)
    n_economy = n_slots if economy else 0
    cells = {name: n_cells if name in layers else 0 for name in LAYERS}
    return Games(
        units=records((n_envs, n_slots), UNIT),
        orders=records((n_envs, n_slots, n_queue), ORDER),
        players=records((n_envs, n_players + 1), PLAYER),
        effects=records((n_envs, n_effects), EFFECT),
        clock=records((n_envs, 1), CLOCK),
        skills=records((n_envs, n_slots), SKILL),
        buffs=records((n_envs, n_slots, N_BUFFS), BUFF),
        living=np.zeros((n_envs, n_slots), np.uint32),
        free=np.zeros((n_envs, n_slots), np.int64),
        events=records((n_envs, max(128, 4 * n_slots)), EVENT),
        workers=records((n_envs, n_economy), WORKER),
        resources=records((n_envs, n_economy), RESOURCE),
        producers=records((n_envs, n_economy), PRODUCER),
        items=records((n_envs, n_economy, QUEUE_SIZE), ITEM),
        accounts=records((n_envs, n_players + 1 if economy else 0), ACCOUNT),
        income=np.zeros((n_envs, n_players + 1, 2, INCOME_TICKS if economy else 0), np.int16),
        sites=records((n_envs, n_slots if cells["footprints"] else 0), SITE),
        blocked=np.zeros((n_envs, cells["footprints"]), np.int16),
        taken=np.zeros((n_envs, cells["footprints"]), np.int16),
        creep=np.zeros((n_envs, cells["creep"]), np.uint16),
        patches=records((n_envs, n_slots if cells["creep"] else 0), PATCH),
        power=records((n_envs, n_slots if cells["power"] else 0), POWER_SOURCE),
        visibility=np.zeros((n_envs, n_players + 1, cells["visibility"]), np.uint8),
        watchers=np.zeros((n_envs, n_players + 1, n_cells if economy else 0), np.int16),
        opaque=np.zeros((n_envs, n_cells if economy else 0), np.uint8),
        dim=np.zeros((n_envs, n_cells if economy else 0), np.uint8),
        views=records((n_envs, 2 * n_economy), VIEW),
        vision=records((n_envs, 1), VISION),
        snapshots=records((n_envs, n_players + 1, n_economy), SNAPSHOT),
        memories=records((n_envs, n_players + 1 if economy else 0), MEMORY),
        scores=records((n_envs, n_players + 1 if economy else 0), SCORE),
        counted=records((n_envs, n_economy), COUNTED),
        standings=records((n_envs, n_players + 1 if economy else 0), STANDING),
        match=records((n_envs, 1), MATCH),
        epochs=records((n_envs, 1), EPOCHS),
    )


@inline
def is_unit(game: Game, v: int, tag: int) -> bool:
    """Does slot `v` still hold the living unit that was meant?"""
    return v >= 0 and game.units[v].alive and game.units[v].tag == tag


@inline
def is_placed(game: Game, u: int) -> bool:
    """Does a unit stand on the grid, with a footprint?"""
    return game.sites.shape[0] > 0 and game.sites[u].placed


@inline
def has_economy(game: Game) -> bool:
    """Do workers gather in this game? Battles keep no room for it."""
    return game.workers.shape[0] > 0


@inline
def keeps_creep(game: Game) -> bool:
    """Does this game know of creep?"""
    return game.creep.shape[0] > 0


@inline
def keeps_power(game: Game) -> bool:
    """Does this game know of power?"""
    return game.power.shape[0] > 0


@inline
def keeps_sight(game: Game) -> bool:
    """Is it known of every cell who sees it? In battles, units look for each other instead."""
    return game.views.shape[0] > 0


@inline
def has_structures(game: Game) -> bool:
    """Does anything stand on the grid? Where nothing ever can, the compiler need not look."""
    return game.sites.shape[0] > 0 and game.epochs[0].n_placed > 0
