"""Takes samples of a whole game that somebody else plays."""

import warnings
from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from terrarium.data.games.melee import Melee
from terrarium.engine import codes
from terrarium.engine.economy import INCOME_TICKS
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.replay.errors import ReplayError
from terrarium.replay.frames import SPAN
from terrarium.replay.games.fights import FightFinder
from terrarium.replay.games.game_frames import (
    CURVES,
    FLAGS,
    LIFE,
    LOSS,
    PLACE_STEPS,
    SEEN_BIT,
    UPGRADE,
    GameAbout,
    GameFrames,
)
from terrarium.replay.games.game_types import product_names, thing_types
from terrarium.replay.games.knots import HIGHEST, LayerRuns, LineKnots, StepKnots
from terrarium.replay.names import TICKS_PER_S_PLAYED
from terrarium.replay.sampler import healing, lives
from terrarium.replay.skills import SkillTable
from terrarium.replay.spans import SpanWatcher

SAMPLE_TICKS = 4
"""between samples at least; what lies between is interpolated"""
SECOND_TICKS = 22
"""between two looks at the ground and at the accounts"""
TICKS_PER_MINUTE = 60 * TICKS_PER_S_PLAYED
_STATUS = {
    "unfinished": codes.UNFINISHED,
    "cloaked": codes.CLOAKED,
    "rooted": codes.ROOTED,
    "disarmed": codes.DISARMED,
    "silenced": codes.SILENCED,
    "untouchable": codes.UNTOUCHABLE,
    "lifted": codes.LIFTED,
}
MAX_LIVES = MAX_SAMPLES = HIGHEST - 1
_NOBODY = -1

Ints = NDArray[np.int64]


