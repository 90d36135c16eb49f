"""How games end: game_rules.md, 11."""

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import EngineError, Simulator
from tests.engine.arena import open_ground
from tests.engine.economy.bases import Base


def results(sim: Simulator) -> list[int]:
    return [int(r) for r in sim.games.standings["result"][0, 1:]]


def kinds(sim: Simulator) -> list[str]:
    return [codes.EVENT_NAMES[int(k)] for k in sim.events(0)[0]["kind"]]


def test_who_has_no_structure_left_has_lost() -> None:
    base = Base()
    sim = base.sim
    sim.step(4)
    assert results(sim) == [codes.UNDECIDED, codes.UNDECIDED]
    sim.units["hp"][0, base.mine(2)[0]] = 0.0
    sim.step(1)
    assert results(sim) == [codes.VICTORY, codes.DEFEAT]
    assert sim.games.match["ended"][0, 0]
    events = sim.events(0)[0]
    over = events[events["kind"] == codes.GAME_OVER]
    assert {(int(e["owner"]), int(e["amount"])) for e in over} == {(1, 1), (2, 2)}
    sim.step(20)
    assert results(sim) == [codes.VICTORY, codes.DEFEAT]
    assert kinds(sim).count("game_over") == 2


@pytest.mark.parametrize("structure", ["supply_depot", "barracks_flying", "barracks_tech_lab"])
def test_any_structure_keeps_a_player_in_the_game(structure: str) -> None:
    base = Base()
    sim = base.sim
    sim.create(0, structure, 2, 16.5, 16.5)
    sim.units["hp"][0, base.mine(2)[0]] = 0.0
    sim.step(40)
    assert results(sim) == [codes.UNDECIDED, codes.UNDECIDED]


@pytest.mark.parametrize("thing", ["creep_tumor", "auto_turret", "force_field", "scv"])
def test_tumors_turrets_and_units_do_not(thing: str) -> None:
    base = Base()
    sim = base.sim
    sim.create(0, thing, 2, 16.5, 16.5)
    sim.units["hp"][0, base.mine(2)[0]] = 0.0
    sim.step(1)
    assert results(sim) == [codes.VICTORY, codes.DEFEAT]


def test_both_losing_everything_at_once_is_a_tie() -> None:
    base = Base()
    sim = base.sim
    for owner in (1, 2):
        sim.units["hp"][0, base.mine(owner)[0]] = 0.0
    sim.step(1)
    assert results(sim) == [codes.TIE, codes.TIE]


def test_who_surrenders_has_lost() -> None:
    base = Base()
    sim = base.sim
    sim.step(10)
    sim.surrender(0, 1)
    assert results(sim) == [codes.DEFEAT, codes.VICTORY]
    sim.surrender(0, 2)
    assert results(sim) == [codes.DEFEAT, codes.VICTORY], "the game was over"


def test_nobody_surrenders_in_a_battle_or_for_a_player_who_is_not_there() -> None:
    base = Base()
    for owner in (0, 3):
        with pytest.raises(EngineError, match="owner"):
            base.sim.surrender(0, owner)
    with pytest.raises(EngineError, match="battle"):
        open_ground().sim.surrender(0, 1)


def test_a_player_who_can_have_no_townhall_is_revealed_after_400_loops() -> None:
    base = Base()
    sim = base.sim
    hall = base.mine(2)[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    barracks = sim.create(0, "barracks_flying", 2, x, y)
    for slot in base.mine(2):
        if slot != barracks:
            sim.units["hp"][0, slot] = 0.0
    sim.step(390)
    assert not sim.games.standings["revealed"][0, 2]
    assert not sim.games.views["sighted"][0, barracks] >> 1 & 1
    sim.step(30)
    assert sim.games.standings["revealed"][0, 2]
    assert sim.games.views["sighted"][0, barracks] >> 1 & 1
    assert kinds(sim).count("revealed") == 1
    sim.create(0, "command_center_flying", 2, x, y)
    sim.step(17)
    assert not sim.games.standings["revealed"][0, 2]


def test_a_player_with_a_worker_and_the_price_of_a_townhall_is_not_revealed() -> None:
    base = Base()
    sim = base.sim
    sim.create(0, "barracks_flying", 2, 16.5, 30.5)
    sim.units["hp"][0, base.mine(2)[0]] = 0.0
    sim.players["minerals"][0, 2] = 400.0
    sim.step(420)
    assert not sim.games.standings["revealed"][0, 2]


def test_when_nothing_happens_for_360_seconds_the_game_is_a_tie() -> None:
    """A warning after 180, of 16 loops each."""
    base = Base()
    sim = base.sim
    for owner in (1, 2):
        for worker in base.workers(owner):
            sim.order(0, worker, codes.STOP)
    sim.step(1)
    while sim.ticks[0] < 2870:
        sim.step(82)
    assert "stalemate_warning" not in kinds(sim)
    sim.step(40)
    assert "stalemate_warning" in kinds(sim)
    sim.order(0, base.workers()[0], codes.GATHER, target=base.near(codes.MINERALS)[0])
    sim.step(400)
    sim.order(0, base.workers()[0], codes.STOP)
    sim.step(2000)
    assert results(sim) == [codes.UNDECIDED] * 2
    last = int(sim.games.match["active_tick"][0, 0])
    assert last > 2900
    sim.step(last + 5744 - int(sim.ticks[0]))
    assert results(sim) == [codes.UNDECIDED] * 2
    sim.step(32)
    assert results(sim) == [codes.TIE] * 2


def test_results_are_saved_and_loaded_with_the_game() -> None:
    base = Base()
    sim = base.sim
    sim.step(20)
    save = sim.save()
    sim.surrender(0, 1)
    assert results(sim) != [codes.UNDECIDED] * 2
    sim.load(save)
    assert results(sim) == [codes.UNDECIDED] * 2
    assert not np.any(sim.games.match["ended"])
