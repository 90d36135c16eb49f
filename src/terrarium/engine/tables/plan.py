"""A scenario's beginning and its scripts as tables for the kernels."""

from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from terrarium.data.battles.groups import group_size
from terrarium.data.battles.scenario import Group, Order, Scenario
from terrarium.data.facts.forms import agent_type
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.games.melee import MINERALS, Melee
from terrarium.engine.codes import NEUTRAL_OWNER
from terrarium.engine.records import Records, records
from terrarium.engine.tables.army_tables import NONE, ArmyTables, compile_armies

ALLY_OWNER, ENEMY_OWNER = 1, 2
OWNERS = {"ally": ALLY_OWNER, "enemy": ENEMY_OWNER}
"""Sides of a scenario as owners of units: players 1 and 2."""

# Opening orders.
NOTHING, GO, GO_BETWEEN, ATTACK_ALL, STAND, PATROL, CAST, MINE = range(8)
_ORDERS = {
    "attack_move": GO,
    "attack_move_between": GO_BETWEEN,
    "attack": ATTACK_ALL,
    "hold": STAND,
    "patrol": PATROL,
    "cast": CAST,
}
# What triggers repeat.
SEND_IDLE, CAST_ALL = range(2)
_TRIGGERS = {"attack_nearest": SEND_IDLE, "cast": CAST_ALL}
# Who fights: the groups of the file, SMACv2's teams, or armies of equal cost.
GROUPS, TEAMS, ARMIES = range(3)
# Start positions of SMACv2's teams.
REFLECT, SURROUNDED, EITHER = range(3)
_POSITIONS = {"reflect": REFLECT, "surrounded": SURROUNDED, "surrounded_and_reflect": EITHER}

PLACE = np.dtype([("x", "f8"), ("y", "f8"), ("spread", "f8"), ("flying", "?")], align=True)
GROUP = np.dtype(
    [
        ("owner", "i8"),
        ("passive", "?"),
        ("hp", "f8"),  # share of full life
        ("energy", "f8"),  # below 0: what the type starts with
        ("spacing", "f8"),  # 0: as close as they can
        ("after_ticks", "i8"),
        ("order", "i8"),
        ("order_x", "f8"),
        ("order_y", "f8"),
        ("order_to_x", "f8"),
        ("order_to_y", "f8"),
        ("order_owner", "i8"),
        ("ability", "i8"),
    ],
    align=True,
)
ENTRY = np.dtype(
    [
        ("group", "i8"),
        ("kind", "i8"),
        ("count", "i8"),
        ("slot", "i8"),
        ("first", "i8"),  # how many of its group come before
        ("carrier", "i8"),  # slot of the first carrier of these passengers, or NONE
        ("per_carrier", "i8"),
    ],
    align=True,
)
MEMBER = np.dtype(
    [
        ("ally_kind", "i8"),
        ("enemy_kind", "i8"),
        ("up_to", "f8"),
        ("never_only", "?"),
    ],
    align=True,
)
PLAYER_PLAN = np.dtype(
    [
        ("friends", "i8"),  # bit o: owner o is this player or an ally
        ("enemies", "i8"),
        ("minerals", "f8"),
        ("vespene", "f8"),
        ("nukes", "i8"),
    ],
    align=True,
)
GRANT = np.dtype([("owner", "i8"), ("upgrade", "i8")], align=True)
TRIGGER = np.dtype(
    [("every_ticks", "i8"), ("order", "i8"), ("owner", "i8"), ("ability", "i8"), ("range", "f8")],
    align=True,
)
SETTINGS = np.dtype(
    [
        ("drawn", "i8"),
        ("fog", "?"),
        ("last_order_tick", "i8"),
        # SMACv2's teams
        ("n_allies", "i8"),
        ("n_enemies", "i8"),
        ("positions", "i8"),
        ("reflect_probability", "f8"),
        ("passive_allies", "?"),
    ],
    align=True,
)


