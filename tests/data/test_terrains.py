"""What is connected to what on the built-in terrains, and what generated terrains promise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from terrarium.data.battles.generated import generate_terrain
from terrarium.data.battles.scenario import Terrain
from terrarium.data.battles.terrains import height_steps, load_terrain, regions, terrain_names
from terrarium.data.tables import FactsError
from terrarium.errors import TerrariumError

TWO_LEVELS = """
title = "A step"
playable = [0, 0, 5, 2]
heights = { level1 = 8, level2 = 10 }
walkable = '''
.....
#....
'''
levels = '''
1abc2
11222
'''
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "step.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_the_corridor_is_closed_by_a_stopper_in_its_throat() -> None:
    corridor = load_terrain("corridor")
    assert regions(corridor).max() == 1
    walkable = corridor.walkable.copy()
    walkable[13, :] = False
    region = regions(replace(corridor, walkable=walkable))
    assert region.max() == 2
    assert region[4, 4] != region[28, 27]


def test_the_plateau_of_the_ravine_is_reached_by_its_ramps_only() -> None:
    ravine = load_terrain("ravine")
    region = regions(ravine)
    assert region[9, 16] == region[16, 16]
    cut = regions(replace(ravine, walkable=ravine.walkable & (ravine.ramp == 0)))
    assert cut[9, 16] != cut[16, 16]
    # Each of the two ramps is enough.
    for closed in (slice(0, 16), slice(16, 32)):
        walkable = ravine.walkable.copy()
        walkable[:, closed] &= ravine.ramp[:, closed] == 0
        one_left = regions(replace(ravine, walkable=walkable))
        assert one_left[9, 16] == one_left[16, 16]


def test_bowl_and_pit_keep_those_outside_out() -> None:
    for name in ("bowl", "pit"):
        region = regions(load_terrain(name))
        assert region[10, 14] != region[3, 3]
        assert region[10, 14] > 0
        assert region[3, 3] > 0


@pytest.mark.parametrize("name", terrain_names())
def test_every_terrain_is_consistent(name: str) -> None:
    terrain = load_terrain(name)
    shape = (terrain.height, terrain.width)
    for grid in (terrain.walkable, terrain.level, terrain.ramp, terrain.z, terrain.creep):
        assert grid.shape == shape
        assert not grid.flags.writeable
    x0, y0, x1, y1 = (int(edge) for edge in terrain.playable)
    outside = np.ones(shape, dtype=bool)
    outside[y0:y1, x0:x1] = False
    assert not terrain.walkable[outside].any()
    assert np.isfinite(terrain.z[terrain.walkable]).all()
    assert terrain is load_terrain(name)


def test_a_file_is_drawn_as_the_map_is_seen_from_above(tmp_path: Path) -> None:
    terrain = load_terrain(written(tmp_path, TWO_LEVELS))
    assert (terrain.name, terrain.width, terrain.height) == ("step", 5, 2)
    assert terrain.walkable.tolist() == [[False, True, True, True, True], [True] * 5]
    assert terrain.level.tolist() == [[1, 1, 2, 2, 2], [1, 1, 1, 1, 2]]
    assert terrain.ramp.tolist() == [[0, 0, 0, 0, 0], [0, 1, 2, 3, 0]]
    assert height_steps(terrain)[1].tolist() == [4, 5, 6, 7, 8]
    assert terrain.z[1] == pytest.approx([8.0, 8 + 1 / 3, 9.0, 10 - 1 / 3, 10.0])
    assert not terrain.creep.any()


