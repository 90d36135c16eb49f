"""Scenarios and terrains as the TOML of their own files: a record carries what it was played on.

So a record stays playable when the scenario it names is changed or was a file that is gone, and
what is read from a record passes the same checks as any other scenario.
"""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import (
    Armies,
    Generator,
    Group,
    Measure,
    Order,
    Scenario,
    Terrain,
    Trigger,
)
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.battles.terrains import load_terrain

# The signs of the drawings: walkable, (level, third of a ramp), creep.
_WALKABLE, _CREEP = "#.", ".~"
_LEVELS = {(0, 0): "0", (1, 0): "1", (2, 0): "2", (1, 1): "a", (1, 2): "b", (1, 3): "c"}
_HEADERS = (
    *("[[group]]", "[generate]", "[armies]", "[armies.ally]", "[armies.enemy]"),
    *("[upgrades]", "[stock.ally]", "[stock.enemy]", "[[trigger]]", "[measure]", "[smac]"),
)


@dataclass(frozen=True)
class ScenarioText:
    """A scenario as two texts, and the names under which it was known."""

    name: str
    terrain_name: str
    scenario: str
    terrain: str


def write_scenario(scenario: Scenario) -> ScenarioText:
    """The texts that `read_scenario` turns into the same scenario."""
    lines = [
        f"title = {_quoted(scenario.title)}",
        'terrain = "terrain.toml"',
        f"rules = {_quoted(scenario.rules)}",
        f"version = {scenario.version}",
        f"limit_steps = {scenario.limit_steps}",
        f"ticks_per_step = {scenario.ticks_per_step}",
        f"fog = {_boolean(scenario.fog)}",
    ]
    for group in scenario.groups:
        lines += _group(group)
    if scenario.generator:
        lines += _generator(scenario.generator)
    if scenario.armies:
        lines += _armies(scenario.armies)
    if scenario.upgrades:
        lines += ["", "[upgrades]"]
        lines += [f"{side} = {_words(names)}" for side, names in scenario.upgrades.items()]
    for side, stock in scenario.stock.items():
        lines += ["", f"[stock.{side}]", f"minerals = {stock.minerals!r}"]
        lines += [f"vespene = {stock.vespene!r}", f"nukes = {stock.nukes}"]
    for trigger in scenario.triggers:
        lines += _trigger(trigger)
    if scenario.measure != Measure("win"):
        lines += _measure(scenario.measure)
    if smac := scenario.smac:
        lines += ["", "[smac]", f"map_type = {_quoted(smac.map_type)}"]
        lines += [f"ally_race = {_quoted(smac.ally_race)}"]
        lines += [f"enemy_race = {_quoted(smac.enemy_race)}"]
        lines += [f"unit_type_bits = {smac.unit_type_bits}"]
    terrain = scenario.terrain
    return ScenarioText(
        scenario.name, terrain.name, "\n".join(lines) + "\n", write_terrain(terrain)
    )


def read_scenario(text: ScenarioText) -> Scenario:
    """The scenario that was written."""
    _check_headers(text.scenario)
    _check_headers(text.terrain)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(text.scenario, encoding="utf-8")
        (Path(folder) / "terrain.toml").write_text(text.terrain, encoding="utf-8")
        scenario = load_scenario(file)
    terrain = replace(scenario.terrain, name=text.terrain_name)
    return replace(scenario, name=text.name, terrain=terrain)


def write_terrain(terrain: Terrain) -> str:
    """The text that `read_terrain` turns into the same terrain."""
    flat = terrain.ramp == 0
    heights = {}
    for level in np.unique(terrain.level[flat]).tolist():
        z = terrain.z[flat & (terrain.level == level)][0]
        if np.isfinite(z):
            heights[f"level{level}"] = float(z)
    cells = zip(terrain.level.ravel().tolist(), terrain.ramp.ravel().tolist(), strict=True)
    levels = np.array([_LEVELS[cell] for cell in cells]).reshape(terrain.level.shape)
    lines = [
        f"title = {_quoted(terrain.title)}",
        f"playable = {_numbers(terrain.playable)}",
        f"heights = {_inline(heights)}",
        _drawing("walkable", np.array(list(_WALKABLE))[terrain.walkable.astype(np.int64)]),
        _drawing("levels", levels),
    ]
    if terrain.creep.any():
        lines += [_drawing("creep", np.array(list(_CREEP))[terrain.creep.astype(np.int64)])]
    return "\n".join(lines) + "\n"


def read_terrain(name: str, text: str) -> Terrain:
    """The terrain that was written."""
    _check_headers(text)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "terrain.toml"
        file.write_text(text, encoding="utf-8")
        return replace(load_terrain(file), name=name)


