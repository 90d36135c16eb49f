"""Recorded episodes played again: the same places, the same actions, our rules."""

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.fidelity.comparison import FidelitySetting, Measured, Row, mean_of
from terrarium.bench.fidelity.recordings import Floats, RecordedEpisodes, match_by_place
from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.plan import ALLY_OWNER, ENEMY_OWNER
from terrarium.envs.kernels.tables import EAST, NORTH, SOUTH, STOP, WEST

MOVE_AMOUNT = 2.0
FIRST_TARGET = 6
LOOPS_BEFORE = 1
"""At SMAC's first observation of a battle one loop has passed"""
SIXTH = 5
"""The state before the sixth step: no unit has been hurt yet"""
OTHER_SEED = 1_000_003
SIDES = ("ally", "enemy")
_WALK = ("ally positions", "enemy positions")
_FIGHT = ("ally life", "enemy life", "enemy positions", "deaths")
SHOWN: dict[int, dict[int, tuple[str, ...]]] = {
    0: {1: _WALK, 3: _WALK, 6: _WALK, 12: _FIGHT},
    SIXTH: {8: _FIGHT, 12: _FIGHT, 16: _FIGHT},
}
"""From which state episodes are played, and what is shown after which steps"""

_KINDS = np.array([codes.NO_ORDER, codes.STOP, *[codes.MOVE] * 4, *[codes.ATTACK] * 3])
_WAYS = np.zeros((9, 2))
_WAYS[[NORTH, SOUTH, EAST, WEST]] = MOVE_AMOUNT * np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])


