"""What happened since the last observation: deaths and alerts."""

from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.ids import api_tag
from terrarium.server.translate.observation.alerts import alerts_of
from terrarium.server.translate.observation.client_view import ClientView


def fill_happenings(
    game: LiveGame, view: ClientView, events: Records, seen: api.Observation
) -> None:
    """Fill what the events of the engine mean to this client's player."""
    if game.options.raw:
        dead = sorted(_dead(game, view, events))
        if dead:
            seen.raw_data.event.dead_units.extend(api_tag(tag) for tag in dead)
    if game.player:
        seen.alerts.extend(alerts_of(game, view, events))


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