def _check_headers(text: str) -> None:
    """Only lines that `write_scenario` writes begin with a bracket.

    A line of a megabyte that almost looks like a header would keep the search for line numbers
    busy for hours.
    """
    for line in text.splitlines():
        if line.lstrip()[:1] == "[" and line not in _HEADERS:
            raise ValueError(f"no recorder writes the line {line[:40]!r}")


def _group(group: Group) -> list[str]:
    lines = ["", "[[group]]", f"side = {_quoted(group.side)}", f"at = {_numbers(group.at)}"]
    lines += [f"units = {_inline(group.units)}", f"passive = {_boolean(group.passive)}"]
    lines += [f"hp = {group.hp!r}", f"spread = {group.spread!r}"]
    if group.energy is not None:
        lines += [f"energy = {group.energy!r}"]
    if group.spacing is not None:
        lines += [f"spacing = {group.spacing!r}"]
    if group.inside:
        lines += [f"inside = {_inline(group.inside)}"]
    if group.order is not None:
        lines += [f"order = {_order(group.order)}", f"after_ticks = {group.after_ticks}"]
    return lines


def _order(order: Order) -> str:
    if order.kind == "attack":
        return f"{{ attack = {_quoted(order.side or '')} }}"
    if order.kind == "hold":
        return "{ hold = true }"
    at, to = (_numbers(point) for point in (order.at or (), order.to or ()))
    if order.kind == "cast":
        where = "" if order.at is None else f", at = {at}"
        return f"{{ cast = {{ ability = {_quoted(order.ability or '')}{where} }} }}"
    return f"{{ {order.kind} = {at if order.to is None else f'[{at}, {to}]'} }}"


def _armies(armies: Armies) -> list[str]:
    lines = [
        "",
        "[armies]",
        f"value = {_numbers(armies.value)}",
        f"handicap = {armies.handicap!r}",
        f"max_units = {armies.max_units}",
        f"units = {_inline(armies.weights)}",
        f"upgrade_chance = {armies.upgrade_chance!r}",
    ]
    for name, side in (("ally", armies.ally), ("enemy", armies.enemy)):
        lines += ["", f"[armies.{name}]", f"at = {_numbers(side.at)}"]
        lines += [f"spread = {side.spread!r}", f"races = {_words(side.races)}"]
    return lines


def _trigger(trigger: Trigger) -> list[str]:
    lines = ["", "[[trigger]]", f"every_ticks = {trigger.every_ticks}"]
    lines += [f"order = {_quoted(trigger.order)}", f"side = {_quoted(trigger.side)}"]
    if trigger.ability is not None:
        lines += [f"ability = {_quoted(trigger.ability)}"]
    if trigger.range is not None:
        lines += [f"range = {trigger.range!r}"]
    return lines


def _measure(measure: Measure) -> list[str]:
    lines = ["", "[measure]", f"kind = {_quoted(measure.kind)}", f"good = {measure.good!r}"]
    if measure.only:
        lines += [f"only = {_words(measure.only)}"]
    if measure.at is not None:
        lines += [f"at = {_numbers(measure.at)}", f"radius = {measure.radius!r}"]
    if measure.kind == "survives":
        lines += [f"share = {measure.share!r}"]
    return lines


def _generator(generator: Generator) -> list[str]:
    lines = [
        "",
        "[generate]",
        f"n_allies = {generator.n_allies}",
        f"n_enemies = {generator.n_enemies}",
        f"units = {_inline(generator.weights)}",
        f"never_only = {_words(generator.never_only)}",
        f"positions = {_quoted(generator.positions)}",
        f"passive_allies = {_boolean(generator.passive_allies)}",
    ]
    if generator.positions == "surrounded_and_reflect":
        lines += [f"reflect_probability = {float(generator.reflect_probability)!r}"]
    return lines


def _quoted(text: str) -> str:
    """A TOML string. JSON's escapes are TOML's, save that TOML also wants this one."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _words(names: Iterable[str]) -> str:
    return f"[{', '.join(map(_quoted, names))}]"


def _boolean(value: bool) -> str:
    return "true" if value else "false"


def _numbers(values: Iterable[float]) -> str:
    return f"[{', '.join(repr(float(value)) for value in values)}]"


def _inline(values: Mapping[str, float]) -> str:
    return "{ " + ", ".join(f"{_quoted(key)} = {value!r}" for key, value in values.items()) + " }"


def _drawing(key: str, signs: NDArray[np.str_]) -> str:
    """A drawing shows the largest y first."""
    rows = "\n".join("".join(row) for row in signs[::-1].tolist())
    return f'{key} = """\n{rows}\n"""'
