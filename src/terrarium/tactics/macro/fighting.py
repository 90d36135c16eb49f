"""What an army does: rally, defend, attack in waves, retreat."""

import math
from enum import Enum

import numpy as np

from terrarium.tactics.macro.focusing import focus
from terrarium.tactics.macro.game_view import Bools, GameOrderKind, Point, UnitColumns, UnitOrder
from terrarium.tactics.macro.hunting import next_target, search_points
from terrarium.tactics.macro.turn import Turn

RALLY_STEPS = 18
"""how far from the outermost base an army waits, along the way to the enemy"""
RALLY_REACH = 9.0
DEFENDED = 22.0
"""enemies so near to a structure of ours are fought off"""
STAGE_STEPS = 45
"""how far before its target an army waits for its last"""
STAGE_REACH = 10.0
STAGE_SHARE = 0.75
STAGE_TICKS = 700
FIGHT_REACH = 15.0
HELP_REACH = 32.0
"""from the middle of a wave to its own units that will soon be there: an army on the march is long,
and one that turns round because its head is small is beaten from behind"""
REST_TICKS = 1000
"""from the end of a wave to the next one"""
SPENT_SHARE = 0.2
"""what is left of a wave that is over"""
GROWTH = 1.15
"""how much larger the next wave has to be after one that was beaten"""
FULL_SUPPLY = 185.0
JOINING_SHARE = 0.35
"""of a wave's value: so many others follow it"""
COUNTER_VALUE = 300.0
"""of an attack on our bases, at least, after which there is a counterattack"""
COUNTER_TICKS = 500
"""from the end of an attack on our bases to the last moment for a counterattack"""
COUNTER_SHARE, COUNTER_RATIO, COUNTER_SIZE = 0.8, 1.5, 0.6
"""of the value of the attack, of what is known of the enemy's army after it, and of a wave: so much
is enough for a counterattack"""
PULL_SHARE = 0.7
"""of the strength of attackers: workers help an army that has less"""
LEFT_AT_WORK, WORKER_VALUE = 4, 25.0
"""workers that do not fight, and what one is worth in a fight"""
PULL_REACH = 15.0
"""from a townhall to attackers on the ground that workers fight"""


class ArmyStage(Enum):
    """What the army that is out is about."""

    HOME = 0
    GATHERING = 1
    ATTACKING = 2
    RETREATING = 3


