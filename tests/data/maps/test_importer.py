"""Imports: a small game made up here, and everything that can be wrong with one."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.flat import flat_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.importer import import_map
from tests.data.maps.captures import NAMES, recorded
from tests.data.maps.mutations import spoil_bytes, spoil_fields
from tests.shared_facts import needs_captures

pb = pytest.importorskip("s2clientprotocol.sc2api_pb2")

Messages = tuple[Any, Any]


def messages(game_map: GameMap) -> Messages:
    """What the game would send to the first player, who sees his base."""
    start = game_map.starts[0]
    visible = [o for o in game_map.objects if abs(o.x - start[0]) < 9 and abs(o.y - start[1]) < 9]
    info, seen = pb.ResponseGameInfo(), pb.ResponseObservation()
    info.map_name, info.local_map_path = "A Test LE", "maps\\A Test LE.SC2Map"
    raw = info.start_raw
    raw.map_size.x, raw.map_size.y = game_map.width, game_map.height
    area = raw.playable_area
    area.p0.x, area.p0.y, area.p1.x, area.p1.y = game_map.playable
    pathing = game_map.shown_pathing(tuple(visible), game_map.starts[:1])
    grids = {
        "pathing_grid": np.packbits(pathing),
        "placement_grid": np.packbits(game_map.placement_grid),
        "terrain_height": game_map.terrain_height,
    }
    for name, data in grids.items():
        image = getattr(raw, name)
        image.size.x, image.size.y = game_map.width, game_map.height
        image.bits_per_pixel, image.data = (8 if data.ndim == 2 else 1), data.tobytes()
    for x, y in game_map.starts[1:]:
        raw.start_locations.add(x=x, y=y)
    units = seen.observation.raw_data.units
    own = units.add(unit_type=18, alliance=1, display_type=1)
    own.pos.x, own.pos.y = start
    for o in game_map.objects:
        shown = 1 if o in visible else 2
        unit = units.add(unit_type=o.kind.api_ids[0], alliance=3, display_type=shown)
        unit.pos.x, unit.pos.y = o.x, o.y
        if shown == 1 and o.kind.kind == "minerals":
            unit.mineral_contents = o.amount
    return info, seen


def imported(made: Messages) -> GameMap:
    return import_map(made[0].SerializeToString(), made[1].SerializeToString())


def test_what_was_shown_is_imported() -> None:
    game_map = flat_map(48)
    again = imported(messages(game_map))
    assert (again.name, again.title) == ("ATestLE", "A Test LE")
    assert np.array_equal(again.pathing_grid, game_map.pathing_grid)
    assert np.array_equal(again.placement_grid, game_map.placement_grid)
    assert np.array_equal(again.terrain_height, game_map.terrain_height)
    assert again.starts == game_map.starts
    assert set(again.objects) == set(game_map.objects)


def test_contents_that_are_seen_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    info, seen = messages(flat_map(48))
    field = seen.observation.raw_data.units[1]
    field.mineral_contents = 10
    critter = seen.observation.raw_data.units.add(unit_type=336, alliance=3, display_type=1)
    critter.pos.x, critter.pos.y = 30.0, 30.0
    again = imported((info, seen))
    assert [o.contents for o in again.objects if (o.x, o.y) == (field.pos.x, field.pos.y)] == [10]
    assert sum(o.contents is not None for o in again.objects) == 1
    assert "336" in caplog.text


def drop_raw(made: Messages) -> None:
    made[0].ClearField("start_raw")


def cut_grid(made: Messages) -> None:
    made[0].start_raw.pathing_grid.data = made[0].start_raw.pathing_grid.data[:-1]


def coarse_grid(made: Messages) -> None:
    made[0].start_raw.pathing_grid.bits_per_pixel = 8


def huge(made: Messages) -> None:
    made[0].start_raw.map_size.x = 70_000


def other_size(made: Messages) -> None:
    made[0].start_raw.map_size.y = 56


def no_units(made: Messages) -> None:
    made[1].observation.ClearField("raw_data")


def late(made: Messages) -> None:
    made[1].observation.game_loop = 1000


def no_townhall(made: Messages) -> None:
    made[1].observation.raw_data.units[0].unit_type = 45


def townhall_elsewhere(made: Messages) -> None:
    made[1].observation.raw_data.units[0].pos.x += 3


def townhall_off_the_map(made: Messages) -> None:
    made[1].observation.raw_data.units[0].pos.x = 400.5


def no_playable_area(made: Messages) -> None:
    made[0].start_raw.playable_area.p1.x = 0


def start_on_a_cliff(made: Messages) -> None:
    made[0].start_raw.start_locations[0].x = 3.5


def field_nowhere(made: Messages) -> None:
    made[1].observation.raw_data.units[1].pos.y = float("nan")


def field_infinitely_far(made: Messages) -> None:
    made[1].observation.raw_data.units[1].pos.x = float("inf")


def field_off_the_grid(made: Messages) -> None:
    made[1].observation.raw_data.units[1].pos.x += 0.3


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (drop_raw, "game info: it holds no start_raw"),
        (cut_grid, "game info: pathing_grid has 511 bytes instead of 512"),
        (coarse_grid, "game info: pathing_grid has 64 x 64 cells of 8 bits; 64 x 64 of 1"),
        (huge, "game info: the map has 70000 x 64 cells"),
        (other_size, "game info: pathing_grid has 64 x 64 cells of 1 bits; 64 x 56"),
        (no_units, "observation: it holds no raw units"),
        (late, "observation: it is of loop 1000; the first one is needed"),
        (no_townhall, "observation: the observer has 0 townhalls"),
        (townhall_elsewhere, "map ATestLE: "),
        (townhall_off_the_map, "observation: its townhall (400.5, 19.5) is not on the map"),
        (no_playable_area, "map ATestLE: the playable area"),
        (start_on_a_cliff, "map ATestLE: there is no room for a townhall at start (3.5, 44.5)"),
        (field_nowhere, "observation: mineral_field at (19, nan) is not on the map"),
        (field_infinitely_far, "is not on the map"),
        (field_off_the_grid, "is not on the grid: its 2 x 1 cells must be whole ones"),
    ],
)
def test_an_inconsistent_import_is_refused_in_one_line(
    spoil: Callable[[Messages], None], message: str
) -> None:
    made = messages(flat_map(48))
    spoil(made)
    with pytest.raises(MapError) as error:
        imported(made)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_wherever_it_is_cut_a_truncated_import_is_refused() -> None:
    info, seen = (part.SerializeToString() for part in messages(flat_map(32)))
    for n in range(0, len(info), 97):
        with pytest.raises(MapError):
            import_map(info[:n], seen)
    with pytest.raises(MapError):
        import_map(info, seen[: len(seen) // 2])
    with pytest.raises(MapError, match="not a message"):
        import_map(b"\xff\xff", seen)


def test_a_name_that_is_no_text_is_refused() -> None:
    info, seen = (part.SerializeToString() for part in messages(flat_map(32)))
    with pytest.raises(MapError, match="no text in UTF-8"):
        import_map(info.replace(b"A Test LE.SC2Map", b"A T\xffst LE.SC2Map"), seen)


def test_names_with_line_breaks_become_one_line() -> None:
    info, seen = messages(flat_map(32))
    info.map_name, info.local_map_path = "Two\nlines", "maps\\" + "x\n" * 500 + ".SC2Map"
    game_map = imported((info, seen))
    assert game_map.title == "Twolines"
    assert len(game_map.name) <= 100
    assert "\n" not in game_map.name


def spoiled_imports(originals: list[tuple[bytes, bytes]], n: int, seed: int) -> int:
    """Import spoiled messages; how many were refused, each in one line."""
    rng, said = random.Random(seed), []
    kinds = pb.ResponseGameInfo, pb.ResponseObservation
    for k in range(n):
        parts = list(originals[k % len(originals)])
        which = rng.randrange(2)
        if rng.random() < 0.5:
            parts[which] = spoil_bytes(parts[which], rng)
        else:
            parts[which] = spoil_fields(kinds[which].FromString(parts[which]), rng)
        try:
            import_map(*parts)
        except MapError as error:
            said.append(str(error))
    assert all("\n" not in line and len(line) < 400 for line in said)
    return len(said)


def test_a_spoiled_import_is_a_map_or_one_line() -> None:
    made = tuple(part.SerializeToString() for part in messages(flat_map(32)))
    assert 100 < spoiled_imports([made], 300, seed=5) < 300


@needs_captures
def test_a_thousand_spoiled_captures_are_maps_or_one_line() -> None:
    assert 300 < spoiled_imports([recorded(name) for name in NAMES], 1000, seed=6) < 1000
