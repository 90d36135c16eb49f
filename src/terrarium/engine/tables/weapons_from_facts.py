"""Weapons and their hits as rows for kernels, and who may attack whom."""

import math
from typing import Any

from terrarium.data.facts.unit_facts import Hit, Line, RuleSet, Unit, Weapon
from terrarium.data.vocabulary import HIT_KINDS, PLANES, VICTIMS
from terrarium.engine import codes
from terrarium.engine.tables.names import TICKS_PER_S, RowNames
from terrarium.engine.tables.rules import SPLASH_RADIUS_LIMIT, Rules

INSTANT_ACCELERATION = 1000.0
NEAR_CASE = "target within 3"


def working_weapons(unit: Unit) -> list[Weapon]:
    return [w for w in unit.weapons if w.hits]


def launch_weapons(unit: Unit) -> list[Weapon]:
    """Weapons that send out units in place of hits; of units that have nothing else to fight with,
    and a speed."""
    if working_weapons(unit) or not unit.speed:
        return []
    return [w for w in unit.weapons if not w.hits]


def fighting_weapons(unit: Unit) -> list[Weapon]:
    return working_weapons(unit) or launch_weapons(unit)


def hits_of(weapon: Weapon) -> list[Hit]:
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


def weapon_row(weapon: Weapon, hits: list[Hit], first_hit: int) -> dict[str, Any]:
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


def hit_row(
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


def escort_of(facts: RuleSet, hit: Hit) -> Hit | None:
    """The hit of the unit that carries this one, which flies as fast as that."""
    escorts = (facts.units.get(phase.escort) for phase in hit.missile if phase.escort)
    return next((carrier.weapons[0].hits[0] for carrier in escorts if carrier), None)


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


def fill_matrices(rules: Rules, units: list[Unit]) -> None:
    """Who may attack whom, how gladly, from how far; also those who are lifted into the air."""
    n = len(units)
    weapons = [fighting_weapons(unit) for unit in units]
    victims = [
        (v, victim)
        for v, victim in enumerate(units)
        if not {"untargetable", "invulnerable"} & set(victim.flags)
    ]
    for a, attacker in enumerate(units):
        for v, victim in victims if weapons[a] else ():
            for column, planes in ((v, victim.targetable_as), (n + v, ("air",))):
                usable = [
                    (index, weapon)
                    for index, weapon in enumerate(weapons[a])
                    if _can_hit(weapon, victim, planes)
                ]
                if usable:
                    threat = "always_a_threat" in victim.flags or any(
                        _can_hit(weapon, attacker, attacker.targetable_as) for weapon in weapons[v]
                    )
                    _fill_cell(rules, victim, usable, threat, (a, column))
    rules.types["top_rank"] = rules.rank.max(axis=1)


def _fill_cell(
    rules: Rules,
    victim: Unit,
    usable: list[tuple[int, Weapon]],
    threat: bool,
    cell: tuple[int, int],
) -> None:
    # game_rules.md, 4: threats first, then priority, then what the main weapon can hit.
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
