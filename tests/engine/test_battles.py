"""Whole fights: what a player of the game would expect to see."""

from collections.abc import Callable
from math import atan2, ceil, degrees, hypot

import numpy as np
import pytest
from numpy.typing import NDArray

from terrarium.data.battles.terrains import height_steps, load_terrain
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.engine.arena import SECOND, Arena, Piece, open_ground, scenario

# --- 2m_vs_1z -----------------------------------------------------------------------------------

N_BATTLES = 200
ZEALOT = 2
"""its slot; the Marines have 0 and 1"""
MARINE_REACH = 5.0 + 0.375 + 0.5
"""from center to center of a Zealot"""


def share_won(orders: Callable[[Simulator], None]) -> float:
    """Play 2m_vs_1z with 200 seeds, an order every 8 ticks, and count what the Marines win."""
    sim = scenario("smac/2m_vs_1z", n_games=N_BATTLES, seed=1000).sim
    won = np.zeros(N_BATTLES, np.bool_)
    lost = np.zeros(N_BATTLES, np.bool_)
    for _ in range(sim.scenario.limit_steps):
        orders(sim)
        sim.step()
        won |= ~sim.units["alive"][:, ZEALOT] & ~lost
        lost |= ~sim.units["alive"][:, :ZEALOT].any(axis=1) & ~won
    return float(won.mean())


def distances_to_zealot(sim: Simulator) -> NDArray[np.float64]:
    """[games, 2]; a dead Marine is far away."""
    x, y = sim.units["x"], sim.units["y"]
    distances = np.hypot(x[:, :ZEALOT] - x[:, [ZEALOT]], y[:, :ZEALOT] - y[:, [ZEALOT]])
    return np.where(sim.units["alive"][:, :ZEALOT], distances, np.inf)


def stand_and_shoot(sim: Simulator) -> None:
    in_reach = distances_to_zealot(sim) <= MARINE_REACH
    for e, marine in np.argwhere(in_reach).tolist():
        sim.order(e, marine, codes.ATTACK, target=ZEALOT)


def shoot_and_run(sim: Simulator) -> None:
    """The Marine that the Zealot is after runs from it, along the wall if need be; the other one
    shoots. A Marine is as fast as a Zealot, so the Zealot gets nowhere."""
    distances = distances_to_zealot(sim)
    units = sim.units
    hunted = distances.argmin(axis=1)
    angles = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
    for marine in range(ZEALOT):
        # A step of 1.5 in each direction; the best leads away and stays 9 around the middle.
        x = units["x"][:, [marine]] + 1.5 * np.cos(angles)
        y = units["y"][:, [marine]] + 1.5 * np.sin(angles)
        away = np.hypot(x - units["x"][:, [ZEALOT]], y - units["y"][:, [ZEALOT]])
        off_limits = np.maximum(0.0, np.hypot(x - 16.0, y - 16.0) - 9.0)
        best = (away - 10.0 * off_limits).argmax(axis=1)
        runs = (hunted == marine) & (distances[:, marine] < 3.0)
        for e in range(N_BATTLES):
            if runs[e]:
                sim.order(e, marine, codes.MOVE, (x[e, best[e]], y[e, best[e]]))
            else:
                sim.order(e, marine, codes.ATTACK, target=ZEALOT)


def test_two_marines_that_stand_lose_to_a_zealot() -> None:
    """29 shots kill it, for which two Marines need 15 x 14.3 = 214 ticks. The Zealot kills one
    after 7 cells and 3 attacks (50 + 45 ticks, 13 shots), the other 90 ticks and 6 shots later."""
    assert share_won(stand_and_shoot) == 0.0


def test_two_marines_that_shoot_and_run_beat_a_zealot() -> None:
    assert share_won(shoot_and_run) >= 0.95


