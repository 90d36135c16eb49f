"""Settings: presets and overrides become frozen dataclasses; it knows no algorithm.

Defaults are those of the dataclasses; each layer (a preset, then the command line) overrides the
ones before. A name that does not exist and a value of the wrong type are errors.
"""

import math
import re
import tomllib
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from terrarium.errors import TerrariumError, nearest

T = TypeVar("T")

PRESETS = Path(__file__).with_name("presets")
PLANS = "ablations"
"""The folder of presets that holds none: plans of many runs, for `terrarium ablate`."""
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


class ConfigError(TerrariumError):
    """A setting that does not exist, or that cannot be what it was set to."""


@dataclass(frozen=True)
class Layer:
    """Settings from one place: tables by name, each with values by name."""

    source: str
    """where they come from, for errors"""
    values: Mapping[str, Mapping[str, Any]]


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file; what is wrong with it is said in one line."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        # A broken file, a byte that is no text, a number of ten thousand digits, endless brackets.
        raise ConfigError(f"{path}: not valid TOML: {error}") from None


def layer_from_file(path: Path, values: Mapping[str, Any]) -> Layer:
    """The tables of a file that was read."""
    for name, table in values.items():
        if not isinstance(table, Mapping):
            raise ConfigError(f'{path}: "{name}" stands outside of a table such as [run]')
    return Layer(str(path), values)


