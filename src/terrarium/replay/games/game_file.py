"""The records of whole games as files, in the container that battles use."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from terrarium.data.games.melee import Melee
from terrarium.data.maps.files import map_text, read_map_text
from terrarium.engine import codes
from terrarium.engine.kernels.orders.orders import FURTHEST
from terrarium.engine.land import LAYERS
from terrarium.engine.records import Records
from terrarium.engine.simulator import MAX_SLOTS
from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import damaged
from terrarium.replay.games import game_columns as light
from terrarium.replay.games.game_frames import (
    GAME_RESULTS,
    MAX_GAME_PLAYERS,
    ROLES,
    Fight,
    GameAbout,
    ThingType,
)
from terrarium.replay.games.game_record import (
    CHEATED,
    CHECK,
    GIVEN_UP,
    MAX_EXTRA,
    MAX_TICKS,
    ORDERED,
    ExactGameRecord,
    GameRecord,
    GameSetup,
    LightGameRecord,
)
from terrarium.replay.header import Header, read_seed, read_skills
from terrarium.replay.storage.container import Body, read_container, seal, unseal, write_container
from terrarium.replay.storage.packing import pack, packed_size, unpack
from terrarium.replay.tables import table_bytes, table_of

GAME_KINDS = ("exact_game", "light_game")
_MAX_ROWS = 2**24
_MAX_NAMES = 4096
_TABLES = {"commands": ORDERED, "surrenders": GIVEN_UP, "checks": CHECK, "cheats": CHEATED}
_MAY_BE_MISSING = ("cheats",)
"""of games in which there are none"""
_ABOUT = tuple(field.name for field in fields(GameAbout))
_TYPE = tuple(field.name for field in fields(ThingType))
_FIGHT = tuple(field.name for field in fields(Fight))


def save_game_record(record: GameRecord, path: str | Path) -> int:
    """Write a record; the size of the file in bytes."""
    return write_container(game_bytes(record), path)


def load_game_record(path: str | Path) -> GameRecord:
    """Read a record that `save_game_record` wrote."""
    header, body = read_container(path)
    try:
        return read_game_record(header, body)
    except TerrariumError as error:
        raise ReplayError(f"{path}: {error}") from error


def game_from_bytes(content: bytes) -> GameRecord:
    """Read what `game_bytes` wrote; the message of an error does not name the file."""
    return read_game_record(*unseal(content))


def game_bytes(record: GameRecord) -> bytes:
    """The content of a record's file; equal records have equal bytes."""
    about = asdict(record.about) | {"seed": str(record.about.seed)}  # JSON's numbers are too short
    header: dict[str, Any] = {"kind": GAME_KINDS[isinstance(record, LightGameRecord)], **about}
    if isinstance(record, ExactGameRecord):
        setup = record.setup
        header |= {
            "map": map_text(setup.melee.map),
            "map_name": setup.melee.map.name,
            "with_fog": setup.melee.fog,
            "ticks_per_step": setup.melee.ticks_per_step,
            "n_slots": setup.n_slots,
            "teams": setup.teams,
            "layers": setup.layers,
        }
        if record.extra:
            header["extra"] = record.extra
        tables = {name: getattr(record, name) for name in _TABLES}
        for name in _MAY_BE_MISSING:
            if not len(tables[name]):
                del tables[name]
        header["sizes"] = {name: len(table) for name, table in tables.items()}
        return seal(header, b"".join(map(table_bytes, tables.values())))
    frames = record.frames
    header |= {
        "map": map_text(frames.map),
        "map_name": frames.map.name,
        "types": [asdict(thing) for thing in frames.types],
        "skills": [asdict(skill) for skill in frames.skills],
        "products": frames.products,
        "upgrades": frames.upgrades,
        "queues": frames.queues,
        "fights": [asdict(fight) for fight in frames.fights],
        "sizes": light.sizes_of(frames),
    }
    return seal(header, pack(light.to_columns(frames).values()))


def read_game_record(header: Header, body: Body) -> GameRecord:
    """The record of a game from the parts of its file."""
    kind = header.choice("kind", GAME_KINDS)
    return _read_exact(header, body) if kind == "exact_game" else _read_light(header, body)


