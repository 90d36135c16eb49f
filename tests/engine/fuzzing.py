"""Throws random orders at every unit type and every kind of terrain: run by a test, checked."""

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from itertools import product

import numpy as np

from terrarium.data.battles.generated import generate_terrain
from terrarium.data.battles.scenario import Group, Scenario, Terrain
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.battles.terrains import load_terrain
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.battle import MAX_PLAYERS
from terrarium.engine.simulator import MAX_SLOTS, EngineError, Simulator
from terrarium.envs.games.game_env import GameEnv
from tests.engine.scripts import give_random_orders

TICKS = 12
"""between orders, and between checks"""
STRUCTURES = ("supply_depot", "barracks", "command_center", "spore_crawler", "sensor_tower")


def everything(rules: str, terrain: Terrain, structures: bool = True) -> Scenario:
    """One of each unit type on either side; small maps have no room for all structures."""
    width, height = terrain.width, terrain.height
    ys, xs = np.nonzero(terrain.walkable)
    left, right = np.argmin(xs + ys), np.argmax(xs + ys)
    known = load_ruleset(rules).units.values()
    chosen = [unit for unit in known if not unit.agent_copy_of]
    units = {unit.name: 1 for unit in chosen if structures or unit.footprint is None}
    return Scenario(
        name=f"everything of {rules} on {terrain.name} ({width} x {height})",
        title="",
        version=1,
        terrain=terrain,
        rules=rules,
        limit_steps=1000,
        ticks_per_step=8,
        groups=tuple(
            Group(side, (float(xs[at]) + 0.5, float(ys[at]) + 0.5), units, False, None)
            for side, at in (("ally", left), ("enemy", right))
        ),
        generator=None,
        smac=None,
    )


def battlefields() -> list[tuple[Scenario, int]]:
    """What is played, and with how many games at a time."""
    fields = [
        (everything("lotv-4.10", generate_terrain(64, seed=3)), 2),
        (everything("lotv-5.0.14", generate_terrain(64, seed=4)), 2),
        (everything("liberty", load_terrain("ravine")), 16),
        (everything("smac", load_terrain("ravine")), 16),
        (everything("liberty", load_terrain("corridor")), 16),
    ]
    names = (
        *("smac/2c_vs_64zg", "smac/so_many_baneling", "smac/MMM2", "smacv2/protoss_20_vs_23"),
        *("arena/terran_vs_any_ramp", "skills/medivac_drop", "skills/bunker_hold"),
    )
    return fields + [(load_scenario(name), 8) for name in names]


def check(sim: Simulator) -> None:
    """What must hold after every step, whatever was ordered."""
    living = sim.units["alive"]
    for field in ("x", "y", "hp", "shield", "energy", "cooldown", "speed_x", "speed_y", "face_x"):
        assert np.isfinite(sim.units[field]).all(), field
    low_x, low_y, high_x, high_y = sim.setup.terrain.playable
    x, y = sim.units["x"][living], sim.units["y"][living]
    assert ((x >= low_x) & (x <= high_x) & (y >= low_y) & (y <= high_y)).all()
    types = sim.rules.types[sim.units["kind"][living]]
    # A Force Field stands where it was cast, also on a cliff.
    on_foot = ~(types["flying"] | in_flight(sim)[living]) & (types["mobile"] | types["structure"])
    assert sim.setup.terrain.walkable[y.astype(int), x.astype(int)][on_foot].all()
    if sim.layers:
        check_structures(sim)
    dragged = sim.units["alive"] & (sim.units["status"] & codes.DRAGGED != 0)
    assert (dragged == in_flight(sim)).all()
    assert (sim.units["hp"][living] <= sim.units["hp_max"][living] + 1e-9).all()
    for field, most in (("shield", "shields"), ("energy", "energy_max")):
        assert (sim.units[field][living] <= types[most] + 1e-9).all(), field
        assert (sim.units[field][living] >= -1e-9).all(), field
    assert (sim.units["hp"][living] > 0.0).all()
    aboard = sim.units["inside"] >= 0
    assert not (aboard & living).any()
    loads = np.take_along_axis(sim.units["alive"], np.maximum(sim.units["inside"], 0), axis=1)
    assert loads[aboard].all(), "passengers of nobody"
    owners = range(sim.n_players + 1)
    of_owner = [(living | aboard) & (sim.units["owner"] == owner) for owner in owners]
    count = np.stack([units.sum(axis=1) for units in of_owner], 1)
    assert (sim.players["n_alive"] == count).all()


def in_flight(sim: Simulator) -> np.ndarray:
    """Who is being dragged in this very tick, over whatever is there."""
    return sim.units["alive"] & (sim.games.skills["drag_ticks"] > 0.0)


