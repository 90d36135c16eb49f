"""Neutral objects are those of the reference."""

import json

import pytest

from terrarium.data.maps.objects import cells_of, object_types, types_by_api_id
from tests.shared_facts import REFERENCE, needs_reference

KIND = {"minerals": "resource", "vespene": "resource", "plates": "destructible"}


@needs_reference
def test_every_neutral_object_of_the_reference_is_known() -> None:
    text = (REFERENCE / "units.json").read_text(encoding="utf-8")
    facts = {entry["id"]: entry for entry in json.loads(text)["neutral"]}
    types = {t.api_ids[0]: t for t in object_types().values()}
    assert types.keys() == facts.keys()
    for number, fact in facts.items():
        t = types[number]
        assert t.api_name == fact["name"]
        assert KIND.get(t.kind, t.kind) == fact["kind"]
        assert t.radius == fact["radius_api"]
        assert (t.contents, t.per_trip) == (fact.get("amount", 0), fact.get("per_trip", 0))
        if t.kind in ("destructible", "plates"):
            assert (t.hp, t.armor) == (fact["hp"], fact["armor"])
        if t.kind == "zone":
            assert (t.area, t.speed_multiplier) == (fact["radius"], fact["speed_multiplier"])
        footprint = fact["footprint"] or {}
        assert [t.shape.width, t.shape.height] == footprint.get("size", [0, 0])
        if "cells" in footprint:
            assert len(t.shape.placement) == "".join(footprint["cells"]).count("x")
        assert t.blocks_sight == footprint.get("blocks_ground_sight", False)
        older = fact.get("id_in_version", {}).get("4.10.0")
        assert older is None or types_by_api_id()[older] is t


@pytest.mark.parametrize(
    ("name", "at", "placement", "blocking"),
    [
        ("mineral_field", (10.0, 5.5), {(9, 5), (10, 5)}, {(9, 5), (10, 5)}),
        ("unbuildable_rocks_destructible", (3.0, 3.0), {(2, 2), (3, 2), (2, 3), (3, 3)}, set()),
    ],
)
def test_footprints_lie_around_their_centers(
    name: str,
    at: tuple[float, float],
    placement: set[tuple[int, int]],
    blocking: set[tuple[int, int]],
) -> None:
    built, walked = cells_of(object_types()[name].shape, *at)
    assert (set(built), set(walked)) == (placement, blocking)


@pytest.mark.parametrize(
    ("name", "n_placement", "n_blocking"),
    [
        ("vespene_geyser", 9, 9),
        ("destructible_rock_6x6", 24, 32),
        ("destructible_ramp_diagonal_huge_blur", 38, 56),
        ("xelnaga_tower", 4, 4),
        ("acceleration_zone_large", 0, 0),
    ],
)
def test_an_outline_closes_the_cells_whose_centers_it_holds(
    name: str, n_placement: int, n_blocking: int
) -> None:
    shape = object_types()[name].shape
    assert (len(shape.placement), len(shape.blocking)) == (n_placement, n_blocking)