# --- crowds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_ten_zerglings_surround_a_marine(seed: int) -> None:
    """They come from the west as a bunch. Six bodies of radius 0.375 fit around one, exactly (60
    degrees each); five of them leave a hole of 120, and five get there within seconds, on all
    sides."""
    arena = open_ground("liberty", seed=seed)
    marine = arena.add("marine", at=(40, 30), passive=True, hp=1e6)
    pack = [
        arena.add("zergling", at=(24 + 0.8 * (i % 5), 29 + 0.9 * (i // 5)), owner=2)
        for i in range(10)
    ]
    for zergling in pack:
        zergling.attack_move(45, 30)

    def biting() -> list[Piece]:
        return [zergling for zergling in pack if zergling.gap(marine) <= 0.1]

    # 16 cells at 2.95 are 85 ticks; another 6 seconds to find a place.
    assert arena.run(85 + 6 * SECOND, until=lambda: len(biting()) >= 5)
    angles = sorted(degrees(atan2(z.y - marine.y, z.x - marine.x)) for z in biting())
    gaps = np.diff([*angles, angles[0] + 360.0])
    assert max(gaps) < 130.0
    arena.run(30)
    assert sum(bool(arena.shots_of(zergling)) for zergling in pack) >= 5


OVERLAP = 0.3
"""How deep two bodies may be in each other, as a share of their separation radii's sum: separation
is soft (game_rules.md, 5), a crowd that presses forward is squeezed, but nobody walks through
anybody. Six battles of Zerglings on ramps came to 0.20 to 0.27."""


def deepest_overlap(sim: Simulator) -> float:
    """Of all pairs of living ground units that keep a distance to each other."""
    units, types = sim.units[0], sim.rules.types
    chosen = np.flatnonzero(units["alive"] & ~types["flying"][units["kind"]])
    x, y, kind = units["x"][chosen], units["y"][chosen], units["kind"][chosen]
    classes, radius = types["classes"][kind], types["separation"][kind]
    apart = np.hypot(x[:, None] - x, y[:, None] - y) / (radius[:, None] + radius)
    apart[(classes[:, None] & classes) == 0] = 1.0
    np.fill_diagonal(apart, 1.0)
    return float(1.0 - apart.min())


def fight(arena: Arena, ticks: int) -> float:
    """Let both sides fight it out; the deepest overlap at any tick."""
    deepest = 0.0
    for _ in range(ticks):
        arena.sim.step(1)
        deepest = max(deepest, deepest_overlap(arena.sim))
        if (arena.sim.players["n_alive"][0, 1:] == 0).any():
            break
    assert arena.sim.players["n_lost"][0].sum() > 20  # it was a battle
    return deepest


@pytest.mark.parametrize("seed", range(3))
def test_57_marines_in_a_battle_do_not_walk_through_each_other(seed: int) -> None:
    arena = scenario("smac/27m_vs_30m", seed=seed)
    arena.sim.units["passive"] = False
    for marine in arena.pieces(owner=1):
        arena.sim.order(0, marine.slot, codes.ATTACK_MOVE, (23.0, 16.0))
    assert fight(arena, 400) <= OVERLAP


@pytest.mark.parametrize("seed", range(3))
def test_60_zealots_and_zerglings_do_not_walk_through_each_other(seed: int) -> None:
    arena = open_ground("lotv-4.10", slots=60, seed=seed)
    for i in range(30):
        place = 25.0 + i // 5
        zealot = arena.add("zealot", at=(20 + i % 5, place))
        zergling = arena.add("zergling", at=(44 - i % 5, place), owner=2, face=(-1, 0))
        arena.sim.order(0, zealot.slot, codes.ATTACK_MOVE, (42.0, 28.0))
        arena.sim.order(0, zergling.slot, codes.ATTACK_MOVE, (22.0, 28.0))
    assert fight(arena, 400) <= OVERLAP


def test_64_zerglings_on_two_ramps_do_not_walk_through_each_other() -> None:
    arena = scenario("smac/2c_vs_64zg")
    arena.sim.units["passive"] = False
    assert fight(arena, 400) <= OVERLAP


# --- terrain ------------------------------------------------------------------------------------


def test_24_zerglings_get_through_the_throat_of_the_corridor() -> None:
    """From around (27.9, 28.2) past (13, 13) to (4.5, 4.3): 21.3 + 12.2 = 33.5 cells are 182 ticks
    for a Zergling alone; the others queue up, which may cost them as long again."""
    arena = scenario("smac/corridor")
    for zealot in arena.pieces(owner=1):
        zealot.set(hp=0.0)
    pack = arena.pieces(owner=2)
    assert len(pack) == 24
    leader = min(pack, key=lambda z: z.distance(27.91, 28.24))
    leaders_way = hypot(leader.x - 13, leader.y - 13) + hypot(13 - 4.47, 13 - 4.33)
    walk = leaders_way / (2.9531 / SECOND)
    arena.run(ceil(2 * walk), until=lambda: all(z.n_orders == 0 for z in pack))
    # 24 bodies fill a circle of radius 0.375 x sqrt(24 / 0.8) = 2.1; loosely, twice that.
    assert max(z.distance(4.47, 4.33) for z in pack) < 4.2


def test_a_zergling_alone_takes_the_straight_way_through_the_throat() -> None:
    arena = scenario("smac/corridor")
    alone = arena.pieces(owner=2)[0]
    for other in arena.pieces():
        if other.slot != alone.slot:
            other.set(hp=0.0)
    way = hypot(alone.x - 13, alone.y - 13) + hypot(13 - 4.47, 13 - 4.33)
    walk = way / (2.9531 / SECOND)
    assert arena.run(400, until=lambda: alone.distance(4.47, 4.33) < 0.1)
    # Ways lead over cell centers: up to a tenth longer; the throat is two cells wide of (13, 13).
    assert walk * 0.95 <= arena.ticks <= walk * 1.1


def test_zerglings_reach_the_colossi_by_the_ramps() -> None:
    """From low ground (step 4) to the plateau (step 8) only over the thirds of a ramp: 5, 6, 7."""
    steps = height_steps(load_terrain("ravine"))
    arena = scenario("smac/2c_vs_64zg")
    colossi, pack = arena.pieces(owner=1), arena.pieces(owner=2)
    for colossus in colossi:
        colossus.set(hp=1e6)
    units = arena.sim.units[0]
    slots = [zergling.slot for zergling in pack]

    def stands_on() -> NDArray[np.int16]:
        return steps[units["y"][slots].astype(int), units["x"][slots].astype(int)]

    before = stands_on()
    assert (before == 4).all()
    for _ in range(500):
        arena.sim.step(1)
        now = stands_on()
        assert np.abs(now - before).max() <= 1
        before = now
    assert (before == 8).sum() >= 60
    assert colossi[0].hp < 1e6 or colossi[1].hp < 1e6
    near = [min(z.gap(colossus) for colossus in colossi) for z in pack]
    assert sum(gap <= 0.1 for gap in near) >= 10  # and they bite


def test_a_colossus_steps_down_the_cliff() -> None:
    """7 cells straight down at 2.25: 49.8 ticks, and no way round by a ramp."""
    arena = scenario("smac/2c_vs_64zg")
    for other in arena.pieces()[1:]:
        other.set(hp=0.0)
    arena.run(1)
    colossus = arena.piece(0)
    assert colossus.at == (16, 16)
    colossus.set(face_x=0.0, face_y=-1.0)
    colossus.move(16, 9)
    start = arena.ticks
    arena.run(100, until=lambda: colossus.distance(16, 9) <= 0.02)
    assert arena.ticks - start == pytest.approx(7 * SECOND / 2.25, abs=1)
    assert colossus.x == pytest.approx(16)
