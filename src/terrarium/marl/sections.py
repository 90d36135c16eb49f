"""Sections of settings: which there are depends on the parts that settings choose.

`net.encoder=cnn` makes the settings of that encoder the section `encoder`. Needs torch and NumPy
only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from terrarium.config import ConfigError, Layer, inner_sections
from terrarium.marl.actions.action_selectors import EXPLORERS, find_explorer
from terrarium.marl.algos import find_algo
from terrarium.marl.algos.mixers import MIXERS, find_mixer
from terrarium.marl.algos.per_team import TeamConfig, TeamsConfig, is_teams, split_teams
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.comm import COMMS, find_comm
from terrarium.marl.nets.cores import CORES, find_core
from terrarium.marl.nets.encoders import ENCODERS, find_encoder
from terrarium.marl.sharing.senders import SHARING_RULES, find_sharing_rule


@dataclass(frozen=True)
class Choice:
    """A setting that names a class, whose own settings are a section."""

    owner: str
    """section of the setting"""
    setting: str
    known: Mapping[str, type[Any]]
    find: Callable[[str], type[Any]]


CHOICES = {
    "encoder": Choice("net", "encoder", ENCODERS, find_encoder),
    "core": Choice("net", "core", CORES, find_core),
    "comm": Choice("net", "comm", COMMS, find_comm),
    "explore": Choice("explore", "kind", EXPLORERS, find_explorer),
    "mixer": Choice("mixer", "kind", MIXERS, find_mixer),
    "share": Choice("share", "rule", SHARING_RULES, find_sharing_rule),
}
"""By the section of the class that was chosen"""


def net_sections(layers: Sequence[Layer] = ()) -> dict[str, type[Any]]:
    """Of the networks: net, encoder, core, comm."""
    return {"net": NetConfig, **_inner_sections(NetConfig, "", layers)}


def algo_sections(algo_name: str, layers: Sequence[Layer] = ()) -> dict[str, type[Any]]:
    """Of an algorithm: algo, replay, ...; of teams: adversary, adversary_replay, ..."""
    kinds: dict[str, type[Any]] = {}
    for section, prefix, algo in _learners(algo_name):
        config = find_algo(algo).Config
        kinds |= {section: config, **_inner_sections(config, prefix, layers)}
    return kinds


def net_settings(kinds: Mapping[str, type[Any]], values: dict[str, dict[str, Any]]) -> NetConfig:
    """Take the settings of the networks out of all."""
    net: NetConfig = _built(NetConfig, "net", "", kinds, values)
    for part in (net.encoder_config, net.core_config, net.comm_config):
        part.check(net)
    return net


def algo_settings(
    algo_name: str, kinds: Mapping[str, type[Any]], values: dict[str, dict[str, Any]]
) -> Any:
    """Take the settings of an algorithm, or those of each team's, out of all."""
    learners = [
        (section, algo, _built(kinds[section], section, prefix, kinds, values))
        for section, prefix, algo in _learners(algo_name)
    ]
    if not is_teams(algo_name):
        return learners[0][2]
    return TeamsConfig(
        tuple(TeamConfig(team, algo, find_algo(algo), cfg) for team, algo, cfg in learners)
    )


def parts_of(section: str, settings: Any, prefix: str = "") -> dict[str, Any]:
    """Settings and those of their inner sections, by the names of the sections."""
    inner = {
        f"{prefix}{_section_of(name)}": getattr(settings, name)
        for name in inner_sections(type(settings))
    }
    return {section: settings, **inner}


def every_config(section: str, kind: type[Any]) -> list[type[Any]]:
    """All that a section may be, whatever was chosen."""
    if section not in CHOICES:
        return [kind]
    return [kind, *(part.Config for part in CHOICES[section].known.values())]


def refuse_settings_of_others(kinds: Mapping[str, type[Any]], layers: Sequence[Layer]) -> None:
    """Say which part a setting belongs to, if that is not the one that was chosen."""
    for layer in layers:
        for section in layer.values.keys() & CHOICES.keys() & kinds.keys():
            choice = CHOICES[section]
            for key in layer.values[section]:
                having = [name for name, part in choice.known.items() if _has(part.Config, key)]
                if having and not _has(kinds[section], key):
                    raise ConfigError(
                        f"{layer.source}: {section}.{key} is a setting of "
                        f"{choice.owner}.{choice.setting}={' or '.join(having)}, which was not "
                        "chosen"
                    )


def _learners(algo_name: str) -> list[tuple[str, str, str]]:
    """Section, prefix of inner sections, algorithm."""
    if not is_teams(algo_name):
        return [("algo", "", algo_name)]
    return [(team, f"{team}_", algo) for team, algo in split_teams(algo_name).items()]


def _inner_sections(
    config: type[Any], prefix: str, layers: Sequence[Layer]
) -> dict[str, type[Any]]:
    """The classes of a config's inner sections: where there is a choice, of what was chosen."""
    kinds = {}
    for field, kind in inner_sections(config).items():
        name = _section_of(field)
        kinds[f"{prefix}{name}"] = _chosen(name, config, field, prefix, layers) or kind
    return kinds


def _chosen(
    name: str, config: type[Any], field: str, prefix: str, layers: Sequence[Layer]
) -> type[Any] | None:
    choice = CHOICES.get(name)
    if choice is None:
        return None
    default = getattr(config(), choice.setting if field.endswith("_config") else field)
    value = default if isinstance(default, str) else getattr(default, choice.setting)
    for layer in layers:
        given = layer.values.get(f"{prefix}{choice.owner}", {}).get(choice.setting, value)
        value = given if isinstance(given, str) else value
    kind: type[Any] = choice.find(str(value)).Config
    return kind


def _built(
    config: type[Any],
    section: str,
    prefix: str,
    kinds: Mapping[str, type[Any]],
    values: dict[str, dict[str, Any]],
) -> Any:
    """Settings with those of their inner sections."""
    table = values.pop(section)
    for field in inner_sections(config):
        inner = f"{prefix}{_section_of(field)}"
        table[field] = kinds[inner](**values.pop(inner))
    return config(**table)


def _section_of(field: str) -> str:
    return field.removesuffix("_config")


def _has(config: type[Any], key: str) -> bool:
    return key in {field.name for field in fields(config)}