class GameSampler:
    """Follows one whole game."""

    def __init__(self, sim: Simulator, e: int) -> None:
        assert isinstance(sim.setup, Melee), f"{sim.setup.name} is a battle"
        n_slots = sim.n_slots
        self._sim, self._e, self._setup = sim, e, sim.setup
        self._types = thing_types(sim, self._setup.facts)
        self._roles = np.array([unit_type.role for unit_type in self._types])
        self._ticks: list[int] = []
        self._tags = np.zeros(n_slots, np.int64)  # of who was in each slot at the last sample
        self._life = np.full(n_slots, _NOBODY, np.int64)  # and its number
        self._born: list[int] = []
        self._ended: dict[int, int] = {}
        self._life_of_tag: dict[int, int] = {}
        self._in_slot: list[list[tuple[int, int]]] = [[] for _ in range(n_slots)]
        self._lines, self._steps = LineKnots(n_slots), StepKnots(n_slots)
        self._queues: dict[tuple[int, ...], int] = {(): 0}
        self._losses: list[tuple[int, int, int]] = []
        self._researched: list[tuple[int, int, int]] = []
        self._curve_samples: list[int] = []
        self._curves: list[Ints] = []
        self._creep = LayerRuns(sim.games.creep.shape[-1])
        n_seeing = sim.n_players if sim.games.visibility.shape[-1] else 0
        self._sights = [LayerRuns(sim.games.visibility.shape[-1]) for _ in range(n_seeing)]
        self._n_events = int(sim.games.clock["n_events"][e, 0])
        self._skills = SkillTable(sim)
        self._spans = SpanWatcher(sim, e, self._skills)
        self._fights = FightFinder(sim.n_players)
        values = [unit_type.value for unit_type in self._types]
        strength = [unit_type.hp + unit_type.shield for unit_type in self._types]
        self._worth = np.array(values)
        self._harm = self._worth / np.array(strength)  # of one point of damage

    @property
    def next_tick(self) -> int:
        """When the next sample is due."""
        return self._ticks[-1] + SAMPLE_TICKS if self._ticks else 0

    def take(self) -> None:
        """Take a sample, unless this tick has one."""
        tick, n = int(self._sim.ticks[self._e]), len(self._ticks)
        if self._ticks and tick == self._ticks[-1]:
            return
        self._ticks.append(tick)
        units = self._sim.units[self._e]
        begin, there = self._note_lives(units, n)
        now = begin | there
        self._lines.push(n, tick, self._line_values(units), self._life, begin, there)
        for name, values in self._step_values(units, now).items():
            self._steps.push(n, name, values, self._life, begin, there)
        self._note_events(n)
        self._spans.watch(tick)
        if not self._curve_samples or tick - self._ticks[self._curve_samples[-1]] >= SECOND_TICKS:
            self._look_around(units, now, n)

    def frames(self, about: GameAbout) -> GameFrames:
        """Everything so far; the sampler is done with."""
        self._look_around(self._sim.units[self._e], self._tags > 0, len(self._ticks) - 1)
        slots = np.flatnonzero(self._tags > 0)
        self._lines.finish(slots, self._life)
        n_lives = len(self._born)
        found = np.zeros(n_lives, LIFE)
        found["born"], found["ended"] = self._born, len(self._ticks)
        for life, sample in self._ended.items():
            found["ended"][life] = sample
        curves = np.array(self._curves)  # [C, n, P]
        knots = {**self._lines.knots(n_lives), **self._steps.knots(n_lives)}
        kinds = knots["kind"].values
        rows = np.unique(kinds)
        kinds[:] = np.searchsorted(rows, kinds)
        return GameFrames(
            about=about,
            map=self._setup.map,
            types=tuple(self._types[row] for row in rows.tolist()),
            skills=self._skills.skills,
            products=product_names(self._sim),
            upgrades=tuple(self._sim.known.upgrades),
            queues=tuple(self._queues),
            ticks=np.array(self._ticks, np.int64),
            lives=found,
            knots=knots,
            losses=np.array(self._losses, LOSS),
            researched=np.array(self._researched, UPGRADE),
            curve_samples=np.array(self._curve_samples, np.int64),
            curves={name: curves[:, k].T for k, name in enumerate(CURVES)},
            creep=self._creep.layer(),
            sights=tuple(sight.layer() for sight in self._sights),
            spans=self._unit_spans(),
            fights=self._fights.fights(),
        )

    # --- units --------------------------------------------------------------------------------

    def _note_lives(self, units: Records, n: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Who is new in its slot, and who is still there; a number for each of the new ones."""
        tags = np.where(lives(units), units["tag"], 0)
        there = (tags > 0) & (tags == self._tags)
        gone = np.flatnonzero((self._tags > 0) & ~there)
        if len(gone):
            self._lines.finish(gone, self._life)
            self._ended.update((int(life), n) for life in self._life[gone])
            self._life[gone] = _NOBODY
        begin = (tags > 0) & ~there
        new = np.flatnonzero(begin)
        if len(self._born) + len(new) > MAX_LIVES or n >= MAX_SAMPLES:
            raise ReplayError(
                f"a light record holds at most {MAX_LIVES:,} units and {MAX_SAMPLES:,} samples; "
                "end it earlier"
            )
        for slot in new[np.argsort(tags[new])].tolist():
            life = len(self._born)
            self._born.append(n)
            self._life[slot] = self._life_of_tag[int(tags[slot])] = life
            self._in_slot[slot].append((n, life))
        self._tags = tags
        return begin, there

    def _line_values(self, units: Records) -> NDArray[np.float64]:
        """[slots, columns of LINES]"""
        games, e = self._sim.games, self._e
        items = games.items[e, :, :2]
        ticks = np.maximum(self._sim.rules.products["ticks"][np.maximum(items["product"], 0)], 1.0)
        waiting = np.arange(2) < games.producers["n_items"][e, :, None]
        done = np.where(waiting & items["begun"], 1.0 - items["left"] / ticks, 0.0)  # [U, 2]
        columns = [units[name] for name in ("x", "y", "hp", "shield", "energy")]
        columns += [games.resources["contents"][e], games.producers["progress"][e]]
        return np.stack([*columns, done[:, 0], done[:, 1]], axis=1)

    def _step_values(self, units: Records, now: NDArray[np.bool_]) -> dict[str, Ints]:
        busy = units["winding"] | (units["backswing"] > 0.0) | (units["cooldown"] > 0.0)
        attacking = units["alive"] & busy & (units["target"] >= 0)
        heals = healing(self._sim, units)
        aim = np.where(heals, units["heal_target"], np.where(attacking, units["target"], _NOBODY))
        return {
            "kind": units["kind"][:, None],
            "owner": units["owner"][:, None],
            "flags": self._flags(units, attacking, heals)[:, None],
            "hp_max": np.rint(units["hp_max"] * 4.0).astype(np.int64)[:, None],
            "aim": self._numbered(aim)[:, None],
            "inside": self._numbered(np.where(units["alive"], _NOBODY, units["inside"]))[:, None],
            "queue": self._queue_rows(now)[:, None],
            "order": self._orders(units),
        }

    def _flags(self, units: Records, attacking: Records, heals: Records) -> Ints:
        carries = self._sim.games.workers["carries"][self._e]
        said = {name: (units["status"] & bit) > 0 for name, bit in _STATUS.items()}
        said |= {"attacking": attacking, "healing": heals}
        said |= {"minerals": carries == codes.MINERALS, "vespene": carries == codes.VESPENE}
        flags = np.zeros(len(units), np.int64)
        for bit, name in enumerate(FLAGS):
            flags |= said[name].astype(np.int64) << bit
        # Resources cannot be targeted, but are seen.
        sighted = units["seen"] | self._sim.games.views["sighted"][self._e, : len(units)]
        seen = (sighted >> 1) & ((1 << self._sim.n_players) - 1)
        flags |= seen << (SEEN_BIT + 1)
        return flags

    def _numbered(self, slots: Ints) -> Ints:
        """1 + the unit in a slot; 0 for none."""
        known: Ints = np.where(slots >= 0, 1 + self._life[np.maximum(slots, 0)], 0)
        return known

    def _queue_rows(self, now: NDArray[np.bool_]) -> Ints:
        games, e = self._sim.games, self._e
        rows = np.zeros(len(now), np.int64)
        n_items = games.producers["n_items"][e]
        for slot in np.flatnonzero(now & (n_items > 0)).tolist():
            queue = tuple(games.items["product"][e, slot, : n_items[slot]].tolist())
            rows[slot] = self._queues.setdefault(queue, len(self._queues))
        return rows

    def _orders(self, units: Records) -> Ints:
        """[slots, fields of the order that is carried out]"""
        orders, has = self._sim.games.orders[self._e, :, 0], units["n_orders"] > 0
        found = np.zeros((len(units), 5), np.int64)
        found[:, 0] = np.where(has, orders["kind"], codes.NO_ORDER)
        casts = np.flatnonzero(found[:, 0] == codes.CAST)
        skills = [self._skills.ability(row) for row in orders["ability"][casts].tolist()]
        found[casts, 1] = np.array(skills, np.int64) + 1
        builds = found[:, 0] == codes.BUILD
        found[builds, 1] = orders["ability"][builds] + 1
        found[:, 2] = np.where(has, self._numbered(orders["target"]), 0)
        aimless = ~has | (orders["target"] >= 0)
        for column, axis in ((3, "x"), (4, "y")):
            place = np.rint(orders[axis] * PLACE_STEPS)
            found[:, column] = np.where(aimless, 0.0, place).astype(np.int64)
        return found

    # --- what happens -------------------------------------------------------------------------

    def _note_events(self, n: int) -> None:
        events, n_lost = self._sim.events(self._e, self._n_events)
        self._n_events += len(events) + n_lost
        if n_lost:
            warnings.warn(f"{n_lost} events are lost, and deaths with them", stacklevel=3)
        for died in events[events["kind"] == codes.DIED]:
            life = self._life_of_tag.get(int(died["tag"]))
            if life is not None:
                killer = self._life_of_tag.get(int(died["other_tag"]), _NOBODY)
                self._losses.append((n, life, killer))
        products = self._sim.rules.products
        for done in events[events["kind"] == codes.FINISHED]:
            upgrade = int(products["upgrade"][int(done["amount"])])
            if upgrade >= 0:
                self._researched.append((n, int(done["owner"]), upgrade))
        hurt = events[np.isin(events["kind"], (codes.HURT, codes.DIED))]
        hurt = hurt[(hurt["owner"] > 0) & (hurt["other_owner"] > 0)]
        # Who shoots at structures that nobody defends is in no fight.
        hurt = hurt[
            ~self._sim.rules.types["structure"][hurt["type"]] | (hurt["kind"] == codes.DIED)
        ]
        if len(hurt):
            fell = hurt["kind"] == codes.DIED
            harm = np.where(fell, 0.0, hurt["amount"] * self._harm[hurt["type"]])
            lost = np.where(fell, self._worth[hurt["type"]], 0.0)
            self._fights.note(n, self._ticks[-1], hurt, harm, lost)

    def _look_around(self, units: Records, now: NDArray[np.bool_], n: int) -> None:
        """The ground and the accounts, once a second and at the end."""
        if self._curve_samples and self._curve_samples[-1] == n:
            return
        games, e = self._sim.games, self._e
        players = range(1, self._sim.n_players + 1)
        if games.creep.shape[-1]:
            self._creep.push(n, games.creep[e] > 0)
        for player, sight in zip(players, self._sights, strict=False):
            sight.push(n, games.visibility[e, player] == codes.VISIBLE)
        window = min(INCOME_TICKS, max(1, self._ticks[-1]))
        rates = games.income[e].sum(axis=2) * (TICKS_PER_MINUTE / window)  # [P, 2]
        roles = self._roles[units["kind"]]
        accounts, purses = games.accounts[e], games.players[e]
        rows = []
        for player in players:
            mine = now & (units["owner"] == player)
            army = units["kind"][mine & (roles == "army")]
            types = self._sim.rules.types[army]
            n_workers = int((mine & (roles == "worker")).sum())
            purse, account = purses[player], accounts[player]
            rows.append(
                (
                    *(purse["minerals"], purse["vespene"]),
                    *(account["supply_used"], account["supply_cap"], n_workers),
                    *rates[player],
                    *(types["minerals"].sum(), types["vespene"].sum()),
                )
            )
        self._curve_samples.append(n)
        self._curves.append(np.clip(np.rint(np.array(rows)), 0, 65_535).astype(np.int64).T)

    def _unit_spans(self) -> Records:
        """What lasts for a while, with units instead of slots."""
        spans = self._spans.spans(self._ticks[-1])
        spans["side"] += 1  # players, where battles have sides
        for span in spans:
            sample = bisect_right(self._ticks, span["tick"]) - 1
            for name in ("slot", "target"):
                span[name] = self._who(int(span[name]), sample)
        return spans[spans["slot"] >= 0] if len(spans) else np.zeros(0, SPAN)

    def _who(self, slot: int, sample: int) -> int:
        """The unit that was in a slot at a sample."""
        if slot < 0:
            return _NOBODY
        found = [life for born, life in self._in_slot[slot] if born <= sample]
        return found[-1] if found else _NOBODY
