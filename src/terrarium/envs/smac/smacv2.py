"""SMACv2's environment, and its wrapper, which draws battles as its capability config says."""

import math
from abc import ABCMeta
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from terrarium.data.battles.groups import MAX_UNITS
from terrarium.data.battles.scenario import Generator, Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.envs.options import SMACV2_PUBLISHED, OptionError
from terrarium.envs.scenario_tables import smac_of, type_bits
from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.smac.maps import GENERATED
from terrarium.errors import nearest

# What SMACv2 calls the ways to draw positions, and what a scenario calls them.
_POSITIONS = {
    "surrounded_and_reflect": "surrounded_and_reflect",
    "surrounded": "surrounded",
    "reflect_position": "reflect",
}
# SMACv2 writes these into every part of the config that it is given, so a config that was used
# before has them.
_REPEATED = ("env_key", "n_units", "n_enemies")

# A plain constructor of SMACv2 has none of the published settings switched on.
_CONSTRUCTOR_DEFAULTS = dict.fromkeys(SMACV2_PUBLISHED, False)


class CapabilityEnv(StarCraft2Env, metaclass=ABCMeta):
    """What SMACv2 calls `StarCraft2Env`: SMAC's maps, with capabilities among the sizes."""

    def get_env_info(self) -> dict[str, Any]:
        return {**super().get_env_info(), "cap_shape": self.get_cap_size()}


class StarCraftCapabilityEnvWrapper(StarCraft2Env):
    """SMACv2's environment with SMACv2's configuration, which says how each battle is drawn.

    Supported is what SMACv2 publishes: weighted teams, and the three kinds of start positions.
    """

    def __init__(
        self,
        *,
        capability_config: Mapping[str, Any],
        map_name: str = "10gen_terran",
        **options: Any,  # a border: SMACv2's names, checked one by one
    ) -> None:
        scenario = scenario_of(map_name, capability_config)
        super().__init__(scenario, **{**_CONSTRUCTOR_DEFAULTS, **options})
        self.map_name = map_name
        self.capability_config = capability_config

    @property
    def env(self) -> StarCraft2Env:
        """What SMACv2 wraps; here wrapper and environment are one."""
        return self


CapabilityEnv.register(StarCraftCapabilityEnvWrapper)  # as what it wraps is one in SMACv2


def scenario_of(map_name: str, config: Mapping[str, Any]) -> Scenario:
    """The battles that a capability config describes, on one of SMACv2's maps."""
    if map_name not in GENERATED:
        raise OptionError(
            f'map_name is "{map_name}".{nearest(str(map_name), GENERATED)} Teams are drawn on: '
            f"{', '.join(GENERATED)}; for the other maps use StarCraft2Env"
        )
    base = load_scenario(GENERATED[map_name])
    assert base.generator is not None
    _check_keys(
        "capability_config", config, ("n_units", "n_enemies", "team_gen", "start_positions")
    )
    n_allies, n_enemies = _count(config, "n_units"), _count(config, "n_enemies")
    if n_allies + n_enemies > MAX_UNITS:
        raise OptionError(
            f"n_units and n_enemies are {n_allies + n_enemies} together; at most {MAX_UNITS} "
            "are allowed"
        )
    weights, never_only = _team(base, _part(config, "team_gen"))
    positions, reflect_probability = _positions(base, _part(config, "start_positions"))
    generator = Generator(
        n_allies=n_allies,
        n_enemies=n_enemies,
        weights=weights,
        never_only=never_only,
        positions=positions,
        reflect_probability=reflect_probability,
        passive_allies=base.generator.passive_allies,
    )
    race = map_name.removeprefix("10gen_")
    return replace(
        base,
        name=f"smacv2/{race}_{n_allies}_vs_{n_enemies}",
        title=f"{n_allies} random {race.capitalize()} units against {n_enemies}",
        generator=generator,
    )


