"""Which environment is meant, and what it looks like from outside."""

import inspect
import os
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import (
    aec_to_parallel,
    turn_based_aec_to_parallel,
    turn_based_aec_to_parallel_wrapper,
)

from terrarium.envs.pettingzoo.errors import PettingZooError, blaming, reason
from terrarium.envs.pettingzoo.observations import ObsCode
from terrarium.envs.pettingzoo.particles import (
    COOPERATIVE,
    ParticleEnv,
    particle_module,
    unversioned,
)
from terrarium.envs.pettingzoo.single_agent import (
    SINGLE,
    SingleAgentEnv,
    check_gymnasium_name,
    gymnasium_factory,
)
from terrarium.envs.pettingzoo.spaces import CHOICE, ActionCode, Part
from terrarium.errors import TerrariumError, nearest
from terrarium.import_paths import import_from_here

PARTICLES, FOREIGN = "mpe/", "pettingzoo:"
LIMITS = ("max_cycles", "max_steps", "max_episode_steps")
"""How environments call the number of steps after which they cut an episode off"""

NO_SCREEN = "TERRARIUM_NO_SCREEN"
"""Set in the process's environment while we keep pygame from looking for a screen"""


@dataclass(frozen=True)
class PettingZooInfo:
    """Sizes and names that hold for every episode of an environment."""

    name: str
    agents: tuple[str, ...]
    teams: tuple[tuple[str, tuple[int, ...]], ...]
    """by the stem of the agents' names, with the places of its agents"""
    parts: tuple[tuple[Part, ...], ...]
    """of each agent's actions"""
    obs_sizes: tuple[int, ...]

    @property
    def n_agents(self) -> int:
        return len(self.agents)

    @property
    def obs_width(self) -> int:
        """columns of the widest observation"""
        return max(self.obs_sizes)

    @property
    def state_size(self) -> int:
        """columns of all observations, one after another"""
        return sum(self.obs_sizes)

    @property
    def n_actions(self) -> int:
        """columns of the widest agent's actions, with the one for nothing"""
        return 1 + max(sum(part.n for part in parts) for parts in self.parts)

    @property
    def discrete(self) -> bool:
        """whether each agent makes exactly one choice"""
        return all(len(parts) == 1 and parts[0].kind == CHOICE for parts in self.parts)


@dataclass(frozen=True)
class PettingZooSpec:
    """An environment by its name, with the options of its factory."""

    name: str
    options: Mapping[str, Any]

    @property
    def title(self) -> str:
        if self.name.startswith(PARTICLES):
            words = self.name.removeprefix(PARTICLES).replace("_", " ")
            return f"{words.capitalize()} (particle environment)"
        library = "Gymnasium" if self.name.startswith(SINGLE) else "PettingZoo"
        return f"{self._glance.title} ({library})"

    @property
    def info(self) -> PettingZooInfo:
        """sizes and names; the first time, an environment is made to look at it"""
        return self._glance.info

    @property
    def defaults(self) -> dict[str, Any]:
        """the options that its factory takes, and what they are by default, as far as it tells"""
        _, known = _factory(self.name)
        return {
            name: None if parameter.default is parameter.empty else parameter.default
            for name, parameter in (known or {}).items()
            if name != "render_mode"
        }

    @property
    def limit_steps(self) -> int:
        """after how many steps an episode is cut off; 0: not known"""
        return self._glance.limit_steps

    @property
    def cooperative(self) -> bool | None:
        """whether all agents want the same; None: not known"""
        if self.name.startswith(PARTICLES):
            return COOPERATIVE[unversioned(self.name.removeprefix(PARTICLES))]
        return True if len(self.info.teams) == 1 and not self._glance.takes_turns else None

    def make(self, render_mode: str | None = None) -> Any:
        """A new environment of PettingZoo's parallel interface."""
        _prepare_pygame(wants_window=render_mode == "human")
        options = dict(self.options)
        if render_mode is not None:
            options["render_mode"] = render_mode
        factory, known = _factory(self.name)
        _check_options(self.name, options, known)
        with blaming(self.name, "making an environment"):
            made = factory(**options)
        with blaming(self.name, "turning it into a parallel environment"):
            return _parallel(self.name, made)

    @cached_property
    def _glance(self) -> "_Glance":
        env = self.make()
        try:
            info = _look(self.name, env)
            limit = _limit(self, env)
            title = str(getattr(env, "metadata", {}).get("name", self.name))
            takes_turns = isinstance(env, turn_based_aec_to_parallel_wrapper)
            return _Glance(info, limit, title, takes_turns)
        finally:
            with blaming(self.name, "closing it"):
                env.close()


