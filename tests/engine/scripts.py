"""Scripted battles that several tests play: the orders depend on nothing but the game's seed."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator

ALL_ORDERS = (
    codes.MOVE,
    codes.ATTACK,
    codes.ATTACK_MOVE,
    codes.STOP,
    codes.HOLD,
    codes.PATROL,
    codes.FOLLOW,
    codes.SMART,
    codes.HEAL,
)


def give_random_orders(sim: Simulator, seeds: np.ndarray, step: int, share: float = 0.3) -> None:
    """Order some units of every game around, on the map and off it, at friend, foe and corpse."""
    width, height = sim.setup.terrain.width, sim.setup.terrain.height
    for e, seed in enumerate(seeds):
        rng = np.random.default_rng([int(seed), step])
        chosen = rng.random(sim.n_slots) < share
        order = np.zeros(sim.n_slots, COMMAND)
        order["unit"], order["owner"] = np.arange(sim.n_slots), sim.units["owner"][e]
        order["kind"] = np.where(chosen, rng.choice(ALL_ORDERS, sim.n_slots), codes.NO_ORDER)
        on_unit = rng.random(sim.n_slots) < 0.4
        order["target"] = np.where(on_unit, rng.integers(0, sim.n_slots, sim.n_slots), -1)
        order["x"] = rng.uniform(-2.0, width + 2.0, sim.n_slots)
        order["y"] = rng.uniform(-2.0, height + 2.0, sim.n_slots)
        order["queued"] = rng.random(sim.n_slots) < 0.3
        use_skills(sim, e, order, rng)
        sim.give(e, order[order["kind"] != codes.NO_ORDER])


def use_skills(
    sim: Simulator, e: int, order: Records, rng: np.random.Generator, share: float = 0.4
) -> None:
    """Turn some of the orders into the use of an ability, now and then one that it has not."""
    kit = sim.rules.kit
    k = rng.integers(0, kit.shape[1], sim.n_slots)
    stranger = rng.random(sim.n_slots) < 0.05
    own = kit[sim.units["kind"][e], k]
    order["ability"] = np.where(stranger, rng.integers(-2, 200, sim.n_slots), own)
    chosen = (order["kind"] != codes.NO_ORDER) & (rng.random(sim.n_slots) < share)
    if sim.known.abilities:
        order["kind"] = np.where(chosen, codes.CAST, order["kind"])


def play(sim: Simulator, seeds: np.ndarray, n_steps: int) -> None:
    """A battle from its beginning: random orders for a while, then everybody fights it out."""
    sim.reset(seeds)
    for step in range(n_steps):
        if step < n_steps // 2:
            give_random_orders(sim, seeds, step, share=0.1)
        sim.step()