class OpenLoop:
    """Battles of 3m that begin where recorded ones stand, and are given their actions."""

    def __init__(self, setting: FidelitySetting, recorded: RecordedEpisodes, seed: int) -> None:
        self.recorded = recorded
        self.sim = Simulator(setting.scenario("smac/3m"), len(recorded), setting.threads)
        self.sim.reset(seed)
        self.sim.step(max(0, LOOPS_BEFORE - int(self.sim.ticks[0])))  # rules may have run some
        owner = self.sim.units["owner"][0]
        self.allies = self._match(np.flatnonzero(owner == ALLY_OWNER), recorded.ally_xy[:, 0])
        self.enemies = self._match(np.flatnonzero(owner == ENEMY_OWNER), recorded.enemy_xy[:, 0])
        self._games = np.arange(len(recorded))[:, None]

    def _match(self, slots: NDArray[np.int64], places: Floats) -> NDArray[np.int64]:
        """[n, 3] the slot of each recorded unit: who stands where it does at the start"""
        units = self.sim.units[:, slots]
        found: NDArray[np.int64] = slots[match_by_place(_places(units), places)]
        return found

    def put(self, state: int) -> None:
        """Places and life as in a recorded state."""
        units, was = self.sim.units, self.recorded
        for slots, xy, life in (
            (self.allies, was.ally_xy[:, state], was.ally_life[:, state]),
            (self.enemies, was.enemy_xy[:, state], was.enemy_life[:, state]),
        ):
            units["x"][self._games, slots] = xy[..., 0]
            units["y"][self._games, slots] = xy[..., 1]
            units["hp"][self._games, slots] = life
            for game, unit in np.argwhere(life <= 0.0):
                self.sim.remove(int(game), int(slots[game, unit]))

    def step(self, state: int) -> None:
        """Give the actions that followed a recorded state, and play one step."""
        actions, units = self.recorded.actions[:, state], self.sim.units
        commands = np.zeros(actions.shape, COMMAND)  # [n, 3]
        commands["owner"], commands["unit"] = ALLY_OWNER, self.allies
        commands["kind"], commands["ability"] = _KINDS[actions], codes.NO_ABILITY
        aims = actions >= FIRST_TARGET
        aimed = np.take_along_axis(self.enemies, np.where(aims, actions - FIRST_TARGET, 0), axis=1)
        commands["target"] = np.where(aims, aimed, codes.NO_UNIT)
        commands["x"] = units["x"][self._games, self.allies] + _WAYS[actions, 0]
        commands["y"] = units["y"][self._games, self.allies] + _WAYS[actions, 1]
        given = (actions >= STOP) & units["alive"][self._games, self.allies]
        for game, (orders, which) in enumerate(zip(commands, given, strict=True)):
            self.sim.give(game, orders[which])
        self.sim.step()

    def look(self, slots: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Places [n, 3, 2] and life [n, 3]."""
        units = self.sim.units[self._games, slots]
        return _places(units), np.where(units["alive"], units["hp"], 0.0)


def _places(units: Records) -> Floats:
    xy: Floats = np.stack([units["x"], units["y"]], axis=-1)
    return xy


def replay(
    setting: FidelitySetting,
    recorded: RecordedEpisodes,
    start: int = 0,
    n_steps: int | None = None,
    seed: int | None = None,
) -> RecordedEpisodes:
    """Our course of recorded episodes from state `start` on; before it, the recorded one."""
    last = recorded.n_states if n_steps is None else min(recorded.n_states, start + n_steps + 1)
    ours = recorded.copy()
    battles = OpenLoop(setting, recorded, setting.seed if seed is None else seed)
    try:
        battles.put(start)
        for t in range(start + 1, last):
            battles.step(t - 1)
            ours.ally_xy[:, t], ours.ally_life[:, t] = battles.look(battles.allies)
            ours.enemy_xy[:, t], ours.enemy_life[:, t] = battles.look(battles.enemies)
    finally:
        battles.sim.close()
    return ours


def open_loop(setting: FidelitySetting) -> list[Row]:
    """Errors of whole replays and of those from the sixth step on, beside the engine's noise."""
    rows = []
    for start, shown in SHOWN.items():
        if start >= setting.recorded.n_states:
            continue
        n_steps = max(shown) - start
        seeds = (setting.seed, setting.seed + OTHER_SEED)
        ours, other = (replay(setting, setting.recorded, start, n_steps, seed) for seed in seeds)
        for t, quantities in shown.items():
            for what in quantities:
                error = error_of(what, ours, setting.recorded, t)
                noise = error_of(what, ours, other, t)
                label = f"played from step {start + 1}, {what} after step {t}: error"
                if error is not None:
                    rows.append(Row(label, error, noise, note="two seeds"))
    return rows


def error_of(what: str, one: RecordedEpisodes, other: RecordedEpisodes, t: int) -> Measured | None:
    """Mean error over the episodes whose recording has state `t`; `None` without any.

    Life: absolute differences of each unit, summed over a side. Positions: mean distance of the
    units that live in both. Deaths: units that live in one and not in the other.
    """
    if t >= one.n_states:
        return None
    there = one.length > t
    lives = [(each.ally_life[there, t], each.enemy_life[there, t]) for each in (one, other)]
    if what == "deaths":
        alive = [np.concatenate(pair, axis=1) > 0.0 for pair in lives]
        errors = (alive[0] != alive[1]).sum(axis=1)
    else:
        side, quantity = what.split()
        life = [pair[SIDES.index(side)] for pair in lives]
        if quantity == "life":
            errors = np.abs(life[0] - life[1]).sum(axis=1)
        else:
            both = (life[0] > 0.0) & (life[1] > 0.0)
            xy = [each.ally_xy if side == "ally" else each.enemy_xy for each in (one, other)]
            errors = mean_distances(xy[0][there, t], xy[1][there, t], both)
    return mean_of(errors) if len(errors) else None


def mean_distances(one: Floats, other: Floats, which: NDArray[np.bool_]) -> Floats:
    """Of the units `which` [n, 3] count in each episode; episodes without any are left out."""
    apart = np.where(which, np.hypot(*np.moveaxis(one - other, -1, 0)), 0.0)
    counts = which.sum(axis=1)
    means: Floats = apart.sum(axis=1)[counts > 0] / counts[counts > 0]
    return means
