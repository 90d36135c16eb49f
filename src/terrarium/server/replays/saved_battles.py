"""Battles of one game as they are stored: what their client put in, step by step."""

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrarium import __version__
from terrarium.engine.records import Records
from terrarium.engine.simulator import MAX_SLOTS
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.games.ending import GameResult
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import damaged
from terrarium.replay.games.game_file import check_commands
from terrarium.replay.games.game_record import CHEATED, ORDERED, cheated, ordered
from terrarium.replay.header import read_seed
from terrarium.replay.record import checksum
from terrarium.replay.storage.container import seal, unseal
from terrarium.replay.tables import table_bytes, table_of
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.input_log import MAX_LOOPS, LoggedBattle
from terrarium.server.live_game import MAX_CHEATS, MAX_COMMANDS, LiveGame
from terrarium.server.maps.lookup import battle_named
from terrarium.server.seats import GameSeat, read_seat
from terrarium.server.session import Refused

KIND = "battles"
STEP = np.dtype([("n_loops", "i8")])
_TABLES = {"steps": STEP, "commands": ORDERED, "cheats": CHEATED}
_MAX_ROWS = 2**22


@dataclass(frozen=True, eq=False)
class SavedBattles:
    """The present battle of a game and those before it, as far as they are kept."""

    plan: GamePlan
    first: int
    """number of the first battle"""
    n_tags: int
    """of units of battles before it"""
    steps: Records
    """STEP"""
    commands: Records
    """ORDERED; their `tick` is the number of the step"""
    cheats: Records
    """CHEATED; the same"""
    checksum: int | None
    """of the state at the end, where it is known"""

    @property
    def players(self) -> tuple[GameSeat, ...]:
        """The seats of those who played."""
        return tuple(seat for seat in self.plan.seats if seat.plays)

    @property
    def results(self) -> tuple[GameResult, ...]:
        """Battles have none."""
        return tuple(GameResult.UNDECIDED for _ in self.players)

    @property
    def n_loops(self) -> int:
        return int(self.steps["n_loops"].sum())


def saved_battles(game: LiveGame) -> SavedBattles:
    """The battles of a game, up to now."""
    if not game.battles.is_whole:
        raise Refused(f"This battle is longer than the {MAX_LOOPS} loops that are kept")
    return _saved(game, game.battles.battles, checksum(game.sim, 0))


def last_battle(game: LiveGame) -> SavedBattles:
    """The last one of them that its client has played, without what began the next one."""
    played = [battle for battle in game.battles.battles if battle.steps]
    return _saved(game, (played or game.battles.battles)[-1:], None)


def _saved(game: LiveGame, battles: list[LoggedBattle], total: int | None) -> SavedBattles:
    first = battles[0]
    lengths = [n for battle in battles for n in battle.steps]
    commands = [part for battle in battles for part in battle.commands]
    cheats = [part for battle in battles for part in battle.cheats]
    return SavedBattles(
        game.plan,
        first.number,
        first.n_tags,
        np.array([(n,) for n in lengths], STEP),
        np.concatenate([np.zeros(0, ORDERED), *(ordered(c, k) for k, c in enumerate(commands))]),
        np.concatenate([np.zeros(0, CHEATED), *(cheated(c, k) for k, c in enumerate(cheats))]),
        total,
    )


def battles_to_bytes(saved: SavedBattles) -> bytes:
    """What `battles_from_bytes` reads."""
    served = saved.plan.map
    tables = {name: getattr(saved, name) for name in _TABLES}
    header: dict[str, Any] = {
        "kind": KIND,
        "rules_version": RULES_VERSION,
        "package_version": __version__,
        "map": served.title,
        "path": served.file_name,
        "scenario": saved.plan.map.ground.name,
        "seats": json.dumps([seat.table() for seat in saved.plan.seats]),
        "seed": str(saved.plan.seed),
        "first": saved.first,
        "n_tags": saved.n_tags,
        "checksum": str(saved.checksum),
        "sizes": {name: len(table) for name, table in tables.items()},
    }
    return seal(header, b"".join(map(table_bytes, tables.values())))


def battles_from_bytes(content: bytes) -> SavedBattles:
    """Read what `battles_to_bytes` wrote."""
    header, body = unseal(content)
    header.choice("kind", (KIND,))
    if header.integer("rules_version", 0, 2**31) != RULES_VERSION:
        raise ReplayError("it was recorded by other rules than these")
    scenario = battle_named(header.short_text("scenario").partition("/")[2])
    if scenario is None:
        raise ReplayError("its map is none of SMAC's")
    sizes = header.table("sizes")
    sizes.only(_TABLES)
    lengths = {name: sizes.integer(name, 0, _MAX_ROWS) for name in _TABLES}
    raw = body.unpacked(sum(n * _TABLES[name].itemsize for name, n in lengths.items()))
    tables, at = {}, 0
    for name, length in lengths.items():
        tables[name], at = table_of(raw, _TABLES[name], length, at)
    _check(tables)
    try:
        seats = tuple(read_seat(table) for table in json.loads(header.text("seats")))
        total = int(header.text("checksum"))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise damaged("what it says of its players cannot be read") from error
    plan = GamePlan(
        ServedMap(header.text("map")[:200], header.text("path")[:1000], scenario),
        seats,
        read_seed(header),
    )
    return SavedBattles(
        plan,
        header.integer("first", 0, 2**40),
        header.integer("n_tags", 0, 2**40),
        **tables,
        checksum=total,
    )


def _check(tables: dict[str, Records]) -> None:
    steps = tables["steps"]["n_loops"]
    if len(steps) and not 1 <= steps.min() <= steps.max() <= MAX_LOOPS:
        raise damaged("a step has an impossible number of loops")
    if int(steps.sum()) > 2 * MAX_LOOPS:
        raise damaged("it is longer than any record")
    check_commands(tables["commands"], MAX_SLOTS)
    for name, most in (("commands", MAX_COMMANDS), ("cheats", MAX_CHEATS)):
        ticks = tables[name]["tick"]
        if not len(ticks):
            continue
        if (np.diff(ticks) < 0).any() or ticks[0] < 0 or ticks[-1] >= len(steps):
            raise damaged(f"its {name} do not belong to its steps")
        if np.unique(ticks, return_counts=True)[1].max() > most:
            raise damaged(f"more {name} than any client may put in")
