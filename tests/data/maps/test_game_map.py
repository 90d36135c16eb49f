"""Maps that cannot be played are refused; files hold what was saved."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.files import load_map, map_text, save_map
from terrarium.data.maps.flat import flat_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map
from terrarium.data.maps.objects import MapObject
from terrarium.errors import TerrariumError


def with_wall(game_map: GameMap) -> GameMap:
    """Cliffs from edge to edge between the starts."""
    ground = game_map.pathing_grid.copy()
    for k in range(ground.shape[0]):
        ground[k, max(0, 62 - k) : max(0, 66 - k)] = False
    return replace(game_map, pathing_grid=ground, placement_grid=ground.copy())


def closed_in(game_map: GameMap) -> GameMap:
    """A field in a hole of its own."""
    ground = game_map.pathing_grid.copy()
    ground[40:45, 20:26] = False
    ground[42, 22:24] = True
    objects = (*game_map.objects, MapObject("mineral_field", 23.0, 42.5))
    return replace(game_map, pathing_grid=ground, placement_grid=ground.copy(), objects=objects)


def extra(*objects: MapObject) -> Callable[[GameMap], GameMap]:
    return lambda game_map: replace(game_map, objects=(*game_map.objects, *objects))


def changed(**fields: Any) -> Callable[[GameMap], GameMap]:
    return lambda game_map: replace(game_map, **fields)


def cell(grid: str, x: int, y: int) -> Callable[[GameMap], GameMap]:
    def spoil(game_map: GameMap) -> GameMap:
        cells = getattr(game_map, grid).copy()
        cells[y, x] = not cells[y, x]
        return replace(game_map, **{grid: cells})

    return spoil


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (changed(starts=()), "it has no start location; a player needs one"),
        (changed(starts=((19.5, 19.0),)), "start (19.5, 19) is not the center of a cell"),
        (changed(starts=((13.5, 19.5),)), "there is no room for a townhall at start (13.5, 19.5)"),
        (changed(starts=((40.5, 9.5),)), "no room for a townhall at start (40.5, 9.5): cell"),
        (changed(starts=((30.5, 30.5), (32.5, 30.5))), "no room for a townhall at start (32.5"),
        (with_wall, "no way leads from start (19.5, 19.5) to start (44.5, 44.5)"),
        (closed_in, "mineral_field at (23, 42.5) cannot be reached from any start"),
        (
            extra(MapObject("vespene_geyser", 12.5, 22.5)),
            "vespene_geyser at (12.5, 22.5) and vespene_geyser at (12.5, 22.5) both take cell",
        ),
        (extra(MapObject("mineral_field", 30.5, 30.5)), "is not on the grid: its 2 x 1 cells"),
        (extra(MapObject("mineral_field", 8.0, 30.5)), "is not inside the playable area"),
        (extra(MapObject("mineral_fild", 30.0, 30.5)), 'Did you mean "mineral_field"?'),
        (extra(MapObject("mineral_field", 30.0, 30.5, 0)), "holds 0; it must hold something"),
        (extra(MapObject("xelnaga_tower", 30.0, 30.0, 5)), "has contents, but is no resource"),
        (cell("pathing_grid", 3, 3), "cell (3, 3) is open to walkers, but not in the playable"),
        (cell("pathing_grid", 30, 30), "cell (30, 30) allows building, but not walking"),
        (cell("sight_blocker", 3, 3), "cell (3, 3) blocks sight, but nobody can walk there"),
        (changed(playable=(8, 8, 8, 56)), "the playable area 8, 8 to 8, 56 does not lie on 64"),
        (changed(terrain_height=np.zeros((64, 56), np.uint8)), "terrain_height has the shape"),
        (changed(sight_blocker=np.zeros((64, 64), np.uint8)), "sight_blocker has the shape"),
    ],
)
def test_a_map_that_cannot_be_played_is_refused(
    spoil: Callable[[GameMap], GameMap], message: str
) -> None:
    with pytest.raises(MapError) as error:
        spoil(flat_map(48))
    assert str(error.value).startswith("map flat_48: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_maps_have_whole_bytes_to_a_row() -> None:
    grid = np.ones((40, 42), np.bool_)
    with pytest.raises(MapError, match="the width must be a multiple of 8"):
        replace(
            flat_map(48),
            playable=(0, 0, 42, 40),
            pathing_grid=grid,
            placement_grid=grid.copy(),
            terrain_height=np.zeros((40, 42), np.uint8),
            sight_blocker=~grid,
        )


def test_rocks_may_overlap_as_on_maps_of_the_game() -> None:
    rocks = [MapObject("debris_2x2_non_conjoined", 30.0 + k, 30.0 + k) for k in range(2)]
    assert len(extra(*rocks)(flat_map(48)).objects) == 22


@pytest.mark.parametrize("size", [32, 48, 64, 96, 128])
def test_flat_maps_have_the_room_that_their_names_say(size: int) -> None:
    game_map = flat_map(size)
    x0, y0, x1, y1 = game_map.playable
    assert (x1 - x0, y1 - y0) == (size, size)
    assert game_map.placement_grid.sum() == size * size
    assert tuple(e.place for e in find_expansions(game_map)) == game_map.starts
    assert game_map is not find_map(game_map.name)
    assert not game_map.pathing_grid.flags.writeable


def test_an_empty_map_has_no_resources() -> None:
    game_map = find_map("empty_128")
    assert (game_map.objects, len(game_map.starts)) == ((), 2)


def test_a_file_holds_what_was_saved(tmp_path: Path) -> None:
    game_map = extra(MapObject("rich_mineral_field", 30.0, 30.5, 70))(flat_map(48))
    file = tmp_path / "mine.toml"
    size = save_map(game_map, file)
    assert size == file.stat().st_size
    again = find_map(str(file))
    assert again.name == "mine"
    assert again.objects == game_map.objects
    assert map_text(again) == map_text(game_map)
    assert np.array_equal(again.pathing_grid, game_map.pathing_grid)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("format = 1", "format = 7", "format 7; this version reads 1"),
        ("title", "titel", 'titel: unknown key. Did you mean "title"?'),
        ("size = [64, 64]", "size = [64, 900]", "64 x 900 cells; 1 to 256"),
        ("size = [64, 64]", "size = [64, 56]", "bytes instead of the 448"),
        ("[19.5, 19.5]", "[19.5]", "starts[0]: [19.5] is not a place"),
        ('["mineral_field", 19.0', '["mineral_field", "x"', "is not [type, x, y]"),
        ('pathing_grid = "', 'pathing_grid = "?', "grids.pathing_grid: not a grid"),
        ('terrain_height = "', 'terrain_height = "AAAA', "grids.terrain_height: not a grid"),
        ("playable = [8, 8, 56, 56]", "playable = [9, 8, 56, 56]", "not in the playable area"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = map_text(flat_map(48))
    assert old in text, text[:600]
    file = tmp_path / "bad.toml"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(TerrariumError, match=re.escape(message)) as error:
        load_map(file)
    assert "bad" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_truncated_grid_is_refused(tmp_path: Path) -> None:
    text = re.sub(r'(placement_grid = ".{8})[^"]*', r"\1", map_text(flat_map(48)))
    file = tmp_path / "cut.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TerrariumError, match="placement_grid"):
        load_map(file)


def test_unknown_maps_and_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(MapError, match=r'unknown map "flat_46"\. Did you mean "flat_'):
        find_map("flat_46")
    with pytest.raises(MapError, match="cannot be read"):
        find_map(str(tmp_path / "none.toml"))
