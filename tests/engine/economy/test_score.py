"""The melee score: sc2api.md, 8.5; its identities: economy.md, 2."""

import numpy as np
import pytest

from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.score import CATEGORIES, SCORE
from terrarium.engine.simulator import PlacementError, Simulator
from tests.engine.economy.bases import Base

ARMY, ECONOMY, TECHNOLOGY = (CATEGORIES.index(c) for c in ("army", "economy", "technology"))
BOTH = ("minerals", "vespene")


def score_of(sim: Simulator, owner: int = 1) -> np.ndarray:
    return sim.games.scores[0, owner]


@pytest.mark.parametrize(("race", "score"), [("Terran", 1050), ("Protoss", 1050), ("Zerg", 1100)])
def test_the_score_at_the_first_loop(race: str, score: int) -> None:
    """1100 for Zerg before the hatchery became cheaper (economy.md, 2)."""
    sim = Simulator(Melee(find_map("flat_32"), (race, race)))
    for owner in (1, 2):
        mine = score_of(sim, owner)
        assert mine["score"] == score
        assert mine["total_value_units"] == (700 if race == "Zerg" else 600)
        assert mine["total_value_structures"] == (350 if race == "Zerg" else 400)
        assert mine["used_minerals"].tolist() == [0, 0, score - 50, 0, 0]
        assert mine["food_used"].tolist() == [0, 0, 12, 0, 0]
        assert mine["spent_minerals"] == 0
        assert mine["lost_minerals"].sum() == mine["killed_minerals"].sum() == 0


def waiting(sim: Simulator, owner: int, what: str) -> float:
    """The price of what waits in queues, which is paid but in no field."""
    units, games = sim.units[0], sim.games
    total = 0.0
    for u in np.flatnonzero(units["alive"] & (units["owner"] == owner)):
        items = games.items[0, u][: games.producers["n_items"][0, u]]
        total += sim.rules.products[what][items["product"][~items["begun"]]].sum()
    return total


def unaccounted(sim: Simulator, owner: int, what: str) -> float:
    """What was gathered and given, less what the player has, is making and has lost."""
    score = score_of(sim, owner)
    there = sim.players[what][0, owner] + sum(
        score[f"{field}_{what}"].sum() for field in ("used", "in_progress", "lost")
    )
    there += waiting(sim, owner, what)
    return float(score[f"collected_{what}"] - there)


