"""Where structures can stand: sc2api.md, 12, maps.md, and game_rules.md, 5 and 9."""

import numpy as np
import pytest

from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.ramps import main_ramp
from terrarium.engine import codes
from terrarium.engine.simulator import EngineError
from tests.data.maps.captures import NAMES
from tests.engine.economy.bases import Base, recorded_map
from tests.shared_facts import needs_captures

AT = (32.5, 32.5)
"""free ground on flat_64 that no start unit sees"""


def answer(base: Base, structure: str = "barracks", at: tuple[float, float] = AT) -> str:
    base.sim.step(2)  # vision is worked out every second tick
    return base.sim.can_place(0, 1, structure, at)


ALLOWED = {
    "nothing there": ([], []),
    "an own unit that can move": (["zergling"], []),
    "an own worker": (["scv"], []),
    "an unseen unit": ([], ["zergling"]),
    "an unseen structure": ([], ["supply_depot"]),
    "an unseen cloaked unit": ([], ["dark_templar"]),
    "an unseen burrowed unit": ([], ["roach_burrowed"]),
    "a cloaked unit that is not detected": (["overlord"], ["dark_templar"]),
    "a burrowed unit that is not detected": (["overlord"], ["roach_burrowed"]),
    "a buried mine that is not detected": (["overlord"], ["widow_mine_burrowed"]),
    "a flyer of the enemy": (["overlord"], ["medivac"]),
}
FORBIDDEN = {
    "an own structure": (["supply_depot"], []),
    "an own lowered depot": (["supply_depot_lowered"], []),
    "an own unit that cannot move": (["siege_tank_sieged"], []),
    "a seen structure": (["overlord"], ["supply_depot"]),
    "a seen lowered depot": (["overlord"], ["supply_depot_lowered"]),
    "a seen unit": (["overlord"], ["zergling"]),
    "a seen large unit": (["overlord"], ["ultralisk"]),
    "a seen worker": (["overlord"], ["scv"]),
    "a detected cloaked unit": (["overseer"], ["dark_templar"]),
    "a detected burrowed unit": (["overseer"], ["roach_burrowed"]),
    "a detected burrowed mine": (["overseer"], ["widow_mine_burrowed"]),
    "a sieged tank": (["overlord"], ["siege_tank_sieged"]),
    "a changeling": (["overlord"], ["changeling"]),
}


QUERIES = {
    True: (
        ("overlord", "dark_templar"),
        ("overlord", "roach_burrowed"),
        ("overlord", "zergling_burrowed"),
        ("barracks_flying", "widow_mine_burrowed"),
        ("zealot", None),
        (None, "zealot"),
        (None, "supply_depot"),
        (None, "dark_templar"),
        (None, "roach_burrowed"),
    ),
    False: (
        ("command_center", None),
        ("overlord", "supply_depot"),
        ("overlord", "supply_depot_lowered"),
        ("overlord", "zealot"),
        ("overlord", "siege_tank_sieged"),
        ("overlord", "creep_tumor_burrowed"),
        ("observer", "creep_tumor_burrowed"),
        ("observer", "dark_templar"),
        ("observer", "roach_burrowed"),
        ("observer", "widow_mine_burrowed"),
        ("siege_tank_sieged", None),
        ("overlord", "changeling"),
        ("observer", "changeling"),
    ),
}
"""The 9 and 13 pairs of an own and an enemy's unit that clients ask about (sc2api.md, 12)."""


def furnish(owned: list[str], enemies: list[str]) -> Base:
    """Units of player 1 and of player 2 at one place."""
    base = Base("flat_64")
    for owner, names in ((1, owned), (2, enemies)):
        for name in names:
            kind = base.sim.rules.types[base.sim.rows[name]]
            if kind["footprint"] >= 0:
                base.sim.place(0, name, owner, *AT)
            else:
                base.sim.create(0, name, owner, *AT)
    return base


@pytest.mark.parametrize("case", ALLOWED)
def test_what_may_be_there(case: str) -> None:
    assert answer(furnish(*ALLOWED[case])) == "Success"


@pytest.mark.parametrize("case", FORBIDDEN)
def test_what_may_not_be_there(case: str) -> None:
    answers = "CantFindPlacementLocation", "CantBuildLocationInvalid"
    assert answer(furnish(*FORBIDDEN[case])) in answers


@pytest.mark.parametrize(
    ("own", "enemy", "allowed"),
    [(*pair, said) for said, pairs in QUERIES.items() for pair in pairs],
)
def test_what_clients_ask_about(own: str | None, enemy: str | None, allowed: bool) -> None:
    base = furnish([own] if own else [], [enemy] if enemy else [])
    base.sim.step(1000 if enemy == "creep_tumor_burrowed" else 10)
    for structure in ("barracks", "supply_depot"):
        assert (answer(base, structure, AT) == "Success") == allowed, structure


@pytest.mark.parametrize("structure", ["supply_depot", "barracks", "command_center"])
def test_resources_and_the_edge_of_the_map_are_no_ground(structure: str) -> None:
    """game_rules.md, 5, and sc2api.md, 11: a depot on minerals."""
    base = Base("flat_64")
    field = base.near(codes.MINERALS)[0]
    place = (base.sim.units["x"][0, field], base.sim.units["y"][0, field])
    assert answer(base, structure, place) == "CantFindPlacementLocation"
    x0, y0, x1, y1 = base.sim.setup.terrain.playable
    for corner in ((x0, y0), (x1, y1), (x1, y0 + 20.0), (x0 + 20.0, y0), (-7.0, 3.0), (1e9, 0.0)):
        assert answer(base, structure, corner) == "CantFindPlacementLocation"


