"""Comparisons with the real game: what they measure, and what they say to mistakes."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from terrarium.bench.fidelity import bench, formations
from terrarium.bench.fidelity.bench import COMPARISONS, NO_RECORDINGS, bench_fidelity
from terrarium.bench.fidelity.comparison import FidelitySetting, Measured, Row, mean_of, share
from terrarium.bench.fidelity.config import FidelityBenchConfig
from terrarium.bench.fidelity.contact import NEVER, first_hurt
from terrarium.bench.fidelity.crowds import in_reach, one_marine, places_around
from terrarium.bench.fidelity.mirrors import ARMIES, fight, mirror_scenario
from terrarium.bench.fidelity.open_loop import OpenLoop, error_of, open_loop, replay
from terrarium.bench.fidelity.recordings import RecordedEpisodes, load_recordings, match_by_place
from terrarium.bench.fidelity.script_rates import both_shoot
from terrarium.bench.fidelity.scripts import (
    AttackClosest,
    FartherShoots,
    distances,
    members,
    open_battles,
)
from terrarium.bench.fidelity.targets import Cases, count_switches, one_left
from terrarium.cli.bench_fidelity import BenchFidelity
from terrarium.data.battles.scenarios import load_scenario, with_rules
from terrarium.engine.jit import COMPILED
from terrarium.engine.simulator import Simulator
from terrarium.errors import TerrariumError
from tests.shared_facts import SHARED

pytestmark = [
    pytest.mark.xdist_group("engine"),
    pytest.mark.skipif(not COMPILED, reason="hundreds of battles take minutes uncompiled"),
]

REAL = SHARED / "data" / "smac_3m_real.npz"
needs_recordings = pytest.mark.skipif(not REAL.exists(), reason="../shared/data is not there")
N, T = 4, 20
EAST, WEST, ATTACK = 4, 5, 6


def still(n: int = 1, n_states: int = 8) -> RecordedEpisodes:
    """Episodes of 3m in which nothing happens: all agents attack the first enemy, in range."""
    return RecordedEpisodes(
        ally_xy=np.tile([[9.0, 15.3], [9.0, 16.0], [9.7, 16.0]], (n, n_states, 1, 1)),
        enemy_xy=np.tile([[13.0, 15.3], [13.0, 16.0], [13.7, 16.0]], (n, n_states, 1, 1)),
        ally_life=np.full((n, n_states, 3), 45.0),
        enemy_life=np.full((n, n_states, 3), 45.0),
        actions=np.full((n, n_states, 3), ATTACK),
        length=np.full(n, n_states),
    )


@pytest.fixture(scope="module")
def own_battles() -> RecordedEpisodes:
    """Battles of our own in the layout of recordings; enemies are listed in changing orders."""
    blank = replace(still(N, T), length=np.full(N, T))
    first = OpenLoop(FidelitySetting(N), blank, seed=10000)
    for slots, xy in ((first.allies, blank.ally_xy), (first.enemies, blank.enemy_xy)):
        xy[:, 0] = first.look(slots)[0]
    first.sim.close()
    blank.actions[:, :6] = EAST
    course = replay(FidelitySetting(N), blank)
    for i, order in enumerate([(0, 1, 2), (2, 0, 1), (1, 0, 2), (2, 1, 0)]):
        course.enemy_xy[i], course.enemy_life[i] = (
            course.enemy_xy[i][:, order],
            course.enemy_life[i][:, order],
        )
        aims = course.actions[i] >= ATTACK
        course.actions[i][aims] = ATTACK + order.index(0)
    return course


@pytest.fixture
def file(tmp_path: Path, own_battles: RecordedEpisodes) -> Path:
    path = tmp_path / "recordings.npz"
    np.savez(path, **vars(own_battles))
    return path


def test_a_replay_of_our_own_battle_is_that_battle(own_battles: RecordedEpisodes) -> None:
    assert own_battles.enemy_life[:, -1].sum() < own_battles.enemy_life[:, 0].sum()
    again = replay(FidelitySetting(N), own_battles)
    for name, array in vars(again).items():
        np.testing.assert_array_equal(array, getattr(own_battles, name), name)
    other = replay(FidelitySetting(N), own_battles, seed=77)
    assert (other.ally_life != again.ally_life).any()


def test_the_error_of_a_replay_beside_the_noise_of_two_seeds(own_battles: RecordedEpisodes) -> None:
    rows = {row.what: row for row in open_loop(FidelitySetting(N, recordings=own_battles))}
    assert rows["played from step 1, ally life after step 12: error"].ours == Measured(0, 0, 0)
    assert any(row.real is not None and row.real.mean > 0.0 for row in rows.values())
    wounded = own_battles.copy()
    wounded.ally_life[:, 12, 1] -= 10.0
    wounded.ally_life[:, 12, 2] += 4.0
    found = error_of("ally life", wounded, own_battles, 12)
    assert found is not None
    assert found.mean == pytest.approx(14.0)  # of each unit: they do not cancel out


def test_positions_count_for_units_that_live_in_both() -> None:
    one, other = still(2), still(2)
    other.enemy_xy[:, 3, 0, 0] += 0.9
    other.enemy_xy[:, 3, 1, 1] += 50.0
    other.enemy_life[:, 3, 1] = 0.0
    found = error_of("enemy positions", one, other, 3)
    assert found is not None
    assert found.mean == pytest.approx(0.45)
    deaths = error_of("deaths", one, other, 3)
    assert deaths is not None
    assert deaths.mean == 1.0
    assert error_of("deaths", one, other, 8) is None


def test_units_are_matched_by_place() -> None:
    ours = np.array([[[1.0, 1.0], [5.0, 1.0], [9.0, 1.0]]])
    theirs = np.array([[[8.5, 1.2], [1.1, 0.9], [5.0, 1.4]]])
    assert match_by_place(ours, theirs).tolist() == [[2, 0, 1]]


def shot(episodes: RecordedEpisodes, step: int, victim: int) -> None:
    episodes.ally_life[0, step + 1 :, victim] -= 6.0


def test_switches_are_told_from_life_and_actions() -> None:
    base = still()
    base.enemy_life[0, :, 1:] = 0.0  # one enemy is left
    shot(base, 1, 0)
    keeps = base.copy()
    shot(keeps, 3, 0)
    assert count_switches(keeps).kept == Cases(1, 0)
    turns = base.copy()
    shot(turns, 3, 1)
    assert count_switches(turns).kept == Cases(1, 1)

    turns.actions[0, 2, 0] = WEST
    assert count_switches(turns).kept == Cases(0, 0)
    assert count_switches(turns).moved == Cases(1, 1)
    assert count_switches(turns).fled == Cases(0, 0)  # it attacks in the next step
    turns.actions[0, 3, 0] = WEST
    assert count_switches(turns).fled == Cases(1, 1)
    turns.ally_xy[0, :, 1:, 0] -= 3.0  # walks up to it: that is no attack
    assert count_switches(turns).moved == Cases(0, 0)

    two_left = keeps.copy()
    two_left.enemy_life[0, :, 1] = 45.0
    assert count_switches(two_left).kept == Cases(0, 0)
    assert one_left(keeps).tolist() == [0]
    assert one_left(two_left).tolist() == [-1]


def test_the_rest_of_an_episode_is_an_episode() -> None:
    episodes = still(3)
    episodes.ally_life[:] = np.arange(8.0)[None, :, None]
    rest = episodes.tails(np.array([2, -1, 0]))
    assert rest.length.tolist() == [6, 8]
    assert rest.ally_life[0, :6, 0].tolist() == [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]


def test_the_first_step_that_hurts() -> None:
    episodes = still(3)
    episodes.enemy_life[0, 5:, 2] -= 6.0
    episodes.ally_life[1, 2:, 0] -= 6.0
    assert first_hurt(episodes).tolist() == [5, 2, NEVER]
    short = replace(episodes, length=np.array([5, 8, 8]))
    assert first_hurt(short).tolist() == [NEVER, 2, NEVER]


def test_formations_are_compared_as_sets_of_places(
    monkeypatch: pytest.MonkeyPatch, smac_at_tick_0: str
) -> None:
    real = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert formations.farthest(real, real[::-1]) == 0.0
    assert formations.farthest(real, real + np.array([0.0, 0.3])) == pytest.approx(0.3)
    assert formations.farthest(real, np.array([[0.0, 0.0], [0.1, 0.0]])) == pytest.approx(0.9)

    scenario = with_rules(load_scenario("smac/3m"), smac_at_tick_0)
    units = Simulator(scenario).units[0]
    places = []
    for owner, group in enumerate(scenario.groups, start=1):
        mine = units[units["owner"] == owner]
        xy = np.stack([mine["x"], mine["y"]], axis=1) - group.at
        places.append({"marine": tuple(map(tuple, xy.tolist()))})
    monkeypatch.setitem(formations.FORMATIONS, "3m", (0.0, *places))
    assert formations.deviations(FidelitySetting(1), "3m") == {"ally": 0.0, "enemy": 0.0}


def test_only_the_farther_one_shoots() -> None:
    env = open_battles(FidelitySetting(8), load_scenario("smac/2m_vs_1z"))
    env.reset()
    shots = 0
    for _ in range(12):
        actions, apart = FartherShoots().act(env), distances(env)[:, :, 0]
        shoots = actions >= env.info.first_target
        assert (shoots.sum(axis=1) <= 1).all()
        assert (apart.argmax(axis=1)[shoots.any(axis=1)] == np.nonzero(shoots)[1]).all()
        shots += int(shoots.sum())
        env.step(actions)
        if env.over.any():
            break
    assert shots > 0
    env.close()


def test_the_closest_enemy_is_attacked_or_walked_to() -> None:
    env = open_battles(FidelitySetting(2), load_scenario("smac/corridor"))
    env.reset()
    before = distances(env).min()
    while not (actions := AttackClosest().act(env) >= env.info.first_target).any():
        env.step(AttackClosest().act(env))
    assert distances(env).min() < before
    game, agent = np.argwhere(actions)[0]
    target = AttackClosest().act(env)[game, agent] - env.info.first_target
    assert distances(env)[game, agent].argmin() == target
    assert members(env)["alive"][game, env.n_agents + target]
    env.close()


def test_a_crowd_is_counted_around_units_that_do_not_die() -> None:
    assert places_around(0.85) == 7  # Zerglings around a Marine: their range is 0.1
    setting = FidelitySetting(4)
    reached = in_reach(setting, one_marine(setting), "marine", 16)
    assert (reached[0] == 0).all()  # they have to come first
    assert ((reached[-4:] >= 3) & (reached[-4:] <= 8)).all()


def test_equal_armies_win_and_lose(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = FidelitySetting(100)
    won, lost = fight(setting, mirror_scenario(setting, ARMIES["3 Marines"], False), 100, 0)
    assert 25 <= won <= 75
    assert won + lost > 90
    uneven = mirror_scenario(setting, {"marine": 3}, True)
    ally, enemy = uneven.groups
    won, lost = fight(
        setting, replace(uneven, groups=(ally, replace(enemy, units={"marine": 1}))), 20, 0
    )
    assert (won, lost) == (20, 0)


def test_other_rules_are_played_by(tmp_path: Path) -> None:
    strong = tmp_path / "strong.toml"
    strong.write_text('title = "x"\nversion = 1\nbase = "liberty"\n[unit.marine]\nhp = 900\n')
    wins, *_ = both_shoot(FidelitySetting(10, rules=str(strong)))
    assert wins.ours is not None
    assert wins.ours.mean == 1.0
    assert wins.difference == 1.0
    assert wins.real == share(0, 10)


def test_means_and_shares_have_intervals() -> None:
    mean = mean_of([1.0, 2.0, 3.0, 4.0])
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low < mean.mean == 2.5 < mean.high
    assert share(1, 10).low == pytest.approx(0.018, abs=0.001)
    assert Row("x", Measured(0.4), None).difference is None


def test_without_recordings_rows_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("terrarium.bench.fidelity.config.RECORDINGS", tmp_path / "none.npz")
    told: list[str] = []
    result = bench_fidelity(
        FidelityBenchConfig(only=("switches", "formations"), episodes=2), told.append
    )
    switches, places = result.results
    assert [row.note for row in switches.rows] == [NO_RECORDINGS]
    assert len(places.rows) == len(formations.FORMATIONS)
    assert told == ["1 of 2: switches", "2 of 2: formations"]
    assert result.n_recordings == 0


def test_the_command_prints_every_row(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    only = ("farther_shoots", "open_loop", "first_contact", "switches")
    command = BenchFidelity(only=only, recordings=str(file), episodes=3)
    command.run()
    printed = capsys.readouterr().out
    for words in (*only, "95 % interval", "tests assumption", "72.2% - 100.0%", "3 recordings"):
        assert words in printed
    replace(command, only=("open_loop",), json=True).run()
    (part,) = json.loads(capsys.readouterr().out)["results"]
    for row in part["rows"]:
        assert row["difference"] == pytest.approx(row["ours"]["mean"] - row["real"]["mean"])
    assert part["tests"] == list(COMPARISONS["open_loop"].tests)


def test_every_comparison_names_rules_that_the_page_has() -> None:
    page = Path(__file__).parents[2] / "docs" / "fidelity.md"
    rules = re.findall(
        r"^\| `?([^|`]+?)`? \|", page.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    for name, comparison in COMPARISONS.items():
        assert comparison.tests, name
        assert set(comparison.tests) <= set(rules), name


Spoil = Callable[[dict[str, np.ndarray]], object]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda arrays: arrays.pop("actions"), "no recordings of 3m: .*actions"),
        (lambda arrays: arrays.update(length=arrays["length"][:2]), "ally_xy has shape"),
        (lambda arrays: arrays.update(length=arrays["length"] + 1), "length must be 2 to 20"),
        (lambda arrays: arrays.update(actions=arrays["actions"] + 3), "actions must be 0 to 8"),
        (lambda arrays: arrays.update(actions=arrays["actions"] * 1.0), "actions holds float64"),
        (lambda arrays: arrays.update(ally_xy=arrays["ally_xy"] * np.nan), "no finite numbers"),
        (lambda arrays: arrays.update(length=arrays["length"][:0]), "without episodes"),
        (lambda arrays: arrays.update(length=np.array([None])), "cannot be read"),
    ],
)
def test_malformed_recordings_are_refused(
    own_battles: RecordedEpisodes, tmp_path: Path, spoil: Spoil, message: str
) -> None:
    arrays = dict(vars(own_battles))
    spoil(arrays)
    path = tmp_path / "spoiled.npz"
    np.savez(path, **arrays)
    with pytest.raises(TerrariumError, match=message):
        load_recordings(path)


def test_what_is_no_file_of_arrays_is_refused(tmp_path: Path) -> None:
    text, array = tmp_path / "text.npz", tmp_path / "one.npy"
    text.write_text("3m")
    np.save(array, np.zeros(3))
    for path in (text, array, tmp_path, tmp_path / "none.npz"):
        with pytest.raises(TerrariumError, match=r"recordings cannot be read"):
            load_recordings(path)


def test_odd_settings_are_refused() -> None:
    with pytest.raises(TerrariumError, match=r'unknown comparison "scrpt".*"script"'):
        bench_fidelity(FidelityBenchConfig(only=("scrpt",)))
    with pytest.raises(TerrariumError, match=r"episodes is 0; allowed are 1 to"):
        FidelityBenchConfig(episodes=0)
    with pytest.raises(TerrariumError, match=r'unknown rule set "librety"'):
        bench_fidelity(FidelityBenchConfig(only=("formations",), rules="librety"))
    assert bench.find_comparison("script").tests


@needs_recordings
def test_the_recorded_enemies_turn_on_those_who_attack_them() -> None:
    recorded = load_recordings(REAL)
    found = count_switches(recorded)
    assert found.kept == Cases(615, 0)
    assert found.moved == Cases(120, 89)
    assert found.fled == Cases(68, 68)
    assert count_switches(recorded.tails(one_left(recorded))) == found
    assert np.median(first_hurt(recorded)) in (7, 8)


@needs_recordings
def test_recorded_battles_can_be_played_again() -> None:
    recorded = load_recordings(REAL).first(50)
    ours = replay(FidelitySetting(50), recorded, start=5, n_steps=7)
    # Before the sides meet, all walk as recorded: a Marine's step is 1.125.
    walked = error_of("ally positions", ours, recorded, 6)
    assert walked is not None
    assert walked.mean < 0.2
    assert (ours.ally_life[:, 12] < recorded.ally_life[:, 5]).any()


def rhythm(cooldown: np.ndarray, episodes: RecordedEpisodes) -> np.ndarray:
    """Loops between the ends of the cooldowns of two shots in a row at one target, from the
    cooldowns that are left in each state [n, T, 3]."""
    found = []
    for i, a in np.ndindex(len(episodes), 3):
        last, since = 0.0, -1  # end of the cooldown of the last shot, and the state that told it
        for t in range(2, int(episodes.length[i])):
            new, old = episodes.actions[i, t - 1, a], episodes.actions[i, t - 2, a]
            if new < ATTACK or new != old or episodes.ally_life[i, t, a] <= 0.0:
                since = -1
            elif cooldown[i, t, a] > 0.0:
                end = 8.0 * t + cooldown[i, t, a]
                if since >= t - 2 and end - last > 2.0:
                    found.append(end - last)
                last, since = end, t
    return np.array(found)


@needs_recordings
def test_marines_shoot_in_the_recorded_rhythm() -> None:
    """13.77 loops, and -1 to +2 of noise for each shot: the mean is 14.27."""
    recorded = load_recordings(REAL).first(400)
    with np.load(REAL) as arrays:
        was = rhythm(arrays["ally_cooldown"][:400].astype(np.float64), recorded)
    battles = OpenLoop(FidelitySetting(400), recorded, seed=1)
    battles.put(0)
    ours, cooldown = recorded.copy(), np.zeros(recorded.ally_life.shape)
    for t in range(1, recorded.n_states):
        battles.step(t - 1)
        ours.ally_life[:, t] = battles.look(battles.allies)[1]
        left = battles.sim.units["cooldown"][np.arange(400)[:, None], battles.allies]
        cooldown[:, t] = np.maximum(left, 0.0)
    battles.sim.close()
    shots = rhythm(cooldown, ours)
    assert len(was) > 2000
    assert len(shots) > 2000
    assert was.mean() == pytest.approx(14.27, abs=0.06)
    assert shots.mean() == pytest.approx(was.mean(), abs=0.08)
    assert shots.std() == pytest.approx(was.std(), abs=0.06)
