"""QValues plans: TOML files of the user's own, and those that come with Terrarium."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from typing import Any, Never

from terrarium.config import PLANS, PRESETS, ConfigError, read_toml, value_text
from terrarium.errors import nearest
from terrarium.marl.ablation.run_plan import AblationPlan, Values, Variant

_FOLDER = PRESETS / PLANS
_DECIDED = {
    "run.seed": "seeds",
    "run.folder": "--out",
    "run.max_minutes": "minutes",
}
"""Settings that are said elsewhere."""


@dataclass(frozen=True)
class _VariantTable:
    """[[variant]]"""

    algo: str
    name: str = ""
    settings: Mapping[str, Any] | None = None
    grid: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class _QuickTable:
    """[quick]"""

    scenarios: list[Any] | None = None
    seeds: list[Any] | None = None
    minutes: float | None = None
    settings: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class _PlanTable:
    """The whole file."""

    scenarios: list[Any]
    seeds: list[Any]
    variant: list[Any]
    title: str = ""
    minutes: float | None = None
    settings: Mapping[str, Any] | None = None
    quick: Mapping[str, Any] | None = None


_KINDS: Mapping[str, tuple[Any, str]] = {
    "title": (str, "a text"),
    "name": (str, "a text"),
    "algo": (str, "the name of an algorithm"),
    "scenarios": (list, 'a list such as ["smac/3m"]'),
    "seeds": (list, "a list such as [0, 1, 2]"),
    "minutes": ((int, float), "a number above 0"),
    "settings": (Mapping, 'a table such as { "net.core" = "gru" }'),
    "grid": (Mapping, 'a table of lists such as { "algo.lr" = [1e-3, 5e-4] }'),
    "variant": (list, "one or more tables [[variant]]"),
    "quick": (Mapping, "a table [quick]"),
}


def plan_names() -> list[str]:
    """The plans that come with Terrarium."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def find_plan(word: str) -> Path:
    """The file that a word means: a file, or the name of a plan that comes with Terrarium."""
    path = Path(word)
    if path.is_file():
        return path
    is_path_of_ours = path.suffix == ".toml" and path.parent.name == PLANS
    if (word in plan_names()) or (is_path_of_ours and path.stem in plan_names()):
        return _FOLDER / f"{path.stem}.toml"
    known = plan_names()
    raise ConfigError(
        f'unknown plan "{word}".{nearest(path.stem, known)} '
        f"Allowed: a TOML file, or one of {', '.join(known)}. See: terrarium list plans"
    )


def read_plan(path: Path, quick: bool = False) -> AblationPlan:
    """A plan as its file says; with `quick`, changed as its quick part says."""
    source = path.name if path.parent == _FOLDER else str(path)
    table = _PlanTable(**_checked(_PlanTable, read_toml(path), source))
    changes = _QuickTable(**_checked(_QuickTable, table.quick or {}, f"{source}, [quick]"))
    if quick and table.quick is None:
        raise ConfigError(f"{source}: there is no [quick] part; leave out --quick, or write one")
    if not quick:
        changes = _QuickTable()
    overrides = _settings(changes.settings, f"{source}, [quick]")
    everywhere = _settings(table.settings, f"{source}, [settings]")
    variants = [
        replace(variant, settings={**everywhere, **variant.settings, **overrides})
        for i, entry in enumerate(table.variant)
        for variant in _variants(entry, f"{source}, variant {i + 1}")
    ]
    minutes = table.minutes if changes.minutes is None else changes.minutes
    scenarios = table.scenarios if changes.scenarios is None else changes.scenarios
    seeds = table.seeds if changes.seeds is None else changes.seeds
    plan = AblationPlan(
        source=source,
        title=table.title or path.stem,
        scenarios=_texts(scenarios, f"{source}: scenarios"),
        seeds=_seeds(seeds, f"{source}: seeds"),
        minutes=None if minutes is None else float(minutes),
        variants=tuple(variants),
    )
    _check(plan)
    return plan