def test_height_is_unknown_where_the_file_does_not_say(tmp_path: Path) -> None:
    terrain = load_terrain(written(tmp_path, TWO_LEVELS.replace(", level2 = 10", "")))
    assert terrain.z[1, 0] == 8.0
    assert np.isnan(terrain.z[1, 1:]).all()
    assert np.isnan(terrain.z[0, 2:]).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("heights", "hights", 'line 4: hights: unknown key. Did you mean "heights"?'),
        ("level2 = 10", "level3 = 10", 'heights.level3: unknown key. Did you mean "level'),
        ("#....", "#...", "line 5: walkable: row 2 has 4 cells instead of 5"),
        ("11222", "11232", 'levels: unknown cell "3" in row 2. Allowed: 0 1 2 a b c'),
        ("11222\n", "", "levels: 5 x 1 cells, but `walkable` has 5 x 2"),
        ("5, 2]", "6, 2]", "line 3: playable: [0, 0, 6, 2] is no area of the map"),
        ("5, 2]", "4, 2]", "walkable: cell (4, 0) is walkable, but not playable"),
        ("5, 2]", "nan, 2]", "playable: [0, 0, nan, 2] is no area of the map"),
        ("title", "# title", 'the key "title" is missing'),
    ],
)
def test_a_bad_terrain_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TWO_LEVELS
    with pytest.raises(FactsError) as error:
        load_terrain(written(tmp_path, TWO_LEVELS.replace(old, new, 1)))
    assert message in str(error.value)
    assert "step.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_an_unknown_terrain_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FactsError, match=r'unknown terrain "ravin"\. Did you mean "ravine"\?'):
        load_terrain("ravin")
    with pytest.raises(FactsError, match="unknown terrain"):
        load_terrain("../terrains/band")
    with pytest.raises(FactsError, match=r"nowhere\.toml: cannot be read: No such file"):
        load_terrain(tmp_path / "nowhere.toml")


@pytest.fixture(scope="module")
def generated() -> list[Terrain]:
    return [generate_terrain(176, 0), generate_terrain(176, 1), generate_terrain(81, 2)]


def test_a_generated_terrain_looks_the_same_from_both_sides(generated: list[Terrain]) -> None:
    for terrain in generated:
        for grid in (terrain.walkable, terrain.level, terrain.ramp, terrain.z, terrain.creep):
            assert np.array_equal(grid, grid[::-1, ::-1])
        x0, y0, x1, y1 = terrain.playable
        assert (x0, y0) == (terrain.width - x1, terrain.height - y1)
        assert x0 > 0


def test_all_ground_of_a_generated_terrain_is_connected(generated: list[Terrain]) -> None:
    for terrain in generated:
        region = regions(terrain)
        assert region.max() == 1
        assert {1, 2} == set(terrain.level[terrain.walkable])
        assert 0.5 < terrain.walkable.mean() < 0.9
        # Without its ramps it falls apart into low ground and plateaus.
        apart = regions(replace(terrain, walkable=terrain.walkable & (terrain.ramp == 0)))
        assert apart.max() >= 5
        corner = int(terrain.playable[0]) + 3
        assert terrain.level[corner, corner] == terrain.level[-1 - corner, -1 - corner] == 2
        assert apart[corner, corner] != apart[-1 - corner, -1 - corner]


def test_ramps_of_a_generated_terrain_rise_third_by_third(generated: list[Terrain]) -> None:
    for terrain in generated:
        steps = height_steps(terrain)
        ramps = np.argwhere(terrain.ramp == 2)
        assert len(ramps) >= 8 * 3
        for y, x in ramps:
            along_x = [int(step) for step in steps[y, x - 2 : x + 3]]
            along_y = [int(step) for step in steps[y - 2 : y + 3, x]]
            rises = [4, 5, 6, 7, 8]
            assert rises in (along_x, along_x[::-1], along_y, along_y[::-1])
            assert terrain.walkable[y, x]


def test_equal_seeds_give_equal_terrains(generated: list[Terrain]) -> None:
    again = generate_terrain(176, 0)
    for grid in ("walkable", "level", "ramp", "z"):
        assert np.array_equal(getattr(again, grid), getattr(generated[0], grid))
    assert not np.array_equal(generated[0].walkable, generated[1].walkable)
    with pytest.raises(ValueError, match="read-only"):
        again.level[0, 0] = 2


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None, True, float("nan")])
def test_a_seed_must_be_a_whole_number(seed: int) -> None:
    with pytest.raises(TerrariumError, match=r"seed of a generated terrain: .* 0 or more"):
        generate_terrain(96, seed)


@pytest.mark.parametrize("size", [63, 257, 96.0, -96])
def test_a_size_must_be_in_range(size: int) -> None:
    with pytest.raises(TerrariumError, match=r"size of a generated terrain: .* 64 to 256"):
        generate_terrain(size, 0)