def _team(base: Scenario, part: Mapping[str, Any]) -> tuple[dict[str, float], tuple[str, ...]]:
    """Weights of the unit types, and those that may not be a whole team."""
    where = "team_gen"
    allowed = ("dist_type", "unit_types", "weights", "exception_unit_types", "observe", *_REPEATED)
    _check_keys(where, part, allowed)
    _choice(where, part, "dist_type", ("weighted_teams",))
    if part.get("observe", True) is not True:
        raise OptionError("team_gen: observe is False; agents always see unit types here")
    names, shares = _list(where, part, "unit_types"), _list(where, part, "weights")
    known, _ = type_bits(base, smac_of(base, load_ruleset(base.rules)))
    for name in names:
        if name not in known:
            raise OptionError(
                f'team_gen: unknown unit type "{name}".{nearest(str(name), known)} '
                f"Allowed on this map: {', '.join(known)}"
            )
    if len(set(names)) != len(names) or len(names) != len(shares):
        raise OptionError(
            f"team_gen: {len(shares)} weights for the unit types {', '.join(names)}; each type "
            "needs one weight"
        )
    numbers = [_number(where, "weights", share) for share in shares]
    if min(numbers) < 0.0 or abs(math.fsum(numbers) - 1.0) > 1e-8:
        raise OptionError(f"team_gen: weights are {numbers}; they must be 0 or more and sum to 1")
    weights = {name: share for name, share in zip(names, numbers, strict=True) if share > 0.0}
    exceptions = [n for n in part.get("exception_unit_types", ()) if n in weights]
    if set(exceptions) == set(weights):
        raise OptionError(
            f"team_gen: exception_unit_types are {', '.join(exceptions)}; that leaves no team that "
            "may be drawn"
        )
    return weights, tuple(exceptions)


def _positions(base: Scenario, part: Mapping[str, Any]) -> tuple[str, float]:
    """The way to draw positions, and the probability that they are mirrored."""
    where = "start_positions"
    _check_keys(where, part, ("dist_type", "p", "map_x", "map_y", *_REPEATED))
    kind = _choice(where, part, "dist_type", tuple(_POSITIONS))
    for key, size in (("map_x", base.terrain.width), ("map_y", base.terrain.height)):
        if part.get(key, size) != size:
            raise OptionError(f"start_positions: {key} is {part[key]!r}; the map has {size}")
    if kind != "surrounded_and_reflect":
        return _POSITIONS[kind], 1.0 if kind == "reflect_position" else 0.0
    p = _number(where, "p", part.get("p"))
    if not 0.0 <= p <= 1.0:
        raise OptionError(f"start_positions: p is {p}; allowed: 0 to 1")
    return _POSITIONS[kind], p


def _part(config: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = config.get(key)
    if not isinstance(part, Mapping):
        raise OptionError(f"capability_config: {key} is {part!r}; it must be a table of settings")
    for name in ("n_units", "n_enemies"):
        if part.get(name, config[name]) != config[name]:
            raise OptionError(f"{key}: {name} is {part[name]!r}, outside of it {config[name]!r}")
    return part


def _check_keys(where: str, part: Mapping[str, Any], allowed: Sequence[str]) -> None:
    for key in part:
        if key not in allowed:
            is_part = where != "capability_config"
            shown = [name for name in allowed if not (is_part and name in _REPEATED)]
            raise OptionError(
                f'{where}: "{key}" is not supported.{nearest(str(key), shown)} '
                f"Supported: {', '.join(shown)}"
            )


def _choice(where: str, part: Mapping[str, Any], key: str, allowed: Sequence[str]) -> str:
    value = part.get(key)
    if value not in allowed:
        raise OptionError(
            f"{where}: {key} is {value!r}, which is not supported. Supported: {', '.join(allowed)}"
        )
    return str(value)


def _count(config: Mapping[str, Any], key: str) -> int:
    value = config.get(key)
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise OptionError(
            f"capability_config: {key} is {value!r}; it must be a whole number from 1 on"
        )
    return int(value)


def _number(where: str, key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise OptionError(f"{where}: {key}: {value!r} is not a number")
    return float(value)


def _list(where: str, part: Mapping[str, Any], key: str) -> list[Any]:
    value = part.get(key)
    if isinstance(value, str) or not isinstance(value, Iterable) or not (items := list(value)):
        raise OptionError(f"{where}: {key} is {value!r}; it must be a list that is not empty")
    return items
