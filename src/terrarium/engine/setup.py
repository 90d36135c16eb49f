"""How a battle begins: a scenario as tables, SMACv2's random teams, and the map's own scripts."""

from typing import Any, NamedTuple

import numpy as np

from terrarium.data.scenario import Order, Scenario
from terrarium.engine import codes
from terrarium.engine.geometry import NEARLY, length
from terrarium.engine.jit import entry, kernel, rare
from terrarium.engine.lifecycle import spawn
from terrarium.engine.orders import give_order
from terrarium.engine.random import ORDER_POINT, POSITION, TEAM, toss, uniform
from terrarium.engine.rules import Rules
from terrarium.engine.state import Game, Records, World, game_of, records
from terrarium.engine.stats import research
from terrarium.engine.terrain import Ground

SIDES = {"ally": 0, "enemy": 1}

# Opening orders.
NOTHING, GO, GO_BETWEEN, ATTACK_ALL = range(4)
# Start positions of generated battles.
REFLECT, SURROUNDED, EITHER = range(3)

GROUP = np.dtype(
    [
        ("side", "i8"),
        ("x", "f8"),
        ("y", "f8"),
        ("passive", "?"),
        ("order", "i8"),
        ("order_x", "f8"),
        ("order_y", "f8"),
        ("order_to_x", "f8"),
        ("order_to_y", "f8"),
        ("order_side", "i8"),
    ],
    align=True,
)
ENTRY = np.dtype([("group", "i8"), ("kind", "i8"), ("count", "i8"), ("slot", "i8")], align=True)
MEMBER = np.dtype([("kind", "i8"), ("up_to", "f8"), ("never_only", "?")], align=True)
SETTINGS = np.dtype(
    [
        ("generated", "?"),
        ("n_allies", "i8"),
        ("n_enemies", "i8"),
        ("positions", "i8"),
        ("reflect_probability", "f8"),
        ("passive_allies", "?"),
        ("trigger_ticks", "i8"),
        ("trigger_side", "i8"),
    ],
    align=True,
)


class Plan(NamedTuple):
    """A scenario's beginning, for kernels."""

    groups: Records  # [G] GROUP
    entries: Records  # [K] ENTRY
    members: Records  # [M] MEMBER: what random teams are drawn from
    settings: Records  # [1] SETTINGS


def compile_plan(scenario: Scenario, rows: dict[str, int]) -> Plan:
    """Turn a scenario into tables."""
    entries = [
        (g, rows[name], count)
        for g, group in enumerate(scenario.groups)
        for name, count in group.units.items()
    ]
    plan = Plan(
        groups=records(max(1, len(scenario.groups)), GROUP),
        entries=records(len(entries), ENTRY),
        members=records(len(scenario.generator.weights) if scenario.generator else 0, MEMBER),
        settings=records(1, SETTINGS),
    )
    for g, group in enumerate(scenario.groups):
        plan.groups[g] = (SIDES[group.side], *group.at, group.passive, *_order_row(group.order))
    slot = 0
    for k, (g, kind, count) in enumerate(entries):
        plan.entries[k] = (g, kind, count, slot)
        slot += count
    trigger = scenario.trigger
    plan.settings["trigger_ticks"] = trigger.every_ticks if trigger else 0
    plan.settings["trigger_side"] = SIDES[trigger.side] if trigger else 0
    if generator := scenario.generator:
        up_to = np.cumsum(list(generator.weights.values()))
        for m, name in enumerate(generator.weights):
            plan.members[m] = (rows[name], up_to[m], name in generator.never_only)
        plan.settings[0] = (
            True,
            generator.n_allies,
            generator.n_enemies,
            {"reflect": REFLECT, "surrounded": SURROUNDED, "surrounded_and_reflect": EITHER}[
                generator.positions
            ],
            generator.reflect_probability,
            generator.passive_allies,
            trigger.every_ticks if trigger else 0,
            SIDES[trigger.side] if trigger else 0,
        )
    return plan


def _order_row(order: Order | None) -> tuple[Any, ...]:
    if order is None:
        return NOTHING, 0.0, 0.0, 0.0, 0.0, 0
    at, to = order.at or (0.0, 0.0), order.to or (0.0, 0.0)
    kind = {"attack_move": GO, "attack_move_between": GO_BETWEEN, "attack": ATTACK_ALL}[order.kind]
    return kind, *at, *to, SIDES[order.side] if order.side else 0


def n_units(scenario: Scenario) -> int:
    """How many units a battle begins with."""
    if scenario.generator:
        return scenario.generator.n_allies + scenario.generator.n_enemies
    return sum(sum(group.units.values()) for group in scenario.groups)


def unit_names(scenario: Scenario) -> set[str]:
    """Which unit types a battle may begin with."""
    names = {name for group in scenario.groups for name in group.units}
    return names | set(scenario.generator.weights if scenario.generator else ())


