"""Cheats: what a player who may break the rules is given, and that nobody else notices."""

from typing import Any

import numpy as np
import pytest

from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.cheats import CHEAT, LIFE, MOST_CREATED, CheatKind, cheat, is_sound
from terrarium.engine.simulator import Simulator


@pytest.fixture(scope="module")
def the_sim() -> Simulator:
    return Simulator(Melee(find_map("flat_32"), ("Terran", "Zerg")), slots=512)


@pytest.fixture
def sim(the_sim: Simulator) -> Simulator:
    the_sim.reset(4)
    return the_sim


def cheats(*rows: Any) -> Any:
    table = np.zeros(len(rows), CHEAT)
    for row, values in zip(table, rows, strict=True):
        for name, value in values.items():
            row[name] = value
    return table


def switch(sim: Simulator, bits: int, player: int = 1) -> None:
    cheat(sim, 0, cheats({"kind": CheatKind.SWITCH, "player": player, "what": bits}))


def create(sim: Simulator, unit: str, owner: int, x: float, y: float, amount: int = 1) -> list[int]:
    units = sim.units[0]
    before = set(np.flatnonzero(units["alive"]).tolist())
    row = {"kind": CheatKind.CREATE, "player": 1, "what": sim.rows[unit], "owner": owner}
    cheat(sim, 0, cheats(row | {"x": x, "y": y, "amount": amount}))
    return sorted(set(np.flatnonzero(units["alive"]).tolist()) - before)


def test_units_and_structures_are_created_around_a_point(sim: Simulator) -> None:
    assert len(create(sim, "marine", 2, 16.0, 16.0, amount=3)) == 3
    first, second = create(sim, "barracks", 1, 16.0, 16.0, amount=2)
    places = {(sim.units["x"][0, u], sim.units["y"][0, u]) for u in (first, second)}
    assert len(places) == 2
    assert not (sim.units["status"][0, [first, second]] & codes.UNFINISHED).any()
    assert len(create(sim, "geyser" if "geyser" in sim.rows else "overlord", 0, 1e6, -1e6)) == 1


def test_what_is_killed_dies_in_the_next_tick_and_is_told(sim: Simulator) -> None:
    (marine,) = create(sim, "marine", 2, 16.0, 16.0)
    tag = int(sim.units["tag"][0, marine])
    since = int(sim.games.clock["n_events"][0, 0])
    cheat(sim, 0, cheats({"kind": CheatKind.KILL, "player": 1, "tag": tag}))
    sim.step(1)
    assert not sim.units["alive"][0, marine]
    events, _ = sim.events(0, since)
    assert tag in events["tag"][events["kind"] == codes.DIED]


def test_a_vital_is_set_and_zero_means_all_of_it(sim: Simulator) -> None:
    (marine,) = create(sim, "marine", 1, 16.0, 16.0)
    row = {"kind": CheatKind.SET_VITAL, "player": 1, "what": LIFE}
    row["tag"] = int(sim.units["tag"][0, marine])
    for amount, life in ((5.0, 5.0), (900.0, 45.0), (7.0, 7.0), (0.0, 45.0)):
        cheat(sim, 0, cheats(row | {"amount": amount}))
        assert sim.units["hp"][0, marine] == life


def test_a_map_is_shown_to_who_cheats_and_hidden_again(sim: Simulator) -> None:
    (far,) = create(sim, "zergling", 2, 30.0, 30.0)
    sim.step(1)
    before = sim.games.visibility[0, 1] == codes.VISIBLE
    assert not sim.units["seen"][0, far] >> 1 & 1
    switch(sim, codes.SHOWS_MAP)
    sim.step(1)
    assert (sim.games.visibility[0, 1] == codes.VISIBLE).all()
    assert not (sim.games.visibility[0, 2] == codes.VISIBLE).all()
    assert sim.units["seen"][0, far] >> 1 & 1
    switch(sim, codes.SHOWS_MAP)
    sim.step(1)
    assert (sim.games.visibility[0, 1] == codes.VISIBLE).sum() == before.sum()
    assert not sim.units["seen"][0, far] >> 1 & 1


def own(sim: Simulator, unit: str) -> int:
    units = sim.units[0]
    chosen = units["alive"] & (units["owner"] == 1) & (units["kind"] == sim.rows[unit])
    return int(np.flatnonzero(chosen)[0])


def produced(sim: Simulator, producer: str, product: str) -> str:
    slot = own(sim, producer)
    sim.produce(0, slot, product)
    sim.step(0)
    return sim.answer(0, slot)


