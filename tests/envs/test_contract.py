"""Facts of SMAC's contract, its quirks in `exact`, and their repairs in `fixed`."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine import codes
from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.vector import EnvError, VecEnv
from tests.envs.naive import V2_RANGES
from tests.envs.stage import column, kill, order_of, put, stage

CONTRACTS = pytest.mark.parametrize("contract", ["exact", "fixed"])
FAR = 1e-5
"""more than single precision, in which SMAC reads places, takes from them"""
CUT = {"exact": 1.1 / 4096, "fixed": 1e-12}
"""how far from its place an order to a point may be: the game cuts points to its own numbers"""


@CONTRACTS
def test_a_unit_at_exactly_six_is_shootable_and_at_nine_unseen(contract: str) -> None:
    env = stage("smac/3m", contract=contract)
    put(env, {0: (10.0, 16.0), 3: (16.0, 16.0), 4: (19.0, 16.0), 5: (10.0, 24.9)})
    assert env.avail[0, 0, 6]
    assert env.obs[0, 0, column(env, "enemy_shootable_0")] == 1.0
    assert env.obs[0, 0, column(env, "enemy_health_1")] == 0.0
    assert env.obs[0, 0, column(env, "enemy_health_2")] == 1.0
    put(env, {3: (16.0 + FAR, 16.0), 4: (19.0 - FAR, 16.0)})
    assert not env.avail[0, 0, 6]
    assert env.obs[0, 0, column(env, "enemy_health_1")] == 1.0


@CONTRACTS
def test_the_dead_observe_nothing_and_may_only_do_nothing(contract: str) -> None:
    env = stage("smac/2s3z", contract=contract, obs_timestep_number=True)
    env.step(np.ones((1, 5), int))
    kill(env, 1)
    assert env.avail[0, 1].tolist() == [True] + [False] * 10
    assert not env.obs[0, 1, :-1].any()
    assert env.obs[0, 1, -1] == np.float32(1 / 120)
    assert not env.token_mask[0, 1].any()
    assert not env.token_mask[0, :, 1].any()


@CONTRACTS
@pytest.mark.parametrize(
    "name", ["smac/3m", "smac/MMM", "smac/2s3z", "smac/2c_vs_64zg", "smacv2/terran_5_vs_5"]
)
def test_what_the_mask_allows_is_done_and_what_it_forbids_is_refused(
    name: str, contract: str
) -> None:
    env = stage(name, seed=3, contract=contract)
    rng = np.random.default_rng(0)
    for _ in range(25):
        actions = env.sample_actions().copy()
        a = int(rng.integers(env.n_agents))
        forbidden = np.flatnonzero(~env.avail[0, a])
        before = env.sim.digest()
        wrong = actions.copy()
        for action in (int(rng.choice(forbidden)), -1, env.info.n_actions):
            wrong[0, a] = action
            with pytest.raises(EnvError, match=f"agent {a}: action {action}.*not available"):
                env.step(wrong)
        assert env.sim.digest() == before
        slots, x, y = env.member_slots[0], env.sim.units["x"][0], env.sim.units["y"][0]
        starts = {a: (float(x[slots[a]]), float(y[slots[a]])) for a in range(env.n_agents)}
        heals = [
            env.kinds["heals"][env.sim.units["kind"][0, slots[a]]] for a in range(env.n_agents)
        ]
        told = [env.sim.games.orders[0, slots[a], 0].copy() for a in range(env.n_agents)]
        env.step(actions)
        for a, action in enumerate(actions[0]):
            order = order_of(env, int(slots[a]))
            if order["kind"] == codes.NO_ORDER and action > 1 and contract == "exact":
                order = told[a]  # an order that the unit carries out already is not given again
            if action == 0:
                assert order["kind"] == codes.NO_ORDER
            elif action == 1:
                assert order["kind"] == codes.STOP
            elif action < 6:
                dx, dy = {2: (0, 2), 3: (0, -2), 4: (2, 0), 5: (-2, 0)}[int(action)]
                place = (starts[a][0] + dx, starts[a][1] + dy)
                assert order["kind"] == codes.MOVE
                assert (order["x"], order["y"]) == pytest.approx(place, abs=CUT[contract])
            else:
                target = action - 6 if heals[a] else env.n_agents + action - 6
                assert order["kind"] == (codes.HEAL if heals[a] else codes.ATTACK)
                assert order["target"] == slots[target]
        if (env.terminated | env.truncated).any():
            env.reset()


@CONTRACTS
@pytest.mark.parametrize(("action", "dx", "dy"), [(2, 0, 1), (3, 0, -1), (4, 1, 0), (5, -1, 0)])
def test_a_move_goes_its_way(action: int, dx: int, dy: int, contract: str) -> None:
    env = stage("smac/3m", contract=contract)
    put(env, {0: (12.0, 16.0)})
    env.step([[action, 1, 1]])
    unit = env.sim.units[0, env.member_slots[0, 0]]
    # 2.25 a game-second, half a second a step: less than 1.125, as it has to turn first.
    assert 0.8 < (unit["x"] - 12.0) * dx + (unit["y"] - 16.0) * dy <= 1.126


@CONTRACTS
def test_moves_into_walls_are_not_offered(contract: str) -> None:
    """The band is walkable for 2 <= x < 30 and 7 <= y < 25; the look-ahead is 1."""
    env = stage("smac/3m", contract=contract)
    put(env, {0: (2.9, 24.5), 1: (29.1, 7.2), 2: (15.0, 16.0)})
    north, south, east, west = 2, 3, 4, 5
    assert [bool(env.avail[0, 0, i]) for i in (north, south, east, west)] == [0, 1, 1, 0]
    assert [bool(env.avail[0, 1, i]) for i in (north, south, east, west)] == [1, 0, 0, 1]
    assert env.avail[0, 2, 1:6].all()


@CONTRACTS
def test_moves_into_structures_are_offered_and_taken(contract: str) -> None:
    """SMAC reads the grid of the terrain once. The Spine Crawler covers 13 to 15 and 19 to 21."""
    env = stage("smac/2s_vs_1sc", contract=contract, obs_pathing_grid=True)
    put(env, {0: (12.4, 20.0), 1: (15.6, 20.0)})
    east, west = 4, 5
    assert env.avail[0, 0, east]
    assert env.obs[0, 0, column(env, "move_action_east")] == 1.0
    assert env.avail[0, 1, west]
    env.step([[east, west]])
    for a, x in ((0, 14.4), (1, 13.6)):
        order = order_of(env, int(env.member_slots[0, a]))
        assert order["result"] == codes.SUCCESS
        assert (order["kind"], order["x"]) == (codes.MOVE, pytest.approx(x, abs=CUT[contract]))


# -- rewards -----------------------------------------------------------------------------------


def returns(name: str, n: int, **options: Any) -> list[tuple[float, dict[str, Any]]]:
    """Returns and last infos of battles that SMAC's script plays."""
    env = terrarium.make(name, seed=5, heuristic_ai=True, **options)
    found = []
    for _ in range(n):
        env.reset()
        total, over, info = 0.0, False, dict[str, Any]()
        while not over:
            reward, over, info = env.step([0] * env.n_agents)
            total += reward
        found.append((total, info))
    return found