def test_townhalls_keep_three_cells_from_resources_but_for_corners() -> None:
    """maps.md, "Resources per base"."""
    free = Base("empty_128").sim
    slot = free.place(0, "mineral_field", 0, 64.0, 64.5)
    assert (free.units["x"][0, slot], free.units["y"][0, slot]) == (64.0, 64.5)
    hall = "command_center"
    too_close = "CantBuildTooCloseToResources"
    # The field is 2 by 1, the townhall 5 by 5: 3 free cells are 6.5 along and 6 across.
    for place, said in (
        ((70.5, 64.5), "Success"),
        ((69.5, 64.5), too_close),
        ((64.5, 70.5), "Success"),
        ((64.5, 69.5), too_close),
        ((69.5, 69.5), "Success"),
        ((68.5, 69.5), too_close),
        ((69.5, 68.5), too_close),
    ):
        assert free.can_place(0, 1, hall, place) == said, place
    assert free.can_place(0, 1, "barracks", (68.5, 64.5)) == "Success"


def test_structures_snap_to_cells_or_corners() -> None:
    """economy.md, 10: odd sides have their middle in a cell, even ones on a corner."""
    base = Base("flat_64")
    sim = base.sim
    sim.place(0, "barracks", 1, 32.5, 32.5)
    assert sim.can_place(0, 1, "barracks", (35.0, 32.5)) == "Success"  # becomes 35.5
    assert sim.can_place(0, 1, "supply_depot", (34.6, 32.0)) == "Success"  # becomes 35
    assert sim.can_place(0, 1, "supply_depot", (34.4, 32.0)) == "CantFindPlacementLocation"


def test_what_stands_on_geysers_stands_on_nothing_else() -> None:
    base = Base("flat_64")
    sim, geyser = base.sim, base.near(codes.VESPENE)[0]
    place = (float(sim.units["x"][0, geyser]), float(sim.units["y"][0, geyser]))
    assert answer(base, "refinery", place) == "Success"
    assert answer(base, "refinery", AT) == "CantBuildOnThat"
    assert answer(base, "barracks", place) == "CantFindPlacementLocation"
    sim.place(0, "refinery", 1, *place)
    assert answer(base, "refinery", place) == "CantBuildLocationInvalid"


def test_ramps_and_cliffs_are_no_ground() -> None:
    base = Base("two_base")
    map_, sim = base.sim.setup.map, base.sim
    buildable = map_.placement_grid
    ys, xs = np.nonzero(map_.pathing_grid & ~buildable)
    assert len(xs) > 0
    for x, y in list(zip(xs, ys, strict=True))[::7]:
        said = sim.can_place(0, 1, "sensor_tower", (x + 0.5, y + 0.5))
        assert said == "CantFindPlacementLocation"


def test_what_cannot_stand_on_the_grid_is_no_structure() -> None:
    base = Base("flat_64")
    assert answer(base, "marine") == "NotSupported"
    with pytest.raises(EngineError, match='unknown unit "barrack"'):
        base.sim.can_place(0, 1, "barrack", AT)
    with pytest.raises(EngineError, match="is not a place"):
        base.sim.can_place(0, 1, "barracks", (float("nan"), 0.0))
    with pytest.raises(EngineError, match="owner 3"):
        base.sim.can_place(0, 3, "barracks", AT)


def starts(base: Base) -> list[tuple[float, float]]:
    """Where the two townhalls stand."""
    halls = [base.mine(owner)[0] for owner in (1, 2)]
    return [(float(base.sim.units["x"][0, u]), float(base.sim.units["y"][0, u])) for u in halls]


@needs_captures
@pytest.mark.parametrize("name", NAMES)
def test_townhalls_fit_at_every_expansion_of_recorded_maps(name: str) -> None:
    """maps.md: the places found for the maps handed out, and the two starts."""
    base = Base(recorded_map(name))
    found = [expansion.place for expansion in find_expansions(recorded_map(name))]
    assert len(found) >= 10
    for owner, start in enumerate(starts(base), 1):
        assert base.sim.can_place(0, owner, "nexus", start) == "CantFindPlacementLocation"
        base.sim.remove(0, base.mine(owner)[0])
        assert start in found
    for place in found:
        for townhall in ("command_center", "nexus", "hatchery"):
            assert base.sim.can_place(0, 1, townhall, place) == "Success", place


@needs_captures
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wall", ["three depots", "barracks", "barracks with an add-on"])
def test_the_standard_wall_can_be_placed_on_recorded_maps(name: str, wall: str) -> None:
    """maps.md: three depots, or two depots and a barracks, close the ramp of a main."""
    base = Base(recorded_map(name))
    for start in starts(base):
        ramp = main_ramp(recorded_map(name), start)
        assert ramp is not None
        places = ramp.wall()
        pieces = [("supply_depot", place) for place in places.depots[:2]]
        if wall == "three depots":
            pieces.append(("supply_depot", places.depots[2]))
        elif wall == "barracks":
            pieces.append(("barracks", places.barracks))
        else:
            x, y = places.barracks_with_addon
            pieces += [("barracks", (x, y)), ("barracks_tech_lab", (x + 2.5, y - 0.5))]
        for structure, place in pieces:
            assert base.sim.can_place(0, 1, structure, place) == "Success", (structure, place)
            base.sim.place(0, structure, 1, *place)
