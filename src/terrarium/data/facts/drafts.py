"""Rule sets in the making: which tables of which files speak of a thing, base first."""

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from terrarium.data.facts.layers import Layers
from terrarium.data.tables import FactsError, Table
from terrarium.errors import nearest

HERE = Path(__file__).parents[1]
RULESETS = HERE / "rulesets"
# What a rule-set file may name as its sources, and what such a file holds. Units and upgrades are
# alone in theirs; an ability stands next to the buff and the field that it leaves.
SOURCES = {
    "units": ("unit",),
    "abilities": ("ability", "buff", "effect"),
    "upgrades": ("upgrade",),
}
PLURALS = {
    "unit": "units",
    "ability": "abilities",
    "buff": "buffs",
    "effect": "effects",
    "upgrade": "upgrades",
}
_ARTICLES = {"unit": "a", "ability": "an", "buff": "a", "effect": "an", "upgrade": "an"}
# Of these a rule set may bring complete ones; new units have a file of their own, unless they are
# copies of others.
_MAY_BE_NEW = ("ability", "buff", "effect", "upgrade")
_COPY = "agent_copy_of"
_LISTED = {"unit": "units", "ability": "abilities", "upgrade": "upgrades"}
_NAME = re.compile("[a-z0-9_]+")


@dataclass(frozen=True)
class Draft:
    """A rule set in the making."""

    tables: dict[str, dict[str, list[Table]]] = field(
        default_factory=lambda: {section: {} for section in PLURALS}
    )
    """for everything of a section (unit, ability ...), the tables that speak of it, base first"""
    chosen: dict[str, list[str]] = field(
        default_factory=lambda: {section: [] for section in PLURALS}
    )
    """what has not been left out, in the order of the files"""
    copies: dict[str, str] = field(default_factory=dict)
    """of each unit that only says how it differs from another, that other one"""
    targeting: list[Table] = field(default_factory=list)
    assumptions: list[Table] = field(default_factory=list)

    def merged(self, section: str) -> dict[str, Layers]:
        tables = self.tables[section]
        copies = self.copies if section == "unit" else {}
        # Whatever any file says of a unit holds for its copy, unless that one says otherwise.
        return {
            name: Layers([*(tables[copies[name]] if name in copies else ()), *own])
            for name, own in tables.items()
        }


def read_file(file: Path) -> Layers:
    """A file as a table; those of the package are read once."""
    folders = (RULESETS, *(HERE / folder for folder in SOURCES))
    return _read_once(file) if file.parent in folders else _read_again(file)


@cache
def _read_once(file: Path) -> Layers:
    return _read_again(file)


def _read_again(file: Path) -> Layers:
    # There are a units/terran.toml, an abilities/terran.toml and an upgrades/terran.toml.
    clear = file.parent not in (HERE / "abilities", HERE / "upgrades")
    try:
        return Layers([Table.read(file, None if clear else f"{file.parent.name}/{file.name}")])
    except OSError as error:
        raise FactsError(f"{file}: cannot be read ({error.strerror})") from error


def add_file(draft: Draft, file: Path, table: Layers) -> None:
    """Put one rule-set file on top of a draft: its sources, its choice, its differences."""
    if not (table.has("base") or table.has("units")):
        raise table.error('needs a "base", or "units" to start from')
    for folder in SOURCES:
        for name in table.array(folder) if table.has(folder) else ():
            _add_source(draft, folder, read_file(_source(file, table, folder, name)))
    _choose(draft, table)
    for section in PLURALS:
        for name, difference in table.named_tables(section):
            if name not in draft.chosen[section]:
                guess, see = nearest(name, draft.chosen[section]), ""
                if section in _LISTED:
                    see = f" See: terrarium list {_LISTED[section]}"
                raise table.error(f"unknown {section}.{guess}{see}", section, name)
            draft.tables[section][name].append(difference)
    if table.has("new"):
        new = table.table("new")
        new.only([*_MAY_BE_NEW, "unit"])
        for section in _MAY_BE_NEW:
            _add_tables(draft, section, new, section, [])
        _add_copies(draft, new)
    if table.has("targeting"):
        draft.targeting.append(table.table("targeting"))
    if table.has("assumptions"):
        draft.assumptions.append(table.table("assumptions"))


def _choose(draft: Draft, table: Layers) -> None:
    """Keep the units that `only` names; leave out what `without` names."""
    if table.has("only"):
        units = draft.chosen["unit"]
        chosen = {table.unit_name(name, units, "only") for name in table.array("only")}
        if not chosen:
            raise table.error("names no unit", "only")
        # Copies go with their units.
        units[:] = [name for name in units if chosen & {name, draft.copies.get(name)}]
    without = table.table_or_empty("without")
    without.only([plural for section, plural in PLURALS.items() if section != "unit"])
    for section, plural in PLURALS.items():
        if not without.has(plural):
            continue
        names = draft.chosen[section]
        if without.values[plural] == "all":
            names.clear()
            continue
        for name in without.array(plural):
            if name not in names:
                guess = nearest(str(name), names)
                raise without.error(f'unknown {section} "{name}".{guess}', plural)
            names.remove(name)


def _add_copies(draft: Draft, new: Layers) -> None:
    """Take in units that are as others, but for what their tables say."""
    originals = [name for name in draft.chosen["unit"] if name not in draft.copies]
    _add_tables(draft, "unit", new, "unit", [])
    for name, table in new.named_tables("unit"):
        if not table.has(_COPY):
            raise table.error(f'needs "{_COPY}"; other new units have a file of their own (units)')
        table.integer("id", 1)  # must be its own: that of the unit would be there twice
        draft.copies[name] = table.unit_name(table.text(_COPY), originals, _COPY)


def _source(file: Path, table: Layers, folder: str, name: object) -> Path:
    """`terran` is a file of the package, `mine.toml` lies next to the rule set."""
    section = SOURCES[folder][0]
    what = f"{section} file"
    if not isinstance(name, str):
        raise table.error(f"{name!r} is not the name of {_ARTICLES[section]} {what}", folder)
    if name.endswith(".toml"):
        return file.parent / name
    known = sorted(path.stem for path in (HERE / folder).glob("*.toml"))
    if name not in known:
        guess = nearest(name, known)
        raise table.error(f'unknown {what} "{name}".{guess} Allowed: {", ".join(known)}', folder)
    return HERE / folder / f"{name}.toml"


def _add_source(draft: Draft, folder: str, table: Layers) -> None:
    defaults: list[Table] = [table.table("defaults")] if table.has("defaults") else []
    sections = SOURCES[folder]
    if len(sections) == 1:
        _add_tables(draft, sections[0], table, None, defaults)
        return
    table.only(["defaults", *sections])
    for section in sections:
        # Defaults are those of the things that the file is named after.
        _add_tables(draft, section, table, section, defaults if section == sections[0] else [])


def _add_tables(
    draft: Draft, section: str, table: Layers, key: str | None, defaults: list[Table]
) -> None:
    """Take in the tables inside `key`, or all tables of a file, as things of a section."""
    if key is not None:
        if not table.has(key):
            return
        table = table.table(key)
    a_thing = f"{_ARTICLES[section]} {section}"
    for name in table.values:
        if name == "defaults" and key is None:
            continue
        if not _NAME.fullmatch(name):
            raise table.error(f"{a_thing}'s name has small letters, digits and _ only", name)
        if name in draft.tables[section]:
            raise table.error(f"there is {a_thing} of this name already", name)
        draft.tables[section][name] = [*defaults, table.table(name)]
        draft.chosen[section].append(name)