def test_nothing_is_paid_and_no_supply_is_needed(sim: Simulator) -> None:
    create(sim, "barracks", 1, 16.0, 16.0)
    create(sim, "scv", 1, 16.0, 16.0, amount=3)
    sim.players["minerals"][0, 1] = 0.0
    sim.step(1)
    assert produced(sim, "barracks", "marine") == "NotEnoughMinerals"
    switch(sim, codes.PAYS_NOTHING)
    assert produced(sim, "barracks", "marine") == "NotEnoughFood"
    switch(sim, codes.NEEDS_NO_SUPPLY)
    assert produced(sim, "barracks", "marine") == "Success"
    sim.step(2)
    assert sim.games.items["begun"][0, own(sim, "barracks"), 0]
    assert sim.players["minerals"][0, 1] == 0.0


def test_technology_is_not_needed_and_work_is_fast(sim: Simulator) -> None:
    sim.players["minerals"][0, 1] = 1000.0
    scv = own(sim, "scv")
    points = [(x + 0.5, y + 0.5) for x in range(4, 28) for y in range(4, 28)]
    at = next(at for at in points if sim.can_place(0, 1, "barracks", at) == "Success")
    sim.build(0, scv, "barracks", at)
    sim.step(0)
    assert sim.answer(0, scv) == "BuildTechRequirementsNotMet"
    switch(sim, codes.NEEDS_NO_TECH | codes.BUILDS_FAST)
    sim.build(0, scv, "barracks", at)
    sim.step(0)
    assert sim.answer(0, scv) == "Success"
    sim.units["x"][0, scv], sim.units["y"][0, scv] = at[0] - 2.5, at[1]
    sim.step(100)  # it takes 46 seconds else
    slot = own(sim, "barracks")
    assert not sim.units["status"][0, slot] & codes.UNFINISHED
    assert sim.units["hp"][0, slot] == sim.units["hp_max"][0, slot]


def test_units_of_who_cheats_are_unhurt_and_enemies_obey_it(sim: Simulator) -> None:
    (marine,) = create(sim, "marine", 1, 16.0, 16.0)
    (roach,) = create(sim, "roach", 2, 18.0, 16.0)
    switch(sim, codes.IS_UNHURT)
    sim.step(1)
    sim.order(0, roach, codes.ATTACK, target=marine, owner=1)
    sim.step(0)
    assert sim.answer(0, roach) == "YouCantControlThatUnit"
    switch(sim, codes.CONTROLS_ENEMIES)
    sim.order(0, roach, codes.ATTACK, target=marine, owner=1)
    sim.step(0)
    assert sim.answer(0, roach) == "Success"
    sim.step(64)
    assert sim.units["hp"][0, marine] == 45.0
    assert sim.units["hp"][0, roach] < sim.units["hp_max"][0, roach]


def test_abilities_have_no_cooldown(sim: Simulator) -> None:
    (reaper,) = create(sim, "reaper", 1, 16.0, 16.0)
    for bits, again in ((0, "Cooldown"), (codes.HAS_NO_COOLDOWNS, "Success")):
        switch(sim, bits)
        sim.use(0, reaper, "kd8_charge", (18.0, 16.0))
        sim.step(20)
        sim.use(0, reaper, "kd8_charge", (18.0, 16.0))
        sim.step(0)
        assert sim.answer(0, reaper) == again


def test_upgrades_come_level_by_level_and_of_the_own_race_only(sim: Simulator) -> None:
    for level in (1, 2, 3, 3):
        cheat(sim, 0, cheats({"kind": CheatKind.UPGRADE, "player": 1}))
        assert sim.players["levels"][0, 1].max() == level
    others = {name for name, u in sim.setup.facts.upgrades.items() if u.race != "Terran"}
    rows = [sim.known.upgrades[name] for name in others]
    techs = np.bitwise_or.reduce(sim.rules.upgrades["tech"][rows])
    assert sim.players["techs"][0, 1]
    assert not sim.players["techs"][0, 1] & techs


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": 99},
        {"player": 0},
        {"player": 3},
        {"owner": -1},
        {"x": np.nan},
        {"y": np.inf},
        {"kind": CheatKind.CREATE, "amount": MOST_CREATED + 1},
        {"kind": CheatKind.CREATE, "what": 100_000},
        {"kind": CheatKind.SWITCH, "what": 1},
    ],
)
def test_what_no_program_writes_is_refused(sim: Simulator, wrong: dict[str, Any]) -> None:
    sound = {"kind": CheatKind.GIVE, "player": 1}
    assert is_sound(cheats(sound), sim)
    assert not is_sound(cheats(sound, sound | wrong), sim)