def put(sim: Simulator, structure: str) -> int:
    """A finished structure at the first free place from the middle of the map."""
    for k in range(100):
        try:
            return sim.place(0, structure, 1, 24.5 + k % 10, 20.5 + k // 10)
        except PlacementError:
            continue
    raise AssertionError(f"no place for a {structure}")


def test_everything_gathered_is_in_the_bank_in_use_in_progress_or_lost() -> None:
    """In a game with workers, queues, research, a fight and cancelled products (economy.md, 2)."""
    base = Base("flat_48")
    sim = base.sim
    hall = base.mine()[0]
    barracks, _, lab = (put(sim, s) for s in ("barracks", "supply_depot", "engineering_bay"))
    geyser = base.near(codes.VESPENE)[0]
    x, y = (float(sim.units[c][0, geyser]) for c in ("x", "y"))
    refinery = sim.place(0, "refinery", 1, x, y)
    for worker in base.workers()[:3]:
        sim.order(0, worker, codes.GATHER, target=refinery)
    sim.step(1)
    given = {what: unaccounted(sim, 1, what) for what in BOTH}
    foes: list[int] = []
    in_progress, lost = 0.0, 0.0
    for loop in range(0, 2400, 8):
        if loop % 160 == 0:
            sim.produce(0, hall, "scv")
            sim.produce(0, barracks, "marine")
            sim.produce(0, lab, "terran_infantry_weapons_level1")
        if loop == 1600:
            foes = [sim.create(0, "zergling", 2, 24.0, 18.0 + k) for k in range(2)]
            sim.units["hp"][0, base.workers()[5]] = 0.0
        if loop == 640:
            sim.order(0, hall, codes.CANCEL_LAST)
        sim.step(8)
        for what in BOTH:
            assert unaccounted(sim, 1, what) == pytest.approx(given[what], abs=1e-6), (loop, what)
        score = score_of(sim)
        in_progress = max(in_progress, score["in_progress_minerals"].sum())
        lost = score["lost_minerals"].sum()
        n_spent = 50 + score["collected_minerals"] - sim.players["minerals"][0, 1]
        assert score["spent_minerals"] == n_spent
    assert in_progress >= 100
    assert lost > 0
    assert score_of(sim)["killed_minerals"][ARMY] == 25 * (~sim.units["alive"][0, foes]).sum()
    assert score["total_used_minerals"].sum() > score["used_minerals"].sum() - 1e-9
    assert score["collected_vespene"] > 100


def test_the_collection_rate_is_that_of_the_last_240_loops() -> None:
    """5.6 times what was brought in them; earlier, of all loops (economy.md, 2)."""
    base = Base()
    sim = base.sim
    brought = [0.0]
    for _ in range(600):
        sim.step(1)
        brought.append(base.gathered())
        if len(brought) - 1 in (160, 240, 320, 600):
            loop = len(brought) - 1
            last = brought[loop] - brought[max(0, loop - 240)]
            rate = score_of(sim)["collection_rate_minerals"]
            assert rate == pytest.approx(last * 1344 / min(loop, 240))
    assert brought[-1] > 100


class Fight:
    def __init__(self) -> None:
        self.base = Base()
        self.sim = self.base.sim
        self.marine = self.sim.create(0, "marine", 1, 16.0, 16.0)
        self.foe = self.sim.create(0, "zealot", 2, 18.0, 16.0)
        self.sim.step(1)


def test_who_kills_is_credited_with_what_it_cost_and_the_other_has_lost_it() -> None:
    fight = Fight()
    sim = fight.sim
    sim.units["hp"][0, fight.foe], sim.units["shield"][0, fight.foe] = 1.0, 0.0
    for _ in range(60):
        sim.step(1)
    assert not sim.units["alive"][0, fight.foe]
    mine, theirs = score_of(sim, 1), score_of(sim, 2)
    assert mine["killed_minerals"][ARMY] == theirs["lost_minerals"][ARMY] == 100
    assert mine["killed_value_units"] == 100
    assert mine["killed_value_structures"] == 0
    assert mine["friendly_fire_minerals"].sum() == theirs["killed_minerals"].sum() == 0
    assert theirs["used_minerals"][ARMY] == 0
    assert theirs["total_used_minerals"][ARMY] == 100
    assert theirs["total_value_units"] == 700


def test_damage_is_summed_by_shields_and_life() -> None:
    fight = Fight()
    sim = fight.sim
    sim.units["hp"][0, fight.foe], sim.units["shield"][0, fight.foe] = 100.0, 3.0
    sim.units["hurt_tick"][0, fight.foe] = sim.ticks[0]  # shields stay as they are
    marine_hp = float(sim.units["hp"][0, fight.marine])
    sim.step(24)
    mine, theirs = score_of(sim, 1), score_of(sim, 2)
    taken = theirs["total_damage_taken"]
    assert taken.tolist() == mine["total_damage_dealt"].tolist()
    assert taken[codes.SHIELDS] == pytest.approx(3.0)
    assert taken[codes.LIFE] == pytest.approx(100.0 - sim.units["hp"][0, fight.foe])
    assert taken[codes.LIFE] > 0
    left = max(0.0, float(sim.units["hp"][0, fight.marine]))
    assert mine["total_damage_taken"][codes.LIFE] == pytest.approx(marine_hp - left)


def test_own_losses_by_own_fire_are_no_kills() -> None:
    base = Base()
    sim = base.sim
    marine = sim.create(0, "marine", 1, 16.0, 16.0)
    worker = base.workers()[0]
    sim.units["hp"][0, worker] = 1.0
    sim.step(1)
    sim.order(0, marine, codes.ATTACK, target=worker)
    sim.step(120)
    assert not sim.units["alive"][0, worker]
    mine = score_of(sim)
    assert mine["friendly_fire_minerals"][ECONOMY] == mine["lost_minerals"][ECONOMY] == 50
    assert mine["killed_minerals"].sum() == 0


def test_healing_counts_life_and_not_what_comes_back_by_itself() -> None:
    base = Base()
    sim = base.sim
    marine = sim.create(0, "marine", 1, 16.0, 16.0)
    sim.create(0, "medivac", 1, 16.0, 17.0)
    sim.create(0, "mutalisk", 2, 30.0, 30.0)
    sim.units["hp"][0, marine] = 20.0
    sim.step(80)
    assert sim.units["hp"][0, marine] == 45.0
    assert score_of(sim)["total_healed"].tolist() == [25.0, 0.0, 0.0]
    assert score_of(sim, 2)["total_healed"].tolist() == [0.0, 0.0, 0.0]


def test_idle_workers_and_structures_add_up() -> None:
    base = Base()
    sim = base.sim
    sim.step(10)
    before = int(score_of(sim)["idle_production_ticks"])
    assert before == 11, "the townhall alone, also before the first loop"
    assert score_of(sim)["idle_worker_ticks"] == 0
    for worker in base.workers()[:3]:
        sim.order(0, worker, codes.STOP)
    sim.produce(0, base.mine()[0], "scv")
    sim.step(20)
    assert score_of(sim)["idle_production_ticks"] == before
    assert score_of(sim)["idle_worker_ticks"] == 60


def test_upgrades_are_in_use_from_the_loop_in_which_a_player_has_them() -> None:
    base = Base()
    sim = base.sim
    sim.research(0, 1, "stimpack")
    sim.step(1)
    mine = score_of(sim)
    upgrade = CATEGORIES.index("upgrade")
    assert (mine["used_minerals"][upgrade], mine["used_vespene"][upgrade]) == (100, 100)
    assert mine["score"] == 1050 + mine["collected_minerals"]


def test_a_score_has_every_field_of_the_game() -> None:
    """The names of the API's ScoreDetails; idle times are ticks."""
    messages = pytest.importorskip("s2clientprotocol.score_pb2")
    names = set(messages.ScoreDetails.DESCRIPTOR.fields_by_name) - {
        "current_apm",
        "current_effective_apm",
        "idle_production_time",
        "idle_worker_time",
    }
    assert names <= set(SCORE.names or ())


def test_a_structure_counts_from_when_it_is_begun_and_a_cancelled_one_lowers_what_was_lost() -> (
    None
):
    """Paid at the order, in no field while its builder walks; a cancelled one brings 75 percent
    back, by which `lost` goes down (economy.md, 2)."""
    base = Base("flat_64")
    sim, worker = base.sim, base.workers()[0]
    sim.players["minerals"][0, 1] += 1000.0
    sim.games.scores["granted_minerals"][0, 1] += 1000.0
    sim.step(1)
    given = unaccounted(sim, 1, "minerals")
    sim.order(0, worker, codes.MOVE, (40.0, 40.0))
    sim.step(160)
    at = next((x, y) for x in range(44, 60) for y in range(36, 50) if free(sim, x, y))
    sim.build(0, worker, "supply_depot", at)
    sim.step(1)
    assert sim.answer(0, worker) == "Success"
    assert unaccounted(sim, 1, "minerals") == pytest.approx(given + 100)
    assert score_of(sim)["spent_minerals"] == 100
    for _ in range(400):
        sim.step(1)
        if score_of(sim)["in_progress_minerals"].sum() > 0:
            break
    assert score_of(sim)["in_progress_minerals"].sum() == 100
    assert unaccounted(sim, 1, "minerals") == pytest.approx(given)
    depot = int(np.flatnonzero(sim.units["kind"][0] == sim.rows["supply_depot"])[0])
    assert not score_of(sim)["used_minerals"][TECHNOLOGY]
    sim.order(0, depot, codes.CANCEL_LAST)
    sim.step(1)
    assert sim.answer(0, depot) == "Success"
    assert score_of(sim)["in_progress_minerals"].sum() == 0
    assert score_of(sim)["lost_minerals"].sum() == -75
    assert score_of(sim)["spent_minerals"] == 25
    assert unaccounted(sim, 1, "minerals") == pytest.approx(given + 100)


def free(sim: Simulator, x: float, y: float) -> bool:
    return sim.can_place(0, 1, "supply_depot", (x, y)) == "Success"
