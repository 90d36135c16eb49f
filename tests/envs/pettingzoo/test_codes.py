"""Spaces become columns, and columns become actions of these spaces."""

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st

from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.envs.pettingzoo.observations import ObsCode
from terrarium.envs.pettingzoo.spaces import ActionCode, Part
from tests.envs.pettingzoo.zoo import every_kind

TOY = every_kind()
ACTIONS = [TOY.action_space(agent) for agent in TOY.possible_agents]
SEEN = [TOY.observation_space(agent) for agent in TOY.possible_agents]


@st.composite
def action_spaces(draw: st.DrawFn) -> Any:
    kind = draw(st.sampled_from(["discrete", "multi", "bits", "box"]))
    if kind == "discrete":
        return spaces.Discrete(draw(st.integers(1, 9)), start=draw(st.integers(-5, 5)))
    if kind == "multi":
        sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
        return spaces.MultiDiscrete(sizes, start=[draw(st.integers(-3, 3)) for _ in sizes])
    if kind == "bits":
        return spaces.MultiBinary(draw(st.sampled_from([1, 4, (2, 3)])))
    low = draw(st.floats(-1e3, 1e3))
    high = low + draw(st.floats(0.0, 1e3))
    shape = draw(st.sampled_from([(1,), (3,), (2, 2)]))
    return spaces.Box(low, high, shape, draw(st.sampled_from([np.float32, np.float64])))


@given(space=action_spaces(), seed=st.integers(0, 1000))
def test_actions_come_back_from_their_columns(space: Any, seed: int) -> None:
    space.seed(seed)
    action = space.sample()
    code = ActionCode("zoo", "agent", space)
    vector = code.to_vector(action)
    assert vector.shape == (1 + code.width,)
    back = code.from_vector(vector)
    assert space.contains(back)
    assert np.asarray(back).dtype == space.dtype
    # Numbers in between go through a division by the width of the space.
    assert np.allclose(back, action, rtol=1e-5, atol=1e-4)
    assert isinstance(space, spaces.Box) or np.array_equal(back, action)


@given(space=action_spaces(), seed=st.integers(0, 1000))
def test_all_columns_lead_into_the_space(space: Any, seed: int) -> None:
    code = ActionCode("zoo", "agent", space)
    rng = np.random.default_rng(seed)
    vector = np.zeros(1 + code.width)
    for part, (first, last) in zip(code.parts, code.spans, strict=True):
        columns = vector[1 + first : 1 + last]
        if part.kind == "choice":
            columns[rng.integers(part.n)] = 1.0
        elif part.kind == "flag":
            columns[:] = rng.integers(0, 2, part.n)
        else:
            columns[:] = rng.choice([-1.0, 1.0, rng.uniform(-1.0, 1.0)], part.n)
    assert space.contains(code.from_vector(vector))
    assert space.contains(code.from_vector(np.eye(1 + code.width)[0]))  # nothing chosen
    if part.kind != "real":
        assert np.array_equal(code.to_vector(code.from_vector(vector)), vector)


def test_an_index_counts_from_the_start_of_the_space() -> None:
    code = ActionCode("zoo", "agent", spaces.Discrete(4, start=-2))
    assert [int(code.from_index(k)) for k in range(1, 5)] == [-2, -1, 0, 1]
    single = ActionCode("zoo", "agent", spaces.MultiDiscrete([3]))
    assert single.from_index(3).tolist() == [2]


def test_parts_follow_the_space() -> None:
    parts = [ActionCode("zoo", "agent", space).parts for space in ACTIONS]
    assert parts[0] == (Part("choice", 4),)
    assert parts[1] == (Part("choice", 3), Part("choice", 2), Part("choice", 4))
    assert [part.n for part in parts[2]] == [2, 3, 3, 2]
    assert parts[4] == (Part("flag", 4),)
    assert parts[5] == (Part("real", 2),)


def test_numbers_are_scaled_to_odd_bounds() -> None:
    code = ActionCode("zoo", "agent", ACTIONS[5])
    assert code.from_vector(np.array([0.0, -1.0, 1.0])).tolist() == [-3.0, 0.75]
    assert code.from_vector(np.array([0.0, 0.0, 0.0])).tolist() == [2.0, 0.625]
    pixels = ActionCode("zoo", "agent", ACTIONS[6])
    assert pixels.from_vector(np.array([0, -1, 1, 0, 1])).tolist() == [[0, 255], [128, 255]]


@pytest.mark.parametrize("space", SEEN, ids=str)
def test_observations_are_flat_and_bounded_ones_lie_between_minus_one_and_one(space: Any) -> None:
    code = ObsCode("zoo", "agent", space)
    assert code.size == spaces.flatdim(space)
    row = np.zeros(code.size, np.float32)
    space.seed(1)
    for _ in range(20):
        seen = space.sample()
        code.write(row, seen)
        flat = spaces.flatten(space, seen)
        if isinstance(space, spaces.MultiBinary | spaces.Discrete | spaces.MultiDiscrete):
            assert np.array_equal(row, flat)
        if isinstance(space, spaces.Box) and np.isfinite(space.high).all():
            assert np.abs(row).max() <= 1.0
            assert np.allclose(row * 4.0 - 1.0, flat, atol=1e-5)


def test_only_bounded_columns_are_scaled() -> None:
    code = ObsCode("zoo", "agent", SEEN[7])  # from -1 to 3, and unbounded
    row = np.zeros(2, np.float32)
    code.write(row, np.array([3.0, 123.0]))
    assert row.tolist() == [1.0, 123.0]
    pixels = ObsCode("zoo", "agent", SEEN[5])  # a tuple of bytes and bits
    row = np.zeros(4, np.float32)
    pixels.write(row, (np.array([0, 255], np.uint8), np.array([1, 0], np.int8)))
    assert row.tolist() == [-1.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    ("space", "seen", "match"),
    [
        (spaces.Box(0.0, 1.0, (2,)), np.zeros(3), r"has shape \(3,\) instead of \(2,\)"),
        (spaces.Box(0.0, 1.0, (2,)), [[1.0], [1.0, 2.0]], "instead of an array"),
        (spaces.Box(0.0, 1.0, (2,)), None, "is None instead of numbers"),
        (spaces.Discrete(3), 3, "is 3, which is outside"),
        (spaces.Discrete(3), -1, "is -1, which is outside"),
        (spaces.MultiDiscrete([2, 2]), np.array([0, 2]), "which is outside"),
        (spaces.MultiBinary(2), np.array([0.5, 1.0]), "instead of whole numbers"),
        (spaces.Dict({"a": spaces.Discrete(2)}), {"b": 0}, "instead of a dict of a"),
        (spaces.Tuple((spaces.Discrete(2),)), (0, 1), "instead of a tuple of 1"),
        (spaces.Tuple((spaces.Discrete(2),)), (2,), "is 2, which is outside"),
    ],
)
def test_an_observation_outside_of_its_space_is_refused(space: Any, seen: Any, match: str) -> None:
    code = ObsCode("zoo", "agent", space)
    with pytest.raises(PettingZooError, match=match) as error:
        code.write(np.zeros(code.size, np.float32), seen)
    assert str(error.value).startswith("zoo, agent: an observation ")
