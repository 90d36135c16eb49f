"""Maps of the real game: a recorded game_info and the first observation become a `GameMap`."""

import logging
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.checks import MAX_SIZE, MapError
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.grids import Mask, blocked_by, mask_of, townhall_blocks
from terrarium.data.maps.objects import MapObject, types_by_api_id

if TYPE_CHECKING:
    from s2clientprotocol.raw_pb2 import StartRaw, Unit
    from s2clientprotocol.sc2api_pb2 import ResponseGameInfo, ResponseObservation

logger = logging.getLogger(__name__)

SELF, NEUTRAL, VISIBLE = 1, 3, 1  # the API's alliances and display type
TOWNHALLS = (18, 59, 86)  # type ids of Command Center, Nexus, Hatchery
LONGEST_NAME = 100
LATEST_LOOP = 16
"""Later observations may hide cells under structures that players built"""


def import_map(game_info: bytes, observation: bytes, name: str | None = None) -> GameMap:
    """Make a map of a serialized ResponseGameInfo and the first ResponseObservation of that game.

    The observer's townhall and what he sees are taken out of the recorded pathing grid. Under
    rocks on ground where nothing can be built, as on ramps, the record shows no way although
    there is one behind them: there it is opened.
    """
    info, seen = _parsed(game_info, observation)
    raw = info.start_raw
    units = list(seen.observation.raw_data.units)
    pathing, placement, height = _grids(raw)
    own = _own_townhall(units, pathing.shape)
    objects = _objects(units, pathing.shape)
    visible = [o for o, unit in objects if unit.display_type == VISIBLE]
    everything = [o for o, _ in objects]
    shape = pathing.shape
    seen_cells = blocked_by(shape, visible) | mask_of(shape, townhall_blocks(*own))
    hidden_cells = blocked_by(shape, everything) & ~placement
    area = raw.playable_area
    playable = (area.p0.x, area.p0.y, area.p1.x, area.p1.y)
    inside = np.zeros(shape, np.bool_)
    inside[playable[1] : playable[3], playable[0] : playable[2]] = True
    ground = pathing | (seen_cells & placement) | (hidden_cells & inside)
    result = GameMap(
        name=name or _file_name(info),
        title=_words(info.map_name) or "An imported map",
        playable=playable,
        pathing_grid=ground,
        placement_grid=placement,
        terrain_height=height,
        sight_blocker=_sight_blockers(ground, placement, height),
        starts=(own, *((p.x, p.y) for p in raw.start_locations)),
        objects=tuple(sorted(everything, key=lambda o: (o.type, o.x, o.y))),
    )
    if not np.array_equal(result.shown_pathing(tuple(visible), (own,)), pathing):
        raise MapError(
            f"map {result.name}: the pathing grid of the game info does not fit what the "
            "observation shows; both must be of the same game"
        )
    return result


def _parsed(game_info: bytes, observation: bytes) -> "tuple[ResponseGameInfo, ResponseObservation]":
    try:
        from google.protobuf.message import DecodeError
        from s2clientprotocol import sc2api_pb2
    except ModuleNotFoundError as error:
        raise MapError(
            f"importing maps needs the package {error.name}: pip install 'terrarium-sc2[server]'"
        ) from error
    info, seen = sc2api_pb2.ResponseGameInfo(), sc2api_pb2.ResponseObservation()
    parts: tuple[tuple[str, Any, bytes], ...] = (
        ("game info", info, game_info),
        ("observation", seen, observation),
    )
    for what, message, data in parts:
        try:
            message.ParseFromString(data)
        except DecodeError as error:
            raise MapError(
                f"{what}: not a message of the game's API, or truncated ({error})"
            ) from error
    if not info.HasField("start_raw"):
        raise MapError("game info: it holds no start_raw; ask the game for the raw interface")
    if not seen.observation.raw_data.units:
        raise MapError("observation: it holds no raw units; ask the game for the raw interface")
    if seen.observation.game_loop > LATEST_LOOP:
        raise MapError(
            f"observation: it is of loop {seen.observation.game_loop}; the first one is needed"
        )
    return info, seen


