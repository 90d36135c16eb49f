"""Vector environments: the same battles as one by one, whatever the batch and the threads."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium.envs.schema import FEATURES, PAIR_FEATURES
from terrarium.envs.vector import EnvError, VecEnv
from tests.envs.tables import NAMES

VIEWS = ("obs", "state", "avail", "tokens", "pairs", "token_mask", "table", "table_mask")


def play(env: VecEnv, n_steps: int) -> list[dict[str, Any]]:
    """Random play; what each step showed, copied."""
    shown = []
    for _ in range(n_steps):
        actions = env.sample_actions().copy()
        env.step(actions)
        step = {name: getattr(env, name).copy() for name in VIEWS}
        step |= {name: array.copy() for name, array in env.outcome._asdict().items()}
        step |= {f"final_{name}": array.copy() for name, array in env.final._asdict().items()}
        shown.append({"actions": actions, **step})
    return shown


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize(
    "name", ["smac/3m", "smac/MMM", "smac/2s3z", "smacv2/terran_5_vs_5", "smacv2/zerg_10_vs_11"]
)
def test_an_environment_of_a_batch_is_the_single_one(
    name: str, contract: str, threads: int
) -> None:
    """Bit for bit, through the end of a battle and into the next ones."""
    n_envs, n_steps = 5, 90
    vec = terrarium.make_vec(name, n_envs, threads, seed=11, contract=contract)
    vec.reset()
    singles = [terrarium.make(name, contract=contract, seed=11 + e) for e in range(n_envs)]
    for single in singles:
        single.reset()
    n_ends = 0
    for _ in range(n_steps):
        actions = vec.sample_actions().copy()
        vec.step(actions)
        for e, single in enumerate(singles):
            reward, over, info = single.step(actions[e].tolist())
            assert reward == vec.reward[e]
            assert over == (vec.terminated[e] or vec.truncated[e])
            assert info["battle_won"] == vec.outcome.won[e]
            if over:
                n_ends += 1
                np.testing.assert_array_equal(vec.final.obs[e], single.get_obs())
                np.testing.assert_array_equal(vec.final.state[e], single.get_state())
                np.testing.assert_array_equal(vec.final.tokens[e], single.vec.tokens[0])
                np.testing.assert_array_equal(vec.final.table[e], single.vec.table[0])
                assert vec.outcome.episode_steps[e] == single.vec.episode_steps[0]
                single.reset()
            np.testing.assert_array_equal(vec.obs[e], single.get_obs())
            np.testing.assert_array_equal(vec.state[e], single.get_state())
            np.testing.assert_array_equal(vec.avail[e], single.get_avail_actions())
            for view in ("tokens", "pairs", "token_mask", "table", "table_mask"):
                np.testing.assert_array_equal(getattr(vec, view)[e], getattr(single.vec, view)[0])
    assert n_ends >= 1


@pytest.mark.parametrize("name", ["smac/3m", "smacv2/protoss_5_vs_5"])
def test_batch_size_and_threads_change_nothing(name: str) -> None:
    def course(n_envs: int, threads: int) -> list[dict[str, Any]]:
        env = terrarium.make_vec(name, n_envs, threads, seed=3, contract="exact")
        env.reset()
        return play(env, 60)

    small, large = course(3, 1), course(8, 2)
    for one, other in zip(small, large, strict=True):
        over = one["terminated"] | one["truncated"]
        for key in one:
            rows = over if key.startswith("final_") else slice(None)
            np.testing.assert_array_equal(one[key][rows], other[key][:3][rows], err_msg=key)


@pytest.mark.parametrize("name", NAMES)
def test_every_battle_plays(name: str) -> None:
    """Random play on all 38: numbers are finite, shares are shares, the dead are silent."""
    env = terrarium.make_vec(name, 4, seed=2)
    env.reset()
    for _ in range(40):
        env.step(env.sample_actions())
        assert np.isfinite(env.obs).all()
        assert np.abs(env.obs).max() <= 1.0
        assert np.isfinite(env.state).all()
        assert np.isfinite(env.tokens).all()
        dead = env.avail[..., 0]
        assert not env.obs[dead].any()
        assert not env.tokens[dead].any()
        assert not env.token_mask[dead].any()
        assert (env.avail[dead].sum(-1) == 1).all()
        assert (env.avail.sum(-1) >= 1).all()
        assert not env.tokens[~env.token_mask].any()
        assert not env.table[~env.table_mask].any()


def test_an_agent_alone_sees_what_the_tokens_say() -> None:
    """Tokens and SMAC's vector tell the same."""
    env = terrarium.make_vec("smac/3m", 16, seed=4)
    env.reset()
    names = list(FEATURES)
    for _ in range(30):
        env.step(env.sample_actions())
        enemies = env.obs[:, :, 4:19].reshape(16, 3, 3, 5)  # shootable, distance, dx, dy, health
        tokens = env.tokens[:, :, 3:]
        columns = [names.index(n) for n in ("targetable", "distance", "dx", "dy", "health")]
        np.testing.assert_array_equal(tokens[..., columns], enemies)
        for a in range(3):
            assert (env.tokens[:, a, a, names.index("self")] == env.token_mask[:, a, a]).all()


