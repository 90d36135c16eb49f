"""Generated maps: fair to the bit, the same everywhere, and laid out as ladder maps are."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.files import load_map, save_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.generate import generate_map
from terrarium.data.maps.generator.stamps import DIRECTIONS, Stamp
from terrarium.data.maps.generator.symmetry import FOUR, MIRROR, POINT, Flip, flipped
from terrarium.data.maps.grids import mask_of, regions
from terrarium.data.maps.library import find_map
from terrarium.data.maps.objects import MapObject
from terrarium.data.maps.ramps import find_ramps, main_ramp
from terrarium.data.maps.terrain import terrain_of
from tests.data.maps.captures import captured_map
from tests.data.maps.walking import joined_cells
from tests.shared_facts import needs_captures

MADE: dict[str, tuple[Flip, ...]] = {
    "ladder/1": POINT,
    "ladder/2": POINT,
    "ladder_small/3": POINT,
    "ladder_large/4": POINT,
    "ladder_mirror/5": MIRROR,
    "ladder_four/6": FOUR,
    "two_base": MIRROR,
    "simple_64": POINT,
    "simple_96": POINT,
    "simple_128": POINT,
}
LADDERS = [name for name in MADE if "/" in name]


def image(o: MapObject, game_map: GameMap, flip: Flip) -> MapObject:
    """Where and what an object is in a mirror."""
    kind = o.type
    if flip[0] != flip[1]:  # one axis alone: diagonals lie the other way
        kind = kind.replace("_blur", "_?").replace("_ulbr", "_blur").replace("_?", "_ulbr")
    x = game_map.width - o.x if flip[0] else o.x
    y = game_map.height - o.y if flip[1] else o.y
    return MapObject(kind, x, y, o.contents)


@pytest.mark.parametrize("name", MADE)
def test_every_player_has_the_same_map_to_the_bit(name: str) -> None:
    game_map = find_map(name)
    for flip in MADE[name]:
        for field in ("pathing_grid", "placement_grid", "terrain_height", "sight_blocker"):
            grid = getattr(game_map, field)
            assert np.array_equal(grid, flipped(grid, flip)), field
        assert {image(o, game_map, flip) for o in game_map.objects} == set(game_map.objects)
        x, y = game_map.starts[0]
        moved = image(MapObject("", x, y), game_map, flip)
        assert (moved.x, moved.y) in game_map.starts
    assert len(game_map.starts) == len(MADE[name])


@pytest.mark.parametrize("name", MADE)
def test_bases_are_found_where_they_were_planned(name: str) -> None:
    game_map = find_map(name)
    expansions = find_expansions(game_map)
    assert set(game_map.starts) <= {e.place for e in expansions}
    for expansion in expansions:
        contents = sorted(o.amount for o in expansion.minerals)
        n_each = 3 if expansion.is_rich else 4
        assert contents == [900] * n_each + [1800] * n_each
        assert [o.amount for o in expansion.geysers] == [2250, 2250]
    assert sum(len(e.resources) for e in expansions) == len(game_map.resources)


@pytest.mark.parametrize("name", MADE)
def test_three_depots_close_every_main(name: str) -> None:
    game_map = find_map(name)
    for start in game_map.starts:
        ramp = main_ramp(game_map, start)
        assert ramp is not None
        assert len(ramp.cells) == 16
        depots = [
            (round(x) + dx, round(y) + dy)
            for x, y in ramp.wall().depots
            for dx in (-1, 0)
            for dy in (-1, 0)
        ]
        assert all(game_map.buildable()[y, x] for x, y in depots)
        open_part = regions(game_map.pathing_grid)
        closed = regions(game_map.pathing_grid & ~mask_of(game_map.pathing_grid.shape, depots))
        x, y = int(start[0]), int(start[1])
        for bottom_x, bottom_y in ramp.lower:
            assert open_part[y, x] == open_part[bottom_y, bottom_x]
            assert closed[y, x] != closed[bottom_y, bottom_x]


@pytest.mark.parametrize("name", MADE)
def test_all_bases_hang_together_without_breaking_rocks(name: str) -> None:
    game_map = find_map(name)
    part = regions(game_map.walkable())
    homes = {int(part[int(e.y), int(e.x)]) for e in find_expansions(game_map)}
    assert len(homes) == 1
    assert -1 not in homes


@pytest.mark.parametrize("name", MADE)
def test_levels_are_parted_by_cliffs_and_joined_by_ramps(name: str) -> None:
    game_map = find_map(name)
    terrain = terrain_of(game_map)
    assert joined_cells(terrain) == joined_cells(terrain, by_height=False)
    height = game_map.terrain_height.astype(int)
    ground = game_map.pathing_grid
    for axis in (0, 1):
        step = abs(np.diff(height, axis=axis))
        both = ground[1:] & ground[:-1] if axis == 0 else ground[:, 1:] & ground[:, :-1]
        assert step[both].max() <= 2


@pytest.mark.parametrize("name", LADDERS)
def test_ladder_maps_have_what_ladder_maps_have(name: str) -> None:
    game_map = find_map(name)
    x0, y0, x1, y1 = game_map.playable
    share = game_map.pathing_grid.sum() / ((x1 - x0) * (y1 - y0))
    assert 0.5 < share < 0.8
    # Recorded maps have 12 to 24 bases.
    assert 12 <= len(find_expansions(game_map)) <= 24
    assert set(np.unique(game_map.terrain_height[game_map.placement_grid])) == {191, 207, 223}
    ramps = find_ramps(game_map)
    assert sum(ramp.is_standard for ramp in ramps) == len(game_map.starts)
    assert len(ramps) >= 2 * len(game_map.starts)
    starts = [int(game_map.terrain_height[int(y), int(x)]) for x, y in game_map.starts]
    assert set(starts) == {223}


def test_equal_seeds_make_equal_maps_on_every_machine() -> None:
    digest = hashlib.sha256()
    game_map = generate_map(11, "small")
    for grid in (game_map.pathing_grid, game_map.placement_grid, game_map.terrain_height):
        digest.update(grid.tobytes())
    digest.update(repr((game_map.starts, game_map.objects)).encode())
    assert digest.hexdigest()[:16] == "4b7f41cf582002ab"
    assert generate_map(11, "small").objects == game_map.objects
    assert generate_map(12, "small").objects != game_map.objects


def test_the_stream_of_random_numbers_is_that_of_splitmix64() -> None:
    # The first outputs for seed 1234567, as published with the reference implementation.
    draws = Draws(1234567)
    assert [draws.bits() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize("width", [2, 4, 6, 8, 10])
@pytest.mark.parametrize("uphill", DIRECTIONS)
def test_ramps_have_as_many_cells_as_recorded_ones(width: int, uphill: tuple[int, int]) -> None:
    drawing = Stamp(32, 32, uphill, width).draw((64, 64))
    assert drawing.ramp.sum() == {2: 16, 4: 34, 6: 52, 8: 70, 10: 88}[width]
    assert not (drawing.ramp & (drawing.wall | drawing.upper | drawing.lower)).any()


@needs_captures
@pytest.mark.parametrize("name", ["AcropolisLE", "AutomatonLE", "JagannathaAIE"])
def test_a_stamped_main_ramp_is_the_recorded_one_cell_by_cell(name: str) -> None:
    game_map = captured_map(name)
    for start in game_map.starts:
        ramp = main_ramp(game_map, start)
        assert ramp is not None
        x, y = ramp.top
        drawing = Stamp(round(x), round(y), ramp.uphill, 2).draw(game_map.pathing_grid.shape)
        assert np.array_equal(drawing.ramp, mask_of(drawing.ramp.shape, ramp.cells))
        assert not (drawing.wall & game_map.pathing_grid)[_beside(ramp.cells)].any()


def _beside(cells: tuple[tuple[int, int], ...]) -> tuple[slice, slice]:
    """The square around a ramp, as far as the wall beside it is needed to close it."""
    xs, ys = [x for x, _ in cells], [y for _, y in cells]
    return slice(min(ys) + 1, max(ys)), slice(min(xs) + 1, max(xs))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": "mediun"}, 'unknown size "mediun". Did you mean "medium"?'),
        ({"size": (64, 64)}, "a map of 64 x 64 cells cannot be generated; multiples of 8 from"),
        ({"size": (150, 160)}, "a map of 150 x 160 cells cannot be generated"),
        ({"players": 3}, 'there is no symmetry "point" for 3 players'),
        ({"players": 4, "symmetry": "point"}, "cannot be turned by 90 degrees"),
        ({"symmetry": "none"}, 'there is no symmetry "none" for 2 players'),
        ({"seed": -1}, "seed is -1; allowed are 0 to"),
    ],
)
def test_what_cannot_be_generated_is_refused(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(MapError) as error:
        generate_map(**{"seed": 1, **arguments})  # type: ignore[arg-type]  # wrong on purpose
    assert message in str(error.value)


def test_a_size_of_ones_own_is_used() -> None:
    game_map = generate_map(1, (152, 168))
    assert (game_map.width, game_map.height) == (152, 168)
    assert game_map.playable == (16, 16, 136, 152)


def test_names_of_generated_maps_hold_the_seed(tmp_path: Path) -> None:
    assert find_map("ladder/1") is find_map("ladder/1")
    assert find_map("ladder/1").name == "ladder/1"
    for name in ("ladder", "ladder/", "ladder/x", "ladder/-1", "ladder/1/2", "flat_48/1"):
        with pytest.raises(MapError, match="unknown map"):
            find_map(name)
    file = tmp_path / "mine.toml"
    save_map(find_map("ladder/1"), file)
    assert load_map(file).objects == find_map("ladder/1").objects


@pytest.mark.slow
@pytest.mark.parametrize("family", ["ladder", "ladder_small", "ladder_mirror", "ladder_four"])
def test_twenty_seeds_make_twenty_maps(family: str) -> None:
    made = {find_map(f"{family}/{seed}").objects for seed in range(100, 120)}
    assert len(made) == 20
