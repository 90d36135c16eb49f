"""The engine's battles as tactics see them."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.rules import Rules
from terrarium.engine.state import Records
from terrarium.envs.vector import VecEnv
from terrarium.tactics.ground import Ground, walking_distances
from terrarium.tactics.view import NOBODY, Army, Floats, Ints, View

HEADINGS = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
"""SMAC's moves, in the order of its actions: north, south, east, west"""

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
    ground: Ground


def compile_tables(env: VecEnv) -> Tables:
    """Done once for an environment."""
    rules = env.sim.rules
    radius, n_types = rules.types["radius"], len(rules.types)
    damage = np.zeros((n_types, n_types))
    period_ticks, splash = np.zeros(n_types), np.zeros(n_types)
    for row, kind in enumerate(rules.types):
        first = int(kind["first_weapon"])
        for w in reversed(range(first, first + int(kind["n_weapons"]))):
            fits = _fits(rules, w)
            damage[row, fits] = _damage(rules, w)[fits]  # where several fit, the first one counts
            period_ticks[row] = rules.weapons["period"][w]
            splash[row] = max(splash[row], _splash(rules, w))
    return Tables(
        reach=np.where(rules.rank >= 0, rules.reach + radius[:, None] + radius, 0.0),
        damage=damage,
        period_ticks=period_ticks,
        splash=splash,
        ground=_ground(env),
    )


def _ground(env: VecEnv) -> Ground:
    """The engine's layers, and the air above them."""
    terrain, ground = env.scenario.terrain, env.sim.ground
    shape = (terrain.height, terrain.width)
    walkable = ground.walkable.reshape(-1, *shape)
    exits = ground.open[codes.SMALL_WALKER].reshape(shape)
    straight = bool(ground.convex[codes.SMALL_WALKER])
    return Ground(
        walkable=np.concatenate([walkable, np.ones_like(walkable[:1])]),
        detours=None if straight else walking_distances(exits),
    )


def _fits(rules: Rules, w: int) -> NDArray[np.bool_]:
    """[T] whom a weapon can be used against."""
    weapon, types = rules.weapons[w], rules.types
    in_plane = (weapon["planes"] & types["plane"]) != 0
    return np.asarray(in_plane & ~(weapon["not_structures"] & types["structure"]))


def _hits(rules: Rules, w: int) -> slice:
    first = int(rules.weapons["first_hit"][w])
    return slice(first, first + int(rules.weapons["n_hits"][w]))


def _damage(rules: Rules, w: int) -> Floats:
    """[T] what one attack with a weapon takes from the life of each type."""
    rows, types = rules.hits[_hits(rules, w)], rules.types
    armor = np.where(rows["armor_applies"][:, None], types["armor"], 0.0)
    each = np.maximum(rules.damage[_hits(rules, w)] - armor, 0.5) * rows["count"][:, None]
    on_structures = (rows["only"] & codes.ONLY_STRUCTURES != 0)[:, None]
    counts = np.isin(rows["when"], _USUAL)[:, None] & (~on_structures | types["structure"])
    return np.asarray((each * counts).sum(axis=0))


def _splash(rules: Rules, w: int) -> float:
    rows = rules.hits[_hits(rules, w)]
    bursts, sweeps = rows["form"] == codes.BURST, rows["form"] == codes.SWEEP
    radius = bursts * rows["radius"] + sweeps * rows["length"]
    return float(max(radius.max(initial=0.0), rows["zone_radius"].max(initial=0.0)))


def view_of(env: VecEnv, tables: Tables) -> View:
    """The battles as they stand. Everything is copied: a step does not change a view."""
    units = np.take_along_axis(env.sim.units, env.member_slots, axis=1)
    own, enemy = units[:, : env.n_agents], units[:, env.n_agents :]
    pairs = (own["kind"][:, :, None], enemy["kind"][:, None])
    reach = tables.reach[pairs]
    if env.options.action_mask:
        # Beyond SMAC's shooting range an attack is not offered, however far the weapon reaches.
        reach = np.minimum(reach, env.kinds["shoot"][own["kind"]][:, :, None])
    types = env.sim.rules.types[own["kind"]]
    radii = types["radius"][:, :, None] + types["radius"][:, None]
    return View(
        own=_army(env, own, tables),
        enemy=_army(env, enemy, tables),
        cooldown_ticks=np.maximum(own["cooldown"], 0.0),
        unhurt_ticks=(env.sim.ticks[:, None] - own["hurt_tick"]).astype(np.float64),
        aim=_aims(env, own),
        reach=reach,
        damage=tables.damage[pairs],
        enemy_reach=tables.reach.T[pairs],
        enemy_damage=tables.damage.T[pairs],
        heal_reach=types["heal_range"][:, :, None] + radii,
        step_ticks=float(env.options.step_mul or env.scenario.ticks_per_step),
        headings=HEADINGS,
        ground=tables.ground,
    )


def _army(env: VecEnv, units: Records, tables: Tables) -> Army:
    kind = units["kind"]
    types = env.sim.rules.types[kind]
    return Army(
        pos=np.stack([units["x"], units["y"]], axis=-1),
        velocity=np.stack([units["speed_x"], units["speed_y"]], axis=-1),
        alive=units["alive"],
        hp=units["hp"],
        hp_max=types["hp"],
        shield=units["shield"],
        shield_max=types["shields"],
        energy=units["energy"],
        radius=types["radius"],
        speed=types["speed"],
        layer=types["walker"],
        is_walker=types["walker"] < codes.CLIFF_WALKER,
        period_ticks=tables.period_ticks[kind],
        splash=tables.splash[kind],
        bursts=types["explodes"],
        heals_per_tick=types["heal_life"],
        can_be_healed=types["biological"] & ~types["structure"],
    )


def _aims(env: VecEnv, own: Records) -> Ints:
    """[N, A] the number of the enemy at whom a shot has been started."""
    enemy_slots = env.member_slots[:, env.n_agents :]
    # The last column is for those who aim at nobody.
    number = np.full((env.n_envs, env.sim.n_slots + 1), NOBODY)
    np.put_along_axis(number, enemy_slots, np.arange(enemy_slots.shape[1])[None], axis=1)
    slot = np.where(own["winding"] & (own["target"] >= 0), own["target"], env.sim.n_slots)
    return np.take_along_axis(number, slot, axis=1)
