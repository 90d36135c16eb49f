"""Units, read from tables: the keys of a unit's table are the fields of `facts.Unit`."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from terrarium.data import vocabulary as words
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.production import Roster, UnitId, read_api, read_productions
from terrarium.data.facts.unit_facts import (
    Creep,
    Disguise,
    Footprint,
    Harvest,
    Heal,
    Leaves,
    Resource,
    Unit,
)
from terrarium.data.facts.weapons import camel_case, read_weapon

# What most units share. A file states only what is special about a unit.
GROUND_COLLISION = ("force_field", "ground", "locust", "small")
STRUCTURE_COLLISION = (
    "burrow",
    "force_field",
    "ground",
    "locust",
    "phased",
    "roach_burrow",
    "small",
    "structure",
)
MOST_SIGHT = 30.0
"""The rows of what a unit sees in a whole game are bits of one number"""
STRUCTURE_FLAGS = ("counts_against_defeat", "no_armor_while_constructing", "town_alert")
STRUCTURE_PRIORITY, UNIT_PRIORITY = 11, 20
FLY_HEIGHT = 3.75
MASS = 0.4
INSTANT_ACCELERATION = 1000.0
TURN_RATE_DEG_PER_S = 999.8437
SHIELD_REGEN_PER_S, SHIELD_REGEN_DELAY_LOOPS = 2.0, 160.0
ENERGY_START, ENERGY_REGEN_PER_S = 50.0, 0.5625

_KEYS = [
    "weapon",
    "command_card_added",
    "command_card_removed",
    *(field.name for field in fields(Unit) if field.name not in {"name", "weapons"}),
]


def read_unit_id(name: str, table: Layers) -> UnitId:
    """A unit's identity, which other units may need before the unit itself is read."""
    return UnitId(
        id=table.integer("id", 1),
        api_name=table.text("api_name") if table.has("api_name") else camel_case(name),
        kind=table.choice_or("kind", "unit", words.KINDS),
    )


def read_unit(name: str, table: Layers, roster: Roster) -> Unit:
    """One unit from its table."""
    table.only(_KEYS)
    flying = table.boolean_or("flying", False)
    building = roster[name].kind != "unit"
    production = tuple(read_productions(table, roster))
    cost = _cost(table, building)
    return Unit(
        name=name,
        api_name=roster[name].api_name,
        id=roster[name].id,
        agent_copy_of=table.text("agent_copy_of") if table.has("agent_copy_of") else None,
        race=table.choice("race", words.UNIT_RACES),
        kind=roster[name].kind,
        api=read_api(table, roster, cost, production),
        flying=flying,
        **_life(table),
        **_senses(table, flying),
        **_body(table, flying, building),
        **_ground(table, roster),
        **_motion(table, flying),
        **cost,
        **_behavior(table, flying, building),
        weapons=tuple(
            read_weapon(weapon, part, roster) for weapon, part in table.named_tables("weapon")
        ),
        heal=_heal(table),
        resource=_resource(table),
        harvest=_harvest(table),
        armor_upgrades_per_level=table.amounts("armor_upgrades_per_level", words.UPGRADES),
        production=production,
        abilities_seen=table.integers("abilities_seen"),
        command_card=_command_card(table),
    )


def _life(table: Layers) -> dict[str, Any]:
    shields = table.number_or("shields", 0.0, 0)
    energy_max = table.number_or("energy_max", 0.0, 0)
    energy_start = table.number_or("energy_start", min(ENERGY_START, energy_max), 0)
    if energy_start > energy_max:
        raise table.error(
            f"{energy_start:g} is more than energy_max {energy_max:g}", "energy_start"
        )
    return {
        "hp": table.number("hp", 1),
        "hp_regen_per_s": table.number_or("hp_regen_per_s", 0.0, 0),
        "hp_regen_delay_loops": table.number_or_none("hp_regen_delay_loops", 0),
        "armor": table.number_or("armor", 0.0, 0),
        "shields": shields,
        "shield_regen_per_s": _with(
            table, "shields", shields, "shield_regen_per_s", SHIELD_REGEN_PER_S
        ),
        "shield_regen_delay_loops": _with(
            table, "shields", shields, "shield_regen_delay_loops", SHIELD_REGEN_DELAY_LOOPS
        ),
        "energy_max": energy_max,
        "energy_start": energy_start if energy_max else None,
        "energy_regen_per_s": _with(
            table, "energy_max", energy_max, "energy_regen_per_s", ENERGY_REGEN_PER_S
        ),
        "lifetime_loops": table.pair_or_none("lifetime_loops", ordered=True),
    }