def check_structures(sim: Simulator) -> None:
    """Who stands on the grid lives, and no walker is inside of a structure."""
    placed = sim.games.sites["placed"]
    assert (sim.units["alive"] | ~placed).all()
    assert (sim.games.epochs["n_placed"][:, 0] == placed.sum(axis=1)).all()
    types = sim.rules.types[sim.units["kind"]]
    walks = sim.units["alive"] & ~types["flying"] & types["mobile"]
    e, u = np.nonzero(walks & ~in_flight(sim))
    width = sim.setup.terrain.width
    cells = sim.units["y"][e, u].astype(int) * width + sim.units["x"][e, u].astype(int)
    assert not sim.games.blocked[e, cells].any()


def build_at_random(sim: Simulator, seeds: np.ndarray, step: int) -> None:
    """In every game, now and then a structure appears somewhere or goes."""
    for e, seed in enumerate(seeds):
        rng = np.random.default_rng((int(seed), step))
        placed = np.flatnonzero(sim.games.sites["placed"][e])
        if len(placed) and rng.random() < 0.02 * len(placed):
            sim.remove(e, int(rng.choice(placed)))
        name = str(rng.choice(STRUCTURES))
        x, y = rng.uniform(0.0, (sim.setup.terrain.width, sim.setup.terrain.height))
        with suppress(EngineError):  # there is no space for most of them
            sim.place(e, name, int(rng.integers(3)), float(x), float(y))


def fuzz(scenario: Scenario, n_envs: int, unit_ticks: int, seed: int, builds: bool = False) -> int:
    """Play with random orders until that many unit-ticks have passed; how many there were."""
    # Room for what Brood Lords leave behind, and for what is summoned.
    n_units = sum(sum(group.units.values()) for group in scenario.groups)
    layers = ("footprints",) if builds else ()
    sim = Simulator(scenario, n_envs, slots=n_units + 400 if n_units else None, layers=layers)
    return _play(sim, unit_ticks, seed, builds)


def fuzz_crowd(unit_ticks: int, seed: int) -> int:
    """2,000 units of sixteen players and of nobody, among structures that come and go."""
    scenario = replace(everything("lotv-4.10", generate_terrain(176, seed=5)), groups=())
    teams = ((1, 2), (3, 4, 5), *((owner,) for owner in range(6, MAX_PLAYERS + 1)))
    sim = Simulator(scenario, slots=MAX_SLOTS, layers=("footprints",), teams=teams)
    return _play(sim, unit_ticks, seed, builds=True)


def fuzz_games(unit_ticks: int, seed: int) -> int:
    """Whole games: workers, queues and rally points, and structures that come and go."""
    games = Melee(find_map("flat_48"), ("Terran", "Zerg"))
    return _play(Simulator(games, n_envs=2, slots=400), unit_ticks, seed, builds=True)


PAIRS = tuple(product(("terran", "zerg", "protoss"), repeat=2))
PHASE_LOOPS = (0, 1_600, 4_800, 9_600, 14_400)
"""Computer opponents play to one of these; from there on nobody does what makes sense."""
PHASE_TICKS = 1_200


def fuzz_phases(unit_ticks: int, seed: int) -> int:
    """Whole games of all pairs of races from their beginning or their middle on: armies, add-ons,
    warp gates, creep, research under way. In the midst of it each is saved and goes on alike."""
    done, first = 0, seed
    while done < unit_ticks:
        pair, loop = PAIRS[seed % len(PAIRS)], PHASE_LOOPS[seed % len(PHASE_LOOPS)]
        env = GameEnv("simple_64", (f"veryhard-{pair[0]}", f"harder-{pair[1]}"))
        env.reset(seed)
        while not env.over and env.loop < loop:
            env.step()
        sim, seeds, last = env.sim, np.array([seed]), env.loop + PHASE_TICKS
        half = env.loop + PHASE_TICKS // 2
        while not env.over and env.loop < last:
            for resource in ("minerals", "vespene"):
                sim.players[resource][0, 1:] = np.maximum(sim.players[resource][0, 1:], 400.0)
            give_random_orders(sim, seeds, env.loop, share=0.3)
            run_economy_at_random(sim, seeds, env.loop, extent=66.0, n_commands=30)
            done += int(sim.units["alive"].sum()) * TICKS
            sim.step(TICKS)
            if env.loop == half:
                step_from_save(sim)
            check(sim)
            check_economy(sim)
        seed += 1
    sys.stderr.write(f"{done} unit-ticks of whole games, seeds {first} to {seed - 1}\n")
    return done


def step_from_save(sim: Simulator) -> None:
    """Step, and step once more from a save of what was before."""
    save = sim.save()
    sim.step(TICKS)
    meant = sim.digest()
    sim.load(save)
    sim.step(TICKS)
    assert sim.digest() == meant


