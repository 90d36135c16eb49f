"""The tables of the API for the kernels: made once for the rules and the map of a game."""

import math

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.unit_facts import Unit
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.names import NO_FAMILY
from terrarium.server.kernels.layouts import API_TYPE, ApiTables
from terrarium.server.translate.ids import Ids

STRUCTURES_FACE = 3.92529726
"""Structures of players face the lower left, and neutral objects down, in every recorded game."""
NEUTRAL_FACES = 4.71238899
TURNS = -1.0
WITHOUT_ROOM = frozenset(("CommandCenter", "CommandCenterFlying", "PlanetaryFortress"))
"""carriers whose messages speak of cargo only while there is some"""
MINERALS_BUFF, RICH_BUFF = "carry_mineral_field_minerals", "carry_high_yield_mineral_field_minerals"
GAS_BUFFS = {
    "Terran": "carry_harvestable_vespene_geyser_gas",
    "Protoss": "carry_harvestable_vespene_geyser_gas_protoss",
    "Zerg": "carry_harvestable_vespene_geyser_gas_zerg",
}
LOAD, MULE_LOAD = 5.0, 25.0
"""what a worker and a MULE bring from a field that is not rich"""
GROUND_STEP, STEPS_PER_Z = 127, 8
"""of the height grid"""


def api_tables(sim: Simulator, ids: Ids) -> ApiTables:
    """What the kernels of the server need to know of one game."""
    assert sim.setup.terrain is not None
    heights = np.nan_to_num(sim.setup.terrain.z, nan=0.0)
    return ApiTables(
        types=_types(sim, ids),
        abilities=np.maximum(ids.abilities, 0),
        products=ids.products,
        orders=ids.orders,
        buffs=ids.buffs,
        heights=np.ascontiguousarray(heights, np.float64).ravel(),
    )


def height_grid(heights: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Heights in the steps of the API."""
    known = np.nan_to_num(heights, nan=0.0)
    return np.clip(np.rint(known * STEPS_PER_Z + GROUND_STEP), 0, 255).astype(np.uint8)


def _types(sim: Simulator, ids: Ids) -> Records:
    facts = ids.facts
    table = records(len(facts.units), API_TYPE)
    for row, unit in enumerate(facts.units.values()):
        for name, value in _type(sim, ids, row, unit).items():
            table[name][row] = value
    return table


def _type(sim: Simulator, ids: Ids, row: int, unit: Unit) -> dict[str, float]:
    known, facts = sim.rules.types[row], ids.facts
    worker = bool(known["worker"])
    carries = {name: (buff.id or 0) if worker else 0 for name, buff in facts.buffs.items()}
    is_structure = unit.kind != "unit"
    army = known["supply_used"] > 0 and not worker and "army" in unit.flags
    return {
        "id": unit.id,
        "agent_id": ids.copies.get(row, 0),
        "radius": unit.radius_api,
        "fly_height": unit.fly_height,
        "detects": unit.detection_range or 0.0,
        "radar": unit.radar_range or 0.0,
        "cargo_room": int(known["cargo_room"]),
        "shows_room": unit.api_name not in WITHOUT_ROOM,
        "structure": is_structure,
        "armed": bool(unit.weapons),
        "family": _family(sim, row),
        "burrowed": "burrowed" in unit.traits or "urrowed" in unit.api_name,
        "lifetime": float(known["life_high"]),
        "facing": _facing(unit, is_structure),
        "army": army,
        "warp_gate": unit.api_name == "WarpGate",
        "minerals_buff": carries.get(MINERALS_BUFF, 0),
        "rich_buff": carries.get(RICH_BUFF, 0),
        "gas_buff": carries.get(GAS_BUFFS.get(unit.race, ""), 0),
        "rich_above": MULE_LOAD if known["own_trip"] > 0.0 else LOAD,
    }


def _facing(unit: Unit, is_structure: bool) -> float:
    if unit.race == "Neutral":
        return NEUTRAL_FACES
    return STRUCTURES_FACE if is_structure and math.isclose(unit.speed, 0.0) else TURNS


def _family(sim: Simulator, row: int) -> int:
    """The family of upgrades that a type's first weapon gains by."""
    known = sim.rules.types[row]
    if known["n_weapons"] == 0:
        return NO_FAMILY
    weapon = sim.rules.weapons[int(known["first_weapon"])]
    return (
        int(sim.rules.hits["family"][int(weapon["first_hit"])]) if weapon["n_hits"] else NO_FAMILY
    )