def _with(table: Layers, what: str, amount: float, key: str, default: float) -> float | None:
    """A number that only those have who have `what`."""
    if amount:
        return table.number_or(key, default, 0)
    if table.has(key):
        raise table.error(f"means nothing where {what} is 0", key)
    return None


def _senses(table: Layers, flying: bool) -> dict[str, Any]:
    return {
        "sight": table.number("sight", 0, MOST_SIGHT),
        "detection_range": table.number_or_none("detection_range", 0),
        "radar_range": table.number_or_none("radar_range", 0),
        "power_radius": table.number_or_none("power_radius", 0),
        "sees_over_cliffs": table.boolean_or("sees_over_cliffs", flying),
    }


def _body(table: Layers, flying: bool, building: bool) -> dict[str, Any]:
    radius = table.number("radius", 0)
    if flying:
        collision: tuple[str, ...] = ("flying",)
    else:
        collision = STRUCTURE_COLLISION if building else GROUND_COLLISION
    return {
        "attributes": table.words("attributes", (), words.ATTRIBUTES),
        "targetable_as": table.words(
            "targetable_as", ("air" if flying else "ground",), words.PLANES
        ),
        "radius": radius,
        "separation_radius": table.number_or("separation_radius", radius, 0),
        "inner_radius": table.number_or_none("inner_radius", 0),
        "radius_api": table.number_or("radius_api", radius, 0),
        "fly_height": table.number_or("fly_height", FLY_HEIGHT if flying else 0.0, 0),
        "footprint": _footprint(table),
        "addon_offset": table.pair_or_none("addon_offset"),
        "collision": table.words("collision", collision, words.COLLISION_CLASSES),
        "mass": table.number_or("mass", MASS, 0),
    }


def _ground(table: Layers, roster: Roster) -> dict[str, Any]:
    """What a unit makes of the ground, and asks of it."""
    return {
        "creep": _creep(table),
        "needs_creep": table.boolean_or("needs_creep", False),
        "needs_power": table.boolean_or("needs_power", False),
        "leaves": _leaves(table, roster),
        "settles_as": table.unit_name(table.text("settles_as"), roster, "settles_as")
        if table.has("settles_as")
        else None,
        "quickens_warp_in": table.boolean_or("quickens_warp_in", False),
        "disguise": _disguise(table, roster),
    }


def _disguise(table: Layers, roster: Roster) -> Disguise | None:
    if not table.has("disguise"):
        return None
    disguise = table.table("disguise")
    disguise.only([field.name for field in fields(Disguise)])
    of, unit = (disguise.unit_name(disguise.text(key), roster, key) for key in ("of", "unit"))
    return Disguise(of, unit, disguise.text("upgrade") if disguise.has("upgrade") else None)


def _leaves(table: Layers, roster: Roster) -> Leaves | None:
    if not table.has("leaves"):
        return None
    leaves = table.table("leaves")
    leaves.only([field.name for field in fields(Leaves)])
    return Leaves(leaves.unit_name(leaves.text("unit"), roster, "unit"), leaves.integer("count", 1))


def _creep(table: Layers) -> Creep | None:
    if not table.has("creep"):
        return None
    creep = table.table("creep")
    creep.only([field.name for field in fields(Creep)])
    return Creep(
        creep.number("radius", 0), creep.number("start", 0), creep.number("loops_per_step", 1)
    )


def _resource(table: Layers) -> Resource | None:
    if not table.has("resource"):
        return None
    resource = table.table("resource")
    resource.only([field.name for field in fields(Resource)])
    return Resource(
        kind=resource.choice("kind", words.RESOURCES),
        contents=resource.number_or("contents", 0.0, 0),
        per_trip=resource.number("per_trip", 1),
        gather_loops=resource.number("gather_loops", 0),
        pause_loops=resource.number_or("pause_loops", 0.0, 0),
    )


def _harvest(table: Layers) -> Harvest | None:
    if not table.has("harvest"):
        return None
    harvest = table.table("harvest")
    harvest.only([field.name for field in fields(Harvest)])
    return Harvest(harvest.number("minerals", 1), harvest.number("loops", 0))


def _footprint(table: Layers) -> Footprint | None:
    if not table.has("footprint"):
        return None
    footprint = table.table("footprint")
    footprint.only(("size", "ground_block_polygon"))
    size, outline = None, None
    if footprint.has("size"):
        width, height = footprint.numbers("size", 2)
        if min(width, height) < 1 or not (width.is_integer() and height.is_integer()):
            raise footprint.error(f"{[width, height]} is not a size in whole cells", "size")
        size = (int(width), int(height))
    if footprint.has("ground_block_polygon"):
        outline = tuple(_corners(footprint))
    return Footprint(size, outline)


