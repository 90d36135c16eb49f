"""Events: what happened in a game, in order; a full ring is counted, never silent."""

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.engine.arena import Arena, open_ground


def told(arena: Arena, *kinds: int) -> list[tuple[str, int]]:
    """The names of events and the slots that they are about."""
    events, lost = arena.sim.events(0)
    assert lost == 0
    return [
        (codes.EVENT_NAMES[int(event["kind"])], int(event["unit"]))
        for event in events
        if event["kind"] in kinds
    ]


def test_a_unit_that_dies_far_away_is_told_with_its_killer() -> None:
    arena = open_ground()
    victim = arena.add("marine", at=(50, 50), passive=True, hp=5.0)
    killer = arena.add("marine", at=(53, 50), owner=2)
    tags = int(victim.tag), int(killer.tag)
    assert arena.run(100, until=lambda: not victim.alive)
    events, _ = arena.sim.events(0)
    death = events[events["kind"] == codes.DIED]
    assert death[["unit", "tag", "owner"]].tolist() == [(victim.slot, tags[0], 1)]
    assert death[["other", "other_tag", "other_owner"]].tolist() == [(killer.slot, tags[1], 2)]
    assert death["tick"][0] == arena.ticks - 1
    assert (death["x"][0], death["y"][0]) == victim.at
    hurt = events[events["kind"] == codes.HURT]
    assert hurt["amount"].tolist() == [5.0]
    assert hurt["other_tag"].tolist() == [tags[1]]


def test_life_lost_is_what_the_hurt_events_add_up_to() -> None:
    sim, n_read, lost_life = Simulator("smac/3s5z"), 0, 0.0
    sim.reset(4)
    before = float((sim.units["hp"] + sim.units["shield"])[0].sum())
    gained = 0.0
    for _ in range(30):
        for _ in range(8):
            life = sim.units["hp"][0] + sim.units["shield"][0]
            sim.step(1)
            gained += float((sim.units["hp"][0] + sim.units["shield"][0] - life).clip(0.0).sum())
        events, lost = sim.events(0, n_read)
        assert lost == 0
        n_read += len(events)
        lost_life += float(events["amount"][events["kind"] == codes.HURT].sum())
    after = float((sim.units["hp"] + sim.units["shield"])[0].sum())
    assert lost_life > 100.0
    # A unit may be hurt and regenerate in one tick, which the difference of states hides.
    assert abs(before + gained - after - lost_life) <= 1.0


def test_births_casts_forms_and_failures_are_told() -> None:
    arena = open_ground().research("stimpack")
    marine = arena.add("marine", at=(20, 20))
    tank = arena.add("siege_tank", at=(24, 20))
    assert told(arena, codes.BORN) == [("born", marine.slot), ("born", tank.slot)]
    assert marine.use("stimpack_marine") == "Success"
    assert marine.use("stimpack_marauder") == "NotSupported"
    tank.use("siege_mode")
    arena.run(80)
    assert told(arena, codes.CAST_DONE, codes.REFUSED, codes.FORM_CHANGED) == [
        ("cast", marine.slot),
        ("refused", marine.slot),
        ("cast", tank.slot),
        ("form_changed", tank.slot),
    ]


def test_an_order_that_fails_late_says_why() -> None:
    arena = open_ground().research("stimpack")
    marine = arena.add("marine", at=(20, 20), hp=15.0)
    marine.move(21, 20)
    assert marine.use("stimpack_marine", queued=True) == "Success"
    marine.set(hp=5.0)  # hurt before its turn came
    arena.run(40)
    events, _ = arena.sim.events(0)
    failed = events[events["kind"] == codes.FAILED]
    assert [codes.RESULT_NAMES[int(result)] for result in failed["result"]] == ["NotEnoughLife"]


def test_a_reader_who_comes_late_is_told_how_many_events_are_lost() -> None:
    arena = open_ground()
    marine = arena.add("marine", at=(20, 20))
    room = arena.sim.games.events.shape[1]
    for _ in range(room + 5):
        arena.sim.order(0, marine.slot, 77)
        arena.sim.step(0)
    events, lost = arena.sim.events(0)
    assert (len(events), lost) == (room, 6)  # its birth is among them
    events, lost = arena.sim.events(0, since=room)
    assert (len(events), lost) == (6, 0)


def test_a_spawn_without_a_slot_is_refused_and_told() -> None:
    """The other games of the batch, and this one, go on."""
    arena = open_ground(slots=2)
    raven = arena.add("raven", at=(20, 20), energy=200.0)
    arena.add("marine", at=(10, 10))
    assert raven.use("auto_turret", at=(22, 20)) == "Success"
    arena.run(60)
    events, _ = arena.sim.events(0)
    refused = events[events["kind"] == codes.SPAWN_REFUSED]
    assert arena.sim.names[int(refused["type"][0])] == "auto_turret"
    assert refused["owner"].tolist() == [1]
    assert arena.sim.units["alive"][0].sum() == 2