@dataclass(frozen=True)
class _Glance:
    """What one look at an environment tells."""

    info: PettingZooInfo
    limit_steps: int
    title: str
    takes_turns: bool
    """as in board games, which are hardly ever played together"""


def spec_names() -> list[str]:
    """The environments that have names of their own."""
    return [f"{PARTICLES}{name}" for name in COOPERATIVE]


def find_spec(word: str, options: Mapping[str, Any] | None = None) -> PettingZooSpec:
    """The environment of a name: mpe/simple_spread, pettingzoo:package.module:factory, gym:id."""
    options = dict(options or {})
    if word.startswith(SINGLE):
        check_gymnasium_name(word)
        return PettingZooSpec(word, options)
    if word.startswith(PARTICLES):
        if unversioned(word.removeprefix(PARTICLES)) not in COOPERATIVE:
            names = spec_names()
            raise TerrariumError(
                f'unknown environment "{word}".{nearest(word, names)} Allowed: {", ".join(names)}'
            )
        return PettingZooSpec(word, options)
    if not word.startswith(FOREIGN):
        raise TerrariumError(
            f'"{word}" is no environment; allowed are mpe/<name>, '
            "pettingzoo:package.module:factory and gym:<id>"
        )
    if not re.fullmatch(r"pettingzoo:[\w.]+:\w+", word):
        raise TerrariumError(
            f'"{word}" does not say where the environment comes from; write it as '
            "pettingzoo:package.module:factory, "
            "as in pettingzoo:pettingzoo.butterfly.pistonball_v6:parallel_env"
        )
    return PettingZooSpec(word, options)


def stem(agent: str) -> str:
    """The name without its number: "adversary_0" belongs to "adversary"."""
    return re.sub(r"[\W_]*\d+$", "", agent) or "agent"


def _factory(name: str) -> tuple[Callable[..., Any], Mapping[str, inspect.Parameter] | None]:
    """What makes the environment, and its options; None: it does not tell."""
    if name.startswith(PARTICLES):
        raw_env = particle_module(name.removeprefix(PARTICLES)).raw_env
        return (lambda **options: ParticleEnv(raw_env(**options))), _parameters(raw_env)
    if name.startswith(SINGLE):
        make, takes = gymnasium_factory(name)
        return (lambda **options: SingleAgentEnv(name, make(**options))), _options_of(make, takes)
    _, path, attribute = name.split(":")
    try:
        with warnings.catch_warnings():
            # PettingZoo's modules warn when they are imported, in favor of its registry of names.
            old = "The old environment creation API has been deprecated"
            warnings.filterwarnings("ignore", old, DeprecationWarning)
            module = import_from_here(path)
    # Importing runs foreign code, which may raise anything.
    except Exception as error:
        raise PettingZooError(
            f"{name}: importing {path} raised {reason(error)}. Is it installed, and in this "
            "folder or on PYTHONPATH?"
        ) from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        callables = [
            key for key, value in vars(module).items() if callable(value) and key[0] != "_"
        ]
        raise PettingZooError(
            f"{name}: {path} has no function {attribute}.{nearest(attribute, callables)}"
        )
    known = _parameters(factory)
    if known is None and hasattr(module, "raw_env"):
        # By PettingZoo's custom env and parallel_env hand everything on to raw_env.
        known = _parameters(module.raw_env)
    return factory, known