def _read_exact(header: Header, body: Body) -> ExactGameRecord:
    own = ("map", "map_name", "with_fog", "ticks_per_step", "n_slots", "teams", "layers", "sizes")
    header.only(("kind", *_ABOUT, *own, *(("extra",) if header.has("extra") else ())))
    about = _about(header)
    try:
        melee = Melee(
            map=read_map_text(header.text("map"), header.short_text("map_name")),
            races=about.races,
            rules=about.ruleset,
            fog=header.boolean("with_fog"),
            ticks_per_step=header.integer("ticks_per_step", 1, MAX_TICKS),
        )
    except (TerrariumError, ValueError) as error:
        raise ReplayError(f"its map cannot be used: {error}") from error
    setup = GameSetup(
        melee, header.integer("n_slots", 1, MAX_SLOTS), _teams(header, about), _layers(header)
    )
    sizes = header.table("sizes")
    sizes.only(_TABLES)
    lengths = {
        name: sizes.integer(name, 0, _MAX_ROWS)
        for name in _TABLES
        if name not in _MAY_BE_MISSING or sizes.has(name)
    }
    raw = body.unpacked(sum(n * _TABLES[name].itemsize for name, n in lengths.items()))
    tables, at = {}, 0
    for name, length in lengths.items():
        tables[name], at = table_of(raw, _TABLES[name], length, at)
        tables[name].setflags(write=False)
    _check_times(tables)
    check_commands(tables["commands"], setup.n_slots)
    owners = tables["surrenders"]["owner"]
    if not np.isin(owners, np.arange(1, len(about.players) + 1)).all():
        raise damaged("nobody knows who surrendered")
    extra = header.text("extra") if header.has("extra") else ""
    if len(extra) > MAX_EXTRA:
        raise damaged("a text in it is too long")
    return ExactGameRecord(about, setup, **tables, extra=extra)


def _check_times(tables: dict[str, Records]) -> None:
    """Times in their order; a check at the beginning, and one at the end."""
    checks = tables["checks"]["tick"]
    if len(checks) < 1 or (np.diff(checks) <= 0).any() or checks[0] < 0 or checks[-1] > MAX_TICKS:
        raise damaged("its checksums are not in the order of time")
    for name in ("commands", "surrenders", "cheats"):
        if name not in tables:
            continue
        ticks = tables[name]["tick"]
        if (np.diff(ticks) < 0).any():
            raise damaged(f"its {name} are not in the order of time")
        if len(ticks) and not (checks[0] <= ticks[0] and ticks[-1] <= checks[-1]):
            raise damaged(f"{name} were given before the game or after it")


def check_commands(commands: Records, n_slots: int) -> None:
    """Numbers that no recorder writes."""
    for name, low, high in (
        ("unit", 0, n_slots - 1),
        ("target", -n_slots, n_slots - 1),
        ("kind", 0, light.N_ORDERS - 1),
        ("ability", codes.NO_ABILITY, 2**15 - 1),
        ("owner", 0, MAX_GAME_PLAYERS),
    ):
        if len(commands) and not (low <= commands[name].min() and commands[name].max() <= high):
            raise damaged(f"{name} of a command is outside {low} to {high}")
    for axis in "xy":
        # Written so that NaN, which compares false with everything, is refused as well.
        if not (np.abs(commands[axis]) < FURTHEST).all():
            raise damaged("a command leads to a point that is no place")


def _read_light(header: Header, body: Body) -> LightGameRecord:
    known = ("types", "skills", "products", "upgrades", "queues", "fights")
    header.only(("kind", *_ABOUT, "map", "map_name", *known, "sizes"))
    about = _about(header)
    types = tuple(_thing_type(table) for table in header.tables("types"))
    products = header.short_texts("products", _MAX_NAMES)
    upgrades = header.short_texts("upgrades", _MAX_NAMES)
    skills, queues = read_skills(header), _queues(header, len(products))
    sizes = header.table("sizes")
    n_sights = len(about.players) if about.fog and sizes.has("sight0") else 0
    names = light.size_names(n_sights)
    sizes.only(names)
    lengths = {name: sizes.integer(name, 0, _limit(name)) for name in names}
    layout = light.layout(lengths, len(about.players))
    columns = unpack(body.unpacked(packed_size(layout)), layout)
    fights = tuple(_fight(table, lengths["samples"], about) for table in header.tables("fights"))
    try:
        game_map = read_map_text(header.text("map"), header.short_text("map_name"))
    except (TerrariumError, ValueError) as error:
        raise ReplayError(f"its map cannot be used: {error}") from error
    whole = light.GameHeader(about, game_map, types, skills, products, upgrades, queues, fights)
    return LightGameRecord(light.from_columns(whole, columns))


