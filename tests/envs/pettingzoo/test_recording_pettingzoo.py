"""Records of episodes hold what was played."""

import sys
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest
from gymnasium.spaces import Box, Discrete
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from terrarium.envs.pettingzoo import recording
from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.recording import record_pettingzoo
from terrarium.envs.pettingzoo.spec import find_spec, spec_names
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.replay.episodes.episode_frames import MAX_PICTURES
from terrarium.replay.episodes.episode_picture import EpisodePainter
from terrarium.replay.episodes.episode_record import EpisodeRecord, from_bytes, to_bytes
from tests.replay.test_episode_pictures import where

MODULE = "environments_for_recording"


class Candles(ParallelEnv):  # type: ignore[misc]
    """Each candle burns one step longer than the one before; a picture is as bright as it is."""

    metadata: ClassVar[dict[str, Any]] = {"name": "candles", "render_modes": ["rgb_array"]}

    def __init__(self, n_steps: int = 4, render_mode: str | None = None) -> None:
        self.possible_agents = ["candle_0", "candle_1"]
        self.render_mode, self._n_steps = render_mode, n_steps

    def observation_space(self, agent: str) -> Box:
        return Box(0.0, 1.0, (1,))

    def action_space(self, agent: str) -> Discrete:
        return Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> tuple[Any, Any]:
        self.agents, self._step = list(self.possible_agents), 0
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        self._step += 1
        played = self.agents
        first_ends = self._n_steps // 2
        ends = {"candle_0": first_ends, "candle_1": self._n_steps}
        over = {agent: self._step >= ends[agent] for agent in played}
        seen, never = self._seen(), dict.fromkeys(played, False)
        rewards = {agent: float(self._step) for agent in played}
        self.agents = [agent for agent in played if not over[agent]]
        return seen, rewards, over, never, {agent: {} for agent in played}

    def render(self) -> NDArray[np.uint8]:
        assert self.render_mode == "rgb_array"
        return np.full((20, 1000, 3), self._step % 256, np.uint8)

    def _seen(self) -> dict[str, NDArray[np.float32]]:
        return {agent: np.zeros(1, np.float32) for agent in self.agents}


class Blind(Candles):
    metadata: ClassVar[dict[str, Any]] = {"name": "blind", "render_modes": ["human"]}


class Gray(Candles):
    def render(self) -> Any:
        return np.zeros((20, 20))


@pytest.fixture(autouse=True)
def candles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module from which environments can be named."""
    module = ModuleType(MODULE)
    for factory in (Candles, Blind, Gray):
        setattr(module, factory.__name__, factory)
    monkeypatch.setitem(sys.modules, MODULE, module)


def recorded(name: str, seed: int = 3, **options: Any) -> EpisodeRecord:
    return record_pettingzoo(
        RandomPettingZooPlayer(seed), find_spec(name, options), seed, "An episode"
    )


@pytest.mark.parametrize("name", spec_names())
def test_every_particle_environment_can_be_recorded(name: str) -> None:
    record = recorded(name)
    assert record.n_steps == find_spec(name, {}).limit_steps == 25
    assert record.particles is not None
    kinds = [thing.kind for thing in record.particles.things]
    assert kinds.count("agent") == len(record.agents)
    assert kinds == sorted(kinds)
    assert record.present.all()
    assert record.fps == 10.0
    assert to_bytes(from_bytes(to_bytes(record))) == to_bytes(record)
    assert to_bytes(recorded(name)) == to_bytes(record)


def test_a_record_holds_what_the_environment_did() -> None:
    """The same episode, played beside it and looked at with mpe2's own names."""
    spec, seed = find_spec("mpe/simple_reference", {}), 5
    record = record_pettingzoo(RandomPettingZooPlayer(1), spec, seed, "An episode")
    assert record.particles is not None
    env, player = (
        PettingZooVecEnv(spec, n_envs=1, seed=seed, autoreset=False),
        RandomPettingZooPlayer(1),
    )
    env.reset()
    scene = env.environments[0].unwrapped.world
    for step in range(record.n_steps):
        for e, body in enumerate([*scene.agents, *scene.landmarks]):
            place = record.particles.positions[step, e]
            assert np.array_equal(place, body.state.p_pos.astype(np.float32))
            assert np.abs(record.particles.colors[step, e] / 255 - body.color).max() <= 0.5 / 255
        for a, body in enumerate(scene.agents):
            assert np.array_equal(record.particles.messages[step, a], body.state.c)
        env.step(player.act(env))
        assert np.array_equal(record.rewards[step], env.own_reward[0].astype(np.float32))
    assert env.over[0]
    assert record.particles.messages[1:].any(axis=-1).all()
    assert not record.particles.messages[0].any()
    env.close()


def test_nothing_is_heard_from_those_who_are_silent() -> None:
    record = recorded("mpe/simple_speaker_listener")
    assert record.particles is not None
    speaks = record.particles.messages.any(axis=(0, 2))
    assert dict(zip(record.agents, speaks.tolist(), strict=True)) == {
        "speaker_0": True,
        "listener_0": False,
    }


def test_teams_are_those_of_the_environment() -> None:
    assert recorded("mpe/simple_tag").teams == (("adversary", (0, 1, 2)), ("agent", (3,)))


def test_another_environment_is_recorded_by_its_own_pictures() -> None:
    record = recorded(f"pettingzoo:{MODULE}:Candles")
    assert record.particles is None
    assert (record.n_steps, len(record.pictures), record.picture_every) == (4, 5, 1)
    assert record.rewards.tolist() == [[1.0, 1.0], [2.0, 2.0], [0.0, 3.0], [0.0, 4.0]]
    # Who leaves early is gone; who is there to the end has not left before it.
    assert record.present[:, 0].tolist() == [True, True, False, False, False]
    assert record.present[:, 1].all()
    assert where(EpisodePainter(record).paint(3), (3, 3, 3)).shape == (2,)


@pytest.mark.slow
@pytest.mark.parametrize(("n_steps", "every"), [(299, 1), (300, 2), (599, 2), (600, 4), (750, 4)])
def test_of_a_long_episode_few_pictures_are_kept(n_steps: int, every: int) -> None:
    record = recorded(f"pettingzoo:{MODULE}:Candles", n_steps=n_steps)
    assert (record.n_steps, record.picture_every) == (n_steps, every)
    assert n_steps // every < len(record.pictures) <= MAX_PICTURES + 1
    assert record.pictures[-1] != record.pictures[-2]


def test_an_episode_that_does_not_end_is_cut_off_and_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(recording, "MOST_STEPS", 6)
    assert recorded(f"pettingzoo:{MODULE}:Candles", n_steps=1000).n_steps == 6
    assert "the episode does not end; 6 steps are shown" in caplog.text
    caplog.clear()
    assert recorded(f"pettingzoo:{MODULE}:Candles", n_steps=6).n_steps == 6
    assert caplog.text == ""


def test_an_environment_that_cannot_be_drawn_says_so() -> None:
    expected = r"environment cannot be drawn: .* render_modes are \['human'\]; rgb_array is needed"
    with pytest.raises(PettingZooError, match=expected):
        recorded(f"pettingzoo:{MODULE}:Blind")
    with pytest.raises(PettingZooError, match=r"a picture of shape \(20, 20\) and type float64"):
        recorded(f"pettingzoo:{MODULE}:Gray")