def _file_name(info: "ResponseGameInfo") -> str:
    path = _words(info.local_map_path).replace("\\", "/").split("/")[-1]
    return path.removesuffix(".SC2Map").replace(" ", "")[:LONGEST_NAME] or "imported"


def _words(text: str | bytes) -> str:
    """A text of a message in one line; bytes, where it is none."""
    if isinstance(text, bytes):
        raise MapError("game info: the name of the map is no text in UTF-8")
    return "".join(letter for letter in text if letter.isprintable())


def _grids(raw: "StartRaw") -> tuple[Mask, Mask, NDArray[np.uint8]]:
    size = (raw.map_size.x, raw.map_size.y)
    if not all(0 < n <= MAX_SIZE for n in size):
        raise MapError(f"game info: the map has {size[0]} x {size[1]} cells; at most {MAX_SIZE}")
    pathing = _grid(raw, "pathing_grid", 1)
    placement = _grid(raw, "placement_grid", 1)
    return pathing.astype(np.bool_), placement.astype(np.bool_), _grid(raw, "terrain_height", 8)


def _grid(raw: "StartRaw", name: str, bits: int) -> NDArray[np.uint8]:
    image = getattr(raw, name)
    width, height = raw.map_size.x, raw.map_size.y
    if (image.size.x, image.size.y, image.bits_per_pixel) != (width, height, bits):
        raise MapError(
            f"game info: {name} has {image.size.x} x {image.size.y} cells of "
            f"{image.bits_per_pixel} bits; {width} x {height} of {bits} are needed"
        )
    if 8 * len(image.data) != width * height * bits:
        raise MapError(
            f"game info: {name} has {len(image.data)} bytes instead of {width * height * bits // 8}"
        )
    data = np.frombuffer(image.data, np.uint8)
    return (np.unpackbits(data) if bits == 1 else data.copy()).reshape(height, width)


def _own_townhall(units: "list[Unit]", shape: tuple[int, ...]) -> Place:
    own = [u for u in units if u.alliance == SELF and u.unit_type in TOWNHALLS]
    if len(own) != 1:
        raise MapError(f"observation: the observer has {len(own)} townhalls; he starts with one")
    x, y = own[0].pos.x, own[0].pos.y
    if not (0 < x < shape[1] and 0 < y < shape[0]):
        raise MapError(f"observation: its townhall ({x:g}, {y:g}) is not on the map of the info")
    return x, y


def _objects(units: "list[Unit]", shape: tuple[int, ...]) -> "list[tuple[MapObject, Unit]]":
    """The neutral objects that maps know; critters are left out."""
    known, unknown = [], set()
    for unit in units:
        if unit.alliance != NEUTRAL:
            continue
        kind = types_by_api_id().get(unit.unit_type)
        if kind is None:
            unknown.add(unit.unit_type)
            continue
        x, y = unit.pos.x, unit.pos.y
        if not (0 < x < shape[1] and 0 < y < shape[0]):
            raise MapError(f"observation: {kind.name} at ({x:g}, {y:g}) is not on the map")
        left = {"minerals": unit.mineral_contents, "vespene": unit.vespene_contents}
        contents = left.get(kind.kind) or None  # a snapshot does not tell
        contents = None if contents == kind.contents else contents
        known.append((MapObject(kind.name, x, y, contents), unit))
    if unknown:
        logger.warning("Left out neutral units of unknown types, as critters: %s", sorted(unknown))
    return known


def _sight_blockers(ground: Mask, placement: Mask, height: NDArray[np.uint8]) -> Mask:
    """Flat cells to walk but not to build on; on ramps the height changes from cell to cell.

    Approximate: the API does not tell sight blockers from other flat ground without building.
    """
    low = np.pad(np.where(ground, height, 255), 1, constant_values=255)
    high = np.pad(np.where(ground, height, 0), 1)
    n_rows, n_columns = height.shape
    around = [(y, x) for y in range(3) for x in range(3)]
    lowest = np.min([low[y : y + n_rows, x : x + n_columns] for y, x in around], axis=0)
    highest = np.max([high[y : y + n_rows, x : x + n_columns] for y, x in around], axis=0)
    flat: Mask = ground & ~placement & (lowest == highest)
    return flat
