"""What a computer opponent decides, moment by moment."""

import numpy as np
import pytest

from terrarium.data.opponents.levels import levels
from terrarium.data.opponents.plans import plans
from terrarium.tactics.macro.game_view import GameOrderKind, Refusal, UnitOrder
from terrarium.tactics.macro.macro_player import MacroPlayer
from tests.tactics.macro.scene import (
    AWAY,
    CATALOG,
    GROUND,
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
    scene = Scene(things, loop=1850, minerals=800.0, supply_cap=60.0, supply_used=30.0)
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


@pytest.mark.parametrize(("n_enemies", "retreats"), [(4, False), (90, True)])
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


def test_a_structure_that_its_builder_has_left_gets_another_one() -> None:
    """One whose SCV was killed would count as being built for the rest of the game."""
    site = Thing("barracks", 0.5, 10.5, done=False)
    scene = Scene(base(14, Thing("supply_depot", 8.0, 8.0), site), loop=1500, minerals=0.0)
    tag = scene.own.tag[-1]
    (order,) = [o for o in player().decide(scene) if o.kind == GameOrderKind.CONSTRUCT]
    assert (order.target, len(order.tags)) == (tag, 1)
    scene.things = [*scene.things, Thing("scv", 0.5, 8.0, UnitOrder.BUILD, int(tag))]
    assert all(o.kind != GameOrderKind.CONSTRUCT for o in player().decide(scene))


def tanks(n: int, order: UnitOrder = UnitOrder.IDLE) -> list[Thing]:
    return [Thing("siege_tank", 6.0, k % 10, order) for k in range(n)]


def test_who_is_careful_does_not_attack_a_larger_army() -> None:
    """It has seen 70 Marauders far away; they are forgotten after a while."""
    seen = [Thing("marauder", *FAR) for _ in range(70)]
    for level, attacks in (("Medium", True), ("VeryHard", False)):
        brain = player(level)
        brain.decide(Scene(base(12, *tanks(40)), seen, loop=13_900))
        told = sent(brain.decide(Scene(base(12, *tanks(40)), loop=14_500)))
        assert bool({"attack", "gather"} & set(told.values())) == attacks
    told = sent(brain.decide(Scene(base(12, *tanks(40)), loop=17_000)))
    assert "gather" in told.values()


def test_an_army_that_is_gone_from_where_it_was_is_forgotten() -> None:
    seen = [Thing("marauder", *FAR) for _ in range(70)]
    brain = player("VeryHard")
    brain.decide(Scene(base(12, *tanks(40)), seen, loop=13_900))
    told = sent(brain.decide(Scene(base(12, *tanks(40)), loop=14_500, hidden=False)))
    assert {"gather", "search"} & set(told.values())


@pytest.mark.parametrize(("level", "counters"), [("Medium", False), ("VeryHard", True)])
def test_a_beaten_attack_is_answered_by_one(level: str, counters: bool) -> None:
    """Long before the first wave that is due."""
    brain = player(level)
    attackers = [Thing("marine", -6.0, k) for k in range(8)]
    brain.decide(Scene(base(12, *tanks(20)), attackers, loop=6000))
    told = sent(brain.decide(Scene(base(12, *tanks(20)), loop=6400)))
    assert ("gather" in told.values()) == counters
    late = player(level)
    late.decide(Scene(base(12, *tanks(20)), attackers, loop=6000))
    assert "gather" not in sent(late.decide(Scene(base(12, *tanks(20)), loop=6800))).values()


def test_an_army_adapts_to_flyers() -> None:
    """Hydralisks are no part of a rush of Zerglings and Roaches; against Mutalisks they are."""
    brain = MacroPlayer(plans("Zerg")["Rush"], levels()["VeryHard"], CATALOG, GROUND, HOME)
    halls = [Thing("lair"), Thing("spawning_pool", 8.0, 8.0), Thing("hydralisk_den", -8.0, 8.0)]
    larvae = [Thing("larva", 1.0, 3.0) for _ in range(8)]
    drones = [Thing("drone", 3.0, k, UnitOrder.GATHER) for k in range(60)]
    scene = Scene([*halls, *larvae, *drones], loop=10_000, minerals=1500.0, vespene=900.0)
    scene.supply_used, scene.supply_cap = 60.0, 120.0
    assert "hydralisk" not in ordered(brain.decide(scene))
    scene.enemies = [Thing("mutalisk", *FAR) for _ in range(10)]
    assert ordered(brain.decide(scene)).count("hydralisk") > 3


def test_an_outnumbered_player_makes_an_army_before_workers() -> None:
    barracks = [Thing("barracks", 0.5 + 7 * k, 10.5) for k in range(3)]
    things = base(16, Thing("supply_depot", 8.0, 8.0), *barracks)
    scene = Scene(things, loop=2000, minerals=150.0, supply_cap=60.0, supply_used=30.0)
    assert "marine" not in ordered(player("VeryHard").decide(scene))
    scene.enemies = [Thing("marauder", *FAR) for _ in range(10)]
    assert ordered(player("VeryHard").decide(scene)) == ["marine"] * 3
    assert "marine" not in ordered(player("Medium").decide(scene))


def test_zerg_without_larvae_and_with_money_takes_more_townhalls() -> None:
    brain = MacroPlayer(plans("Zerg")["Macro"], levels()["CheatInsane"], CATALOG, GROUND, HOME)
    halls = [Thing("hatchery"), Thing("spawning_pool", 8.0, 8.0), Thing("roach_warren", -8.0, 8.0)]
    halls.append(Thing("hatchery", 20.0, 20.0))
    drones = [Thing("drone", 3.0, k, UnitOrder.GATHER) for k in range(60)]
    queens = [Thing("queen", 3.0, -k) for k in range(8)]
    scene = Scene([*halls, *drones, *queens], loop=2000, minerals=3000.0, supply_used=70.0)
    scene.supply_cap = 120.0
    reasons = [order.why for order in brain.decide(scene) if order.what == "hatchery"]
    assert "more producers" in reasons
    scene.things = [*scene.things, *[Thing("larva", 1.0, 3.0) for _ in range(40)]]
    reasons = [order.why for order in brain.decide(scene) if order.what == "hatchery"]
    assert "more producers" not in reasons


def test_gas_that_is_kept_for_an_upgrade_holds_nothing_up_that_needs_none() -> None:
    """A player without gas and with an upgrade to pay once made no Marines at all."""
    done = ("refinery", "engineering_bay", "barracks_tech_lab", "barracks_tech_lab")
    halls = [Thing("supply_depot", 8.0, 8.0), Thing("orbital_command", 20.0, 20.0)]
    things = base(40, *halls, *[Thing(name, -8.0, 3.0 * k) for k, name in enumerate(done)])
    things += [Thing("barracks", 0.5 + 7 * k, 10.5) for k in range(3)]
    scene = Scene(things, loop=9000, minerals=2000.0, supply_cap=120.0)
    assert "marine" in ordered(player("VeryHard").decide(scene))


def test_scouts_are_sent_again() -> None:
    """One looks at what is known of the enemy and comes back; some levels send another one."""
    hatchery = [Thing("hatchery", *FAR)]
    for level, sends in (
        ("VeryHard", ["scout", "scouted", "scout"]),
        ("Medium", ["scout", "scouted"]),
    ):
        brain, told = player(level), []
        for loop, place in ((6100, (5.0, 0.0)), (6200, FAR), (9000, (5.0, 0.0))):
            things = base(12)
            things[1] = Thing("scv", *place, UnitOrder.GATHER)
            enemies = hatchery if loop == 6200 else ()
            told += sent(brain.decide(Scene(things, enemies, loop=loop))).values()
        assert [why for why in told if why.startswith("scout")] == sends


def test_a_townhall_that_is_being_built_stops_no_other_one_from_training() -> None:
    """A Command Center trains workers in another way than an Orbital Command does."""
    site = Thing("command_center", 20.0, 20.0, done=False)
    builder = Thing("scv", 20.0, 17.0, UnitOrder.BUILD, 1015)
    things = [Thing("orbital_command"), *base(14)[1:], site, builder]
    scene = Scene(things, loop=2500, minerals=60.0, supply_cap=30.0)
    assert scene.own.tag[15] == 1015
    assert ordered(player().decide(scene)) == ["scv"]


def test_an_army_on_the_march_does_not_turn_round_because_its_head_is_small() -> None:
    brain = player("MediumHard")
    head = [Thing("marine", 30.0, 30.0 + k % 5, UnitOrder.ATTACK) for k in range(16)]
    tail = [Thing("marine", 10.0, 20.0 + k % 5, UnitOrder.ATTACK) for k in range(15)]
    enemies = [Thing("marine", 34.0, 30.0 + k % 8) for k in range(50)]
    for n_tail, retreats in ((15, False), (0, True)):
        brain = player("MediumHard")
        wave = [*head, *tail[:n_tail]]
        brain.decide(Scene(base(12, *head, *tail), loop=12_000))
        told = sent(brain.decide(Scene(base(12, *wave), enemies, loop=12_100)))
        assert ("retreat" in told.values()) == retreats


def test_a_weak_level_replaces_its_army_slowly() -> None:
    """Whatever money it has; the best ones spend it at once."""
    barracks = [Thing("barracks", 0.5 + 7 * k, 10.5) for k in range(40)]
    things = base(30, Thing("supply_depot", 8.0, 8.0), *barracks)
    marines = {}
    for level in ("Medium", "Hard", "CheatInsane"):
        brain, made = player(level), 0
        for loop in range(20_000, 20_800, 100):
            scene = Scene(things, loop=loop, minerals=9000.0, supply_cap=190.0, supply_used=40.0)
            made += ordered(brain.decide(scene)).count("marine")
        marines[level] = made
    assert marines["Medium"] < marines["Hard"] < marines["CheatInsane"]