class Plan(NamedTuple):
    """A scenario's beginning and scripts, for kernels."""

    settings: Annotated[Records, SETTINGS, "1"]
    places: Annotated[Records, PLACE, "P"]  # of each group, or of each army
    groups: Annotated[Records, GROUP, "G"]
    entries: Annotated[Records, ENTRY, "K"]
    players: Annotated[Records, PLAYER_PLAN, "P"]  # how each owner begins: neutral first
    grants: Annotated[Records, GRANT, "R"]  # upgrades that players begin with
    triggers: Annotated[Records, TRIGGER, "T"]
    members: Annotated[Records, MEMBER, "M"]  # what SMACv2's teams are drawn from
    armies: ArmyTables


def compile_plan(
    scenario: Scenario | Melee, rows: dict[str, int], teams: Sequence[Collection[int]]
) -> Plan:
    """Turn a scenario or a whole game into tables. Each player belongs to one of the teams."""
    if isinstance(scenario, Melee):
        return _melee_plan(scenario, rows, teams)
    facts = load_ruleset(scenario.rules)
    abilities = {name: row for row, name in enumerate(facts.abilities)}
    upgrades = {name: row for row, name in enumerate(facts.upgrades)}
    return Plan(
        settings=_settings(scenario),
        places=_places(scenario, facts),
        groups=_table(GROUP, [_group_row(group, abilities) for group in scenario.groups]),
        entries=_table(ENTRY, _entry_rows(scenario, rows, facts)),
        players=_players(scenario, teams),
        grants=_table(
            GRANT,
            [
                (OWNERS[side], upgrades[name])
                for side, names in scenario.upgrades.items()
                for name in names
            ],
        ),
        triggers=_table(
            TRIGGER,
            [
                (
                    trigger.every_ticks,
                    _TRIGGERS[trigger.order],
                    OWNERS[trigger.side],
                    abilities[trigger.ability] if trigger.ability else NONE,
                    NONE if trigger.range is None else trigger.range,
                )
                for trigger in scenario.triggers
            ],
        ),
        members=_table(MEMBER, _member_rows(scenario, rows, facts)),
        armies=compile_armies(scenario.armies, facts, rows),
    )


def _melee_plan(melee: Melee, rows: Mapping[str, int], teams: Sequence[Collection[int]]) -> Plan:
    """Each unit that a game begins with is a group of its own."""
    starts = list(melee.starts())
    nowhere = (0.0, 0.0)
    groups = [
        (start.owner, False, 1.0, NONE, 0.0, 0, MINE, *start.gathers_at, *nowhere, 0, NONE)
        if start.gathers_at
        else (start.owner, False, 1.0, NONE, 0.0, 0, NOTHING, *nowhere, *nowhere, 0, NONE)
        for start in starts
    ]
    settings, players = records(1, SETTINGS), _relations(teams)
    settings["fog"] = melee.fog
    players["minerals"][1 : len(melee.races) + 1] = MINERALS
    return Plan(
        settings=settings,
        places=_table(PLACE, [(start.x, start.y, 0.0, False) for start in starts]),
        groups=_table(GROUP, groups),
        entries=_table(
            ENTRY, [(g, rows[start.unit], 1, g, 0, NONE, 0) for g, start in enumerate(starts)]
        ),
        players=players,
        grants=_table(GRANT, []),
        triggers=_table(TRIGGER, []),
        members=_table(MEMBER, []),
        armies=compile_armies(None, load_ruleset(melee.rules), rows),
    )


def n_units(scenario: Scenario | Melee) -> int:
    """How many slots a battle needs: for those it begins with, and for those they summon."""
    if isinstance(scenario, Melee):
        return sum(1 for _ in scenario.starts())
    if armies := scenario.armies:
        return 2 * armies.max_units + scenario.spare_slots
    if generator := scenario.generator:
        return generator.n_allies + generator.n_enemies + scenario.spare_slots
    return sum(group_size(group) for group in scenario.groups) + scenario.spare_slots


def unit_names(scenario: Scenario | Melee) -> set[str]:
    """Which unit types a battle may begin with."""
    if isinstance(scenario, Melee):
        return {start.unit for start in scenario.starts()}
    names = {name for group in scenario.groups for name in (*group.units, *group.inside)}
    names |= set(scenario.generator.weights if scenario.generator else ())
    return names | set(scenario.armies.weights if scenario.armies else ())


