"""What SMACv2 has beyond SMAC: who is sighted, what is counted, and what it is called."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine import codes
from terrarium.envs import schema
from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.smac.smacv2 import CapabilityEnv
from terrarium.envs.vector import EnvError, VecEnv
from tests.envs.stage import column, kill, order_of, put, stage

CONTRACTS = pytest.mark.parametrize("contract", ["exact", "fixed"])
GAME_IDS = {"marine": 48, "marauder": 51}
FAR_AWAY = (29.0, 29.0)


def shown_enemies(env: VecEnv, a: int = 0) -> list[bool]:
    """Which enemies have a row in the observation of an agent."""
    rows = [column(env, f"enemy_health_{k}") for k in range(env.info.n_enemies)]
    return [bool(env.obs[0, a, at]) for at in rows]


def kind_of(env: VecEnv, m: int) -> int:
    """The row of the rules that a member is of."""
    return int(env.sim.units["kind"][0, env.member_slots[0, m]])


def face_to_face(env: VecEnv) -> None:
    """Put both teams of five where everyone sees everyone."""
    put(env, {m: (12.0 + m // 5 * 3.0, 14.0 + m % 5) for m in range(10)})


def look_anew(env: VecEnv) -> None:
    """Let the agents look around as if they had sighted nothing before."""
    env._state.sighters[...], env._state.grants[...] = -1, False
    env.refresh()


def die_at(env: VecEnv, m: int, place: tuple[float, float]) -> None:
    """Let a member walk and die between two observations."""
    unit = env.sim.units[0, env.member_slots[0, m]]
    unit["x"], unit["y"], unit["alive"], unit["hp"] = *place, False, 0.0
    env.refresh()


# -- the dead ------------------------------------------------------------------------------------


@CONTRACTS
def test_the_dead_are_sighted_where_they_were_last_observed(contract: str) -> None:
    env = stage("smacv2/terran_5_vs_5", contract=contract)
    face_to_face(env)
    die_at(env, 9, FAR_AWAY)
    assert shown_enemies(env) == [True] * 4 + [False]
    env.refresh()  # it stays where it is, however often one looks
    assert shown_enemies(env) == [True] * 4 + [False]


@CONTRACTS
def test_the_dead_are_not_sighted_where_they_died(contract: str) -> None:
    env = stage("smacv2/terran_5_vs_5", contract=contract)
    face_to_face(env)
    put(env, {9: FAR_AWAY})
    die_at(env, 9, (15.0, 18.0))
    # In SMACv2, an enemy that nobody sights clears the rows before it.
    assert shown_enemies(env) == [contract == "fixed"] * 4 + [False]


# -- full observability --------------------------------------------------------------------------


@CONTRACTS
def test_full_observability_does_not_show_what_no_agent_sights(contract: str) -> None:
    env = stage("smacv2/terran_5_vs_5", contract=contract, fully_observable=True)
    face_to_face(env)
    put(env, {7: FAR_AWAY})
    look_anew(env)
    # Enemy 2 clears the rows before it.
    assert shown_enemies(env) == [contract == "fixed"] * 3 + [True] * 2


@CONTRACTS
def test_full_observability_shows_far_enemies_that_another_agent_sights(contract: str) -> None:
    env = stage("smacv2/terran_5_vs_5", contract=contract, fully_observable=True)
    face_to_face(env)
    put(env, {0: FAR_AWAY})
    assert shown_enemies(env) == [True] * 5


@CONTRACTS
def test_with_full_observability_sightings_belong_to_who_is_near(contract: str) -> None:
    env = stage(
        "smacv2/terran_5_vs_5", contract=contract, fully_observable=True, prob_obs_enemy=0.0
    )
    face_to_face(env)
    first, last = env._state.turns[0, [0, -1]]  # in which order the agents look
    put(env, {a: FAR_AWAY for a in range(5) if a != last})
    look_anew(env)
    owner = last if contract == "exact" else first
    assert [shown_enemies(env, a) for a in range(5)] == [[a == owner] * 5 for a in range(5)]


# -- asking again --------------------------------------------------------------------------------


def rows_of(env: StarCraft2Env, obs: Any) -> list[bool]:
    """Which enemies have a row in an observation."""
    return [bool(obs[column(env.vec, f"enemy_health_{k}")]) for k in range(env.n_enemies)]


def known_to_all(env: StarCraft2Env) -> list[list[bool]]:
    """Whom agents observe after all have looked: an enemy that none sights clears those before."""
    units = env.vec.sim.units[0, env.vec.member_slots[0]]
    agents, enemies = units[: env.n_agents], units[env.n_agents :]
    away = np.hypot(
        enemies["x"] - agents["x"][:, None], enemies["y"] - agents["y"][:, None]
    )  # [A, E]
    near = away < np.array([[env.unit_sight_range(a)] for a in range(env.n_agents)])
    sighted = (near & agents["alive"][:, None]).any(axis=0)
    first = max((k + 1 for k in range(env.n_enemies) if not sighted[k]), default=0)
    shown = near & agents["alive"][:, None] & enemies["alive"]
    shown[:, :first] = False
    return shown.tolist()  # type: ignore[no-any-return]


@CONTRACTS
def test_agents_know_by_the_second_look_what_others_sighted_in_the_first(contract: str) -> None:
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=1, contract=contract)
    env.reset()
    face_to_face(env.vec)
    last = int(env.vec._state.turns[0, -1])
    put(env.vec, {last: (27.0, 29.0), 9: FAR_AWAY})
    look_anew(env.vec)
    before = [rows_of(env, obs) for obs in env.get_obs()]
    after = [rows_of(env, obs) for obs in env.get_obs()]
    known = [[False] * 4 + [True] if a == last else [True] * 4 + [False] for a in range(5)]
    # The others look before anyone has sighted enemy 4, which clears the rows before it.
    unknown = [known[last] if a == last else [False] * 5 for a in range(5)]
    assert before == (unknown if contract == "exact" else known)
    assert after == known
    assert [rows_of(env, env.get_obs_agent(a)) for a in range(5)] == known
    env.step([1] * 5)
    put(env.vec, {})  # a new look, but what was sighted stays so
    assert [rows_of(env, obs) for obs in env.get_obs()] == known


def test_a_reset_has_looked_once() -> None:
    n_differ = 0
    env = StarCraft2Env("smacv2/protoss_20_vs_23", seed=1, fully_observable=False)
    for _ in range(40):
        obs, _ = env.reset()
        np.testing.assert_array_equal(obs, env.vec.obs[0])
        again = env.get_obs()
        assert [rows_of(env, one) for one in again] == known_to_all(env)
        n_differ += not np.array_equal(obs, again)
    assert n_differ > 0


def test_after_a_step_the_first_question_is_the_first_look() -> None:
    env = StarCraft2Env("smacv2/zerg_10_vs_10", seed=2)
    env.reset()
    for _ in range(12):
        _, over, _ = env.step([int(np.flatnonzero(m)[-1]) for m in env.get_avail_actions()])
        assert not over
        np.testing.assert_array_equal(env.get_obs(), env.vec.obs[0])
        again = env.get_obs()
        if all(unit.health > 0 for unit in env.enemies.values()):
            assert [rows_of(env, one) for one in again] == known_to_all(env)
        np.testing.assert_array_equal(env.get_obs(), again)


def test_each_state_of_observations_is_a_look() -> None:
    env = StarCraft2Env("smacv2/protoss_20_vs_23", seed=1, obs_instead_of_state=True)
    n_differ = 0
    for _ in range(40):
        obs, state = env.reset()
        np.testing.assert_array_equal(state, np.concatenate(env.get_obs()))
        n_differ += not np.array_equal(state, np.concatenate(obs))
    assert n_differ > 0


@CONTRACTS
@pytest.mark.parametrize("order", [[4, 3, 0, 1, 2], [2, 4, 3, 1, 0]], ids=str)
def test_agents_that_are_asked_one_by_one_look_in_that_order(
    order: list[int], contract: str
) -> None:
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=1, contract=contract, prob_obs_enemy=0.0)
    env.reset()
    face_to_face(env.vec)
    look_anew(env.vec)
    shown = {a: rows_of(env, env.get_obs_agent(a)) for a in order}
    owner = order[0] if contract == "exact" else 0
    assert shown == {a: [a == owner] * 5 for a in range(5)}
    assert [rows_of(env, obs) for obs in env.get_obs()] == [shown[a] for a in range(5)]


def test_who_has_not_been_asked_looks_when_all_are_asked() -> None:
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=1)
    env.reset()
    face_to_face(env.vec)
    last = int(env.vec.turns[0, -1])
    put(env.vec, {last: (20.0, 16.0), 9: (6.0, 18.0)})
    look_anew(env.vec)
    # Nobody has sighted enemy 4 so far, which clears the rows before it.
    assert rows_of(env, env.get_obs_agent(last)) == [False] * 5
    shown = [rows_of(env, obs) for obs in env.get_obs()]
    assert shown == [[True] * 4 + [a != last] for a in range(5)]


@CONTRACTS
def test_one_agents_observation_is_full_only_if_the_caller_says_so(contract: str) -> None:
    """SMACv2: get_obs_agent(agent_id, fully_observable=False); get_obs passes the option on."""
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=1, contract=contract, fully_observable=True)
    env.reset()
    face_to_face(env.vec)
    put(env.vec, {0: FAR_AWAY})
    assert rows_of(env, env.get_obs()[0]) == [True] * 5
    assert rows_of(env, env.get_obs_agent(0)) == [contract == "fixed"] * 5
    assert rows_of(env, env.get_obs_agent(0, fully_observable=True)) == [True] * 5
    assert rows_of(env, env.get_obs()[0]) == [True] * 5


@CONTRACTS
def test_a_caller_may_ask_for_one_full_observation(contract: str) -> None:
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=1, contract=contract)
    env.reset()
    face_to_face(env.vec)
    put(env.vec, {0: FAR_AWAY})
    assert rows_of(env, env.get_obs_agent(0)) == [False] * 5
    full = env.get_obs_agent(0, True)
    assert rows_of(env, full) == [True] * 5
    assert full[column(env.vec, "ally_visible_1")] == 1.0


# -- ranges --------------------------------------------------------------------------------------


@CONTRACTS
def test_without_a_mask_observations_still_tell_who_is_in_range(contract: str) -> None:
    env = stage("smac/3m", contract=contract, action_mask=False)
    put(env, {0: (10.0, 16.0), 3: (15.0, 16.0), 4: (17.0, 16.0), 5: (10.0, 21.0)})
    assert env.avail[0, 0, 6:].all()
    shown = [env.obs[0, 0, column(env, f"enemy_shootable_{k}")] for k in range(3)]
    assert shown == [1.0, 0.0, 1.0]
    # The entity view tells the same.
    assert env.tokens[0, 0, 3:, schema.TARGETABLE].tolist() == shown
    at = env.info.pair_features.index("targetable")
    assert env.pairs[0, 0, 3:, at].tolist() == shown
    put(env, {1: (3.0, 8.0), 2: (3.0, 8.0)})
    assert (3.0 * env.table[0, 3:, schema.TARGETABLE]).tolist() == shown


def test_without_a_mask_a_medivac_is_still_told_which_allies_are_in_range() -> None:
    env = stage("smac/MMM", contract="exact", action_mask=False)
    put(env, {m: (14.0 + m % 10 * 0.5, 15.0 + m // 10) for m in range(20)})
    put(env, {2: (3.0, 8.0)})
    medivac = 9
    assert env.avail[0, medivac, 6:15].all()
    shown = [env.obs[0, medivac, column(env, f"enemy_shootable_{k}")] for k in range(10)]
    assert shown == [1.0, 1.0, 0.0] + [1.0] * 6 + [0.0]


def test_the_edge_of_a_cone_is_rounded_as_in_smacv2() -> None:
    """At 225 degrees, 15 from where the agent looks, the last bit of the direction decides."""
    env = stage("smacv2/terran_5_vs_5", contract="exact", conic_fov=True)
    put(env, {0: (16.0, 16.0), 1: (15.0, 15.0)})
    env._state.headings[0, 0] = 7  # 210 degrees
    env.refresh()
    assert env.token_mask[0, 0, 1]


# -- the visibility matrix -----------------------------------------------------------------------


@CONTRACTS
def test_the_visibility_matrix_is_symmetric_for_agents_in_smac(contract: str) -> None:
    """Marauders see 10 far, Marines 9. Of two agents, SMAC asks the one with the lower number."""
    env = stage("smacv2/terran_5_vs_5", seed=4, contract=contract)
    names = [env.sim.names[kind_of(env, m)] for m in range(5)]
    marauder, marine = names.index("marauder"), names.index("marine")
    assert marauder < marine
    put(env, {marauder: (4.0, 16.0), marine: (13.5, 16.0)})
    seen = env.visibility()[0]
    assert seen[marauder, marine]
    assert seen[marine, marauder] == (contract == "exact")


@CONTRACTS
@pytest.mark.parametrize("option", ["conic_fov", "fully_observable"])
def test_the_visibility_matrix_of_smac_is_by_range_alone(option: str, contract: str) -> None:
    env = stage("smacv2/protoss_5_vs_5", contract=contract, **{option: True})
    face_to_face(env)  # all agents look east; they stand one above the other
    put(env, {9: FAR_AWAY})
    kill(env, 8)
    seen = env.visibility()[0]
    others = ~np.eye(5, dtype=bool)
    if contract == "exact":
        assert (seen[:, :5] == others).all()
        assert (seen[:, 5:] == [True, True, True, False, False]).all()
    elif option == "fully_observable":
        assert (seen[:, :5] == others).all()
        assert (seen[:, 5:] == [True, True, True, False, True]).all()
    else:
        assert not seen[:, :5].any()
        assert (seen == env.token_mask[0] & ~np.eye(5, 10, dtype=bool)).all()


# -- actions -------------------------------------------------------------------------------------


@CONTRACTS
@pytest.mark.parametrize(
    ("scenario", "types", "n_actions"),
    [
        ("terran_10_vs_10", ("marine", "marauder"), 6 + 10),
        ("terran_10_vs_10", ("marine", "medivac"), 6 + 10),
        ("zerg_10_vs_10", ("zergling", "hydralisk"), 6 + 6),
    ],
)
def test_terran_teams_have_an_action_for_each_agent_with_medivacs_or_without(
    scenario: str, types: tuple[str, ...], n_actions: int, contract: str
) -> None:
    """Of ten agents against six enemies."""
    whole = load_scenario(f"smacv2/{scenario}")
    assert whole.generator is not None
    team = replace(
        whole.generator, n_enemies=6, weights=dict.fromkeys(types, 0.5), never_only=("medivac",)
    )
    env = stage(replace(whole, generator=team), contract=contract)
    assert env.info.n_actions == env.avail.shape[2] == n_actions
    fighters = [a for a in range(10) if not env.kinds["heals"][kind_of(env, a)]]
    put(env, {m: (14.0 + m % 4 * 0.5, 14.0 + m // 4 * 0.5) for m in range(16)})
    assert env.avail[0, fighters, 6:12].all()
    assert not env.avail[0, fighters, 12:].any()


# -- unit types ----------------------------------------------------------------------------------


@CONTRACTS
def test_agents_are_of_copies_of_the_unit_types_that_enemies_are_of(contract: str) -> None:
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=4, contract=contract)
    env.reset()
    agents = [unit.name for unit in env.agents.values()]
    enemies = [unit.name for unit in env.enemies.values()]
    assert set(agents) == set(enemies) == {"marauder", "marine"}
    copies = {"marauder": 2008, "marine": 2009} if contract == "exact" else GAME_IDS
    expected = [copies[name] for name in agents] + [GAME_IDS[name] for name in enemies]
    assert env.get_unit_types() == expected
    kill(env.vec, 0, 9)
    assert env.get_unit_types() == expected  # the dead stay in the list
    units = [*env.agents.values(), *env.enemies.values()]
    assert [unit.unit_type for unit in units] == expected


@CONTRACTS
def test_capabilities_are_the_unit_types_of_the_agents(contract: str) -> None:
    env = StarCraft2Env("smacv2/zerg_5_vs_5", seed=6, contract=contract)
    assert env.get_cap_size() == env.get_env_info()["cap_shape"] == 3
    with pytest.raises(EnvError, match=r"call reset\(\)"):
        env.get_capabilities()
    env.reset()
    kill(env.vec, 0)  # the dead keep theirs
    names = [unit.name for unit in env.agents.values()]
    bits = [[float(name == bit) for bit in ("zergling", "hydralisk", "baneling")] for name in names]
    assert len(set(names)) > 1
    assert env.get_capabilities().tolist() == np.ravel(bits).tolist()
    assert env.get_capabilities().dtype == np.float32
    assert env.get_capabilities_agent(4).tolist() == bits[4]


def test_smac_knows_no_capabilities() -> None:
    assert "cap_shape" not in StarCraft2Env("smac/3m").get_env_info()


@pytest.mark.parametrize(("name", "n_types"), [("3m", 0), ("2s3z", 2), ("MMM", 3)])
def test_smacv2s_class_knows_the_capabilities_of_smacs_agents(name: str, n_types: int) -> None:
    env, smac = CapabilityEnv(name, seed=1), StarCraft2Env(name, seed=1)
    assert env.get_env_info() == {**smac.get_env_info(), "cap_shape": n_types}
    obs, state = env.reset()
    smac_obs, smac_state = smac.reset()
    np.testing.assert_array_equal(obs, smac_obs)
    np.testing.assert_array_equal(state, smac_state)
    assert env.get_capabilities().shape == (env.n_agents * n_types,)
    names = {unit.name for unit in env.agents.values()}
    assert env.get_capabilities().sum() == (env.n_agents if len(names) > 1 else 0)


# -- names ---------------------------------------------------------------------------------------


def two_against_one(race: str, **options: Any) -> StarCraft2Env:
    whole = load_scenario(f"smacv2/{race}_5_vs_5")
    assert whole.generator is not None
    few = replace(whole.generator, n_allies=2, n_enemies=1)
    return StarCraft2Env(replace(whole, generator=few), **options)


def test_columns_of_observations_have_smacv2s_names() -> None:
    env = two_against_one("protoss")
    moves = [f"move_action_{way}" for way in ("north", "south", "east", "west")]
    place = ["distance", "relative_x", "relative_y", "health", "shield"]
    assert env.get_obs_feature_names() == [
        *moves,
        *(f"enemy_{name}_0" for name in ("shootable", *place)),
        *(f"enemy_unit_type_0_bit_{i}" for i in range(3)),
        *(f"ally_{name}_1" for name in ("visible", *place)),  # as agent 0 counts them
        *(f"ally_unit_type_1_bit_{i}" for i in range(3)),
        *("own_health", "own_shield", "own_pos_x", "own_pos_y"),
        *(f"own_unit_type_bit_{i}" for i in range(3)),
    ]


def test_columns_of_options_have_smacv2s_names() -> None:
    env = two_against_one(
        "zerg",
        conic_fov=True,
        obs_pathing_grid=True,
        obs_terrain_height=True,
        obs_last_action=True,
        obs_timestep_number=True,
        obs_all_health=False,
    )
    names = env.get_obs_feature_names()
    assert names[4:21] == [
        *(f"pathing_grid_{i}" for i in range(8)),
        *(f"terrain_height_{i}" for i in range(9)),
    ]
    assert names[21:25] == [
        *("enemy_shootable_0", "enemy_distance_0", "enemy_relative_x_0", "enemy_relative_y_0")
    ]
    last_actions = [f"ally_last_action_1_action_{i}" for i in range(env.n_actions)]
    at = names.index("ally_last_action_1_action_0")
    assert names[at : at + env.n_actions] == last_actions
    assert names[at + env.n_actions :] == [
        *("own_health", "own_pos_x", "own_pos_y", "own_fov_x", "own_fov_y"),
        *(f"own_unit_type_bit_{i}" for i in range(3)),
        "timestep",
    ]


def test_columns_of_states_have_smacv2s_names() -> None:
    env = two_against_one("protoss", conic_fov=True, state_timestep_number=True)
    ally = ["health", "cooldown", "relative_x", "relative_y", "shield", "fov_x", "fov_y"]
    enemy = ["health", "relative_x", "relative_y", "shield"]
    expected = []
    for a in range(2):
        expected += [f"ally_{name}_{a}" for name in ally]
        expected += [f"ally_unit_type_{a}_bit_{i}" for i in range(3)]
    expected += [f"enemy_{name}_0" for name in enemy]
    expected += [f"enemy_unit_type_0_bit_{i}" for i in range(3)]
    for a in range(2):
        expected += [f"ally_last_action_{a}_action_{i}" for i in range(env.n_actions)]
    assert env.get_state_feature_names() == [*expected, "timestep"]
    # Attributes of units are called otherwise, in SMACv2 as in SMAC.
    assert env.get_env_info()["agent_features"] == [
        *("health", "energy/cooldown", "rel_x", "rel_y", "shield", "fov_x", "fov_y"),
        *("type_0", "type_1", "type_2"),
    ]


# -- the script ----------------------------------------------------------------------------------


@CONTRACTS
@pytest.mark.parametrize("action_mask", [True, False])
def test_the_script_attacks_beyond_its_range(contract: str, action_mask: bool) -> None:
    """Agents' own actions are checked by range without a mask; the script's never are."""
    env = stage(
        "smacv2/terran_5_vs_5", contract=contract, heuristic_ai=True, action_mask=action_mask
    )
    put(env, {m: (4.0 + m // 5 * 24.0, 14.0 + m % 5) for m in range(10)})
    fighters = [a for a in range(5) if env.kinds["heals"][kind_of(env, a)] == 0]
    slots = env.member_slots[0].copy()
    env.step(np.ones((1, 5), np.int64))
    assert fighters
    for a in fighters:
        order = order_of(env, int(slots[a]))
        assert order["kind"] == codes.ATTACK
        assert order["target"] in slots[5:]
