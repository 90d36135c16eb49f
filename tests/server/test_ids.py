"""Ids of the API: every ability on the command card of a type means something to the engine."""

from functools import cache

import pytest

from terrarium.data.api.catalog import api_abilities
from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.server.translate import ids as api_ids
from terrarium.server.translate.ids import Ids, Scope

WITHOUT_MEANING = {
    33: "the second half of a salvage, which no client can order",
    35: "broke off a spell that 4.10 does not have",
    1683: "stimpacks of passengers of a bunker: the engine has none aboard",
    1684: "the same for marauders",
    1763: "a tumor is planted at once, there is nothing to cancel",
    1770: "a slot of the game's catalog without a button",
    2099: "widow mines attack when they are burrowed",
    2535: "a stasis ward is summoned, not built",
    2699: "no ability of the API",
}
"""of abilities on command cards, and why"""
HALLUCINATIONS = "Hallucination"
"""how the links of a sentry's phantoms begin: the rules have none"""


@cache
def simulator() -> Simulator:
    return Simulator(Melee(find_map("flat_32"), ("Terran", "Protoss")))


@cache
def ids() -> Ids:
    return Ids(simulator())


def is_shared_burrow(ability: int, card: object) -> bool:
    """The command cards of all Zerg list the burrows of all types; a unit uses its own."""
    general = api_abilities()[ability].remaps_to
    return general in (3661, 3662)


def test_every_ability_of_every_command_card_has_a_meaning() -> None:
    known, without = api_abilities(), set()
    for unit, card in zip(ids().facts.units.values(), ids().cards, strict=True):
        for ability in unit.command_card:
            if ability in card or (ability in known and is_shared_burrow(ability, card)):
                continue
            if ability in known and known[ability].link.startswith(HALLUCINATIONS):
                continue
            without.add(ability)
    assert without == WITHOUT_MEANING.keys()


def test_abilities_are_on_the_cards_of_all_their_users() -> None:
    """Zerg have a burrow for each type, for example."""
    used = [
        (user, ability)
        for ability in ids().facts.abilities.values()
        for user in ability.users
        if ability.id is not None
    ]
    assert len(used) > 200
    for user, ability in used:
        assert ability.id in ids().cards[simulator().rows[user]], (user, ability.name)


def test_every_product_has_an_ability_of_the_api() -> None:
    sim = simulator()
    nameless = [
        sim.names[product["makes"]]
        for product, ability in zip(sim.rules.products, ids().products[:-1], strict=True)
        if ability == 0
    ]
    assert nameless == []


@pytest.mark.parametrize(
    ("unit", "order", "exact"),
    [
        ("marine", codes.MOVE, 16),
        ("marine", codes.ATTACK_MOVE, 23),
        ("medivac", codes.ATTACK_MOVE, 19),
        ("medivac", codes.HEAL, 386),
        ("battlecruiser", codes.MOVE, 3776),
        ("battlecruiser", codes.ATTACK, 3771),
        ("scv", codes.GATHER, 295),
        ("mule", codes.GATHER, 166),
        ("drone", codes.RETURN_CARGO, 1184),
    ],
)
def test_orders_show_exact_abilities(unit: str, order: int, exact: int) -> None:
    assert ids().order_ability(simulator().rows[unit], order, codes.NO_ABILITY) == exact


@pytest.mark.parametrize(
    ("unit", "general", "exact"),
    [
        ("marine", 3794, {16}),
        ("battlecruiser", 3794, {16, 3776}),
        ("barracks", 3682, {421}),
        ("starport", 3682, {487}),
        ("command_center", 3659, {314, 1451, 1517}),
        ("engineering_bay", 3698, {652, 653, 654}),
        ("roach", 3661, {1386}),
        ("banshee", 3676, {392}),
        ("hatchery", 3690, {212}),
        ("marine", 3698, set()),
    ],
)
def test_general_abilities_stand_for_those_of_a_type(
    unit: str, general: int, exact: set[int]
) -> None:
    meanings = ids().meanings(simulator().rows[unit], general)
    assert {meaning.ability for meaning in meanings} == exact


def test_what_an_ability_makes() -> None:
    rows = simulator().rows
    (barracks,) = ids().meanings(rows["scv"], 321)
    assert (barracks.kind, barracks.row) == (
        codes.BUILD,
        simulator().product_row("scv", "barracks"),
    )
    (marine,) = ids().meanings(rows["barracks"], 560)
    assert (marine.kind, marine.target) == (codes.PRODUCE, "none")
    (halt,) = ids().meanings(rows["scv"], 348)
    assert halt.scope == Scope.WORK
    assert ids().products[barracks.row] == 321


def test_ids_of_types_upgrades_and_buffs() -> None:
    sim = simulator()
    assert ids().types[sim.rows["marine"]] == 48
    assert ids().type_rows[48] == sim.rows["marine"]
    assert ids().upgrades[sim.known.upgrades["stimpack"]] == 15
    assert ids().buffs[sim.known.buffs["stimpack"]] == 27


def test_tags_go_there_and_back() -> None:
    for tag in (1, 77, 2**40):
        assert api_ids.engine_tag(api_ids.api_tag(tag)) == tag
        assert api_ids.snapshot_number(api_ids.snapshot_tag(tag)) == tag
        assert api_ids.engine_tag(api_ids.snapshot_tag(tag)) == 0
    assert api_ids.engine_tag(5) == 0
    assert api_ids.engine_tag(1) == 0
    assert api_ids.api_tag(1) > 2**32