class Fighting:
    """Leads the army of one player; knows who is out, and why."""

    def __init__(self) -> None:
        self.stage = ArmyStage.HOME
        self._wave: set[int] = set()
        self._began = 0
        self._value = 0.0
        self._rest_until = 0
        self._scale = 1.0
        self._target: Point | None = None
        self._repelled = 0.0
        """the value of the attack on our bases that is going on, or was beaten lately"""
        self._repelled_at = 0

    def lead(self, turn: Turn) -> None:
        army = turn.army
        out = np.isin(army.tag, np.fromiter(self._wave, np.int64, len(self._wave)))
        self._wave = set(army.tag[out].tolist())
        wave, home = army.where(out), army.where(~out)
        threat = threats(turn)
        self._note_attack(turn, threat)
        if len(threat):
            self._defend(turn, wave, home, threat)
        else:
            self._rally(turn, home)
        if self.stage == ArmyStage.HOME and not len(threat) and self._begin_wave(turn, home):
            wave, home = home, wave
        if self.stage != ArmyStage.HOME:
            self._lead_wave(turn, wave, home)
        if turn.level.focuses:
            focus(turn)

    def _note_attack(self, turn: Turn, threat: UnitColumns) -> None:
        if turn.loop - self._repelled_at > COUNTER_TICKS:
            self._repelled = 0.0
        if len(threat):
            self._repelled = max(self._repelled, strength(turn, threat))
            self._repelled_at = turn.loop

    def _defend(
        self, turn: Turn, wave: UnitColumns, home: UnitColumns, threat: UnitColumns
    ) -> None:
        at = (float(threat.x[0]), float(threat.y[0]))
        send(turn, home, at, "defend")
        mine, theirs = strength(turn, home), strength(turn, threat)
        away = self.stage in (ArmyStage.GATHERING, ArmyStage.ATTACKING)
        if away and mine < theirs and turn.level.retreat_ratio > 0.0:
            nearer = len(wave) and _apart(center(wave), at) < _apart(at, self._target or at)
            if nearer or self.stage == ArmyStage.GATHERING:
                self._end_wave(turn)
                send(turn, wave, at, "defend")
        if mine < PULL_SHARE * theirs <= PULL_SHARE * turn.level.pulls_against:
            _pull_workers(turn, threat, mine)

    def _rally(self, turn: Turn, home: UnitColumns) -> None:
        at = rally_point(turn)
        far = np.hypot(home.x - at[0], home.y - at[1]) > RALLY_REACH
        send(turn, home.where(far), at, "rally")

    def _begin_wave(self, turn: Turn, home: UnitColumns) -> bool:
        """Does everybody at home go?"""
        value = _value(turn, home)
        wanted = self._wanted(turn)
        full = turn.view.supply_used >= FULL_SUPPLY and not math.isinf(wanted)
        if value < wanted and not full:
            return False
        if not _fighters(turn, home).any():
            return False
        self._wave = set(home.tag.tolist())
        self._began, self._value = turn.loop, value
        self.stage = ArmyStage.GATHERING if turn.level.regroups else ArmyStage.ATTACKING
        return True

    def _wanted(self, turn: Turn) -> float:
        """The value of an army that may attack now."""
        level, plan = turn.level, turn.plan
        known = level.attack_ratio * turn.enemy_army.value
        if level.counterattacks and self._repelled > COUNTER_VALUE:
            left = COUNTER_RATIO * turn.enemy_army.value
            return max(left, COUNTER_SHARE * self._repelled, COUNTER_SIZE * level.wave_value)
        if turn.loop < max(level.first_wave * plan.wave_shift, self._rest_until):
            return math.inf
        # Who is careful waits for a full wave; others go with most of what they may have by now.
        most = 0.8 * turn.army_at(
            max(turn.loop, level.loops[-1]) if level.attack_ratio else turn.loop
        )
        value = level.wave_value * (1.0 + plan.wave_shift) / 2.0 * self._scale
        return max(known, min(value, most))

    def _end_wave(self, turn: Turn, beaten: bool = True) -> None:
        self._wave = set()
        self.stage = ArmyStage.HOME
        self._rest_until = turn.loop + REST_TICKS
        if beaten:
            self._scale *= GROWTH

    def _lead_wave(self, turn: Turn, wave: UnitColumns, home: UnitColumns) -> None:
        if _value(turn, wave) < SPENT_SHARE * self._value or not len(wave):
            self._end_wave(turn)
            return
        if self.stage == ArmyStage.RETREATING:
            self._go_home(turn, wave)
            return
        if self._is_losing(turn, wave):
            self.stage = ArmyStage.RETREATING
            self._go_home(turn, wave)
            return
        self._target = next_target(turn, center(wave))
        if self._target is None:
            search_points(turn, wave)
        elif self.stage == ArmyStage.GATHERING:
            self._gather(turn, wave, self._target)
        else:
            send(turn, wave, self._target, "attack")
        if _value(turn, home) > JOINING_SHARE * self._value and self.stage == ArmyStage.ATTACKING:
            self._wave |= set(home.tag.tolist())
            self._value += _value(turn, home)

    def _gather(self, turn: Turn, wave: UnitColumns, target: Point) -> None:
        """Wait before the target until most are there."""
        path = turn.ground.path(turn.memory.home, target)
        at = path[max(0, len(path) - STAGE_STEPS)]
        here = np.hypot(wave.x - at[0], wave.y - at[1]) < STAGE_REACH
        late = turn.loop - self._began > STAGE_TICKS + 20 * len(path)
        if here.mean() >= STAGE_SHARE or late or _enemies_near(turn, center(wave)).any():
            self.stage = ArmyStage.ATTACKING
            send(turn, wave, target, "attack")
        else:
            send(turn, wave.where(~here), at, "gather")

    def _go_home(self, turn: Turn, wave: UnitColumns) -> None:
        at = rally_point(turn)
        near = np.hypot(wave.x - at[0], wave.y - at[1]) < RALLY_REACH
        if near.mean() > STAGE_SHARE:
            self._end_wave(turn)
            return
        send(turn, wave.where(~near), at, "retreat", GameOrderKind.MOVE)

    def _is_losing(self, turn: Turn, wave: UnitColumns) -> bool:
        ratio = turn.level.retreat_ratio
        if ratio <= 0.0:
            return False
        at = center(wave)
        enemies = turn.view.enemy.where(_enemies_near(turn, at))
        if not len(enemies):
            return False
        near = np.hypot(wave.x - at[0], wave.y - at[1]) < HELP_REACH
        return strength(turn, wave.where(near)) < ratio * strength(turn, enemies)


