"""The engine's battles as tactics see them, from the eyes of the agents' side."""

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER
from terrarium.envs.players.ability_view import busy_units, damage_under_way, hazards_for, skills_of
from terrarium.envs.players.missions import Briefing, read_briefing
from terrarium.envs.players.unit_tables import Tables, compile_tables
from terrarium.tactics.view import NOBODY, Army, Bools, Floats, Ints, Mission, View

"""the agents'"""
MOVES = np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 0.0], [-1.0, 0.0]])
"""SMAC's, in the order of its actions: north, south, east, west"""
COMPASS = np.array(
    [(math.cos(math.pi * k / 8.0), math.sin(math.pi * k / 8.0)) for k in range(16)], np.float64
)
"""Real orders lead anywhere; sixteen headings are enough"""
ARRIVED = 4.0
"""A place is empty if no unit is seen this near to it"""


class Battles(Protocol):
    """A batch of battles: `VecEnv`, or a `Stage` without observations."""

    @property
    def sim(self) -> Simulator: ...
    @property
    def scenario(self) -> Scenario: ...
    @property
    def n_agents(self) -> int: ...
    @property
    def member_slots(self) -> NDArray[np.int64]:
        """[N, M] the engine's slots of the agents, then of the enemies"""

    @property
    def ticks_per_step(self) -> int: ...


class Lookout:
    """Makes views, and remembers what was seen before: one for each batch of battles."""

    def __init__(self, battles: Battles, headings: Floats = COMPASS) -> None:
        sim = battles.sim
        self.tables: Tables = compile_tables(sim)
        self._headings = headings
        self._briefing: Briefing = read_briefing(battles.scenario, sim.names)
        n_enemies = battles.member_slots.shape[1] - battles.n_agents
        self._tick = np.full(sim.n_envs, -1)
        self._known = np.zeros((sim.n_envs, n_enemies), np.bool_)
        self._places = np.zeros((sim.n_envs, n_enemies, 2))
        self._empty = np.zeros((sim.n_envs, len(self._briefing.places)), np.bool_)
        self._life = np.zeros((sim.n_envs, battles.n_agents))
        self._hurt_rate = np.zeros((sim.n_envs, battles.n_agents))

    def look(self, battles: Battles) -> View:
        """The battles as they stand. Everything is copied: a step does not change a view."""
        sim, slots, n = battles.sim, battles.member_slots, battles.n_agents
        units = np.take_along_axis(sim.units, slots, axis=1)
        own, enemy = units[:, :n], units[:, n:]
        step_ticks = float(battles.ticks_per_step)
        began = sim.ticks <= self._tick
        incoming = np.take_along_axis(damage_under_way(sim), slots, axis=1)
        ours = _army(sim, own, self.tables, own["alive"], incoming[:, :n])
        seen = (
            enemy["alive"] & (enemy["seen"] >> ALLY_OWNER & 1 != 0) & (enemy["owner"] != ALLY_OWNER)
        )
        theirs = _army(sim, enemy, self.tables, seen, incoming[:, n:])
        remembered = self._remember(sim, enemy, theirs)
        hurt_rate = self._feel(ours, began, step_ticks)
        pairs = (own["kind"][:, :, None], enemy["kind"][:, None])
        reach, enemy_reach = self.tables.reach[pairs], self.tables.reach.T[pairs]
        skills = skills_of(sim, slots[:, :n], own)
        return View(
            own=ours,
            enemy=theirs,
            kinds=self.tables.kinds,
            remembered=remembered,
            cooldown_ticks=np.maximum(own["cooldown"], 0.0),
            unhurt_ticks=(sim.ticks[:, None] - own["hurt_tick"]).astype(np.float64),
            hurt_rate=hurt_rate,
            aim=_numbers(sim, slots[:, n:], np.where(own["winding"], own["target"], NOBODY)),
            reach=np.where(reach > 0.0, reach + own["range_add"][..., None], 0.0),
            damage=self.tables.damage[pairs],
            enemy_reach=np.where(enemy_reach > 0.0, enemy_reach + enemy["range_add"][:, None], 0.0),
            enemy_damage=self.tables.damage.T[pairs],
            heal_reach=sim.rules.types["heal_range"][own["kind"]][:, :, None]
            + ours.radius[:, :, None]
            + ours.radius[:, None],
            can=skills.can,
            casts=skills.casts,
            ranges=skills.ranges,
            windups=skills.windups,
            cast_target=_numbers(sim, slots[:, n:], _cast_targets(sim, slots[:, :n], own)),
            busy=busy_units(sim, slots[:, :n], own),
            stim_ticks=_stim_ticks(sim, slots[:, :n]),
            inside=_numbers(sim, slots[:, :n], np.where(own["alive"], NOBODY, own["inside"])),
            load=np.take_along_axis(sim.games.skills["load"], slots[:, :n], axis=1),
            hazards=hazards_for(sim, self.tables, ALLY_OWNER),
            mission=self._mission(sim, ours, theirs),
            step_ticks=step_ticks,
            headings=self._headings,
            ground=self.tables.ground,
        )

    def _remember(self, sim: Simulator, enemy: Records, theirs: Army) -> Bools:
        """Update what is known; where an enemy is not seen, its place becomes the last known."""
        began = sim.ticks <= self._tick
        self._tick = sim.ticks.copy()
        self._known[began], self._empty[began] = False, False
        self._known |= theirs.alive
        # Who died in sight is forgotten: players see a death.
        self._known &= enemy["alive"]
        self._places = np.where(theirs.alive[..., None], theirs.pos, self._places)
        theirs.pos[...] = self._places
        return np.asarray(self._known & ~theirs.alive)

    def _feel(self, ours: Army, began: Bools, step_ticks: float) -> Floats:
        """[N, A] how fast each loses life: half of it is what was felt before."""
        lost = np.maximum(self._life - ours.life, 0.0) / step_ticks
        lost[began] = 0.0
        self._hurt_rate = np.where(began[:, None], 0.0, 0.5 * (self._hurt_rate + lost))
        self._life = ours.life.copy()
        return self._hurt_rate.copy()

    def _mission(self, sim: Simulator, ours: Army, theirs: Army) -> Mission:
        briefing, n = self._briefing, sim.n_envs
        home = np.broadcast_to(briefing.home, (n, 2))
        goal = briefing.destination
        return Mission(
            goal=self._next_place(ours, theirs)
            if goal is None
            else np.broadcast_to(goal, (n, 2)).copy(),
            home=home.copy(),
            holds=briefing.holds,
            flees=goal is not None,
            prey=briefing.prey,
            precious=briefing.precious,
            guards=briefing.guards,
        )

    def _next_place(self, ours: Army, theirs: Army) -> Floats:
        """[N, 2] the nearest place where the enemy may still be."""
        places = self._briefing.places
        way = ours.pos[:, :, None] - places  # [N, A, G, 2]
        apart = np.where(ours.alive[..., None], np.sqrt((way * way).sum(axis=-1)), np.inf)
        nearest = apart.min(axis=1)  # [N, G]
        quiet = ~theirs.alive.any(axis=1, keepdims=True)
        self._empty |= quiet & (nearest < ARRIVED)
        self._empty &= ~self._empty.all(axis=1, keepdims=True)
        return np.asarray(places[np.where(self._empty, np.inf, nearest).argmin(axis=1)])


