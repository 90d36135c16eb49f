"""Commands: a list in order, several per unit, each answered with the game's ActionResult."""

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records
from terrarium.engine.simulator import EngineError, Simulator
from tests.engine.arena import open_ground


def names(answers: Records) -> list[str]:
    return [codes.RESULT_NAMES[int(result)] for result in answers["result"]]


def test_five_commands_for_one_unit_have_five_answers_in_order() -> None:
    arena = open_ground()
    marine = arena.add("marine", at=(20, 20))
    sim = arena.sim
    sim.order(0, marine.slot, codes.MOVE, (25.0, 20.0))
    sim.use(0, marine.slot, "stimpack_marine")  # not researched
    sim.order(0, marine.slot, codes.MOVE, (25.0, 25.0), queued=True)
    sim.order(0, marine.slot, codes.HEAL, target=marine.slot)
    sim.order(0, marine.slot, codes.HOLD, queued=True)
    sim.step(0)
    assert names(sim.answers(0)) == [
        "Success",
        "TechRequirementsNotMet",
        "Success",
        "CantTargetThatUnit",
        "Success",
    ]
    orders = sim.games.orders[0, marine.slot]["kind"][: marine.n_orders].tolist()
    assert orders == [codes.MOVE, codes.MOVE, codes.HOLD]


def test_commands_that_cannot_be_are_refused_one_by_one_and_the_others_carried_out() -> None:
    arena = open_ground()
    marine = arena.add("marine", at=(20, 20))
    dead = arena.add("marine", at=(30, 20), hp=1.0)
    foe = arena.add("marine", at=(40, 20), owner=2)
    dead.set(hp=0.0)
    arena.run(2)
    sim, go = arena.sim, (25.0, 20.0)
    sim.order(0, dead.slot, codes.MOVE, go)
    sim.order(0, foe.slot, codes.MOVE, go, owner=1)
    sim.order(0, marine.slot, codes.MOVE, go, owner=99)
    sim.order(0, -5, codes.MOVE, go)
    sim.order(0, 10**12, codes.MOVE, go)
    sim.order(0, marine.slot, 77, go)
    sim.order(0, marine.slot, codes.MOVE, (np.nan, 3.0))
    sim.order(0, marine.slot, codes.ATTACK, target=10**12)
    sim.order(0, marine.slot, codes.MOVE, go)
    sim.step(0)
    assert names(sim.answers(0)) == [
        "Error",
        "YouCantControlThatUnit",
        "YouCantControlThatUnit",
        "Error",
        "Error",
        "NotSupported",
        "Error",
        "CantTargetThatUnit",
        "Success",
    ]
    assert marine.n_orders == 1
    assert foe.n_orders == 0


def test_a_command_for_a_unit_that_left_its_slot_is_refused() -> None:
    arena = open_ground()
    marine = arena.add("marine", at=(20, 20))
    command = np.zeros(2, COMMAND)
    command["owner"], command["unit"], command["kind"] = 1, marine.slot, codes.HOLD
    command["target"], command["tag"] = codes.NO_UNIT, [marine.tag + 1, marine.tag]
    arena.sim.give(0, command)
    arena.sim.step(0)
    assert names(arena.sim.answers(0)) == ["Error", "Success"]


def test_answers_are_those_of_the_last_step() -> None:
    sim = Simulator("smac/3m")
    sim.order(0, 0, codes.STOP)
    sim.step()
    assert names(sim.answers(0)) == ["Success"]
    sim.step()
    assert len(sim.answers(0)) == 0
    sim.order(0, 0, codes.STOP)
    sim.reset(3)
    sim.step()
    assert len(sim.answers(0)) == 0, "a reset forgets what was waiting"


def test_a_malformed_list_is_refused_whole() -> None:
    sim = Simulator("smac/3m", max_commands=3)
    with pytest.raises(EngineError, match="instead of a list of records of COMMAND"):
        sim.give(0, np.zeros(3))
    with pytest.raises(EngineError, match="instead of a list of records of COMMAND"):
        sim.give(0, np.zeros((1, 3), COMMAND))
    for no_array in (None, [1, 2, 3], [np.zeros(1, COMMAND)[0]]):
        with pytest.raises(EngineError, match=r"instead of an array of records of COMMAND"):
            sim.give(0, no_array)
    for game in (-1, 1):
        with pytest.raises(EngineError, match=rf"game {game}: games are 0 to 0"):
            sim.order(game, 0, codes.STOP)
    for _ in range(3):
        sim.order(0, 0, codes.STOP)
    with pytest.raises(EngineError, match="room for 3; make the simulator with max_commands=4"):
        sim.order(0, 0, codes.STOP)
    sim.step()
    assert names(sim.answers(0)) == ["Success"] * 3


@pytest.mark.parametrize("kind", [codes.MOVE, codes.ATTACK_MOVE, codes.PATROL])
def test_an_order_to_where_a_unit_goes_already_is_ignored(kind: int) -> None:
    """sc2api.md, 11. A patrol would begin anew from where the unit is."""
    arena = open_ground()
    marine, goal = arena.add("marine", at=(20, 20)), (25.0, 20.0)
    for _ in range(2):
        arena.sim.order(0, marine.slot, kind, goal)
        arena.sim.order(0, marine.slot, codes.MOVE, (30.0, 20.0), queued=True)
        arena.run(10)
    orders = arena.sim.games.orders[0, marine.slot]
    assert orders["kind"][: marine.n_orders].tolist() == [kind, codes.MOVE, codes.MOVE]
    assert orders[0]["back_x"] == 20.0
    arena.sim.order(0, marine.slot, kind, (26.0, 20.0))
    arena.run(1)
    assert marine.n_orders == 1


def test_an_order_to_the_unit_that_is_attacked_already_is_ignored() -> None:
    arena = open_ground()
    marine = arena.add("marine", at=(20, 20))
    first, second = (arena.add("marauder", at=(24, y), owner=2) for y in (20, 22))
    marine.attack(first)
    marine.attack(second, queued=True)
    arena.run(4)
    marine.attack(first)
    arena.run(1)
    assert marine.n_orders == 2
    marine.attack(second)
    arena.run(1)
    assert marine.n_orders == 1
