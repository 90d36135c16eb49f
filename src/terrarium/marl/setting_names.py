"""Other names of settings: those of PyMARL, on-policy, CleanRL and SB3, and our own earlier ones.

A setting under such a name is refused with the name that is meant here.
`setting_names.toml` has them, `docs/glossary.md` lists them side by side.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

from terrarium.config import ConfigError, Layer, read_toml


@cache
def other_names() -> dict[str, list[str]]:
    """By the other name the settings of ours that it may mean, as `setting_names.toml` has them."""
    return read_toml(Path(__file__).with_name("setting_names.toml"))


def refuse_other_names(
    kinds: Mapping[str, type[Any]],
    layers: Sequence[Layer],
    every_config: Callable[[str, type[Any]], list[type[Any]]],
) -> None:
    """Raise for the first setting whose name means a setting of ours.

    `every_config` says what a section may be, whatever parts were chosen.
    """
    known = {
        section: names_of(every_config(section, kind))
        for section, kind in kinds.items()
        if is_dataclass(kind)
    }
    for layer in layers:
        for section, table in layer.values.items():
            for key in table if section in known else ():
                meant = _meant(section, key, known)
                if meant:
                    raise ConfigError(
                        f'{layer.source}: unknown setting "{section}.{key}". '
                        f'Did you mean "{meant}"? See docs/glossary.md'
                    )


def names_of(configs: Sequence[type[Any]]) -> set[str]:
    """The settings of any of these."""
    return {field.name for config in configs for field in fields(config)}


def _meant(section: str, key: str, known: Mapping[str, set[str]]) -> str:
    """The setting that a name means; empty: it is a setting itself, or nothing is known of it."""
    if key in known[section]:
        return ""
    # A team's sections are called after the team: `agent` for algo, `agent_replay` for replay.
    team = section.partition("_")[0]
    found = []
    for name in other_names().get(key, ()):
        home, _, setting = name.partition(".")
        for place in (home, section, f"{team}_{home}"):
            if setting in known.get(place, ()):
                found.append(f"{place}.{setting}")
                break
    same = [name for name in found if name.startswith(f"{section}.")]
    return (same or found or [""])[0]