@pytest.mark.parametrize("name", ["smac/MMM", "smacv2/protoss_5_vs_5"])
def test_pairs_and_the_table_hold_what_the_tokens_hold(name: str) -> None:
    env = terrarium.make_vec(name, 8, seed=6)
    env.reset()
    names, n_agents = list(FEATURES), env.n_agents
    ours_only = names[names.index("north_free") : names.index("max_health")]
    shared = [n for n in names if n not in (*PAIR_FEATURES, *ours_only, "self", "ally")]
    for _ in range(30):
        env.step(env.sample_actions())
        columns = [names.index(n) for n in PAIR_FEATURES]
        np.testing.assert_array_equal(env.pairs, env.tokens[..., columns])
        columns = [names.index(n) for n in shared]
        table = np.where(env.token_mask[..., None], env.table[:, None], 0.0)
        np.testing.assert_array_equal(table[..., columns], env.tokens[..., columns])
        columns = [names.index(n) for n in ours_only if n != "aimed_at"]
        for a in range(n_agents):
            own = env.tokens[:, a, a][..., columns]
            np.testing.assert_array_equal(env.table[:, a][..., columns], own)


def test_the_table_sums_up_the_agents() -> None:
    env = terrarium.make_vec("smac/MMM", 8, seed=4)
    env.reset()
    names = list(FEATURES)
    aimed, targetable = names.index("aimed_at"), names.index("targetable")
    seen = 0.0
    for _ in range(60):
        env.step(env.sample_actions())
        alive = np.maximum(env.table_mask[:, :10].sum(1), 1)
        for column in (aimed, targetable):
            # Targets beyond an agent's sight are in the table only; in MMM all are nearer than 9.
            share = env.tokens[..., column].sum(1) / alive[:, None]
            np.testing.assert_allclose(env.table[..., column], share, atol=1e-6)
            seen += float(share.sum())
    assert seen > 0.0


def test_samples_are_uniform_over_what_is_available() -> None:
    env = terrarium.make_vec("smac/3m", 64, seed=9)
    env.reset()
    for _ in range(12):
        env.step(env.sample_actions())
    counts = np.zeros(env.avail.shape)
    n_draws = 4000
    for _ in range(n_draws):
        actions = env.sample_actions()
        np.put_along_axis(
            counts, actions[..., None], np.take_along_axis(counts, actions[..., None], -1) + 1, -1
        )
    assert not counts[~env.avail].any()
    expected = n_draws / env.avail.sum(-1, keepdims=True)
    chi_square = np.where(env.avail, (counts - expected) ** 2 / expected, 0.0).sum()
    freedom = (env.avail.sum(-1) - 1).sum()
    # Mean and standard deviation of chi-square: freedom and sqrt(2 freedom); five of the latter.
    assert abs(chi_square - freedom) < 5 * np.sqrt(2 * freedom)