@pytest.mark.parametrize("name", ["smac/2s3z", "smac/3m", "smac/bane_vs_bane", "smac/3s5z"])
def test_a_won_battle_is_worth_twenty(name: str) -> None:
    won = [total for total, info in returns(name, 40) if info["battle_won"]]
    assert won
    assert won == pytest.approx([20.0] * len(won), abs=1e-9)


def test_a_medivac_that_is_left_keeps_its_worth() -> None:
    """The documented exception: a battle won against fighters, while a healer lives."""
    env = stage("smac/MMM")
    names = [env.sim.names[int(kind)] for kind in env.sim.units["kind"][0, env.member_slots[0]]]
    (medivac,) = (m for m in range(10, 20) if names[m] == "medivac")
    kill(env, *(m for m in range(10, 20) if m != medivac))
    env.step(np.ones((1, 10), int))
    assert env.outcome.won[0]
    # 10 for its death and 150 for its life, of 1,015 for all of the enemy and the victory.
    assert env.reward[0] == pytest.approx(20.0 * (1.0 - (10 + 150) / 1015))


@CONTRACTS
def test_regenerated_shields_are_paid_once_or_in_both_directions(contract: str) -> None:
    env = stage("smac/2s3z", contract=contract)
    put(env, {a: (4.0 + a, 23.0) for a in range(5)} | {5 + k: (28.0, 9.0 + k) for k in range(5)})
    enemy = env.sim.units[0, env.member_slots[0, 5]]
    course = []
    for shield in (10.0, 30.0, 10.0):
        enemy["shield"], enemy["hurt_tick"] = shield, 10_000  # just hurt: nothing regenerates
        for m in range(10):
            unit = env.sim.units[0, env.member_slots[0, m]]
            unit["x"], unit["y"] = (4.0, 20.0) if m < 5 else (28.0, 12.0)
        env.step(np.ones((1, 5), int))
        course.append(float(env.reward[0]) * 1020 / 20)
    first = enemy_shields(env) - 10.0
    expected = [first, 20.0, 20.0] if contract == "exact" else [first, 0.0, 0.0]
    assert course == pytest.approx(expected, abs=1e-9)


