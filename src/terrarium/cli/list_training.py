"""The commands that show what can be trained, and with which settings."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated

import tyro

from terrarium.cli.tables import print_rows

if TYPE_CHECKING:
    from terrarium.config import Setting


@dataclass(frozen=True)
class ListAlgos:
    """Show the algorithms that can be trained.

    Example:  terrarium list algos
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.marl.algos import ALGOS, OTHER_NAMES

        rows = [
            {
                "algorithm": name,
                "other names": ", ".join(
                    other for other, one in OTHER_NAMES.items() if one == name
                ),
                "what it is": (algo.__doc__ or "").splitlines()[0],
            }
            for name, algo in ALGOS.items()
        ]
        print_rows(rows, self.json)


@dataclass(frozen=True)
class ListSettings:
    """Show every setting of a run, what it means, and what it is by default.

    With a scenario, defaults are those of its preset.

    A word such as net.encoder=cnn shows the settings of that part.

    Example:  terrarium list settings mappo smac/3m net.encoder=cnn
    """

    algo: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[ALGO]")] = "mappo"
    """the algorithm"""
    scenario: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[SCENARIO]")] = ""
    """a scenario, for its preset"""
    words: Annotated[
        tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="[KEY=VALUE...]")
    ] = ()
    """settings that choose other parts"""
    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.config import describe, layer_from_words, value_text
        from terrarium.marl.settings import algo_of, resolve, sections

        words = [word for word in (self.scenario, *self.words) if "=" in word]
        scenario = "" if "=" in self.scenario else self.scenario
        layer = layer_from_words(words)
        name = algo_of(self.algo, scenario)
        rows = [
            asdict(setting)
            for section, kind in sections(name, scenario, [layer]).items()
            for setting in (describe(section, kind) if kind is not dict else self._options())
        ]
        if scenario:
            settings = resolve(name, scenario, layer)
            for row in rows:
                section, key = row["name"].split(".")
                if section != "task":
                    row["default"] = value_text(getattr(settings.section(section), key))
                else:
                    given = settings.task.get(key)
                    row["default"] = row["default"] if given is None else value_text(given)
        print_rows(rows, self.json)

    def _options(self) -> list["Setting"]:
        """What the factory of an environment takes."""
        from terrarium.config import Setting
        from terrarium.envs.tasks.registry import find_task

        return [
            Setting(
                f"task.{name}", type(default).__name__, str(default), "an option of its factory"
            )
            for name, default in find_task(self.scenario).defaults.items()
        ]


@dataclass(frozen=True)
class ListPresets:
    """Show the presets: settings that suit an algorithm and a scenario.

    Example:  terrarium list presets
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.config import load_preset, preset_names, value_text

        rows = []
        for name in preset_names():
            merged = {
                f"{section}.{key}": value_text(value)
                for layer in load_preset(name)
                for section, table in layer.values.items()
                for key, value in table.items()
            }
            settings = " ".join(f"{key}={value}" for key, value in merged.items())
            rows.append({"preset": name, "settings": settings})
        print_rows(rows, self.json)
