"""Frames of a battle as columns of small whole numbers: one row a unit, one entry a sample."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Terrain
from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import (
    DEATH,
    GIVEN,
    MISSILE,
    SAMPLE,
    SPAN,
    SPAN_KINDS,
    STEP,
    WHY,
    About,
    Frames,
    Skill,
    UnitType,
)
from terrarium.replay.storage.packing import HIGHEST, Columns

PLACE_STEPS = 128  # of a cell: a coordinate up to 512, with a sign up to 256
LIFE_STEPS = 16  # of a point: up to 4096
FACING_STEPS = 256  # of a circle
_LIVES = ("hp", "hp_max", "shield", "energy")
_SIGN = 32_768

Sizes = Mapping[str, int]

_FLAGS = (
    *("alive", "attacking", "fired", "healing"),
    *("cloaked", "rooted", "disarmed", "silenced", "untouchable", "lifted"),
    *("seen_by_allies", "seen_by_enemies"),
)
_POINTERS = ("inside", "target", "order_target", "order_skill")
"""Hold 0 for nobody and nothing."""
UNIT_COLUMNS = (
    *("kind", "side", "flags", "x", "y", "facing", "hp", "hp_max", "shield", "energy", "inside"),
    *("target", "order", "order_skill", "order_target", "order_x", "order_y"),
)
_TABLES = {
    "samples": ("ticks",),
    "missiles": ("sample", "side", "skill", "x", "y", "dx", "dy"),
    "deaths": ("tick_low", "tick_high", "slot", "kind", "side", "killer", "x", "y"),
    "spans": (
        *("what", "skill", "side", "slot", "target", "tick_low", "tick_high"),
        *("until_low", "until_high", "ticks", "x", "y"),
    ),
    "steps": ("n_ticks",),
    "commands": ("step", "slot", "kind", "ability", "target", "x", "y", "queued"),
    "whys": ("step", "slot", "reason"),
}
TABLES = ("units", *_TABLES)


def sizes_of(frames: Frames) -> dict[str, int]:
    """How long everything is."""
    return {
        "units": frames.units.shape[1],
        "samples": len(frames.ticks),
        "missiles": len(frames.missiles),
        "deaths": len(frames.deaths),
        "spans": len(frames.spans),
        "steps": len(frames.steps),
        "commands": len(frames.commands),
        "whys": len(frames.whys),
    }


def layout(sizes: Sizes) -> list[tuple[str, int, int]]:
    """Name, rows and length of every column, in their order."""
    units = [(f"units.{name}", sizes["units"], sizes["samples"]) for name in UNIT_COLUMNS]
    return units + [(f"{t}.{name}", 1, sizes[t]) for t, names in _TABLES.items() for name in names]


def to_columns(frames: Frames) -> Columns:
    """Round everything to small numbers."""
    units, missiles, deaths = frames.units.T, frames.missiles, frames.deaths  # [U, T], [M], [D]
    spans, commands, whys = frames.spans, frames.commands, frames.whys
    columns: dict[str, NDArray[np.generic]] = {
        "units.kind": units["kind"],
        "units.side": units["side"],
        "units.flags": sum(units[name].astype(np.uint16) << b for b, name in enumerate(_FLAGS)),
        "units.facing": np.rint(units["facing"] * (FACING_STEPS / (2 * np.pi))) % FACING_STEPS,
        "units.order": units["order"],
        "samples.ticks": np.diff(frames.ticks, prepend=0),
        "missiles.sample": missiles["sample"],
        "missiles.side": missiles["side"],
        "missiles.skill": missiles["skill"] + 1,
        "deaths.slot": deaths["slot"],
        "deaths.kind": deaths["kind"],
        "deaths.side": deaths["side"],
        "deaths.killer": deaths["killer"] + 1,
        "spans.what": spans["what"],
        "spans.skill": spans["skill"] + 1,
        "spans.side": spans["side"],
        "spans.slot": spans["slot"],
        "spans.target": spans["target"] + 1,
        "spans.ticks": np.rint(spans["ticks"]),
        "steps.n_ticks": frames.steps["n_ticks"],
        "commands.step": commands["step"],
        "commands.slot": commands["slot"],
        "commands.kind": commands["kind"],
        "commands.ability": commands["ability"] + 1,
        "commands.target": commands["target"] + 1,
        "commands.queued": commands["queued"],
        "whys.step": whys["step"],
        "whys.slot": whys["slot"],
        "whys.reason": whys["reason"],
    }
    for table, values, name in _times(frames):
        columns[f"{table}.{name}_low"] = values[name] & HIGHEST
        columns[f"{table}.{name}_high"] = values[name] >> 16
    for name in _POINTERS:
        columns[f"units.{name}"] = units[name] + 1
    for name in _LIVES:
        columns[f"units.{name}"] = np.rint(units[name] * LIFE_STEPS)
    for name in ("x", "y", "order_x", "order_y"):
        columns[f"units.{name}"] = np.rint(units[name] * PLACE_STEPS)
    for table, values, names in _places(frames):
        for name in names:
            columns[f"{table}.{name}"] = np.rint(values[name] * PLACE_STEPS) + _SIGN
    return {
        name: np.clip(columns[name], 0, HIGHEST).astype(np.uint16).reshape(rows, length)
        for name, rows, length in layout(sizes_of(frames))
    }


def from_columns(
    about: About,
    terrain: Terrain,
    types: tuple[UnitType, ...],
    skills: tuple[Skill, ...],
    reasons: tuple[str, ...],
    columns: Columns,
) -> Frames:
    """The frames that were rounded; what no battle could hold is refused."""
    wide = {name: column.astype(np.int64) for name, column in columns.items()}
    n_units, n_samples = columns["units.kind"].shape
    units = np.zeros((n_units, n_samples), SAMPLE)
    for name in ("kind", "side", "order"):
        units[name] = wide[f"units.{name}"]
    for b, name in enumerate(_FLAGS):
        units[name] = wide["units.flags"] >> b & 1
    for name in _POINTERS:
        units[name] = wide[f"units.{name}"] - 1
    for name in _LIVES:
        units[name] = wide[f"units.{name}"] / LIFE_STEPS
    for name in ("x", "y", "order_x", "order_y"):
        units[name] = wide[f"units.{name}"] / PLACE_STEPS
    units["facing"] = wide["units.facing"] * (2 * np.pi / FACING_STEPS)
    deaths = _table(wide, "deaths", DEATH, ("slot", "kind", "side"))
    deaths["killer"] = wide["deaths.killer"][0] - 1
    missiles = _table(wide, "missiles", MISSILE, ("sample", "side"))
    missiles["skill"] = wide["missiles.skill"][0] - 1
    spans = _table(wide, "spans", SPAN, ("what", "side", "slot", "ticks"))
    commands = _table(wide, "commands", GIVEN, ("step", "slot", "kind", "queued"))
    for table, values in (("spans", spans), ("commands", commands)):
        for name in ("target", "skill" if table == "spans" else "ability"):
            values[name] = wide[f"{table}.{name}"][0] - 1
    steps = _table(wide, "steps", STEP, ("n_ticks",))
    steps["n_commands"] = np.bincount(commands["step"], minlength=len(steps))[: len(steps)]
    frames = Frames(
        about=about,
        terrain=terrain,
        types=types,
        skills=skills,
        reasons=reasons,
        ticks=np.cumsum(wide["samples.ticks"][0], dtype=np.int64),
        units=np.ascontiguousarray(units.T),
        missiles=missiles,
        deaths=deaths,
        spans=spans,
        steps=steps,
        commands=commands,
        whys=_table(wide, "whys", WHY, ("step", "slot", "reason")),
    )
    for table, values, name in _times(frames):
        low, high = (wide[f"{table}.{name}_{part}"][0] for part in ("low", "high"))
        values[name] = low + (high % _SIGN << 16)
    for table, values, names in _places(frames):
        for name in names:
            values[name] = (wide[f"{table}.{name}"][0] - _SIGN) / PLACE_STEPS
    _check(frames, wide)
    return frames


def rounded(frames: Frames) -> Frames:
    """The frames as they look after they were stored."""
    known = (frames.about, frames.terrain, frames.types, frames.skills, frames.reasons)
    return from_columns(*known, to_columns(frames))


def _places(frames: Frames) -> list[tuple[str, Records, tuple[str, ...]]]:
    """The tables outside of the units that hold places, which may have a sign."""
    return [
        ("missiles", frames.missiles, ("x", "y", "dx", "dy")),
        ("deaths", frames.deaths, ("x", "y")),
        ("spans", frames.spans, ("x", "y")),
        ("commands", frames.commands, ("x", "y")),
    ]


def _times(frames: Frames) -> list[tuple[str, Records, str]]:
    """The ticks that need more than 16 bits."""
    deaths, spans = frames.deaths, frames.spans
    return [("deaths", deaths, "tick"), ("spans", spans, "tick"), ("spans", spans, "until")]


def _table(
    wide: Mapping[str, NDArray[np.int64]],
    table: str,
    dtype: np.dtype[np.void],
    names: tuple[str, ...],
) -> Records:
    values = np.zeros(wide[f"{table}.{names[0]}"].shape[1], dtype)
    for name in names:
        values[name] = wide[f"{table}.{name}"][0]
    return values


def _check(frames: Frames, wide: Mapping[str, NDArray[np.int64]]) -> None:
    """Every number that points at something points at something that is there."""
    n_samples, n_units = frames.units.shape
    limits = {
        "kind": len(frames.types),
        "side": 2,
        "slot": n_units,
        "inside": n_units + 1,  # from here to `ability` they hold 0 for nobody and nothing
        "target": n_units + 1,
        "order_target": n_units + 1,
        "killer": n_units + 1,
        "skill": len(frames.skills) + 1,
        "order_skill": len(frames.skills) + 1,
        "ability": len(frames.skills) + 1,
        "what": len(SPAN_KINDS),
        "reason": len(frames.reasons),
        "order": codes.CAST + 1,
        "flags": 1 << len(_FLAGS),
        "facing": FACING_STEPS,
        "sample": n_samples,
        "step": len(frames.steps),
        "queued": 2,
        "tick_high": _SIGN,
        "until_high": _SIGN,
    }
    for column, values in wide.items():
        table, name = column.split(".")
        limit = codes.CAST + 1 if column == "commands.kind" else limits.get(name)
        if limit is not None and values.size and values.max() >= limit:
            raise ReplayError(f"{column} is {values.max()}; it must be less than {limit}")
        if name in ("sample", "step") and (np.diff(values) < 0).any():
            raise ReplayError(f"{table} are not in the order of their {name}s")
    if (frames.spans["skill"] < 0).any():
        raise ReplayError("something lasts for a while, and nobody knows what it is")
    if (np.diff(frames.spans["tick"]) < 0).any():
        raise ReplayError("spans are not in the order of their ticks")
    if n_samples == 0 or (np.diff(frames.ticks) < 0).any() or frames.ticks[0] < 0:
        raise ReplayError("a battle needs at least one sample, in the order of time")
