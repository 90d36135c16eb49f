"""Maps of recorded games, imported: what the game's own records say must hold to the cell."""

import re

import numpy as np
import pytest

from terrarium.data.maps import layouts
from terrarium.data.maps.expansions import find_expansions, townhall_centers
from terrarium.data.maps.files import load_map, save_map
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.grids import Mask, mask_of, regions
from terrarium.data.maps.importer import import_map
from terrarium.data.maps.ramps import find_ramps, main_ramp
from terrarium.data.maps.terrain import terrain_of
from terrarium.errors import TerrariumError
from tests.data.maps.captures import NAMES, captured_map, recorded
from tests.data.maps.walking import joined_cells
from tests.shared_facts import REFERENCE, needs_captures, needs_reference

pytestmark = needs_captures
TABLED = ("AutomatonLE", "AcropolisLE", "EphemeronLE", "BerlingradAIE", "JagannathaAIE")
"""maps whose bases and ramps the reference lists"""


def raw_grid(name: str, field: str) -> Mask:
    """A bit grid of the game info, read by itself."""
    from s2clientprotocol import sc2api_pb2

    info = sc2api_pb2.ResponseGameInfo.FromString(recorded(name)[0])
    image = getattr(info.start_raw, field)
    bits = np.unpackbits(np.frombuffer(image.data, np.uint8))
    return bits.reshape(image.size.y, image.size.x).astype(np.bool_)


def free(game_map: GameMap, at: Place, side: int) -> bool:
    """Can a square structure stand there?"""
    left, low = round(at[0] - side / 2), round(at[1] - side / 2)
    return bool(game_map.buildable()[low : low + side, left : left + side].all())


@pytest.mark.parametrize("name", NAMES)
def test_the_pathing_grid_shown_at_the_start_is_the_recorded_one(name: str) -> None:
    from s2clientprotocol import sc2api_pb2

    game_map = captured_map(name)
    seen = sc2api_pb2.ResponseObservation.FromString(recorded(name)[1])
    near = {(u.pos.x, u.pos.y) for u in seen.observation.raw_data.units if u.display_type == 1}
    visible = tuple(o for o in game_map.objects if (o.x, o.y) in near)
    assert sum(o.kind.is_resource for o in visible) == 10
    shown = game_map.shown_pathing(visible, game_map.starts[:1])
    assert np.array_equal(shown, raw_grid(name, "pathing_grid"))
    assert np.array_equal(game_map.placement_grid, raw_grid(name, "placement_grid"))


@pytest.mark.parametrize("name", NAMES)
def test_every_start_is_an_expansion_and_every_expansion_can_be_built_on(name: str) -> None:
    game_map = captured_map(name)
    expansions = find_expansions(game_map)
    places = {expansion.place for expansion in expansions}
    assert set(game_map.starts) <= places
    assert all(townhall_centers(game_map)[int(y), int(x)] for x, y in places)
    assert all(len(expansion.geysers) == 2 for expansion in expansions)
    assert {len(e.minerals) for e in expansions if not e.is_rich} == {8}
    listed = [o for e in expansions for o in e.resources]
    blockers = [o for o in game_map.resources if o.type == "mineral_field_450"]
    assert len(listed) + len(blockers) == len(game_map.resources)


@needs_reference
@pytest.mark.parametrize("name", TABLED)
def test_bases_and_ramps_are_those_of_the_reference(name: str) -> None:
    text = (REFERENCE / "maps.md").read_text(encoding="utf-8")
    part = text.split(f"\n### {name}\n")[1].split("\n### ")[0]
    rows = re.findall(r"^\| (\d+\.5) \| (\d+\.5) \| \d+ \| (rich )?\d", part, re.MULTILINE)
    expansions = find_expansions(captured_map(name))
    found = {(*e.place, e.is_rich) for e in expansions}
    assert found == {(float(x), float(y), bool(rich)) for x, y, rich in rows}
    (n_ramps,) = re.findall(r"Ramps with a height difference: (\d+)", part)
    assert len(find_ramps(captured_map(name))) == int(n_ramps)