def enemy_shields(env: VecEnv) -> float:
    kind = int(env.sim.units["kind"][0, env.member_slots[0, 5]])
    return float(env.sim.rules.types["shields"][kind])


def test_smac_counts_enemies_again_at_each_reset_before_its_first_end() -> None:
    env = StarCraft2Env("3m", seed=1)
    env.reset()
    assert env.max_reward == 365
    env.reset()
    assert env.max_reward == 365 + 135
    fixed = terrarium.make("smac/3m", seed=1)
    fixed.reset()
    fixed.reset()
    assert fixed.max_reward == 365


def test_smacv2_scales_by_its_first_battle_and_fixed_by_each() -> None:
    for contract, n_values in (("exact", 1), ("fixed", 4)):
        env = terrarium.make_vec("smacv2/terran_5_vs_5", 1, seed=3, contract=contract)
        env.reset()
        seen = set()
        for _ in range(400):
            seen.add(float(env.max_reward[0]))
            env.step(env.sample_actions())
        assert len(seen) >= n_values
        assert (len(seen) == 1) == (contract == "exact")


def test_a_time_limit_is_an_end_for_smac_and_a_cut_when_fixed() -> None:
    def at_the_limit(**options: Any) -> tuple[VecEnv, dict[str, Any]]:
        # Nobody attacks a Spine Crawler from afar, and it cannot come.
        env = terrarium.make("smac/2s_vs_1sc", seed=1, **options)
        env.reset()
        info = dict[str, Any]()
        for step in range(300):
            _, over, info = env.step([1, 1])
            assert over == (step == 299)
        assert env.get_stats()["timeouts"] == env.get_stats()["battles_draw"] == 1
        return env.vec, info

    vec, info = at_the_limit(contract="exact")
    assert (vec.terminated[0], vec.truncated[0]) == (True, False)
    assert "episode_limit" not in info
    vec, info = at_the_limit(contract="exact", continuing_episode=True)
    assert (vec.terminated[0], vec.truncated[0], info["episode_limit"]) == (True, True, True)
    vec, info = at_the_limit()
    assert (vec.terminated[0], vec.truncated[0], info["episode_limit"]) == (False, True, True)


@pytest.mark.parametrize(
    ("contract", "dead", "ends", "won"),
    [
        ("exact", range(9), True, False),  # a Medivac alone has lost
        ("fixed", range(9), True, False),
        ("exact", range(10, 19), True, True),  # and so has the enemy's
        ("fixed", range(10, 19), True, True),
        ("exact", [*range(9), *range(10, 19)], True, False),  # both alone: SMAC's defeat
        ("fixed", [*range(9), *range(10, 19)], True, False),  # a draw
        ("exact", range(8), False, False),
        ("fixed", range(10, 18), False, False),
    ],
)
def test_medivacs_alone(contract: str, dead: Any, ends: bool, won: bool) -> None:
    env = stage("smac/MMM", contract=contract)
    if contract == "exact":  # enemies are not sorted: by name
        names = [env.sim.names[k] for k in env.sim.units["kind"][0, env.member_slots[0, 10:]]]
        order = sorted(range(10), key=lambda k: names[k] == "medivac")
        dead = [m if m < 10 else 10 + order[m - 10] for m in dead]
    put(env, {m: (4.0 + m % 5, 23.0 if m < 10 else 9.0) for m in range(20)})
    kill(env, *dead)
    env.step([[0 if a in dead else 1 for a in range(10)]])
    assert (bool(env.terminated[0]), bool(env.outcome.won[0])) == (ends, won)