def _limit(name: str) -> int:
    return 65_535 if name in ("samples", "lives", "curves", "losses") else _MAX_ROWS


def _about(header: Header) -> GameAbout:
    players = header.short_texts("players", MAX_GAME_PLAYERS)
    races = header.short_texts("races", MAX_GAME_PLAYERS)
    results = header.short_texts("results", MAX_GAME_PLAYERS)
    if not len(players) == len(results) >= len(races) >= 1:
        raise damaged("its players, races and results are not as many")
    for result in results:
        if result not in GAME_RESULTS:
            raise header.error(f"{result!r} is no result", "results")
    return GameAbout(
        title=header.short_text("title"),
        seed=read_seed(header),
        players=players,
        races=races,
        results=results,
        fog=header.boolean("fog"),
        ruleset=header.short_text("ruleset"),
        package_version=header.short_text("package_version"),
        ruleset_version=header.integer("ruleset_version", 0, 2**31),
        rules_version=header.integer("rules_version", 0, 2**31),
    )


def _teams(header: Header, about: GameAbout) -> tuple[tuple[int, ...], ...]:
    teams = header.array("teams")
    for team in teams:
        if not isinstance(team, list) or any(type(player) is not int for player in team):
            raise header.error(f"{team!r} is not a list of players", "teams")
    if sorted(player for team in teams for player in team) != list(
        range(1, len(about.players) + 1)
    ):
        raise header.error("they do not hold each player once", "teams")
    return tuple(tuple(team) for team in teams)


def _layers(header: Header) -> tuple[str, ...]:
    layers = header.short_texts("layers", len(LAYERS))
    if not LAYERS.issuperset(layers):
        raise header.error(f"{sorted(layers)} are not layers of the ground", "layers")
    return layers


def _queues(header: Header, n_products: int) -> tuple[tuple[int, ...], ...]:
    queues = header.array("queues")
    for queue in queues:
        if not isinstance(queue, list) or not all(
            type(product) is int and 0 <= product < n_products for product in queue
        ):
            raise header.error(f"{queue!r} is not a list of products", "queues")
    if not queues or len(queues) > 65_535:
        raise header.error(f"{len(queues)} of them", "queues")
    return tuple(tuple(queue) for queue in queues)


def _fight(table: Header, n_samples: int, about: GameAbout) -> Fight:
    table.only(_FIGHT)
    first = table.integer("first", 0, n_samples - 1)
    lost = table.numbers("lost", len(about.players))
    return Fight(
        first,
        table.integer("last", first, n_samples - 1),
        table.number("x", 0.0, 1e3),
        table.number("y", 0.0, 1e3),
        lost,
    )


def _outline(table: Header) -> tuple[tuple[float, float], ...]:
    corners = table.array("outline")
    for corner in corners:
        if not (
            isinstance(corner, list) and len(corner) == 2 and set(map(type, corner)) == {float}
        ):
            raise table.error(f"{corner!r} is not a corner", "outline")
    return tuple((x, y) for x, y in corners)


def _thing_type(table: Header) -> ThingType:
    table.only(_TYPE)
    numbers = ("radius", "shield", "energy", "reach", "sight", "value")
    return ThingType(
        name=table.short_text("name"),
        race=table.short_text("race"),
        hp=table.number("hp", 0.01, 1e5),  # bars show shares of it
        flying=table.boolean("flying"),
        burrowed=table.boolean("burrowed"),
        form_of=table.short_text("form_of"),
        cargo=table.integer("cargo", 0, MAX_SLOTS),
        role=table.choice("role", ROLES),
        width=table.integer("width", 0, 32),
        height=table.integer("height", 0, 32),
        outline=_outline(table),
        **{name: table.number(name, 0.0, 1e5) for name in numbers},
    )
