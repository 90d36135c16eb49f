"""One client's view of a game, which its observations and game_infos are made from."""

from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.handles import handle, handles
from terrarium.engine.records import Records, records
from terrarium.server.kernels.known_ground import find_known
from terrarium.server.kernels.layouts import (
    COUNTS,
    GONE,
    UNIT_BYTES,
    VIEWER,
    ApiView,
    UnitListing,
)
from terrarium.server.kernels.listing import list_units
from terrarium.server.live_game import LiveGame
from terrarium.server.translate.cropping import raw_origin
from terrarium.server.translate.ids import Ids
from terrarium.server.translate.observation.alert_memory import AlertMemory
from terrarium.server.translate.observation.tables import api_tables

SCREEN_WIDTH = 24.0
"""cells that the camera shows, where the interface options do not say it"""
SPINES, WORM = "lurker_spines", "nydus_canal"


class ClientView:
    """What the kernels need of one game for one client, and what they remember of it."""

    def __init__(self, game: LiveGame) -> None:
        sim = game.sim
        self.sim, self.player = sim, game.player
        self.ids = Ids(sim)
        self.tables = api_tables(sim, self.ids)
        self.listing = UnitListing(
            viewer=records(1, VIEWER),
            out=np.zeros(sim.n_slots * UNIT_BYTES, np.uint8),
            counts=records(1, COUNTS),
            gone=records(sim.n_slots, GONE),
            listed=records(sim.n_slots, GONE),
            halls=np.zeros(sim.n_slots, np.int64),
            hall=np.zeros(sim.n_slots, np.int64),
            assigned=np.zeros(sim.n_slots, np.int64),
            ideal=np.zeros(sim.n_slots, np.int64),
            known=np.zeros(1 + sim.n_slots, np.bool_),
        )
        api, listing = handle(self.tables), handle(self.listing)
        view = handles(ApiView, 1, game=sim.handles[0], api=api, listing=listing)
        self.view: ApiView = view[0]
        self.last_loop = -1
        self.alerts = AlertMemory()
        self.drone_kinds = self._drone_kinds()
        self.spines = sim.known.areas.get(SPINES, codes.NO_UNIT)
        """row of the effect that a Lurker's attack is"""
        self.worm = sim.rows.get(WORM, codes.NO_UNIT)
        """row of the type that all enemies are warned of"""
        self._effect_radii = tuple(
            effect.radius if effect.api_radius is None else effect.api_radius
            for effect in self.ids.facts.effects.values()
        )

    def _drone_kinds(self) -> frozenset[int]:
        """Types that become the structures that they build."""
        products = self.sim.rules.products
        return frozenset(products["by"][products["builder"] == codes.BECOMES_IT].tolist())

    def look(self, game: LiveGame, sees_all: bool) -> bytes:
        """The messages of all units that the client is shown now."""
        if game.loop < self.last_loop:  # an earlier state has been loaded: nobody died
            self.listing.listed["tag"] = 0
        self.last_loop = game.loop
        self._point(game, sees_all)
        n_bytes = list_units(self.view)
        return self.listing.out[:n_bytes].tobytes()

    def alliance(self, owner: int) -> int:
        """What an owner is to the player, as the API numbers it."""
        if owner == codes.NEUTRAL_OWNER:
            return codes.NEUTRAL
        if self.player == 0:
            return codes.ALLY
        if owner == self.player:
            return codes.SELF
        friends = int(self.sim.players["friends"][0, self.player])
        return codes.ALLY if friends >> owner & 1 else codes.ENEMY

    def is_own(self, owner: int) -> bool:
        """Is it the player or an ally, or is the player an observer of all?"""
        return self.alliance(owner) in (codes.SELF, codes.ALLY)

    def is_enemy(self, owner: int) -> bool:
        return self.alliance(owner) == codes.ENEMY

    def saw(self, slot: int, tag: int) -> bool:
        """Did the player see a unit when it died, as far as its slot still says so?"""
        unit = self.sim.units[0, slot]
        if unit["tag"] != tag:
            return False
        games, seen = self.sim.games, int(unit["seen"])
        if games.views.shape[1]:
            seen |= int(games.views["sighted"][0, slot])
        return self.player == 0 or bool(seen >> self.player & 1)

    def sees(self, x: float, y: float) -> bool:
        """Does the player see the ground at a point?"""
        visibility = self.sim.games.visibility[0]
        if self.player == 0 or not visibility.shape[1]:
            return True
        return bool(visibility[self.player, self._cell(x, y)] == codes.VISIBLE)

    def height_at(self, x: float, y: float) -> float:
        return float(self.tables.heights[self._cell(x, y)])

    def _cell(self, x: float, y: float) -> int:
        width, height = (int(n) for n in self.sim.ground.size[:2])
        return min(max(int(y), 0), height - 1) * width + min(max(int(x), 0), width - 1)

    def effect_radius(self, area: int) -> float:
        """The radius that the API says of an effect."""
        return self._effect_radii[area]

    def are_on_screen(self, places: Records) -> NDArray[np.bool_]:
        viewer, x, y = self.listing.viewer[0], places["x"], places["y"]
        across = (viewer["left"] <= x) & (x <= viewer["right"])
        shown: NDArray[np.bool_] = across & (viewer["bottom"] <= y) & (y <= viewer["top"])
        return shown

    def known_ground(self, game: LiveGame) -> int:
        """Find what the client knows to stand on the grid; a number that changes with it."""
        self._point(game, False)
        return int(find_known(self.view))

    def _point(self, game: LiveGame, sees_all: bool) -> None:
        options, (x, y) = game.options, game.camera
        half = 0.5 * (options.feature_layer.width or SCREEN_WIDTH)
        origin_x, origin_y = raw_origin(game)
        self.listing.viewer[0] = (
            game.player,
            game.n_tags,
            sees_all,
            options.show_cloaked,
            options.show_burrowed_shadows,
            options.show_placeholders,
            x - half,
            x + half,
            y - half,
            y + half,
            origin_x,
            origin_y,
        )


_VIEWS: "WeakKeyDictionary[LiveGame, ClientView]" = WeakKeyDictionary()


def client_view(game: LiveGame) -> ClientView:
    """The view of a game's client, made when it is first asked for."""
    view = _VIEWS.get(game)
    if view is None or view.sim is not game.sim or view.player != game.player:
        view = _VIEWS[game] = ClientView(game)
    return view