# -- quirks and repairs of what is seen --------------------------------------------------------


@CONTRACTS
def test_type_bits_of_enemies_are_reversed_in_smac(contract: str) -> None:
    env = stage("smac/2s3z", contract=contract)
    put(env, {a: (16.0, 14.0 + a) for a in range(5)} | {5 + k: (17.0, 14.0 + k) for k in range(5)})
    for k in range(5):
        kind = env.sim.names[int(env.sim.units["kind"][0, env.member_slots[0, 5 + k]])]
        first = env.obs[0, 0, column(env, f"enemy_unit_type_{k}_bit_0")] == 1.0
        assert first == (kind == ("zealot" if contract == "exact" else "stalker"))
    assert [env.obs[0, a, column(env, "own_unit_type_bit_0")] for a in range(5)] == [1, 1, 0, 0, 0]


def test_enemies_are_sorted_when_fixed_and_as_they_come_in_smac() -> None:
    exact = stage("smacv2/terran_10_vs_10", contract="exact")
    fixed = stage("smacv2/terran_10_vs_10")
    assert exact.member_slots[0, 10:].tolist() == list(range(10, 20))
    units = fixed.sim.units[0]
    keys = [
        (fixed.sim.names[int(units["kind"][s])], float(units["x"][s]), float(units["y"][s]))
        for s in fixed.member_slots[0]
    ]
    assert keys[:10] == sorted(keys[:10])
    assert keys[10:] == sorted(keys[10:])
    assert exact.member_slots[0, :10].tolist() == fixed.member_slots[0, :10].tolist()


@CONTRACTS
def test_cooldowns_in_the_state(contract: str) -> None:
    env = stage("smac/6h_vs_8z", contract=contract)
    env.sim.units["cooldown"][0, env.member_slots[0, 0]] = 14.0
    env.refresh()
    at = env.info.state_features.index("ally_cooldown_0")
    # A Hydralisk's cooldown is 13.2 and up to 2 ticks; SMAC divides by 10 and does not clip.
    assert env.state[0, at] == pytest.approx(1.4 if contract == "exact" else 14 / 15.2, rel=1e-6)


