"""What the sources leave open is a setting of the rule set, and makes the difference it states."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from terrarium.data.battles.scenarios import load_scenario, with_rules
from terrarium.data.facts.assumptions import Assumptions
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine.simulator import Simulator
from tests.engine.arena import Arena, Piece, open_ground

Rules = Callable[..., str]

MARINES_APART = 0.6885
"""smac_real.md, 2.5: recorded"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """A rule set that differs from another one in some assumptions."""

    def write(base: str = "liberty", **answers: object) -> str:
        lines = [f"{name} = {value!r}" for name, value in answers.items()]
        file = tmp_path / f"mine_{len(list(tmp_path.iterdir()))}.toml"  # arenas are kept by name
        head = f'title = "Mine"\nversion = 1\nbase = "{base}"\n[assumptions]\n'
        file.write_text(head + "\n".join(lines) + "\n")
        return str(file)

    return write


def battle(name: str, rules: str, n_envs: int = 1) -> Simulator:
    return Simulator(with_rules(load_scenario(name), rules), n_envs)


def offsets(sim: Simulator, owner: int, at: tuple[float, float]) -> list[tuple[float, float]]:
    """Where the units of a player stand, from the point at which they were created."""
    units = sim.units[0][sim.units[0]["owner"] == owner]
    return [
        (round(float(x) - at[0], 4), round(float(y) - at[1], 4))
        for x, y in zip(units["x"], units["y"], strict=True)
    ]


def test_a_rule_set_says_only_what_differs_from_its_base(rules: Rules) -> None:
    assert load_ruleset("liberty").assumptions == Assumptions()
    mine = load_ruleset(rules(body_overlap=0.0625, group_orders="formation"))
    assert mine.assumptions == Assumptions(body_overlap=0.0625, group_orders="formation")


# Start places (smac_real.md, 2.3 and 2.5). Recorded for Marines, read off pictures for the others.


def test_marines_begin_as_recorded_and_both_sides_alike(rules: Rules) -> None:
    sim = battle("smac/3m", rules(start_places="nearest", body_overlap=0.0625))
    recorded = [(0.0, 0.0), (0.0, -MARINES_APART), (MARINES_APART, 0.0)]
    assert offsets(sim, 1, (9.0, 16.0)) == recorded
    assert offsets(sim, 2, (23.0, 16.0)) == recorded


@pytest.mark.parametrize("owner", [1, 2])
def test_zealots_fill_the_gaps_around_stalkers_as_pictured(rules: Rules, owner: int) -> None:
    sim = battle("smac/3s5z", rules(start_places="nearest", body_overlap=0.0625))
    pictured = [
        *((0.0, 0.0), (0.0, -1.19), (1.19, 0.0), (0.49, 0.95), (-0.49, 0.95), (-1.0, -0.45)),
        *((-1.5, 0.5), (0.0, 1.95)),
    ]
    at = (9.0, 16.0) if owner == 1 else (23.0, 16.0)
    # The pictures tell places to a tenth.
    assert np.abs(np.array(offsets(sim, owner, at)) - pictured).max() <= 0.1


def test_the_tenth_marine_stands_in_the_east_and_the_eleventh_in_the_south(rules: Rules) -> None:
    sim = battle("smac/10m_vs_11m", rules(start_places="nearest", body_overlap=0.0625))
    east, south = (2 * MARINES_APART, 0.0), (0.0, -2 * MARINES_APART)
    assert offsets(sim, 1, (9.0, 16.0))[9:] == [east]
    assert offsets(sim, 2, (23.0, 16.0))[9:] == [east, south]


def test_no_place_is_taken_twice(rules: Rules) -> None:
    sim = battle("smac/27m_vs_30m", rules(start_places="nearest", body_overlap=0.0625))
    x, y = sim.units["x"][0], sim.units["y"][0]
    apart = np.hypot(x[:, None] - x, y[:, None] - y) + 10.0 * np.eye(len(x))
    assert apart.min() >= MARINES_APART - 1e-9


def test_a_place_that_became_free_is_taken_again(rules: Rules) -> None:
    """The beginning of a battle goes on from the last place that it tried; what comes later looks
    from the middle on."""
    smac = rules(start_places="nearest", body_overlap=0.0625)
    sim = Simulator(with_rules(load_scenario("smac/10m_vs_11m"), smac), slots=24)
    first = sim.units[0][0].copy()
    sim.remove(0, 0)
    slot = sim.create(0, "marine", 1, 9.0, 16.0)
    assert (sim.units[0]["x"][slot], sim.units[0]["y"][slot]) == (first["x"], first["y"])
    sim.reset(3)
    assert offsets(sim, 1, (9.0, 16.0))[0] == (0.0, 0.0)


# Orders to a group (2.4).


def test_a_group_keeps_its_formation(rules: Rules) -> None:
    sim = battle("smac/3m", rules(group_orders="formation"))
    enemies = sim.units[0]["owner"] == 2
    before = sim.units[0]["x"][enemies], sim.units[0]["y"][enemies]
    sim.step(40)
    after = sim.units[0]["x"][enemies], sim.units[0]["y"][enemies]
    moved = np.array(after) - np.array(before)
    assert moved[0].max() < -5.0
    np.testing.assert_allclose(moved, moved[:, :1] + np.zeros((1, 3)), atol=1e-9)


def test_without_a_formation_all_go_to_one_point() -> None:
    sim = battle("smac/3m", "liberty")
    assert set(sim.games.orders[0, 3:6, 0]["y"].tolist()) == {16.0}


# Targets that attack a unit come before nearer ones (2.1).


def duel(rules: str) -> tuple[Arena, Piece, Piece, Piece]:
    """A Marine in the range of two others, of which one is nearer."""
    arena = open_ground(rules)
    marine = arena.add("marine", at=(20, 20), owner=2, hp=1000.0, hp_max=1000.0)
    nearer = arena.add("marine", at=(22, 20), passive=True, hp=1000.0, hp_max=1000.0)
    farther = arena.add("marine", at=(16, 20), passive=True, hp=1000.0, hp_max=1000.0)
    return arena, marine, nearer, farther


def test_who_attacks_is_attacked_first(rules: Rules) -> None:
    arena, marine, nearer, farther = duel(rules(preferred_targets="attackers"))
    arena.run(8)
    assert marine.target == nearer.slot
    farther.attack(marine)
    arena.run(8)
    assert marine.target == farther.slot


def test_the_first_target_is_kept_where_nothing_else_is_said() -> None:
    arena, marine, nearer, farther = duel("liberty")
    arena.run(8)
    farther.attack(marine)
    arena.run(8)
    assert marine.target == nearer.slot


def test_a_target_in_range_is_left_only_between_shots(rules: Rules) -> None:
    answers = {"preferred_targets": "attackers", "target_changes": "between_shots", "scan_ticks": 1}
    arena, marine, _, farther = duel(rules(**answers))
    arena.run(40, until=lambda: len(arena.shots_of(marine)) == 2)
    shot = arena.ticks
    farther.attack(marine)
    assert arena.run(20, until=lambda: marine.target == farther.slot)
    # A Marine's weapon takes 0.8608 s of 16 ticks, 13.8, and counts as ready 4 ticks earlier; the
    # other one has begun to shoot long before.
    assert 13.8 - 4 - 1 <= arena.ticks - shot <= 13.8 + 2
    assert marine.cooldown <= 4.0


def test_a_unit_takes_a_moment_to_notice_the_first_enemy(rules: Rules) -> None:
    ticks = []
    for reaction in (0, 3):
        arena = open_ground(rules(scan_ticks=1, reaction_ticks=reaction))
        marine = arena.add("marine", at=(20, 20), owner=2)
        enemies = [arena.add("marine", at=(24, 20 + k), passive=True, hp=1.0) for k in range(2)]
        assert arena.run(10, until=lambda m=marine: m.has_target)
        ticks.append(arena.ticks)
        # Once it fights, it turns to the next one at once.
        assert arena.run(40, until=lambda e=enemies: not e[0].alive or not e[1].alive)
        arena.run(1)
        assert marine.has_target
    assert ticks[1] - ticks[0] == 3


def test_a_target_that_goes_on_attacking_is_kept(rules: Rules) -> None:
    arena, marine, nearer, farther = duel(rules(preferred_targets="attackers"))
    farther.attack(marine)
    arena.run(8)
    nearer.attack(marine)
    for _ in range(40):
        arena.run(1)
        assert marine.target == farther.slot


def test_walking_up_to_a_unit_is_not_attacking_it(rules: Rules) -> None:
    arena, marine, nearer, _ = duel(rules(preferred_targets="attackers"))
    walker = arena.add("zealot", at=(16, 22), passive=True)
    walker.attack(marine)
    arena.run(8)
    assert walker.target == marine.slot
    assert marine.target == nearer.slot


def test_a_chased_target_is_given_up_or_kept(rules: Rules) -> None:
    chased = {}
    for answer in ("nearest", "kept"):
        arena = open_ground(rules(chased_targets=answer))
        zealot = arena.add("zealot", at=(20, 20), owner=2)
        first = arena.add("marine", at=(24, 20), passive=True)
        arena.run(8)
        assert zealot.target == first.slot
        arena.add("marine", at=(zealot.x, zealot.y - 1.5), passive=True)
        arena.run(8)
        chased[answer] = zealot.target == first.slot
    assert chased == {"nearest": False, "kept": True}


def test_units_look_for_targets_as_often_as_the_rules_say(rules: Rules) -> None:
    slowest = {}
    for every in (1, 4, 12):
        arena = open_ground(rules(scan_ticks=every), n_games=64)
        marines = [arena.add("marine", at=(20, 20), game=game) for game in range(64)]
        for game in range(64):
            arena.add("marine", at=(23, 20), owner=2, passive=True, game=game)
        seen = {}
        for tick in range(1, 20):
            arena.run(1)
            for game, marine in enumerate(marines):
                if marine.target >= 0:
                    seen.setdefault(game, tick)
        assert len(seen) == 64
        slowest[every] = max(seen.values())
    assert slowest == {1: 1, 4: 4, 12: 12}


def test_an_attack_begins_as_late_as_the_rules_say(rules: Rules) -> None:
    first = []
    for late in (0, 1, 3):
        arena = open_ground(rules(attack_ticks=late))
        marine = arena.add("marine", at=(20, 20))
        zealot = arena.add("zealot", at=(23, 20), owner=2, passive=True)
        marine.attack(zealot)
        arena.run(10)
        first.append(arena.blows_on(zealot)[0].tick)
    assert np.diff(first).tolist() == [1, 2]


# Steps: recorded Marines go 1.125 in 8 loops wherever they looked before, and pass each other.


def test_a_marine_that_turns_back_loses_no_time(rules: Rules) -> None:
    walked = []
    for name in ("liberty", rules(turning="free")):
        arena = open_ground(name)
        marine = arena.add("marine", at=(20, 20))
        marine.move(10, 20)
        arena.run(8)
        walked.append(20 - marine.x)
    assert walked[0] < 1.0
    assert walked[1] == pytest.approx(1.125)


def test_friends_that_walk_towards_each_other_pass_on_the_right(rules: Rules) -> None:
    walked = []
    for name in ("liberty", rules(oncoming_friends="pass", turning="free")):
        arena = open_ground(name)
        to_east, to_west = arena.add("marine", at=(20, 20)), arena.add("marine", at=(20.8, 20))
        to_east.move(30, 20)
        to_west.move(10, 20)
        arena.run(8)
        walked.append(to_east.x - 20)
    assert walked[0] < 0.3
    assert walked[1] > 0.7
    assert to_east.y < 20.0 < to_west.y


# Bodies (2.5) and the first loop (2.6).


def test_bodies_may_overlap_by_as_much_as_the_rules_say(rules: Rules) -> None:
    closest = {}
    for overlap in (0.0, 0.0625):
        sim = battle("smac/8m", rules(body_overlap=overlap), n_envs=8)
        apart = []
        for _ in range(12):
            sim.step(8)
            allies = sim.units[:, :8]
            d = np.hypot(allies["x"][:, :, None] - allies["x"][:, None], allies["y"][:, :, None]
                         - allies["y"][:, None])  # fmt: skip
            apart.append(d[:, ~np.eye(8, dtype=bool)].min())
        closest[overlap] = min(apart)
    assert closest[0.0] >= 0.75 - 1e-9
    assert 0.6875 - 1e-9 <= closest[0.0625] < 0.75


def test_a_battle_may_have_run_when_it_is_first_seen(rules: Rules) -> None:
    plain, later = battle("smac/3m", "liberty"), battle("smac/3m", rules(opening_ticks=1))
    assert (int(plain.ticks[0]), int(later.ticks[0])) == (0, 1)
    plain.step(1)
    assert plain.digest(0) == later.digest(0)
