"""What lasts for a while: buffs, casts, changes of form, locks, and areas on the ground."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

import numpy as np

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.replay.frames import SPAN, SPAN_KINDS, side_of
from terrarium.replay.skills import SkillTable

_ZONE = "liberator_zone"
_LONGEST = 1e6
"""Ticks: what is to last longer lasts until something ends it."""
_BRIEF = 2.0
"""An area renews what it does to those inside in each tick, for no longer than this."""
_AGAIN = 1.5
"""Ticks by which the end of something moves when it begins anew."""


@dataclass
class _Span:
    """Something that is there in this tick."""

    what: str
    skill: int
    side: int
    slot: int
    target: int
    left: float
    x: float
    y: float
    tick: int = 0

    @property
    def row(self) -> tuple[object, ...]:
        kind = SPAN_KINDS.index(self.what)
        return kind, self.skill, self.side, self.slot, self.target


class SpanWatcher:
    """Follows one game, and notes when something begins and ends."""

    def __init__(self, sim: Simulator, e: int, skills: SkillTable) -> None:
        self._sim, self._e, self._skills = sim, e, skills
        self._open: dict[Hashable, _Span] = {}
        self._over: list[tuple[_Span, int]] = []

    def watch(self, tick: int) -> None:
        """Compare what is there with what was there before."""
        now = dict(self._found())
        for key in [key for key in self._open if key not in now]:
            self._over.append((self._open.pop(key), tick))
        for key, span in now.items():
            before = self._open.get(key)
            if before is not None:
                if not _begins_anew(before, span, tick):
                    continue
                self._over.append((before, tick))
            span.tick = tick
            self._open[key] = span

    def spans(self, tick: int) -> Records:
        """Everything so far; what is still there lasts at least until `tick`."""
        everything = self._over + [(span, tick + 1) for span in self._open.values()]
        everything.sort(key=lambda pair: pair[0].tick)
        rows = [(*s.row, s.tick, until, s.left, s.x, s.y) for s, until in everything]
        return np.array(rows, SPAN)

    def _found(self) -> Iterator[tuple[Hashable, _Span]]:
        units = self._sim.units[self._e]
        there = (units["alive"] | (units["inside"] >= 0)) & (units["tag"] > 0)
        status = np.where(there, units["status"], 0)
        if (status & codes.BUFFED).any():
            yield from self._buffs(units, (status & codes.BUFFED) > 0)
        for u in np.flatnonzero(status & (codes.CASTING | codes.MORPHING | codes.ZONED)).tolist():
            yield from self._doings(units[u], u)
        n_effects = int(self._sim.games.clock["n_effects"][self._e, 0])
        effects = self._sim.games.effects[self._e, :n_effects]
        for effect in effects[effects["stage"] >= codes.DELAYED]:
            if effect["stage"] == codes.LYING:
                yield from self._area(units, effect)
            elif effect["stage"] != codes.SPELL_FLYING:  # missiles have samples of their own
                yield self._effect(units, effect)

    def _buffs(self, units: Records, buffed: Records) -> Iterator[tuple[Hashable, _Span]]:
        buffs = self._sim.games.buffs[self._e]
        for u, b in np.argwhere(buffed[:, None] & (buffs["row"] >= 0)).tolist():
            buff, me = buffs[u, b], units[u]
            left = float(buff["ticks"])
            skill = self._skills.buff(int(buff["row"]))
            yield (
                ("buff", int(me["tag"]), int(buff["row"])),
                _Span(
                    "buff",
                    skill,
                    side_of(int(buff["owner"])),
                    u,
                    codes.NO_UNIT,
                    _known(left),
                    0.0,
                    0.0,
                ),
            )

    def _doings(self, me: Records, u: int) -> Iterator[tuple[Hashable, _Span]]:
        """What a unit casts, what it turns into, and where a Liberator shoots."""
        skill, tag, side = (
            self._sim.games.skills[self._e, u],
            int(me["tag"]),
            side_of(int(me["owner"])),
        )
        if me["status"] & codes.CASTING and skill["cast"] >= 0:
            row, target = int(skill["cast"]), int(skill["target"])
            aimed = self._sim.rules.abilities["aim"][row] != codes.AIM_NONE
            x, y = (skill["x"], skill["y"]) if aimed else (me["x"], me["y"])
            yield (
                ("cast", tag, row, int(skill["phase"]), target),
                self._ability("cast", row, side, u, target, float(skill["timer"]), (x, y)),
            )
        if me["status"] & codes.MORPHING and skill["morph"] >= 0:
            row, left = int(skill["morph"]), float(skill["morph_timer"])
            here = (me["x"], me["y"])
            yield (
                ("morph", tag, row),
                self._ability("morph", row, side, u, codes.NO_UNIT, left, here),
            )
        if me["status"] & codes.ZONED and _ZONE in self._sim.known.areas:
            x, y = float(skill["zone_x"]), float(skill["zone_y"])
            area = self._skills.area(self._sim.known.areas[_ZONE])
            span = _Span("area", area, side, u, codes.NO_UNIT, 0.0, x, y)
            yield ("zone", tag, x, y), span

    def _ability(
        self, what: str, row: int, side: int, u: int, v: int, left: float, at: tuple[float, float]
    ) -> _Span:
        x, y = float(at[0]), float(at[1])
        return _Span(what, self._skills.ability(row), side, u, v, _known(left), x, y)

    def _area(self, units: Records, effect: Records) -> Iterator[tuple[Hashable, _Span]]:
        """What lies on the ground, or moves with somebody."""
        row, side, u = int(effect["area"]), side_of(int(effect["owner"])), int(effect["source"])
        tags = int(effect["source_tag"]), int(effect["target_tag"])
        x, y, left = (float(effect[name]) for name in ("x", "y", "timer"))
        v, follows = codes.NO_UNIT, self._sim.rules.areas["follows"][row]
        if follows == codes.FOLLOWS_USER:
            if not _is_unit(units, u, tags[0]):
                return  # the engine is about to remove it
            v = u
        elif follows == codes.FOLLOWS_TARGET and _is_unit(units, int(effect["target"]), tags[1]):
            v = int(effect["target"])
        key = ("area", row, *tags, int(effect["born"]), (x, y) if v < 0 else v)
        yield key, _Span("area", self._skills.area(row), side, u, v, _known(left), x, y)

    def _effect(self, units: Records, effect: Records) -> tuple[Hashable, _Span]:
        """What an ability has under way: a lock, something that falls, a unit that appears."""
        row, side, u = int(effect["ability"]), side_of(int(effect["owner"])), int(effect["source"])
        tags = int(effect["source_tag"]), int(effect["target_tag"])
        v, left = int(effect["target"]), float(effect["timer"])
        at = float(effect["aim_x"]), float(effect["aim_y"])
        if effect["stage"] == codes.LOCKED:
            rules = self._sim.rules
            lock = rules.mechanics.locks[rules.abilities["params"][row]]
            left += float(lock["period"]) * max(0, int(lock["times"] - effect["step"]) - 1)
            return ("lock", row, *tags), self._ability("lock", row, side, u, v, left, at)
        v = v if _is_unit(units, v, tags[1]) else codes.NO_UNIT
        what = "summon" if effect["stage"] == codes.SUMMONING else "fall"
        span = self._ability(what, row, side, u, v, left, at)
        return (what, row, tags[0], at if v < 0 else v), span


def _begins_anew(before: _Span, now: _Span, tick: int) -> bool:
    return now.left > 0.0 and tick + now.left > before.tick + before.left + _AGAIN


def _known(left: float) -> float:
    return left if _BRIEF < left < _LONGEST else 0.0


def _is_unit(units: Records, v: int, tag: int) -> bool:
    return v >= 0 and bool(units["alive"][v]) and int(units["tag"][v]) == tag
