"""Rule sets: what there is, and how one balance version differs from another.

A rule-set file names the unit, ability and upgrade files it consists of, or a `base` rule set from
which it differs:

    title = "Marines with rifles of their own"
    version = 1
    base = "lotv-4.10"
    only = ["marine", "zergling"]       # leave this out to keep every unit of the base
    without = { upgrades = ["stimpack"] }   # names, or "all"; also abilities, buffs, effects

    [unit.marine]
    hp = 55

    [unit.marine.weapon.gauss_rifle]
    damage = 7
    remove = ["scan_range"]             # back to the default

    [assumptions]                       # what the sources leave open (assumptions.py)
    preferred_targets = "attackers"

    [ability.stimpack_marine]           # also buff, effect, upgrade
    life = 5

    [new.buff.rage]                     # new abilities, buffs, effects, upgrades; complete
    duration_loops = 80

    [new.unit.marine_rl]                # what passive Marines, SMAC's agents, have otherwise
    agent_copy_of = "marine"
    id = 2009
    hp = 40

An ability stays if one of its users, and the unit that it makes, are in the rule set. Abilities and
upgrades of a unit are not those of its copy, unless they name it.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path

from terrarium.data.facts.abilities import KnownNames, read_ability
from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.assumptions import Assumptions, read_assumptions
from terrarium.data.facts.buff_facts import Buff
from terrarium.data.facts.buffs import read_buff, read_effect
from terrarium.data.facts.drafts import PLURALS, RULESETS, SOURCES, Draft, add_file, read_file
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.unit_facts import RuleSet, Targeting, Unit
from terrarium.data.facts.units import read_unit, read_unit_id
from terrarium.data.facts.upgrade_facts import Upgrade
from terrarium.data.facts.upgrades import Known, read_upgrade
from terrarium.data.tables import FactsError, Table
from terrarium.errors import nearest

_KEYS = [
    *("title", "version", "base", *SOURCES, "only", "without", "targeting", "assumptions"),
    *(*PLURALS, "new"),
]


def ruleset_names() -> tuple[str, ...]:
    """The rule sets that come with the package, in alphabetical order."""
    return tuple(sorted(file.stem for file in RULESETS.glob("*.toml")))


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
    return _build(RULESETS / f"{name}.toml")


def _unknown(name: str) -> str:
    """What to say if there is no rule set of that name; else nothing."""
    known = ruleset_names()
    if name in known:
        return ""
    return f'unknown rule set "{name}".{nearest(name, known)} Allowed: {", ".join(known)}'


def _build(file: Path) -> RuleSet:
    draft = Draft()
    files = _with_bases(file)
    for path, table in files:
        add_file(draft, path, table)
    units = _units(draft)
    buffs = {n: t for n, t in draft.merged("buff").items() if n in draft.chosen["buff"]}
    effects = {n: t for n, t in draft.merged("effect").items() if n in draft.chosen["effect"]}
    _check_ids(buffs, optional=True)
    _check_ids(effects, optional=True)
    read_buffs = {name: read_buff(name, table) for name, table in buffs.items()}
    abilities = _abilities(draft, units)
    return RuleSet(
        name=file.stem,
        title=files[-1][1].text("title"),
        version=files[-1][1].integer("version", 1),
        targeting=_targeting(draft, files[-1][1]),
        assumptions=read_assumptions(Layers(draft.assumptions))
        if draft.assumptions
        else Assumptions(),
        units=units,
        abilities=abilities,
        buffs=read_buffs,
        effects={name: read_effect(name, t, buffs, effects) for name, t in effects.items()},
        upgrades=_upgrades(draft, units, abilities, read_buffs),
    )


def _with_bases(file: Path) -> list[tuple[Path, Layers]]:
    """A rule-set file and the bases it stands on, lowest first."""
    found: list[tuple[Path, Layers]] = []
    while True:
        table = read_file(file)
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
            file = RULESETS / f"{base}.toml"
        if any(file.resolve() == other.resolve() for other, _ in found):
            raise table.error(f'"{base}" leads back to itself', "base")


def _units(draft: Draft) -> dict[str, Unit]:
    merged = draft.merged("unit")
    roster = {name: read_unit_id(name, table) for name, table in merged.items()}
    _check_ids(merged)
    _check_copies(draft, merged)
    return {name: read_unit(name, merged[name], roster) for name in draft.chosen["unit"]}


def _abilities(draft: Draft, units: Mapping[str, Unit]) -> dict[str, Ability]:
    merged, chosen = draft.merged("ability"), draft.chosen
    _check_ids({name: merged[name] for name in chosen["ability"]}, optional=True)
    names = KnownNames(
        units=units,
        all_units=draft.tables["unit"],
        abilities=merged,
        buffs=chosen["buff"],
        effects=chosen["effect"],
        upgrades=chosen["upgrade"],
        upgrade_names=_upgrade_names(draft),
    )
    read = {name: read_ability(name, merged[name], names) for name in chosen["ability"]}
    found = {name: ability for name, ability in read.items() if ability is not None}
    # What ends or unloads something goes with it.
    return {n: ability for n, ability in found.items() if ability.of is None or ability.of in found}


def _upgrade_names(draft: Draft) -> dict[int, str]:
    """KnownNames by id: the productions of units speak of upgrades by their ids."""
    tables = {name: Layers(draft.tables["upgrade"][name]) for name in draft.chosen["upgrade"]}
    _check_ids(tables, optional=True)
    return {table.integer("id"): name for name, table in tables.items() if table.has("id")}


def _upgrades(
    draft: Draft,
    units: Mapping[str, Unit],
    abilities: Mapping[str, Ability],
    buffs: Mapping[str, Buff],
) -> dict[str, Upgrade]:
    merged = draft.merged("upgrade")
    known = Known(
        units=units,
        all_units=draft.tables["unit"],
        abilities=abilities,
        all_abilities=draft.tables["ability"],
        buffs=buffs,
        all_buffs=draft.tables["buff"],
        upgrades=draft.chosen["upgrade"],
    )
    return {name: read_upgrade(name, merged[name], known) for name in draft.chosen["upgrade"]}


def _check_ids(tables: Mapping[str, Layers], optional: bool = False) -> None:
    """Two things with one id could not be told apart at the border to the game."""
    owner: dict[int, str] = {}
    for name, table in tables.items():
        if optional and not table.has("id"):
            continue
        identity = table.integer("id", 1)
        if identity in owner:
            raise table.error(f"{identity} is the id of {owner[identity]} already", "id")
        owner[identity] = name


def _check_copies(draft: Draft, merged: Mapping[str, Layers]) -> None:
    """A copy stands for a unit of the rule set, and no other copy does."""
    chosen, key = draft.chosen["unit"], "agent_copy_of"
    originals = [name for name in chosen if not merged[name].has(key)]
    copied: dict[str, str] = {}
    for name in chosen:
        if merged[name].has(key):
            unit = merged[name].unit_name(merged[name].text(key), originals, key)
            if unit in copied:
                raise merged[name].error(f"{copied[unit]} is the copy of {unit} already", key)
            copied[unit] = name


def _targeting(draft: Draft, file: Table) -> Targeting:
    if not draft.targeting:
        raise file.error('the key "targeting" is missing; it must be a table')
    table = Layers(draft.targeting)
    names = [field.name for field in fields(Targeting)]
    table.only(names)
    return Targeting(**{name: table.number(name, 0) for name in names})