def _checked(kind: type[Any], table: Mapping[str, Any], source: str) -> dict[str, Any]:
    """The entries of a table; what it does not know or what is missing is an error."""
    names = [field.name for field in fields(kind)]
    for name, value in table.items():
        if name not in names:
            raise ConfigError(
                f'{source}: unknown key "{name}".{nearest(name, names)} Allowed: {", ".join(names)}'
            )
        wanted, words = _KINDS[name]
        if not isinstance(value, wanted) or isinstance(value, bool):
            raise ConfigError(f"{source}: {name} is {value_text(value)}; it must be {words}")
        if name == "minutes" and not 0.0 < float(value) <= 1e6:
            raise ConfigError(f"{source}: minutes is {value}; allowed: above 0, up to 1000000")
    for field in fields(kind):
        if field.default is MISSING and field.name not in table:
            raise ConfigError(f'{source}: needs "{field.name}": {_KINDS[field.name][1]}')
    return dict(table)


def _settings(table: Mapping[str, Any] | None, source: str) -> Values:
    """Settings by dotted name, however they are nested: `"net.core"`, `net.core` or `[net]`."""
    found: dict[str, Any] = {}
    for name, value in (table or {}).items():
        if isinstance(value, Mapping) and "." not in name:
            found |= {f"{name}.{key}": entry for key, entry in value.items()}
        else:
            found[name] = value
    for name in found:
        if name in _DECIDED:
            raise ConfigError(f'{source}: {name} is decided by "{_DECIDED[name]}"; leave it out')
        if not all(name.partition(".")):
            raise ConfigError(f'{source}: "{name}" is not a setting; write section.key: net.core')
    return found


def _variants(entry: Any, source: str) -> list[Variant]:
    """What one [[variant]] stands for: one, or one for each point of its grid."""
    if not isinstance(entry, Mapping):
        raise ConfigError(f"{source}: is {value_text(entry)}; it must be a table [[variant]]")
    table = _VariantTable(**_checked(_VariantTable, entry, source))
    base = _settings(table.settings, source)
    grid = _settings(table.grid, f"{source}, grid")
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise ConfigError(f"{source}, grid: {name} is {value_text(values)}; write a list")
        if name in base:
            raise ConfigError(f"{source}: {name} stands in settings and in grid; leave one out")
    begin = table.name or _named(table.algo, base)
    found = []
    for point in itertools.product(*grid.values()):
        chosen = dict(zip(grid, point, strict=True))
        found.append(Variant(_named(begin, chosen), table.algo, {**base, **chosen}))
    return found


def _named(begin: str, settings: Values) -> str:
    """A name that says what is set, without the sections where these are not needed."""
    last = [name.rpartition(".")[2] for name in settings]
    parts = [begin]
    for name, value in settings.items():
        short = name.rpartition(".")[2]
        text = value if isinstance(value, str) else value_text(value)
        parts.append(f"{short if last.count(short) == 1 else name}={text}")
    return ", ".join(parts)


def _texts(values: Sequence[Any], source: str) -> tuple[str, ...]:
    for value in values:
        if not isinstance(value, str) or not value:
            raise ConfigError(f"{source}: {value_text(value)} must be a text")
    return _once(values, source)


def _seeds(values: Sequence[Any], source: str) -> tuple[int, ...]:
    for value in values:
        if type(value) is not int or value < 0:
            raise ConfigError(f"{source}: {value_text(value)} must be a whole number from 0 on")
    return _once(values, source)


def _once(values: Sequence[Any], source: str) -> tuple[Any, ...]:
    if not values:
        raise ConfigError(f"{source}: the list is empty; nothing would be trained")
    for value in values:
        if values.count(value) > 1:
            raise ConfigError(f"{source}: {value_text(value)} stands there twice; leave one out")
    return tuple(values)


def _check(plan: AblationPlan) -> None:
    """What the parts cannot see for themselves."""
    names = [variant.name for variant in plan.variants]
    if not names:
        _refuse(plan, "there is no [[variant]]; nothing would be trained")
    for variant in plan.variants:
        if names.count(variant.name) > 1:
            _refuse(plan, f'two variants are called "{variant.name}"; give them other names')
        if not variant.folder or not variant.name.isprintable():
            _refuse(plan, f"{value_text(variant.name)} is no name for a variant; use letters")
    plan.check_folders()


def _refuse(plan: AblationPlan, message: str) -> Never:
    raise ConfigError(f"{plan.source}: {message}")