@rare
def clear(game: Game, seed: np.uint64) -> None:
    """An empty game. The cache of ways stays: it depends on the terrain alone."""
    for u in range(game.units.shape[0]):
        game.units[u].alive = False
        game.units[u].tag = 0
        game.units[u].n_orders = 0
        game.units[u].inside = codes.NO_UNIT
    for p in range(game.players.shape[0]):
        player = game.players[p]
        player.n_alive, player.n_lost, player.damage_dealt = 0, 0, 0.0
        player.techs, player.nukes = 0, 0
        player.minerals, player.vespene = 0.0, 0.0
        for k in range(player.levels.shape[0]):
            player.levels[k] = 0
    for f in range(game.fields.shape[0]):
        game.fields[f].used = 0
    clock = game.clock[0]
    clock.seed = seed
    clock.tick, clock.next_tag, clock.n_slots = 0, 0, 0
    clock.n_effects, clock.fault, clock.fog = 0, codes.NO_FAULT, False


@rare
def start(game: Game, rules: Rules, ground: Ground, plan: Plan, seed: np.uint64) -> None:
    """Begin a battle from its seed."""
    clear(game, seed)
    if plan.settings[0].generated:
        generate(game, rules, ground, plan)
        return
    for k in range(plan.entries.shape[0]):
        entry = plan.entries[k]
        group = plan.groups[entry.group]
        for _ in range(entry.count):
            spawn(game, rules, ground, entry.kind, group.side, group.x, group.y, group.passive)
    opening_orders(game, rules, ground, plan)


@rare
def opening_orders(game: Game, rules: Rules, ground: Ground, plan: Plan) -> None:
    """Give each group's units, which were created in the order of the entries, their order."""
    for k in range(plan.entries.shape[0]):
        entry = plan.entries[k]
        group = plan.groups[entry.group]
        for u in range(entry.slot, entry.slot + entry.count):
            if group.order == ATTACK_ALL:
                attack_all(game, rules, ground, u, group.order_side)
            elif group.order != NOTHING:
                x, y = group.order_x, group.order_y
                if group.order == GO_BETWEEN:
                    share = uniform(game.clock[0].seed, 0, entry.group, ORDER_POINT)
                    x += (group.order_to_x - x) * share
                    y += (group.order_to_y - y) * share
                attack_move(game, rules, ground, u, x, y)


@rare
def attack_move(game: Game, rules: Rules, ground: Ground, u: int, x: float, y: float) -> None:
    nobody, nothing = codes.NO_UNIT, codes.NO_ABILITY
    give_order(game, rules, ground, u, codes.ATTACK_MOVE, nothing, nobody, x, y, False)


@rare
def attack_all(game: Game, rules: Rules, ground: Ground, u: int, side: int) -> None:
    """Attack every unit of a side, nearest first, as far as the queue goes."""
    reached = -1.0
    for _ in range(game.orders.shape[1]):
        v, distance = nearest_beyond(game, u, side, reached)
        if v < 0:
            return
        reached = distance
        give_order(game, rules, ground, u, codes.ATTACK, codes.NO_ABILITY, v, 0.0, 0.0, True)


@rare
def nearest_beyond(game: Game, u: int, side: int, reached: float) -> tuple[int, float]:
    """The nearest living unit of a side that is further away than `reached`."""
    me = game.units[u]
    best, best_distance = codes.NO_UNIT, 1e30
    for v in range(game.clock[0].n_slots):
        other = game.units[v]
        if not other.alive or other.side != side or v == u:
            continue
        dx, dy = other.x - me.x, other.y - me.y
        distance = length(dx, dy)
        if distance <= reached or distance > best_distance + NEARLY:
            continue
        if distance > best_distance - NEARLY:
            if not toss(game.clock[0].seed, me.tag, other.tag, game.units[best].tag):
                continue
        best, best_distance = v, distance
    return best, best_distance


@kernel
def run_trigger(game: Game, rules: Rules, ground: Ground, plan: Plan) -> None:
    """SMACv2's map script runs every so many ticks."""
    period = plan.settings[0].trigger_ticks
    if period > 0 and game.clock[0].tick % period == 0:
        send_idle(game, rules, ground, plan.settings[0].trigger_side)


@rare
def send_idle(game: Game, rules: Rules, ground: Ground, side: int) -> None:
    """Whoever of a side has nothing to do is sent at the nearest opponent."""
    for u in range(game.clock[0].n_slots):
        me = game.units[u]
        if not me.alive or me.side != side or me.n_orders > 0:
            continue
        v, _ = nearest_beyond(game, u, 1 - side, -1.0)
        if v < 0:
            continue
        kind = codes.ATTACK
        if rules.rank[me.kind, game.units[v].column] < 0:
            kind = codes.ATTACK_MOVE  # a Medivac follows the fight, a Zealot waits under a flyer
        give_order(game, rules, ground, u, kind, codes.NO_ABILITY, v, 0.0, 0.0, False)