@pytest.mark.parametrize("name", ["smac/3m", "smacv2/terran_5_vs_5"])
def test_random_play_in_one_call_is_random_play_step_by_step(name: str) -> None:
    one, other = (terrarium.make_vec(name, 5, threads, seed=8) for threads in (1, 2))
    one.reset()
    other.reset()
    n_ended = 0
    for _ in range(90):
        one.step(one.sample_actions())
        n_ended += int((one.terminated | one.truncated).sum())
    assert other.play_randomly(90) == n_ended > 0
    for view in VIEWS:
        np.testing.assert_array_equal(getattr(one, view), getattr(other, view))
    assert one.sim.digest() == other.sim.digest()


def test_a_save_continues_to_the_bit() -> None:
    env = terrarium.make_vec("smacv2/terran_5_vs_5", 6, 2, seed=21, contract="exact")
    env.reset()
    play(env, 25)
    saved = env.save()
    expected = play(env, 60)
    other = terrarium.make_vec("smacv2/terran_5_vs_5", 6, 1, seed=77, contract="exact")
    other.load(saved)
    for one, two in zip(expected, play(other, 60), strict=True):
        for key in one:
            np.testing.assert_array_equal(one[key], two[key], err_msg=key)


def test_a_save_of_something_else_is_refused() -> None:
    env = terrarium.make_vec("smac/3m", 2)
    env.reset()
    saved = env.save()
    for other in (
        terrarium.make_vec("smac/3m", 3),
        terrarium.make_vec("smac/8m", 2),
        terrarium.make_vec("smac/3m", 2, contract="exact"),
        terrarium.make_vec("smac/3m", 2, views=("obs",)),
    ):
        with pytest.raises(EnvError, match="another scenario"):
            other.load(saved)


def test_part_of_a_batch_can_begin_anew() -> None:
    env = terrarium.make_vec("smac/3m", 4, seed=1)
    env.reset()
    play(env, 5)
    before = env.obs.copy()
    env.reset(seed=1, where=[False, True, False, True])
    np.testing.assert_array_equal(env.obs[[0, 2]], before[[0, 2]])
    assert env.episode_steps.tolist() == [5, 0, 5, 0]
    fresh = terrarium.make_vec("smac/3m", 4, seed=1)
    fresh.reset()
    np.testing.assert_array_equal(env.obs[[1, 3]], fresh.obs[[1, 3]])


def test_battles_of_a_series_differ_and_a_seed_repeats_it() -> None:
    def series(seed: int) -> list[bytes]:
        env = terrarium.make_vec("smacv2/terran_5_vs_5", 1, seed=seed)
        shown = []
        for _ in range(4):
            env.reset()
            shown.append(env.state.tobytes())
        return shown

    assert len(set(series(5))) == 4
    assert series(5) == series(5)
    assert not set(series(5)) & set(series(6))


def test_views_that_nobody_asked_for_cost_no_memory() -> None:
    env = terrarium.make_vec("smac/27m_vs_30m", 2, views=("table",))
    env.reset()
    assert env.obs.size == env.state.size == env.tokens.size == 0
    assert env.table.any()


@pytest.mark.slow
def test_memory_stays_flat() -> None:
    """10^6 steps are in docs/performance.md; a leak of 20 bytes a call shows here too."""
    env = terrarium.make_vec("smac/3m", 16, 2, seed=1)
    env.reset()
    tracemalloc.start()
    sizes = []
    for _ in range(4):
        for _ in range(800):
            env.step(env.sample_actions())
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    # Python and NumPy keep some small objects for later; that ends, a leak does not.
    assert sizes[3] - sizes[2] < 16_000
