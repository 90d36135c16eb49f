"""Nothing is decided by slot order or by side."""

from pathlib import Path

import numpy as np
import pytest

from terrarium.engine.simulator import Simulator
from terrarium.engine.state import Games
from tests.engine.mirrors import ARMIES, MORE_ARMIES, fight, mirror_battle
from tests.engine.scripts import give_random_orders

SEEDS = 5_000
"""on either side of the map: 10 000 battles tell of each of the two effects"""
# The standard error of a share of 10 000 battles is half a percent: three of them.
TOLERANCE = 0.015
NO_UNIT = -1


@pytest.mark.slow
@pytest.mark.parametrize("army", ARMIES)
def test_equal_armies_win_equally_often(army: str) -> None:
    shares = []
    for map_mirrored in (False, True):
        sim = mirror_battle(army, SEEDS, map_mirrored=map_mirrored)
        won, lost = (int(games.sum()) for games in fight(sim, seed=SEEDS * map_mirrored))
        sim.close()
        assert won + lost > 0.9 * SEEDS
        shares.append(won / (won + lost))
    from_left, from_right = shares
    assert abs((from_left + from_right) / 2 - 0.5) <= TOLERANCE  # of whose slots come first
    assert abs((from_left - from_right) / 2) <= TOLERANCE  # of where an army starts


@pytest.mark.parametrize("army", ARMIES)
def test_swapping_the_slots_swaps_every_single_result(army: str) -> None:
    """Stronger than equal shares: the same luck makes the other side win the very same battles."""
    here, there = mirror_battle(army, 500), mirror_battle(army, 500, slots_swapped=True)
    # What is drawn belongs to the tag, so the units that were created first have the same luck.
    won, lost = fight(here, seed=11)
    won_swapped, lost_swapped = fight(there, seed=11)
    here.close()
    there.close()
    # Positions are mirrored, so rounding differs, and a rare battle goes another way.
    assert (won == lost_swapped).mean() > 0.98
    assert (lost == won_swapped).mean() > 0.98


@pytest.mark.parametrize("army", ARMIES | MORE_ARMIES)
@pytest.mark.parametrize("vertical", [False, True])
def test_with_equal_luck_both_sides_fight_the_same_battle(army: str, vertical: bool) -> None:
    """Twins that draw the same numbers stay each other's mirror image to the last shot."""
    _fight_as_twins(mirror_battle(army, 4, vertical=vertical))


@pytest.mark.parametrize("army", ARMIES)
def test_who_chooses_first_does_not_tell_the_others_whom_it_attacks(
    army: str, tmp_path: Path
) -> None:
    rules = tmp_path / "mine.toml"
    answers = 'preferred_targets = "attackers"\nscan_ticks = 1\n'
    rules.write_text(f'title = "Mine"\nversion = 1\nbase = "liberty"\n[assumptions]\n{answers}')
    _fight_as_twins(mirror_battle(army, 4, rules=str(rules)))


def _fight_as_twins(sim: Simulator) -> None:
    sim.reset(0)
    n = sim.n_slots // 2
    first, second = sim.units[:, :n], sim.units[:, n:]
    for field in ("tag", "phase"):
        second[field] = first[field]
    for _ in range(100):
        sim.step(4)
        assert (first["alive"] == second["alive"]).all()
        # Mirrored coordinates round differently, and a crowd that pushes makes that grow.
        np.testing.assert_allclose(first["x"], 32.0 - second["x"], rtol=0.0, atol=1e-5)
        np.testing.assert_allclose(first["y"], 32.0 - second["y"], rtol=0.0, atol=1e-5)
        np.testing.assert_allclose(first["hp"], second["hp"], rtol=0.0, atol=1e-5)
    sim.close()


@pytest.mark.parametrize(
    "name",
    ["smac/2s3z", "smac/MMM2", "smac/bane_vs_bane", "smac/2c_vs_64zg", "smacv2/zerg_20_vs_23"],
)
@pytest.mark.parametrize("seed", range(4))
def test_permuted_slots_change_a_tick_by_no_more_than_rounding(name: str, seed: int) -> None:
    straight, permuted = Simulator(name), Simulator(name)
    straight.units["passive"] = False
    straight.reset(seed)
    for step in range(12):
        give_random_orders(straight, np.array([seed]), step, share=0.05)
        straight.step(8 + seed)
    order = np.random.default_rng(seed).permutation(straight.n_slots)
    permuted.load(straight.save())
    _permute(permuted.games, order)
    for _ in range(3):
        straight.step(1)
        permuted.step(1)
    for field in ("x", "y", "hp", "shield", "energy", "cooldown", "windup", "face_x", "aim_y"):
        expected = straight.units[field][0, order]
        assert permuted.units[field][0] == pytest.approx(expected, abs=1e-7), field
    for field in ("alive", "tag", "target_tag", "n_orders", "winding", "detour"):
        assert (permuted.units[field][0] == straight.units[field][0, order]).all(), field


def _permute(games: Games, order: np.ndarray) -> None:
    """Put the unit of slot `order[k]` into slot `k`, and correct everything that names slots."""
    n = len(order)
    new_slot = np.full(n + 1, NO_UNIT)  # the last entry stays: it translates NO_UNIT
    new_slot[order] = np.arange(n)
    games.units[0] = games.units[0, order]
    games.orders[0] = games.orders[0, order]
    games.living[0] = new_slot[games.living[0]]
    games.free[0] = new_slot[games.free[0]]
    for field in ("target", "attacker", "heal_target", "hitter"):
        games.units[field][0] = new_slot[games.units[field][0]]
    games.orders["target"][0] = new_slot[games.orders["target"][0]]
    for field in ("source", "target"):
        games.effects[field][0] = new_slot[games.effects[field][0]]
