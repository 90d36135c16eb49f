"""Records of an environment's episode: its particles, or the pictures that it draws of itself."""

import logging
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.errors import PettingZooError, blaming
from terrarium.envs.pettingzoo.players import PettingZooPlayer
from terrarium.envs.pettingzoo.spec import PettingZooSpec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.replay.episodes.episode_frames import MAX_PICTURES, Particles, Thing
from terrarium.replay.episodes.episode_picture import encode_picture
from terrarium.replay.episodes.episode_record import EpisodeRecord, one_line

logger = logging.getLogger(__name__)

MOST_STEPS = 10_000
"""After which an episode that does not end is recorded no further"""
PICTURES = "rgb_array"
DEFAULT_FPS = 10.0


def record_pettingzoo(
    player: PettingZooPlayer, spec: PettingZooSpec, seed: int, title: str
) -> EpisodeRecord:
    """Play one episode of an environment, and record it."""
    env = PettingZooVecEnv(
        spec, n_envs=1, mode="serial", seed=seed, autoreset=False, render_mode=_render_mode(spec)
    )
    try:
        env.reset()
        log = PettingZooLog(env, seed)
        while not log.over:
            env.step(player.act(env))
            log.note()
        return log.record(title)
    finally:
        env.close()


class PettingZooLog:
    """An episode of a serial PettingZooVecEnv as it is played, from right after a reset."""

    def __init__(self, env: PettingZooVecEnv, seed: int) -> None:
        self._env, self._seed = env, seed
        self._inside = env.environments[0]
        drawn = is_particle_env(self._inside)
        self._sight: _ParticleSight | _PictureSight = (
            _ParticleSight(self._inside, env.info.agents)
            if drawn
            else _PictureSight(self._inside, env.info.name)
        )
        self._rewards: list[NDArray[np.float64]] = []
        self._present = [self._there()]
        self._sight.look()

    @property
    def over(self) -> bool:
        """whether there is nothing more to record"""
        return bool(self._env.over[0]) or len(self._rewards) >= MOST_STEPS

    def note(self) -> None:
        """A step has been played."""
        self._rewards.append(self._env.own_reward[0].copy())
        # Agents that play until the end have not left before it, though none is listed any more.
        self._present.append(self._present[-1] if self._env.over[0] else self._there())
        self._sight.look()

    def record(self, title: str) -> EpisodeRecord:
        """What has been noted so far."""
        info = self._env.info
        n_steps = len(self._rewards)
        if n_steps >= MOST_STEPS and not self._env.over[0]:
            logger.warning("%s: the episode does not end; %d steps are shown", info.name, n_steps)
        particles, pictures, every = self._sight.seen()
        return EpisodeRecord(
            title=one_line(title),
            task=one_line(info.name),
            seed=self._seed,
            agents=_distinct(info.agents),
            teams=tuple((one_line(name), members) for name, members in info.teams),
            rewards=np.array(self._rewards, np.float32).reshape(n_steps, info.n_agents),
            present=np.stack(self._present),
            fps=_fps(self._inside),
            particles=particles,
            pictures=pictures,
            picture_every=every,
        )

    def _there(self) -> NDArray[np.bool_]:
        """[A]: who takes part from now on."""
        listed = {str(agent) for agent in self._inside.agents}
        there = np.array([name in listed for name in self._env.info.agents])  # [A]
        there[self._env.own_terminated[0] | self._env.own_truncated[0]] = False
        return there


