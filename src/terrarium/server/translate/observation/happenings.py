"""What happened since the last observation: deaths and alerts."""

from collections.abc import Iterator

import numpy as np
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.ids import api_tag
from terrarium.server.translate.observation.client_view import ClientView

TOLD = (codes.FINISHED, codes.DIED, codes.CAST_DONE, codes.STARTED)
"""events that may be an alert each"""


def fill_happenings(
    game: LiveGame, view: ClientView, events: Records, seen: api.Observation
) -> None:
    """Fill what the events of the engine mean to this client's player."""
    if game.options.raw:
        dead = sorted(_dead(game, view, events))
        if dead:
            seen.raw_data.event.dead_units.extend(api_tag(tag) for tag in dead)
    if not game.player or not len(events):
        return
    seen.alerts.extend(_alerts(game, view, events))


def _dead(game: LiveGame, view: ClientView, events: Records) -> set[int]:
    """The tags of units whose end the player knows: of its own side all, but for drones that
    became a structure; of others those that it still saw. They count on from earlier battles."""
    dead = set()
    fallen = events[events["kind"] == codes.DIED] if len(events) else events
    for event in fallen:
        if view.is_own(int(event["owner"])) or view.saw(int(event["unit"]), int(event["tag"])):
            dead.add(game.n_tags + int(event["tag"]))
    n_gone = int(view.listing.counts["n_gone"][0])
    known = {game.n_tags + int(event["tag"]) for event in fallen}
    for gone in view.listing.gone[:n_gone]:
        tag, unit = int(gone["tag"]), int(gone["unit"])
        if tag <= game.n_tags:  # its battle is over: nobody is left
            dead.add(tag)
            continue
        if tag in known or int(gone["kind"]) in view.drone_kinds:
            continue
        if view.is_own(int(gone["owner"])) or view.saw(unit, tag - game.n_tags):
            dead.add(tag)
    return dead


def _alerts(game: LiveGame, view: ClientView, events: Records) -> Iterator["api.Alert.ValueType"]:
    """One for each thing; one altogether for units, and for structures, that are attacked
    outside of the screen."""
    told = np.isin(events["kind"], TOLD)
    for event in events[told]:
        kind, owner = int(event["kind"]), int(event["owner"])
        if kind == codes.FINISHED:
            if owner == game.player:
                yield from _made(view, int(event["amount"]))
        elif kind == codes.DIED:
            yield from _ended(game, view, event)
        elif view.is_enemy(owner):
            yield from _warning(view, event)
    hurt = events[(events["kind"] == codes.HURT) & (events["owner"] == game.player)]
    hurt = hurt[(hurt["other_owner"] != game.player) & ~view.are_on_screen(hurt)]
    structures = view.tables.types["structure"][hurt["type"]]
    if structures.any():
        yield api.BuildingUnderAttack
    if not structures.all():
        yield api.UnitUnderAttack


def _ended(game: LiveGame, view: ClientView, event: Records) -> Iterator["api.Alert.ValueType"]:
    row = game.sim.rules.types[event["type"]]
    if event["owner"] == game.player and row["own_trip"] > 0.0 and event["other_tag"] == 0:
        yield api.MULEExpired
    is_field = event["owner"] == codes.NEUTRAL_OWNER and row["resource"] == codes.MINERALS
    if is_field and view.saw(int(event["unit"]), int(event["tag"])):
        yield api.MineralsExhausted


def _warning(view: ClientView, event: Records) -> Iterator["api.Alert.ValueType"]:
    """What an enemy does that everybody hears of, wherever it is."""
    rules = view.sim.rules
    if event["kind"] == codes.CAST_DONE and rules.abilities["nukes"][event["ability"]] > 0:
        yield api.NuclearLaunchDetected
    if (
        event["kind"] == codes.STARTED
        and rules.products["makes"][int(event["amount"])] == view.worm
    ):
        yield api.NydusWormDetected


_BY_WAY = {
    codes.HOW_BUILD: api.BuildingComplete,
    codes.HOW_BUILD_ON_GEYSER: api.BuildingComplete,
    codes.HOW_ADDON: api.AddOnComplete,
    codes.HOW_WARP_IN: api.WarpInComplete,
    codes.HOW_MERGE: api.MergeComplete,
    codes.HOW_AUTOMATIC: api.TransformationComplete,
}
"""the alert of a product by the way in which it is made; all others are told by its type"""


def _made(view: ClientView, product: int) -> Iterator["api.Alert.ValueType"]:
    row = view.sim.rules.products[product]
    how, makes = int(row["how"]), int(row["makes"])
    if makes < 0:
        yield api.ResearchComplete if row["family"] < 0 else api.UpgradeComplete
        return
    if how in _BY_WAY:
        yield _BY_WAY[how]
        return
    made = view.sim.rules.types[makes]
    if how in (codes.HOW_MORPH, codes.HOW_MORPH_PLACE):
        yield api.UpgradeComplete if made["structure"] else api.MorphComplete
    elif made["stored"]:
        yield api.NukeComplete
    else:
        yield api.TrainWorkerComplete if made["worker"] else api.TrainUnitComplete