@CONTRACTS
def test_a_medivacs_bits_tell_of_allies_in_smac(contract: str) -> None:
    env = stage("smac/MMM", contract=contract)
    put(env, {m: (14.0 + m % 10 * 0.5, 15.0 + m // 10) for m in range(20)})
    medivac = 9
    allies = env.avail[0, medivac, 6:].tolist()
    assert allies == [True] * 9 + [False]
    shown = [env.obs[0, medivac, column(env, f"enemy_shootable_{k}")] for k in range(10)]
    assert shown == ([1.0] * 9 + [0.0] if contract == "exact" else [0.0] * 10)


@CONTRACTS
def test_the_time_step_makes_smacs_observation_one_longer_than_it_says(contract: str) -> None:
    env = terrarium.make("smac/3m", contract=contract, obs_timestep_number=True, seed=1)
    env.reset()
    assert env.get_obs_size() == 31
    assert len(env.get_obs()[0]) == (32 if contract == "exact" else 31)
    env.step([1, 1, 1])
    assert env.get_obs()[0][-1] == np.float32(1 / 60)
    all_of_them = terrarium.make(
        "smac/3m", contract=contract, obs_timestep_number=True, obs_instead_of_state=True
    )
    _, state = all_of_them.reset()
    assert all_of_them.get_state_size() == all_of_them.get_env_info()["state_shape"] == 3 * 31
    assert len(state) == (96 if contract == "exact" else 93)
    later = terrarium.make("smacv2/terran_5_vs_5", contract=contract, obs_timestep_number=True)
    later.reset()
    assert later.get_obs_size() == len(later.get_obs()[0]) == 83


def test_the_state_may_be_all_observations() -> None:
    env = terrarium.make("smac/3m", obs_instead_of_state=True, seed=1)
    obs, state = env.reset()
    np.testing.assert_array_equal(state, np.concatenate(obs))
    assert env.get_state_size() == 90
    vec = terrarium.make_vec("smac/3m", 2, obs_instead_of_state=True, views=("state",))
    vec.reset()
    assert vec.state.shape == (2, 90)


@pytest.mark.parametrize(
    ("name", "agents", "enemies"),
    [
        ("2m_vs_1z", [2005] * 2, [73]),
        ("6h_vs_8z", [2005] * 6, [73] * 8),
        ("2s3z", [2005] * 2 + [2006] * 3, [73] * 3 + [74] * 2),
        ("1c3s5z", [2005] + [2006] * 3 + [2007] * 5, [4] + [73] * 5 + [74] * 3),
        ("MMM", [2005] * 2 + [2006] * 7 + [2007], [48] * 7 + [51] * 2 + [54]),
        ("bane_vs_bane", [2005] * 4 + [2006] * 20, [9] * 4 + [105] * 20),
    ],
)
def test_smacs_agents_are_of_the_copies_of_their_map(
    name: str, agents: list[int], enemies: list[int]
) -> None:
    """The lowest id of a map's copies, and the place in the alphabet among its agents' types."""
    env = StarCraft2Env(name, seed=1)
    env.reset()
    types = env.get_unit_types()
    assert types[: env.n_agents] == agents
    assert sorted(types[env.n_agents :]) == enemies
    assert [unit.unit_type for unit in env.agents.values()] == agents
    fixed = terrarium.make(f"smac/{name}", seed=1)
    fixed.reset()
    assert set(fixed.get_unit_types()[: env.n_agents]).isdisjoint(agents)


def test_unit_types_are_those_of_agents_and_then_of_enemies() -> None:
    env = terrarium.make("smac/2m_vs_1z", seed=1)
    env.reset()
    assert env.get_unit_types() == [48, 48, 73]  # two Marines, a Zealot


@CONTRACTS
def test_views_of_the_dead_are_as_they_were_last_observed(contract: str) -> None:
    """SMAC sets the health of a unit that is gone to 0, and keeps the rest."""
    env = StarCraft2Env("2s3z", seed=1, contract=contract, heuristic_ai=True)
    seen, dead = dict[int, Any](), dict[int, Any]()
    env.reset()
    over = False
    while not over:
        for m, unit in enumerate((*env.agents.values(), *env.enemies.values())):
            if unit.health > 0.0:
                seen[m] = unit
            else:
                dead[m] = replace(seen[m], health=0.0)
                assert unit == dead[m]
        _, over, _ = env.step([0] * 5)
    n_dead = sum(unit.health == 0.0 for unit in (*env.agents.values(), *env.enemies.values()))
    assert len(dead) >= 4
    # They do not regenerate, and weapons do not reload.
    assert any(unit.weapon_cooldown > 0.0 for unit in dead.values())
    assert n_dead > len(dead)
    env.reset()
    assert all(unit.health > 0.0 for unit in (*env.agents.values(), *env.enemies.values()))


# -- SMACv2 ------------------------------------------------------------------------------------


@CONTRACTS
def test_ranges_of_unit_types(contract: str) -> None:
    env = stage("smacv2/protoss_5_vs_5", contract=contract)
    for name, ranges in V2_RANGES.items():
        kind = env.kinds[env.sim.rows[name]]
        assert (kind["sight"], kind["shoot"]) == ranges
    plain = stage("smacv2/protoss_5_vs_5", contract=contract, use_unit_ranges=False)
    assert set(plain.kinds["sight"]) == {9.0}
    assert set(plain.kinds["shoot"]) == {6.0}


@CONTRACTS
def test_a_cone_shows_what_lies_ahead(contract: str) -> None:
    env = stage("smac/3m", contract=contract, conic_fov=True)
    assert (env.info.n_actions, env.info.first_target) == (6 + 12 + 3, 18)
    put(env, {0: (16.0, 16.0), 1: (3.0, 8.0), 2: (3.0, 23.0)})
    put(env, {3: (20.0, 16.9), 4: (16.1, 20.0), 5: (12.0, 16.0)})

    def seen() -> list[bool]:
        return [bool(env.obs[0, 0, column(env, f"enemy_health_{k}")]) for k in range(3)]

    def turn(direction: int) -> None:
        places = {m: tuple(env.sim.units[0, env.member_slots[0, m]][["x", "y"]]) for m in range(6)}
        env.step([[6 + direction, 1, 1]])
        put(env, places)  # the enemies have moved meanwhile

    # SMACv2's arctangents also let those who look east or west see what is straight behind them.
    behind = contract == "exact"
    assert seen() == [True, False, behind]
    assert env.avail[0, 0, 18:].tolist() == [True, False, behind]
    turn(6)
    assert seen() == [behind, False, True]
    np.testing.assert_allclose(env.obs[0, 0, column(env, "own_fov_x")], -1.0)
    turn(3)
    assert seen() == [False, True, False]
    turn(9)
    assert seen() == [False, False, False]


def test_smacv2s_cones_leak_near_the_vertical() -> None:
    """Looking up and a little left, an enemy up and a little right is far from the cone's edge."""
    found = {}
    for contract in ("exact", "fixed"):
        env = stage("smac/3m", contract=contract, conic_fov=True)
        put(env, {0: (16.0, 12.0), 1: (3.0, 8.0), 2: (3.0, 23.0)})
        put(env, {3: (17.0, 16.0), 4: (28.0, 9.0), 5: (28.0, 10.0)})
        env._state.headings[0, 0] = 4  # 120 degrees
        env.refresh()
        found[contract] = bool(env.obs[0, 0, column(env, "enemy_health_0")])
    assert found == {"exact": True, "fixed": False}


def test_without_a_mask_every_living_target_can_be_chosen_but_only_near_ones_are_attacked() -> None:
    env = stage("smac/3m", action_mask=False)
    put(env, {0: (10.0, 16.0), 3: (15.0, 16.0), 4: (25.0, 16.0)})
    kill(env, 5)
    assert env.avail[0, 0, 6:].tolist() == [True, True, False]
    env.step([[7, 1, 1]])
    assert order_of(env, env.member_slots[0, 0])["kind"] == codes.NO_ORDER
    put(env, {0: (10.0, 16.0), 3: (15.0, 16.0)})
    env.step([[6, 1, 1]])
    assert order_of(env, env.member_slots[0, 0])["kind"] == codes.ATTACK


def test_a_sighting_belongs_to_the_first_agent_that_has_it() -> None:
    env = stage("smacv2/terran_5_vs_5", seed=2, prob_obs_enemy=0.0, action_mask=False)
    columns = [column(env, f"enemy_health_{k}") for k in range(5)]
    owners: dict[int, int] = {}
    for _ in range(60):
        env.step(env.sample_actions())
        seen = env.obs[0][:, columns] > 0.0  # [A, E]
        assert (seen.sum(0) <= 1).all()
        assert (seen == env.token_mask[0, :, 5:]).all()
        for k in range(5):
            owner = owners.get(k)
            if owner is not None and env.table_mask[0, owner]:
                assert not seen[[a for a in range(5) if a != owner], k].any()
            if seen[:, k].any():
                owners[k] = int(seen[:, k].argmax())
        if env.terminated[0] or env.truncated[0]:
            env.reset()
            owners.clear()
    assert owners


def test_a_sighting_is_shared_with_the_given_probability() -> None:
    shared = []
    for seed in range(120):
        env = stage("smac/8m", seed=seed, prob_obs_enemy=0.3)
        put(env, {m: (14.0 + m % 8 * 0.2, 15.0 + m // 8) for m in range(16)})
        shared.append(env.token_mask[0, :, 8:].sum() - 8)  # one agent owns each
    mean = np.mean(shared) / (8 * 7)
    assert abs(mean - 0.3) < 5 * np.sqrt(0.3 * 0.7 / (120 * 56))


def test_smacv2_hides_lower_enemies_behind_one_that_nobody_has_seen() -> None:
    for contract, seen in (
        ("exact", [False, False, False, True]),
        ("fixed", [True, True, False, True]),
    ):
        env = stage("smacv2/terran_5_vs_5", seed=4, contract=contract)
        put(env, {a: (8.0, 12.0 + a) for a in range(5)})
        put(
            env,
            {5: (12.0, 13.0), 6: (12.0, 14.0), 7: (29.0, 29.0), 8: (12.0, 15.0), 9: (12.0, 16.0)},
        )
        shown = [bool(env.obs[0, 0, column(env, f"enemy_health_{k}")]) for k in range(4)]
        assert shown == seen


def test_everything_can_be_seen_or_nothing() -> None:
    env = stage("smacv2/zerg_5_vs_5", fully_observable=True)
    assert env.token_mask.all()
    env = stage("smacv2/zerg_5_vs_5", obs_starcraft=False, obs_timestep_number=True)
    assert env.obs.shape == (1, 5, 1)
    env.step(env.sample_actions())
    assert (env.obs == np.float32(1 / 200)).all()


def test_healers_need_an_action_for_each_ally() -> None:
    scenario = load_scenario("smacv2/terran_10_vs_10")
    assert scenario.generator is not None
    few = replace(scenario, generator=replace(scenario.generator, n_enemies=6))
    assert stage(few).info.n_actions == 6 + 10
    zerg = load_scenario("smacv2/zerg_10_vs_10")
    assert zerg.generator is not None
    few = replace(zerg, generator=replace(zerg.generator, n_enemies=6))
    assert stage(few).info.n_actions == 6 + 6


# -- the script --------------------------------------------------------------------------------


def test_the_script_keeps_its_target_and_then_takes_the_nearest() -> None:
    env = stage("smac/3m", heuristic_ai=True)
    put(env, {0: (10.0, 16.0), 3: (18.0, 16.0), 4: (17.0, 17.0), 5: (19.0, 12.0)})
    given = np.zeros((1, 3), int)
    env.step(given)
    assert env.actions[0, 0] == 7  # beyond the mask, as in SMAC
    put(env, {0: (10.0, 16.0), 3: (12.0, 16.0)})
    env.step(given)
    assert env.actions[0, 0] == 7
    kill(env, 4)
    env.step(given)
    assert env.actions[0, 0] == 6


def near_ties(n: int) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Pairs of vectors that `sqrt(x * x + y * y)` does not tell apart as `math.hypot` does: the
    second is shorter. They are multiples of a power of two, so that 16 may be added and taken."""
    rng, unit, found = np.random.default_rng(0), 2.0**-48, []
    while len(found) < n:
        far = tuple(float(v) for v in np.round(rng.uniform(2.0, 5.0, 2) / unit) * unit)
        x = float(np.round(rng.uniform(2.0, 5.0) / unit) * unit)
        rest = far[0] ** 2 + far[1] ** 2 - x * x
        if rest < 4.0:
            continue
        near = (x, round(math.sqrt(rest) / unit) * unit)
        plain = [math.sqrt(v[0] * v[0] + v[1] * v[1]) for v in (far, near)]
        if math.hypot(*near) < math.hypot(*far) and plain[1] >= plain[0]:
            found.append((far, near))
    return found


def test_the_script_measures_distances_to_the_last_bit() -> None:
    """In single precision, as the exact contract reads places, there are no such pairs."""
    for far, near in near_ties(8):
        env = stage("smac/3m", contract="fixed", heuristic_ai=True)
        places = {m: (16.0 + x, 16.0 + y) for m, (x, y) in ((3, far), (4, near))}
        put(env, {0: (16.0, 16.0), 5: (29.0, 24.0), **places})
        env.step(np.zeros((1, 3), int))
        assert env.actions[0, 0] == 7


@CONTRACTS
@pytest.mark.parametrize("walks", [False, True])
def test_smacs_script_goes_on_choosing_for_the_dead(walks: bool, contract: str) -> None:
    """By where they were last observed; the game gets no order for them."""
    env = StarCraft2Env("3m", seed=1, contract=contract, heuristic_ai=True, heuristic_rest=walks)
    env.reset()
    put(env.vec, {0: (10.0, 16.0), 3: (18.0, 16.0), 4: (17.0, 17.0), 5: (9.0, 24.0)})
    kill(env.vec, 0, 4)
    unit = env.vec.sim.units[0, env.vec.member_slots[0, 0]]
    unit["x"], unit["y"] = 28.0, 8.0  # it died elsewhere
    given = [0, 0, 0]
    env.step(given)
    expected = (4 if walks else 6) if contract == "exact" else 0
    assert given[0] == expected
    assert 0 not in given[1:]
    assert order_of(env.vec, int(env.vec.member_slots[0, 0]))["kind"] == codes.NO_ORDER
    kill(env.vec, 1, 2, 3, 5)
    env.vec._state.episode["over"] = False
    env.step(given)
    assert given == [0, 0, 0]  # there is nobody left to attack


def test_the_script_walks_along_the_longer_way() -> None:
    for place, action in (
        ((20.0, 17.0), 4),
        ((3.0, 15.0), 5),
        ((12.0, 23.0), 2),
        ((12.0, 9.0), 3),
        ((18.0, 22.0), 2),
    ):
        env = stage("smac/3m", heuristic_ai=True, heuristic_rest=True)
        put(env, {0: (11.5, 16.0) if place != (18.0, 22.0) else (12.0, 16.0)})
        put(env, {3: place, 4: (29.0, 24.0), 5: (29.0, 23.0)})
        env.step(np.zeros((1, 3), int))
        assert env.actions[0, 0] == action


def test_the_scripts_medivac_heals_the_nearest_that_is_hurt() -> None:
    env = stage("smac/MMM", heuristic_ai=True)
    env.sim.units["hp"][0, env.member_slots[0, 4]] = 20.0
    env.step(np.zeros((1, 10), int))
    assert env.actions[0, 9] == 6 + 4
    assert order_of(env, env.member_slots[0, 9])["kind"] == codes.HEAL


def test_smac_overwrites_the_list_of_actions_with_what_the_script_did() -> None:
    env = StarCraft2Env("3m", seed=1, heuristic_ai=True)
    env.reset()
    given = [0, 0, 0]
    env.step(given)
    assert all(action >= 6 for action in given)


@CONTRACTS
def test_before_the_first_battle_there_are_no_units(contract: str) -> None:
    env = StarCraft2Env("3m", contract=contract)
    assert env.agents == env.enemies == {}
    with pytest.raises(EnvError, match=r"call reset\(\) first"):
        env.get_unit_types()
    with pytest.raises(EnvError, match=r"call reset\(\) first"):
        env.get_unit_by_id(0)


@CONTRACTS
@pytest.mark.parametrize("shape", [(3,), (3, 1)], ids=str)
def test_actions_may_be_rows_of_one_number(shape: tuple[int, ...], contract: str) -> None:
    env = StarCraft2Env("3m", seed=1, contract=contract, heuristic_ai=True)
    env.reset()
    env.step(np.ones(shape, np.int32))
    given = np.ones(shape, np.int64)
    env.step(given)
    assert (given >= 6).all()  # SMAC overwrites arrays as it does lists
    assert given.ravel().tolist() == env.vec.actions[0].tolist()


def test_the_cooldown_of_a_weapon_is_never_below_zero() -> None:
    """The engine keeps the rest of a tick there, so that weapons do not lose it between shots."""
    env = StarCraft2Env("3m", seed=1)
    env.reset()
    slots = env.vec.member_slots[0]
    env.vec.sim.units["cooldown"][0, slots[0]] = -0.4
    env.vec.sim.units["cooldown"][0, slots[3]] = 7.5
    assert env.get_unit_by_id(0).weapon_cooldown == 0.0
    assert env.enemies[0].weapon_cooldown == 7.5