def _table(dtype: np.dtype[Any], rows: list[tuple[Any, ...]]) -> Records:
    table = records(len(rows), dtype)
    for index, row in enumerate(rows):
        table[index] = row
    return table


def _settings(scenario: Scenario) -> Records:
    settings = records(1, SETTINGS)
    settings["fog"] = scenario.fog
    settings["last_order_tick"] = max((group.after_ticks for group in scenario.groups), default=0)
    if generator := scenario.generator:
        settings["drawn"] = TEAMS
        settings["n_allies"], settings["n_enemies"] = generator.n_allies, generator.n_enemies
        settings["positions"] = _POSITIONS[generator.positions]
        settings["reflect_probability"] = generator.reflect_probability
        settings["passive_allies"] = generator.passive_allies
    if scenario.armies:
        settings["drawn"] = ARMIES
    return settings


def _players(scenario: Scenario, teams: Sequence[Collection[int]]) -> Records:
    players = _relations(teams)
    for side, stock in scenario.stock.items():
        row = players[OWNERS[side]]
        row["minerals"], row["vespene"], row["nukes"] = stock.minerals, stock.vespene, stock.nukes
    return players


def _relations(teams: Sequence[Collection[int]]) -> Records:
    """Who is whose friend and enemy, by owner."""
    n_players = sum(len(team) for team in teams)
    players = records(n_players + 1, PLAYER_PLAN)
    masks = [sum(1 << owner for owner in team) for team in teams]
    for team, friends in zip(teams, masks, strict=True):
        for owner in team:
            players[owner]["friends"], players[owner]["enemies"] = friends, sum(masks) - friends
    players[NEUTRAL_OWNER]["friends"] = 1 << NEUTRAL_OWNER
    return players


def _places(scenario: Scenario, facts: RuleSet) -> Records:
    if armies := scenario.armies:
        sides = (armies.ally, armies.enemy)
        return _table(PLACE, [(*side.at, side.spread, False) for side in sides])
    return _table(
        PLACE,
        [
            (*group.at, group.spread, all(facts.units[name].flying for name in group.units))
            for group in scenario.groups
        ],
    )


def _group_row(group: Group, abilities: Mapping[str, int]) -> tuple[Any, ...]:
    return (
        OWNERS[group.side],
        group.passive,
        group.hp,
        NONE if group.energy is None else group.energy,
        group.spacing or 0.0,
        group.after_ticks,
        *_order_row(group.order, abilities),
    )


def _order_row(order: Order | None, abilities: Mapping[str, int]) -> tuple[Any, ...]:
    if order is None:
        return NOTHING, 0.0, 0.0, 0.0, 0.0, 0, NONE
    at, to = order.at or (0.0, 0.0), order.to or (0.0, 0.0)
    ability = abilities[order.ability] if order.ability else NONE
    return _ORDERS[order.kind], *at, *to, OWNERS[order.side] if order.side else 0, ability


def _entry_rows(
    scenario: Scenario, rows: Mapping[str, int], facts: RuleSet
) -> list[tuple[Any, ...]]:
    """Units in the order in which they are created: each group, then those inside of it."""
    entries = []
    slot = 0
    for g, group in enumerate(scenario.groups):
        carriers, first = slot, 0
        for name, count in group.units.items():
            kind = rows[_type_of(facts, name, group.passive)]
            entries.append((g, kind, count, slot, first, NONE, 0))
            slot, first = slot + count, first + count
        for name, each in group.inside.items():
            kind, count = rows[_type_of(facts, name, group.passive)], each * first
            entries.append((g, kind, count, slot, 0, carriers, each))
            slot += count
    return entries


def _member_rows(
    scenario: Scenario, rows: Mapping[str, int], facts: RuleSet
) -> list[tuple[Any, ...]]:
    if not (generator := scenario.generator):
        return []
    up_to = np.cumsum(list(generator.weights.values()))
    return [
        (
            rows[_type_of(facts, name, generator.passive_allies)],
            rows[name],
            up_to[m],
            name in generator.never_only,
        )
        for m, name in enumerate(generator.weights)
    ]


def _type_of(facts: RuleSet, name: str, passive: bool) -> str:
    return agent_type(facts, name) if passive else name