@rare
def generate(game: Game, rules: Rules, ground: Ground, plan: Plan) -> None:
    """Draw both teams and their places (reference: SMACv2's capability config)."""
    settings = plan.settings[0]
    n_allies, n_enemies = settings.n_allies, settings.n_enemies
    seed = game.clock[0].seed
    attempt = 0
    while is_forbidden(plan, seed, attempt, n_allies):
        attempt += 1
    reflected = settings.positions == REFLECT or (
        settings.positions == EITHER
        and uniform(seed, 0, 0, POSITION) <= settings.reflect_probability
    )
    for i in range(n_allies):
        kind = plan.members[draw_member(plan, seed, attempt, i)].kind
        x, y = ally_place(ground, seed, i, reflected)
        spawn(game, rules, ground, kind, 0, x, y, settings.passive_allies)
    for i in range(n_enemies):
        # The enemy's team is a copy of the allies'; what it has more is drawn the same way.
        kind = plan.members[draw_member(plan, seed, attempt, i)].kind
        x, y = enemy_place(ground, seed, i, n_allies, reflected)
        spawn(game, rules, ground, kind, 1, x, y, False)


@kernel
def draw_member(plan: Plan, seed: np.uint64, attempt: int, i: int) -> int:
    """Which type the i-th unit of a team is."""
    draw = uniform(seed, attempt, i, TEAM)
    last = plan.members.shape[0] - 1
    for m in range(last):
        if draw < plan.members[m].up_to:
            return m
    return last


@kernel
def is_forbidden(plan: Plan, seed: np.uint64, attempt: int, n: int) -> bool:
    """Is this a team that could not fight, of exceptions only?"""
    for i in range(n):
        if not plan.members[draw_member(plan, seed, attempt, i)].never_only:
            return False
    return True


@kernel
def ally_place(ground: Ground, seed: np.uint64, i: int, reflected: bool) -> tuple[float, float]:
    width, height = float(ground.size[0]), float(ground.size[1])
    if not reflected:
        return width * 0.5, height * 0.5
    x = uniform(seed, 1, 2 * i, POSITION) * (width * 0.5 - 1.0)
    return x, uniform(seed, 1, 2 * i + 1, POSITION) * height


@rare
def enemy_place(
    ground: Ground, seed: np.uint64, i: int, n_allies: int, reflected: bool
) -> tuple[float, float]:
    width, height = float(ground.size[0]), float(ground.size[1])
    if reflected and i < n_allies:
        x, y = ally_place(ground, seed, i, True)
        return width - x, y
    if reflected:
        x = width * 0.5 + uniform(seed, 1, 2 * i, POSITION) * width * 0.5
        return x, uniform(seed, 1, 2 * i + 1, POSITION) * height
    n_groups = 1 + int(uniform(seed, 2, 0, POSITION) * 4.0)
    group = int(uniform(seed, 3, i, POSITION) * n_groups)
    corner = corner_of_group(seed, group)
    corner_x = width if corner & 1 else 0.0
    corner_y = height if corner & 2 else 0.0
    inner_x = width * 0.5 + (2.0 if corner & 1 else -2.0)
    inner_y = height * 0.5 + (2.0 if corner & 2 else -2.0)
    share = uniform(seed, 4, group, POSITION)
    return (
        inner_x * share + corner_x * (1.0 - share),
        inner_y * share + corner_y * (1.0 - share),
    )


@kernel
def corner_of_group(seed: np.uint64, group: int) -> int:
    """The group-th entry of a random order of the four corners."""
    taken = 0
    corner = 0
    for g in range(group + 1):
        choice = int(uniform(seed, 5, g, POSITION) * (4 - g))
        corner = -1
        while choice >= 0:
            corner += 1
            if not taken >> corner & 1:
                choice -= 1
        taken |= 1 << corner
    return corner


@entry
def begin(world: World, rules: Rules, ground: Ground, plan: Plan, e: int, seed: np.uint64) -> None:
    """Begin one battle anew."""
    start(game_of(world, e), rules, ground, plan, seed)


@entry
def reset(
    world: World,
    rules: Rules,
    ground: Ground,
    plan: Plan,
    seeds: np.ndarray[tuple[int], np.dtype[np.uint64]],
    chosen: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> None:
    """Begin the chosen battles anew."""
    for e in range(world.units.shape[0]):
        if chosen[e]:
            begin(world, rules, ground, plan, e, seeds[e])


@entry
def grant(world: World, rules: Rules, e: int, side: int, upgrade: int) -> None:
    """A side of a running game has an upgrade from now on."""
    research(game_of(world, e), rules, side, upgrade)


@entry
def create(
    world: World,
    rules: Rules,
    ground: Ground,
    e: int,
    kind: int,
    side: int,
    x: float,
    y: float,
    passive: bool,
) -> int:
    """Add a unit to a running game."""
    return spawn(game_of(world, e), rules, ground, kind, side, x, y, passive)
