"""A rule set as tables for kernels: dense rows instead of names, ticks instead of seconds.

What the facts leave open and a rule needs is chosen here; docs/fidelity.md lists each choice.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.assumptions import Assumptions
from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.data.vocabulary import (
    ACQUIRES,
    COLLISION_CLASSES,
    PLANES,
    RESOURCES,
    RESPONSES,
    UNIT_RACES,
)
from terrarium.engine import codes
from terrarium.engine.records import Records, records
from terrarium.engine.score import CATEGORIES
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
from terrarium.engine.tables.products import LARVA_MOVER, compile_products, find_needs
from terrarium.engine.tables.rules import (
    ASSUMPTIONS,
    BREEDING,
    HARVEST,
    HIT_ROW,
    TARGETING,
    TYPE,
    WEAPON,
    Rules,
)
from terrarium.engine.tables.structures import compile_structures
from terrarium.engine.tables.weapons_from_facts import (
    INSTANT_ACCELERATION,
    escort_of,
    fill_matrices,
    hit_row,
    hits_of,
    launch_weapons,
    weapon_row,
    working_weapons,
)

LARGE_INNER_RADIUS = 0.5
SHIELDS_FAMILY = "ProtossShields"

# The search radius is the game's; the other answers were fitted to the first 480 loops of games on
# KairosJunctionLE and AcropolisLE, and to what 12 to 24 workers bring (economy.md, 3 and 4).
_HARVEST = (10.0, 0.2, 0.1, 1.0, 8, 8.0, 2.4, 2, 0.04, 2.0)


@lru_cache(maxsize=16)
def compile_rules(facts: RuleSet) -> tuple[Rules, dict[str, int]]:
    """Turn facts into tables, and say which row is which unit."""
    units, names = list(facts.units.values()), names_of(facts)
    weapons = [(unit, weapon) for unit in units for weapon in working_weapons(unit)]
    weapon_hits = [hits_of(weapon) for _, weapon in weapons]
    spells = list(spell_hits(facts))
    n_of_weapons = sum(len(hits) for hits in weapon_hits)
    first_hits = {owner: n_of_weapons + k for k, (owner, _) in reversed(list(enumerate(spells)))}
    changes, spans = compile_changes(facts, names)
    needs = find_needs(facts)
    kits = compile_kits(facts, names)
    footprints, footprint_rows = compile_footprints(units)
    launchers = [(unit, weapon) for unit in units for weapon in launch_weapons(unit)]
    n_types, n_hits = len(units), max(1, n_of_weapons + len(spells))
    rules = Rules(
        targeting=records(1, TARGETING),
        assumptions=records(1, ASSUMPTIONS),
        harvest=records(1, HARVEST),
        breeding=records(1, BREEDING),
        products=compile_products(facts, names, needs)[0],
        types=records(n_types, TYPE),
        weapons=records(max(1, len(weapons) + len(launchers)), WEAPON),
        hits=records(n_hits, HIT_ROW),
        damage=np.zeros((n_hits, n_types)),
        damage_step=np.zeros((n_hits, n_types)),
        damage_extra=np.zeros((n_hits, n_types)),
        rank=np.full((n_types, 2 * n_types), -1, np.int64),
        scan=np.zeros((n_types, 2 * n_types)),
        reach=np.zeros((n_types, 2 * n_types)),
        too_near=np.zeros((n_types, 2 * n_types)),
        footprints=footprints,
        structures=compile_structures(facts, names),
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
    rules.harvest[0] = _HARVEST
    rules.breeding[0] = _breeding(facts, names)
    rules.assumptions[0] = record(ASSUMPTIONS, _answers(facts.assumptions))
    stored = {ability.uses_up for ability in facts.abilities.values() if ability.uses_up}
    stores = {
        way.by for name in stored if name in facts.units for way in facts.units[name].production
    }
    trainers = {way.by for unit in units for way in unit.production if way.how == "train"}
    w = h = 0
    for row, unit in enumerate(units):
        first, n = spans["unit"][row]
        values = _type_row(unit, first_weapon=w) | _powers(unit, facts, names)
        values |= _widths(unit, facts.assumptions)
        values |= (
            _score(unit, unit.id in trainers) | _economy(unit) | {"fulfils": needs.of(unit, facts)}
        )
        values |= {"leaves": names.types.get(unit.leaves.unit, -1) if unit.leaves else -1}
        values |= {"stored": unit.name in stored, "stores": unit.id in stores}
        values |= {"settles_as": names.types.get(unit.settles_as or "", -1)}
        values |= _disguise(unit, facts, names)
        values |= {"footprint": footprint_rows.get(unit.name, NO_FOOTPRINT)}
        rules.types[row] = record(TYPE, values | {"first_change": first, "n_changes": n})
        for weapon in working_weapons(unit):
            hits = weapon_hits[w]
            rules.weapons[w] = record(WEAPON, weapon_row(weapon, hits, first_hit=h))
            upgrades = upgrades_of_hit(facts, names, unit, weapon)
            for hit in hits:
                values = hit_row(weapon, hit, hits, names, escort_of(facts, hit))
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
    for ability_row, ability in enumerate(facts.abilities.values()):
        bits = [needs.bits.get(name, 0) for name in set(ability.requires_units)]
        rules.abilities["needs"][ability_row] = sum(bits)
    for row, product in enumerate(rules.products):
        if product["by_itself"]:
            rules.types["becomes_itself"][product["by"]] = row
        if _is_kept_aboard(product, rules):
            rules.types["hangar"][product["by"]] = row
            rules.types["in_hangar"][product["makes"]] = True
    for unit, weapon in launchers:  # after all others, whose rows stay what they were
        row = names.types[unit.name]
        rules.weapons[w] = record(WEAPON, weapon_row(weapon, [], first_hit=0))
        rules.types["first_weapon"][row], rules.types["n_weapons"][row] = w, 1
        rules.types["scan"][row] = weapon.scan_range
        w += 1
    fill_matrices(rules, units)
    return rules, dict(names.types)


def _breeding(facts: RuleSet, names: RowNames) -> tuple[int, int, int]:
    """A row of BREEDING."""
    larvae = [unit.name for unit in facts.units.values() if unit.mover == LARVA_MOVER]
    if not larvae:
        return -1, -1, 0
    for ability in facts.abilities.values():
        if ability.summon and ability.summon.unit == larvae[0]:
            return names.types[larvae[0]], names.abilities[ability.name], ability.summon.count
    return names.types[larvae[0]], -1, 0


def _disguise(unit: Unit, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    """Whose look a type has, and whether its units take one."""
    disguise = unit.disguise
    takers = {other.disguise.of for other in facts.units.values() if other.disguise}
    return {
        "race": UNIT_RACES.index(unit.race),
        "disguises": unit.name in takers,
        "look_of": names.types.get(disguise.of, -1) if disguise else -1,
        "look": names.types.get(disguise.unit, -1) if disguise else -1,
        "look_tech": names.techs.get(disguise.upgrade or "", 0) if disguise else 0,
    }


def _is_kept_aboard(product: Records, rules: Rules) -> bool:
    """Is it trained by a unit that flies about, as Interceptors are?"""
    producer = rules.types[product["by"]]
    return bool(product["how"] == codes.HOW_TRAIN and producer["mobile"] and producer["flying"])


def _answers(assumptions: Assumptions) -> dict[str, Any]:
    """A row of ASSUMPTIONS."""
    return {
        "prefers_attackers": assumptions.preferred_targets == "attackers",
        "places_turn": assumptions.start_places == "nearest",
        "keeps_formation": assumptions.group_orders == "formation",
        "friends_pass": assumptions.oncoming_friends == "pass",
        "turning_slows": assumptions.turning == "slows",
        "keeps_chasing": assumptions.chased_targets == "kept",
        "scan_ticks": assumptions.scan_ticks,
        "reaction_ticks": assumptions.reaction_ticks,
        "changes_between_shots": assumptions.target_changes == "between_shots",
        "attack_ticks": assumptions.attack_ticks,
        "opening_ticks": assumptions.opening_ticks,
    }


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
    weapons = working_weapons(unit)
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
        # Cocoons have a speed, but stay; larvae go nowhere that one could tell them.
        "mobile": unit.speed > 0.0 and unit.acceleration != 0.0 and unit.mover != LARVA_MOVER,
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


def _economy(unit: Unit) -> dict[str, Any]:
    """What a type is worth to workers, or brings as one."""
    resource, harvest = unit.resource, unit.harvest
    return {
        "resource": 1 + codes.code(RESOURCES, resource.kind) if resource else codes.NO_RESOURCE,
        "contents": resource.contents if resource else 0.0,
        "per_trip": resource.per_trip if resource else 0.0,
        "gather_ticks": resource.gather_loops if resource else 0.0,
        "pause_ticks": resource.pause_loops if resource else 0.0,
        "worker": "worker" in unit.flags,
        "own_trip": harvest.minerals if harvest else 0.0,
        "own_ticks": harvest.loops if harvest else 0.0,
        "townhall": "townhall" in unit.traits and not unit.flying,
        "supply_used": unit.supply_used,
        "supply_given": unit.supply_provided,
        "ways": {"Zerg": codes.ZERG_WAYS, "Protoss": codes.PROTOSS_WAYS}.get(unit.race, 0),
        "is_larva": unit.mover == LARVA_MOVER,
        "breeds": unit.race == "Zerg" and "townhall" in unit.traits,
        "creep": unit.creep.radius if unit.creep else 0.0,
        "creep_start": unit.creep.start if unit.creep else 0.0,
        "creep_ticks": unit.creep.loops_per_step if unit.creep else 0.0,
        "creep_speed": unit.speed_creep_multiplier or 1.0,
        "needs_creep": unit.needs_creep,
        "power": unit.power_radius or 0.0,
        "needs_power": unit.needs_power,
        # These follow from the products.
        "hangar": -1,
        "in_hangar": False,
        "becomes_itself": -1,
        "n_left": unit.leaves.count if unit.leaves else 0,
        "quickens_warp_in": unit.quickens_warp_in,
        "addon": unit.kind == "addon",
        "reactor": "reactor" in unit.traits,
    }


def _score(unit: Unit, trains: bool) -> dict[str, Any]:
    """What a type counts for, in the score and for the end of a game."""
    counts = "no_score" not in unit.flags
    return {
        "trains": trains and unit.kind == "structure",
        "hall": "townhall" in unit.traits,
        "keeps_in_game": "counts_against_defeat" in unit.flags,
        "category": CATEGORIES.index(unit.cost_category),
        "worth_minerals": unit.minerals_total if counts else 0.0,
        "worth_vespene": unit.vespene_total if counts else 0.0,
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
        codes.DISARMED: any(weapon.starts_off for weapon in unit.weapons) or bool(unit.disguise),
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
        "opaque": unit.blocks_sight,
        "capture": unit.capture_range,
        "radar": unit.radar_range or 0.0,
        "snapshot": unit.snapshot_in_fog,
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
