"""What tactics know of types of units and of abilities before a battle begins."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.forms import fighting_value
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.vocabulary import ATTRIBUTES
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.rules import Rules
from terrarium.tactics.distances import walking_distances
from terrarium.tactics.ground import TerrainGrid
from terrarium.tactics.view import Floats, Kinds

# Which hits of a weapon count. Of those for near and far targets one falls; either will do.
_USUAL = (codes.ALWAYS, codes.FAR_TARGET, codes.SMALL_TARGET)


@dataclass(frozen=True)
class Tables:
    """What follows from the rules and the map alone. Axes `T` are rows of the rules' types."""

    reach: Floats
    """[T, T] distance of the centers from which one type hits another; 0 = never"""
    damage: Floats
    """[T, T] of one attack"""
    period_ticks: Floats
    """[T] of the first weapon; 0 = none"""
    splash: Floats
    """[T]"""
    blast: Floats
    """[abilities] radius in which the hits of an ability hurt"""
    kinds: Kinds
    ground: TerrainGrid


def compile_tables(sim: Simulator) -> Tables:
    """Done once for a batch of battles."""
    rules = sim.rules
    radius, n_types = rules.types["radius"], len(rules.types)
    damage = np.zeros((n_types, n_types))
    period_ticks, splash = np.zeros(n_types), np.zeros(n_types)
    for row, kind in enumerate(rules.types):
        first = int(kind["first_weapon"])
        for w in reversed(range(first, first + int(kind["n_weapons"]))):
            fits = _fits(rules, w)
            damage[row, fits] = _damage(rules, w)[fits]  # where several fit, the first one counts
            period_ticks[row] = rules.weapons["period"][w]
            splash[row] = max(splash[row], _splash(rules, _hits(rules.weapons[w])))
    # The second half of the columns is for those who are lifted.
    rank, reach = rules.rank[:, :n_types], rules.reach[:, :n_types]
    return Tables(
        reach=np.where(rank >= 0, reach + radius[:, None] + radius, 0.0),
        damage=damage,
        period_ticks=period_ticks,
        splash=splash,
        blast=np.array([_splash(rules, _hits(ability)) for ability in rules.abilities]),
        kinds=_kinds(sim, damage),
        ground=_ground(sim),
    )


def _kinds(sim: Simulator, damage: Floats) -> Kinds:
    facts, types = load_ruleset(sim.scenario.rules), sim.rules.types

    def has(attribute: str) -> NDArray[np.bool_]:
        return np.asarray(types["attributes"] >> ATTRIBUTES.index(attribute) & 1 != 0)

    is_air = (types["plane"] & codes.AIR) != 0
    return Kinds(
        names=sim.names,
        value=np.array([fighting_value(facts, name) for name in sim.names]),
        sight=types["sight"].copy(),
        detects=types["detects"].copy(),
        is_worker=np.array(["worker" in facts.units[name].flags for name in sim.names]),
        is_structure=types["structure"].copy(),
        is_massive=has("Massive"),
        is_light=has("Light"),
        is_armored=has("Armored"),
        is_biological=has("Biological"),
        is_mechanical=has("Mechanical"),
        is_psionic=has("Psionic"),
        is_air=is_air,
        shoots_up=np.asarray((damage[:, is_air] > 0.0).any(axis=1)),
        shoots_down=np.asarray((damage[:, ~is_air] > 0.0).any(axis=1)),
        cargo_size=types["cargo_size"].copy(),
        cargo_room=types["cargo_room"].copy(),
        can_be_repaired=types["repair_ticks"] > 0.0,
    )


def _ground(sim: Simulator) -> TerrainGrid:
    """The engine's layers, and the air above them."""
    terrain, ground = sim.scenario.terrain, sim.ground
    shape = (terrain.height, terrain.width)
    walkable = ground.walkable.reshape(-1, *shape)
    exits = ground.open[codes.SMALL_WALKER].reshape(shape)
    straight = bool(ground.convex[codes.SMALL_WALKER])
    x0, y0, x1, y1 = (int(edge) for edge in terrain.playable)
    air = np.zeros_like(walkable[:1])
    air[:, y0:y1, x0:x1] = True
    return TerrainGrid(
        walkable=np.concatenate([walkable, air]),
        detours=None if straight else walking_distances(exits),
    )


def _fits(rules: Rules, w: int) -> NDArray[np.bool_]:
    """[T] whom a weapon can be used against."""
    weapon, types = rules.weapons[w], rules.types
    in_plane = (weapon["planes"] & types["plane"]) != 0
    return np.asarray(in_plane & ~(weapon["not_structures"] & types["structure"]))


def _hits(of: np.void) -> slice:
    """The hits of a weapon or of an ability."""
    first = int(of["first_hit"])
    return slice(first, first + int(of["n_hits"]))


def _damage(rules: Rules, w: int) -> Floats:
    """[T] what one attack with a weapon takes from the life of each type."""
    which = _hits(rules.weapons[w])
    rows, types = rules.hits[which], rules.types
    armor = np.where(rows["armor_applies"][:, None], types["armor"], 0.0)
    each = np.maximum(rules.damage[which] - armor, 0.5) * rows["count"][:, None]
    on_structures = (rows["only"] & codes.ONLY_STRUCTURES != 0)[:, None]
    counts = np.isin(rows["when"], _USUAL)[:, None] & (~on_structures | types["structure"])
    return np.asarray((each * counts).sum(axis=0))


def _splash(rules: Rules, which: slice) -> float:
    rows = rules.hits[which]
    bursts, sweeps = rows["form"] == codes.BURST, rows["form"] == codes.SWEEP
    radius = bursts * rows["radius"] + sweeps * rows["length"]
    return float(max(radius.max(initial=0.0), rows["zone_radius"].max(initial=0.0)))