def send(
    turn: Turn,
    units: UnitColumns,
    at: Point,
    why: str,
    kind: GameOrderKind = GameOrderKind.ATTACK_MOVE,
) -> None:
    """Order those to a place that are not on their way to it yet."""
    goals, tags = turn.memory.goals, []
    attacks = kind == GameOrderKind.ATTACK_MOVE
    orders = units.order.tolist()
    for k, tag in enumerate(units.tag.tolist()):
        goal = goals.get(tag)
        on_the_way = orders[k] == (UnitOrder.ATTACK if attacks else UnitOrder.MOVE)
        if goal is None or not on_the_way or _apart(goal, at) > 4.0:
            tags.append(tag)
            goals[tag] = at
    if tags:
        turn.order(kind, tags, at=at, why=why)


def _apart(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def center(units: UnitColumns) -> Point:
    """The unit in the middle: the medians, which stragglers do not move."""
    return float(np.median(units.x)), float(np.median(units.y))


def strength(turn: Turn, units: UnitColumns) -> float:
    """Cost of what fights, by the life that is left."""
    if not len(units):
        return 0.0
    catalog = turn.catalog
    counts = catalog.fights[units.kind] & units.done
    share = units.life / np.maximum(units.life_max, 1.0)
    return float((catalog.cost[units.kind] * share)[counts].sum())


def _value(turn: Turn, units: UnitColumns) -> float:
    return float(turn.catalog.cost[units.kind].sum())


def _fighters(turn: Turn, units: UnitColumns) -> Bools:
    return np.asarray(turn.catalog.fights[units.kind])


def _enemies_near(turn: Turn, at: Point) -> Bools:
    enemy = turn.view.enemy
    near = np.hypot(enemy.x - at[0], enemy.y - at[1]) < FIGHT_REACH
    return np.asarray(near & turn.catalog.fights[enemy.kind])


def threats(turn: Turn) -> UnitColumns:
    """Enemies that can fight near our structures, the nearest to one first."""
    enemy, structures = turn.view.enemy, turn.structures
    dangerous = turn.catalog.fights[enemy.kind] & ~turn.catalog.is_structure[enemy.kind]
    if not dangerous.any() or not len(structures):
        return enemy.where(np.zeros(len(enemy), np.bool_))
    some = enemy.where(dangerous)
    apart = np.hypot(
        some.x[:, None] - structures.x[None], some.y[:, None] - structures.y[None]
    ).min(axis=1)
    order = np.argsort(apart, kind="stable")
    return some.where(order[apart[order] < DEFENDED])


def rally_point(turn: Turn) -> Point:
    """Before the outermost base, on the way to the enemy."""
    memory, ground = turn.memory, turn.ground
    goal = memory.enemy_starts[0] if memory.enemy_starts else memory.home
    path = ground.path(memory.home, goal)
    steps = [ground.steps(memory.home, base.place) for base in turn.bases]
    reachable = [n for n in steps if n < len(path) // 2]
    at = max(reachable, default=0) + RALLY_STEPS
    return path[min(at, len(path) // 2)]


def _pull_workers(turn: Turn, threat: UnitColumns, mine: float) -> None:
    """Workers fight beside the army against those on the ground at a townhall."""
    halls, workers = turn.halls, turn.workers
    ground = threat.where(~turn.catalog.flies[threat.kind])
    if not len(halls) or not len(ground):
        return
    apart = np.hypot(ground.x[:, None] - halls.x[None], ground.y[:, None] - halls.y[None])
    near = ground.where(apart.min(axis=1) < PULL_REACH)
    if not len(near):
        return
    lacking = 2.0 * strength(turn, near) - mine
    n = min(len(workers) - LEFT_AT_WORK, int(lacking / WORKER_VALUE))
    at = (float(near.x[0]), float(near.y[0]))
    far = np.argsort(np.hypot(workers.x - at[0], workers.y - at[1]), kind="stable")
    tags = [int(workers.tag[k]) for k in far[: max(0, n)] if turn.is_free(int(workers.tag[k]))]
    if tags:
        turn.order(GameOrderKind.ATTACK_MOVE, tags, at=at, why="workers defend")
