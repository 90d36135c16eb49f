"""Raw unit commands as commands of the engine: what each unit does, who acts, what is answered."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.questions import judge_commands
from terrarium.engine.records import Records, records
from terrarium.engine.simulator import Simulator
from terrarium.server.kernels.order_lists import FIXED_POINT
from terrarium.server.translate.command_table import AbilityChoice, CommandTable
from terrarium.server.translate.fixed_point import cut
from terrarium.server.translate.ids import SMART
from terrarium.server.translate.tagged_units import TaggedUnits

FURTHEST = 1e6
"""Coordinates beyond are no place."""
SPREAD = 12.0
"""Groups that are wider than this gather at their goal; others keep their formation on the way.
The game's own limit was not measured."""
ABOUT_POINTS = (codes.MOVE, codes.ATTACK_MOVE, codes.PATROL)
WALKS = (*ABOUT_POINTS, codes.ATTACK, codes.FOLLOW, codes.HEAL)
NO_ECHO = -1
"""of commands that no observation shows"""
PRODUCTION = (codes.HOW_TRAIN, codes.HOW_RESEARCH)


@dataclass
class Candidate:
    """One command that a unit may carry out, by its row in the list that the engine judges."""

    slot: int
    """of the unit that the client named"""
    choice: AbilityChoice
    row: int


@dataclass
class ActionDraft:
    """One action: what each of its units may do, best first."""

    result: int = codes.ERROR
    """where no unit can do anything"""
    units: list[list[Candidate]] = field(default_factory=list)
    command: raw_pb2.ActionRawUnitCommand | None = None
    """None = it switches an autocast"""


@dataclass(frozen=True)
class GivenActions:
    """Commands that are given to the engine, and the actions that they belong to."""

    commands: Records
    abilities: NDArray[np.int64]
    """the exact ability of each"""
    actions: NDArray[np.int64]
    """to which of the echoes each belongs, or NO_ECHO"""
    echoes: tuple[api.Action, ...]


