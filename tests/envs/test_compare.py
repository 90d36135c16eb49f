"""Commanders on a stage: legal orders, the same battles for everybody, and skills that pay."""

import numpy as np
import pytest

from terrarium.data.battles.scenarios import scenario_names
from terrarium.engine import codes
from terrarium.envs.compare import compare_players, half_width, margin
from terrarium.envs.players.players import COMMANDERS, Tactician, make_player
from terrarium.envs.players.stage import Stage
from terrarium.errors import TerrariumError


@pytest.mark.slow
@pytest.mark.parametrize("scenario", scenario_names("skills"))
@pytest.mark.parametrize("player", COMMANDERS)
def test_the_engine_accepts_every_order(player: str, scenario: str) -> None:
    stage, who = Stage(scenario, 1), COMMANDERS[player]()
    stage.reset(7)
    while not stage.over.all():
        commands = who.command(stage)
        given = commands["kind"] != codes.NO_ORDER
        stage.step_commands(commands)
        answers = stage.sim.answers(0)["result"]
        assert len(answers) == given.sum()
        assert (answers == codes.SUCCESS).all()
    stage.close()


@pytest.mark.slow
def test_the_size_of_the_batch_does_not_change_the_answer() -> None:
    one, other = (
        compare_players("skills/focus_fire", ["tactics"], 6, seed=3, batch=batch)[0]
        for batch in (6, 2)
    )
    assert one.scores.tolist() == other.scores.tolist()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "episodes", "at_least"),
    [
        ("skills/baneling_split", 12, 0.3),  # by 0.96, 0.05 from battle to battle
        ("skills/siege_line", 12, 0.5),  # by 0.94 and 0.24
        ("skills/nuke_dodge", 12, 0.5),  # by 0.98 and 0.03
        ("skills/bc_jump_home", 32, 0.2),  # by 0.27 and 0.33
        ("skills/bc_yamato", 32, 0.1),  # by 0.27 and 0.25
    ],
)
def test_tactics_beat_attack_move(scenario: str, episodes: int, at_least: float) -> None:
    attack_move, tactics = compare_players(scenario, ["attack_move", "tactics"], episodes, seed=77)
    assert margin(tactics, attack_move)[0] > at_least


@pytest.mark.slow
def test_a_well_timed_stimpack_beats_always_and_never() -> None:
    players = ["tactics", "tactics:no-stim", "tactics:always-stim"]
    timed, never, always = compare_players("skills/stim_timing", players, 24, seed=77)
    assert timed.mean > max(never.mean, always.mean) + 0.2


def test_every_order_of_tactics_has_a_reason() -> None:
    stage, who = Stage("skills/siege_line", 1), Tactician()
    stage.reset(0)
    who.command(stage)
    assert who.orders is not None
    ordered = np.argwhere(who.orders.kind > 0)
    assert len(ordered)
    assert all(who.orders.reason(n, a) for n, a in ordered)
    stage.close()


def test_wrong_words_are_explained() -> None:
    with pytest.raises(TerrariumError, match='unknown player "tactic"'):
        make_player("tactic")
    with pytest.raises(TerrariumError, match=r'unknown switch "no-stin".*no-stim'):
        make_player("tactics:no-stin")
    with pytest.raises(TerrariumError, match="gives no orders"):
        compare_players("skills/focus_fire", ["kiting"], 1)


def test_the_interval_of_a_mean() -> None:
    values = np.array([0.0, 1.0] * 50)
    assert half_width(values) == pytest.approx(1.96 * 0.5025 / 10.0, abs=1e-3)
