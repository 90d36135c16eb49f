"""Weapons and their hits, read from tables.

What a weapon says of a hit (damage, missile, splash, ...) holds for each of its hits unless the hit
says otherwise: an entry of `hits` is a difference from the weapon, as a rule set is from its base.
Damage and bonus belong together: a hit with a damage of its own inherits no bonus.
"""

from collections.abc import Collection, Iterator
from dataclasses import fields

from terrarium.data import vocabulary as words
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.unit_facts import (
    Area,
    Cone,
    Hit,
    Line,
    Missile,
    Splash,
    Turret,
    UpgradeStep,
    Weapon,
    Zone,
)

# The game's own defaults (times in loops): most weapons have them, and a file states the rest.
RANGE_SLOP = 1.0
MIN_SCAN_RANGE = 5.0
COOLDOWN_RANDOM_LOOPS = (-1.0, 2.0)
DAMAGE_POINT_LOOPS = 2.672
BACKSWING_LOOPS = 8.0
ARC_SLOP_DEG = 11.25

_HIT_KEYS = [field.name for field in fields(Hit)]
_SHARED_KEYS = [key for key in _HIT_KEYS if key != "case"]
_WEAPON_KEYS = [
    *(field.name for field in fields(Weapon) if field.name != "name"),
    *(key for key in _SHARED_KEYS if key not in {"damage", "bonus"}),
]