class CommandReader:
    """Reads the unit commands of one request against the state that the last step left.

    Actions are judged each by itself, not against earlier ones of the same request; only who of
    several units acts depends on what they were told before.
    """

    def __init__(
        self, sim: Simulator, table: CommandTable, units: TaggedUnits, waiting: Iterable[int] = ()
    ) -> None:
        """`waiting`: slots of units that commands wait for already."""
        self._sim, self._table, self._player = sim, table, units.player
        self._told = set(waiting)
        self._units = units
        self._drafts: list[ActionDraft] = []
        self._rows: list[tuple[int, int, int, int, int, float, float, bool, int, int]] = []
        self._boarding: set[int] = set()
        self._n_picks: dict[int, int] = {}

    def read(self, command: raw_pb2.ActionRawUnitCommand, origin: tuple[float, float]) -> None:
        """Add a unit command; `origin`: where the client's coordinates begin."""
        draft = ActionDraft(command=command)
        self._drafts.append(draft)
        slots = self._units.slots(command.unit_tags)
        target, x, y, aim = codes.NO_UNIT, 0.0, 0.0, "none"
        if command.HasField("target_unit_tag"):
            aim, target = "unit", self._units.target(command.target_unit_tag)
            if target < 0:
                return
        elif command.HasField("target_world_space_pos"):
            point = command.target_world_space_pos
            aim, x, y = "point", point.x + origin[0], point.y + origin[1]
            if not (abs(x) < FURTHEST and abs(y) < FURTHEST):
                return
            x, y = cut(x), cut(y)
        ability, queued = command.ability_id, command.queue_command
        goals: dict[int, tuple[float, float]] = {}
        for slot in slots:
            kind = self._units.kinds[slot]
            choices = self._table.choices(kind, ability, aim)
            if not choices:
                draft.result = self._why_none(slot, kind, ability)
                continue
            if aim == "point" and len(slots) > 1 and choices[0].keeps_formation:
                goals = goals or self._formation(slots, x, y)
            if ability == SMART and aim == "unit":
                special = self._smart(slot, kind, target, queued)
            else:
                special = []
            to_x, to_y = goals.get(slot, (x, y))
            for choice in choices:
                actor = builder_at(self._sim, slot) if choice.halts else slot
                row = self._add(actor, choice, target, to_x, to_y, queued)
                special.append(Candidate(slot, choice, row))
            draft.units.append(special)

    def _why_none(self, slot: int, kind: int, ability: int) -> int:
        """The answer where units of a type have no such ability, or not for what it is aimed at."""
        if int(self._sim.units["owner"][0, slot]) != self._player:
            return codes.YOU_CANT_CONTROL_THAT_UNIT
        known = self._table.has(kind, ability) or self._table.is_general(ability)
        return codes.ERROR if known else codes.NOT_SUPPORTED

    def read_autocast(self, toggle: raw_pb2.ActionRawToggleAutocast) -> None:
        """Add a switch of an autocast."""
        draft = ActionDraft()
        self._drafts.append(draft)
        for slot in self._units.slots(toggle.unit_tags):
            choices = self._table.autocasts(self._units.kinds[slot], toggle.ability_id)
            if not choices:
                draft.result = self._why_none(slot, self._units.kinds[slot], 0)
            draft.units.append(
                [
                    Candidate(slot, c, self._add(slot, c, codes.NO_UNIT, 0.0, 0.0, False))
                    for c in choices
                ]
            )

    def _add(
        self, slot: int, choice: AbilityChoice, target: int, x: float, y: float, queued: bool
    ) -> int:
        """A command for the engine to judge; its row."""
        self._rows.append(
            (
                self._player,
                slot,
                self._units.own_tags.get(slot, 0),
                choice.kind,
                target,
                x,
                y,
                queued,
                choice.row,
                0,
            )
        )
        return len(self._rows) - 1

    def _formation(
        self, slots: Sequence[int], x: float, y: float
    ) -> dict[int, tuple[float, float]]:
        """Where the units of a group go that keep their places in it."""
        xs, ys = self._sim.units["x"][0, slots], self._sim.units["y"][0, slots]
        left, right, bottom, top = xs.min(), xs.max(), ys.min(), ys.max()
        inside = left <= x <= right and bottom <= y <= top
        if inside or right - left > SPREAD or top - bottom > SPREAD:
            return {}
        dx, dy = xs - 0.5 * (left + right), ys - 0.5 * (bottom + top)
        goals = zip((x + dx).tolist(), (y + dy).tolist(), strict=True)
        return {slot: (cut(a), cut(b)) for slot, (a, b) in zip(slots, goals, strict=True)}

    def _smart(self, slot: int, kind: int, target: int, queued: bool) -> list[Candidate]:
        """What a right click on a unit means before it means to go there: to repair it, to board
        it, to take it in."""
        units, types = self._sim.units, self._sim.rules.types
        owners = units["owner"][0]
        if int(owners[target]) != int(owners[slot]) or target == slot:
            return []
        found = []
        other = self._units.kinds[target]
        repair = self._table.row_of(kind, codes.REPAIR)
        if repair >= 0:
            choice = self._named(kind, repair)
            row = self._add(slot, choice, target, 0.0, 0.0, queued)
            found.append(Candidate(slot, choice, row))
        for carrier, passenger, by in ((target, slot, other), (slot, target, kind)):
            load = self._table.row_of(by, codes.LOAD)
            if load < 0 or types["hall"][by] or (by == kind and not types["mobile"][kind]):
                continue
            choice = self._named(by, load)
            waits = queued or carrier in self._boarding
            row = self._add(carrier, choice, passenger, 0.0, 0.0, waits)
            found.append(Candidate(slot, AbilityChoice(SMART, choice.kind, choice.row, False), row))
            self._boarding.add(carrier)
            break
        return found

    def _named(self, kind: int, row: int) -> AbilityChoice:
        ability = self._table.ability_of(row)
        (choice,) = self._table.choices(kind, ability, "unit")
        return choice

    def decide(self) -> tuple[list[int], GivenActions]:
        """The answer to each action in order, and what is given to the engine."""
        commands = records(len(self._rows), COMMAND)
        commands[:] = self._rows
        orders = judge_commands(self._sim, 0, commands)
        same = self._repeats(commands, orders).tolist()
        answers = commands["result"].tolist()
        results: list[int] = []
        rows: list[int] = []
        abilities: list[int] = []
        actions: list[int] = []
        echoes: list[api.Action] = []
        for draft in self._drafts:
            picks, result = self._pick(draft, answers)
            results.append(result)
            shown: dict[int, int] = {}
            for pick in picks:
                self._n_picks[pick.slot] = self._n_picks.get(pick.slot, 0) + 1
                # What it does now is of no account once it has been told something else.
                ability = pick.choice.ability
                if same[pick.row] and pick.slot not in self._told:
                    if orders[pick.row] in WALKS:  # which looks for its way anew
                        rows.append(pick.row)
                        abilities.append(ability)
                        actions.append(NO_ECHO)
                    continue
                self._told.add(pick.slot)
                if ability not in shown:
                    shown[ability] = len(echoes)
                    echoes.append(_echo(draft, ability))
                k = shown[ability]
                _tags(echoes[k]).append(self._units.tags[pick.slot])
                rows.append(pick.row)
                abilities.append(ability)
                actions.append(k)
        given = GivenActions(
            commands[rows],
            np.array(abilities, np.int64),
            np.array(actions, np.int64),
            tuple(echoes),
        )
        return results, given

    def _repeats(self, commands: Records, orders: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which commands ask for what their unit does already: they are ignored, and not shown."""
        slots = np.maximum(commands["unit"], 0)
        first = self._sim.games.orders[0, slots, 0]
        same = (orders > 0) & ~commands["queued"] & (self._sim.units["n_orders"][0, slots] > 0)
        same &= (first["kind"] == orders) & (commands["result"] == codes.SUCCESS)
        on_unit = commands["target"] >= 0
        tags = self._sim.units["tag"][0, np.maximum(commands["target"], 0)]
        near = np.abs(first["x"] - commands["x"]) + np.abs(first["y"] - commands["y"])
        at_point = ~on_unit & np.isin(orders, ABOUT_POINTS) & (near < 1.0 / FIXED_POINT)
        at_unit = on_unit & (first["tag"] == tags) & (first["ability"] == commands["ability"])
        repeats: NDArray[np.bool_] = same & (at_point | at_unit)
        return repeats

    def _pick(self, draft: ActionDraft, answers: list[int]) -> tuple[list[Candidate], int]:
        """Who carries an action out, and what is answered."""
        accepted, why = [], draft.result
        for candidates in draft.units:
            for candidate in candidates:
                answer = answers[candidate.row]
                if candidate.choice.halts and answer == codes.ERROR:
                    answer = codes.NOT_SUPPORTED  # nobody builds
                if candidate.choice.kind == codes.CANCEL_LAST and answer == codes.NOT_SUPPORTED:
                    answer = codes.ERROR  # there is nothing of the kind to cancel
                if answer == codes.SUCCESS:
                    accepted.append(candidate)
                    break
                if why in (codes.ERROR, codes.NOT_SUPPORTED):
                    why = answer
        if not accepted:
            return [], why
        alone = [candidate for candidate in accepted if candidate.choice.by_one]
        if len(alone) > 1:
            best = min(alone, key=self._rank)
            accepted = [c for c in accepted if not c.choice.by_one or c is best]
        return accepted, codes.SUCCESS

    def _rank(self, candidate: Candidate) -> tuple[float, float]:
        """The lower, the rather does a unit act: those with the shortest queue make things, the
        nearest one that is free for it does anything else."""
        slot, choice, games = candidate.slot, candidate.choice, self._sim.games
        waiting = self._n_picks.get(slot, 0)
        if (
            choice.kind == codes.PRODUCE
            and self._sim.rules.products["how"][choice.row] in PRODUCTION
        ):
            return waiting + float(games.producers["n_items"][0, slot]), 0.0
        unit, row = self._sim.units[0, slot], self._rows[candidate.row]
        n_orders = int(unit["n_orders"])
        mine = games.orders[0, slot, :n_orders]
        waiting += int(((mine["kind"] == choice.kind) & (mine["ability"] == choice.row)).sum())
        x, y = row[5], row[6]
        if row[4] >= 0:
            x, y = self._sim.units["x"][0, row[4]], self._sim.units["y"][0, row[4]]
        return float(waiting), math.hypot(unit["x"] - x, unit["y"] - y)


def builder_at(sim: Simulator, slot: int) -> int:
    """Who builds there: a unit itself, or the worker at a structure; -1 = nobody does."""
    games = sim.games
    if games.producers.shape[1] == 0:
        return codes.NO_UNIT
    if sim.rules.types["structure"][sim.units["kind"][0, slot]]:
        builder = int(games.producers["builder"][0, slot])
        tag = int(games.producers["builder_tag"][0, slot])
        is_there = builder >= 0 and int(sim.units["tag"][0, builder]) == tag
        slot = builder if is_there else codes.NO_UNIT
    if slot < 0 or int(sim.units["n_orders"][0, slot]) == 0:
        return codes.NO_UNIT
    works = int(games.orders["kind"][0, slot, 0]) == codes.CONSTRUCT
    return slot if works else codes.NO_UNIT


def _echo(draft: ActionDraft, ability: int) -> api.Action:
    """How an observation shows an action, its units left out."""
    echo = api.Action()
    if draft.command is None:
        echo.action_raw.toggle_autocast.ability_id = ability
        return echo
    shown = echo.action_raw.unit_command
    shown.ability_id = ability
    if draft.command.HasField("target_unit_tag"):
        shown.target_unit_tag = draft.command.target_unit_tag
    elif draft.command.HasField("target_world_space_pos"):
        point = draft.command.target_world_space_pos
        shown.target_world_space_pos.x, shown.target_world_space_pos.y = cut(point.x), cut(point.y)
    if draft.command.queue_command:
        shown.queue_command = True
    return echo


def _tags(echo: api.Action) -> Any:
    raw = echo.action_raw
    part = raw.toggle_autocast if raw.HasField("toggle_autocast") else raw.unit_command
    return part.unit_tags