def _army(sim: Simulator, units: Records, tables: Tables, alive: Bools, incoming: Floats) -> Army:
    kind, types = units["kind"], sim.rules.types
    # Field by field: whole records would be copied for a few numbers.
    return Army(
        kind=kind,
        pos=np.stack([units["x"], units["y"]], axis=-1),
        velocity=np.stack([units["speed_x"], units["speed_y"]], axis=-1),
        alive=alive,
        hp=units["hp"],
        hp_max=units["hp_max"],
        shield=units["shield"],
        shield_max=types["shields"][kind],
        energy=units["energy"],
        radius=types["radius"][kind],
        speed=units["max_speed"],
        layer=types["walker"][kind],
        is_walker=types["walker"][kind] < codes.CLIFF_WALKER,
        is_air=units["plane"] == codes.AIR,
        cloaked=units["status"] & codes.CLOAKED != 0,
        period_ticks=tables.period_ticks[kind] / np.maximum(units["rate"], 0.01),
        splash=tables.splash[kind],
        bursts=types["explodes"][kind],
        heals_per_tick=types["heal_life"][kind],
        can_be_healed=types["biological"][kind] & ~types["structure"][kind],
        incoming=incoming,
    )


def _numbers(sim: Simulator, slots: Ints, targets: Ints) -> Ints:
    """[N, A] which member of a list of slots [N, U] each target is; NOBODY = none of them."""
    # The last column is for units without a target.
    number = np.full((len(slots), sim.n_slots + 1), NOBODY)
    np.put_along_axis(number, slots, np.arange(slots.shape[1])[None], axis=1)
    return np.take_along_axis(number, np.where(targets < 0, sim.n_slots, targets), axis=1)


def _cast_targets(sim: Simulator, slots: Ints, units: Records) -> Ints:
    """[N, A] the slot that an ability, or the order to use one, is aimed at."""
    at = np.arange(len(slots))[:, None]
    skills, orders = sim.games.skills, sim.games.orders
    ordered = (units["n_orders"] > 0) & (orders["kind"][at, slots, 0] == codes.CAST)
    waiting = np.where(ordered, orders["target"][at, slots, 0], NOBODY)
    return np.where(skills["cast"][at, slots] >= 0, skills["target"][at, slots], waiting)


def _stim_ticks(sim: Simulator, slots: Ints) -> Floats:
    """[N, A] that a Stimpack still lasts."""
    at = np.arange(len(slots))[:, None]
    rows, ticks = (sim.games.buffs[name][at, slots] for name in ("row", "ticks"))  # [N, A, B]
    known = sim.known.buffs
    left = np.zeros(slots.shape)
    for name in ("stimpack", "stimpack_marauder"):
        if name in known:
            left = np.maximum(left, np.where(rows == known[name], ticks, 0.0).max(axis=-1))
    return left
