"""The records of battles as files."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from terrarium.data.tables import FactsError
from terrarium.engine import codes
from terrarium.engine.kernels.orders.orders import FURTHEST
from terrarium.engine.records import Records
from terrarium.engine.simulator import MAX_SLOTS
from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import damaged
from terrarium.replay.frames import GIVEN, STEP, WHY, About, UnitType
from terrarium.replay.header import Header, read_seed, read_skills
from terrarium.replay.record import (
    MAX_REASONS,
    MAX_STEP_TICKS,
    MAX_STEPS,
    ExactRecord,
    LightRecord,
    Record,
)
from terrarium.replay.scenario_text import ScenarioText, read_terrain, write_terrain
from terrarium.replay.storage import columns as light
from terrarium.replay.storage.container import Body, read_container, seal, unseal, write_container
from terrarium.replay.storage.packing import pack, packed_size, unpack
from terrarium.replay.tables import table_bytes, table_of

KINDS = ("exact", "light")
_MAX_ROWS = 2**24
_MAX_UPGRADES = 256

_ABOUT = tuple(field.name for field in fields(About))
_TEXTS = tuple(field.name for field in fields(ScenarioText))
_TYPE = tuple(field.name for field in fields(UnitType))


def save_record(record: Record, path: str | Path) -> int:
    """Write a record; the size of the file in bytes."""
    return write_container(to_bytes(record), path)


def load_record(path: str | Path) -> Record:
    """Read a record that `save_record` wrote."""
    header, body = read_container(path)
    try:
        return read_record(header, body)
    except TerrariumError as error:
        raise ReplayError(f"{path}: {error}") from error


def to_bytes(record: Record) -> bytes:
    """The content of a record's file; equal records have equal bytes."""
    about = asdict(record.about) | {"seed": str(record.about.seed)}  # JSON's numbers are too short
    header: dict[str, Any] = {"kind": "exact", **about}
    if isinstance(record, ExactRecord):
        header["texts"] = asdict(record.scenario)
        header["reasons"] = list(record.reasons)
        header["sizes"] = {
            "steps": len(record.steps),
            "commands": len(record.commands),
            "whys": len(record.whys),
        }
        body = record.checksums.astype("<u8").tobytes()
        body += b"".join(map(table_bytes, (record.steps, record.commands, record.whys)))
    else:
        frames = record.frames
        header["kind"] = "light"
        header["terrain_name"] = frames.terrain.name
        header["terrain"] = write_terrain(frames.terrain)
        header["types"] = [asdict(unit_type) for unit_type in frames.types]
        header["skills"] = [asdict(skill) for skill in frames.skills]
        header["reasons"] = list(frames.reasons)
        header["sizes"] = light.sizes_of(frames)
        body = pack(light.to_columns(frames).values())
    return seal(header, body)


def from_bytes(content: bytes) -> Record:
    """Read what `to_bytes` wrote; the message of an error does not name the file."""
    return read_record(*unseal(content))


def read_record(header: Header, body: Body) -> Record:
    """The record of a battle from the parts of its file."""
    read = _read_exact if header.choice("kind", KINDS) == "exact" else _read_light
    return read(header, body)


def _read_exact(header: Header, body: Body) -> ExactRecord:
    header.only(("kind", *_ABOUT, "texts", "reasons", "sizes"))
    about = _about(header)
    texts = header.table("texts")
    texts.only(_TEXTS)
    scenario = ScenarioText(*(texts.text(name) for name in _TEXTS))
    reasons = header.short_texts("reasons", MAX_REASONS)
    sizes = _sizes(header, ("steps", "commands", "whys"))
    n_steps, n_commands, n_whys = sizes["steps"], sizes["commands"], sizes["whys"]
    wanted = 8 * (n_steps + 1) + n_steps * STEP.itemsize
    wanted += n_commands * GIVEN.itemsize + n_whys * WHY.itemsize
    raw = body.unpacked(wanted)
    checksums = np.frombuffer(raw, "<u8", n_steps + 1).astype(np.uint64)
    steps, at = table_of(raw, STEP, n_steps, checksums.nbytes)
    commands, at = table_of(raw, GIVEN, n_commands, at)
    whys, _ = table_of(raw, WHY, n_whys, at)
    _check_steps(steps, commands, about.n_slots)
    _check_whys(whys, n_steps, about.n_slots, len(reasons))
    for array in (checksums, steps, commands, whys):
        array.setflags(write=False)
    return ExactRecord(about, scenario, steps, commands, whys, reasons, checksums)


