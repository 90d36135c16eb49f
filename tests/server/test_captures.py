"""The first answers of a game beside those of the recorded games: which fields agree, and why the
others do not."""

from collections.abc import Mapping
from functools import cache

import pytest
from s2clientprotocol import sc2api_pb2 as api

from tests.server.captured import (
    Agreement,
    answers,
    compare,
    kind_of,
    paired,
    recorded,
)
from tests.shared_facts import CAPTURES, needs_captures

GRIDS = ("pathing_grid", "placement_grid", "terrain_height")
MAPS = sorted(folder.name for folder in CAPTURES.iterdir()) if CAPTURES.exists() else []

REASONS: Mapping[str, tuple[int, str]] = {
    "Neutral Snapshot: there": (8, "fields of 450 have other ids in later clients than in 4.10"),
    "Neutral Visible: there": (5, "a dog and four acceleration zones are no units of ours"),
    "Neutral Snapshot.pos.z": (3, "heights are known in steps of an eighth"),
    "Self Visible.pos.z": (1, "heights are known in steps of an eighth"),
    "Neutral Snapshot.facing": (28, "how rocks and towers are turned is not in our maps"),
    "Neutral Snapshot.is_on_screen": (1, "a rock that the recorded camera began at"),
    "Self Visible.facing": (82, "SCVs begin in directions that are drawn"),
}
"""how many entries of all maps do not agree, and why"""


@cache
def agreement() -> Agreement:
    found = Agreement()
    for name in MAPS:
        (info, ours), (known, theirs) = answers(name), recorded(name)
        for grid in GRIDS:
            mine, other = getattr(info.start_raw, grid), getattr(known.start_raw, grid)
            found.add_grid(f"start_raw.{grid}", mine, other)
        compare(found, "game_info", without_grids(info), without_grids(known))
        compare_observations(found, ours.observation, theirs.observation)
    return found


def without_grids(info: api.ResponseGameInfo) -> api.ResponseGameInfo:
    copy = api.ResponseGameInfo()
    copy.CopyFrom(info)
    for grid in GRIDS:
        getattr(copy.start_raw, grid).ClearField("data")
    return copy


def compare_observations(found: Agreement, ours: api.Observation, theirs: api.Observation) -> None:
    found.add("game_loop", ours.game_loop, theirs.game_loop)
    for part in ("player_common", "score"):
        compare(found, part, getattr(ours, part), getattr(theirs, part))
    mine, other = ours.raw_data, theirs.raw_data
    compare(found, "player", mine.player, other.player)
    found.add_grid("visibility", mine.map_state.visibility, other.map_state.visibility)
    found.add_grid("creep", mine.map_state.creep, other.map_state.creep)
    for one, two in paired(mine.units, other.units):
        kind = kind_of(one if two is None else two)
        found.add(f"{kind}: there", one is not None, two is not None)
        if one is not None and two is not None:
            compare(found, kind, one, two)


@needs_captures
def test_all_but_a_few_known_entries_agree() -> None:
    found = agreement()
    assert found.differences == {field: n for field, (n, _) in REASONS.items()}, found.table()


@needs_captures
@pytest.mark.parametrize("grid", [f"start_raw.{grid}" for grid in GRIDS])
def test_every_cell_of_the_grids_agrees(grid: str) -> None:
    found = agreement()
    assert found.all[grid] > 100_000
    assert found.same[grid] == found.all[grid]
