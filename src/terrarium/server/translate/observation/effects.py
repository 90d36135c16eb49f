"""Effects on the ground, and the rings of Sensor Towers."""

from s2clientprotocol import raw_pb2

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import raw_origin
from terrarium.server.translate.observation.client_view import ClientView


def fill_effects(game: LiveGame, view: ClientView, raw: raw_pb2.ObservationRaw) -> None:
    """The effects that the API knows: those of the player's side, and others where it sees the
    ground."""
    sim = game.sim
    effects = sim.games.effects[0, : int(sim.games.clock["n_effects"][0, 0])]
    if not len(effects):
        return
    for effect in effects[(effects["stage"] == codes.LYING) & (effects["area"] >= 0)]:
        _add(game, view, raw, int(effect["area"]), effect)
    for spines in effects[effects["stage"] == codes.SPREADING] if view.spines >= 0 else ():
        _add(game, view, raw, view.spines, spines)


def _add(
    game: LiveGame, view: ClientView, raw: raw_pb2.ObservationRaw, area: int, effect: Records
) -> None:
    """What spreads is so many steps from where it began."""
    number, owner = int(view.ids.effects[area]), int(effect["owner"])
    n_steps = int(effect["step"]) if effect["stage"] == codes.SPREADING else 0
    x, y = (float(effect[c] + n_steps * effect[f"dir_{c}"]) for c in "xy")
    if number <= 0 or not (view.is_own(owner) or view.sees(x, y)):
        return
    shown = raw.effects.add(
        effect_id=number,
        alliance=view.alliance(owner),
        owner=owner,
        radius=view.effect_radius(area),
    )
    x0, y0 = raw_origin(game)
    shown.pos.add(x=x - x0, y=y - y0)


def fill_radar(game: LiveGame, view: ClientView, raw: raw_pb2.ObservationRaw) -> None:
    """The rings of finished towers that are the player's, its allies', or seen."""
    if not view.listing.counts["towers"][0]:
        return
    units, x0, y0 = game.sim.units[0], *raw_origin(game)
    there = (view.tables.types["radar"][units["kind"]] > 0.0) & units["alive"]
    for tower in units[there & (units["status"] & codes.UNFINISHED == 0)]:
        if view.is_own(int(tower["owner"])) or tower["seen"] >> game.player & 1:
            x, y = float(tower["x"]), float(tower["y"])
            ring = raw.radar.add(radius=float(view.tables.types["radar"][tower["kind"]]))
            ring.pos.x, ring.pos.y, ring.pos.z = x - x0, y - y0, view.height_at(x, y)