def layer_from_words(words: Sequence[str]) -> Layer:
    """What the command line says: `section.key=value`."""
    values: dict[str, dict[str, Any]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        section, dot, key = name.partition(".")
        if not (equals and dot and section and key):
            raise ConfigError(f'"{word}" is not a setting; write section.key=value: algo.lr=3e-4')
        values.setdefault(section, {})[key] = Word(text)
    return Layer("the command line", values)


def preset_names() -> list[str]:
    """All presets: algorithm, then scenario."""
    files = (file.relative_to(PRESETS) for file in PRESETS.rglob("*.toml"))
    return sorted(file.with_suffix("").as_posix() for file in files if file.parts[0] != PLANS)


def load_preset(name: str) -> list[Layer]:
    """A preset by its name, or a file of that form, after the one that it is based on."""
    layers: list[Layer] = []
    seen: list[str] = []
    while name:
        if name in seen:
            raise ConfigError(f"preset {seen[0]}: is based on itself, by way of {name}")
        seen.append(name)
        path = Path(name) if name.endswith(".toml") else PRESETS / f"{name}.toml"
        if not name.endswith(".toml") and name not in preset_names():
            raise ConfigError(
                f'unknown preset "{name}".{nearest(name, preset_names())} '
                "See: terrarium list presets"
            )
        values = read_toml(path)
        base = values.pop("base", "")
        layers.insert(0, layer_from_file(path, values))
        if not isinstance(base, str):
            raise ConfigError(f"{path}: base is {base}; it must be the name of a preset")
        name = base
    return layers


def check_settings(section: str, settings: Any, *checks: tuple[str, bool, str]) -> None:
    """Refuse the first setting that is not fine: its name, whether it is, and what is allowed."""
    for name, fine, allowed in checks:
        if not fine:
            value = getattr(settings, name)
            raise ConfigError(f"{section}.{name} is {value}; allowed: {allowed}")


def check_ranges(section: str, settings: Any, **ranges: tuple[float, float]) -> None:
    """Refuse the first setting that is not between the two numbers given for it."""
    for name, (low, high) in ranges.items():
        fine = low <= getattr(settings, name) <= high
        check_settings(section, settings, (name, fine, f"{low} to {high}"))


class Word(str):
    """A value as it was typed: what it means depends on what is expected."""


def given(kinds: Mapping[str, type[Any]], layers: Sequence[Layer]) -> dict[str, dict[str, Any]]:
    """What the layers say about each section, later ones last, as its dataclass wants it."""
    given: dict[str, dict[str, Any]] = {section: {} for section in kinds}
    for layer in layers:
        for section, table in layer.values.items():
            if section not in kinds:
                raise ConfigError(
                    f'{layer.source}: unknown section "{section}".{nearest(section, kinds)} '
                    f"Allowed: {', '.join(kinds)}"
                )
            given[section] |= _checked(kinds[section], table, section, layer.source)
    return given


def _checked(
    kind: type[Any], table: Mapping[str, Any], section: str, source: str
) -> dict[str, Any]:
    """The values of a table, as the types that a dataclass wants, or any that TOML knows."""
    if kind is dict:
        return {key: _read(x, None) if isinstance(x, Word) else x for key, x in table.items()}
    hints = get_type_hints(kind)
    inside = inner_sections(kind)
    names = [field.name for field in fields(kind) if field.name not in inside]
    values = {}
    for key, value in table.items():
        if key not in names:
            raise ConfigError(
                f'{source}: unknown setting "{section}.{key}".{nearest(key, names)} '
                f"Allowed: {', '.join(names)}"
            )
        values[key] = _convert(value, hints[key], f"{section}.{key}", source)
    needed = [field.name for field in fields(kind) if _is_needed(field)]
    if missing := [name for name in needed if name not in table]:
        raise ConfigError(f'{source}: {section} needs "{missing[0]}"')
    return values


def inner_sections(kind: type[Any]) -> dict[str, type[Any]]:
    """The dataclasses inside of one: parts of it that are set in a section of their own."""
    hints = get_type_hints(kind)
    return {
        field.name: hints[field.name]
        for field in fields(kind)
        if isinstance(hints[field.name], type) and is_dataclass(hints[field.name])
    }


def table_of(settings: Any) -> dict[str, Any]:
    """The values of a dataclass without those of its inner sections."""
    inside = inner_sections(type(settings))
    return {name: value for name, value in asdict(settings).items() if name not in inside}


def _is_needed(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _convert(value: Any, kind: Any, name: str, source: str) -> Any:
    """A value as the type of its field, or one line about why not."""
    if isinstance(kind, types.UnionType):  # X | None: leaving it out means None
        kind = get_args(kind)[0]
    if isinstance(value, Word):
        value = _read(value, kind)
    if get_origin(kind) is tuple:
        item = get_args(kind)[0]
        if not isinstance(value, list):
            raise ConfigError(f"{source}: {name} is {_shown(value)}; it must be a list")
        return tuple(_convert(entry, item, name, source) for entry in value)
    if isinstance(kind, type) and is_dataclass(kind):
        if not isinstance(value, Mapping):
            wanted = ", ".join(field.name for field in fields(kind))
            raise ConfigError(f"{source}: {name} holds {_shown(value)}; a table of {wanted} fits")
        return kind(**_checked(kind, value, name, source))
    if _is_notation(kind):
        return _noted(value, kind, name, source)
    if kind is float and type(value) is int:
        value = float(value)
    fits = type(value) is kind and not (kind is float and not math.isfinite(value))
    if not fits:
        raise ConfigError(f"{source}: {name} is {_shown(value)}; it must be {_KINDS[kind]}")
    return value


def _is_notation(kind: Any) -> bool:
    """Whether a type is a kind of text that means something, such as a schedule."""
    return isinstance(kind, type) and issubclass(kind, str) and kind is not str


def _noted(value: Any, kind: type[str], name: str, source: str) -> str:
    """A number or text as a notation, which knows itself what it takes."""
    if type(value) not in (int, float, str):
        raise ConfigError(f"{source}: {name} is {_shown(value)}; it must be a number or text")
    try:
        return kind(value)
    except TerrariumError as error:
        raise ConfigError(f"{source}: {name}: {error}") from None


def _read(word: Word, kind: Any) -> Any:
    """What a typed word means: text where text is wanted, else a value of TOML."""
    if kind is str:
        return str(word)
    try:
        value = tomllib.loads(f"value = {word}")
    except tomllib.TOMLDecodeError:
        return str(word)
    return value["value"] if value.keys() == {"value"} else str(word)


def _shown(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def to_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Tables as a TOML document: what `build` reads back."""
    parts = []
    for name, table in tables.items():
        lines = [f"{key} = {value_text(value)}" for key, value in table.items()]
        # Teams of other people's environments give names to sections, and may be called anything.
        heading = name if re.fullmatch("[A-Za-z0-9_-]+", name) else _quoted(name)
        parts.append("\n".join([f"[{heading}]", *lines]))
    return "\n\n".join(parts) + "\n"


def value_text(value: Any) -> str:
    """A value as it is written in TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {value_text(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(value_text(entry) for entry in value) + "]"
    raise TypeError(f"TOML has no {type(value).__name__}")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return (
        '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04X}" for c in escaped) + '"'
    )


@dataclass(frozen=True)
class Setting:
    """One setting, for people to read about."""

    name: str
    kind: str
    default: str
    meaning: str


def describe(section: str, kind: type[Any]) -> list[Setting]:
    """All settings of a section; their meanings are the strings below the fields."""
    meanings = field_docs(kind)
    hints = get_type_hints(kind)
    inside = inner_sections(kind)
    return [
        Setting(
            name=f"{section}.{field.name}",
            kind=_kind_name(hints[field.name]),
            default="" if field.default in (MISSING, None) else value_text(field.default),
            meaning=meanings.get(field.name, ""),
        )
        for field in fields(kind)
        if field.name not in inside
    ]


def _kind_name(kind: Any) -> str:
    if get_origin(kind) is tuple:
        return "list"
    if isinstance(kind, types.UnionType):
        return _kind_name(get_args(kind)[0])
    return str(kind.__name__).lower()


def field_docs(kind: type[Any]) -> dict[str, str]:
    """The string below each field of a dataclass and of those that it is based on."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if is_dataclass(base):
            docs |= _docs_in_source(base)
    return docs


def _docs_in_source(kind: type[Any]) -> dict[str, str]:
    import ast
    import inspect
    import textwrap

    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        is_doc = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_doc:
            docs[field.target.id] = " ".join(str(text.value.value).split())  # type: ignore[attr-defined]  # is_doc
    return docs
