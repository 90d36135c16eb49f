"""Levels of computer opponents: how they develop, and how well they fight."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from types import MappingProxyType

from terrarium.data.games.melee import WORKERS
from terrarium.data.tables import Table

RACES = tuple(WORKERS)
_FILE = Path(__file__).parent / "levels.toml"
_FLAGS = (
    "regroups", "counterattacks", "adapts", "uses_energy", "focuses", "sees_all",
)  # fmt: skip
_NUMBERS = {
    "slowdown": 1.0,
    "retreat_ratio": 0.0,
    "attack_ratio": 0.0,
    "army_ratio": 0.0,
    "army_rate": 0.0,
    "pulls_against": 0.0,
    "upgrades_from": 0.0,
    "scouts_from": 0.0,
    "scouts_every": 0.0,
    "income": 1.0,
    "decision_ticks": None,
    "first_wave": None,
    "wave_value": None,
}
"""with their defaults; None: it has to be said"""

Schedule = tuple[float, ...]
LATE_TICKS = 10_000.0
"""after the schedule, in which an army grows by as much as it has at its end"""


@dataclass(frozen=True)
class Opening:
    """From which loop on a player builds its first structures."""

    supply: float
    production: float
    gas: float


@dataclass(frozen=True)
class Level:
    """One level of computer opponents, by the name of the game's API."""

    name: str
    title: str
    loops: Schedule
    """the loops of `workers` and `army`"""
    workers: Mapping[str, Schedule]
    """by race: how many it has"""
    army: Mapping[str, Schedule]
    """by race: minerals and gas of its army units"""
    expansions: Mapping[str, Schedule]
    """by race: from which loops on it takes its second base, its third, ..."""
    opening: Mapping[str, Opening]
    """by race, where it differs from that of the race"""
    decision_ticks: float
    """ticks from decision to decision"""
    slowdown: float
    """what the loops of its build are multiplied by"""
    first_wave: float
    """from which loop on it attacks"""
    wave_value: float
    """of the army that it attacks with, at least"""
    retreat_ratio: float
    """retreats where its strength is less than this share of the enemy's; 0: never"""
    attack_ratio: float
    """attacks only with this many times what is known of the enemy's army; 0: with any"""
    army_ratio: float
    """has at least this many times what is known of the enemy's army, before it has more workers;
    0: does not care"""
    army_rate: float
    """minerals and gas for army units that it spends in a tick, at most; 0: all it has"""
    pulls_against: float
    """workers help to defend against attackers of up to this value"""
    upgrades_from: float
    """from which loop on it researches; 0: never"""
    scouts_from: float
    """from which loop on a worker looks for the enemy; 0: never"""
    scouts_every: float
    """ticks from a scout to the next one; 0: there is only one"""
    income: float
    """what it gathers is multiplied by: a cheat where it is not 1"""
    regroups: bool
    """an army waits for its last before it attacks"""
    counterattacks: bool
    """after an attack on its bases that it has beaten, without a wait"""
    adapts: bool
    """has more of what hits flyers, the more of the enemy's army flies"""
    uses_energy: bool
    """MULEs, Chrono Boost, Spawn Larva"""
    focuses: bool
    """units in a fight shoot at the weakest enemy in reach"""
    sees_all: bool
    """a cheat: no fog"""

    def workers_at(self, race: str, loop: float) -> float:
        return _interpolate(self.loops, self.workers[race], loop)

    def army_at(self, race: str, loop: float) -> float:
        return _interpolate(self.loops, self.army[race], loop) * self.late_growth(loop)

    def late_growth(self, loop: float) -> float:
        """Armies grow on after the schedule, so that games of equals do not last for ever."""
        return 1.0 + max(0.0, loop - self.loops[-1]) / LATE_TICKS


def _interpolate(xs: Schedule, ys: Schedule, x: float) -> float:
    for k in range(1, len(xs)):
        if x < xs[k]:
            share = (x - xs[k - 1]) / (xs[k] - xs[k - 1])
            return ys[k - 1] + share * (ys[k] - ys[k - 1])
    return ys[-1]


@cache
def levels() -> Mapping[str, Level]:
    """Every level, the weakest first."""
    table = Table.read(_FILE, "opponents/levels.toml")
    table.only(("loops", "level"))
    loops = table.numbers("loops")
    listed = table.table("level")
    found: dict[str, Level] = {}
    for name in listed.values:
        found[name] = _level(name, listed.table(name), loops, found)
    return MappingProxyType(found)


def _level(name: str, table: Table, loops: Schedule, others: Mapping[str, Level]) -> Level:
    table.only(("base", *(f.name for f in fields(Level) if f.name not in ("name", "loops"))))
    base = others[table.choice("base", others)] if table.has("base") else None
    numbers = {key: _number(table, key, default, base) for key, default in _NUMBERS.items()}
    flags = {
        key: table.boolean(key) if table.has(key) else base is not None and bool(getattr(base, key))
        for key in _FLAGS
    }
    return Level(
        name=name,
        title=table.text("title"),
        loops=loops,
        workers=_schedules(table, "workers", base, len(loops)),
        army=_schedules(table, "army", base, len(loops)),
        expansions=_schedules(table, "expansions", base, None),
        opening=_openings(table, base),
        **numbers,  # type: ignore[arg-type]  # mypy does not know which keys are there
        **flags,
    )


def _number(table: Table, key: str, default: float | None, base: Level | None) -> float:
    if table.has(key):
        return table.number(key, 0)
    if base is not None:
        return float(getattr(base, key))
    return table.number(key, 0) if default is None else default


def _schedules(
    table: Table, key: str, base: Level | None, length: int | None
) -> Mapping[str, Schedule]:
    given = dict(getattr(base, key)) if base else {}
    if table.has(key):
        part = table.table(key)
        part.only(RACES)
        given |= {race: part.numbers(race, length) for race in part.values}
    if set(given) != set(RACES):
        raise table.error(f"one list for each race is needed: {', '.join(RACES)}", key)
    return MappingProxyType(given)


def _openings(table: Table, base: Level | None) -> Mapping[str, Opening]:
    given = dict(base.opening) if base else {}
    if table.has("opening"):
        part = table.table("opening")
        part.only(RACES)
        given |= {race: read_opening(part.table(race)) for race in part.values}
    return MappingProxyType(given)


def read_opening(table: Table) -> Opening:
    names = [field.name for field in fields(Opening)]
    table.only(names)
    return Opening(**{name: table.number(name, 0) for name in names})
