"""A rule set as tables for kernels: dense rows instead of names, ticks instead of seconds.

What the facts leave open and a rule needs is chosen here; docs/fidelity.md lists each choice.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.assumptions import Assumptions
from terrarium.data.facts.unit_facts import Hit, Line, RuleSet, Unit, Weapon
from terrarium.data.vocabulary import (
    ACQUIRES,
    COLLISION_CLASSES,
    HIT_KINDS,
    PLANES,
    RESPONSES,
    VICTIMS,
)
from terrarium.engine import codes
from terrarium.engine.records import records
from terrarium.engine.tables.abilities_from_facts import compile_abilities, compile_kits
from terrarium.engine.tables.buffs_from_facts import compile_areas, compile_buffs
from terrarium.engine.tables.changes_from_facts import compile_changes, compile_upgrades
from terrarium.engine.tables.footprints import NO_FOOTPRINT, compile_footprints
from terrarium.engine.tables.hits_from_facts import (
    damage_of,
    extra_of,
    extra_of_spell,
    spell_hit_row,
    spell_hits,
    step_of,
    upgrades_of_hit,
)
from terrarium.engine.tables.names import (
    TICKS_PER_S,
    RowNames,
    attributes,
    family_of,
    names_of,
    record,
    traits,
)
from terrarium.engine.tables.rules import (
    ASSUMPTIONS,
    HIT_ROW,
    SPLASH_RADIUS_LIMIT,
    TARGETING,
    TYPE,
    WEAPON,
    Rules,
)

INSTANT_ACCELERATION = 1000.0
LARGE_INNER_RADIUS = 0.5
NEAR_CASE = "target within 3"
SHIELDS_FAMILY = "ProtossShields"


@lru_cache(maxsize=16)
def compile_rules(facts: RuleSet) -> tuple[Rules, dict[str, int]]:
    """Turn facts into tables, and say which row is which unit."""
    units, names = list(facts.units.values()), names_of(facts)
    weapons = [(unit, weapon) for unit in units for weapon in _working(unit)]
    weapon_hits = [_hits(weapon) for _, weapon in weapons]
    spells = list(spell_hits(facts))
    n_of_weapons = sum(len(hits) for hits in weapon_hits)
    first_hits = {owner: n_of_weapons + k for k, (owner, _) in reversed(list(enumerate(spells)))}
    changes, spans = compile_changes(facts, names)
    kits = compile_kits(facts, names)
    footprints, footprint_rows = compile_footprints(units)
    n_types, n_hits = len(units), max(1, n_of_weapons + len(spells))
    rules = Rules(
        targeting=records(1, TARGETING),
        assumptions=records(1, ASSUMPTIONS),
        types=records(n_types, TYPE),
        weapons=records(max(1, len(weapons)), WEAPON),
        hits=records(n_hits, HIT_ROW),
        damage=np.zeros((n_hits, n_types)),
        damage_step=np.zeros((n_hits, n_types)),
        damage_extra=np.zeros((n_hits, n_types)),
        rank=np.full((n_types, 2 * n_types), -1, np.int64),
        scan=np.zeros((n_types, 2 * n_types)),
        reach=np.zeros((n_types, 2 * n_types)),
        too_near=np.zeros((n_types, 2 * n_types)),
        footprints=footprints,
        **compile_abilities(facts, names, first_hits, spans["ability"]),
        buffs=compile_buffs(facts, first_hits, spans["buff"]),
        areas=compile_areas(facts, names, first_hits),
        changes=changes,
        upgrades=compile_upgrades(facts, names),
        kit=kits.kit,
        kit_needs=kits.kit_needs,
    )
    limits = facts.targeting
    rules.targeting[0] = (
        limits.leash_radius,
        limits.leash_reset_radius,
        limits.call_for_help_radius,
        round(limits.call_for_help_loops),
    )
    open_questions = facts.assumptions
    rules.assumptions[0] = (
        open_questions.preferred_targets == "attackers",
        open_questions.start_places == "nearest",
        open_questions.group_orders == "formation",
        open_questions.oncoming_friends == "pass",
        open_questions.turning == "slows",
        open_questions.chased_targets == "kept",
        open_questions.scan_ticks,
        open_questions.attack_ticks,
        open_questions.opening_ticks,
    )
    w = h = 0
    for row, unit in enumerate(units):
        first, n = spans["unit"][row]
        values = _type_row(unit, first_weapon=w) | _powers(unit, facts, names)
        values |= _widths(unit, facts.assumptions)
        values |= {"footprint": footprint_rows.get(unit.name, NO_FOOTPRINT)}
        rules.types[row] = record(TYPE, values | {"first_change": first, "n_changes": n})
        for weapon in _working(unit):
            hits = weapon_hits[w]
            rules.weapons[w] = record(WEAPON, _weapon_row(weapon, hits, first_hit=h))
            upgrades = upgrades_of_hit(facts, names, unit, weapon)
            for hit in hits:
                values = _hit_row(weapon, hit, hits, names, _escort(facts, hit))
                rules.hits[h] = record(HIT_ROW, values | upgrades | {"weapon": w})
                rules.damage[h] = damage_of(hit.damage, hit.bonus, units)
                rules.damage_step[h] = step_of(weapon, hit, units)
                rules.damage_extra[h] = extra_of(facts, unit, weapon, units)
                h += 1
            w += 1
    for owner, strike in spells:
        tech, extra = extra_of_spell(facts, names, owner, strike, units)
        rules.hits[h] = record(HIT_ROW, spell_hit_row(strike) | {"tech": tech})
        rules.damage[h] = damage_of(strike.damage, strike.bonus, units)
        rules.damage_extra[h] = extra
        h += 1
    _fill_matrices(rules, units)
    return rules, dict(names.types)


def _working(unit: Unit) -> list[Weapon]:
    return [w for w in unit.weapons if w.hits]


def _hits(weapon: Weapon) -> list[Hit]:
    return [hit for hit in weapon.hits if _when(weapon, hit) != codes.NEVER]


def _when(weapon: Weapon, hit: Hit) -> int:
    """The facts name their cases in words; 'otherwise' is what the other cases leave."""
    if hit.case is None:
        return codes.ALWAYS
    if hit.case == "otherwise":
        cases = {other.case for other in weapon.hits}
        if "ground target" in cases:
            return codes.AIR_TARGET
        return codes.FAR_TARGET if NEAR_CASE in cases else codes.ALWAYS
    return {
        "ground target": codes.GROUND_TARGET,
        NEAR_CASE: codes.NEAR_TARGET,
        f"target radius < {SPLASH_RADIUS_LIMIT}": codes.SMALL_TARGET,
        f"target radius >= {SPLASH_RADIUS_LIMIT}": codes.LARGE_TARGET,
        # The Cyclone's two launchers take turns, so one of them stands for both; a lowered depot
        # is hit like any small target.
        "alternating launcher": codes.NEVER,
        "lowered supply depot": codes.NEVER,
    }[hit.case]


def _turn(deg_per_s: float | None) -> tuple[float, float]:
    angle = min(math.radians((deg_per_s or 0.0) / TICKS_PER_S), math.pi)
    return math.cos(angle), math.sin(angle)


def _walker(unit: Unit) -> int:
    if unit.flying:
        return codes.FLYER
    if unit.mover in ("cliff_walker", "cliff_jumper"):
        return codes.CLIFF_WALKER
    inner = unit.inner_radius if unit.inner_radius is not None else unit.radius
    return codes.LARGE_WALKER if inner > LARGE_INNER_RADIUS else codes.SMALL_WALKER


def _separation(unit: Unit) -> float:
    """Never wider than the radius that ranges are measured from, or melee could not reach it."""
    if unit.separation_radius is None or (unit.speed == 0.0 and unit.separation_radius == 0.0):
        return unit.radius  # a force field, whose body is all that it is
    return min(unit.separation_radius, unit.radius) if unit.speed == 0.0 else unit.separation_radius


def _widths(unit: Unit, assumptions: Assumptions) -> dict[str, float]:
    """How near others may come to a unit, and how much room it needs where it appears."""
    less = 0.5 * assumptions.body_overlap
    separation = max(0.0, _separation(unit) - less)
    if assumptions.start_places == "lattice":
        return {"separation": separation, "room": separation}
    return {"separation": separation, "room": max(0.0, unit.radius - less)}


def _type_row(unit: Unit, first_weapon: int) -> dict[str, Any]:
    weapons = _working(unit)
    turrets = [w.turret for w in weapons if w.turret]
    turn = _turn(unit.turn_rate_deg_per_s)
    still = _turn(unit.stationary_turn_rate_deg_per_s)
    turret = _turn(turrets[0].yaw_rate_deg_per_s) if turrets else (1.0, 0.0)
    accel = unit.acceleration if unit.acceleration is not None else INSTANT_ACCELERATION
    # Ground units stop at once; air units glide to a halt as they started (game_rules.md, 5).
    decel = unit.deceleration
    if decel is None:
        decel = accel if unit.flying else INSTANT_ACCELERATION
    heal, life = unit.heal, unit.lifetime_loops or (0.0, 0.0)
    walker = _walker(unit)
    return {
        "hp": unit.hp,
        "hp_regen": unit.hp_regen_per_s / TICKS_PER_S,
        "hp_regen_delay": unit.hp_regen_delay_loops or 0.0,
        "shields": unit.shields,
        "shield_regen": (unit.shield_regen_per_s or 0.0) / TICKS_PER_S,
        "shield_regen_delay": unit.shield_regen_delay_loops or 0.0,
        "armor": unit.armor,
        "energy_start": unit.energy_start or 0.0,
        "energy_max": unit.energy_max,
        "energy_regen": (unit.energy_regen_per_s or 0.0) / TICKS_PER_S,
        "radius": unit.radius,
        "inner": min(unit.inner_radius or unit.radius, LARGE_INNER_RADIUS),
        # A path has room for a large walker; its middle may come as near to a wall as others.
        "layer": codes.SMALL_WALKER if walker == codes.LARGE_WALKER else walker,
        "classes": codes.bits(COLLISION_CLASSES, unit.collision),
        "speed": unit.speed / TICKS_PER_S,
        "accel": accel / TICKS_PER_S**2,
        "decel": decel / TICKS_PER_S**2,
        "turn_cos": turn[0],
        "turn_sin": turn[1],
        "turn_still_cos": still[0],
        "turn_still_sin": still[1],
        "turret_cos": turret[0],
        "turret_sin": turret[1],
        "plane": codes.bits(PLANES, unit.targetable_as),
        "walker": walker,
        "flying": unit.flying,
        "structure": "Structure" in unit.attributes,
        "biological": "Biological" in unit.attributes,
        "mobile": unit.speed > 0.0 and unit.acceleration != 0.0,  # cocoons have speed, but stay
        "has_turret": bool(turrets),
        "fires_moving": any(w.movement_while_firing == "full" and not w.suicide for w in weapons),
        "explodes": any(w.suicide for w in weapons),
        "acquires": codes.code(ACQUIRES, unit.acquires),
        "response": codes.code(RESPONSES, unit.response_to_attack),
        "first_weapon": first_weapon,
        "n_weapons": len(weapons),
        "scan": max((w.scan_range for w in weapons), default=0.0),
        "top_rank": 0,  # follows from all types together
        "heal_range": heal.range if heal else 0.0,
        "heal_scan": heal.autocast_range if heal else 0.0,
        "heal_life": heal.life_per_s / TICKS_PER_S if heal else 0.0,
        "heal_cost": heal.energy_per_life if heal else 0.0,
        "heal_min_energy": heal.autocast_min_energy if heal else 0.0,
        "life_low": life[0],
        "life_high": life[1],
        "changes": unit.hp_regen_per_s > 0.0
        or unit.shields > 0.0
        or unit.energy_max > 0.0
        or life[1] > 0.0,
    }


def _powers(unit: Unit, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    """What a type is by nature, and what upgrades do for it."""
    kit = [ability for ability in facts.abilities.values() if unit.name in ability.users]
    morphs = [ability for ability in facts.abilities.values() if ability.morph and ability.effect]
    hidden = {"permanently_cloaked", "buried"} & set(unit.flags)
    untouchable = {"invulnerable", "untargetable"} & set(unit.flags)
    passive = [ability.name for ability in kit if ability.kind == "passive" and ability.buff]
    last_acts = [
        ability.name
        for ability in facts.abilities.values()
        if ability.summon and ability.summon.unit == unit.name and ability.strikes
    ]
    claims = {
        codes.HEALS: unit.heal is not None,
        codes.AUTOCASTS: any(ability.autocast != "never" for ability in kit),
        codes.CLOAKED: bool(hidden),
        codes.UNTOUCHABLE: bool(untouchable),
        codes.DETECTS: unit.detection_range is not None,
        codes.DISARMED: any(weapon.starts_off for weapon in unit.weapons),
        codes.WARDED: bool(passive),
        codes.ZONED: any(ability.morph.becomes == unit.name for ability in morphs if ability.morph),
    }
    armor = {f: step for f, step in unit.armor_upgrades_per_level.items() if f != SHIELDS_FAMILY}
    family = next(iter(armor), None)
    return {
        "attributes": attributes(unit.attributes),
        "traits": _traits(unit, kit),
        "status": sum(bit for bit, holds in claims.items() if holds),
        "sight": unit.sight,
        "sees_up": unit.sees_over_cliffs or unit.flying,
        "detects": unit.detection_range or 0.0,
        "cargo_size": unit.cargo_size,
        "cargo_room": unit.cargo_capacity,
        "repair_ticks": unit.repair_loops or 0.0,
        "minerals": unit.minerals_total,
        "vespene": unit.vespene_total,
        "armor_family": family_of(family),
        "armor_step": armor[family] if family else 0.0,
        "shield_step": unit.armor_upgrades_per_level.get(SHIELDS_FAMILY, 0.0),
        "shield_family": family_of(SHIELDS_FAMILY),
        "last_act": names.abilities[last_acts[0]] if last_acts else -1,
        "shields_itself": names.abilities[passive[0]] if passive else -1,
    }


def _traits(unit: Unit, kit: list[Ability]) -> int:
    """What a type is to every player; the rest depends on the moment (kernels/abilities/traits)."""
    has = set(unit.attributes)
    claims = {
        "air": "air" in unit.targetable_as,
        "ground": "ground" in unit.targetable_as,
        "biological": "Biological" in has,
        "mechanical": "Mechanical" in has,
        "mechanical_or_psionic": bool(has & {"Mechanical", "Psionic"}),
        "massive": "Massive" in has,
        "structure": "Structure" in has,
        "heroic": "Heroic" in has,
        "burrowed": "buried" in unit.flags,
        "can_have_energy": unit.energy_max > 0.0,
        "invulnerable": "invulnerable" in unit.flags,
        "terran": unit.race == "Terran",
    }
    granted = (trait for ability in kit for trait in ability.grants)
    return traits([name for name, holds in claims.items() if holds] + [*unit.traits, *granted])


def _weapon_row(weapon: Weapon, hits: list[Hit], first_hit: int) -> dict[str, Any]:
    half_arc = min(math.radians(weapon.fire_arc_deg / 2.0 + weapon.arc_slop_deg), math.pi)
    return {
        "planes": codes.bits(PLANES, PLANES if weapon.targets == "any" else (weapon.targets,)),
        "not_structures": weapon.not_structures,
        "range": weapon.range,
        "min_range": weapon.min_range or 0.0,
        "slop": weapon.range_slop,
        "period": weapon.cooldown_loops,
        "jitter_low": weapon.cooldown_random_loops[0],
        "jitter_high": weapon.cooldown_random_loops[1],
        "damage_point": weapon.damage_point_loops,
        "backswing": weapon.backswing_loops,
        "arc_cos": math.cos(half_arc),
        "turret": weapon.turret is not None,
        "firing": {
            "full": codes.FIRES_MOVING,
            "may glide while slowing": codes.FIRES_GLIDING,
            "strafing runs": codes.FIRES_GLIDING,
            "stops": codes.FIRES_STANDING,
        }[weapon.movement_while_firing],
        "suicide": weapon.suicide,
        "instant": all(not hit.missile and hit.at_loops == 0.0 and not hit.line for hit in hits),
        "first_hit": first_hit,
        "n_hits": len(hits),
    }


def _form(weapon: Weapon, hit: Hit) -> int:
    if hit.splash:
        return codes.SPLASH
    if hit.cone:
        return codes.CONE
    if hit.line:
        if hit.line.across:
            return codes.SWEEP
        return codes.SPINES if hit.line.step_loops else codes.LINE  # only spines take their time
    if hit.area and hit.area.center == "self":
        return codes.BURST
    if hit.area and hit.missile and hit is not weapon.hits[0]:
        return codes.BOUNCE  # the Mutalisk's glaive
    return codes.SINGLE


def _hit_row(
    weapon: Weapon, hit: Hit, hits: list[Hit], names: RowNames, escort: Hit | None
) -> dict[str, Any]:
    zones = list(hit.splash.zones) if hit.splash else []
    assert len(zones) <= 3, weapon.name
    pad = [0.0] * (3 - len(zones))
    area, line, cone = hit.area, hit.line, hit.cone
    only_names = (hit.splash and hit.splash.only) or (area and area.only) or ()
    only = codes.bits(VICTIMS, only_names)
    if any(h is not hit and h.area and "structure" in h.area.only for h in hits):
        only |= codes.NO_STRUCTURES  # structures take the other hit instead
    flight = _flight(hit if escort is None else escort)
    steps = (line.steps or 0) if line else 0
    half_arc = math.radians(cone.arc_deg / 2.0) if cone else 0.0
    simultaneous = weapon.attacks if len(hits) == 1 and not line else 1
    return {
        "at": hit.at_loops,
        "count": simultaneous,
        "form": _form(weapon, hit),
        "when": _when(weapon, hit),
        "armor_applies": hit.armor_applies,
        "hits_own": hit.hits_own
        or bool(hit.splash and hit.splash.hits_own)
        or bool(area and area.hits_own),
        "same_level": bool(hit.splash and hit.splash.same_cliff_level_only)
        or bool(line and line.same_cliff_level_only),
        "only": only,
        "shield_bonus": hit.bonus_vs_shields,
        "missile_speed": flight[0],
        "missile_top": flight[1],
        "missile_accel": flight[2],
        "n_zones": len(zones),
        "zone_radius": tuple([z.radius for z in zones] + pad),
        "zone_share": tuple([z.fraction for z in zones] + pad),
        "zone_cos": tuple(
            [math.cos(math.radians(z.arc_deg / 2.0)) if z.arc_deg else -2.0 for z in zones] + pad
        ),
        "radius": (area or line or cone).radius if (area or line or cone) else 0.0,  # type: ignore[union-attr]  # one of them is there
        "length": _length(hit),
        "arc_cos": math.cos(half_arc),
        "arc_sin": math.sin(half_arc),
        "beams": line.beams if line else 0,
        "steps": steps,
        "step_ticks": _step_ticks(line) if line else 0.0,
        "delay": (line.delay_loops or 0.0) if line else 0.0,
        "target_delay": (line.target_delay_loops or line.delay_loops or 0.0) if line else 0.0,
        "spawns": names.types.get(hit.spawns, -1) if hit.spawns else -1,
        "manner": codes.bit(HIT_KINDS, hit.kind),
        "must_be": 0,
        "must_not_be": 0,
    }


def _escort(facts: RuleSet, hit: Hit) -> Hit | None:
    """The hit of the unit that carries this one, which flies as fast as that."""
    escorts = (facts.units.get(phase.escort) for phase in hit.missile if phase.escort)
    return next((carrier.weapons[0].hits[0] for carrier in escorts if carrier), None)


def _length(hit: Hit) -> float:
    if hit.line is None:
        return 0.0
    return hit.line.half_length or hit.line.length or 0.0


def _step_ticks(line: Line) -> float:
    if line.step_loops is not None:
        return line.step_loops
    if line.sweep_loops is not None and line.steps is not None:
        return line.sweep_loops / (line.steps - 1)
    return 0.0


def _flight(hit: Hit) -> tuple[float, float, float]:
    """Start speed, top speed and acceleration per tick of the guided part of the flight.

    The sources give no duration for a first, thrown part, so it is left out (docs/fidelity.md).
    """
    phases = [phase for phase in hit.missile if phase.max_speed]
    if not phases:
        return 0.0, 0.0, 0.0
    guided = phases[-1]
    top = float(guided.max_speed or 0.0)
    accel = guided.accel if guided.accel is not None else math.inf
    start = guided.start_speed
    if start is None:
        start = top if accel >= INSTANT_ACCELERATION or len(phases) == 1 else 0.0
    if accel == math.inf:
        accel = 0.0
    return start / TICKS_PER_S, top / TICKS_PER_S, accel / TICKS_PER_S**2


def _fill_matrices(rules: Rules, units: list[Unit]) -> None:
    """Who may attack whom, how gladly, from how far; also those who are lifted into the air."""
    n = len(units)
    for a, attacker in enumerate(units):
        for v, victim in enumerate(units):
            if {"untargetable", "invulnerable"} & set(victim.flags):
                continue
            for column, planes in ((v, victim.targetable_as), (n + v, ("air",))):
                usable = [
                    (index, weapon)
                    for index, weapon in enumerate(_working(attacker))
                    if _can_hit(weapon, victim, planes)
                ]
                if usable:
                    _fill_cell(rules, attacker, victim, usable, (a, column))
    rules.types["top_rank"] = rules.rank.max(axis=1)


def _fill_cell(
    rules: Rules,
    attacker: Unit,
    victim: Unit,
    usable: list[tuple[int, Weapon]],
    cell: tuple[int, int],
) -> None:
    # game_rules.md, 4: threats first, then priority, then what the main weapon can hit.
    threat = "always_a_threat" in victim.flags or any(
        _can_hit(weapon, attacker, attacker.targetable_as) for weapon in _working(victim)
    )
    priority = victim.attack_priority
    if victim.attack_priority_when_others_near is not None:
        priority = victim.attack_priority_when_others_near
    rules.rank[cell] = 64 * threat + 2 * priority + (usable[0][0] == 0)
    rules.scan[cell] = max(weapon.scan_range for _, weapon in usable)
    rules.reach[cell] = max(weapon.range for _, weapon in usable)
    rules.too_near[cell] = min(weapon.min_range or 0.0 for _, weapon in usable)


def _can_hit(weapon: Weapon, victim: Unit, planes: tuple[str, ...]) -> bool:
    if weapon.not_structures and "Structure" in victim.attributes:
        return False
    return weapon.targets == "any" or weapon.targets in planes
