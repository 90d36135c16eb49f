"""What a computer opponent decides, moment by moment."""

import numpy as np
import pytest

from terrarium.tactics.macro.game_view import GameOrderKind, Refusal, UnitOrder
from tests.tactics.macro.scene import (
    AWAY,
    CATALOG,
    HOME,
    Scene,
    Thing,
    base,
    ordered,
    player,
    sent,
)

FAR = (AWAY[0] - HOME[0], AWAY[1] - HOME[1])


def test_it_begins_with_a_worker_and_then_supply() -> None:
    assert ordered(player().decide(Scene(base()))) == ["scv"]
    scene = Scene(base(14), loop=450, minerals=100.0, supply_used=14.0)
    assert ordered(player().decide(scene)) == ["supply_depot"]
    # One that is on its way is enough.
    scene.making[CATALOG.rows["supply_depot"]] = 1
    assert "supply_depot" not in ordered(player().decide(scene))


def test_money_is_kept_for_what_is_due() -> None:
    """The Barracks costs 150; with 140 nothing that comes later is made."""
    things = base(17, Thing("supply_depot", 8.0, 8.0))
    scene = Scene(things, loop=1040, minerals=140.0, supply_used=17.0, supply_cap=23.0)
    assert ordered(player().decide(scene)) == []
    scene.minerals = 150.0
    assert ordered(player().decide(scene)) == ["barracks"]


def test_what_is_missing_is_built_first() -> None:
    """The plan wants a Factory; without Barracks that comes first, without supply a depot."""
    things = base(20, Thing("refinery", 7.0, 0.0))
    scene = Scene(things, loop=5200, minerals=1000.0, vespene=500.0, supply_cap=60.0)
    assert "supply_depot" in ordered(player().decide(scene))
    scene.things = [*things, Thing("supply_depot", 8.0, 8.0)]
    wanted = ordered(player().decide(scene))
    assert "barracks" in wanted
    assert "factory" not in wanted


def test_the_army_follows_the_shares_of_the_plan() -> None:
    barracks = [Thing("barracks", 0.5 + 7 * k, 10.5) for k in range(4)]
    things = base(24, Thing("supply_depot", 8.0, 8.0), *barracks)
    scene = Scene(things, loop=1850, minerals=300.0, supply_cap=60.0, supply_used=30.0)
    assert ordered(player("Medium").decide(scene)).count("marine") == 0
    assert ordered(player("CheatInsane").decide(scene)).count("marine") >= 2


def test_an_army_defends_its_base() -> None:
    marines = [Thing("marine", 6.0, k) for k in range(6)]
    enemies = [Thing("zergling", -6.0, k) for k in range(3)]
    scene = Scene(base(12, *marines), enemies, loop=4000)
    told = sent(player().decide(scene))
    tags = scene.own.tag[scene.own.kind == CATALOG.rows["marine"]]
    assert {told.get(int(tag)) for tag in tags} == {"defend"}


def test_a_wave_begins_when_it_is_large_enough() -> None:
    brain = player("Medium")
    few = [Thing("marine", 6.0, k) for k in range(3)]
    many = [Thing("marine", 6.0, k % 10) for k in range(20)]
    told = sent(brain.decide(Scene(base(12, *few), loop=9000)))
    assert "attack" not in told.values()
    told = sent(brain.decide(Scene(base(12, *many), loop=9100)))
    assert list(told.values()).count("attack") == 20
    # It is not told again while it is on its way.
    walking = [Thing("marine", 6.0, k % 10, UnitOrder.ATTACK) for k in range(20)]
    told = sent(brain.decide(Scene(base(12, *walking), loop=9132)))
    assert "attack" not in told.values()


@pytest.mark.parametrize(("n_enemies", "retreats"), [(4, False), (70, True)])
def test_a_lost_fight_is_left(n_enemies: int, retreats: bool) -> None:
    brain = player("MediumHard")
    marines = [Thing("marine", 30.0, 30.0 + k % 5, UnitOrder.ATTACK) for k in range(30)]
    brain.decide(Scene(base(12, *marines), loop=12_000))
    enemies = [Thing("marine", 34.0, 30.0 + k % 8) for k in range(n_enemies)]
    told = sent(brain.decide(Scene(base(12, *marines), enemies, loop=12_100)))
    assert ("retreat" in told.values()) == retreats


def test_structures_are_remembered_and_forgotten() -> None:
    brain = player("Medium")
    army = [Thing("marine", 6.0, k % 10) for k in range(20)]
    seen = [Thing("hatchery", *FAR), Thing("spawning_pool", 20.0, 30.0)]
    brain.decide(Scene(base(12, *army), seen, loop=5000))
    orders = brain.decide(Scene(base(12, *army), loop=9000))
    attack = next(order for order in orders if order.why == "attack")
    assert (attack.x, attack.y) == (HOME[0] + 20.0, HOME[1] + 30.0)
    orders = brain.decide(Scene(base(12, *army), loop=9100, hidden=False))
    searched = [order for order in orders if order.why == "search"]
    assert len(searched) == 20
    assert len({(order.x, order.y) for order in searched}) > 5


def test_a_place_that_was_refused_is_left_alone() -> None:
    brain = player()
    scene = Scene(base(14), loop=450, minerals=100.0, supply_used=14.0)
    (order,) = brain.decide(scene)
    assert order.kind == GameOrderKind.BUILD
    brain.hear([Refusal(order, int(order.tags[0]), "CantBuildLocationInvalid")])
    (other,) = brain.decide(scene)
    assert (other.x, other.y) != (order.x, order.y)


def test_idle_workers_work_and_gas_is_filled() -> None:
    idle = [Thing("scv", 3.0, k) for k in range(3)]
    refinery = Thing("refinery", 7.0, 1.0)
    scene = Scene(base(12, refinery, *idle), loop=2000, minerals=0.0)
    orders = [o for o in player().decide(scene) if o.kind == GameOrderKind.GATHER]
    gas = scene.own.tag[scene.own.kind == CATALOG.rows["refinery"]][0]
    sizes = {order.why: len(order.tags) for order in orders}
    assert sizes == {"gas": 3, "idle": 3}
    assert next(order for order in orders if order.why == "gas").target == gas


def test_equal_views_give_equal_orders() -> None:
    things = base(16, *[Thing("marine", 6.0, k) for k in range(10)])
    scene = Scene(things, loop=9000, minerals=700.0, vespene=200.0, supply_cap=40.0)
    first, second = (player().decide(scene) for _ in range(2))
    assert [str(order) for order in first] == [str(order) for order in second]
    assert np.array_equal(scene.own.tag, scene.own.tag)