def run_economy_at_random(
    sim: Simulator, seeds: np.ndarray, step: int, extent: float = 70.0, n_commands: int = 12
) -> None:
    """Commands for workers and structures, sensible ones and others."""
    for e, seed in enumerate(seeds):
        rng = np.random.default_rng((int(seed), step, 1))
        units, n_products = sim.units[e], len(sim.rules.products)
        used = np.flatnonzero(units["tag"] > 0)
        of_kind = [int(u) for u in used if sim.rules.types["resource"][units["kind"][u]] != 0]
        for _ in range(n_commands):
            u = int(rng.choice(used))
            kind = int(rng.integers(codes.GATHER, codes.RALLY + 1))
            target = int(rng.choice(of_kind if rng.random() < 0.7 else used))
            at = (float(rng.uniform(-2, extent)), float(rng.uniform(-2, extent)))
            mine = np.flatnonzero(sim.rules.products["by"] == units["kind"][u])
            made = int(rng.choice(mine)) if len(mine) else int(rng.integers(-2, n_products + 2))
            owner = int(units["owner"][u]) if rng.random() < 0.9 else int(rng.integers(0, 3))
            sim.order(e, u, kind, at, target, rng.random() < 0.3, made, owner)
        geyser = int(rng.choice([u for u in of_kind if units["owner"][u] == 0]))
        with suppress(EngineError):  # most are fields
            place = (float(units["x"][geyser]), float(units["y"][geyser]))
            sim.place(e, "refinery", int(rng.integers(1, 3)), *place)


def check_economy(sim: Simulator) -> None:
    """Purses, supply, queues and cargo are what they can be."""
    assert (sim.players["minerals"] >= 0.0).all()
    assert (sim.players["vespene"] >= 0.0).all()
    accounts, workers, resources = sim.games.accounts, sim.games.workers, sim.games.resources
    for supply in ("supply_cap", "supply_used"):
        assert ((accounts[supply] >= 0.0) & (accounts[supply] <= 200.0)).all()
    living = sim.units["alive"]
    assert (resources["contents"][living] >= 0.0).all()
    assert (workers["cargo"][living] >= 0.0).all()
    assert ((workers["cargo"] > 0.0) == (workers["carries"] != codes.NO_RESOURCE))[living].all()
    assert (sim.games.producers["n_items"][living] <= sim.games.items.shape[2]).all()


def _play(sim: Simulator, unit_ticks: int, seed: int, builds: bool) -> int:
    n_envs, whole = sim.n_envs, isinstance(sim.setup, Melee)
    seeds = seed + np.arange(n_envs)
    begin(sim, seeds, np.ones(n_envs, np.bool_))
    done = step = 0
    while done < unit_ticks:
        give_random_orders(sim, seeds, step, share=0.45)
        if builds:
            build_at_random(sim, seeds, step)
        if whole:
            run_economy_at_random(sim, seeds, step)
        done += int(sim.units["alive"].sum()) * TICKS
        sim.step(TICKS)
        check(sim)
        if whole:
            check_economy(sim)
        step += 1
        over = ((sim.players["n_alive"][:, 1:] > 0).sum(axis=1) < 2) | (sim.ticks > 1600)
        if over.any():
            seeds = np.where(over, seeds + n_envs, seeds)
            begin(sim, seeds, over)
    return done


def begin(sim: Simulator, seeds: np.ndarray, where: np.ndarray) -> None:
    """Start games anew, with every upgrade and something to spend."""
    sim.reset(seeds, where=where)
    for e in np.flatnonzero(where):
        if (
            isinstance(sim.setup, Scenario)
            and not sim.setup.groups
            and not sim.units["alive"][e].any()
        ):
            crowd(sim, int(e), int(seeds[e]))
        for owner in range(1, sim.n_players + 1):
            sim.players[e, owner]["minerals"] = sim.players[e, owner]["vespene"] = 500.0
            sim.players[e, owner]["nukes"] = 3
            for upgrade in sim.known.upgrades:
                sim.research(int(e), owner, upgrade)


def crowd(sim: Simulator, e: int, seed: int) -> None:
    """Units of random types and owners at random places of the map."""
    rng = np.random.default_rng(seed)
    mobile = [name for name, row in sim.rows.items() if sim.rules.types["mobile"][row]]
    ys, xs = np.nonzero(sim.setup.terrain.walkable)
    for _ in range(2000):
        at = rng.integers(len(xs))
        owner = int(rng.integers(sim.n_players + 1))
        sim.create(e, str(rng.choice(mobile)), owner, float(xs[at]) + 0.5, float(ys[at]) + 0.5)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("unit_ticks", type=int)
    parser.add_argument("--seed", type=int, default=0, help="of the first game of each kind")
    parser.add_argument("--games", action="store_true", help="whole games of all races alone")
    options = parser.parse_args()
    seed = options.seed
    if options.games:
        total = fuzz_phases(options.unit_ticks, seed)
    else:
        fields = battlefields()
        building = (
            everything("lotv-4.10", generate_terrain(96, seed=1)),
            everything("lotv-4.10", load_terrain("ravine"), structures=False),
        )
        share = options.unit_ticks // (len(fields) + len(building) + 3)
        total = sum(fuzz(scenario, n, share, seed) for scenario, n in fields)
        total += sum(fuzz(scenario, 2, share, seed, builds=True) for scenario in building)
        total += fuzz_crowd(share, seed)
        total += fuzz_games(share, seed)
        total += fuzz_phases(share, seed)
    sys.stdout.write(f"{total} unit-ticks\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