class _ParticleSight:
    """Looks at the bodies in a world of mpe2."""

    def __init__(self, env: Any, agents: tuple[str, ...]) -> None:
        self._world, self._agents = env.unwrapped.world, agents
        self._positions: list[NDArray[np.float32]] = []
        self._colors: list[NDArray[np.uint8]] = []
        self._messages: list[NDArray[np.float32]] = []

    @property
    def _bodies(self) -> list[Any]:
        return [*self._world.agents, *self._world.landmarks]

    def look(self) -> None:
        self._positions.append(np.array([body.state.p_pos for body in self._bodies], np.float32))
        # Some have four parts, or parts beyond 1: mpe2 draws the first three as they are.
        colors = [np.clip(np.asarray(body.color)[:3], 0.0, 1.0) for body in self._bodies]
        self._colors.append(np.round(255 * np.array(colors)).astype(np.uint8))  # [E, 3]
        said = np.zeros((len(self._agents), int(self._world.dim_c)), np.float32)
        for body in self._world.agents:
            if not body.silent and body.name in self._agents:
                said[self._agents.index(body.name)] = body.state.c
        self._messages.append(said)

    def seen(self) -> tuple[Particles, tuple[bytes, ...], int]:
        n_agents = len(self._world.agents)
        things = tuple(
            Thing(one_line(body.name), "agent" if e < n_agents else "landmark", float(body.size))
            for e, body in enumerate(self._bodies)
        )
        positions, colors = np.stack(self._positions), np.stack(self._colors)
        return Particles(things, positions, colors, np.stack(self._messages)), (), 1


class _PictureSight:
    """Keeps the pictures that an environment draws; of a long episode every second, fourth..."""

    def __init__(self, env: Any, name: str) -> None:
        self._env, self._name = env, name
        self._pictures: list[bytes] = []
        self._every, self._step = 1, 0
        self._last: Any = None

    def look(self) -> None:
        with blaming(self._name, "drawing a picture"):
            self._last = self._env.render()
        if self._step % self._every == 0:
            self._pictures.append(self._encoded())
        if len(self._pictures) > MAX_PICTURES:
            self._pictures, self._every = self._pictures[::2], 2 * self._every
        self._step += 1

    def seen(self) -> tuple[None, tuple[bytes, ...], int]:
        complete = (self._step - 1) % self._every == 0
        end = [] if complete else [self._encoded()]
        return None, (*self._pictures, *end), self._every

    def _encoded(self) -> bytes:
        picture = np.asarray(self._last)
        if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
            raise PettingZooError(
                f"{self._name}: a picture of shape {picture.shape} and type {picture.dtype}; "
                "expected are [height, width, 3] and uint8"
            )
        return encode_picture(picture)


def is_particle_env(env: Any) -> bool:
    """Whether it keeps its bodies as mpe2 does, so that we can draw it ourselves."""
    world = getattr(getattr(env, "unwrapped", None), "world", None)
    bodies = [*getattr(world, "agents", ()), *getattr(world, "landmarks", ())]
    return bool(bodies) and all(hasattr(getattr(body, "state", None), "p_pos") for body in bodies)


def is_drawable(spec: PettingZooSpec) -> bool:
    """Whether an episode can be shown: by us, or by the environment's own pictures."""
    drawn_by_us, modes = _ways_to_draw(spec)
    return drawn_by_us or PICTURES in modes


def _render_mode(spec: PettingZooSpec) -> str | None:
    """How the environment is to draw itself: not at all if we can do it."""
    drawn_by_us, modes = _ways_to_draw(spec)
    if not drawn_by_us and PICTURES not in modes:
        raise PettingZooError(
            f"{spec.name}: this environment cannot be drawn: it is no particle environment, and "
            f"its render_modes are {modes}; {PICTURES} is needed"
        )
    return None if drawn_by_us else PICTURES


def _ways_to_draw(spec: PettingZooSpec) -> tuple[bool, list[str]]:
    """Whether it is a particle environment, and its own modes."""
    env = spec.make()
    try:
        return is_particle_env(env), list(getattr(env, "metadata", {}).get("render_modes", ()))
    finally:
        with blaming(spec.name, "closing it"):
            env.close()


def _fps(env: Any) -> float:
    fps = getattr(env, "metadata", {}).get("render_fps", DEFAULT_FPS)
    known = isinstance(fps, int | float) and 0.1 <= fps <= 240.0
    return float(fps) if known else DEFAULT_FPS


def _distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names on one line each; those that become equal by that are numbered."""
    lines = tuple(one_line(name) for name in names)
    if len(set(lines)) == len(lines):
        return lines
    return tuple(f"{line} #{a}" for a, line in enumerate(lines))
