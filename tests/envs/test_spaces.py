"""Spaces tell the truth: whatever a battle shows lies in them, and they are not too wide."""

from typing import Any

import numpy as np
import pytest
from gymnasium.spaces import Box
from numpy.typing import NDArray

import terrarium
from terrarium.data.battles.scenarios import scenario_names
from terrarium.envs.spaces import observation_box, state_box
from tests.covering import few_quick, in_turn

EVERYTHING: dict[str, Any] = {
    "obs_last_action": True,
    "obs_pathing_grid": True,
    "obs_terrain_height": True,
    "obs_timestep_number": True,
    "state_timestep_number": True,
    "obs_own_pos": True,
    "conic_fov": True,
}
OPTIONS: list[dict[str, Any]] = [
    {},
    EVERYTHING,
    {"fully_observable": True, "use_unit_ranges": True},
    {"obs_instead_of_state": True, "obs_all_health": False, "obs_own_health": False},
]


def assert_within(space: Box, values: NDArray[np.float32], names: tuple[str, ...]) -> None:
    outside = ((values < space.low) | (values > space.high)).any(0)
    assert not outside.any(), [names[i] for i in np.flatnonzero(outside)]


@pytest.mark.parametrize(
    ("name", "contract"), few_quick(in_turn(scenario_names(), ("fixed", "exact")), 5)
)
def test_what_battles_show_lies_in_the_spaces(name: str, contract: str) -> None:
    # Each scenario with a few of the options: the next one gets the next choice.
    index = scenario_names().index(name)
    for options in ({}, OPTIONS[1 + index // 2 % 3]):
        vec = terrarium.make_vec(
            name, n_envs=4, seed=1, views=("obs", "state"), contract=contract, **options
        )
        vec.reset()
        obs_space, state_space = observation_box(vec), state_box(vec)
        assert obs_space.shape == vec.obs.shape[2:]
        assert state_space.shape == vec.state.shape[1:]
        for _ in range(60):
            assert_within(obs_space, vec.obs.reshape(-1, vec.obs.shape[2]), vec.info.obs_features)
            assert_within(state_space, vec.state, vec.info.state_features)
            vec.step(vec.sample_actions())


def test_bounds_are_what_the_columns_mean() -> None:
    vec = terrarium.make_vec("smac/3m", views=("obs", "state"), obs_own_pos=True)
    obs = dict(zip(vec.info.obs_features, observation_box(vec).low, strict=True))
    assert (obs["enemy_relative_x_0"], obs["own_pos_x"], obs["ally_distance_1"]) == (-1.0, 0.0, 0.0)
    state = state_box(vec)
    low = dict(zip(vec.info.state_features, state.low, strict=True))
    assert low["ally_relative_x_0"] == low["enemy_relative_y_2"] == -0.5
    assert low["ally_health_2"] == 0.0
    assert state.high.max() == 1.0


def test_smacs_own_divisors_let_cooldowns_exceed_one() -> None:
    # A Hydralisk waits up to 13.3 + 2 ticks, and SMAC divides by 10.
    exact = terrarium.make_vec("smac/6h_vs_8z", views=("state",), contract="exact")
    fixed = terrarium.make_vec("smac/6h_vs_8z", views=("state",))
    at = exact.info.state_features.index("ally_cooldown_0")
    assert state_box(exact).high[at] == pytest.approx(1.53, abs=0.01)
    assert state_box(fixed).high[at] == 1.0