def _corners(footprint: Layers) -> Iterator[tuple[float, float]]:
    key = "ground_block_polygon"
    for corner in footprint.array(key):
        if (
            not isinstance(corner, list)
            or len(corner) != 2
            or any(isinstance(x, bool) or not isinstance(x, int | float) for x in corner)
            # Also refuses NaN: no outline reaches farther than a map.
            or not all(-256 <= x <= 256 for x in corner)
        ):
            raise footprint.error(f"{corner!r} is not a corner [x, y]", key)
        yield float(corner[0]), float(corner[1])


def _motion(table: Layers, flying: bool) -> dict[str, Any]:
    speed = table.number_or("speed", 0.0, 0)
    turn_rate = _with(table, "speed", speed, "turn_rate_deg_per_s", TURN_RATE_DEG_PER_S)
    if table.has("mover") and not speed:
        raise table.error("means nothing where speed is 0", "mover")
    mover = table.choice_or("mover", "air" if flying else "ground", words.MOVERS)
    return {
        "speed": speed,
        "speed_creep_multiplier": table.number_or_none("speed_creep_multiplier", 0),
        "acceleration": _with(table, "speed", speed, "acceleration", INSTANT_ACCELERATION),
        "deceleration": table.number_or_none("deceleration", 0),
        "lateral_acceleration": table.number_or_none("lateral_acceleration", 0),
        "turn_rate_deg_per_s": turn_rate,
        "stationary_turn_rate_deg_per_s": _with(
            table, "speed", speed, "stationary_turn_rate_deg_per_s", turn_rate or 0.0
        ),
        "mover": mover if speed else None,
    }


def _cost(table: Layers, building: bool) -> dict[str, Any]:
    score_make = table.number_or("score_make", 0.0, 0)
    return {
        "cargo_size": table.integer_or("cargo_size", 0, 0),
        "cargo_capacity": table.integer_or("cargo_capacity", 0, 0),
        "supply_used": table.number_or("supply_used", 0.0, 0),
        "supply_provided": table.number_or("supply_provided", 0.0, 0),
        "minerals_total": table.number_or("minerals_total", 0.0, 0),
        "vespene_total": table.number_or("vespene_total", 0.0, 0),
        "cost_category": table.choice_or(
            "cost_category", "technology" if building else "army", words.COST_CATEGORIES
        ),
        "repair_loops": table.number_or_none("repair_loops", 0),
        "score_make": score_make,
        "score_kill": table.number_or("score_kill", score_make, 0),
    }


def _behavior(table: Layers, flying: bool, building: bool) -> dict[str, Any]:
    return {
        "attack_priority": table.integer_or(
            "attack_priority", STRUCTURE_PRIORITY if building else UNIT_PRIORITY, 0
        ),
        "attack_priority_when_others_near": table.integer_or_none(
            "attack_priority_when_others_near", 0
        ),
        "acquires": table.choice_or("acquires", "offensive", words.ACQUIRES),
        "response_to_attack": table.choice_or("response_to_attack", "acquire", words.RESPONSES),
        "flags": table.words("flags", STRUCTURE_FLAGS if building else (), words.FLAGS),
        "traits": table.words("traits", (), words.TYPE_TRAITS),
        "snapshot_in_fog": table.boolean_or("snapshot_in_fog", building and not flying),
    }


def _heal(table: Layers) -> Heal | None:
    if not table.has("heal"):
        return None
    heal = table.table("heal")
    heal.only([field.name for field in fields(Heal)])
    return Heal(
        range=heal.number("range", 0),
        autocast_range=heal.number("autocast_range", 0),
        life_per_s=heal.number("life_per_s", 0),
        energy_per_life=heal.number("energy_per_life", 0),
        autocast_min_energy=heal.number("autocast_min_energy", 0),
        while_moving=heal.boolean("while_moving"),
    )


def _command_card(table: Layers) -> tuple[int, ...]:
    """The card as first written, with what each difference takes from it and adds to it."""
    card: list[int] = []
    for layer in table.layers:
        part = Layers([layer])
        if part.has("command_card"):
            card = list(part.integers("command_card"))
        for key in ("command_card_removed", "command_card_added"):
            for ability in part.integers(key):
                if (ability in card) != (key == "command_card_removed"):
                    place = "already" if ability in card else "not"
                    raise part.error(f"{ability} is {place} on the command card", key)
                if key == "command_card_removed":
                    card.remove(ability)
                else:
                    card.append(ability)
    return tuple(card)