def camel_case(name: str) -> str:
    """How the game would spell a name of ours: `siege_tank` is `SiegeTank`."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def read_weapon(name: str, table: Layers, units: Collection[str]) -> Weapon:
    """One weapon from its table; `units` are the names that it may mention."""
    table.only(_WEAPON_KEYS)
    reach = table.number("range", 0)
    return Weapon(
        name=name,
        api_name=table.text("api_name") if table.has("api_name") else camel_case(name),
        targets=table.choice("targets", words.TARGETS),
        range=reach,
        min_range=table.number_or_none("min_range", 0),
        range_slop=table.number_or("range_slop", RANGE_SLOP, 0),
        scan_range=table.number_or("scan_range", max(MIN_SCAN_RANGE, reach), 0),
        cooldown_loops=table.number("cooldown_loops", 0),
        cooldown_random_loops=table.pair_or_none("cooldown_random_loops", ordered=True)
        or COOLDOWN_RANDOM_LOOPS,
        damage_point_loops=table.number_or("damage_point_loops", DAMAGE_POINT_LOOPS, 0),
        backswing_loops=table.number_or("backswing_loops", BACKSWING_LOOPS, 0),
        fire_arc_deg=table.number_or("fire_arc_deg", 0.0, 0, 360),
        arc_slop_deg=table.number_or("arc_slop_deg", ARC_SLOP_DEG, 0, 360),
        movement_while_firing=table.choice_or(
            "movement_while_firing", "stops", words.MOVEMENT_WHILE_FIRING
        ),
        attacks=table.integer_or("attacks", 1, 1),
        damage=table.number_or_none("damage", 0),
        bonus=table.amounts("bonus", words.ATTRIBUTES),
        not_structures=table.boolean_or("not_structures", False),
        suicide=table.boolean_or("suicide", False),
        starts_off=table.boolean_or("starts_off", False),
        turret=_turret(table),
        hits=tuple(_hits(table, units)),
        per_upgrade_level=dict(_upgrades(table)),
    )


def _turret(table: Layers) -> Turret | None:
    if not table.has("turret"):
        return None
    turret = table.table("turret")
    turret.only(["yaw_rate_deg_per_s", "yaw_arc_deg"])
    return Turret(
        yaw_rate_deg_per_s=turret.number("yaw_rate_deg_per_s", 0),
        yaw_arc_deg=turret.number_or("yaw_arc_deg", 360.0, 0, 360),
    )


def _upgrades(table: Layers) -> Iterator[tuple[str, UpgradeStep]]:
    if table.has("per_upgrade_level"):
        table.table("per_upgrade_level").only(words.UPGRADES)
    for name, step in table.named_tables("per_upgrade_level"):
        step.only(["damage", "bonus", "vs_structures"])
        yield (
            name,
            UpgradeStep(
                damage=step.number("damage", 0),
                bonus=step.amounts("bonus", words.ATTRIBUTES),
                vs_structures=step.number_or("vs_structures", 0.0, 0),
            ),
        )


def _hits(table: Layers, units: Collection[str]) -> Iterator[Hit]:
    """The hits of a weapon: those listed, or the single one that its damage describes."""
    if table.has("hits"):
        entries = list(table.tables("hits"))
    elif table.has("damage"):
        entries = [table.table_or_empty("hits")]
    else:
        return
    for entry in entries:
        yield from _read_hit(table, entry, units)


def _read_hit(weapon: Layers, entry: Layers, units: Collection[str]) -> Iterator[Hit]:
    entry.only([*_HIT_KEYS, "remove"])
    hit = Layers([weapon, entry])
    damage = hit.number("damage", 0)
    own = entry.has("damage") or entry.has("bonus")
    bonus = (entry if own else weapon).amounts("bonus", words.ATTRIBUTES)
    for at_loops in _times(hit):
        yield Hit(
            at_loops=at_loops,
            damage=damage,
            bonus=bonus,
            bonus_vs_shields=hit.number_or("bonus_vs_shields", 0.0, 0),
            armor_applies=hit.boolean_or("armor_applies", True),
            kind=hit.choice_or("kind", "ranged", words.HIT_KINDS),
            hits_own=hit.boolean_or("hits_own", False),
            case=hit.choice("case", words.HIT_CASES) if hit.has("case") else None,
            missile=tuple(_missile(hit, units)),
            splash=_splash(hit),
            area=_area(hit),
            line=_line(hit),
            cone=_cone(hit),
            spawns=_spawns(hit, units),
        )


def _spawns(table: Layers, units: Collection[str]) -> str | None:
    return table.unit_name(table.text("spawns"), units, "spawns") if table.has("spawns") else None


def _times(table: Layers) -> tuple[float, ...]:
    """`at_loops`: one time, or a list for several hits that differ in nothing else."""
    if not table.has("at_loops"):
        return (0.0,)
    if not isinstance(table.values["at_loops"], list):
        return (table.number("at_loops", 0),)
    times = table.numbers("at_loops")
    if not times or min(times) < 0:
        raise table.error(f"{list(times)} is not a list of times of 0 or more", "at_loops")
    return times


def _missile(table: Layers, units: Collection[str]) -> Iterator[Missile]:
    if not table.has("missile"):
        return
    for phase in table.tables("missile"):
        phase.only([field.name for field in fields(Missile)])
        driver = phase.choice("driver", words.DRIVERS) if phase.has("driver") else None
        if phase.has("escort") != (driver == "escort"):
            raise phase.error('driver "escort" needs the key "escort", others have none', "driver")
        yield Missile(
            driver=driver,
            start_speed=phase.number_or_none("start_speed", 0),
            max_speed=None if driver == "escort" else phase.number("max_speed", 0),
            accel=phase.number_or_none("accel", 0),
            escort=phase.unit_name(phase.text("escort"), units, "escort")
            if phase.has("escort")
            else None,
        )


def _splash(table: Layers) -> Splash | None:
    if not table.has("splash"):
        return None
    splash = table.table("splash")
    splash.only([field.name for field in fields(Splash)])
    zones = []
    for zone in splash.tables("zones"):
        zone.only([field.name for field in fields(Zone)])
        arc_deg = zone.number("arc_deg", 0, 360) if zone.has("arc_deg") else None
        zones.append(Zone(zone.number("radius", 0), zone.number("fraction", 0, 1), arc_deg))
    return Splash(
        zones=tuple(zones),
        hits_own=splash.boolean_or("hits_own", False),
        only=splash.words("only", (), words.VICTIMS),
        same_cliff_level_only=splash.boolean_or("same_cliff_level_only", True),
    )


def _area(table: Layers) -> Area | None:
    if not table.has("area"):
        return None
    area = table.table("area")
    area.only([field.name for field in fields(Area)])
    return Area(
        radius=area.number("radius", 0),
        center=area.choice_or("center", "target", words.CENTERS),
        hits_own=area.boolean_or("hits_own", False),
        only=area.words("only", (), words.VICTIMS),
    )


def _line(table: Layers) -> Line | None:
    if not table.has("line"):
        return None
    line = table.table("line")
    line.only([field.name for field in fields(Line)])
    cliffs = "same_cliff_level_only"
    return Line(
        radius=line.number("radius", 0),
        across=line.boolean_or("across", False),
        length=line.number_or_none("length", 0),
        half_length=line.number_or_none("half_length", 0),
        steps=line.integer_or_none("steps", 1),
        step_length=line.number_or_none("step_length", 0),
        step_loops=line.number_or_none("step_loops", 0),
        sweep_loops=line.number_or_none("sweep_loops", 0),
        beams=line.integer_or("beams", 1, 1),
        delay_loops=line.number_or_none("delay_loops", 0),
        target_delay_loops=line.number_or_none("target_delay_loops", 0),
        same_cliff_level_only=line.boolean(cliffs) if line.has(cliffs) else None,
    )


def _cone(table: Layers) -> Cone | None:
    if not table.has("cone"):
        return None
    cone = table.table("cone")
    cone.only(["radius", "arc_deg"])
    return Cone(cone.number("radius", 0), cone.number("arc_deg", 0, 360))
