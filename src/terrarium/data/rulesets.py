"""Rule sets: which units there are, and how one balance version differs from another.

A rule-set file names the unit files it consists of, or a `base` rule set from which it differs:

    title = "Marines with rifles of their own"
    version = 1
    base = "lotv-4.10"
    only = ["marine", "zergling"]       # leave this out to keep every unit of the base

    [unit.marine]
    hp = 55

    [unit.marine.weapon.gauss_rifle]
    damage = 7
    remove = ["scan_range"]             # back to the default
"""

import re
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from terrarium.data.facts import RuleSet, Targeting
from terrarium.data.layers import Layers
from terrarium.data.production import UnitId
from terrarium.data.tables import FactsError, Table
from terrarium.data.units import read_unit, read_unit_id
from terrarium.errors import nearest

_HERE = Path(__file__).parent
_RULESETS, _UNITS = _HERE / "rulesets", _HERE / "units"
_NAME = re.compile("[a-z0-9_]+")
_KEYS = ["title", "version", "base", "units", "only", "targeting", "unit"]


def ruleset_names() -> tuple[str, ...]:
    """The rule sets that come with the package, in alphabetical order."""
    return tuple(sorted(file.stem for file in _RULESETS.glob("*.toml")))


def load_ruleset(which: str | Path) -> RuleSet:
    """A rule set of the package by its name, or a rule-set file of your own by its path.

    A `Path`, or a text that ends in ".toml", is a file; it is read anew each time.
    """
    if isinstance(which, Path) or which.endswith(".toml"):
        return _build(Path(which))
    if message := _unknown(which):
        raise FactsError(message)
    return _load_built_in(which)


@cache
def _load_built_in(name: str) -> RuleSet:
    return _build(_RULESETS / f"{name}.toml")


def _unknown(name: str) -> str:
    """What to say if there is no rule set of that name; else nothing."""
    known = ruleset_names()
    if name in known:
        return ""
    return f'unknown rule set "{name}".{nearest(name, known)} Allowed: {", ".join(known)}'


@dataclass(frozen=True)
class _Draft:
    """A rule set in the making: for every unit, the tables that speak of it, base first."""

    tables: dict[str, list[Table]]
    chosen: list[str]
    targeting: list[Table]


def _build(file: Path) -> RuleSet:
    draft = _Draft({}, [], [])
    files = _with_bases(file)
    for path, table in files:
        _add(draft, path, table)
    merged = {name: Layers(tables) for name, tables in draft.tables.items()}
    roster = {name: read_unit_id(name, table) for name, table in merged.items()}
    _check_ids(roster, merged)
    return RuleSet(
        name=file.stem,
        title=files[-1][1].text("title"),
        version=files[-1][1].integer("version", 1),
        targeting=_targeting(draft, files[-1][1]),
        units={name: read_unit(name, merged[name], roster) for name in draft.chosen},
    )


def _with_bases(file: Path) -> list[tuple[Path, Layers]]:
    """A rule-set file and the bases it stands on, lowest first."""
    found: list[tuple[Path, Layers]] = []
    while True:
        table = _read(file)
        table.only(_KEYS)
        found.insert(0, (file, table))
        if not table.has("base"):
            return found
        base = table.text("base")
        if base.endswith(".toml"):
            file = file.parent / base
        elif message := _unknown(base):
            raise table.error(message, "base")
        else:
            file = _RULESETS / f"{base}.toml"
        if any(file.resolve() == other.resolve() for other, _ in found):
            raise table.error(f'"{base}" leads back to itself', "base")


def _read(file: Path) -> Layers:
    """A file as a table; those of the package are read once."""
    return _read_once(file) if file.parent in (_RULESETS, _UNITS) else _read_again(file)


@cache
def _read_once(file: Path) -> Layers:
    return _read_again(file)


def _read_again(file: Path) -> Layers:
    try:
        return Layers([Table.read(file)])
    except OSError as error:
        raise FactsError(f"{file}: cannot be read ({error.strerror})") from error


def _add(draft: _Draft, file: Path, table: Layers) -> None:
    """Put one rule-set file on top of a draft: its units, its choice, its differences."""
    if not (table.has("base") or table.has("units")):
        raise table.error('needs a "base", or "units" to start from')
    for name in table.array("units") if table.has("units") else ():
        _add_units(draft, _unit_file(file, table, name))
    if table.has("only"):
        chosen = {table.unit_name(name, draft.chosen, "only") for name in table.array("only")}
        if not chosen:
            raise table.error("names no unit", "only")
        draft.chosen[:] = [name for name in draft.chosen if name in chosen]
    for name, difference in table.named_tables("unit"):
        if name not in draft.chosen:
            guess = nearest(name, draft.chosen)
            raise table.error(f"unknown unit.{guess} See: terrarium list units", "unit", name)
        draft.tables[name].append(difference)
    if table.has("targeting"):
        draft.targeting.append(table.table("targeting"))


def _unit_file(file: Path, table: Layers, name: object) -> Path:
    """`terran` is a file of the package, `mine.toml` lies next to the rule set."""
    if not isinstance(name, str):
        raise table.error(f"{name!r} is not the name of a unit file", "units")
    if name.endswith(".toml"):
        return file.parent / name
    known = sorted(path.stem for path in _UNITS.glob("*.toml"))
    if name not in known:
        guess = nearest(name, known)
        raise table.error(
            f'unknown unit file "{name}".{guess} Allowed: {", ".join(known)}', "units"
        )
    return _UNITS / f"{name}.toml"


def _add_units(draft: _Draft, file: Path) -> None:
    table = _read(file)
    defaults = [table.table("defaults")] if table.has("defaults") else []
    for name in table.values:
        if name == "defaults":
            continue
        if not _NAME.fullmatch(name):
            raise table.error("a unit's name has small letters, digits and _ only", name)
        if name in draft.tables:
            raise table.error("there is a unit of this name already", name)
        draft.tables[name] = [*defaults, table.table(name)]
        draft.chosen.append(name)


def _check_ids(roster: dict[str, UnitId], tables: dict[str, Layers]) -> None:
    """Two units with one id could not be told apart at the border to the game."""
    owner: dict[int, str] = {}
    for name, unit in roster.items():
        if unit.id in owner:
            raise tables[name].error(f"{unit.id} is the id of {owner[unit.id]} already", "id")
        owner[unit.id] = name


def _targeting(draft: _Draft, file: Table) -> Targeting:
    if not draft.targeting:
        raise file.error('the key "targeting" is missing; it must be a table')
    table = Layers(draft.targeting)
    names = [field.name for field in fields(Targeting)]
    table.only(names)
    return Targeting(**{name: table.number(name, 0) for name in names})
