"""What comes of an ability, part by part, read from its table."""

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from terrarium.data import vocabulary as words
from terrarium.data.facts.ability_facts import (
    Cargo,
    Drain,
    Flight,
    Morph,
    Push,
    Restore,
    Summon,
    Teleport,
)
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.unit_facts import Production


def _part(table: Layers, key: str, shape: type[Any]) -> Layers | None:
    """The table `key`, whose keys are the fields of `shape`."""
    if not table.has(key):
        return None
    part = table.table(key)
    part.only([field.name for field in fields(shape)])
    return part


def read_flight(table: Layers) -> Flight | None:
    flight = _part(table, "flight", Flight)
    if flight is None:
        return None
    return Flight(**{field.name: flight.number_or_none(field.name, 0) for field in fields(Flight)})


def read_morph(table: Layers, way: Production | None) -> Morph | None:
    """The change itself; its time comes from the production of the new unit where that has it."""
    if not table.has("becomes"):
        return None
    loops, extra = table.number_or_none("loops", 0), table.pair_or_none("random_extra_loops", True)
    if way is not None:
        for key in ("loops", "random_extra_loops"):
            if table.has(key):
                raise table.error("is said by the production of the unit already", key)
        loops, extra = way.loops, way.random_extra_loops
    return Morph(
        becomes=table.text("becomes"),
        loops=loops,
        random_extra_loops=extra,
        stats_over_loops=table.pair_or_none("stats_over_loops", ordered=True),
        acts_after_loops=table.number_or_none("acts_after_loops", 0),
        search_radius=table.number_or_none("search_radius", 0),
    )


def read_summon(table: Layers, way: Production | None) -> Summon | None:
    if not table.has("summons"):
        return None
    loops = table.number_or_none("loops", 0)
    if way is not None and way.loops is not None:
        if loops is not None:
            raise table.error("is said by the production of the unit already", "loops")
        loops = way.loops
    return Summon(unit=table.text("summons"), count=table.integer_or("count", 1, 1), loops=loops)


def read_teleport(table: Layers) -> Teleport | None:
    teleport = _part(table, "teleport", Teleport)
    if teleport is None:
        return None
    return Teleport(
        **{field.name: teleport.number_or_none(field.name, 0) for field in fields(Teleport)}
    )


def read_cargo(table: Layers, units: Collection[str]) -> Cargo | None:
    cargo = _part(table, "cargo", Cargo)
    if cargo is None:
        return None
    banned = cargo.array("not_units") if cargo.has("not_units") else []
    return Cargo(
        max_units=cargo.integer("max_units", 1),
        max_unit_size=cargo.integer("max_unit_size", 1),
        load_range=cargo.number("load_range", 0),
        load_all_radius=cargo.number_or_none("load_all_radius", 0),
        load_period_loops=cargo.number_or_none("load_period_loops", 0),
        unload_range=cargo.number("unload_range", 0),
        unload_period_loops=cargo.number_or_none("unload_period_loops", 0),
        first_unload_loops=cargo.number_or_none("first_unload_loops", 0),
        dies_with_carrier=cargo.boolean("dies_with_carrier"),
        weapon_range_add=cargo.number_or("weapon_range_add", 0.0, 0),
        only=cargo.words("only", (), words.TRAITS),
        shared=cargo.boolean_or("shared", False),
        not_units=tuple(cargo.unit_name(name, units, "not_units") for name in banned),
    )


def read_restore(table: Layers) -> Restore | None:
    restore = _part(table, "restore", Restore)
    if restore is None:
        return None
    return Restore(
        life=restore.number_or("life", 0.0, 0),
        shields_per_s=restore.number_or_none("shields_per_s", 0),
        energy_per_shield=restore.number_or_none("energy_per_shield", 0),
        cost_fraction=restore.number_or_none("cost_fraction", 0),
        energy_gain=restore.number_or("energy_gain", 0.0, 0),
    )


def read_drain(table: Layers) -> Drain | None:
    drain = _part(table, "drain", Drain)
    if drain is None:
        return None
    return Drain(
        shields=drain.number_or("shields", 0.0, 0),
        energy=drain.number_or("energy", 0.0, 0),
        all_energy=drain.boolean_or("all_energy", False),
        damage_per_energy=drain.number_or("damage_per_energy", 0.0, 0),
    )


def read_push(table: Layers) -> Push | None:
    push = _part(table, "push", Push)
    if push is None:
        return None
    return Push(
        distance=push.number("distance", 0),
        loops=push.number_or_none("loops", 0),
        never=push.words("never", (), words.TRAITS),
    )