def _prepare_pygame(wants_window: bool) -> None:
    """Environments draw with pygame, which greets on import and looks for a screen by default.

    A window may be wanted after other environments were made without one: a note beside SDL's own
    variable says that we have set it, not the user, and may take it back.
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    if wants_window:
        if os.environ.pop(NO_SCREEN, None):
            os.environ.pop("SDL_VIDEODRIVER", None)
    elif "SDL_VIDEODRIVER" not in os.environ:
        os.environ["SDL_VIDEODRIVER"] = "dummy"
        os.environ[NO_SCREEN] = "1"


def _parameters(factory: Callable[..., Any]) -> Mapping[str, inspect.Parameter] | None:
    try:
        found = inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in found.values()):
        return None
    return found


def _options_of(
    make: Callable[..., Any], takes: Callable[..., Any]
) -> Mapping[str, inspect.Parameter] | None:
    """Those of a Gymnasium environment; what is registered also takes another limit."""
    found = _parameters(takes)
    if found is None or make is takes:
        return found
    limit = inspect.Parameter("max_episode_steps", inspect.Parameter.KEYWORD_ONLY, default=None)
    return {**found, limit.name: limit}


def _check_options(
    name: str, options: Mapping[str, Any], known: Mapping[str, inspect.Parameter] | None
) -> None:
    if known is None:
        return  # the factory itself will complain
    for key in options:
        if key not in known:
            raise PettingZooError(
                f'{name} has no option "{key}".{nearest(key, known)} '
                f"Allowed: {', '.join(known) or 'none'}"
            )


def _parallel(name: str, made: Any) -> Any:
    """The environment itself, or what makes all agents of a turn-taking one act at once."""
    if isinstance(made, ParallelEnv):
        return made
    if isinstance(made, AECEnv):
        if made.metadata.get("is_parallelizable", False):
            return aec_to_parallel(made)
        return turn_based_aec_to_parallel(made)
    raise PettingZooError(
        f"{name} gives {type(made).__name__} instead of an environment of PettingZoo "
        "(ParallelEnv or AECEnv)"
    )


def _look(name: str, env: Any) -> PettingZooInfo:
    possible = getattr(env, "possible_agents", None)
    if not possible:
        raise PettingZooError(
            f"{name}: its environment has no possible_agents; a list of all agents that may ever "
            "take part is needed to give each one a row"
        )
    agents = tuple(str(agent) for agent in possible)
    if len(set(agents)) < len(agents):
        raise PettingZooError(f"{name}: two of its agents have the same name: {', '.join(agents)}")
    teams: dict[str, list[int]] = {}
    for place, agent in enumerate(agents):
        teams.setdefault(stem(agent), []).append(place)
    with blaming(name, "asking for its spaces"):
        seen = [env.observation_space(agent) for agent in possible]
        done = [env.action_space(agent) for agent in possible]
    parts = [ActionCode(name, agent, s).parts for agent, s in zip(agents, done, strict=True)]
    sizes = [ObsCode(name, agent, s).size for agent, s in zip(agents, seen, strict=True)]
    return PettingZooInfo(
        name=name,
        agents=agents,
        teams=tuple((team, tuple(places)) for team, places in teams.items()),
        parts=tuple(parts),
        obs_sizes=tuple(sizes),
    )


def _limit(spec: PettingZooSpec, env: Any) -> int:
    """From the options, the factory's defaults, or the environment itself."""
    _, known = _factory(spec.name)
    for limit in LIMITS:
        default = known[limit].default if known and limit in known else None
        own = [getattr(each, limit, None) for each in (env, getattr(env, "unwrapped", env))]
        for value in (spec.options.get(limit), default, *own):
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                return value
    return 0