@pytest.mark.parametrize("name", NAMES)
def test_the_standard_wall_closes_both_main_ramps(name: str) -> None:
    game_map = captured_map(name)
    for start in game_map.starts:
        ramp = main_ramp(game_map, start)
        assert ramp is not None
        assert len(ramp.cells) == 16
        wall = ramp.wall()
        assert all(free(game_map, depot, 2) for depot in wall.depots)
        assert free(game_map, wall.barracks, 3)
        assert free(game_map, wall.barracks_with_addon, 3)
        x, y = wall.barracks_with_addon
        assert free(game_map, (x + 2.5, y - 0.5), 2)
        for middle, side in ((wall.depots[2], 2), (wall.barracks, 3)):
            closed = game_map.walkable()
            for (x, y), n in ((wall.depots[0], 2), (wall.depots[1], 2), (middle, side)):
                closed &= ~mask_of(
                    closed.shape,
                    [
                        (round(x - n / 2) + dx, round(y - n / 2) + dy)
                        for dx in range(n)
                        for dy in range(n)
                    ],
                )
            island = regions(closed)
            bottom_x, bottom_y = ramp.lower[0]
            assert island[int(start[1]), int(start[0])] != island[bottom_y, bottom_x]


@pytest.mark.parametrize("name", NAMES)
def test_walkers_pass_wherever_two_open_cells_touch(name: str) -> None:
    terrain = terrain_of(captured_map(name))
    assert joined_cells(terrain) == joined_cells(terrain, by_height=False)


@pytest.mark.parametrize("name", NAMES)
def test_an_imported_map_is_saved_and_read_without_loss(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    game_map = captured_map(name)
    file = tmp_path_factory.mktemp("maps") / f"{name}.toml"
    assert save_map(game_map, file) < 20_000
    again = load_map(file)
    for grid in ("pathing_grid", "placement_grid", "terrain_height", "sight_blocker"):
        assert np.array_equal(getattr(game_map, grid), getattr(again, grid))
    assert (again.starts, again.objects) == (game_map.starts, game_map.objects)
    assert (again.name, again.title, again.playable) == (name, game_map.title, game_map.playable)


def test_two_clients_saw_the_same_map() -> None:
    newer, older = captured_map("AutomatonLE"), captured_map("AutomatonLE_4.10.4")
    assert np.array_equal(newer.pathing_grid, older.pathing_grid)
    assert newer.objects == older.objects


def test_the_observation_of_another_game_is_refused() -> None:
    info, _ = recorded("AcropolisLE")
    _, seen = recorded("EphemeronLE")
    with pytest.raises(TerrariumError, match=r"^map AcropolisLE: |^observation: "):
        import_map(info, seen)


def test_most_recorded_bases_have_one_of_our_layouts() -> None:
    known = (*layouts.CORNERS, layouts.GAS_BELOW, layouts.ABOVE, layouts.BESIDE, layouts.GOLD)
    mirrored = {
        frozenset((flip_x * x, flip_y * y, what) for x, y, what in layout)
        for layout in known
        for flip_x in (1, -1)
        for flip_y in (1, -1)
    }
    n_bases, n_known, gold = 0, 0, []
    for name in NAMES:
        if name == "AutomatonLE_4.10.4":  # the same map again
            continue
        for base in find_expansions(captured_map(name)):
            sizes = {1800: layouts.LARGE, 900: layouts.SMALL, 2250: layouts.GAS}
            found = frozenset((o.x - base.x, o.y - base.y, sizes[o.amount]) for o in base.resources)
            if base.is_rich:
                gold.append(found in mirrored)
                continue
            n_bases += 1
            n_known += found in mirrored
    assert (n_bases, n_known) == (88, 54)
    assert gold == [True, True]