def _read_light(header: Header, body: Body) -> LightRecord:
    known = ("types", "skills", "reasons")
    header.only(("kind", *_ABOUT, "terrain_name", "terrain", *known, "sizes"))
    about = _about(header)
    types = tuple(_unit_type(table) for table in header.tables("types"))
    skills = read_skills(header)
    reasons = header.short_texts("reasons", MAX_REASONS)
    sizes = _sizes(header, light.TABLES)
    if not 1 <= len(types) <= MAX_SLOTS or sizes["units"] != about.n_slots:
        raise damaged("its numbers of units and types do not fit")
    layout = light.layout(sizes)
    columns = unpack(body.unpacked(packed_size(layout)), layout)
    try:
        terrain = read_terrain(header.short_text("terrain_name"), header.text("terrain"))
    except (FactsError, ValueError) as error:
        raise ReplayError(f"its terrain cannot be used: {error}") from error
    return LightRecord(light.from_columns(about, terrain, types, skills, reasons, columns))


def _about(header: Header) -> About:
    numbers = ("scenario_version", "ruleset_version", "rules_version")
    return About(
        title=header.short_text("title"),
        outcome=header.outcome("outcome"),
        seed=read_seed(header),
        scenario=header.short_text("scenario"),
        scenario_title=header.short_text("scenario_title"),
        ruleset=header.short_text("ruleset"),
        package_version=header.short_text("package_version"),
        n_slots=header.integer("n_slots", 1, MAX_SLOTS),
        fog=header.boolean("fog"),
        upgrades=_upgrades(header),
        **{name: header.integer(name, 0, 2**31) for name in numbers},
    )


def _upgrades(header: Header) -> tuple[tuple[str, ...], tuple[str, ...]]:
    sides = header.array("upgrades")
    if len(sides) != 2:
        raise header.error(f"{len(sides)} sides instead of 2", "upgrades")
    both = Header({"ally": sides[0], "enemy": sides[1]}, ("upgrades",))
    ally, enemy = (both.short_texts(side, _MAX_UPGRADES) for side in ("ally", "enemy"))
    return ally, enemy


def _unit_type(table: Header) -> UnitType:
    table.only(_TYPE)
    numbers = ("radius", "shield", "energy", "reach", "sight")
    return UnitType(
        name=table.short_text("name"),
        hp=table.number("hp", 0.01, 1e5),  # bars show shares of it
        flying=table.boolean("flying"),
        burrowed=table.boolean("burrowed"),
        form_of=table.short_text("form_of"),
        cargo=table.integer("cargo", 0, MAX_SLOTS),
        **{name: table.number(name, 0.0, 1e5) for name in numbers},
    )


def _sizes(header: Header, names: tuple[str, ...]) -> dict[str, int]:
    table = header.table("sizes")
    table.only(names)
    limits = {"units": MAX_SLOTS, "steps": MAX_STEPS, "samples": MAX_STEPS + 1}
    return {name: table.integer(name, 0, limits.get(name, _MAX_ROWS)) for name in names}


def _check_steps(steps: Records, commands: Records, n_slots: int) -> None:
    """Numbers that no recorder writes would send the engine out of its arrays."""
    n_ticks, n_commands = steps["n_ticks"], steps["n_commands"]
    if len(steps) and not (n_ticks.min() >= 0 and n_ticks.max() <= MAX_STEP_TICKS):
        raise damaged("a step has an impossible number of ticks")
    if len(steps) and n_commands.min() < 0:
        raise damaged("a step has an impossible number of commands")
    # The sum first: what it announces might not fit into the memory.
    fits = int(n_commands.sum(dtype=np.int64)) == len(commands)
    if not fits or (np.repeat(np.arange(len(steps)), n_commands) != commands["step"]).any():
        raise damaged("its commands do not belong to its steps")
    if not len(commands):
        return
    for name, low, high in (
        ("slot", 0, n_slots - 1),
        ("target", codes.NO_UNIT, n_slots - 1),
        ("kind", codes.MOVE, codes.CAST),
        ("ability", codes.NO_ABILITY, 2**15 - 1),
    ):
        if not (low <= commands[name].min() and commands[name].max() <= high):
            raise damaged(f"{name} of a command is outside {low} to {high}")
    for axis in "xy":
        # Written so that NaN, which compares false with everything, is refused as well.
        if not (np.abs(commands[axis]) < FURTHEST).all():
            raise damaged("a command leads to a point that is no place")


def _check_whys(whys: Records, n_steps: int, n_slots: int, n_reasons: int) -> None:
    for name, limit in (("step", n_steps), ("slot", n_slots), ("reason", n_reasons)):
        if len(whys) and (whys[name].min() < 0 or whys[name].max() >= limit):
            raise damaged(f"{name} of a reason is outside 0 to {limit - 1}")
    if (np.diff(whys["step"]) < 0).any():
        raise damaged("its reasons are not in the order of their steps")
